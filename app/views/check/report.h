// Reports of the commands `check` and `compare` as text, JSON and JUnit, built once for all forms. They are the last
// step of both commands, after the verdict of core. Read core/check/check.h and core/formats/models.h first for the
// reported results.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/resources/text.h"
#include "core/check/check.h"
#include "core/formats/models.h"
#include "core/formats/nlohmann.h"
#include "core/formats/programs/check_fix.h"
#include "core/formats/programs/equivalents.h"

namespace ropescope {

// --- Forms ---------------------------------------------------------------------------------------------------------

/// A report or a part of it: named values as JSON, lines as text for readers.
struct ReportForms {
  nlohmann::ordered_json json = {};
  std::string text = {};
  /// Adds a text line: the name, then the words.
  void line(const std::string& name, const std::string& words);
  /// Adds a JSON value and the text line for it.
  void row(const std::string& name, const nlohmann::ordered_json& value, const std::string& words);
};

/// Formats JSON over several lines, or on one line (`indent` -1), with a final line end. Invalid UTF-8, as in file
/// names, is replaced.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);
/// Returns the array of `of(item)` for each item of a list.
template <class List, class Of>
nlohmann::ordered_json listed(const List& list, const Of& of) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& one : list) all.push_back(of(one));
  return all;
}
/// Returns the value as JSON, or null for nullopt.
template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// --- Rows of check -------------------------------------------------------------------------------------------------

/// A fact of a report, named as in its JSON, with its words in the text and on a card of the window. No words: the text
/// or the card leaves it out.
struct ReportRow {
  std::string_view name;
  nlohmann::ordered_json value;
  std::string words, card;
};
using ReportRows = std::vector<ReportRow>;

/// Returns how an input was read, whether it agrees, and its largest difference.
ReportRows input_rows(const CheckedInput& input, const Text& text);
/// Returns where that difference is: row, token, part, axis, pair and head, as far as known.
ReportRows place_rows(const CheckedInput& input, const Text& text);
/// Returns the range of positions on an axis.
ReportRows reach_rows(const CheckReach& reach, const Text& text);
/// Returns the row with this name. Precondition: there is one.
const ReportRow& row_named(const ReportRows& rows, std::string_view name);
/// Joins what rows say on a card.
std::string on_card(const ReportRows& rows, const Text& text);

/// The words for a verdict, on a check or on one input: in reports, and at the end of the keys of cards.
struct VerdictWords {
  const char *report, *key;
};
VerdictWords verdict_words(Verdict verdict);
Verdict verdict_of(const CheckedInput& input);

/// Formats a tolerance; if only equal numbers pass, the text states that there is no tolerance.
std::string tolerance_words(double tolerance, int digits, const Text& text);

// --- check ---------------------------------------------------------------------------------------------------------

/// Builds the report of `check`. Text: the verdict in one line, causes with their fixes, evidence, inputs, the range of
/// positions, notes, and the reference in NumPy if something disagrees. JSON: an optional time, verdict, evidence,
/// causes, notes, inputs, reach. `reference` is the input of check().
ReportForms check_forms(const CheckReport& report, const CheckReference& reference, const Text& text,
                        const std::optional<std::string>& time = {});

/// Returns whether the cause stands for a difference that no known cause explains.
inline bool is_unknown(const CheckCause& cause) {
  return cause.name == "unknown";
}

/// What to write for a cause: its name in JSON, its name among cards and their texts, its heading in text, and the text
/// to copy.
struct FixRow {
  const char *name, *card, *heading;
  std::string written;
};
/// Returns the kinds of text that can fix the cause.
std::vector<FixRow> list_fixes(const Fix& fix);

/// Returns the verdict in one line without a line end: "disagrees: base"; with the causes' parameters: "disagrees: base
/// (base 500 000)".
std::string verdict_line(const CheckReport& report, const Text& text, bool with_parameters = false);

// --- compare -------------------------------------------------------------------------------------------------------

/// One side of a comparison, as specified by the user.
struct Described {
  std::string name;  ///< as typed
  ModelSide side;
};

/// The side that is right, if one is: only then does a report name what is wrong.
enum class CompareBaseline { none, a, b };

/// The result of `compare`, the side that is right, and the vocabulary of the option --as.
struct CompareReport {
  Described a, b;
  ModelComparison comparison;
  const OtherWords* as = nullptr;  ///< for --as; null: not requested
  CompareBaseline baseline = CompareBaseline::none;
};

/// Returns what differs between two models, without a judgement: "Base", "Extension".
std::string difference_name(const SpecDifference& difference, const Text& text);
/// Returns `of(difference)` for all, in order, without duplicates.
std::vector<std::string> list_once(const std::vector<ModelDifference>& differences,
                                   const std::function<std::string(const ModelDifference&)>& of);
/// {"verdict": "agrees", "differs" or, with a baseline, "disagrees", "baseline": "A", "B" or null, "differences":
/// [{"cause", "name", "profile", "text", "a", "b", "largest_change", "at", "first_distance"}], "notes": [like these],
/// "remarks": [sentences], "as": {"words", "a", "b": {"text", "unsaid"}}}.
ReportForms compare_forms(const CompareReport& report, const Text& text);
/// Returns the verdict in one line: "agrees", "differs: base 10000, 500000", or with a baseline "disagrees: base".
std::string compare_verdict_line(const CompareReport& report, const Text& text);

// --- check as JUnit ------------------------------------------------------------------------------------------------

// JUnit reports, written for every verdict.

/// Returns a test case per input: failed, with all causes, if both it and the verdict disagree; skipped if only other
/// inputs gave evidence; an error if no input did.
std::string check_junit(const CheckReport& report, const CheckReference& reference, const Text& text);
/// Returns a test case per layer type, and one for the layout: failed if the two sides differ.
std::string compare_junit(const CompareReport& report, const Text& text);
/// Returns one test case, an error: the input could not be used.
std::string unusable_junit(const std::string& command, const std::string& message);

}  // namespace ropescope
