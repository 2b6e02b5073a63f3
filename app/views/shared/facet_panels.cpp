#include "app/views/shared/facet_panels.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "app/figure/cells.h"
#include "app/views/shared/zoomed_range.h"

namespace ropescope {

namespace {

bool has_data(const Figure& figure) {
  return !figure.lines.empty() || !figure.maps.empty() || !figure.points.empty();
}

/// Axes that can be one: the same thing on the same scale.
using AxisKind = std::tuple<std::string, std::string, std::string, int, std::vector<std::string>>;
AxisKind kind_of(const std::string& figure, const FigureAxis& axis) {
  // Ratios choose their scale by their size: it is one for all.
  const bool ratio = axis.name.ends_with("_ratio");
  return {figure, axis.name, axis.label, ratio ? -1 : static_cast<int>(axis.scale), axis.names};
}

Range both(const Range& a, const Range& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

struct SharedAxis {
  std::vector<FigureAxis*> axes;
  std::optional<Range> range, fit;  ///< of those with data
};

/// One scale for axes that have several: logarithmic where all values are above 0, symlog else.
void share_scale(SharedAxis& shared) {
  const AxisScale first = shared.axes.front()->scale;
  const bool same = std::all_of(shared.axes.begin(), shared.axes.end(),
                                [first](const FigureAxis* axis) { return axis->scale == first; });
  for (FigureAxis* axis : shared.axes) {
    if (!same) axis->scale = shared.fit->low > 0 ? AxisScale::log : AxisScale::symlog;
  }
}

void share(SharedAxis& shared, const Experiment& experiment) {
  if (!shared.fit) return;
  share_scale(shared);
  // What a cell without data at the zoomed place shows instead is no part of it.
  if (const auto zoomed = zoomed_range(experiment, shared.axes.front()->range_key)) {
    const Range within{std::max(shared.range->low, zoomed->low), std::min(shared.range->high, zoomed->high)};
    if (within.low < within.high) shared.range = within;
  }
  for (FigureAxis* axis : shared.axes) {
    axis->range = *shared.range;
    axis->fit = *shared.fit;
  }
}

void share_ranges(FacetGrid& grid, const Experiment& experiment) {
  std::map<AxisKind, SharedAxis> horizontal, vertical;
  std::map<std::pair<std::string, std::string>, std::vector<Map*>> maps;
  for (FacetCell& cell : grid.cells) {
    for (Panel& panel : cell.result.panels) {
      Figure& figure = panel.figure;
      const bool data = has_data(figure);
      const auto add = [&](FigureAxis& axis, std::map<AxisKind, SharedAxis>& to) {
        SharedAxis& shared = to[kind_of(figure.name, axis)];
        shared.axes.push_back(&axis);
        if (!data) return;
        shared.range = shared.range ? both(*shared.range, axis.range) : axis.range;
        shared.fit = shared.fit ? both(*shared.fit, axis.fit) : axis.fit;
      };
      add(figure.x, horizontal);
      add(figure.y, vertical);
      for (Map& map : figure.maps) maps[{figure.name, map.key}].push_back(&map);
    }
  }
  for (auto& [kind, shared] : horizontal) share(shared, experiment);
  for (auto& [kind, shared] : vertical) share(shared, experiment);
  for (auto& [kind, same] : maps) {
    Range range = same.front()->range;
    for (const Map* map : same) range = both(range, map->range);
    for (Map* map : same) map->range = range;
  }
}

/// Where a panel of the cell that has most of them stands: the row of the cell, and the place in it.
std::vector<std::vector<std::size_t>> rows_of_facet_panels(const std::vector<Panel>& panels) {
  std::vector<std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (is_gap(panels[i].figure)) continue;
    if (!panels[i].beside || rows.empty()) rows.emplace_back();
    rows.back().push_back(i);
  }
  return rows;
}

/// The panel of a cell that stands in a place of the pattern; one without axes where it has none.
Panel panel_for(const FacetCell& cell, const Panel& pattern, bool first) {
  Panel panel = pattern;
  const auto found = std::find_if(cell.result.panels.begin(), cell.result.panels.end(),
                                  [&](const Panel& own) { return own.figure.name == pattern.figure.name; });
  if (found != cell.result.panels.end()) {
    panel.figure = found->figure;
  } else {
    panel.figure = Figure();
    panel.figure.name = pattern.figure.name;
    panel.figure.bare = true;
    if (first) panel.figure.empty_message = cell.result.fault;
  }
  return panel;
}

constexpr std::string_view kFacetPanelsBetween = " · ";

std::vector<std::string> parts_of_facet_panels(const std::string& title) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= title.size();) {
    const std::size_t end = std::min(title.find(kFacetPanelsBetween, begin), title.size());
    parts.push_back(title.substr(begin, end - begin));
    begin = end + kFacetPanelsBetween.size();
  }
  return parts;
}

