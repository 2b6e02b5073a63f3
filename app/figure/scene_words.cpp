#include <algorithm>
#include <array>
#include <cmath>

#include "app/figure/scene_placer.h"

namespace ropescope {

namespace {

constexpr double kBackdropAlpha = 0.7, kBackdropOnMap = 0.88;  ///< behind a text that may lie on a curve
constexpr double kArrowGap = 0.4;                              ///< ems from an arrow's tip to its label
constexpr double kWordGap = 0.4;                               ///< ems between labels side by side
constexpr double kLeastShrink = 0.5;                           ///< of a label that is too wide for its panel
constexpr std::size_t kMostShrunk = 600;                       ///< labels; more of them cannot all be read anyway

/// A label as it would stand at a size.
struct Word {
  const Label* label;
  TextStyle style;
  std::string text;
  Rect box;
};

/// Where a label's point is. What stands in a corner of a drawing stands in a corner of its plot, however much wider or
/// higher than the drawing that is: there is the room for large letters.
Vec2 point_of(const SceneContext& context, const Label& label) {
  const Figure& figure = context.figure;
  const AxisMap &x = context.frame.x, &y = context.frame.y;
  const auto at_end = [](double value, const Range& fit) { return value == fit.low || value == fit.high; };
  if (figure.bare && figure.equal_axes && figure.maps.empty() && at_end(label.x, figure.x.fit) &&
      at_end(label.y, figure.y.fit)) {
    return {label.x == figure.x.fit.low ? x.low : x.high, label.y == figure.y.fit.low ? y.low : y.high};
  }
  return {x.to_pixel(label.x), y.to_pixel(label.y)};
}

/// All labels whose points are in the plot, moved into the rectangle where they reach over it.
std::vector<Word> words_at(const SceneContext& context, double size) {
  const Rect& rect = context.frame.rect;
  const Rect& plot = context.frame.plot;
  const Rect shown{plot.left - 1, plot.top - 1, plot.width + 2, plot.height + 2};
  std::vector<Word> words;
  for (const Label& label : context.figure.labels) {
    const Vec2 at = point_of(context, label);
    if (label.text.empty() || !shown.contains(at)) continue;
    if (line_named_by(label, context.figure) < context.figure.lines.size()) continue;
    TextStyle style{context.options.text_size * label.size * size,
                    label.semibold ? FontWeight::semibold : FontWeight::regular};
    // One that is a little too wide is set smaller, again where letters of whole pixels did not become as narrow; only
    // what is wider still is cut.
    const double smallest = kLeastShrink * style.size;
    double wide = context.measure(label.text, style).x;
    while (wide > rect.width && style.size > smallest) {
      style.size = std::max(smallest, 0.995 * rect.width / wide * style.size);
      wide = context.measure(label.text, style).x;
    }
    const std::string text = elided(label.text, style, rect.width, context.measure);
    const Vec2 extent = context.measure(text, style);
    if (text.empty() || extent.y > rect.height) continue;
    const double left = std::clamp(at.x - label.anchor_x * extent.x, rect.left, rect.right() - extent.x);
    const double top = std::clamp(at.y - label.anchor_y * extent.y, rect.top, rect.bottom() - extent.y);
    words.push_back({&label, style, text, {left, top, extent.x, extent.y}});
  }
  return words;
}

/// The cell of a map under a label; none where there is no map.
struct CellUnder {
  const Map* map = nullptr;
  std::size_t index = 0;
};
CellUnder cell_under(const SceneContext& context, const Label& label) {
  const auto cell = [](double at, const Range& range, std::size_t count) {
    const double place = (at - range.low) / (range.high - range.low) * static_cast<double>(count);
    return static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, static_cast<double>(count) - 1));
  };
  CellUnder under;
  for (const Map& map : context.figure.maps) {
    if (!map.cells || map.cells->columns == 0 || map.cells->rows == 0) continue;
    if (!(label.x >= map.x.low && label.x <= map.x.high && label.y >= map.y.low && label.y <= map.y.high)) continue;
    const std::size_t row = cell(label.y, map.y, map.cells->rows);
    const std::size_t index = row * map.cells->columns + cell(label.x, map.x, map.cells->columns);
    if (index < map.cells->values.size()) under = {&map, index};
  }
  return under;
}

/// Whether a number in the cell of a matrix reaches to the cell's sides.
bool fills_cell(const SceneContext& context, const Word& word) {
  const CellUnder under = cell_under(context, *word.label);
  if (!under.map) return false;
  const double width =
      std::abs(context.frame.x.to_pixel(under.map->x.high) - context.frame.x.to_pixel(under.map->x.low)) /
      static_cast<double>(under.map->cells->columns);
  const double needed = word.box.width + kWordGap * word.style.size;
  return needed > width && word.box.width < 1.6 * width;
}

/// Whether two words are nearer than the letters of one.
bool any_touch(const std::vector<Word>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    Rect box = words[i].box;
    box.left -= kWordGap * words[i].style.size;
    box.width += 2 * kWordGap * words[i].style.size;
    for (std::size_t k = 0; k < i; ++k) {
      if (overlap(box, words[k].box)) return true;
    }
  }
  return false;
}

/// Labels that would touch all become smaller together: numbers in the cells of a matrix look alike.
std::vector<Word> words_of(const SceneContext& context) {
  std::vector<Word> words = words_at(context, 1);
  if (words.size() > kMostShrunk) return words;
  for (const double size : {0.9, 0.8, 0.7, 0.6}) {
    const auto fills = [&](const Word& word) { return fills_cell(context, word); };
    if (!any_touch(words) && std::none_of(words.begin(), words.end(), fills)) break;
    words = words_at(context, size);
  }
  return words;
}

