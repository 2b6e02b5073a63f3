// Small multiples (Figure::cell): cells per page and their places, the shared legend, the common table. They come from
// app/views/shared/facets.h; screen and page use this layout.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/scene/scene.h"

namespace ropescope {

// --- Cells ---------------------------------------------------------------------------------------------------------

// Small multiples (Figure::cell) laid out in an area: which cells share a row, and what each panel shows there. Lengths
// are in the unit of the area.

/// The area for panels. `em`: size of tick labels; `gap` and `padding` as in PanelColumn.
struct CellRoom {
  double width = 0, height = 0;
  double em = 13, gap = 0, padding = 0;
};

/// A panel in its place; null for an empty place in an unfinished row.
struct CellBox {
  std::optional<std::size_t> panel = {};  ///< index among all panels
  bool beside = false;                    ///< as Panel::beside
  double height_share = 1;
};
using CellPage = std::vector<CellBox>;

bool are_cells(const std::vector<Panel>& panels);
/// Returns a figure's name without its cell: "similarity" for "similarity@2".
std::string figure_of_cell(const std::string& name);
/// Returns whether the figure is an empty place of a grid, in which nothing is drawn.
bool is_gap(const Figure& figure);

/// The maximum number of cells of one field per row; more wrap into rows of equal length.
inline constexpr std::size_t kMaxCellsPerRow = 6;
/// Returns the row length for `count` cells: at most `most`, and no row much shorter than the others.
std::size_t even_columns(std::size_t count, std::size_t most);

/// Returns one page with all cells and all their figures if every plot is large enough to be read; else one or more
/// pages per figure, in the order of the cells. `rest`: height left of the area if there are several pages (0: all of
/// it). Precondition: are_cells(panels).
std::vector<CellPage> cell_pages(const std::vector<Panel>& panels, const CellRoom& room, double rest = 0);

/// Returns all cells on one page, however small: a picture in a file. Shows only the first figure of each cell if there
/// are more than two, if figures share a row, or if there would be more than 24 plots. The row length suits the shape
/// of the area if plots would be too small without that.
CellPage page_of_cells(const std::vector<Panel>& panels, const CellRoom& room);
/// Returns the names of the figures that page_of_cells() omits.
std::vector<std::string> figures_left_out(const std::vector<Panel>& panels);

/// Returns a page's panels as drawn: axes are named on the left and at the bottom only; curves and colours are named
/// once. A title above a cell is not repeated by the cell's figures below it.
std::vector<Panel> panels_on(const std::vector<Panel>& panels, const CellPage& page);

/// Returns whether two axes are one: the same quantity on the same scale.
bool is_same_axis(const FigureAxis& a, const FigureAxis& b);

// --- Legend --------------------------------------------------------------------------------------------------------

/// Adds the curves of small multiples whose figures request a legend (Figure::legend), each once, in rows from the left
/// of the area: inside one plot the legend would shrink only that plot. Returns the height of these rows, or 0 without
/// curves.
double add_cell_legend(Scene& scene, const std::vector<Panel>& panels, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure);

// --- Tables --------------------------------------------------------------------------------------------------------

/// Returns table_csv() for one figure. Small multiples of one figure (Figure::cell) become one table with a first
/// column for each of their fields. Cells with different columns start with their own header after an empty line.
std::string cells_csv(const ViewResult& view);

}  // namespace ropescope
