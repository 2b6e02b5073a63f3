#pragma once

#include <string>

#include "app/figure/figure.h"

namespace ropescope {

/// The lines of one figure as CSV: x.name, then one column per line (header: y.name for the only line, else its key),
/// one row per x inside the shown range; lines with other x leave their cell empty. Numbers by shortest_number, but
/// whole numbers of a whole axis as plain digits.
std::string table_csv(const Figure& figure);

/// All figures and readouts of a view as JSON: {"figures": [{"name", "title", "x": {"name", "label", "scale", "range"},
/// "y": {...}, "lines": [{"key", "label", "x", "y"}], "points": [{"key", "label", "x", "y", "names"}], "rules":
/// [{"axis", "at", "label"}]}], "readouts": [{"key", "label", "value", "note"}]}. Lines inside the shown range; NaN and
/// infinities are null.
std::string table_json(const ViewResult& view);

}  // namespace ropescope
