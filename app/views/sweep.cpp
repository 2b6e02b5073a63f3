// The view Sweep: points of a grid from the store, figures and cards.
//
// Contents: Grid; Figures; View.

#include "app/views/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/experiment/fields.h"
#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/user_curve.h"
#include "app/views/view.h"
#include "app/views/views.h"
#include "core/formats/curve_file.h"
#include "core/message.h"

namespace ropescope {

// --- Grid ----------------------------------------------------------------------------------------------------------

namespace {

/// Number of parts in which the figure is computed.
constexpr std::size_t kParts = 24;
constexpr double kNoSweptValue = std::numeric_limits<double>::quiet_NaN();

bool is_number(const Variation& field) {
  return field.kind == Variation::Kind::number;
}

/// A range of adjacent points of a grid.
struct PartOfGrid {
  SweepGrid grid;
  std::size_t first = 0, last = 0;
  bool operator==(const PartOfGrid&) const = default;
};
/// The numbers of a readout at these points; NaN if it has none.
struct SweptNumbers {
  std::vector<double> numbers;
  std::string unit = {};   ///< empty: none
  std::size_t faults = 0;  ///< points that could not be computed
  std::size_t bytes() const { return count_bytes(numbers); }
};
SweptNumbers swept_numbers(const PartOfGrid& part, const Work& work) {
  SweptNumbers result;
  const Text text = Text::load(find_places().assets);  // numbers are the same in every language
  sweep_points(part.grid, {part.first, part.last}, text, work, [&result](std::size_t, const SweptPoint& swept) {
    const std::vector<ShownNumber>& cell = swept.cells.front();
    result.numbers.push_back(cell.empty() ? kNoSweptValue : cell.front().value);
    if (!swept.unit.empty()) result.unit = swept.unit;
    if (!swept.fault.empty()) ++result.faults;
  });
  return result;
}

/// The computed part of the grid.
struct SweptGrid : SweptNumbers {  // of every point; NaN if there is none yet, or none at all
  SweepGrid grid;
  std::size_t finished = 0;
  bool complete() const { return finished == numbers.size(); }
};

/// Returns the grid of the fields, with values in ascending order and without those parts of the experiment that change
/// no number. Throws InputError if the view's own numbers are requested, or if a field cannot be read, is repeated, or
/// leads to more than kMaxPointsShown points.
SweepGrid grid_of(const Experiment& experiment) {
  const SweepFields& fields = experiment.sweep;
  SweepGrid grid{experiment, {fields.readout}, {}};
  Experiment& base = grid.experiment;
  const View& view = view_of_readout(fields.readout, base);
  if (&view == &kSweepView) throw InputError("sweep.own", {{"name", fields.readout}});
  base.view = view.id;
  base.sweep = {};
  base.own = {};
  // Readouts that compare two ropes refer to the first pinned one and the current one.
  if (!fields.readout.starts_with("decay.compare")) base.pins.clear();
  base.notes.clear();
  base.hidden.clear();
  base.pointer.reset();
  reset_ranges(base);
  vary(grid, fields.over, "sweep.over");
  if (!fields.second.empty()) vary(grid, fields.second, "sweep.second");
  for (Variation& varied : grid.over) {
    // Words keep their original order.
    if (!is_number(varied)) continue;
    std::sort(varied.values.begin(), varied.values.end());
    varied.words.clear();
  }
  if (grid.points() > kMaxPointsShown) throw InputError("sweep.too_many", {{"most", kMaxPointsShown}});
  return grid;
}

SweptGrid swept_of(const SweepGrid& grid, Store& store) {
  SweptGrid swept{{std::vector<double>(grid.points(), kNoSweptValue)}, grid};
  const std::size_t count = swept.numbers.size(), part = std::max<std::size_t>(1, (count + kParts - 1) / kParts);
  for (std::size_t first = 0; first < count; first += part) {
    const std::size_t last = std::min(count, first + part);
    // Always on a worker thread: the computing time of the other views is unknown.
    const auto answer = store.request<swept_numbers>({"part" + std::to_string(first / part), 1e9}, {grid, first, last});
    // An outdated answer belongs to another grid.
    if (!answer.current || !answer.result) continue;
    std::copy(answer.result->numbers.begin(), answer.result->numbers.end(),
              swept.numbers.begin() + static_cast<std::ptrdiff_t>(first));
    swept.finished += last - first;
    swept.faults += answer.result->faults;
    if (!answer.result->unit.empty()) swept.unit = answer.result->unit;
  }
  return swept;
}

// --- Figures -------------------------------------------------------------------------------------------------------

constexpr int kDigits = 4;

/// Returns a label followed by the unit of this text in brackets, if there is such a text.
std::string with_unit(const std::string& label, std::string_view unit, const Text& text) {
  const std::string key(unit);
  return text.has(key) ? text.format("view.sweep.with_unit", {{"name", label}, {"unit", text[key]}}) : label;
}

FigureAxis field_axis(const Variation& field, const char* name, const Experiment& experiment, const Text& text) {
  FigureAxis axis = named_axis("sweep", name, text);
  axis.name = field.key;
  axis.label = label_of_field(field.key, text);
  if (const auto number = find_number(experiment, field.key)) axis.label = with_unit(axis.label, number->unit, text);
  return axis;
}

/// Returns whether a logarithm is requested and all numbers have one.
bool has_log_values(const SweepFields& fields, const Range& numbers) {
  return fields.value_axis == AxisScale::log && numbers.low > 0 && numbers.low <= numbers.high;
}

FigureAxis value_axis_of(const SweepFields& fields, const SweptGrid& swept, const Text& text) {
  const Range numbers = range_of(swept.numbers);
  const bool logarithmic = has_log_values(fields, numbers);
  FigureAxis axis = named_axis("sweep", "value", text, logarithmic ? AxisScale::log : AxisScale::linear);
  axis.name = fields.readout;
  axis.label = with_unit(label_of_readout(fields.readout, text), "unit." + swept.unit, text);
  const bool any = numbers.low <= numbers.high;
  const Range fit = logarithmic && any ? decades({numbers.low, std::max(numbers.high, 1.001 * numbers.low)})
                                       : add_margin(numbers, 0.06);
  return value_axis(axis, fit, fields.zooms);
}

/// Returns the display name of a choice's option or a switch's state.
std::string name_of_option(const Field& field, const std::string& word, const Text& text) {
  if (field.kind == Field::Kind::toggle) return text[word == "true" ? "view.facets.on" : "view.facets.off"];
  const std::string key = label_key(field, word);
  return text.has(key) ? text[key] : word;
}

/// Returns the display text of every value.
std::vector<std::string> names_of(const Variation& field, const Experiment& experiment, const Text& text) {
  std::vector<std::string> names;
  if (field.kind == Variation::Kind::number) {
    for (const double value : field.values) names.push_back(readable_number(value, kDigits));
  } else if (field.kind == Variation::Kind::model) {
    for (const std::string& id : field.words) names.push_back(load_preset(find_places().assets, id).name);
  } else {
    const auto found = find_field(experiment, field.key);
    for (const double value : field.values) names.push_back(name_of_option(*found, field.text(value), text));
  }
  return names;
}

/// Returns an axis over the values of a field, one cell each.
FigureAxis steps_axis(const Variation& field, const char* name, const Experiment& experiment, const Text& text) {
  FigureAxis axis =
      cell_axis(field_axis(field, name, experiment, text), cell_range(field.values.size()), experiment.sweep.zooms);
  axis.names = names_of(field, experiment, text);
  return axis;
}

/// Returns whether a sweep over two fields is drawn as a curve for each value of the second. If the curves are too many
/// to be distinguished, or the first field is not a number, it is a map.
bool draws_lines(const SweepGrid& grid) {
  constexpr std::size_t kMaxLines = 8, kMaxNumberLines = 5;
  return grid.over.size() == 2 && is_number(grid.over[0]) &&
         grid.over[1].values.size() <= (is_number(grid.over[1]) ? kMaxNumberLines : kMaxLines);
}

/// Returns the name of a line: the second field with its value, or a model.
std::string name_of_line(const SweepGrid& grid, std::size_t index, const Text& text) {
  const Variation& second = grid.over[1];
  if (second.kind == Variation::Kind::model) return load_preset(find_places().assets, second.words[index]).name;
  Experiment at = grid.experiment;
  set_field(at, second.key + "=" + second.word(index));
  return field_caption(*find_field(at, second.key), text);
}

/// Returns the values of the first field from the first to the last point that has a number, with a neighbour on either
/// side; all of them until every point is computed. Precondition: they are numbers.
Range shown_values(const SweptGrid& swept) {
  const std::vector<double>& values = swept.grid.over.front().values;
  const std::size_t each = swept.numbers.size() / values.size();
  std::size_t first = values.size(), last = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto begin = swept.numbers.begin() + static_cast<std::ptrdiff_t>(i * each);
    if (!std::any_of(begin, begin + static_cast<std::ptrdiff_t>(each), [](double y) { return std::isfinite(y); }))
      continue;
    first = std::min(first, i);
    last = i;
  }
  if (!swept.complete() || first > last) return {values.front(), values.back()};
  return {values[first > 0 ? first - 1 : 0], values[std::min(last + 1, values.size() - 1)]};
}

/// Returns the marks of a line: with discs if there are few values, or one between two without a number, which a line
/// alone would not show.
LineMarks marks_of(const std::vector<double>& numbers) {
  constexpr std::size_t kFewPoints = 25;
  const auto is_there = [&numbers](std::size_t i) { return i < numbers.size() && std::isfinite(numbers[i]); };
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (is_there(i) && !is_there(i + 1) && (i == 0 || !is_there(i - 1))) return LineMarks::both;
  }
  return numbers.size() <= kFewPoints ? LineMarks::both : LineMarks::line;
}

