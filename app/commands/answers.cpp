// Writes questions, sentences and tables. Read answers.h first.
//
// Contents: Origins; Questions; Sentences; Tables.

#include "app/commands/answers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/figure/table.h"
#include "app/resources/system.h"
#include "app/views/check/report.h"
#include "app/views/shared/cards.h"
#include "core/decay/limits.h"
#include "core/scaling/scaling.h"

namespace ropescope {

using nlohmann::ordered_json;

namespace {

// --- Origins -------------------------------------------------------------------------------------------------------

/// Returns the option that sets a value of a rope; empty if none is given.
std::string option_for(const std::string& key, const RopeOptions& options) {
  struct Source {
    std::string_view key;
    bool given;
    const char* option;
  };
  const Source sources[] = {{"profile", options.profile.has_value(), "--profile"},
                            {"axis", options.axis.has_value(), "--axis"},
                            {"base", options.ladder.has_value(), "--ladder"},
                            {"base", options.base.has_value(), "--base"},
                            {"rotary_dim", options.dim.has_value(), "--dim"},
                            {"rotary_dim", options.rotary_fraction.has_value(), "--rotary-fraction"},
                            {"extension", options.scaling != nullptr, "--scaling"},
                            {"trained_length", options.trained_length.has_value(), "--trained-length"}};
  const auto found = std::find_if(std::begin(sources), std::end(sources),
                                  [&key](const Source& source) { return source.key == key && source.given; });
  return found != std::end(sources) ? found->option : std::string();
}

/// Returns where a value came from: an option, a field of the config, "preset", or nothing.
std::string origin_of(const std::string& key, const RopeOptions& options, const Rope& rope, const Text& text) {
  if (std::string option = option_for(key, options); !option.empty()) return option;
  const auto found = rope.profile.origin.find(key);
  if (found != rope.profile.origin.end()) return text.render(found->second);
  return rope.model.empty() ? std::string() : text["origin.preset"];
}

// --- Questions -----------------------------------------------------------------------------------------------------

std::string base_words(const RotarySpec& spec, const RotaryAxis* axis, const Text& text) {
  const RotaryAxis& first = axis ? *axis : spec.axes.front();
  if (first.ladder == Ladder::given) return text["answer.given_ladder"];
  const auto differs = [&](const RotaryAxis& each) { return each.base != first.base; };
  if (!axis && std::any_of(spec.axes.begin(), spec.axes.end(), differs)) {
    return joined(spec.axes, ", ",
                  [](const RotaryAxis& each) { return each.name + " " + readable_number(each.base, 17); });
  }
  return readable_number(first.base, 17);
}

/// Returns the base as JSON: null for a given ladder, a list if the axes differ.
ordered_json base_json(const RotarySpec& spec, const RotaryAxis* axis) {
  const RotaryAxis& first = axis ? *axis : spec.axes.front();
  if (first.ladder == Ladder::given) return nullptr;
  const auto differs = [&](const RotaryAxis& each) { return each.base != first.base; };
  if (axis || std::none_of(spec.axes.begin(), spec.axes.end(), differs)) return first.base;
  return listed(spec.axes, [](const RotaryAxis& each) { return each.base; });
}

std::string dimension_words(const RotarySpec& spec, const RotaryAxis* axis, const Text& text) {
  const int rotated = axis ? axis->rotary_dim : total_rotary_dim(spec);
  if (rotated == spec.head_dim) return std::to_string(rotated);
  return text.format("answer.part_of_head", {{"rotated", counted(rotated)}, {"channels", counted(spec.head_dim)}});
}

std::string extension_words(const Rope& rope, const Text& text) {
  const std::string words = depends_on_length(rope) ? ladder_text(rope) : extension_text(rope.profile.spec.extension);
  return words.empty() ? text["unit.none"] : words;
}

// --- Tables --------------------------------------------------------------------------------------------------------

std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t begin = 0, end; begin <= line.size(); begin = end + 1) {
    end = std::min(line.find(',', begin), line.size());
    cells.emplace_back(line.substr(begin, end - begin));
  }
  return cells;
}

