#pragma once

#include <string>
#include <vector>

#include "core/check/check.h"

namespace ropescope {

/// A report for people: the verdict in one line, then inputs, how far positions reach, causes, notes.
std::string check_text(const CheckReport& report);
/// The same as JSON: verdict, causes, notes, inputs, reach.
std::string check_json(const CheckReport& report);

/// Web addresses of "owner/repository#number, …"; of a repository where there is no number.
std::vector<std::string> links_of(const std::string& seen_in);

}  // namespace ropescope
