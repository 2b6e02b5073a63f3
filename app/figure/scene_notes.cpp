#include <algorithm>
#include <cmath>

#include "app/figure/scene_placer.h"

namespace ropescope {

namespace {

constexpr double kWidest = 0.45;  ///< of the plot
constexpr double kAir = 0.35;     ///< around the words, in ems

/// The words' box: its middle where the note wants it, all of it inside the plot.
Rect box_of_words(const Rect& plot, Vec2 middle, Vec2 size) {
  const auto within = [](double at, double length, double low, double high) {
    return std::clamp(at - length / 2, low, std::max(low, high - length));
  };
  return {within(middle.x, size.x, plot.left, plot.right()), within(middle.y, size.y, plot.top, plot.bottom()), size.x,
          size.y};
}

/// Where the way from the middle of a box to a place leaves it.
Vec2 edge_of(const Rect& box, Vec2 place) {
  const Vec2 middle{box.left + box.width / 2, box.top + box.height / 2};
  const double dx = place.x - middle.x, dy = place.y - middle.y;
  const double out = std::max(std::abs(dx) / (box.width / 2), std::abs(dy) / (box.height / 2));
  return out > 1 ? Vec2{middle.x + dx / out, middle.y + dy / out} : place;
}

void add_note(Placer& placer, const FigureNote& note) {
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

void add_notes(Placer& placer) {
  for (const FigureNote& note : placer.context.figure.notes) add_note(placer, note);
}

}  // namespace ropescope
