// Lines and areas cut to a rectangle, and the places of words inside a plot: labels, names of arrows, notes.
//
// Contents: Clipping; Words; Notes; Places.

#include "app/figure/scene/scene_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "app/figure/scene/scene_labels.h"
#include "app/figure/scene/scene_marks.h"

namespace ropescope {

namespace {

// --- Clipping ------------------------------------------------------------------------------------------------------

/// Returns the part of a polygon on the side of a line with `distance` ≥ 0 (Sutherland and Hodgman 1974).
template <class Distance>
std::vector<Vec2> clip_to_side(const std::vector<Vec2>& points, const Distance& distance) {
  std::vector<Vec2> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec2 a = points[i], b = points[(i + 1) % points.size()];
    const double from = distance(a), to = distance(b);
    if (from >= 0) kept.push_back(a);
    if ((from < 0) != (to < 0)) {
      const double share = from / (from - to);
      kept.push_back({a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)});
    }
  }
  return kept;
}

// --- Words ---------------------------------------------------------------------------------------------------------

constexpr double kBackdropAlpha = 0.7;   ///< of a text that may cover a curve
constexpr double kAirOnMap = 0.3;        ///< ems around words on a map
constexpr double kArrowGap = 0.4;        ///< ems from an arrow's tip to its label
constexpr double kWordGap = 0.4;         ///< ems between labels in a row
constexpr double kMinShrink = 0.5;       ///< for a label that is too wide for its panel
constexpr std::size_t kMaxShrunk = 600;  ///< labels; more of them are unreadable anyway

/// A label as placed at a size.
struct Word {
  const Label* label;
  TextStyle style;
  std::string text;
  Rect box;
};

/// Returns a label's point. A label in a corner of a drawing goes to a corner of its plot, however much wider or higher
/// than the drawing that is: large letters fit there.
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

/// Returns all labels whose points are in the plot, moved into the rectangle if they extend over it.
std::vector<Word> words_at(const SceneContext& context, double size) {
  const Rect& rect = context.frame.rect;
  const Rect& plot = context.frame.plot;
  const Rect shown{plot.left - 1, plot.top - 1, plot.width + 2, plot.height + 2};
  std::vector<Word> words;
  for (const Label& label : context.figure.labels) {
    const Vec2 at = point_of(context, label);
    if (label.text.empty() || !shown.contains(at)) continue;
    if (line_named_by(label, context.figure) < context.figure.lines.size()) continue;
    const double least = context.options.least_text;
    TextStyle style{std::max(context.options.text_size * label.size * size, least),
                    label.semibold ? FontWeight::semibold : FontWeight::regular};
    // A label that is slightly too wide is set smaller, repeatedly if letters of whole pixels did not shrink as much;
    // only wider ones are cut.
    const double smallest = std::max(kMinShrink * style.size, least);
    double wide = context.measure(label.text, style).x;
    while (wide > rect.width && style.size > smallest) {
      style.size = std::max(smallest, 0.995 * rect.width / wide * style.size);
      wide = context.measure(label.text, style).x;
    }
    std::vector<std::string> lines{elided(label.text, style, rect.width, context.measure)};
    // If letters keep their size, two lines replace one.
    if (least > 0 && wide > rect.width) {
      std::vector<std::string> two = wrapped(label.text, style, rect.width, context.measure);
      if (two.size() == 2) lines = std::move(two);
    }
    double height = 0;
    for (const std::string& text : lines) height += context.measure(text, style).y;
    if (lines.front().empty() || height > rect.height) continue;
    double top = std::clamp(at.y - label.anchor_y * height, rect.top, rect.bottom() - height);
    for (const std::string& text : lines) {
      const Vec2 extent = context.measure(text, style);
      const double left = std::clamp(at.x - label.anchor_x * extent.x, rect.left, rect.right() - extent.x);
      words.push_back({&label, style, text, {left, top, extent.x, extent.y}});
      top += extent.y;
    }
  }
  return words;
}

/// The map cell under a label; empty without a map.
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