/// Shades the parts of the x axis in which the line has no number. Precondition: one number per value.
void add_gaps(Figure& figure, const std::vector<double>& values, const std::vector<double>& numbers, const Text& text) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    const double low = values[i > 0 ? i - 1 : 0];
    while (i < values.size() && !std::isfinite(numbers[i])) ++i;
    const double high = values[std::min(i, values.size() - 1)];
    const Range gap{std::max(low, figure.x.fit.low), std::min(high, figure.x.fit.high)};
    add_span(figure, gap, text["view.sweep.gap"], Role::faint);
  }
}

/// Draws curves: over numbers, a line for each value of the second field; over words, which have no values in between,
/// points.
Figure curve_figure(const Experiment& experiment, const SweptGrid& swept, const Text& text) {
  const Variation& field = swept.grid.over.front();
  Figure figure = named_figure("sweep");
  figure.y = value_axis_of(experiment.sweep, swept, text);
  figure.zero_line = true;
  const std::string label = label_of_readout(experiment.sweep.readout, text);
  if (!is_number(field)) {
    figure.x = steps_axis(field, "over", experiment, text);
    figure.points.push_back({"value", label, {0, false}, field.values, swept.numbers, {}});
    return figure;
  }
  FigureAxis x = field_axis(field, "over", experiment, text);
  if (field.logarithmic && field.values.front() > 0) x.scale = AxisScale::log;
  Range fit = shown_values(swept);
  if (fit.low == fit.high) fit = add_margin(fit, 0);
  figure.x = data_axis(x, fit, experiment.sweep.zooms);
  if (swept.grid.over.size() == 1) {
    figure.lines.push_back({"value", label, {0, false}, make_series(field.values, swept.numbers), false});
    if (swept.complete()) {
      figure.lines.front().marks = marks_of(swept.numbers);
      add_gaps(figure, field.values, swept.numbers, text);
    }
    add_own_curves(figure, experiment, text);
    figure.lines.front().in_legend = figure.legend;  // a single line is described by the axis
    return figure;
  }
  figure.legend = true;
  LineMarks marks = LineMarks::line;
  const Variation& second = swept.grid.over[1];
  for (std::size_t i = 0; i < second.values.size(); ++i) {
    std::vector<double> ys;
    for (std::size_t at = i; at < swept.numbers.size(); at += second.values.size()) ys.push_back(swept.numbers[at]);
    if (swept.complete() && marks_of(ys) == LineMarks::both) marks = LineMarks::both;
    figure.lines.push_back({second.text(second.values[i]),
                            name_of_line(swept.grid, i, text),
                            {static_cast<int>(i), false},
                            make_series(field.values, std::move(ys))});
  }
  for (Line& line : figure.lines) line.marks = marks;
  add_own_curves(figure, experiment, text);
  return figure;
}

