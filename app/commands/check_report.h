// The reports of `check` and `compare` as text, JSON and JUnit: the last step of both commands, after core has judged.
// Read core/check/check.h and core/formats/models.h for what is reported.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/resources/text.h"
#include "core/check/check.h"
#include "core/formats/equivalents.h"
#include "core/formats/models.h"

namespace ropescope {

// --- check ---------------------------------------------------------------------------------------------------------

/// The name of a verdict: "agrees", "disagrees", "no evidence".
const char* verdict_name(Verdict verdict);
/// A report for people: the verdict in one line, then causes with what to write for each, the evidence, inputs, how far
/// positions reach, notes, and the reference in NumPy where something disagrees. `reference` is what check() was given.
std::string check_text(const CheckReport& report, const CheckReference& reference, const Text& text);
/// The report as JSON: verdict, evidence, causes, notes, inputs, reach. With a time, that comes first and all stands on
/// one line.
std::string check_json(const CheckReport& report, const CheckReference& reference, const Text& text,
                       const std::optional<std::string>& time = {});

// Parts of a report, for other forms of it.

/// The verdict in one line, "disagrees: base", without the line's end; with the causes' parameters: "disagrees: base
/// (base 500 000)".
std::string verdict_line(const CheckReport& report, const Text& text, bool with_parameters = false);
/// A cause with its evidence, residuals, advice and what to write, some lines.
std::string cause_text(const CheckCause& cause, const CheckReference& reference, const Text& text);
/// How an input was read and how far it is from the reference, some lines.
std::string input_text(const CheckedInput& input, const Text& text);

/// The web addresses that "owner/repository#number, …" stands for; that of the repository where there is no number.
std::vector<std::string> links_of(const std::string& seen_in);

// --- compare -------------------------------------------------------------------------------------------------------

/// What a person gave as one side of a comparison.
struct Described {
  std::string name;  ///< as given
  ModelSide side;
};

/// What `compare` has found, and the words that it was asked for beside it.
struct CompareReport {
  Described a, b;
  ModelComparison comparison;
  const OtherWords* as = nullptr;  ///< of --as; null: not asked for
};

/// A difference: its cause and kind of layers, what differs and what that does to the score, three lines.
std::string difference_text(const ModelDifference& difference, const Text& text);
std::string compare_text(const CompareReport& report, const Text& text);
/// {"verdict": "agrees" or "disagrees", "differences": [{"cause", "profile", "text", "a", "b", "largest_change", "at",
/// "first_distance"}], "notes": [the same], "remarks": [sentences], "as": {"words", "a", "b": {"text", "unsaid"}}}.
std::string compare_json(const CompareReport& report, const Text& text);

// --- check as JUnit ------------------------------------------------------------------------------------------------

// JUnit reports, written whatever the verdict is.

/// A case for each input: failed where it disagrees and the verdict does, with all causes; skipped where it gave no
/// evidence beside others that did, an error where none did.
std::string check_junit(const CheckReport& report, const CheckReference& reference, const Text& text);
/// A case for each kind of layers, and one for the layout: failed where the two sides differ.
std::string compare_junit(const CompareReport& report, const Text& text);
/// One case, an error: what was given could not be used.
std::string unusable_junit(const std::string& command, const std::string& message);

}  // namespace ropescope
