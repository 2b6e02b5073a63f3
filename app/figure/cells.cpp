// Distribution of small multiples among pages, their shared legend, and their common table.
//
// Contents: Cells; Legend; Tables.

#include "app/figure/cells.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "app/figure/scene/scene_labels.h"
#include "app/figure/table.h"

namespace ropescope {

// --- Cells ---------------------------------------------------------------------------------------------------------

namespace {

// Readable sizes, in ems of the tick labels: minimum frame widths and plot heights.
constexpr double kWidth = 12, kMapWidth = 15;
constexpr double kHeight = 6, kMapHeight = 9;
constexpr double kLowerShare = 0.6;  ///< height share of a figure that takes less of its cell than another
// Space for labels around them.
constexpr double kYNames = 5.5, kXNames = 3.2, kBar = 5, kTitle = 2.2, kHalfLabels = 1.4;

/// The panels of a cell in rows, as indices.
struct Cell {
  std::vector<std::vector<std::size_t>> rows;
};
/// Cells for the values of one field, in a row.
using CellLine = std::vector<Cell>;

struct CellsGrid {
  const std::vector<Panel>& panels;
  std::vector<CellLine> lines;
  std::size_t columns = 1;  ///< columns if they fit

  const Cell& pattern() const { return lines.front().front(); }
};

std::string number_of_cells(const Panel& panel) {
  const std::string& name = panel.figure.name;
  return name.substr(std::min(name.find('@'), name.size()));
}

/// Returns whether a cell's name contains two fields.
bool has_two_fields(const std::string& cell) {
  return cell.find("; ") != std::string::npos;
}

CellsGrid grid_of_cells(const std::vector<Panel>& panels) {
  CellsGrid grid{panels, {}};
  std::map<std::string, std::size_t> places;  // per cell of the last line
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::string number = number_of_cells(panels[i]);
    const bool known = places.contains(number);
    if (!panels[i].beside && !known) {
      grid.lines.emplace_back();
      places.clear();
    }
    CellLine& line = grid.lines.back();
    if (!places.contains(number)) {
      places[number] = line.size();
      line.emplace_back();
    }
    Cell& cell = line[places[number]];
    // The first cell of a row of cells starts a row of each cell's panels.
    const bool begins = cell.rows.empty() || !panels[i].beside || number_of_cells(panels[i - 1]) != number;
    if (begins) cell.rows.emplace_back();
    cell.rows.back().push_back(i);
  }
  if (!has_two_fields(panels.front().figure.cell)) {
    CellLine all;
    for (CellLine& line : grid.lines) std::move(line.begin(), line.end(), std::back_inserter(all));
    grid.lines = {std::move(all)};
  }
  const std::size_t count = grid.lines.front().size();
  grid.columns = grid.lines.size() > 1 ? count : even_columns(count, kMaxCellsPerRow);
  return grid;
}

/// Visible figures of each cell, one below the other: row and place in it.
using Shown = std::vector<std::pair<std::size_t, std::size_t>>;

/// Returns whether cells can show all their figures: few, one below the other, and no more plots than the cell limit.
bool is_plain(const CellsGrid& grid) {
  constexpr std::size_t kMaxRows = 2, kMaxPlots = 24;
  const auto& rows = grid.pattern().rows;
  std::size_t plots = 0;
  for (const CellLine& line : grid.lines) plots += line.size() * rows.size();
  return rows.size() <= kMaxRows && (rows.size() == 1 || plots <= kMaxPlots) &&
         std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.size() == 1; });
}

Shown all_of_cell(const Cell& cell) {
  Shown shown;
  for (std::size_t row = 0; row < cell.rows.size(); ++row) {
    for (std::size_t place = 0; place < cell.rows[row].size(); ++place) shown.emplace_back(row, place);
  }
  return shown;
}

/// Returns whether any cell has a map in these places: it needs more space.
bool has_map(const CellsGrid& grid, const Shown& shown) {
  for (const CellLine& line : grid.lines) {
    for (const Cell& cell : line) {
      for (const auto& [row, place] : shown) {
        if (!grid.panels[cell.rows[row][place]].figure.maps.empty()) return true;
      }
    }
  }
  return false;
}

double height_share(const CellsGrid& grid, const Shown& shown, std::size_t i) {
  return shown.size() == 1 ? 1 : std::max(0.0, grid.panels[grid.pattern().rows[shown[i].first][0]].height_share);
}

/// The space that a figure needs in this place, and the total on a page except its plots.
struct Needs {
  double width = 0;  ///< width of a frame
  std::vector<double> plots, around;
  double beside = 0, below = 0;  ///< names of axes and bars, once for all
};