Map map_of_sweep(const SweptGrid& swept, const Figure& figure, const std::string& label) {
  const Variation &over = swept.grid.over[0], &second = swept.grid.over[1];
  Map map;
  map.key = "value";
  map.label = label;
  map.x = figure.x.fit;
  map.y = figure.y.fit;
  // The index of a point's number is over · (number of second values) + second.
  RowMatrixXd rows(static_cast<Eigen::Index>(second.values.size()), static_cast<Eigen::Index>(over.values.size()));
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    for (Eigen::Index column = 0; column < rows.cols(); ++column) {
      rows(row, column) = swept.numbers[static_cast<std::size_t>(column * rows.rows() + row)];
    }
  }
  map.cells = cells_of(rows);
  const Range range = range_of(swept.numbers);
  map.range = range.low < range.high ? range : add_margin(range, 0);
  map.exact = [rows](double x, double y) { return entry_at(rows, x, y); };
  if (range.low < 0 && range.high > 0) {
    const double most = std::max(-range.low, range.high);
    map.colours = MapColours::signed_value;
    map.range = {-most, most};
  }
  return map;
}

/// Returns the map with colours over the logarithm of its numbers; the card at the mouse shows the numbers themselves.
Map logarithmic(const Map& map, const Text& text) {
  Map logarithms = map;
  logarithms.label = text.format("view.sweep.logarithm", {{"name", map.label}});
  MapCells cells = *map.cells;
  for (float& value : cells.values) value = std::log10(value);
  logarithms.cells = std::make_shared<const MapCells>(std::move(cells));
  const Range range{std::log10(map.range.low), std::log10(map.range.high)};
  logarithms.range = range.low < range.high ? range : add_margin(range, 0);
  logarithms.exact = [exact = map.exact](double x, double y) { return std::log10(exact(x, y)); };
  logarithms.words = [exact = map.exact, label = map.label](double x, double y) -> PlaceWords {
    const double value = exact(x, y);
    if (!std::isfinite(value)) return {};
    return {{}, {{label, readable_number(value, 6, true)}}};
  };
  return logarithms;
}