/// Returns the rows of CSV lines, each with a cell per column of the table.
std::vector<std::vector<std::string>> rows_of(const std::string& csv, const AnswerTable& table) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t begin = 0, end; begin < csv.size(); begin = end + 1) {
    end = std::min(csv.find('\n', begin), csv.size());
    rows.push_back(split_csv(std::string_view(csv).substr(begin, end - begin)));
    rows.back().resize(table.columns.size());
  }
  return rows;
}

/// Returns a cell as JSON: a number as written, null if it is empty or not finite, otherwise a string.
std::string cell_json(const std::string& cell) {
  if (cell.empty() || cell == "nan" || cell == "inf" || cell == "-inf") return "null";
  return parse_number(cell) ? cell : ordered_json(cell).dump();
}

void append_json_rows(const AnswerTable& table, const std::string& csv, bool& first, std::string& piece) {
  for (const auto& row : rows_of(csv, table)) {
    piece += std::exchange(first, false) ? "\n    {" : ",\n    {";
    for (std::size_t i = 0; i < row.size(); ++i) {
      piece += (i == 0 ? "" : ", ") + ordered_json(table.columns[i].name).dump() + ": " + cell_json(row[i]);
    }
    piece += "}";
  }
}

/// Returns a cell for people: a number with up to six significant digits.
std::string cell_text(const std::string& cell) {
  if (cell == "inf") return "∞";
  const std::optional<double> number = parse_number(cell);
  constexpr int kDigits = 6;
  return number ? without_separators(readable_number(*number, kDigits)) : cell;
}

/// Width of a number up to its decimal point.
std::size_t width_before_point(const std::string& number) {
  return screen_width(std::string_view(number).substr(0, number.find('.')));
}

bool looks_like_number(const std::string& cell) {
  return cell.empty() || cell.starts_with("∞") || cell.starts_with("−") ||
         std::isdigit(static_cast<unsigned char>(cell.front())) != 0;
}

/// Returns the rows below the headings (none: written already), with numbers aligned at their decimal points. `widths`:
/// of the columns so far.
std::string aligned_numbers(const std::vector<std::string>& headings, std::vector<std::vector<std::string>> rows,
                            std::vector<std::size_t>& widths) {
  if (rows.empty()) return headings.empty() ? std::string() : aligned({headings});
  std::vector<bool> numeric;
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    numeric.push_back(
        std::all_of(rows.begin(), rows.end(), [c](const auto& row) { return looks_like_number(row[c]); }));
    std::size_t before = 0;
    for (const auto& row : rows) before = std::max(before, width_before_point(row[c]));
    if (!numeric.back()) continue;
    for (auto& row : rows) row[c].insert(0, before - width_before_point(row[c]), ' ');
  }
  if (!headings.empty()) rows.insert(rows.begin(), headings);
  widths.resize(numeric.size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], screen_width(row[c]));
  }
  std::string lines;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      lines += row[c];
      if (c + 1 < row.size()) lines.append(widths[c] + 2 - screen_width(row[c]), ' ');
    }
    lines += '\n';
  }
  return lines;
}

/// Writes a table for a terminal, piece by piece.
class TerminalTable {
 public:
  explicit TerminalTable(const AnswerTable& table) : table_(table) {
    const Text& text = table.question.text();
    for (const TableColumn& column : table.columns) {
      const std::string key = "answer.column." + column.name;
      if (column.on_terminal) headings_.push_back(text.has(key) ? text[key] : column.name);
    }
  }
  std::string piece(const std::string& csv) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& cells : rows_of(csv, table_)) {
      rows.emplace_back();
      for (std::size_t i = 0; i < cells.size(); ++i) {
        if (table_.columns[i].on_terminal) rows.back().push_back(cell_text(cells[i]));
      }
    }
    const std::vector<std::string> headings = std::exchange(headings_, {});
    return aligned_numbers(headings, std::move(rows), widths_);
  }
  std::string end() const {
    std::string lines;
    for (const std::string& note : table_.notes) lines += (lines.empty() ? "\n" : "") + note + "\n";
    return without_separators(lines);
  }

 private:
  const AnswerTable& table_;
  std::vector<std::string> headings_;  ///< empty once they are written
  std::vector<std::size_t> widths_;
};

}  // namespace

// --- Questions -----------------------------------------------------------------------------------------------------

