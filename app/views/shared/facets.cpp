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
#include "app/views/views.h"
#include "core/formats/json.h"
#include "core/message.h"
#include "core/parallel.h"

namespace ropescope {

// --- Grids ---------------------------------------------------------------------------------------------------------

namespace {

/// A queue that passes on finished points in order, once all earlier ones are finished.
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

// --- Effects -------------------------------------------------------------------------------------------------------

/// A cell of small multiples.
struct FacetCell {
  std::string name;     ///< "rope.base=10000", see Figure::cell
  std::string caption;  ///< "b = 10 000"
  ViewResult result;
};

/// The cells, row by row.
struct FacetGrid {
  std::size_t columns = 1;
  std::vector<FacetCell> cells;
};

/// A direction of small multiples whose field the view does not use.
struct IdleFacet {
  bool down = false;
  std::string why;  ///< the field, and the one that the view uses instead: "rope.base … layout.base"
};

/// Returns the keys of the fields that have a control.
std::set<std::string, std::less<>> list_offered_keys(const View& view, const Experiment& experiment) {
  const std::vector<std::string> keys = keys_of_controls(fields_of(view, experiment));
  std::set<std::string, std::less<>> offered(keys.begin(), keys.end());
  if (view.compares_ropes) offered.insert({"hidden", "curves.shown_as", "curves.relative_to"});
  return offered;
}

/// Returns whether numbers are drawn alike.
template <class Values>
bool are_same_numbers(const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](auto x, auto y) { return x == y || (std::isnan(x) && std::isnan(y)); });
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

/// Returns whether each cell is equal to the first one of its row, or of its column.
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

/// Returns the first such direction: the view has no control for its field, and all cells along it have equal curves,
/// maps and cards. Returns nullopt while a cell is being computed or cannot be drawn. `cells` are row by row.
std::optional<IdleFacet> find_idle_facet(const View& view, const std::vector<Experiment>& cells,
                                         const std::vector<FacetCell>& drawn, const FacetPair& pair, const Text& text) {
  for (const bool down : {false, true}) {
    const Variation& facet = down ? pair.down : pair.across;
    if (facet.values.size() < 2) continue;
    const bool offered = std::any_of(cells.begin(), cells.end(), [&](const Experiment& cell) {
      return list_offered_keys(view, cell).contains(facet.key);
    });
    if (offered || !changes_nothing(drawn, pair, down)) continue;
    const auto here = list_offered_keys(view, cells.front());
    const auto other = std::find_if(here.begin(), here.end(), [&facet](const std::string& key) {
      return facet.key != kVariedModel && last_part(key) == last_part(facet.key);
    });
    if (other == here.end()) return IdleFacet{down, text.format("view.facets.idle", {{"key", facet.key}})};
    return IdleFacet{down, text.format("view.facets.counterpart", {{"key", facet.key}, {"other", *other}})};
  }
  return std::nullopt;
}

// --- Panels --------------------------------------------------------------------------------------------------------

bool has_data(const Figure& figure) {
  return !figure.lines.empty() || !figure.maps.empty() || !figure.points.empty();
}

/// Identifies axes that can be shared: equal quantity and scale.
using AxisKind = std::tuple<std::string, std::string, std::string, int, std::vector<std::string>>;
AxisKind kind_of(const std::string& figure, const FigureAxis& axis) {
  // The scale of a ratio depends on its size, so one scale is set for all.
  const bool ratio = axis.name.ends_with("_ratio");
  return {figure, axis.name, axis.label, ratio ? -1 : static_cast<int>(axis.scale), axis.names};
}

struct SharedAxis {
  std::vector<FigureAxis*> axes;
  std::optional<Range> range, fit;  ///< of those with data
};

/// Sets one scale for axes with different scales: logarithmic if all values are above 0, symlog otherwise.
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
  // Excludes the range of a cell without data in the zoomed range.
  if (const auto zoomed = zoomed_range(experiment, shared.axes.front()->range_key)) {
    const Range within{std::max(shared.range->low, zoomed->low), std::min(shared.range->high, zoomed->high)};
    if (within.low < within.high) shared.range = within;
  }
  for (FigureAxis* axis : shared.axes) {
    axis->range = *shared.range;
    axis->fit = *shared.fit;
  }
}

