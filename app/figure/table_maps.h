#pragma once

#include <nlohmann/json.hpp>

#include "app/figure/figure.h"

namespace ropescope {

/// Parts of the tables. Not for others.

using Json = nlohmann::ordered_json;

/// A cell as RFC 4180 wants it.
std::string quoted(const std::string& text);
/// Whole numbers of a whole axis are digits only: a reader may take the column for integers.
std::string cell_of(const FigureAxis& axis, double value);
/// In the same way; null where it is not finite.
Json number(const FigureAxis& axis, double value);

/// One row per cell: x and y of its middle, the value of each map (maps of other cells leave theirs empty).
std::string maps_csv(const Figure& figure);
/// Whether a figure holds points, arrows, paths, boxes or labels.
bool has_marks(const Figure& figure);
/// One row per point of a mark: tail and tip of an arrow, the corners of a box, the place of a label.
std::string marks_csv(const Figure& figure, const Formulas* formulas);
/// Adds "maps", "boxes", "paths", "arrows" and "labels".
void add_marks_json(Json& json, const Figure& figure);

}  // namespace ropescope