Needs needs_of(const CellsGrid& grid, const Shown& shown, const CellRoom& room) {
  const bool map = has_map(grid, shown);
  Needs needs;
  needs.width = (map ? kMapWidth : kWidth) * room.em;
  needs.beside = (kYNames + (map ? kBar : 0)) * room.em;
  needs.below = kXNames * room.em;
  double most = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) most = std::max(most, height_share(grid, shown, i));
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double share = most > 0 ? height_share(grid, shown, i) / most : 1;
    needs.plots.push_back((map ? kMapHeight : kHeight) * room.em * std::max(kLowerShare, share));
    needs.around.push_back(((i == 0 ? kTitle : 0) + kHalfLabels) * room.em + 2 * room.padding);
  }
  return needs;
}

/// Rows of cells, each with its rows of panels.
std::size_t chunks_of(const CellsGrid& grid, std::size_t columns) {
  std::size_t chunks = 0;
  for (const CellLine& line : grid.lines) chunks += (line.size() + columns - 1) / columns;
  return chunks;
}

/// Returns the plot size with so many rows of cells, relative to the minimum readable size (1).
double size_of_plots(const CellsGrid& grid, const Shown& shown, const CellRoom& room, std::size_t chunks) {
  const Needs needs = needs_of(grid, shown, room);
  const auto count = static_cast<double>(chunks), rows = count * static_cast<double>(shown.size());
  double shares = 0, around = 0;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    shares += height_share(grid, shown, i);
    around += needs.around[i];
  }
  const double plots = room.height - needs.below - count * around - (rows - 1) * room.gap;
  double least = 1e9;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double share = shares > 0 ? height_share(grid, shown, i) / shares : 1;
    least = std::min(least, plots * share / count / needs.plots[i]);
  }
  return least;
}

double width_of_cells(const CellsGrid& grid, const Shown& shown, const CellRoom& room, std::size_t columns) {
  const Needs needs = needs_of(grid, shown, room);
  const auto count = static_cast<double>(columns);
  return (room.width - needs.beside - (count - 1) * room.gap) / count / needs.width;
}

/// Returns the largest number of columns that are wide enough.
std::size_t columns_for(const CellsGrid& grid, const Shown& shown, const CellRoom& room) {
  std::size_t most = 1;
  while (most < grid.columns && width_of_cells(grid, shown, room, most + 1) >= 1) ++most;
  if (most >= grid.columns) return grid.columns;
  return even_columns(grid.lines.front().size(), most);
}

/// Returns rows of panels, all of the same length.
std::vector<CellPage> rows_of_cells(const CellsGrid& grid, const Shown& shown, std::size_t columns) {
  std::vector<CellPage> rows;
  for (const CellLine& line : grid.lines) {
    for (std::size_t begin = 0; begin < line.size(); begin += columns) {
      for (std::size_t i = 0; i < shown.size(); ++i) {
        CellPage& row = rows.emplace_back();
        for (std::size_t column = 0; column < columns; ++column) {
          CellBox place{{}, column > 0, height_share(grid, shown, i)};
          if (begin + column < line.size()) {
            place.panel = line[begin + column].rows[shown[i].first][shown[i].second];
          }
          row.push_back(place);
        }
      }
    }
  }
  return rows;
}

CellPage page_of_rows(const std::vector<CellPage>& rows, std::size_t begin, std::size_t end) {
  CellPage page;
  for (std::size_t row = begin; row < std::min(end, rows.size()); ++row) {
    page.insert(page.end(), rows[row].begin(), rows[row].end());
  }
  return page;
}

/// Adds the pages of one figure of all cells, about equally full.
void add_pages(std::vector<CellPage>& pages, const CellsGrid& grid, const Shown& shown, const CellRoom& room) {
  const std::vector<CellPage> rows = rows_of_cells(grid, shown, columns_for(grid, shown, room));
  std::size_t fit = 1;
  while (fit < rows.size() && size_of_plots(grid, shown, room, fit + 1) >= 1) ++fit;
  const std::size_t length = even_columns(rows.size(), fit);
  for (std::size_t begin = 0; begin < rows.size(); begin += length)
    pages.push_back(page_of_rows(rows, begin, begin + length));
}

/// The panels of a page in rows.
std::vector<std::vector<Panel*>> group_rows(std::vector<Panel>& shown) {
  std::vector<std::vector<Panel*>> rows;
  for (Panel& panel : shown) {
    if (!panel.beside || rows.empty()) rows.emplace_back();
    rows.back().push_back(&panel);
  }
  return rows;
}

/// Returns whether the panel in the same place of a row below names the x axis there.
bool is_named_below(const std::vector<std::vector<Panel*>>& rows, std::size_t at, std::size_t place) {
  const Figure& figure = rows[at][place]->figure;
  return figure.bare ||
         std::any_of(rows.begin() + static_cast<std::ptrdiff_t>(at) + 1, rows.end(), [&](const auto& row) {
           return place < row.size() && !row[place]->figure.bare && is_same_axis(row[place]->figure.x, figure.x);
         });
}