/// Whether figures of a cell differ from this one in their titles alone, as those of heads do.
bool is_one_of_many(const std::vector<Panel>& pattern, std::size_t place) {
  constexpr std::ptrdiff_t kMany = 3;
  return kMany <= std::count_if(pattern.begin(), pattern.end(), [&](const Panel& panel) {
           return !is_gap(panel.figure) && is_same_axis(panel.figure.x, pattern[place].figure.x) &&
                  is_same_axis(panel.figure.y, pattern[place].figure.y);
         });
}

/// The cell first, then what tells its figure from the others. The first figure of a view is what it is about: its
/// title says what the caption does, or what all cells have in common.
void put_caption(Figure& figure, const std::string& caption, bool with_own) {
  std::string title = caption;
  const std::vector<std::string> said = parts_of_facet_panels(caption);
  for (const std::string& part : with_own ? parts_of_facet_panels(figure.title) : std::vector<std::string>()) {
    if (part.empty() || std::find(said.begin(), said.end(), part) != said.end()) continue;
    title += (title.empty() ? "" : std::string(kFacetPanelsBetween)) + part;
  }
  figure.title = std::move(title);
}

/// A cell's panels in one row of the pattern.
void add_panels_facet_panels(std::vector<Panel>& all, const FacetGrid& grid, std::size_t at,
                             const std::vector<Panel>& pattern, const std::vector<std::size_t>& places) {
  const FacetCell& cell = grid.cells[at];
  for (const std::size_t place : places) {
    Panel panel = panel_for(cell, pattern[place], place == 0);
    put_caption(panel.figure, cell.caption, place > 0 || is_one_of_many(pattern, place));
    panel.figure.name += "@" + std::to_string(at + 1);
    panel.figure.cell = cell.name;
    panel.beside = at % grid.columns > 0 || place != places.front();
    all.push_back(std::move(panel));
  }
}

}  // namespace

bool has_curves_or_maps(const ViewResult& result) {
  return std::any_of(result.panels.begin(), result.panels.end(),
                     [](const Panel& panel) { return !panel.figure.lines.empty() || !panel.figure.maps.empty(); });
}

std::vector<Panel> join_panels(FacetGrid grid, const Experiment& experiment) {
  share_ranges(grid, experiment);
  const auto most = std::max_element(grid.cells.begin(), grid.cells.end(), [](const FacetCell& a, const FacetCell& b) {
    return a.result.panels.size() < b.result.panels.size();
  });
  const std::vector<Panel> pattern = most->result.panels;
  std::vector<Panel> all;
  for (std::size_t begin = 0; begin < grid.cells.size(); begin += grid.columns) {
    const std::size_t end = std::min(begin + grid.columns, grid.cells.size());
    for (const std::vector<std::size_t>& places : rows_of_facet_panels(pattern)) {
      for (std::size_t at = begin; at < end; ++at) add_panels_facet_panels(all, grid, at, pattern, places);
    }
  }
  return all;
}

}  // namespace ropescope
