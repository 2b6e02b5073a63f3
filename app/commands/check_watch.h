#pragma once

#include <string>
#include <vector>

#include "app/commands/check_options.h"
#include "app/commands/watched_files.h"
#include "app/resources/text.h"

namespace ropescope {

/// The files and folders that `check` is given, each once. Throws InputError where there are none to watch.
std::vector<std::string> files_of(const CheckArguments& given);

// What --watch writes, a line each: the time, then "disagrees: base (base 500 000)", "waiting: cos.npy is not there" or
// "unusable: …"; as JSON {"time", "verdict", …}: the report of `check`, {"missing"} or {"error"}.

std::string verdict_report(const CheckReport& report, const CheckReference& reference, const Text& text, bool json);
std::string waiting_report(const std::vector<std::string>& missing, bool json);
std::string unusable_report(const std::string& why, bool json);

}  // namespace ropescope
