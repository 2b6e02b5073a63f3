#pragma once

#include <string>
#include <vector>

#include "app/resources/text.h"
#include "core/check/check.h"

namespace ropescope {

/// "agrees", "disagrees", "no evidence".
const char* verdict_name(Verdict verdict);
/// A report for people: the verdict in one line, then causes, the evidence, inputs, how far positions reach, notes.
std::string check_text(const CheckReport& report, const Text& text);
/// The same as JSON: verdict, evidence, causes, notes, inputs, reach.
std::string check_json(const CheckReport& report, const Text& text);

/// Web addresses of "owner/repository#number, …"; of a repository where there is no number.
std::vector<std::string> links_of(const std::string& seen_in);

}  // namespace ropescope
