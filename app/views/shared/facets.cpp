// Computes grids of readouts on threads, and joins the cells of facets into panels of one view.
//
// Contents: Grids; Effects; Panels; Facets.

#include "app/views/shared/facets.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/experiment/rope_spec.h"
#include "app/experiment/sweeps.h"
#include "app/figure/cells.h"
#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/parallel.h"
#include "core/words.h"

namespace ropescope {

// --- Grids ---------------------------------------------------------------------------------------------------------

namespace {

/// Points that are there, until those before them are.
class InOrder {
 public:
  InOrder(std::size_t first, const TakePoint& take) : next_(first), take_(take) {}
  void put(std::size_t point, SweptPoint swept) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(point, std::move(swept));
    for (auto found = waiting_.find(next_); found != waiting_.end(); found = waiting_.find(++next_)) {
      take_(next_, found->second);
      waiting_.erase(found);
    }
  }

 private:
  std::mutex mutex_;
  std::size_t next_;
  const TakePoint& take_;
  std::map<std::size_t, SweptPoint> waiting_;
};

}  // namespace

std::size_t SweepGrid::points() const {
  std::size_t count = 1;
  for (const FieldValues& field : over) {
    if (field.values.empty()) return 0;
    if (count > kMostPointsOfSweep / field.values.size()) return kMostPointsOfSweep + 1;
    count *= field.values.size();
  }
  return count;
}

std::vector<double> SweepGrid::values(std::size_t point) const {
  std::vector<double> chosen(over.size());
  for (std::size_t i = over.size(); i-- > 0; point /= over[i].values.size()) {
    chosen[i] = over[i].values[point % over[i].values.size()];
  }
  return chosen;
}

Experiment with_settings(Experiment experiment, const std::vector<std::string>& settings) {
  for (const std::string& assignment : settings) assign(experiment, assignment);
  clamp(experiment);
  read_rope(experiment.rope);
  return experiment;
}

void require_presets(const FieldValues& field, const char* option) {
  if (field.kind != FieldValues::Kind::model) return;
  for (const std::string& id : field.words) {
    try {
      load_preset(find_places().assets, id);
    } catch (const InputError& error) {
      throw InputError::within(option, error);
    }
  }
}

Experiment experiment_of_point(const SweepGrid& grid, std::size_t point) {
  Experiment experiment = grid.experiment;
  std::vector<std::string> words, numbers;
  const std::vector<double> values = grid.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const FieldValues& field = grid.over[i];
    const std::string text = field.text(values[i]);
    if (field.kind == FieldValues::Kind::model) {
      take_preset(experiment, text);
      follow_opening(experiment);
      words.insert(words.begin(), grid.sets.begin(), grid.sets.end());
    } else {
      (field.kind == FieldValues::Kind::number ? numbers : words).push_back(field.key + "=" + text);
    }
  }
  // A choice may say what a number means.
  words.insert(words.end(), numbers.begin(), numbers.end());
  return with_settings(std::move(experiment), words);
}

SweptPoint swept_point(const SweepGrid& grid, std::size_t point, const Text& text, Store& store) {
  SweptPoint swept;
  swept.cells.resize(grid.readouts.size());
  swept.texts.resize(grid.readouts.size());
  store.begin_pass();
  try {
    Experiment experiment = experiment_of_point(grid, point);
    std::map<const View*, ViewResult> shown;
    for (std::size_t i = 0; i < grid.readouts.size(); ++i) {
      const View& view = view_of_readout(grid.readouts[i], grid.experiment);
      auto [at, added] = shown.try_emplace(&view);
      if (added) {
        experiment.view = view.id;
        if (view.check) view.check(experiment);
        at->second = draw_view(view, experiment, text, store);
      }
      if (!at->second.fault.empty() && swept.fault.empty()) swept.fault = at->second.fault;
      swept.cells[i] = numbers_of(at->second, grid.readouts[i]).value_or(std::vector<ShownNumber>());
      if (const Readout* whole = find_readout(at->second, grid.readouts[i])) swept.texts[i] = whole->text;
    }
  } catch (const InputError& error) {
    swept.fault = text.say(error.words());
  }
  store.end_pass();
  return swept;
}

