// Answers for people: the question as it was understood, and tables that are aligned on a terminal, CSV elsewhere, and
// JSON on request. Used by `limits`, `decay`, `frequencies`, `precision`, `score`, `similarity` and `models`. Read
// rope_options.h first.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/rope_options.h"
#include "app/resources/text.h"
#include "core/decay/analysis.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"

namespace ropescope {

// --- Questions -----------------------------------------------------------------------------------------------------

/// The question that a command answers: its values, and where each came from.
class RequestSummary {
 public:
  explicit RequestSummary(const Text& text) : text_(text) {}

  /// Adds a value under its JSON key, with its displayed form and origin (empty: none). Its label is the text
  /// "answer.question.KEY".
  void add(const std::string& key, const nlohmann::ordered_json& value, const std::string& words,
           const std::string& origin = {});
  /// Adds a rope: its model, profile, base, dimension, extension, and its lengths: both if the extension reaches
  /// farther than the original one. `axis`: the axis that the command uses; null: all of them. `base`: whether the base
  /// is part of the question.
  void add_rope(const RopeOptions& options, const Rope& rope, const RotaryAxis* axis, bool base = true);

  const Text& text() const { return text_; }
  /// Returns the values as aligned lines: label, value, origin.
  std::string lines() const;
  /// Returns the values by key, then "origin": an object with the origins by key.
  nlohmann::ordered_json json() const;

 private:
  const Text& text_;
  std::vector<std::vector<std::string>> rows_;
  nlohmann::ordered_json values_, origins_ = nlohmann::ordered_json::object();
};

/// Returns the length that a model supports with its extension, if it is longer than the trained one.
std::optional<double> extended_length(const Profile& profile);
/// Returns the same if the options keep that extension and its trained length, else nullopt.
std::optional<double> extended_length(const RopeOptions& options, const Rope& rope);
/// Returns "8192, extended to 131072", the trained length alone, or "none".
std::string lengths_text(std::optional<double> trained, std::optional<double> extended, const Text& text);

// --- Sentences -----------------------------------------------------------------------------------------------------

/// Returns the sentences on layers without rotary embedding.
std::vector<std::string> unrotated_sentences(const Rope& rope, const Text& text);

// --- Tables --------------------------------------------------------------------------------------------------------

/// A column of a table. On a terminal its heading is the text "answer.column.NAME", or the name if there is none.
struct TableColumn {
  std::string name;         ///< in CSV and JSON
  bool on_terminal = true;  ///< false: the question already contains it
};

/// A table and its surroundings.
struct AnswerTable {
  const RequestSummary& question;
  std::vector<TableColumn> columns;
  std::vector<std::string> notes;  ///< sentences below the table on a terminal, "notes" in JSON
  bool json = false;               ///< --json
};

/// Returns whether a result is read by a person: standard output is a terminal, and neither -o nor --json is given.
bool is_read_on_terminal(const OutputFile& output, bool json);

/// Writes a table piece by piece: aligned below its question on a terminal, as JSON with --json ({"question", "rows",
/// "notes"}, a row per line), and otherwise as CSV. `append` appends rows as CSV, without quoted cells, to an empty
/// string; an empty piece ends the table.
void put_table(const OutputFile& output, const AnswerTable& table, const std::function<void(std::string&)>& append);

}  // namespace ropescope
