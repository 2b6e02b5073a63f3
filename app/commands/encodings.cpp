#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "core/encodings/encoding.h"
#include "core/short_text.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

struct EncodingsValues {
  bool json = false;
  std::optional<std::string> output;
};

using Row = std::array<std::string, 6>;
constexpr Row::size_type kColumns = std::tuple_size_v<Row>;
constexpr std::array<const char*, kColumns> kHeader = {"name",           "relative",   "learned",
                                                       "trained length", "parameters", "source"};

/// Of one head, with the default settings.
std::int64_t parameter_count(const Encoding& encoding) {
  return encoding.parameters(EncodingSettings{});
}

/// How far past the length it is trained with; learned tables alone end at all.
bool goes_past(const Encoding& encoding) {
  const EncodingSettings settings;
  return is_defined_at(encoding, settings, settings.trained_length);
}

std::vector<std::string> names_of_encodings(std::span<const EncodingSetting> settings) {
  std::vector<std::string> names;
  for (const EncodingSetting& setting : settings) names.emplace_back(setting.name);
  return names;
}

Row row_of(const Encoding& encoding) {
  return {std::string(encoding.name),
          encoding.relative ? "yes" : "no",
          encoding.learned ? "yes" : "no",
          !encoding.positions   ? "any"
          : goes_past(encoding) ? "to its square"
                                : "not past it",
          std::to_string(parameter_count(encoding)),
          std::string(encoding.source)};
}

std::string encodings_table() {
  std::vector<Row> rows(1);
  std::copy(kHeader.begin(), kHeader.end(), rows.front().begin());
  for (const Encoding& encoding : all_encodings()) rows.push_back(row_of(encoding));
  std::array<std::size_t, kColumns> widths = {};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], screen_width(row[c]));
  }
  std::string lines;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c + 1 < row.size(); ++c)
      lines += row[c] + std::string(widths[c] + 2 - screen_width(row[c]), ' ');
    lines += row.back() + "\n";
  }
  return lines;
}

std::string encodings_json_text() {
  const Text text = Text::load(find_places().assets);
  ordered_json list = ordered_json::array();
  for (const Encoding& encoding : all_encodings()) {
    list.push_back({{"name", encoding.name},
                    {"title", text.say(title_of(encoding))},
                    {"relative", encoding.relative},
                    {"learned", encoding.learned},
                    {"past_trained_length", goes_past(encoding)},
                    {"parameters", parameter_count(encoding)},
                    {"causal_only", encoding.causal_only},
                    {"linear_attention", encoding.linear_attention},
                    {"takes_ladder", encoding.takes_ladder},
                    {"formula", text.say(formula_of(encoding))},
                    {"scale", text.say(scale_rule_of(encoding))},
                    {"settings", names_of_encodings(encoding.settings)},
                    {"source", encoding.source}});
  }
  return ordered_json{{"encodings", list}}.dump(2) + "\n";
}

}  // namespace

Action declare_encodings(Arguments& arguments) {
  const auto values = std::make_shared<EncodingsValues>();
  arguments.flag("--json", values->json, "JSON, with formulas and settings, instead of a table");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  arguments.footer([] {
    return "Parameters: the learned numbers of one head with the default settings, " +
           std::to_string(EncodingSettings{}.dim) + " channels.\n";
  });
  return [values] { put_result(values->output, values->json ? encodings_json_text() : encodings_table()); };
}

}  // namespace ropescope
