// A figure that is a table (Figure::grid) as text, for terminals, machines and manuscripts. Read figure.h before;
// scene_grid.cpp draws it.
#pragma once

#include <string>

#include "app/figure/figure.h"

namespace ropescope {

class Formulas;

enum class GridFormat { text, csv, json, markdown, latex };

/// Whether a column holds numbers, which stand at its right.
bool is_column_of_numbers(const Figure& figure, std::size_t column);

/// The table: columns of even width; CSV and JSON with the names of columns and all digits, an empty cell and null
/// where there is no number; Markdown (GitHub's), and LaTeX's tabular with the rules of booktabs. What the format would
/// take for its own is escaped.
std::string grid_text(const Figure& figure, GridFormat format, const Formulas* formulas = nullptr);

}  // namespace ropescope