Figure sweep_map_figure(const Experiment& experiment, const SweptGrid& swept, const Text& text) {
  Figure figure =
      named_figure("sweep", with_unit(label_of_readout(experiment.sweep.readout, text), "unit." + swept.unit, text));
  figure.x = steps_axis(swept.grid.over[0], "over", experiment, text);
  figure.y = steps_axis(swept.grid.over[1], "second", experiment, text);
  figure.maps.push_back(map_of_sweep(swept, figure, figure.title));
  if (has_log_values(experiment.sweep, range_of(swept.numbers))) {
    figure.tables = figure.maps;
    figure.maps.front() = logarithmic(figure.tables.front(), text);
  }
  return figure;
}

/// "base 10 000, rotary dimension 64".
std::string place_of_sweep(const SweptGrid& swept, std::size_t point, const Text& text) {
  std::string place;
  const std::vector<double> values = swept.grid.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Variation& field = swept.grid.over[i];
    const auto at =
        static_cast<std::size_t>(std::find(field.values.begin(), field.values.end(), values[i]) - field.values.begin());
    place += (i == 0 ? "" : text["list.between"]) + label_of_field(field.key, text) + " " +
             names_of(field, swept.grid.experiment, text)[at];
  }
  return place;
}

/// Draws a sweep: over one field a curve, over two a map; if the second has few values, one curve each.
Figure sweep_figure(const Experiment& experiment, const SweptGrid& swept, const Text& text) {
  Figure figure = swept.grid.over.size() == 1 || draws_lines(swept.grid) ? curve_figure(experiment, swept, text)
                                                                         : sweep_map_figure(experiment, swept, text);
  figure.stale = !swept.complete();
  const bool any = std::any_of(swept.numbers.begin(), swept.numbers.end(), [](double y) { return std::isfinite(y); });
  if (swept.complete() && !any) {
    figure.empty_message = text.format("view.sweep.nothing", {{"name", experiment.sweep.readout}});
    figure.maps.clear();
    figure.spans.clear();
  }
  return figure;
}

/// The axes alone.
Figure empty_sweep_figure(const Experiment& experiment, const Text& text) {
  const std::string& readout = experiment.sweep.readout;
  Figure figure = empty_figure("sweep", "over", readout.empty() ? "value" : readout);
  if (!readout.empty()) figure.y.label = label_of_readout(readout, text);
  return figure;
}

