// Adds curves of somebody's own.

#include "app/views/shared/own.h"

#include <algorithm>
#include <utility>

#include "app/experiment/own_data.h"
#include "app/views/shared/figures.h"
#include "core/formats/curve_file.h"

namespace ropescope {

namespace {

constexpr double kOwnRoom = 0.06;

bool reads_at_right(const OwnFields& own, const Range& values, const Range& fit) {
  if (own.axis != OwnAxis::automatic) return own.axis == OwnAxis::right;
  const double length = fit.high - fit.low;
  return values.low < fit.low - length || values.high > fit.high + length;
}

/// The first stroke that no line of the figure has.
int free_slot(const Figure& figure) {
  int slot = 1;
  while (std::any_of(figure.lines.begin(), figure.lines.end(),
                     [slot](const Line& line) { return line.style.slot == slot || -1 - line.style.slot == slot; })) {
    ++slot;
  }
  return slot;
}

FigureAxis right_axis(const OwnFields& own, const Range& values) {
  const bool logarithmic = own.scale == AxisScale::log && values.low > 0;
  FigureAxis axis;
  axis.name = "own";
  axis.label = own.title.empty() ? own.name : own.title;
  axis.scale = logarithmic ? AxisScale::log : AxisScale::linear;
  const Range fit =
      logarithmic ? Range{values.low / (1 + kOwnRoom), values.high * (1 + kOwnRoom)} : with_room(values, kOwnRoom);
  return fixed_axis(std::move(axis), fit);
}

}  // namespace

void add_own_curve(Figure& figure, const Experiment& experiment, const Text& text) {
  const OwnFields& own = experiment.own;
  const std::optional<CurveFile> curve = curve_of(own);
  if (!curve) return;
  const Range values = range_of(curve->ys);
  Line line{"own",
            own.name.empty() ? text["view.own.name"] : own.name,
            {free_slot(figure), false},
            make_series(curve->xs, curve->ys)};
  line.origin = own.name;
  line.right = reads_at_right(own, values, figure.y.fit);
  if (line.right) {
    figure.right = right_axis(own, values);
    if (figure.right->label.empty()) figure.right->label = line.label;
  } else if (figure.y.range == figure.y.fit) {
    figure.y.range = figure.y.fit = {std::min(figure.y.fit.low, values.low), std::max(figure.y.fit.high, values.high)};
  }
  figure.lines.push_back(std::move(line));
  figure.legend = true;
}

Words settle_own(const Experiment& before, Experiment& after) {
  const std::string path = after.own.file;
  if (path == before.own.file) return {};
  try {
    take_curve_file(after.own, path);
  } catch (const InputError& error) {
    return error.words();
  }
  return {};
}

bool open_own(Experiment& experiment, const std::string& path) {
  if (experiment.view != "decay" && experiment.view != "sweep") return false;
  OwnFields own;
  try {
    take_curve_file(own, path);
  } catch (const InputError&) {
    return false;  // of another view, or nobody's: who is asked next says what is wrong
  }
  experiment.own = std::move(own);
  return true;
}

}  // namespace ropescope
