#pragma once

#include "app/figure/figure.h"

namespace ropescope {

/// Marks the row of a map that is looked at: a frame where rows can be told apart, else a line.
inline void mark_row(Figure& figure, double row) {
  constexpr double kMostFramed = 40;
  if (figure.y.range.high - figure.y.range.low <= kMostFramed) {
    Box box;
    box.x = figure.x.fit;
    box.y = {row - 0.5, row + 0.5};
    box.role = Role::text;
    figure.boxes.push_back(box);
    return;
  }
  Rule rule;
  rule.vertical = false;
  rule.at = row;
  rule.role = Role::text;
  rule.dashed = false;
  figure.rules.push_back(rule);
}

}  // namespace ropescope
