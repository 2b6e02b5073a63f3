#pragma once

#include <string>

#include "app/figure/figure.h"

namespace ropescope {

/// A vertical line across the figure with a label.
Rule& add_rule(Figure& figure, double at, const std::string& label, Role role = Role::secondary,
               const LineStyle& style = {});
/// A horizontal one.
Rule& add_level(Figure& figure, double at, const std::string& label, Role role = Role::secondary);

/// Words whose middle stands there.
Label label_at(double x, double y, const std::string& words, Role role = Role::text);

/// Marks the row of a map that is looked at: a frame where rows can be told apart, else a line.
void mark_row(Figure& figure, double row);

}  // namespace ropescope
