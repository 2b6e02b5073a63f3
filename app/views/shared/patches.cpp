#include "app/views/shared/patches.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"

namespace ropescope {

namespace {

std::string name_in(const std::string& part, const char* reference, const Text& text) {
  constexpr std::string_view kReference = "reference";
  if (part.rfind(kReference, 0) != 0) return text["view.layout.part." + part];
  return text.format(reference, {{"number", part.substr(kReference.size())}});
}

}  // namespace

std::optional<std::int64_t> SeenBlock::token_at(double x, double y) const {
  const double column = std::round(x), row = std::round(y);
  if (!(column >= 0 && row >= 0) || column >= static_cast<double>(columns) || row >= static_cast<double>(rows)) {
    return std::nullopt;
  }
  const std::int64_t token = static_cast<std::int64_t>(row) * columns + static_cast<std::int64_t>(column);
  if (token >= count) return std::nullopt;
  return first() + token;
}

bool SeenBlock::shows(std::int64_t token) const {
  return token >= first() && token < first() + count;
}

std::size_t main_block(const TokenLayout& layout) {
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    if (layout.blocks[i].part == "image") return i;
  }
  return 0;
}

SeenBlock seen_block(const TokenLayout& layout, std::size_t index, int frame) {
  const TokenBlock& block = layout.blocks[index];
  SeenBlock seen;
  seen.block = index;
  if (block.rows > 1 || block.frames > 1 || block.part == "image" || block.part.rfind("reference", 0) == 0) {
    seen.frame = std::clamp(frame, 0, block.frames - 1);
    seen.rows = block.rows;
    seen.columns = block.columns;
    seen.count = seen.rows * seen.columns;
    return seen;
  }
  // A line is wrapped at a power of two, about twice as wide as high.
  seen.count = block.columns;
  seen.columns = 1;
  while (seen.columns * seen.columns < 2 * seen.count && seen.columns < seen.count) seen.columns *= 2;
  seen.columns = std::min(seen.columns, seen.count);
  seen.rows = (seen.count + seen.columns - 1) / seen.columns;
  return seen;
}

std::int64_t table_row(const TokenLayout& layout, std::int64_t token) {
  return layout.blocks[main_block(layout)].first_row + token;
}

std::string part_name(const std::string& part, const Text& text) {
  return name_in(part, "view.layout.part.reference", text);
}

std::string short_part_name(const std::string& part, const Text& text) {
  return name_in(part, "view.layout.part_short", text);
}

std::string token_name_key(const TokenLayout& layout) {
  return layout.blocks[main_block(layout)].part == "image" ? "view.layout.patch" : "view.layout.token";
}

std::string token_name(const TokenLayout& layout, std::int64_t token, const Text& text) {
  return text.format(token_name_key(layout), {{"number", counted(token + 1)}});
}

std::string place_text(const TokenLayout& layout, std::int64_t token, const Text& text) {
  const TokenBlock& block = layout.blocks[main_block(layout)];
  const std::string place = text.format("view.layout.place", {{"row", counted(token / block.columns % block.rows)},
                                                              {"column", counted(token % block.columns)}});
  if (block.frames == 1) return place;
  return text.format("view.layout.place_in_frame",
                     {{"place", place}, {"frame", counted(token / block.columns / block.rows + 1)}});
}

std::string anchor_text(const TokenLayout& layout, std::int64_t anchor, const Text& text) {
  const std::string name = token_name(layout, anchor, text);
  const bool image = layout.blocks[main_block(layout)].part == "image";
  return image ? name + " · " + place_text(layout, anchor, text) : name;
}

void set_patch_axes(Figure& figure, const std::string& view, const TokenLayout& layout, const SeenBlock& seen,
                    const Text& text) {
  const std::string label = layout.blocks[seen.block].part == "image" ? "view.layout." : "view.layout.line_";
  const auto axis_of = [&](const char* name, std::int64_t count) {
    FigureAxis axis = named_axis(view, name, text);
    axis.label = text[label + name];
    return cell_axis(std::move(axis), cell_range(count), {});
  };
  figure.x = axis_of("column", seen.columns);
  figure.y = axis_of("row", seen.rows);
  figure.y.reversed = true;
}

Map patch_map(const TokenLayout& layout, const SeenBlock& seen, std::shared_ptr<const MapCells> cells,
              const CellPlace& place, std::function<double(std::int64_t token)> value,
              std::function<PlaceWords(std::int64_t token)> words) {
  Map map;
  map.key = layout.blocks[seen.block].part;
  map.cells = std::move(cells);
  reach_cells(map, place);
  const auto token_at = [seen, place](double x, double y) {
    return seen.token_at((x - place.x) / place.scale, (y - place.y) / place.scale);
  };
  map.exact = [token_at, value = std::move(value)](double x, double y) {
    const auto token = token_at(x, y);
    return token ? value(*token) : std::nan("");
  };
  map.words = [token_at, words = std::move(words)](double x, double y) {
    const auto token = token_at(x, y);
    return token ? words(*token) : PlaceWords{};
  };
  return map;
}

void add_patch_frame(Figure& figure, const SeenBlock& seen, std::int64_t token, Role role, const CellPlace& place) {
  if (!seen.shows(token)) return;
  const double shown = std::max(figure.x.range.high - figure.x.range.low, figure.y.range.high - figure.y.range.low);
  const double half = std::max(0.5, 0.008 * shown), gap = 0.0045 * shown;
  // One at the edge of the image would lose two of its sides.
  const auto inside = [half](double at, const Range& fit) {
    const double least = fit.low + half, most = fit.high - half;
    return least < most ? std::clamp(at, least, most) : at;
  };
  const double x = inside(place.x + place.scale * static_cast<double>(seen.column_of(token)), figure.x.fit);
  const double y = inside(place.y + place.scale * static_cast<double>(seen.row_of(token)), figure.y.fit);
  for (const auto& [reach, colour] : {std::pair{half + gap, Role::inverse}, std::pair{half, role}}) {
    Box box;
    box.x = {x - reach, x + reach};
    box.y = {y - reach, y + reach};
    box.role = colour;
    box.style.slot = kTargetSlot;
    figure.boxes.push_back(box);
  }
}

}  // namespace ropescope
