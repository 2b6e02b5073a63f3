#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/commands/pairing_option.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "core/layouts/layout.h"
#include "core/short_text.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

struct LayoutsValues {
  bool json = false;
  std::optional<std::string> output;
};

std::string layouts_axes_text(const Layout& layout) {
  if (layout.axes.empty()) return "one's own";
  std::string text;
  for (const AxisDefault& axis : layout.axes) {
    text += (text.empty() ? "" : ", ") + std::string(axis.name) + " " + std::to_string(axis.rotary_dim);
  }
  return text;
}

std::string source_of(const Layout& layout) {
  return layout.source.empty() ? "one's own axes" : std::string(layout.source);
}

std::string layouts_table() {
  std::vector<std::array<std::string, 3>> rows = {{"name", "axes", "source"}};
  for (const Layout& layout : all_layouts()) {
    rows.push_back({std::string(layout.name), layouts_axes_text(layout), source_of(layout)});
  }
  std::size_t widths[2] = {0, 0};
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < 2; ++c) widths[c] = std::max(widths[c], screen_width(row[c]));
  }
  std::string lines;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < 2; ++c) lines += row[c] + std::string(widths[c] + 2 - screen_width(row[c]), ' ');
    lines += row[2] + "\n";
  }
  return lines;
}

/// What belongs to another setting is taken with it.
std::vector<std::string> settings_of(const Layout& layout) {
  std::vector<std::string> names;
  for (const LayoutSetting& setting : layout.settings) {
    if (setting.of.empty()) names.emplace_back(setting.name);
  }
  return names;
}

std::string layouts_json_text() {
  const Text text = Text::load(find_places().assets);
  ordered_json list = ordered_json::array();
  for (const Layout& layout : all_layouts()) {
    ordered_json axes = ordered_json::array();
    for (const AxisDefault& axis : layout.axes) {
      axes.push_back({{"name", axis.name}, {"rotary_dim", axis.rotary_dim}, {"base", axis.base}});
    }
    list.push_back({{"name", layout.name},
                    {"title", text.say(words_of(layout, "title"))},
                    {"axes", axes},
                    {"pairing", pairing_word(layout.pairing)},
                    {"pixels_per_token", layout.vae_factor * layout.patch},
                    {"vae_factor", layout.vae_factor},
                    {"patch", layout.patch},
                    {"order", text.say(words_of(layout, "order"))},
                    {"ids", text.say(words_of(layout, "ids"))},
                    {"settings", settings_of(layout)},
                    {"quirk", layout.has_quirk ? text.say(words_of(layout, "quirk")) : ""},
                    {"source", source_of(layout)}});
  }
  return ordered_json{{"layouts", list}}.dump(2) + "\n";
}

}  // namespace

Action declare_layouts(Arguments& arguments) {
  const auto values = std::make_shared<LayoutsValues>();
  arguments.flag("--json", values->json, "JSON, with bases, pixels per token and rules, instead of a table");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { put_result(values->output, values->json ? layouts_json_text() : layouts_table()); };
}

}  // namespace ropescope