/// Moves a right axis that follows the left one (it has its quantity) with it.
void follow_left(Figure& figure, const FigureAxis& before) {
  const double length = before.range.high - before.range.low;
  if (!figure.right || !figure.right->name.starts_with(figure.y.name) || !(length > 0)) return;
  const double factor = (figure.right->range.high - figure.right->range.low) / length;
  figure.right->range = {factor * figure.y.range.low, factor * figure.y.range.high};
  figure.right->fit = {factor * figure.y.fit.low, factor * figure.y.fit.high};
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
  std::vector<std::pair<Figure*, FigureAxis>> left;
  for (FacetCell& cell : grid.cells) {
    for (Panel& panel : cell.result.panels) {
      if (panel.figure.right) left.emplace_back(&panel.figure, panel.figure.y);
    }
  }
  for (auto& [kind, shared] : vertical) share(shared, experiment);
  for (const auto& [figure, before] : left) follow_left(*figure, before);
  for (auto& [kind, same] : maps) {
    Range range = same.front()->range;
    for (const Map* map : same) range = both(range, map->range);
    for (Map* map : same) map->range = range;
  }
}

/// Returns the positions of the panels in the cell that has most of them, by row of the cell.
std::vector<std::vector<std::size_t>> group_panel_rows(const std::vector<Panel>& panels) {
  std::vector<std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    if (is_gap(panels[i].figure)) continue;
    if (!panels[i].beside || rows.empty()) rows.emplace_back();
    rows.back().push_back(i);
  }
  return rows;
}

/// Returns the panel of a cell for a place in the pattern; one without axes if the cell has none.
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

constexpr std::string_view kTitleSeparator = " · ";

std::vector<std::string> split_title(const std::string& title) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= title.size();) {
    const std::size_t end = std::min(title.find(kTitleSeparator, begin), title.size());
    parts.push_back(title.substr(begin, end - begin));
    begin = end + kTitleSeparator.size();
  }
  return parts;
}

/// Returns whether several figures of a cell differ from this one only in their titles, as those of heads do.
bool is_one_of_many(const std::vector<Panel>& pattern, std::size_t place) {
  constexpr std::ptrdiff_t kMany = 3;
  return kMany <= std::count_if(pattern.begin(), pattern.end(), [&](const Panel& panel) {
           return !is_gap(panel.figure) && is_same_axis(panel.figure.x, pattern[place].figure.x) &&
                  is_same_axis(panel.figure.y, pattern[place].figure.y);
         });
}

/// Sets the title to the cell's caption, followed by what distinguishes the figure from the cell's other figures. The
/// title of a view's first figure repeats the caption or what all cells share, so it is omitted.
void put_caption(Figure& figure, const std::string& caption, bool with_own) {
  std::string title = caption;
  const std::vector<std::string> said = split_title(caption);
  for (const std::string& part : with_own ? split_title(figure.title) : std::vector<std::string>()) {
    if (part.empty() || std::find(said.begin(), said.end(), part) != said.end()) continue;
    title += (title.empty() ? "" : std::string(kTitleSeparator)) + part;
  }
  figure.title = std::move(title);
}

