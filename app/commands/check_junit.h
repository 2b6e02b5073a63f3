#pragma once

#include <string>

#include "app/commands/compare_report.h"
#include "app/resources/text.h"
#include "core/check/check.h"

namespace ropescope {

// JUnit reports (junit.h), written whatever the verdict is.

/// A case for each input: failed where it disagrees and the verdict does, with all causes; skipped where it gave no
/// evidence beside others that did, an error where none did.
std::string check_junit(const CheckReport& report, const CheckReference& reference, const Text& text);
/// A case for each kind of layers, and one for the layout: failed where the two sides differ.
std::string compare_junit(const CompareReport& report, const Text& text);
/// One case, an error: what was given could not be used.
std::string unusable_junit(const std::string& command, const std::string& message);

}  // namespace ropescope
