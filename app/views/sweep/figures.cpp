#include "app/views/sweep/figures.h"

#include <algorithm>
#include <cmath>

#include "app/experiment/partial_fields.h"
#include "app/figure/number_text.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/maps.h"
#include "app/views/shared/messages.h"

namespace ropescope {

namespace {

constexpr int kDigits = 4;

/// The label of a card; of several views' cards that share a label, that ("readout.unseen"); else its name.
std::string label_of_readout(const std::string& name, const Text& text) {
  const std::string own = "readout." + name + ".label",
                    shared = "readout." + name.substr(name.find('.') + 1) + ".label";
  return text.has(own) ? text[own] : text.has(shared) ? text[shared] : name;
}

std::string label_of_knob(const std::string& key, const Text& text) {
  if (key == kSweptModel) return text["view.sweep.model"];
  const std::string label = "field." + key + ".label";
  return text.has(label) ? text[label] : key;
}

FigureAxis knob_axis(const KnobValues& knob, const char* name, const Text& text) {
  FigureAxis axis = named_axis("sweep", name, text);
  axis.name = knob.key;
  axis.label = label_of_knob(knob.key, text);
  return axis;
}

/// A logarithm is asked for, and all numbers have one.
bool has_log_values(const SweepKnobs& knobs, const Range& numbers) {
  return knobs.value_axis == "log" && numbers.low > 0 && numbers.low <= numbers.high;
}

FigureAxis value_axis_of(const SweepKnobs& knobs, const Range& numbers, const Text& text) {
  const bool logarithmic = has_log_values(knobs, numbers);
  FigureAxis axis = named_axis("sweep", "value", text, logarithmic ? AxisScale::log : AxisScale::linear);
  axis.name = knobs.readout;
  axis.label = label_of_readout(knobs.readout, text);
  const bool any = numbers.low <= numbers.high;
  const Range fit = logarithmic && any ? decades({numbers.low, std::max(numbers.high, 1.001 * numbers.low)})
                                       : with_room(numbers, 0.06);
  return value_axis(axis, fit, knobs.value_range);
}

/// What people call the options of a choice.
class OptionNames : public PartialFields {
 public:
  OptionNames(const KnobValues& knob, const Text& text) : knob_(knob), text_(text) {}
  std::vector<std::string> found;
  void choice(const ChoiceField& field, std::string&) override {
    if (field.key != knob_.key) return;
    for (const std::string& word : knob_.words) {
      const std::string key = label_key(field, word);
      found.push_back(text_.has(key) ? text_[key] : word);
    }
  }
  void toggle(const ToggleField& field, bool&) override {
    if (field.key != knob_.key) return;
    for (const std::string& word : knob_.words) {
      found.push_back(text_[word == "true" ? "view.facets.on" : "view.facets.off"]);
    }
  }