/// Returns the cards: the positions of the smallest and largest number, and the count of points with a number.
std::vector<Readout> sweep_readouts(const SweptGrid& swept, const Text& text) {
  std::optional<std::size_t> smallest, largest;
  std::size_t defined = 0;
  for (std::size_t i = 0; i < swept.numbers.size(); ++i) {
    if (!std::isfinite(swept.numbers[i])) continue;
    ++defined;
    if (!smallest || swept.numbers[i] < swept.numbers[*smallest]) smallest = i;
    if (!largest || swept.numbers[i] > swept.numbers[*largest]) largest = i;
  }
  std::vector<Readout> readouts;
  const auto add = [&](const std::string& name, const std::optional<std::size_t>& point) {
    Readout readout =
        make_card(name, point ? ReadoutValue(Quantity{with_digits(swept.numbers[*point], 6)}) : no_number(), text);
    if (point) readout.note = text.format("readout.sweep.at", {{"place", place_of_sweep(swept, *point, text)}});
    readouts.push_back(std::move(readout));
  };
  add("sweep.smallest", smallest);
  add("sweep.largest", largest);
  Readout readout = make_card("sweep.defined", count_of(defined, swept.numbers.size()), text);
  if (swept.faults > 0) {
    readout.note = text.format("readout.sweep.defined.faults", {{"count", counted(swept.faults)}});
  } else if (static_cast<std::size_t>(defined) < swept.numbers.size()) {
    readout.note = text["readout.sweep.defined.note"];
  }
  readouts.push_back(std::move(readout));
  return readouts;
}

// --- View ----------------------------------------------------------------------------------------------------------

/// Describes the swept fields, then all fields that the numbers depend on: those of the card's view.
void declare_sweep_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.sweep);
  const SweepFields& fields = experiment.sweep;
  const std::string first_card = fields.cards.substr(0, fields.cards.find(','));
  const View& view = view_of_readout(fields.show == SweepShow::table ? first_card : fields.readout, experiment);
  if (&view == &kSweepView) return declare_fields(list, experiment.rope);
  view.declare_fields(list, experiment);
  if (!find_field(list, "own.file")) declare_fields(list, experiment.own);
}

/// Returns whether all available numbers are above 0.
bool all_positive(const std::vector<double>& numbers) {
  return std::none_of(numbers.begin(), numbers.end(), [](double number) { return number <= 0; });
}

ViewResult sweep_figures(const Experiment& experiment, const Text& text, Store& store) {
  if (experiment.sweep.show == SweepShow::table) return make_rope_table(experiment, text, store);
  if (experiment.sweep.readout.empty() || experiment.sweep.over.empty()) {
    return make_message_result(empty_sweep_figure(experiment, text), text["view.sweep.empty"]);
  }
  const SweptGrid swept = swept_of(grid_of(experiment), store);
  // If no point can be computed, this throws the reason in the current language.
  if (swept.complete() && swept.faults == swept.numbers.size()) apply_sweep_point(swept.grid, 0);
  ViewResult result;
  result.panels.push_back({sweep_figure(experiment, swept, text), 1});
  result.readouts = sweep_readouts(swept, text);
  result.stale = !swept.complete();
  const TextValue points = counted(swept.numbers.size());
  if (swept.complete()) {
    result.status = text.format("view.sweep.status", {{"points", points}});
    for (const Variation& field : swept.grid.over) {
      if (field.values.size() >= field.requested) continue;
      result.status += " · " + text.format("view.sweep.fewer", {{"key", field.key},
                                                                {"values", counted(field.values.size())},
                                                                {"asked", counted(field.requested)}});
    }
    if (experiment.sweep.value_axis == AxisScale::log && !all_positive(swept.numbers)) {
      result.status += " · " + text["view.sweep.no_logarithm"];
    }
  } else {
    result.progress = static_cast<double>(swept.finished) / static_cast<double>(swept.numbers.size());
    result.status = text.format("view.sweep.progress", {{"finished", counted(swept.finished)}, {"points", points}});
  }
  return result;
}

}  // namespace

void check_swept_readout(const Experiment& experiment, const ViewResult& shown, const Text& text, Store& store) {
  const SweepFields& fields = experiment.sweep;
  const bool swept = experiment.view == kSweepView.id && fields.show != SweepShow::table;
  const bool empty = std::any_of(shown.panels.begin(), shown.panels.end(),
                                 [](const Panel& panel) { return !panel.figure.empty_message.empty(); });
  if (!swept || !empty || fields.readout.empty() || fields.over.empty()) return;
  check_readouts(grid_of(experiment), text, store);
}

constinit const View kSweepView{.id = "sweep",
                                .group = "explore",
                                .declare_fields = declare_sweep_fields,
                                .figures = sweep_figures,
                                .empty = empty_sweep_figure,
                                .open = open_user_curve,
                                .opens = kCurveEndings,
                                .compares_ropes = false,
                                .settle = load_user_curve};

}  // namespace ropescope