/// Returns whether a number in a matrix cell extends to the cell's sides.
bool fills_cell(const SceneContext& context, const Word& word) {
  const CellUnder under = cell_under(context, *word.label);
  if (!under.map) return false;
  const double width =
      std::abs(context.frame.x.to_pixel(under.map->x.high) - context.frame.x.to_pixel(under.map->x.low)) /
      static_cast<double>(under.map->cells->columns);
  const double needed = word.box.width + kWordGap * word.style.size;
  return needed > width && word.box.width < 1.6 * width;
}

/// Returns whether two words are closer than the letters of one.
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

/// Returns the words. If labels would touch, all become smaller together: numbers in matrix cells look alike.
std::vector<Word> words_of(const SceneContext& context) {
  std::vector<Word> words = words_at(context, 1);
  if (words.size() > kMaxShrunk) return words;
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

/// Returns the colour of a label; on a map neutral text is dark or bright, whichever is readable there.
Colour word_colour(const SceneContext& context, const Label& label) {
  const Colour colour = ink_of(context, label.role, label.style);
  const CellUnder under = cell_under(context, label);
  if (!under.map) return colour;
  const Colour cell =
      colour_of(*under.map, static_cast<double>(under.map->cells->values[under.index]), context.palette);
  if (cell.alpha == 0 || label.role == Role::curve || label.role == Role::accent) return colour;
  return luminance(cell) > 128 ? Colour{0x16, 0x18, 0x1d, 255} : Colour{0xf4, 0xf5, 0xf7, 255};
}

/// Returns the part of a label's box that its letters take, if words are kept clear: large words of neighbouring bars
/// may be closer than lines of text.
Rect letters_of(const Placer& placer, const Rect& box) {
  constexpr double kMargin = 0.22;
  const double margin = placer.context.options.clear_words ? kMargin * box.height : 0;
  return {box.left, box.top + margin, box.width, box.height - 2 * margin};
}

/// Returns whether a label of a plot would cover a curve. A drawing's own labels are part of it; if words are kept
/// clear, they may be so large that a stroke passes through them.
bool covers_curve(const Placer& placer, const Rect& box) {
  if (!placer.context.figure.bare) return placer.data.hidden_by(box) > 0;
  return placer.context.options.clear_words && placer.data.hidden_by(letters_of(placer, box)) > 0;
}

/// Returns the nearest place without overlap, at most a line or the word's own width away; nullopt for a number in a
/// matrix cell, which would name another cell, and for optional words.
std::optional<Rect> place_nearby(const Placer& placer, const Word& word) {
  if (word.label->role == Role::faint || cell_under(placer.context, *word.label).map) return std::nullopt;
  constexpr int kSteps = 8;
  // Large letters may have to go farther.
  const double lines = placer.context.options.clear_words ? 1.6 : 1.1;
  const double most_x = word.box.width + 0.5 * word.style.size, most_y = lines * word.box.height;
  std::optional<Rect> best;
  double least = 0;
  for (int down = -kSteps; down <= kSteps; ++down) {
    for (int along = -kSteps; along <= kSteps; ++along) {
      const double x = most_x * along / kSteps, y = most_y * down / kSteps, away = std::hypot(x, y);
      const Rect box{word.box.left + x, word.box.top + y, word.box.width, word.box.height};
      if (best && away >= least) continue;
      if (!placer.is_clear(letters_of(placer, box)) || !is_inside(box, placer.context.frame.rect) ||
          covers_curve(placer, box))
        continue;
      best = box;
      least = away;
    }
  }
  return best;
}

/// Adds labels at their own places first; then those that would cover a curve next to theirs, and if letters keep their
/// size the others as well, or those of curves to the legend. `faint`: only optional words, or only the others.
void add_labels(Placer& placer, std::optional<bool> faint = {}) {
  const auto add = [&](const Word& word, const Rect& box) {
    placer.taken.push_back(letters_of(placer, box));
    placer.scene.items.push_back(
        TextItem{{box.left, box.top}, 0, 0, word.text, word.style, word_colour(placer.context, *word.label), false});
  };
  std::vector<Word> covered;
  const std::vector<LegendEntry>& above = placer.context.above;
  for (const Word& word : words_of(placer.context)) {
    const auto names = [&word](const LegendEntry& entry) { return entry.label == word.label->text; };
    if (faint && *faint != (word.label->role == Role::faint)) continue;
    if (placer.context.options.clear_words && std::any_of(above.begin(), above.end(), names)) continue;
    const bool clear = placer.is_clear(letters_of(placer, word.box)), covers = covers_curve(placer, word.box);
    if (clear && !covers) {
      add(word, word.box);
    } else if (covers || placer.context.options.least_text > 0) {
      covered.push_back(word);
    }
  }
  for (const Word& word : covered) {
    if (const auto box = place_nearby(placer, word)) {
      add(word, *box);
    } else if (placer.context.figure.bare && placer.is_clear(letters_of(placer, word.box))) {
      add(word, word.box);
    } else if (word.label->role == Role::curve && placer.context.options.clear_words) {
      placer.unplaced.push_back({word.label->text, word.label->style});
    }
  }
}

struct Shaft {
  Vec2 from, tip;
};

bool passes(const Shaft& shaft, const Rect& box) {
  constexpr int kSteps = 48;
  for (int i = 0; i <= kSteps; ++i) {
    const double share = static_cast<double>(i) / kSteps;
    const Vec2 at{shaft.from.x + share * (shaft.tip.x - shaft.from.x),
                  shaft.from.y + share * (shaft.tip.y - shaft.from.y)};
    if (box.contains(at)) return true;
  }
  return false;
}

/// Returns a place beyond the tip, or rotated away from it; first one without other arrows, last one outside the plot.
std::optional<Rect> place_for(const Placer& placer, const Shaft& shaft, Vec2 size, const std::vector<Shaft>& shafts) {
  const double gap = kArrowGap * placer.context.options.text_size;
  const double length = std::hypot(shaft.tip.x - shaft.from.x, shaft.tip.y - shaft.from.y);
  const double angle = length > 0 ? std::atan2(shaft.tip.y - shaft.from.y, shaft.tip.x - shaft.from.x) : -0.8;
  for (int attempt = 0; attempt < 3; ++attempt) {
    for (const double lines : {0.0, 0.6, 1.2, 1.8, 2.4}) {
      // Only large letters go far.
      if (lines > 1.2 && !placer.context.options.clear_words) break;
      const double farther = lines * size.y;
      for (const double turn : {0.0, 0.6, -0.6, 1.2, -1.2, 1.9, -1.9}) {
        const Vec2 way{std::cos(angle + turn), std::sin(angle + turn)};
        const double reach = gap + farther + size.x / 2 * std::abs(way.x) + size.y / 2 * std::abs(way.y);
        const Rect box{shaft.tip.x + reach * way.x - size.x / 2, shaft.tip.y + reach * way.y - size.y / 2, size.x,
                       size.y};
        const bool passed = std::any_of(shafts.begin(), shafts.end(), [&](const Shaft& s) { return passes(s, box); });
        if (attempt == 0 && (passed || placer.data.hidden_by(box) > 0)) continue;
        // Beyond the plot there may be the legend above it.
        const bool in_legend = !placer.context.above.empty() && box.top < placer.context.frame.plot.top;
        const bool beyond = !in_legend && placer.is_clear(box) && is_inside(box, placer.context.frame.rect);
        if (attempt < 2 ? placer.is_free(box) : beyond) {
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

// --- Notes ---------------------------------------------------------------------------------------------------------

constexpr double kWidest = 0.45;  ///< share of the plot
constexpr double kAir = 0.35;     ///< around the words, in ems

/// Returns the text's box, centred at the note's point but entirely inside the plot.
Rect box_of_words(const Rect& plot, Vec2 middle, Vec2 size) {
  const auto within = [](double at, double length, double low, double high) {
    return std::clamp(at - length / 2, low, std::max(low, high - length));
  };
  return {within(middle.x, size.x, plot.left, plot.right()), within(middle.y, size.y, plot.top, plot.bottom()), size.x,
          size.y};
}

/// Returns where the line from the middle of a box to a place leaves the box.
Vec2 edge_of(const Rect& box, Vec2 place) {
  const Vec2 middle{box.left + box.width / 2, box.top + box.height / 2};
  const double dx = place.x - middle.x, dy = place.y - middle.y;
  const double out = std::max(std::abs(dx) / (box.width / 2), std::abs(dy) / (box.height / 2));
  return out > 1 ? Vec2{middle.x + dx / out, middle.y + dy / out} : place;
}

void add_note(Placer& placer, const Note& note) {
  const SceneContext& context = placer.context;
  const Rect& plot = context.frame.plot;
  const Vec2 place{context.frame.x.to_pixel(note.x), context.frame.y.to_pixel(note.y)};
  Vec2 middle{context.frame.x.to_pixel(note.text_x), context.frame.y.to_pixel(note.text_y)};
  if (!plot.contains(place)) return;
  if (!std::isfinite(middle.x) || !std::isfinite(middle.y)) middle = place;
  const TextStyle style = context.text_style();
  const double air = kAir * context.options.text_size, line = context.measure("0", style).y;
  const std::vector<std::string> lines = wrapped(note.text, style, kWidest * plot.width, context.measure);
  double width = 0;
  for (const std::string& each : lines) width = std::max(width, context.measure(each, style).x);
  const Vec2 size{width + 2 * air, line * static_cast<double>(lines.size()) + 2 * air};
  const Rect box = box_of_words(plot, middle, size);
  add_pointer(placer.scene, context, edge_of(box, place), place);
  placer.take(box);
  placer.scene.items.push_back(RectItem{box, context.palette.raised, 0.3 * context.options.text_size});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Vec2 at{box.left + air, box.top + air + line * static_cast<double>(i)};
    placer.scene.items.push_back(TextItem{at, 0, 0, lines[i], style, context.palette.text, false});
  }
}

}  // namespace

// --- Clipping ------------------------------------------------------------------------------------------------------

// Liang and Barsky 1984.
std::optional<std::pair<Vec2, Vec2>> clip_segment(Vec2 a, Vec2 b, const Rect& rect) {
  double from = 0, to = 1;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const auto cut = [&](double along, double room) {  // keeps along·t ≤ room
    if (along == 0) return room >= 0;
    const double t = room / along;
    if (along < 0) {
      from = std::max(from, t);
    } else {
      to = std::min(to, t);
    }
    return from <= to;
  };
  if (!cut(-dx, a.x - rect.left) || !cut(dx, rect.right() - a.x) || !cut(-dy, a.y - rect.top) ||
      !cut(dy, rect.bottom() - a.y)) {
    return std::nullopt;
  }
  return std::pair{Vec2{a.x + from * dx, a.y + from * dy}, Vec2{a.x + to * dx, a.y + to * dy}};
}

void add_polyline(Scene& scene, const std::vector<Vec2>& points, const Rect& rect, const PathItem& like) {
  PathItem path = like;
  const auto finish = [&] {
    if (path.points.size() > 1) scene.items.push_back(path);
    path.points.clear();
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto segment = clip_segment(points[i - 1], points[i], rect);
    if (!segment) {
      finish();
      continue;
    }
    if (path.points.empty() || !(path.points.back() == segment->first)) {
      finish();
      path.points.push_back(segment->first);
    }
    path.points.push_back(segment->second);
  }
  finish();
}

void add_polygon(Scene& scene, std::vector<Vec2> points, const Rect& rect, Colour fill) {
  points = clip_to_side(points, [&](Vec2 p) { return p.x - rect.left; });
  points = clip_to_side(points, [&](Vec2 p) { return rect.right() - p.x; });
  points = clip_to_side(points, [&](Vec2 p) { return p.y - rect.top; });
  points = clip_to_side(points, [&](Vec2 p) { return rect.bottom() - p.y; });
  if (points.size() > 2) scene.items.push_back(PolygonItem{std::move(points), fill});
}

// --- Places --------------------------------------------------------------------------------------------------------

bool overlap(const Rect& a, const Rect& b) {
  return a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom();
}

bool is_inside(const Rect& inner, const Rect& outer) {
  return inner.left >= outer.left && inner.right() <= outer.right() && inner.top >= outer.top &&
         inner.bottom() <= outer.bottom();
}

bool crosses(const Segment& line, const Rect& box) {
  return clip_segment(line.from, line.to, box).has_value();
}

bool Placer::is_clear(const Rect& box) const {
  return std::none_of(taken.begin(), taken.end(), [&](const Rect& other) { return overlap(box, other); }) &&
         std::none_of(leaders.begin(), leaders.end(), [&](const Segment& leader) { return crosses(leader, box); });
}

bool Placer::is_open(const Rect& box) const {
  return is_free(box) && data.hidden_by(box) == 0;
}

bool Placer::can_lead(const Segment& leader) const {
  const auto side = [](const Segment& line, Vec2 p) {
    return (line.to.x - line.from.x) * (p.y - line.from.y) - (line.to.y - line.from.y) * (p.x - line.from.x);
  };
  const auto meets = [&](const Segment& other) {
    return side(leader, other.from) * side(leader, other.to) <= 0 &&
           side(other, leader.from) * side(other, leader.to) <= 0;
  };
  // The mark of its tip is not in its way, but words over it are if they are kept clear.
  const double mark = context.options.clear_words ? 5 * context.options.line_width : HUGE_VAL;
  const auto is_hit = [&](const Rect& box) {
    return (box.width > mark || !box.contains(leader.to)) && crosses(leader, box);
  };
  return std::none_of(leaders.begin(), leaders.end(), meets) && std::none_of(taken.begin(), taken.end(), is_hit);
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
  const double em = context.options.text_size;
  // Over the stripes of a map, words need an opaque plate with some air.
  const double air = context.figure.maps.empty() ? 0 : kAirOnMap * em;
  const Rect plate{box.left - air, box.top - air / 2, box.width + 2 * air, box.height + air};
  const Colour canvas = context.palette.canvas;
  // Stripes behind large words make them hard to read.
  const bool striped = context.options.clear_words &&
                       std::any_of(context.figure.spans.begin(), context.figure.spans.end(), [&](const Span& span) {
                         const Rect part = find_shown_part(context, span);
                         return part.width > 0 && part.left > box.left && part.right() < box.right();
                       });
  const bool opaque = striped || !context.figure.maps.empty();
  scene.items.push_back(RectItem{plate, opaque ? canvas : with_alpha(canvas, kBackdropAlpha), 0.15 * em + air / 2});
  // The backdrop has the tint of the interval that it is in.
  for (const Span& span : context.figure.spans) {
    if (striped) break;
    const Rect part = find_shown_part(context, span);
    const double left = std::max(box.left, part.left), right = std::min(box.right(), part.right());
    const double top = std::max(box.top, part.top), bottom = std::min(box.bottom(), part.bottom());
    if (!context.figure.maps.empty() || left >= right || top >= bottom) continue;
    const Colour tint = tint_of(context, span);
    const auto share = static_cast<std::uint8_t>(std::lround(tint.alpha * kBackdropAlpha));
    scene.items.push_back(
        RectItem{{left, top, right - left, bottom - top}, with_alpha(tint, share / 255.0), 0.15 * em});
  }
  scene.items.push_back(TextItem{{box.left, box.top}, 0, 0, text, context.text_style(), colour, false});
}

void add_words(Placer& placer) {
  if (placer.context.options.clear_words) {
    // Optional words give way to the names of arrows.
    add_labels(placer, false);
    add_arrow_labels(placer);
    return add_labels(placer, true);
  }
  add_labels(placer);
  add_arrow_labels(placer);
}

void add_notes(Placer& placer) {
  for (const Note& note : placer.context.figure.notes) add_note(placer, note);
}

}  // namespace ropescope
