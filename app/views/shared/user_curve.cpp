// Adds a user's own curve to figures.

#include "app/views/shared/user_curve.h"

#include <algorithm>
#include <utility>

#include "app/experiment/user_data.h"
#include "app/views/shared/figures.h"
#include "app/views/views.h"
#include "core/formats/curve_file.h"

namespace ropescope {

namespace {

constexpr double kUserCurveMargin = 0.06;

bool reads_at_right(const UserCurveFields& own, const Range& values, const Range& fit) {
  if (own.axis != OwnAxis::automatic) return own.axis == OwnAxis::right;
  const double length = fit.high - fit.low;
  return values.low < fit.low - length || values.high > fit.high + length;
}

/// Returns the stroke that the user chose, or the first one that no line of the figure uses.
int slot_of_own(const UserCurveFields& own, const Figure& figure) {
  if (own.slot > 0) return static_cast<int>(own.slot);
  int slot = 1;
  while (std::any_of(figure.lines.begin(), figure.lines.end(),
                     [slot](const Line& line) { return line.style.slot == slot || -1 - line.style.slot == slot; })) {
    ++slot;
  }
  return slot;
}

/// Returns the range of a curve's values, intervals included.
Range values_of(const CurveFile& curve, bool intervals) {
  Range values = range_of(curve.ys);
  for (std::size_t i = 0; intervals && i < curve.lows.size(); ++i) {
    include(values, curve.lows[i]);
    include(values, curve.highs[i]);
  }
  return values;
}

/// Adds a curve to the axis on the right: its values, and its title if it is a further one.
void extend_right_axis(Figure& figure, const UserCurveFields& own, const Range& values, const std::string& title) {
  const std::string old = figure.right ? figure.right->label : std::string();
  Range all = values;
  for (const Line& line : figure.lines) {
    for (const auto& series : {line.series, line.low, line.high}) {
      if (line.right && series) all = widened(all, *series);
    }
  }
  const bool logarithmic = own.scale == AxisScale::log || (figure.right && figure.right->scale == AxisScale::log);
  FigureAxis axis;
  axis.name = "own";
  axis.label = old.empty() || old == title ? title : old + ", " + title;
  axis.scale = logarithmic && all.low > 0 ? AxisScale::log : AxisScale::linear;
  const Range fit = axis.scale == AxisScale::log
                        ? Range{all.low / (1 + kUserCurveMargin), all.high * (1 + kUserCurveMargin)}
                        : add_margin(all, kUserCurveMargin);
  figure.right = fixed_axis(std::move(axis), fit);
}

/// Adds one curve to the figure.
void add_own_curve(Figure& figure, const UserCurveFields& own, const std::string& key, const Text& text) {
  const std::optional<CurveFile> curve = curve_of(own, key);
  if (!curve) return;
  const bool intervals = !curve->lows.empty() && own.errors != OwnErrors::none;
  const Range values = values_of(*curve, intervals);
  Line line{key,
            own.name.empty() ? text["view.own.name"] : own.name,
            {slot_of_own(own, figure), false},
            make_series(curve->xs, curve->ys)};
  line.origin = own.name;
  line.marks = !curve->has_values               ? LineMarks::none
               : own.marks == OwnMarks::line    ? LineMarks::line
               : own.marks == OwnMarks::markers ? LineMarks::markers
                                                : LineMarks::both;
  if (intervals) {
    line.low = make_series(curve->xs, curve->lows);
    line.high = make_series(curve->xs, curve->highs);
    line.bars = own.errors == OwnErrors::bars || (own.errors == OwnErrors::automatic && own.marks != OwnMarks::line);
  }
  line.right = reads_at_right(own, values, figure.y.fit);
  if (line.right) {
    extend_right_axis(figure, own, values, own.title.empty() ? line.label : own.title);
  } else if (figure.y.range == figure.y.fit) {
    figure.y.range = figure.y.fit = {std::min(figure.y.fit.low, values.low), std::max(figure.y.fit.high, values.high)};
  }
  figure.lines.push_back(std::move(line));
  figure.legend = true;
}

}  // namespace

void add_own_curves(Figure& figure, const Experiment& experiment, const Text& text) {
  for (std::size_t i = 0; i < experiment.own.size(); ++i) {
    add_own_curve(figure, experiment.own[i], own_key(i), text);
  }
}

Message load_user_curve(const Experiment& before, Experiment& after) {
  for (std::size_t i = 0; i < after.own.size(); ++i) {
    const std::string path = after.own[i].file;
    if (path == before.own[i].file) continue;
    try {
      after.own[i].file = before.own[i].file;
      take_curve_file(after.own[i], path);
    } catch (const InputError& error) {
      after.own[i] = {};
      after.own[i].file = path;
      return error.words();
    }
  }
  return {};
}

bool open_user_curve(Experiment& experiment, const std::string& path) {
  if (!kDecayView.is_shown(experiment) && !kSweepView.is_shown(experiment)) return false;
  UserCurves tried;
  try {
    take_curve_file(tried.front(), path);
  } catch (const InputError&) {
    return false;  // of another view or unsupported: the next reader reports the error
  }
  add_curve_file(experiment.own, path);
  return true;
}

}  // namespace ropescope
