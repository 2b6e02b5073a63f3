// Tables (Figure::grid) as text, for terminals, machines and manuscripts. Read figure.h first; scene_grid.cpp draws
// tables.
#pragma once

#include <string>

#include "app/figure/figure.h"

namespace ropescope {

class Formulas;

enum class GridFormat { text, csv, json, markdown, latex };

/// Returns whether a column contains numbers, which are right-aligned.
bool is_column_of_numbers(const Figure& figure, std::size_t column);

/// Returns the table as text: columns padded to equal width; CSV and JSON with column names and all digits, an empty
/// cell or null without a number; Markdown (GitHub's); LaTeX's tabular with the rules of booktabs. Characters with a
/// meaning in the format are escaped.
std::string grid_text(const Figure& figure, GridFormat format, const Formulas* formulas = nullptr);

}  // namespace ropescope
