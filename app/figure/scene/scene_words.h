// Places of words inside a plot: labels of the figure, names of arrows and the user's notes, without overlap. Internal
// to lay_out() (scene.h). Read scene_parts.h first.
#pragma once

#include <string>
#include <vector>

#include "app/figure/scene/scene_items.h"
#include "app/figure/scene/scene_parts.h"

namespace ropescope {

class Obstacles;

/// A straight line between two points.
struct Segment {
  Vec2 from, to;
};

/// Texts inside the plot, placed one after the other without overlap.
struct Placer {
  Scene& scene;
  const SceneContext& context;
  const Obstacles& data;
  std::vector<Rect> taken = {};
  std::vector<Segment> leaders = {};       ///< from labels to their marks
  std::vector<LegendEntry> unplaced = {};  ///< labels without a place, for the legend

  /// Returns whether the box overlaps nothing taken and no leader.
  bool is_clear(const Rect& box) const;
  /// Returns whether the box is clear and inside the plot.
  bool is_free(const Rect& box) const;
  /// Returns whether the box is free and hides no curve.
  bool is_open(const Rect& box) const;
  /// Returns whether a leader may be there: it crosses no other leader, and only boxes that contain its tip.
  bool can_lead(const Segment& leader) const;
  void take(const Rect& box);
  /// Adds the text to the scene, with a backdrop because it may cover a curve.
  void place(const Rect& box, const std::string& text, Colour colour);
};

/// Adds the notes of the figure. The user chose their places, so all other texts avoid them.
void add_notes(Placer& placer);
/// Adds the labels of the figure and those of its arrows.
void add_words(Placer& placer);

bool overlap(const Rect& a, const Rect& b);
/// Returns whether a line passes through a box.
bool crosses(const Segment& line, const Rect& box);
bool is_inside(const Rect& inner, const Rect& outer);

}  // namespace ropescope