/// Adds a cell's panels for one row of the pattern.
void add_cell_panels(std::vector<Panel>& all, const FacetGrid& grid, std::size_t at, const std::vector<Panel>& pattern,
                     const std::vector<std::size_t>& places) {
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

/// Returns whether there is anything to show side by side.
bool has_curves_or_maps(const ViewResult& result) {
  return std::any_of(result.panels.begin(), result.panels.end(),
                     [](const Panel& panel) { return !panel.figure.lines.empty() || !panel.figure.maps.empty(); });
}

/// Returns the panels of all cells in rows, with shared ranges. Each is titled with its cell and what distinguishes it
/// from the cell's other figures. `experiment` defines the zoomed ranges. The last row may be shorter.
/// app/figure/cells.h fits the panels into an area and omits repeated labels.
std::vector<Panel> join_panels(FacetGrid grid, const Experiment& experiment) {
  share_ranges(grid, experiment);
  const auto most = std::max_element(grid.cells.begin(), grid.cells.end(), [](const FacetCell& a, const FacetCell& b) {
    return a.result.panels.size() < b.result.panels.size();
  });
  const std::vector<Panel> pattern = most->result.panels;
  std::vector<Panel> all;
  for (std::size_t begin = 0; begin < grid.cells.size(); begin += grid.columns) {
    const std::size_t end = std::min(begin + grid.columns, grid.cells.size());
    for (const std::vector<std::size_t>& places : group_panel_rows(pattern)) {
      for (std::size_t at = begin; at < end; ++at) add_cell_panels(all, grid, at, pattern, places);
    }
  }
  return all;
}

// --- Facets --------------------------------------------------------------------------------------------------------

constexpr const char* kAcross = "facet.across";
constexpr const char* kDown = "facet.down";

void take_value(Experiment& experiment, const Variation& facet, std::size_t index, const char* option) {
  if (facet.values.empty()) return;
  const std::string value = facet.word(index);
  if (facet.key != kVariedModel) return assign(experiment, facet.key + "=" + value, option);
  try {
    experiment.rope = load_preset_rope(value);
  } catch (const InputError& error) {
    throw InputError::within(option, error);
  }
}

/// Returns the experiments of the cells, row by row.
std::vector<Experiment> expand_facets(const Experiment& experiment, const FacetPair& pair) {
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

/// Returns the display text of a field's value; nullopt for a range that fits its data.
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

std::string caption_of(const Experiment& cell, const FacetPair& pair, const Text& text) {
  std::string all;
  for (const Variation* facet : {&pair.across, &pair.down}) {
    if (facet->values.empty()) continue;
    const auto field = find_field(cell, facet->key);
    all += (all.empty() ? "" : " · ") + (field ? field_caption(*field, text) : rope_name(cell.rope, text));
  }
  return all;
}

std::string name_of_facets(const FacetPair& pair, std::size_t index) {
  std::string name;
  const auto add = [&name](const Variation& facet, std::size_t value) {
    if (!facet.values.empty()) name += (name.empty() ? "" : "; ") + facet.key + "=" + facet.word(value);
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

/// Replaces the current rope's name by a common one in all cells if the cells have several names.
void name_in_common(ViewResult& result, const View& view, const Experiment& given, const Text& text) {
  const Experiment cell = at_shown_length(view, given);
  const std::string own = current_label(cell, text, labels_need_dimension(cell));
  const std::string& common = given.curves.name.empty() ? text["view.facets.own"] : given.curves.name;
  result.shared.clear();
  for (Panel& panel : result.panels) {
    replace_all(panel.figure.x.label, own, common);
    replace_all(panel.figure.y.label, own, common);
    for (Line& line : panel.figure.lines) {
      const bool current = line.key.starts_with(kCurrentKey);
      if (current) replace_all(line.label, own, common);
      // A name that differs between cells is not valid for all of them.
      if (!line.rope_name.empty()) line.rope_name = current ? common : line.label;
    }
  }
}

/// Sets the store's scope to a cell within the current scope, so that the store does not treat its request as an update
/// of another cell's.
class StoreScope {
 public:
  StoreScope(Store& store, std::size_t cell) : store_(store), outer_(store.scope()) {
    store.enter_scope(outer_ + "cell" + std::to_string(cell) + ".");
  }
  ~StoreScope() { store_.enter_scope(outer_); }
  StoreScope(const StoreScope&) = delete;
  StoreScope& operator=(const StoreScope&) = delete;

 private:
  Store& store_;
  std::string outer_;
};

/// Adds the cards, the progress and the faults of a cell; the panels are added later.
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

/// Returns the number of columns in the grid; for a single direction, as many as fit side by side, wrapped into rows.
std::size_t columns_of(const FacetPair& pair) {
  const bool two = !pair.across.values.empty() && !pair.down.values.empty();
  return two ? pair.columns() : even_columns(pair.columns() * pair.rows(), kMaxCellsPerRow);
}

/// Draws the view without the facets that have no effect, and sets the reason.
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

/// Throws InputError: the view that shows the readout, or otherwise similar names.
[[noreturn]] void refuse_readout(const std::string& name, const Experiment& experiment, const Text& text,
                                 Store& store) {
  std::vector<std::string> names;
  // The view's own names are enough if the prefix identifies it; listing all views takes seconds.
  const View* own = find_view_of_readout(name);
  for (const View* view : own ? std::vector{own} : swept_views()) {
    for (const ListedReadout& readout : list_readouts(*view, experiment, text, store)) {
      names.push_back(readout.name);
      const bool elsewhere = !readout.setting.empty() || view != &view_of_readout(name, experiment);
      if (!elsewhere || (readout.name != name && !name.starts_with(readout.name + "."))) continue;
      const std::string setting = readout.setting.empty() ? "view=" + std::string(view->id) : readout.setting;
      throw InputError("command.not_shown", {{"readout", in_quotes(name)}, {"setting", setting}});
    }
  }
  const std::vector<std::string> near = nearest_words(name, names);
  throw InputError("command.no_readout", {{"readout", in_quotes(name)},
                                          {"expected", near.empty() ? Message("expected.listed") : one_of(near)}});
}

}  // namespace

std::size_t SweepGrid::points() const {
  std::size_t count = 1;
  for (const Variation& field : over) {
    if (field.values.empty()) return 0;
    if (count > kMaxSweepPoints / field.values.size()) return kMaxSweepPoints + 1;
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

std::string field_caption(const Field& field, const Text& text) {
  if (field.kind == Field::Kind::choice) {
    const std::string label = label_key(field, field.word());
    // A word needs no label for its choice.
    return text.has(label) ? text[label] : field.word();
  }
  const std::optional<std::string> value = value_for_people(field, text);
  if (!value) return {};
  const std::string key = "field." + words_key(field.key);
  std::string shown(field.key);
  for (const std::string& name : {key + ".label", key + ".symbol"}) {
    if (text.has(name)) shown = text[name];
  }
  return text.format("view.facets.caption", {{"field", shown}, {"value", *value}});
}

Experiment apply_settings_to(Experiment experiment, const std::vector<std::string>& settings, const char* option) {
  for (const std::string& assignment : settings) assign(experiment, assignment, option);
  clamp(experiment);
  read_rope(experiment.rope);
  return experiment;
}

void vary(SweepGrid& grid, const std::string& text, const char* option) {
  const View& view = view_of_readout(grid.readouts.front(), grid.experiment);
  Variation varied = parse_variation(text, grid.experiment, {option, find_short_key_group(view, grid.experiment)});
  if (varied.kind == Variation::Kind::model) {
    for (const std::string& id : varied.words) {
      try {
        load_preset(find_places().assets, id);
      } catch (const InputError& error) {
        throw InputError::within(option, error);
      }
    }
  }
  const auto is_same = [&varied](const Variation& other) { return other.key == varied.key; };
  if (std::any_of(grid.over.begin(), grid.over.end(), is_same)) {
    throw InputError(option, "sweep.same_field", {{"key", varied.key}});
  }
  grid.over.push_back(std::move(varied));
}

Experiment apply_sweep_point(const SweepGrid& grid, std::size_t point) {
  Experiment experiment = grid.experiment;
  std::vector<std::string> words, numbers;
  const std::vector<double> values = grid.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variation& field = grid.over[i];
    const std::string text = field.text(values[i]);
    if (field.kind == Variation::Kind::model) {
      experiment.rope = load_preset_rope(text);
      follow_opening(experiment);
      words.insert(words.begin(), grid.sets.begin(), grid.sets.end());
    } else {
      (field.kind == Variation::Kind::number ? numbers : words).push_back(field.key + "=" + text);
    }
  }
  // Numbers come last, because a choice may determine their meaning.
  words.insert(words.end(), numbers.begin(), numbers.end());
  return apply_settings_to(std::move(experiment), words);
}

SweptPoint swept_point(const SweepGrid& grid, std::size_t point, const Text& text, Store& store) {
  SweptPoint swept;
  swept.cells.resize(grid.readouts.size());
  swept.texts.resize(grid.readouts.size());
  store.begin_pass();
  try {
    Experiment experiment = apply_sweep_point(grid, point);
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
      const Readout* whole = find_readout(at->second, grid.readouts[i]);
      if (!whole) continue;
      swept.texts[i] = whole->text;
      if (const auto* quantity = std::get_if<Quantity>(&whole->value)) swept.unit = quantity->unit;
    }
  } catch (const InputError& error) {
    swept.fault = text.render(error.words());
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
  run_on_threads(workers, [&] {
    // One store per thread: results computed for one point are often reused for the next.
    Store store(Store::Mode::synchronous, std::max(1, all / workers));
    for (std::size_t point = next++; point < range.last && !work.stopped(); point = next++) {
      order.put(point, swept_point(grid, point, text, store));
    }
  });
}

std::vector<const View*> swept_views() {
  const auto all = all_views();
  std::vector<const View*> views(all.begin(), all.end());
  std::erase_if(views, [](const View* view) { return view == &kSweepView; });
  return views;
}

void check_readouts(const SweepGrid& grid, const Text& text, Store& store) {
  for (const std::string& name : grid.readouts) {
    const View& view = view_of_readout(name, grid.experiment);
    const auto shown = [&](Experiment experiment) {
      experiment.view = view.id;
      return numbers_of(draw_view(view, experiment, text, store), name).has_value();
    };
    const auto shown_at = [&](std::size_t point) {
      try {
        return shown(apply_sweep_point(grid, point));
      } catch (const InputError&) {
        return false;  // an invalid point shows nothing
      }
    };
    if (shown(grid.experiment) || shown_at(0) || shown_at(grid.points() - 1)) continue;
    const std::string fault = draw_view(view, grid.experiment, text, store).fault;
    if (!fault.empty() && find_view_of_readout(name)) throw InputError::within(name, InputError(fault));
    refuse_readout(name, grid.experiment, text, store);
  }
}

ViewResult draw_facets(const View& view, const Experiment& experiment, const Text& text, Store& store, DrawOnce draw) {
  const FacetPair pair = facets_of(experiment, find_short_key_group(view, experiment));
  FacetGrid grid{columns_of(pair), {}};
  bool any = false;
  const std::vector<Experiment> cells = expand_facets(experiment, pair);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Experiment cell = cells[i];
    // Views know their figures by the names without cells.
    if (cell.pointer) cell.pointer->figure = figure_of_cell(cell.pointer->figure);
    const StoreScope scope(store, i);
    grid.cells.push_back({name_of_facets(pair, i), caption_of(cell, pair, text), draw(view, cell, text, store)});
    ViewResult& drawn = grid.cells.back().result;
    // Text figures are omitted among many cells; only plots are shown.
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
  expand_facets(experiment, facets_of(experiment, find_short_key_group(find_view(experiment.view), experiment)));
}

std::string facet_as_given(const std::string& text, const Experiment& experiment, const char* option) {
  const std::string_view looks_at = find_short_key_group(find_view(experiment.view), experiment);
  // Parsed first: only a valid facet is certain to have an equals sign.
  const std::string key = parse_variation(text, experiment, facet_limits(option, looks_at)).key;
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

std::string_view find_short_key_group(const View& view, const Experiment& experiment) {
  return view.shows_layout && view.shows_layout(experiment) ? "layout" : "";
}

}  // namespace ropescope
