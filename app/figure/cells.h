// Small multiples (Figure::cell): how many cells a page holds and where they stand, the legend that they share, and
// their common table. app/views/shared/facets.h makes them; screen and page lay them out by this.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/scene/scene.h"

namespace ropescope {

// --- Cells ---------------------------------------------------------------------------------------------------------

// Small multiples (Figure::cell) as they stand in a room: which cells are beside one another, and what each panel says
// there. Lengths are in the unit of the room.

/// The room of panels. `em`: size of tick labels; `gap` and `padding` as in PanelColumn.
struct CellRoom {
  double width = 0, height = 0;
  double em = 13, gap = 0, padding = 0;
};

/// A panel at its place; without one, the place of an unfinished row.
struct CellBox {
  std::optional<std::size_t> panel = {};  ///< index among all panels
  bool beside = false;                    ///< as Panel::beside
  double height_share = 1;
};
using CellPage = std::vector<CellBox>;

bool are_cells(const std::vector<Panel>& panels);
/// The name of a figure without that of its cell: "similarity" for "similarity@2".
std::string figure_of_cell(const std::string& name);
/// An empty place of a grid: nothing is drawn there.
bool is_gap(const Figure& figure);

/// The most cells of one field in a row; more wrap into rows that are equally long.
inline constexpr std::size_t kMostCellsInARow = 6;
/// The length of rows of `count` cells: at most `most`, and no row much shorter than the others.
std::size_t even_columns(std::size_t count, std::size_t most);

/// All cells with all their figures on one page where every plot is large enough to be read; else a page for each
/// figure, or several, in the order of the cells. `rest`: height that is left of the room where there are several pages
/// (0: all of it). Precondition: are_cells(panels).
std::vector<CellPage> cell_pages(const std::vector<Panel>& panels, const CellRoom& room, double rest = 0);

/// All cells on one page, however small: a picture in a file. Of cells with more than two figures, with figures side by
/// side, or where there would be more than 24 plots, the first one alone. Rows are as long as suits the shape of the
/// room, where plots would be too small otherwise.
CellPage page_of_cells(const std::vector<Panel>& panels, const CellRoom& room);
/// Names of the figures that page_of_cells() leaves out.
std::vector<std::string> figures_left_out(const std::vector<Panel>& panels);

/// The panels of a page as they are drawn there: axes are named at the left and below alone, a curve and the colours
/// once; what stands above a cell is not said again by its other figures below.
std::vector<Panel> panels_on(const std::vector<Panel>& panels, const CellPage& page);

/// Whether two axes are one: the same thing on the same scale.
bool is_same_axis(const FigureAxis& a, const FigureAxis& b);

// --- Legend --------------------------------------------------------------------------------------------------------

/// The curves of small multiples whose figures want a legend (Figure::legend), each once, in rows from the left of the
/// room: inside one of the plots it would take that plot's height alone. Returns the height that they fill, 0 where
/// there are none.
double add_cell_legend(Scene& scene, const std::vector<Panel>& panels, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure);

// --- Tables --------------------------------------------------------------------------------------------------------

/// table_csv() of the only figure; of small multiples of one figure (Figure::cell) one table of all, with a column for
/// each of their fields before the others. Where cells have other columns, each begins with a header of its own, after
/// an empty line.
std::string cells_csv(const ViewResult& view);

}  // namespace ropescope