void sweep_points(const SweepGrid& grid, const PointRange& range, const Text& text, const Work& work,
                  const TakePoint& take) {
  if (range.first >= range.last) return;
  const int all = worker_count(work.threads);
  const int workers = static_cast<int>(std::min(range.last - range.first, static_cast<std::size_t>(all)));
  std::atomic<std::size_t> next = range.first;
  InOrder order(range.first, take);
  share_work(workers, [&] {
    // Each its own: what one point was computed from often serves the next one.
    Store store(Store::Mode::synchronous, std::max(1, all / workers));
    for (std::size_t point = next++; point < range.last && !work.stopped(); point = next++) {
      order.put(point, swept_point(grid, point, text, store));
    }
  });
}

// --- Effects -------------------------------------------------------------------------------------------------------

namespace {

/// One of small multiples.
struct FacetCell {
  std::string name;     ///< "rope.base=10000", see Figure::cell
  std::string caption;  ///< "b = 10 000"
  ViewResult result;
};

/// Row by row.
struct FacetGrid {
  std::size_t columns = 1;
  std::vector<FacetCell> cells;
};

/// A direction of small multiples whose field the view does not look at.
struct IdleFacet {
  bool down = false;
  std::string why;  ///< the field, and the one that stands in its place in this view: "rope.base … layout.base"
};

/// The keys of the fields that have a control.
std::set<std::string, std::less<>> offered_by(const View& view, const Experiment& experiment) {
  const std::vector<std::string> keys = keys_of_controls(fields_of(view, experiment));
  std::set<std::string, std::less<>> offered(keys.begin(), keys.end());
  if (view.compares_ropes) offered.insert({"hidden", "curves.shown_as", "curves.relative_to"});
  return offered;
}

/// Two numbers that are drawn alike.
template <class Number>
bool is_same_number(Number a, Number b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

template <class Values>
bool are_same_numbers(const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_same_number<typename Values::value_type>);
}

bool are_alike(const Line& a, const Line& b) {
  const Series &one = *a.series, &other = *b.series;
  return a.key == b.key && one.first_x == other.first_x && one.step == other.step && one.xs == other.xs &&
         are_same_numbers(one.ys, other.ys);
}

bool are_alike(const Map& a, const Map& b) {
  return a.key == b.key && a.x == b.x && a.y == b.y && are_same_numbers(a.cells->values, b.cells->values);
}

bool are_alike(const Points& a, const Points& b) {
  return a.key == b.key && are_same_numbers(a.xs, b.xs) && are_same_numbers(a.ys, b.ys);
}

bool are_alike(const Readout& a, const Readout& b) {
  return a.name == b.name && a.text == b.text && a.note == b.note;
}

bool are_alike(const Panel& a, const Panel& b);

template <class Mark>
bool all_alike(const std::vector<Mark>& a, const std::vector<Mark>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Mark& x, const Mark& y) { return are_alike(x, y); });
}

bool are_alike(const Panel& a, const Panel& b) {
  return a.figure.name == b.figure.name && all_alike(a.figure.lines, b.figure.lines) &&
         all_alike(a.figure.maps, b.figure.maps) && all_alike(a.figure.points, b.figure.points);
}

bool are_alike(const ViewResult& a, const ViewResult& b) {
  return all_alike(a.panels, b.panels) && all_alike(a.readouts, b.readouts);
}

/// Whether each cell is like the first one of its row, or of its column.
bool changes_nothing(const std::vector<FacetCell>& drawn, const FacetPair& pair, bool down) {
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const std::size_t column = i % pair.columns();
    const ViewResult& first = drawn[down ? column : i - column].result;
    if (drawn[i].result.stale || !drawn[i].result.fault.empty() || !are_alike(drawn[i].result, first)) return false;
  }
  return true;
}

