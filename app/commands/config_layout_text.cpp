#include "app/commands/config_layout_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "app/commands/pairing_option.h"
#include "app/figure/number_text.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "core/error.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

/// As a shell takes it: a name with anything unusual in it stands in quotes.
std::string config_layout_text_quoted(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/+:@").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

bool share_base_config_layout_text(const TokenLayout& tokens) {
  return std::all_of(tokens.axes.begin(), tokens.axes.end(),
                     [&](const LayoutAxis& axis) { return axis.base == tokens.axes.front().base; });
}

std::string base_text(double base) {
  return base > 0 ? plain_number(base) : "none";
}

std::string config_layout_text_axes_text(const TokenLayout& tokens) {
  std::string text;
  for (const LayoutAxis& axis : tokens.axes) {
    text += (text.empty() ? "" : ", ") + axis.name + " " + std::to_string(axis.rotary_dim);
    if (!share_base_config_layout_text(tokens)) text += " (base " + base_text(axis.base) + ")";
  }
  return text;
}

}  // namespace

std::string plain_number(double value) {
  constexpr double kLargest = 1e15;
  if (std::floor(value) == value && std::abs(value) < kLargest) return std::to_string(static_cast<std::int64_t>(value));
  return shortest_number(value);
}

ConfigLayout config_layout(const LayoutConfig& found, const std::string& file) {
  constexpr int kAbout = 1024;  // pixels a side
  ConfigLayout layout;
  layout.layout = &find_layout(found.layout);
  const int token = pixels_per_token(*layout.layout, found.request);
  const int side = std::max(1, kAbout / token) * token;
  LayoutRequest request = found.request;
  request.image = ImageSize::pixels(side, side);
  try {
    layout.tokens = arrange(*layout.layout, request);
  } catch (const InputError& error) {
    throw InputError::within(file, error);
  }
  layout.tokens.notes.insert(layout.tokens.notes.begin(), found.notes.begin(), found.notes.end());
  const std::string size = std::to_string(side) + "x" + std::to_string(side);
  layout.example =
      "ropescope layout " + found.layout + " --size " + size + " --config " + config_layout_text_quoted(file);
  return layout;
}

ordered_json layout_json(const ConfigLayout& layout) {
  const Text text = Text::load(find_places().assets);
  ordered_json notes = ordered_json::array();
  for (const Words& note : layout.tokens.notes) notes.push_back(text.say(note));
  ordered_json axes = ordered_json::array();
  for (const LayoutAxis& axis : layout.tokens.axes) {
    axes.push_back({{"name", axis.name},
                    {"rotary_dim", axis.rotary_dim},
                    {"base", axis.base > 0 ? ordered_json(axis.base) : ordered_json(nullptr)}});
  }
  return {{"name", layout.layout->name},
          {"title", text.say(words_of(*layout.layout, "title"))},
          {"axes", axes},
          {"pairing", pairing_word(layout.tokens.pairing)},
          {"order", text.say(words_of(*layout.layout, "order"))},
          {"ids", text.say(words_of(*layout.layout, "ids"))},
          {"notes", notes},
          {"source", layout.layout->source},
          {"example", layout.example}};
}

std::vector<std::pair<std::string, std::string>> layout_lines(const ConfigLayout& layout) {
  std::vector<std::pair<std::string, std::string>> lines;
  const Text text = Text::load(find_places().assets);
  const Layout& family = *layout.layout;
  lines.emplace_back("layout", std::string(family.name) + " (" + text.say(words_of(family, "title")) + ")");
  lines.emplace_back("axes", config_layout_text_axes_text(layout.tokens));
  if (share_base_config_layout_text(layout.tokens))
    lines.emplace_back("base", base_text(layout.tokens.axes.front().base));
  lines.emplace_back("pairing", pairing_word(layout.tokens.pairing));
  lines.emplace_back("tokens", text.say(words_of(family, "order")));
  lines.emplace_back("ids", text.say(words_of(family, "ids")));
  for (const Words& note : layout.tokens.notes) lines.emplace_back("note", text.say(note));
  lines.emplace_back("source", family.source);
  lines.emplace_back("example", layout.example);
  return lines;
}

}  // namespace ropescope
