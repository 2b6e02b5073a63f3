#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/layout/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "core/layouts/similarity.h"

namespace ropescope {

namespace {

std::string colour_label(const LayoutShown& shown) {
  const TokenColouring& colouring = shown.cells->colouring;
  if (colouring.by == TokenColouring::By::index) return shown.text["view.layout.by_index"];
  if (colouring.by == TokenColouring::By::axis) {
    return shown.text.format("view.layout.by_axis",
                             {{"axis", axis_word(shown.layout().axes[colouring.axis].name, shown.text)}});
  }
  return shown.text.format("view.layout.by_angle", {{"pair", counted(colouring.pair)}});
}

std::string axes_names(const TokenLayout& layout, const Text& text) {
  std::string names;
  for (const LayoutAxis& axis : layout.axes) {
    names += (names.empty() ? "" : text["list.between"]) + axis_word(axis.name, text);
  }
  return layout.axes.size() == 1 ? names : text.format("view.layout.card.axes", {{"names", names}});
}

/// What the card says about a token: everything that an engineer would look up.
PlaceWords words_of_layout_map(const LayoutShown& shown, const SeenBlock& seen, std::int64_t token) {
  const TokenLayout& layout = shown.layout();
  const TokenBlock& block = layout.blocks[seen.block];
  const Text& text = shown.text;
  const std::int64_t row = block.first_row + token;
  const bool main = seen.block == shown.main();
  PlaceWords words;
  words.head = main ? token_name(layout, token, text) : part_name(block.part, text);
  const auto add = [&](const char* key, const std::string& value) { words.rows.emplace_back(text[key], value); };
  if (main && block.part == "image") {
    add("view.layout.card.place", place_text(layout, token, text));
  } else {
    add("view.layout.card.within", counted(token).shown);
  }
  add("view.layout.card.token", counted(block.first_token + token).shown);
  words.rows.emplace_back(text.format("view.layout.card.ids", {{"axes", axes_names(layout, text)}}),
                          ids_text(ids_of(layout, row)));
  const std::int64_t anchor = table_row(layout, shown.anchor);
  if (row != anchor) {
    const TokenSimilarity similarity = similarity_between(layout, anchor, row);
    const std::string from = token_name(layout, shown.anchor, text);
    words.rows.emplace_back(text.format("view.layout.card.difference", {{"anchor", from}}),
                            ids_text(similarity.difference));
    words.rows.emplace_back(text.format("view.layout.card.similarity", {{"anchor", from}}),
                            readable_number(similarity.total, 6, true));
  }
  return words;
}

}  // namespace

Map block_map(const LayoutShown& shown, std::size_t block, const CellPlace& place) {
  const auto cells = shown.cells;
  const SeenBlock seen = cells->blocks[block];
  const auto value = [cells, seen](std::int64_t token) {
    const TokenLayout& layout = cells->arranged->tables->layout();
    return colour_value(cells->colouring, layout, layout.blocks[seen.block].first_row + token);
  };
  // The card outlives this call: it keeps what it reads, and the words of the window live longer than it.
  const auto keep = std::make_shared<LayoutKnobs>(shown.knobs);
  const auto words = [keep, text = &shown.text, cells, anchor = shown.anchor, seen](std::int64_t token) {
    return words_of_layout_map({*keep, *text, cells, nullptr, anchor, {}}, seen, token);
  };
  Map map = patch_map(shown.layout(), seen, cells->cells[block], place, value, words);
  map.label = colour_label(shown);
  map.colours = cells->colouring.by == TokenColouring::By::angle ? MapColours::angle : MapColours::magnitude;
  map.range = cells->range;
  return map;
}

}  // namespace ropescope
