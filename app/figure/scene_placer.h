#pragma once

#include "app/figure/scene_parts.h"

namespace ropescope {

/// Texts inside the plot, placed one after the other, each clear of those before. Not for others.
struct Placer {
  Scene& scene;
  const SceneContext& context;
  std::vector<Rect> taken;

  bool is_clear(const Rect& box) const;
  /// Clear, and inside the plot.
  bool is_free(const Rect& box) const;
  void take(const Rect& box);
  /// With a backdrop, as it may lie on a curve.
  void place(const Rect& box, const std::string& text, Colour colour);
};

/// Notes: they stand where somebody put them, so that all others give way.
void add_notes(Placer& placer);
/// Labels of the figure, and those of its arrows.
void add_words(Placer& placer);
/// The line that a label names: one of the label's colour, on which its point lies; as many as there are lines for
/// none.
std::size_t line_named_by(const Label& label, const Figure& figure);
/// Such labels: at their lines, where these run free.
void add_line_names(Placer& placer, const CurveSamples& curves);

bool overlap(const Rect& a, const Rect& b);
bool is_inside(const Rect& inner, const Rect& outer);

}  // namespace ropescope