void RequestSummary::add(const std::string& key, const ordered_json& value, const std::string& words,
                         const std::string& origin) {
  values_[key] = value;
  if (!origin.empty()) origins_[key] = origin;
  rows_.push_back({text_["answer.question." + key], words + (origin.empty() ? "" : "  (" + origin + ")")});
}

void RequestSummary::add_rope(const RopeOptions& options, const Rope& rope, const RotaryAxis* axis, bool base) {
  const RotarySpec& spec = rope.profile.spec;
  const auto origin = [&](const std::string& key) { return origin_of(key, options, rope, text_); };
  if (!rope.label.empty()) {
    const std::string source = rope.model.empty() ? rope.source : text_.format("preset.named", {{"id", rope.model}});
    add("model", rope.label, rope.label, source == rope.label ? "" : source);
  }
  if (rope.profile.name != "text" && rope.profile.name != "custom") {
    add("profile", rope.profile.name, rope.profile.name, option_for("profile", options));
  }
  if (axis && spec.axes.size() > 1) add("axis", axis->name, axis->name, option_for("axis", options));
  if (base) add("base", base_json(spec, axis), base_words(spec, axis, text_), origin("base"));
  add("rotary_dim", axis ? axis->rotary_dim : total_rotary_dim(spec), dimension_words(spec, axis, text_),
      origin("rotary_dim"));
  if (!base) return;
  const std::string method = extension_text(spec.extension);
  add("extension", method.empty() ? ordered_json(nullptr) : ordered_json(method), extension_words(rope, text_),
      origin("extension"));
  const std::optional<double> extended = extended_length(options, rope);
  add("trained_length", or_null(spec.trained_length), lengths_text(spec.trained_length, extended, text_),
      spec.trained_length ? origin("trained_length") : std::string());
  if (extended) values_["context_length"] = *extended;
}

std::string RequestSummary::lines() const {
  return without_separators(aligned(rows_));
}

ordered_json RequestSummary::json() const {
  ordered_json json = values_;
  json["origin"] = origins_;
  return json;
}

std::optional<double> extended_length(const Profile& profile) {
  return profile.spec.extension.method == "none" ? std::nullopt : profile.context_length;
}

std::optional<double> extended_length(const RopeOptions& options, const Rope& rope) {
  return options.scaling || options.trained_length ? std::nullopt : extended_length(rope.profile);
}

std::string lengths_text(std::optional<double> trained, std::optional<double> extended, const Text& text) {
  if (!trained) return text["unit.none"];
  if (!extended) return readable_integer(*trained);
  return text.format("answer.lengths", {{"trained", counted(*trained)}, {"extended", counted(*extended)}});
}

// --- Sentences -----------------------------------------------------------------------------------------------------

std::vector<std::string> unrotated_sentences(const Rope& rope, const Text& text) {
  std::vector<std::string> sentences;
  for (const Message& note : notes_on_unrotated_layers(rope.profile)) sentences.push_back(text.render(note));
  return sentences;
}

// --- Tables --------------------------------------------------------------------------------------------------------

bool is_read_on_terminal(const OutputFile& output, bool json) {
  return !output.is_given() && !json && os::output_goes_to_terminal();
}

void put_table(const OutputFile& output, const AnswerTable& table, const std::function<void(std::string&)>& append) {
  if (table.json) {
    bool first = true, ended = false;
    const std::string begin = "{\n  \"question\": " + table.question.json().dump() + ",\n  \"rows\": [";
    put_result(output, begin, [&](std::string& piece) {
      std::string csv;
      append(csv);
      append_json_rows(table, csv, first, piece);
      if (!csv.empty() || std::exchange(ended, true)) return;
      piece = "\n  ],\n  \"notes\": " + without_separators(ordered_json(table.notes).dump()) + "\n}\n";
    });
    return;
  }
  if (is_read_on_terminal(output, table.json)) {
    TerminalTable lines(table);
    bool ended = false;
    put_result(output, table.question.lines() + "\n", [&](std::string& piece) {
      std::string csv;
      append(csv);
      if (!csv.empty()) {
        piece = lines.piece(csv);
      } else if (!std::exchange(ended, true)) {
        piece = lines.end();
      }
    });
    return;
  }
  const std::string header =
      joined(table.columns, ",", [](const TableColumn& column) { return quote_cell(column.name); }) + "\n";
  put_result(output, header, append);
}

}  // namespace ropescope
