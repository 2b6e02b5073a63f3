// Figures as tables of numbers: CSV and JSON, the painters for machines. Read figure.h first.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/figure/figure.h"

namespace ropescope {

// --- Maps ----------------------------------------------------------------------------------------------------------

// Shared parts of the tables, for the painters of tables only.

using Json = nlohmann::ordered_json;

/// Quotes a text as a CSV cell by RFC 4180.
std::string quote_cell(const std::string& text);
/// Formats a number as a cell; integers of an integer axis have digits only, so the column can be read as integers.
std::string cell_of(const FigureAxis& axis, double value);
/// Formats several numbers in one cell; empty if there are none.
std::string cell_of(const std::vector<ShownNumber>& numbers);
/// Returns a number formatted like cell_of(), or null if it is not finite.
Json number(const FigureAxis& axis, double value);
/// Returns one number, or a list of several; null if there are none.
Json number(const std::vector<ShownNumber>& numbers);

// --- Tables --------------------------------------------------------------------------------------------------------

/// Returns the lines of one figure as CSV: x.name, then one column per line, one row per x inside the visible range;
/// lines with other x leave their cell empty. Header: y.name for a single line, else its key and, for a rope, its
/// settings: "pin1 (base 500000; d 128)"; intervals around a line are columns "own.low" and "own.high". Numbers by
/// shortest_number, but integers of an integer axis as plain digits. A figure with maps and no lines: columns x.name,
/// y.name and the key of each map, one row per cell with its middle and exact value. A figure with only marks: mark,
/// key, number, x.name, y.name, label, one row per point of a mark (tail and tip of an arrow, two corners of a box).
/// Formulas in labels appear in plain form.
std::string table_csv(const Figure& figure, const Formulas* formulas = nullptr);

/// Returns all figures and readouts of a view as JSON: {"figures": [{"name", "title", "x": {"name", "label", "scale",
/// "range"}, "y": {...}, "right": likewise if present, "lines": [{"key", "label", "x", "y", "axis": "right" if it uses
/// that one}], "points": [{"key", "label", "x", "y", "names"}], "rules": [{"axis", "at", "label"}], "spans": [{"axis",
/// "low", "high", "label"}], "maps": [{"key", "label", "x": [low, high], "y", "columns", "rows", "values": row by
/// row}], "boxes": [{"x", "y"}], "paths": [{"key", "x", "y"}], "arrows": [{"key", "label", "from": [x, y], "to"}],
/// "labels": [{"text", "x", "y"}], "notes": [{"text", "x", "y", "text_x", "text_y"}]}], "readouts": [{"name", "label",
/// "number", "unit", "value", "note"}]}. "number" is the list of ids for a position, null for a word, and for several
/// values an object of names with numbers or lists (a single list if it has no name); "18 of 64" has 64 as "other".
/// Lines cover the visible range; NaN and infinities are null. "plot" of a figure has its axes, "plot" of a line or
/// point set its stroke, by the names of Matplotlib's set() and plot(): "xlabel", "xscale", "xlim", "color",
/// "linestyle", …. Intervals around a line are its "low" and "high". Axes may also have "names" and "reversed".
/// Formulas are in plain form.
std::string table_json(const ViewResult& view);

}  // namespace ropescope