void name_axes(const std::vector<std::vector<Panel*>>& rows) {
  for (std::size_t at = 0; at < rows.size(); ++at) {
    std::vector<bool> named;
    for (std::size_t place = 0; place < rows[at].size(); ++place) named.push_back(is_named_below(rows, at, place));
    const bool all = std::find(named.begin(), named.end(), false) == named.end();
    for (std::size_t place = 0; place < rows[at].size(); ++place) {
      Panel& panel = *rows[at][place];
      panel.inner_x = all;
      panel.inner_y = place > 0 && (panel.figure.bare || is_same_axis(panel.figure.y, rows[at].front()->figure.y));
      // Above the end of an unfinished row, panels reserve tick space for the whole row, so that its plots are equally
      // high; the name is shown if no other panel shows it.
      if (!all && named[place] && !panel.figure.bare && !panel.figure.x.label.empty()) panel.figure.x.label = " ";
    }
  }
}

/// Removes from titles the text that the cell's first panel on the page already shows.
void remove_repeated_titles(std::vector<Panel>& shown) {
  constexpr std::string_view kBetween = " · ";
  std::map<std::string, std::string> above;
  for (Panel& panel : shown) {
    if (is_gap(panel.figure)) continue;
    std::string& title = panel.figure.title;
    const auto [first, is_first] = above.emplace(number_of_cells(panel), title);
    if (is_first || !title.starts_with(first->second)) continue;
    title.erase(0, first->second.size());
    if (title.starts_with(kBetween)) title.erase(0, kBetween.size());
  }
}

/// Colour bars are at the end of full rows, or of the only row.
void keep_one_bar(const std::vector<std::vector<Panel*>>& rows) {
  const bool any_full =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return !is_gap(row.back()->figure); });
  for (const auto& row : rows) {
    std::size_t last = row.size() - 1;
    while (!any_full && last > 0 && is_gap(row[last]->figure)) --last;
    for (std::size_t place = 0; place < row.size(); ++place) {
      for (Map& map : row[place]->figure.maps) map.bar = map.bar && place == last;
    }
  }
}

/// Keeps text at marks of curves only in the first panel of the page that has them: it need not be repeated.
void name_marks_once(std::vector<Panel>& shown) {
  std::set<std::pair<std::string, std::string>> seen;
  for (Panel& panel : shown) {
    Figure& figure = panel.figure;
    if (!figure.maps.empty() || figure.lines.empty()) continue;
    std::set<std::string> here;
    const auto is_known = [&](const std::string& words) {
      here.insert(words);
      return seen.contains({figure_of_cell(figure.name), words});
    };
    for (Rule& rule : figure.rules) {
      if (is_known(rule.label)) rule.label.clear();
    }
    for (Span& span : figure.spans) {
      if (is_known(span.label)) span.label.clear();
    }
    std::erase_if(figure.labels, [&](const Label& label) { return is_known(label.text); });
    for (const std::string& words : here) seen.insert({figure_of_cell(figure.name), words});
  }
}

/// Each curve is named by the first panel of the page that has it.
void name_curves_once(std::vector<Panel>& shown) {
  std::set<std::pair<std::string, std::string>> seen;
  for (Panel& panel : shown) {
    for (Line& line : panel.figure.lines) {
      if (!line.in_legend) continue;
      line.in_legend = seen.insert({figure_of_cell(panel.figure.name), line.key}).second;
    }
  }
}

// --- Tables --------------------------------------------------------------------------------------------------------

/// Splits "rope.base=10000" into "rope.base," and "10000,"; several fields are concatenated.
std::pair<std::string, std::string> columns_of(const std::string& cell) {
  constexpr std::string_view kBetween = "; ";
  std::pair<std::string, std::string> columns;
  for (std::size_t begin = 0; begin < cell.size();) {
    const std::size_t end = std::min(cell.find(kBetween, begin), cell.size());
    const std::size_t equals = std::min(cell.find('=', begin), end);
    columns.first += quote_cell(cell.substr(begin, equals - begin)) + ",";
    columns.second += quote_cell(cell.substr(equals + 1, end - equals - 1)) + ",";
    begin = end + kBetween.size();
  }
  return columns;
}

/// Removes the settings of ropes from column names: the fields of the cell give them.
Figure remove_origins(Figure figure) {
  for (Line& line : figure.lines) line.origin.clear();
  return figure;
}

}  // namespace

bool are_cells(const std::vector<Panel>& panels) {
  return !panels.empty() && !panels.front().figure.cell.empty();
}