std::string last_part(const std::string& key) {
  return key.substr(key.find('.') + 1);
}

/// The first such direction: the view offers no control for its field in any cell, and all cells along it are alike,
/// curves, maps and cards. None while a cell is being computed or cannot be drawn. `cells` row by row, as drawn.
std::optional<IdleFacet> find_idle_facet(const View& view, const std::vector<Experiment>& cells,
                                         const std::vector<FacetCell>& drawn, const FacetPair& pair, const Text& text) {
  for (const bool down : {false, true}) {
    const Facet& facet = down ? pair.down : pair.across;
    if (facet.values.size() < 2) continue;
    const bool offered = std::any_of(
        cells.begin(), cells.end(), [&](const Experiment& cell) { return offered_by(view, cell).contains(facet.key); });
    if (offered || !changes_nothing(drawn, pair, down)) continue;
    const auto here = offered_by(view, cells.front());
    const auto other = std::find_if(here.begin(), here.end(), [&facet](const std::string& key) {
      return facet.key != kFacetModel && last_part(key) == last_part(facet.key);
    });
    if (other == here.end()) return IdleFacet{down, text.format("view.facets.idle", {{"key", facet.key}})};
    return IdleFacet{down, text.format("view.facets.counterpart", {{"key", facet.key}, {"other", *other}})};
  }
  return std::nullopt;
}

}  // namespace

// --- Panels --------------------------------------------------------------------------------------------------------

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

/// Whether there is anything to see side by side.
bool has_curves_or_maps(const ViewResult& result) {
  return std::any_of(result.panels.begin(), result.panels.end(),
                     [](const Panel& panel) { return !panel.figure.lines.empty() || !panel.figure.maps.empty(); });
}

/// The panels of all cells in rows, each titled by its cell and by what tells it from the cell's other figures, with
/// shared ranges. `experiment` says which ranges are zoomed. The last row may be shorter than the others. How they
/// stand in a room, and what is then said once, is a matter of app/figure/cells.h.
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

}  // namespace

// --- Facets --------------------------------------------------------------------------------------------------------

