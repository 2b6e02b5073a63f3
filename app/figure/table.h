// A figure as a table of numbers: CSV and JSON, the painters for machines. Read figure.h before.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/figure/figure.h"

namespace ropescope {

// --- Maps ----------------------------------------------------------------------------------------------------------

// The parts of the tables. Not for others.

using Json = nlohmann::ordered_json;

/// A text as a cell in the form that RFC 4180 wants.
std::string quoted(const std::string& text);
/// A number as a cell. Whole numbers of a whole axis are digits only: a reader may take the column for integers.
std::string cell_of(const FigureAxis& axis, double value);
/// Numbers side by side in one cell; empty where there are none.
std::string cell_of(const std::vector<ShownNumber>& numbers);
/// A number in the same way as cell_of(); null where it is not finite.
Json number(const FigureAxis& axis, double value);
/// One number, or a list of several; null where there are none.
Json number(const std::vector<ShownNumber>& numbers);

// --- Tables --------------------------------------------------------------------------------------------------------

/// The lines of one figure as CSV: x.name, then one column per line (header: y.name for the only line, else its key
/// and, of a rope's, what it comes from: "pin1 (base 500000; d 128)"),
/// one row per x inside the shown range; lines with other x leave their cell empty. Numbers by shortest_number, but
/// whole numbers of a whole axis as plain digits. A figure with maps and without lines: columns x.name, y.name and the
/// key of each map, one row per cell of its middle and exact value. A figure of marks alone: mark, key, number, x.name,
/// y.name, label, one row per point of a mark (tail and tip of an arrow, two corners of a box). Labels with formulas
/// hold their plain form.
std::string table_csv(const Figure& figure, const Formulas* formulas = nullptr);

/// All figures and readouts of a view as JSON: {"figures": [{"name", "title", "x": {"name", "label", "scale", "range"},
/// "y": {...}, "right": likewise where there is one, "lines": [{"key", "label", "x", "y", "axis": "right" of one
/// there}], "points": [{"key", "label", "x", "y", "names"}], "rules":
/// [{"axis", "at", "label"}], "spans": [{"axis", "low", "high", "label"}], "maps": [{"key", "label", "x": [low, high],
/// "y", "columns", "rows", "values": row by row}], "boxes": [{"x", "y"}], "paths": [{"key", "x", "y"}], "arrows":
/// [{"key", "label", "from": [x, y], "to"}], "labels": [{"text", "x", "y"}], "notes": [{"text", "x", "y", "text_x",
/// "text_y"}]}], "readouts": [{"name", "label", "number", "unit", "value", "note"}]}, where the number of a position is
/// its ids, that of words null, that of several an object of names with numbers or lists (a list of one without a
/// name), and "18 of 64" has a 64 as "other". Lines inside the shown range; NaN and infinities are null. An axis has
/// "names" and "reversed" where it has. Formulas are in their plain form.
std::string table_json(const ViewResult& view);

}  // namespace ropescope