std::string figure_of_cell(const std::string& name) {
  return name.substr(0, name.find('@'));
}

bool is_gap(const Figure& figure) {
  return figure.bare && figure.name.empty();
}

std::size_t even_columns(std::size_t count, std::size_t most) {
  const std::size_t rows = (count + most - 1) / std::max<std::size_t>(most, 1);
  return rows == 0 ? 1 : (count + rows - 1) / rows;
}

bool is_same_axis(const FigureAxis& a, const FigureAxis& b) {
  return std::tie(a.name, a.label, a.scale, a.names) == std::tie(b.name, b.label, b.scale, b.names);
}

std::vector<CellPage> cell_pages(const std::vector<Panel>& panels, const CellRoom& room, double rest) {
  const CellsGrid grid = grid_of_cells(panels);
  const Shown all = all_of_cell(grid.pattern());
  const std::size_t columns = columns_for(grid, all, room);
  if (is_plain(grid) && size_of_plots(grid, all, room, chunks_of(grid, columns)) >= 1) {
    const std::vector<CellPage> rows = rows_of_cells(grid, all, columns);
    return {page_of_rows(rows, 0, rows.size())};
  }
  CellRoom less = room;
  if (rest > 0) less.height = rest;
  std::vector<CellPage> pages;
  for (const auto& place : all) add_pages(pages, grid, {place}, less);
  return pages;
}

CellPage page_of_cells(const std::vector<Panel>& panels, const CellRoom& room) {
  const CellsGrid grid = grid_of_cells(panels);
  Shown shown = all_of_cell(grid.pattern());
  if (!is_plain(grid)) shown.resize(1);
  const auto size = [&](std::size_t columns) {
    return std::min(width_of_cells(grid, shown, room, columns),
                    size_of_plots(grid, shown, room, chunks_of(grid, columns)));
  };
  std::size_t best = grid.columns;
  for (std::size_t columns = 1; size(grid.columns) < 1 && columns <= grid.lines.front().size(); ++columns) {
    if (size(columns) > size(best)) best = columns;
  }
  const std::vector<CellPage> rows = rows_of_cells(grid, shown, best);
  return page_of_rows(rows, 0, rows.size());
}

std::vector<std::string> figures_left_out(const std::vector<Panel>& panels) {
  std::vector<std::string> names;
  if (!are_cells(panels)) return names;
  const CellsGrid grid = grid_of_cells(panels);
  if (is_plain(grid)) return names;
  for (const auto& row : grid.pattern().rows) {
    for (const std::size_t i : row) names.push_back(figure_of_cell(panels[i].figure.name));
  }
  names.erase(names.begin());
  return names;
}

std::vector<Panel> panels_on(const std::vector<Panel>& panels, const CellPage& page) {
  std::vector<Panel> shown;
  for (const CellBox& place : page) {
    Panel& panel = shown.emplace_back();
    panel.figure.bare = true;
    if (place.panel) panel = panels[*place.panel];
    panel.beside = place.beside;
    panel.height_share = place.height_share;
    panel.width_share = 1;
  }
  const std::vector<std::vector<Panel*>> rows = group_rows(shown);
  name_axes(rows);
  keep_one_bar(rows);
  remove_repeated_titles(shown);
  name_curves_once(shown);
  name_marks_once(shown);
  return shown;
}

// --- Legend --------------------------------------------------------------------------------------------------------

double add_cell_legend(Scene& scene, const std::vector<Panel>& panels, const Rect& room, const Palette& palette,
                       const FigureOptions& options, const MeasureText& measure) {
  std::vector<LegendEntry> entries;
  std::set<std::string> seen;
  for (const Panel& panel : panels) {
    if (!panel.figure.legend) continue;
    for (const Line& line : panel.figure.lines) {
      if (line.in_legend && seen.insert(line.key).second) entries.push_back(legend_entry_of(line));
    }
  }
  return entries.empty() ? 0 : add_legend_rows(scene, entries, room, palette, options, measure);
}

std::string cells_csv(const ViewResult& view) {
  std::string all, header;
  for (const Panel& panel : view.panels) {
    const Figure& figure = panel.figure;
    if (figure.cell.empty()) return table_csv(figure, view.formulas.get());
    const std::string table = table_csv(remove_origins(figure), view.formulas.get());
    const auto [names, values] = columns_of(figure.cell);
    std::size_t begin = table.find('\n') + 1;
    const std::string own = names + table.substr(0, begin);
    if (own != header) all += (all.empty() ? "" : "\n") + own;
    header = own;
    while (begin < table.size()) {
      const std::size_t end = table.find('\n', begin) + 1;
      all += values + table.substr(begin, end - begin);
      begin = end;
    }
  }
  return all;
}

}  // namespace ropescope