double luminance(Colour c) {
  return 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue;
}

/// On a map neutral words are dark or bright, whichever can be read there.
Colour word_colour(const SceneContext& context, const Label& label) {
  const Colour colour = ink_of(context, label.role, label.style);
  const CellUnder under = cell_under(context, label);
  if (!under.map) return colour;
  const Colour cell =
      colour_of(*under.map, static_cast<double>(under.map->cells->values[under.index]), context.palette);
  if (cell.alpha == 0 || label.role == Role::curve || label.role == Role::accent) return colour;
  return luminance(cell) > 128 ? Colour{0x16, 0x18, 0x1d, 255} : Colour{0xf4, 0xf5, 0xf7, 255};
}

void add_labels(Placer& placer) {
  for (const Word& word : words_of(placer.context)) {
    if (!placer.is_clear(word.box)) continue;
    placer.taken.push_back(word.box);
    placer.scene.items.push_back(TextItem{
        {word.box.left, word.box.top}, 0, 0, word.text, word.style, word_colour(placer.context, *word.label), false});
  }
}

struct Shaft {
  Vec2 from, tip;
};

bool crosses(const Shaft& shaft, const Rect& box) {
  constexpr int kSteps = 48;
  for (int i = 0; i <= kSteps; ++i) {
    const double share = static_cast<double>(i) / kSteps;
    const Vec2 at{shaft.from.x + share * (shaft.tip.x - shaft.from.x),
                  shaft.from.y + share * (shaft.tip.y - shaft.from.y)};
    if (box.contains(at)) return true;
  }
  return false;
}

/// Beyond the tip, then turned aside from there; first where no other arrow passes, last outside of the plot as well.
std::optional<Rect> place_for(const Placer& placer, const Shaft& shaft, Vec2 size, const std::vector<Shaft>& shafts) {
  const double gap = kArrowGap * placer.context.options.text_size;
  const double length = std::hypot(shaft.tip.x - shaft.from.x, shaft.tip.y - shaft.from.y);
  const double angle = length > 0 ? std::atan2(shaft.tip.y - shaft.from.y, shaft.tip.x - shaft.from.x) : -0.8;
  for (int attempt = 0; attempt < 3; ++attempt) {
    for (const double farther : {0.0, 0.6 * size.y, 1.2 * size.y}) {
      for (const double turn : {0.0, 0.6, -0.6, 1.2, -1.2, 1.9, -1.9}) {
        const Vec2 way{std::cos(angle + turn), std::sin(angle + turn)};
        const double reach = gap + farther + size.x / 2 * std::abs(way.x) + size.y / 2 * std::abs(way.y);
        const Rect box{shaft.tip.x + reach * way.x - size.x / 2, shaft.tip.y + reach * way.y - size.y / 2, size.x,
                       size.y};
        const bool passed = std::any_of(shafts.begin(), shafts.end(), [&](const Shaft& s) { return crosses(s, box); });
        if (attempt == 0 && passed) continue;
        if (attempt < 2 ? placer.is_free(box) : placer.is_clear(box) && is_inside(box, placer.context.frame.rect)) {
          return box;
        }
      }
    }
  }
  return std::nullopt;
}

void add_arrow_labels(Placer& placer) {
  const SceneContext& context = placer.context;
  std::vector<Shaft> shafts;
  for (const Arrow& arrow : context.figure.arrows) {
    shafts.push_back({{context.frame.x.to_pixel(arrow.x0), context.frame.y.to_pixel(arrow.y0)},
                      {context.frame.x.to_pixel(arrow.x1), context.frame.y.to_pixel(arrow.y1)}});
  }
  for (std::size_t i = 0; i < shafts.size(); ++i) {
    const Arrow& arrow = context.figure.arrows[i];
    if (arrow.label.empty() || !context.frame.plot.contains(shafts[i].tip)) continue;
    const Vec2 size = context.measure(arrow.label, context.text_style());
    if (const auto box = place_for(placer, shafts[i], size, shafts)) {
      placer.place(*box, arrow.label, ink_of(context, arrow.role, {arrow.style.slot, false}));
    }
  }
}

}  // namespace

bool overlap(const Rect& a, const Rect& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

bool is_inside(const Rect& inner, const Rect& outer) {
  return inner.left >= outer.left && inner.right() <= outer.right() && inner.top >= outer.top &&
         inner.bottom() <= outer.bottom();
}

bool Placer::is_clear(const Rect& box) const {
  return std::none_of(taken.begin(), taken.end(), [&](const Rect& other) { return overlap(box, other); });
}

bool Placer::is_free(const Rect& box) const {
  return is_inside(box, context.frame.plot) && is_clear(box);
}

void Placer::take(const Rect& box) {
  const double margin = 0.15 * context.options.text_size;
  taken.push_back({box.left - margin, box.top - margin, box.width + 2 * margin, box.height + 2 * margin});
}

void Placer::place(const Rect& box, const std::string& text, Colour colour) {
  take(box);
  const double alpha = context.figure.maps.empty() ? kBackdropAlpha : kBackdropOnMap;
  scene.items.push_back(RectItem{box, with_alpha(context.palette.canvas, alpha), 0.15 * context.options.text_size});
  scene.items.push_back(TextItem{{box.left, box.top}, 0, 0, text, context.text_style(), colour, false});
}

void add_words(Placer& placer) {
  add_labels(placer);
  add_arrow_labels(placer);
}

}  // namespace ropescope
