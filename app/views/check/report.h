// Reports of commands, made once in both of their forms: text and JSON. `check` and `compare` have their reports here,
// also as JUnit: the last step of both commands, after core has judged. Read core/check/check.h and
// core/formats/models.h for what is reported.
#pragma once

#include <optional>
#include <string>

#include "app/resources/text.h"
#include "core/check/check.h"
#include "core/formats/models.h"
#include "core/formats/nlohmann.h"
#include "core/formats/programs/equivalents.h"

namespace ropescope {

// --- Forms ---------------------------------------------------------------------------------------------------------

/// A report or a part of it: values by their names for machines, lines for people.
struct ReportForms {
  nlohmann::ordered_json json = {};
  std::string text = {};
  /// Adds a line for people, the words beside their name.
  void line(const std::string& name, const std::string& words);
  /// Adds a value, and the line that says it.
  void row(const std::string& name, const nlohmann::ordered_json& value, const std::string& words);
};

/// JSON in lines, or on one line (`indent` -1), with its end. Names of files need not be UTF-8: what is not is
/// replaced.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);
/// The array of what `of` makes of each.
template <class List, class Of>
nlohmann::ordered_json listed(const List& list, const Of& of) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const auto& one : list) all.push_back(of(one));
  return all;
}
/// null for what there is not.
template <class T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// --- check ---------------------------------------------------------------------------------------------------------

/// For people: the verdict in one line, then causes with what to write for each, the evidence, inputs, how far
/// positions reach, notes, and the reference in NumPy where something disagrees. For machines: verdict, evidence,
/// causes, notes, inputs, reach; a time comes first. `reference` is what check() was given.
ReportForms check_forms(const CheckReport& report, const CheckReference& reference, const Text& text,
                        const std::optional<std::string>& time = {});

/// The verdict in one line, "disagrees: base", without the line's end; with the causes' parameters: "disagrees: base
/// (base 500 000)".
std::string verdict_line(const CheckReport& report, const Text& text, bool with_parameters = false);

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

/// {"verdict": "agrees" or "disagrees", "differences": [{"cause", "profile", "text", "a", "b", "largest_change", "at",
/// "first_distance"}], "notes": [the same], "remarks": [sentences], "as": {"words", "a", "b": {"text", "unsaid"}}}.
ReportForms compare_forms(const CompareReport& report, const Text& text);

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