 private:
  const KnobValues& knob_;
  const Text& text_;
};
/// Every value as people read it.
std::vector<std::string> names_of(const KnobValues& knob, const Experiment& experiment, const Text& text) {
  std::vector<std::string> names;
  if (knob.kind == KnobValues::Kind::number) {
    for (const double value : knob.values) names.push_back(readable_number(value, kDigits));
  } else if (knob.kind == KnobValues::Kind::model) {
    for (const std::string& id : knob.words) names.push_back(load_preset(find_places().assets, id).name);
  } else {
    OptionNames options(knob, text);
    Experiment read = experiment;
    describe(options, read);
    names = std::move(options.found);
  }
  return names;
}

/// An axis over the values of a knob, a cell each.
FigureAxis steps_axis(const KnobValues& knob, const char* name, const std::optional<Range>& zoomed,
                      const Experiment& experiment, const Text& text) {
  FigureAxis axis = cell_axis(knob_axis(knob, name, text), cell_range(knob.values.size()), zoomed);
  axis.names = names_of(knob, experiment, text);
  return axis;
}

bool is_number(const KnobValues& knob) {
  return knob.kind == KnobValues::Kind::number;
}

/// More lines than there are colours are no picture: then it is a map.
bool is_lines(const SweepGrid& grid) {
  constexpr std::size_t kMostLines = 8;
  return grid.over.size() == 2 && is_number(grid.over[0]) && !is_number(grid.over[1]) &&
         grid.over[1].values.size() <= kMostLines;
}

/// Over a number a line, for each word of the second knob one of its own; over words, between which nothing lies,
/// points.
Figure curve_figure(const Experiment& experiment, const SweptGrid& swept, const Text& text) {
  const KnobValues& knob = swept.grid.over.front();
  Figure figure;
  figure.name = "sweep";
  figure.y = value_axis_of(experiment.sweep, range_of(swept.numbers), text);
  figure.zero_line = true;
  if (!is_number(knob)) {
    figure.x = steps_axis(knob, "over", experiment.sweep.over_range, experiment, text);
    figure.points.push_back({"value", figure.y.label, {0, false}, knob.values, swept.numbers, {}});
    return figure;
  }
  FigureAxis x = knob_axis(knob, "over", text);
  if (knob.logarithmic && knob.values.front() > 0) x.scale = AxisScale::log;
  Range fit{knob.values.front(), knob.values.back()};
  if (fit.low == fit.high) fit = with_room(fit, 0);
  figure.x = data_axis(x, fit, experiment.sweep.over_range);
  if (swept.grid.over.size() == 1) {
    figure.lines.push_back({"value", figure.y.label, {0, false}, make_series(knob.values, swept.numbers), false});
    return figure;
  }
  figure.legend = true;
  const KnobValues& second = swept.grid.over[1];
  const std::vector<std::string> names = names_of(second, experiment, text);
  for (std::size_t i = 0; i < second.values.size(); ++i) {
    std::vector<double> ys;
    for (std::size_t at = i; at < swept.numbers.size(); at += second.values.size()) ys.push_back(swept.numbers[at]);
    figure.lines.push_back(
        {second.words[i], names[i], {static_cast<int>(i), false}, make_series(knob.values, std::move(ys))});
  }
  return figure;
}

Map map_of_sweep(const SweptGrid& swept, const Figure& figure, const std::string& label) {
  const KnobValues &over = swept.grid.over[0], &second = swept.grid.over[1];
  Map map;
  map.key = "value";
  map.label = label;
  map.x = figure.x.fit;
  map.y = figure.y.fit;
  // A point's number stands at over · (values of the second) + second.
  RowMatrixXd rows(static_cast<Eigen::Index>(second.values.size()), static_cast<Eigen::Index>(over.values.size()));
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    for (Eigen::Index column = 0; column < rows.cols(); ++column) {
      rows(row, column) = swept.numbers[static_cast<std::size_t>(column * rows.rows() + row)];
    }
  }
  map.cells = cells_of(rows);
  const Range range = range_of(swept.numbers);
  map.range = range.low < range.high ? range : with_room(range, 0);
  map.exact = [rows](double x, double y) { return entry_at(rows, x, y); };
  if (range.low < 0 && range.high > 0) {
    const double most = std::max(-range.low, range.high);
    map.colours = MapColours::signed_value;
    map.range = {-most, most};
  }
  return map;
}

/// The same with colours over the logarithm; the numbers themselves are in the card at the mouse.
Map logarithmic(const Map& map, const Text& text) {
  Map logarithms = map;
  logarithms.label = text.format("view.sweep.logarithm", {{"name", map.label}});
  MapCells cells = *map.cells;
  for (float& value : cells.values) value = std::log10(value);
  logarithms.cells = std::make_shared<const MapCells>(std::move(cells));
  const Range range{std::log10(map.range.low), std::log10(map.range.high)};
  logarithms.range = range.low < range.high ? range : with_room(range, 0);
  logarithms.exact = [exact = map.exact](double x, double y) { return std::log10(exact(x, y)); };
  logarithms.words = [exact = map.exact, label = map.label](double x, double y) -> PlaceWords {
    const double value = exact(x, y);
    if (!std::isfinite(value)) return {};
    return {{}, {{label, readable_number(value, 6, true)}}};
  };
  return logarithms;
}

Figure sweep_map_figure(const Experiment& experiment, const SweptGrid& swept, const Text& text) {
  Figure figure;
  figure.name = "sweep";
  figure.title = label_of_readout(experiment.sweep.readout, text);
  figure.x = steps_axis(swept.grid.over[0], "over", experiment.sweep.over_range, experiment, text);
  figure.y = steps_axis(swept.grid.over[1], "second", experiment.sweep.second_range, experiment, text);
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
    const KnobValues& knob = swept.grid.over[i];
    const auto at =
        static_cast<std::size_t>(std::find(knob.values.begin(), knob.values.end(), values[i]) - knob.values.begin());
    place += (i == 0 ? "" : text["list.between"]) + label_of_knob(knob.key, text) + " " +
             names_of(knob, swept.grid.experiment, text)[at];
  }
  return place;
}

}  // namespace

Figure sweep_figure(const Experiment& experiment, const SweptGrid& swept, const Text& text) {
  Figure figure = swept.grid.over.size() == 1 || is_lines(swept.grid) ? curve_figure(experiment, swept, text)
                                                                      : sweep_map_figure(experiment, swept, text);
  figure.stale = !swept.complete();
  const bool any = std::any_of(swept.numbers.begin(), swept.numbers.end(), [](double y) { return std::isfinite(y); });
  if (swept.complete() && !any) {
    figure.empty_message = text.format("view.sweep.nothing", {{"name", experiment.sweep.readout}});
    figure.maps.clear();
  }
  return figure;
}

Figure empty_sweep_figure(const Experiment& experiment, const Text& text) {
  const std::string& readout = experiment.sweep.readout;
  Figure figure = empty_figure("sweep", "over", readout.empty() ? "value" : readout);
  if (!readout.empty()) figure.y.label = label_of_readout(readout, text);
  return figure;
}

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
    Readout readout = start_card(name, text);
    readout.value = point ? ReadoutValue(Quantity{with_digits(swept.numbers[*point], 6)}) : no_number();
    if (point) readout.note = text.format("readout.sweep.at", {{"place", place_of_sweep(swept, *point, text)}});
    readouts.push_back(std::move(readout));
  };
  add("sweep.smallest", smallest);
  add("sweep.largest", largest);
  Readout readout = start_card("sweep.defined", text);
  readout.value = count_of(defined, swept.numbers.size());
  if (swept.faults > 0) {
    readout.note = text.format("readout.sweep.defined.faults", {{"count", counted(swept.faults)}});
  } else if (static_cast<std::size_t>(defined) < swept.numbers.size()) {
    readout.note = text["readout.sweep.defined.note"];
  }
  readouts.push_back(std::move(readout));
  return readouts;
}

}  // namespace ropescope