namespace {

constexpr const char* kAcross = "facet.across";
constexpr const char* kDown = "facet.down";

void take_value(Experiment& experiment, const Facet& facet, std::size_t index, const char* option) {
  if (facet.values.empty()) return;
  const std::string& value = facet.values[index];
  if (facet.key != kFacetModel) return assign(experiment, facet.key + "=" + value, option);
  try {
    take_preset(experiment, value);
  } catch (const InputError& error) {
    throw InputError::within(option, error);
  }
}

/// Row by row.
std::vector<Experiment> cells_of_facets(const Experiment& experiment, const FacetPair& pair) {
  std::vector<Experiment> cells;
  for (std::size_t row = 0; row < pair.rows(); ++row) {
    for (std::size_t column = 0; column < pair.columns(); ++column) {
      Experiment cell = experiment;
      cell.facet = {};
      take_value(cell, pair.across, column, kAcross);
      take_value(cell, pair.down, row, kDown);
      clamp(cell);
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

/// What a field holds, for people; none: a range that fits its data.
std::optional<std::string> value_for_people(const Field& field, const Text& text) {
  switch (field.kind) {
    case Field::Kind::number: {
      const double value = field.as<double>();
      if (value == 0 && !field.zero.empty()) {
        return text.format(field.zero, {{"base", readable_number(field.zero_value)}});
      }
      return field.whole ? readable_integer(value) : readable_number(value, 7);
    }
    case Field::Kind::toggle:
      return text[field.as<bool>() ? "view.facets.on" : "view.facets.off"];
    case Field::Kind::range: {
      const std::optional<Range>& value = field.as<std::optional<Range>>();
      if (!value) return std::nullopt;
      return readable_number(value->low) + " … " + readable_number(value->high);
    }
    case Field::Kind::names:
      return joined(field.as<Field::Names>());
    default:
      return field.word();
  }
}

/// A field's symbol, or its name where it has none, and what it holds, for people.
std::string caption_of(const Field& field, const Text& text) {
  if (field.kind == Field::Kind::choice) {
    const std::string label = label_key(field, field.word());
    // A word says by itself what it is a choice of.
    return text.has(label) ? text[label] : field.word();
  }
  const std::optional<std::string> value = value_for_people(field, text);
  if (!value) return {};
  const std::string key = "field." + std::string(field.key);
  std::string shown(field.key);
  for (const std::string& name : {key + ".label", key + ".symbol"}) {
    if (text.has(name)) shown = text[name];
  }
  return text.format("view.facets.caption", {{"field", shown}, {"value", *value}});
}

std::string caption_of(const Experiment& cell, const FacetPair& pair, const Text& text) {
  std::string all;
  for (const Facet* facet : {&pair.across, &pair.down}) {
    if (facet->values.empty()) continue;
    const auto field = find_field(cell, facet->key);
    all += (all.empty() ? "" : " · ") + (field ? caption_of(*field, text) : rope_name(cell.rope, text));
  }
  return all;
}

std::string name_of_facets(const FacetPair& pair, std::size_t index) {
  std::string name;
  const auto add = [&name](const Facet& facet, std::size_t value) {
    if (!facet.values.empty()) name += (name.empty() ? "" : "; ") + facet.key + "=" + facet.values[value];
  };
  add(pair.across, index % pair.columns());
  add(pair.down, index / pair.columns());
  return name;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; !from.empty() && (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// What names the current rope names it in every cell, where the cells have several.
void name_in_common(ViewResult& result, const View& view, const Experiment& given, const Text& text) {
  const Experiment cell = at_shown_length(view, given);
  const std::string own = current_label(cell, text, labels_need_dimension(cell));
  const std::string& common = given.curves.name.empty() ? text["view.facets.own"] : given.curves.name;
  result.shared.clear();
  for (Panel& panel : result.panels) {
    replace_all(panel.figure.x.label, own, common);
    replace_all(panel.figure.y.label, own, common);
    for (Line& line : panel.figure.lines) {
      const bool current = line.key.starts_with("current");
      if (current) replace_all(line.label, own, common);
      // What differs from cell to cell is no name in all of them.
      if (!line.rope_name.empty()) line.rope_name = current ? common : line.label;
    }
  }
}

/// Puts the store into the scope of a cell, so that a store does not take one for the newer request of another.
class StoreScope {
 public:
  StoreScope(Store& store, std::size_t cell) : store_(store) { store.enter_scope("cell" + std::to_string(cell) + "."); }
  ~StoreScope() { store_.enter_scope({}); }
  StoreScope(const StoreScope&) = delete;
  StoreScope& operator=(const StoreScope&) = delete;

 private:
  Store& store_;
};

/// Adds the cards, the progress and the faults of a cell; the panels come later.
void add_cell(ViewResult& all, const FacetCell& cell, bool first, const Text& text) {
  const ViewResult& result = cell.result;
  all.stale |= result.stale;
  if (result.progress) all.progress = std::min(all.progress.value_or(1), *result.progress);
  if (all.fault.empty() && !result.fault.empty()) all.fault = cell.caption + ": " + result.fault;
  if (all.undone.empty()) all.undone = result.undone;
  for (Readout readout : result.readouts) {
    readout.cell = cell.name;
    readout.note = readout.note.empty()
                       ? cell.caption
                       : text.format("readout.of_cell", {{"cell", cell.caption}, {"note", readout.note}});
    readout.aside |= !first;
    all.readouts.push_back(std::move(readout));
  }
}

/// The group of fields that a short key may mean as well.
std::string_view looked_at_facets(const View& view, const Experiment& experiment) {
  return view.shows_layout && view.shows_layout(experiment) ? "layout" : "";
}

/// The columns of the grid; in one direction as many as stand side by side, and then rows of them.
std::size_t columns_of(const FacetPair& pair) {
  const bool two = !pair.across.values.empty() && !pair.down.values.empty();
  return two ? pair.columns() : even_columns(pair.columns() * pair.rows(), kMostCellsInARow);
}

/// Draws the view without the facets that mean nothing here, and says why.
ViewResult draw_without(const View& view, Experiment experiment, const std::optional<IdleFacet>& idle, const Text& text,
                        Store& store, DrawOnce draw) {
  if (!idle) {
    experiment.facet = {};
  } else {
    (idle->down ? experiment.facet.down : experiment.facet.across).clear();
  }
  ViewResult result =
      has_facets(experiment) ? draw_facets(view, experiment, text, store, draw) : draw(view, experiment, text, store);
  result.undone = result.status = idle ? idle->why : text["view.facets.none"];
  return result;
}

}  // namespace

ViewResult draw_facets(const View& view, const Experiment& experiment, const Text& text, Store& store, DrawOnce draw) {
  const FacetPair pair = facets_of(experiment, looked_at_facets(view, experiment));
  FacetGrid grid{columns_of(pair), {}};
  bool any = false;
  const std::vector<Experiment> cells = cells_of_facets(experiment, pair);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Experiment cell = cells[i];
    // Views know their figures without the cells.
    if (cell.pointer) cell.pointer->figure = figure_of_cell(cell.pointer->figure);
    const StoreScope scope(store, i);
    grid.cells.push_back({name_of_facets(pair, i), caption_of(cell, pair, text), draw(view, cell, text, store)});
    ViewResult& drawn = grid.cells.back().result;
    // What is read has no place among many: the plots stand there.
    std::erase_if(drawn.panels, [](const Panel& panel) { return !panel.figure.paragraphs.empty(); });
    if (!drawn.panels.empty()) drawn.panels.front().beside = false;
    any = any || drawn.stale || !drawn.fault.empty() || has_curves_or_maps(drawn);
  }
  if (!any) return draw_without(view, experiment, {}, text, store, draw);
  if (const auto idle = find_idle_facet(view, cells, grid.cells, pair, text)) {
    return draw_without(view, experiment, idle, text, store, draw);
  }
  for (std::size_t i = 0; change_rope(pair) && i < cells.size(); ++i) {
    name_in_common(grid.cells[i].result, view, cells[i], text);
  }
  ViewResult all = grid.cells.front().result;
  all.readouts.clear();
  all.progress.reset();
  all.stale = false;
  all.fault.clear();
  for (std::size_t i = 0; i < grid.cells.size(); ++i) add_cell(all, grid.cells[i], i == 0, text);
  if (all.stale) all.status = text["view.computing"];
  all.panels = join_panels(std::move(grid), experiment);
  return all;
}

void check_facets(const Experiment& experiment) {
  if (!has_facets(experiment)) return;
  cells_of_facets(experiment, facets_of(experiment, looked_at_facets(find_view(experiment.view), experiment)));
}

Facet read_facet_of_view(const std::string& text, const Experiment& experiment, const char* option) {
  return read_facet(text, experiment, option, looked_at_facets(find_view(experiment.view), experiment));
}

std::string facet_as_given(const std::string& text, const Experiment& experiment, const char* option) {
  // Read first: only what reads as a facet has an equals sign.
  const std::string key = read_facet_of_view(text, experiment, option).key;
  return key + text.substr(text.find('='));
}

std::vector<Panel> panels_of_cells(const std::vector<Panel>& panels, const std::string& figure) {
  std::vector<Panel> kept;
  bool begins = true;
  for (const Panel& panel : panels) {
    begins = begins || !panel.beside;
    if (figure_of_cell(panel.figure.name) != figure) continue;
    kept.push_back(panel);
    kept.back().beside = !begins;
    begins = false;
  }
  return kept;
}

}  // namespace ropescope
