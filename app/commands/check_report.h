#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "core/check/check.h"

namespace ropescope {

/// "agrees", "disagrees", "no evidence".
const char* verdict_name(Verdict verdict);
/// A report for people: the verdict in one line, then causes with what to write for each, the evidence, inputs, how far
/// positions reach, notes, and the reference in NumPy where something disagrees. `reference` is what check() was given.
std::string check_text(const CheckReport& report, const CheckReference& reference, const Text& text);
/// The same as JSON: verdict, evidence, causes, notes, inputs, reach. With a time, that comes first and all stands on
/// one line.
std::string check_json(const CheckReport& report, const CheckReference& reference, const Text& text,
                       const std::optional<std::string>& time = {});

// Parts of a report, for other forms of it.

/// "disagrees: base", without the line's end; with the causes' parameters: "disagrees: base (base 500 000)".
std::string verdict_line(const CheckReport& report, const Text& text, bool with_parameters = false);
/// A cause with its evidence, residuals, advice and what to write, some lines.
std::string cause_text(const CheckCause& cause, const CheckReference& reference, const Text& text);
/// How an input was read and how far it is from the reference, some lines.
std::string input_text(const CheckedInput& input, const Text& text);

/// Web addresses of "owner/repository#number, …"; of a repository where there is no number.
std::vector<std::string> links_of(const std::string& seen_in);

}  // namespace ropescope
