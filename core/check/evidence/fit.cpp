// Replays of ggml, measured frequencies and fits: implementation of fit.h; read it first.
//
// Contents: ggml's recurrence; Measuring; Fits; Axes.

#include "core/check/evidence/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/check/compare/compare.h"
#include "core/check/compare/sides.h"
#include "core/check/evidence/situation.h"
#include "core/check/model/ladders.h"
#include "core/check/tuning.h"

namespace ropescope {

// --- ggml's recurrence ---------------------------------------------------------------------------------------------

/// Positions and blocks of the rows of the evidence.
struct Standing {
  RowMatrixXd ids;  ///< [rows × axes], scaled
  std::vector<std::size_t> block;
  bool operator==(const Standing& other) const {
    return ids.rows() == other.ids.rows() && ids.cols() == other.ids.cols() && block == other.block &&
           std::equal(ids.data(), ids.data() + ids.size(), other.ids.data());
  }
};

/// What a measurement depends on, with ids and tables fixed.
struct MeasuredKey {
  ObservedKey observed;
  bool by_grid;
  Eigen::Index axes;
  std::vector<std::string> parts;
  Standing standing;
  bool operator==(const MeasuredKey&) const = default;
};

/// Measurements shared by candidates: most candidates change nothing that a measurement depends on.
struct MeasuredMemory {
  std::vector<std::pair<MeasuredKey, Measured>> kept;
  std::size_t next = 0;     ///< index of the entry to replace next
  std::int64_t serial = 0;  ///< serial of the last measurement
};

namespace {

/// The pairs of a model that one axis rotates, as ggml computes them.
struct RecurrentAxis {
  std::size_t axis = 0;
  float scale = 1;
  std::vector<Eigen::Index> pairs;
  std::vector<std::size_t> step;  ///< per pair
  std::vector<double> factor;     ///< factor of an extension on the plain frequency; 1: none
  std::vector<float> thetas;
  std::vector<double> powers;  ///< powers of the scale
};

std::vector<RecurrentAxis> recurrent_axes(const CheckModel& model) {
  const Ladders ladders = ladders_of(model);
  const Eigen::MatrixXd steps = recurrent_steps(ladders);
  std::vector<RecurrentAxis> axes;
  for (Eigen::Index row = 0; row < steps.rows(); ++row) {
    RecurrentAxis of;
    of.axis = static_cast<std::size_t>(row);
    if (!(ladders.base[of.axis] > 1)) continue;
    of.scale = static_cast<float>(std::pow(ladders.base[of.axis], -ladders.step[of.axis]));
    for (Eigen::Index pair = 0; pair < steps.cols(); ++pair) {
      if (ladders.plain(row, pair) == 0 || model.tokens.frequencies(row, pair) == 0) continue;
      const double factor = model.tokens.frequencies(row, pair) / ladders.plain(row, pair);
      of.pairs.push_back(pair);
      of.step.push_back(static_cast<std::size_t>(steps(row, pair)));
      of.factor.push_back(std::abs(factor - 1) > tuned::kPlainFactor ? factor : 1);
      of.thetas.resize(std::max(of.thetas.size(), of.step.back() + 1));
    }
    axes.push_back(std::move(of));
  }
  return axes;
}

constexpr double kHalfUnit = 0x1p-24;

/// A replay of ggml's recurrence.
struct Replay {
  Recurrence way = Recurrence::cpu;
  double off_by = 0;            ///< relative error of the scale
  std::vector<double> of_pair;  ///< relative errors of the powers, [pairs]; empty: none
  std::vector<double> unknown;  ///< uncertainties of these errors
  double misfit = std::numeric_limits<double>::infinity();
};

/// Calls act(row of the evidence, pair, replayed angle, whether an extension changes the pair, whether its angle is the
/// position itself) for some rows.
template <class Act>
void each_replayed(const CheckModel& model, const Evidence& evidence, Eigen::Index looked, const Replay& replay,
                   std::vector<RecurrentAxis>& axes, const Act& act) {
  const RowEvaluator evaluator(model);
  const auto rows = static_cast<Eigen::Index>(evidence.rows.size());
  std::vector<double> ids(model.tokens.axes.size());
  for (RecurrentAxis& of : axes) {
    of.powers.resize(of.thetas.size());
    for (std::size_t k = 0; k < of.powers.size(); ++k) {
      of.powers[k] = std::pow(static_cast<double>(of.scale) * (1 + replay.off_by), static_cast<double>(k));
    }
  }
  for (Eigen::Index i = 0; i < looked; ++i) {
    const Eigen::Index row = i * rows / looked;
    evaluator.ids(evidence.rows[static_cast<std::size_t>(row)], ids.data());
    for (RecurrentAxis& of : axes) {
      const LayoutAxis& axis = model.tokens.axes[of.axis];
      const double position = axis.id_scale * ids[of.axis] + axis.id_offset;
      if (replay.way == Recurrence::cpu) {
        const auto scale = static_cast<float>(static_cast<double>(of.scale) * (1 + replay.off_by));
        recurrent_thetas(replay.way, static_cast<float>(position), scale, of.thetas);
      }
      for (std::size_t p = 0; p < of.pairs.size(); ++p) {
        const std::size_t k = of.step[p];
        const double error = replay.of_pair.empty() ? 0 : replay.of_pair[static_cast<std::size_t>(of.pairs[p])];
        const double theta =
            replay.way == Recurrence::cpu ? static_cast<double>(of.thetas[k]) : position * of.powers[k] * (1 + error);
        act(row, of.pairs[p], of.factor[p] * theta, of.factor[p] != 1, k == 0);
      }
    }
  }
}

/// Sums squared deviations in units of the phase error, each up to a bound, because a replay need not fit everywhere.
double misfit_of(const CheckModel& model, const Evidence& evidence, const Observed& observed, const Replay& replay,
                 std::vector<RecurrentAxis>& axes) {
  double sum = 0;
  each_replayed(model, evidence, std::min(observed.phase.rows(), tuned::kRowsOfReplay), replay, axes,
                [&](Eigen::Index row, Eigen::Index pair, double angle, bool, bool) {
                  const double noise = observed.noise(row, pair) + kHalfUnit * std::abs(angle);
                  if (!std::isfinite(noise)) return;
                  const double off = wrapped(observed.phase(row, pair) - angle, kTurn) / noise;
                  sum += std::min(off * off, tuned::kMaxMisfitOfPhase);
                });
  return sum;
}

/// Sets the relative error of each pair that most of its rows show; those with large angles show it best.
void find_errors_of_pairs(const CheckModel& model, const Evidence& evidence, const Observed& observed, Replay& replay,
                          std::vector<RecurrentAxis>& axes) {
  std::vector<std::vector<std::pair<double, double>>> shown(static_cast<std::size_t>(model.tokens.pair_count()));
  each_replayed(model, evidence, std::min(observed.phase.rows(), tuned::kRowsOfReplayErrors), replay, axes,
                [&](Eigen::Index row, Eigen::Index pair, double angle, bool, bool) {
                  const double noise = observed.noise(row, pair) + kHalfUnit * std::abs(angle);
                  if (!std::isfinite(noise) || angle == 0) return;
                  const double off = wrapped(observed.phase(row, pair) - angle, kTurn);
                  shown[static_cast<std::size_t>(pair)].emplace_back(noise / std::abs(angle), off / angle);
                });
  std::vector<double> errors(shown.size(), 0), unknown(shown.size(), 0);
  for (std::size_t pair = 0; pair < shown.size(); ++pair) {
    auto& rows = shown[pair];
    if (rows.empty()) continue;
    // The better half of the rows, and the median of these.
    const std::size_t half = (rows.size() + 1) / 2;
    std::nth_element(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(half - 1), rows.end());
    unknown[pair] = rows[half - 1].first / std::sqrt(static_cast<double>(half));
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(half / 2);
    std::nth_element(rows.begin(), middle, rows.begin() + static_cast<std::ptrdiff_t>(half),
                     [](const auto& a, const auto& b) { return a.second < b.second; });
    errors[pair] = middle->second;
  }
  replay.of_pair = std::move(errors), replay.unknown = std::move(unknown);
}

/// Returns whether a replay reproduces all rows.
bool gives_all(const CheckModel& model, const Evidence& evidence, const Replay& replay,
               std::vector<RecurrentAxis>& axes) {
  const std::int64_t rows = evidence.tensors->rows;
  bool fits = true;
  for (std::int64_t begin = 0; fits && begin < rows; begin += tuned::kRowsAtOnce) {
    std::vector<std::int64_t> some(static_cast<std::size_t>(std::min(tuned::kRowsAtOnce, rows - begin)));
    std::iota(some.begin(), some.end(), begin);
    const Evidence here = select_rows(evidence, std::move(some));
    const Observed observed = observe(here, model);
    each_replayed(model, here, observed.phase.rows(), replay, axes,
                  [&](Eigen::Index row, Eigen::Index pair, double angle, bool extended, bool position) {
                    const double noise = observed.noise(row, pair);
                    if (!std::isfinite(noise)) return;
                    const double roundings =
                        (replay.way == Recurrence::cpu || position ? tuned::kRoundingsOfCpu : tuned::kRoundingsOfGpu) +
                        (extended ? tuned::kRoundingsOfExtension : 0);
                    const double of_error = replay.unknown.empty() ? 0 : replay.unknown[static_cast<std::size_t>(pair)];
                    const double allowed = tuned::kErrorsOfPhase * noise + tuned::kLeastOfReplay +
                                           (roundings * kHalfUnit + tuned::kErrorsOfPhase * of_error) * std::abs(angle);
                    const double off = std::abs(wrapped(observed.phase(row, pair) - angle, kTurn));
                    // An error that does not change the phase changes the radius.
                    const double radius = std::hypot(observed.cosine(row, pair), observed.sine(row, pair));
                    const double of_radius = here.has_tables() ? here.table_unit.at(radius) : noise;
                    const bool same_radius =
                        std::abs(radius - observed.radius) <=
                        tuned::kErrorsOfPhase * of_radius + tuned::kFastCosineOfReplay * observed.radius;
                    fits = fits && off <= allowed && same_radius;
                  });
  }
  return fits;
}

// --- Measuring -----------------------------------------------------------------------------------------------------

constexpr double kUnknown = std::numeric_limits<double>::infinity();
/// Released code has float32 frequencies, with errors up to 4e-7 (torch's power).
constexpr double kSingle = 4e-7;

/// A row of the evidence with its coordinate on the measured axis.
struct LinePlace {
  double x = 0;
  Eigen::Index row = 0;
};
using MeasureLine = std::vector<LinePlace>;

Standing standing_of(const Evidence& evidence, const CheckModel& model) {
  const RowEvaluator evaluator(model);
  Standing standing;
  standing.ids.resize(static_cast<Eigen::Index>(evidence.rows.size()), evaluator.axes());
  standing.block.reserve(evidence.rows.size());
  for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    evaluator.ids(evidence.rows[i], &standing.ids(row, 0));
    standing.block.push_back(place_in(model, evidence.rows[i]).block);
  }
  for (Eigen::Index axis = 0; axis < evaluator.axes(); ++axis) {
    standing.ids.col(axis) *= model.tokens.axes[static_cast<std::size_t>(axis)].id_scale;
  }
  return standing;
}

/// Returns lines of rows that differ only on the measured axis, or, if other axes do not matter, of rows of one part;
/// sorted, with distinct coordinates.
std::vector<MeasureLine> lines_of(const Standing& standing, const CheckModel& model, Eigen::Index axis, bool by_grid) {
  const Eigen::Index rows = standing.ids.rows(), axes = standing.ids.cols();
  // −1, 0, 1: whether the line of a row comes before that of another, is the same, or comes after it.
  const auto order = [&](Eigen::Index a, Eigen::Index b) {
    const std::size_t of_a = standing.block[static_cast<std::size_t>(a)],
                      of_b = standing.block[static_cast<std::size_t>(b)];
    if (of_a != of_b) return of_a < of_b ? -1 : 1;
    for (Eigen::Index other = 0; by_grid && other < axes; ++other) {
      const double at_a = standing.ids(a, other), at_b = standing.ids(b, other);
      if (other != axis && at_a != at_b) return at_a < at_b ? -1 : 1;
    }
    return 0;
  };
  std::vector<Eigen::Index> sorted;
  for (Eigen::Index row = 0; row < rows; ++row) {
    // Ids beyond the largest number of their format have no coordinate.
    if (standing.ids.row(row).allFinite()) sorted.push_back(row);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [&](Eigen::Index a, Eigen::Index b) {
    const int by = order(a, b);
    return by != 0 ? by < 0 : standing.ids(a, axis) < standing.ids(b, axis);
  });
  std::vector<std::pair<bool, MeasureLine>> found;
  bool some_image = false;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    MeasureLine line;
    for (; end < sorted.size() && order(sorted[begin], sorted[end]) == 0; ++end) {
      const double x = standing.ids(sorted[end], axis);
      if (line.empty() || line.back().x != x) line.push_back({x, sorted[end]});
    }
    if (line.size() < 2) continue;
    const std::size_t block = standing.block[static_cast<std::size_t>(sorted[begin])];
    const bool image = model.tokens.blocks[block].is_image();
    some_image = some_image || image;
    found.emplace_back(image, std::move(line));
  }
  // The other parts may have their own error (text that uses another axis).
  std::vector<MeasureLine> lines;
  for (auto& [image, line] : found) {
    if (image || !some_image) lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const MeasureLine& a, const MeasureLine& b) { return a.size() > b.size(); });
  if (lines.size() > tuned::kMaxMeasureLines) lines.resize(tuned::kMaxMeasureLines);
  return lines;
}

struct Step {
  Eigen::Index from = 0, to = 0;
  double distance = 0;
};

/// Returns pairs of places about `distance` apart, a few from each line.
std::vector<Step> steps_of(const std::vector<MeasureLine>& lines, double distance) {
  std::vector<Step> steps;
  for (const MeasureLine& line : lines) {
    const std::size_t stride = std::max<std::size_t>(line.size() / tuned::kStepsOfLine, 1);
    for (std::size_t i = 0; i < line.size() && steps.size() < tuned::kMaxSteps; i += stride) {
      const auto end = std::lower_bound(line.begin(), line.end(), line[i].x + distance * (1 - 1e-9),
                                        [](const LinePlace& place, double x) { return place.x < x; });
      if (end == line.end()) break;
      const double found = end->x - line[i].x;
      if (found <= 1.9 * distance) steps.push_back({line[i].row, end->row, found});
    }
  }
  return steps;
}

double smallest_step(const std::vector<MeasureLine>& lines) {
  double least = kUnknown;
  for (const MeasureLine& line : lines) {
    for (std::size_t i = 1; i < line.size(); ++i) least = std::min(least, line[i].x - line[i - 1].x);
  }
  return least;
}

/// Returns the greatest common divisor of all steps: below the smallest step if integer ids are unevenly spaced.
double common_step(const std::vector<MeasureLine>& lines, double least) {
  std::int64_t common = 0;
  for (const MeasureLine& line : lines) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      const double step = line[i].x - line[i - 1].x;
      if (step != std::nearbyint(step) || step > tuned::kMaxWholeId) return least;
      common = std::gcd(common, static_cast<std::int64_t>(step));
    }
  }
  return common > 0 ? static_cast<double>(common) : least;
}

/// A frequency that becomes more precise with each longer step.
struct Running {
  double frequency = 0, sigma = kUnknown;
  double start = std::nan("");  ///< the frequency chosen among the aliases

  /// Chooses the number of extra turns, up to ±`aliases`, that fits all steps, which differ in length.
  void begin(const Observed& observed, const std::vector<Step>& steps, Eigen::Index pair, int aliases) {
    std::vector<std::pair<double, double>> known;  // difference of phases, distance
    for (const Step& step : steps) {
      const bool is_known = std::isfinite(observed.noise(step.from, pair) + observed.noise(step.to, pair));
      if (is_known) known.emplace_back(observed.phase(step.to, pair) - observed.phase(step.from, pair), step.distance);
    }
    if (known.empty()) return;
    const auto [first_difference, first_distance] = known.front();
    const double angle = wrapped(first_difference, kTurn);
    double least = kUnknown;
    for (int turn = -aliases; turn <= aliases; ++turn) {
      const double candidate = (angle + turn * kTurn) / first_distance;
      double misfit = 0;
      for (const auto& [difference, distance] : known) {
        misfit += std::abs(wrapped(difference - candidate * distance, kTurn));
        if (misfit >= least) break;
      }
      if (misfit < least * (1 - 1e-6)) least = misfit, start = candidate;
    }
  }

  void add(const Observed& observed, const std::vector<Step>& steps, Eigen::Index pair) {
    std::vector<std::pair<double, double>> values;  // with their errors
    double anchor = 0;
    bool begun = sigma < kUnknown;
    for (const Step& step : steps) {
      const double noise = std::hypot(observed.noise(step.from, pair), observed.noise(step.to, pair));
      if (!std::isfinite(noise)) continue;
      const double difference = observed.phase(step.to, pair) - observed.phase(step.from, pair);
      if (!begun) anchor = std::isnan(start) ? wrapped(difference, kTurn) / step.distance : start, begun = true;
      const double near = sigma < kUnknown ? frequency : anchor;
      if (sigma < kUnknown && sigma * step.distance > tuned::kClearTurn) continue;
      const double value = near + wrapped(difference - near * step.distance, kTurn) / step.distance;
      const double error = noise / step.distance + kSingle * std::abs(value);
      values.emplace_back(value, error);
    }
    if (values.empty()) return;
    // Steps to a misplaced row are excluded: those near the median count.
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const double median = middle->first;
    double sum = 0, weights = 0;
    for (const auto& [value, error] : values) {
      if (values.size() > 2 && std::abs(value - median) > tuned::kErrorsOfStep * error) continue;
      sum += value / (error * error);
      weights += 1 / (error * error);
    }
    if (!(weights > 0)) return;
    // Steps share rows and their float32 error, so averaging does not reduce the error below that of float32.
    const double together = sigma < kUnknown ? 1 / (sigma * sigma) : 0;
    frequency = (frequency * together + sum) / (together + weights);
    sigma = std::max(1 / std::sqrt(together + weights), kSingle * std::abs(frequency));
  }
};

void measure_axis(const Standing& standing, const Observed& observed, const CheckModel& model, Eigen::Index axis,
                  bool by_grid, Measured& measured) {
  const std::vector<MeasureLine> lines = lines_of(standing, model, axis, by_grid);
  const double least = smallest_step(lines);
  if (!(least < kUnknown)) return;
  double longest = 0;
  for (const MeasureLine& line : lines) longest = std::max(longest, line.back().x - line.front().x);
  std::vector<Running> running(static_cast<std::size_t>(observed.phase.cols()));
  const double common = common_step(lines, least);
  if (common < least) {
    // Steps of all lengths: the longer ones distinguish the aliases of the shortest.
    std::vector<Step> steps = steps_of(lines, least);
    const std::vector<Step> longer = steps_of(lines, 2 * least);
    steps.insert(steps.end(), longer.begin(), longer.end());
    const auto aliases = static_cast<int>(std::min(least / common, tuned::kMaxAliases));
    measured.spend(observed.phase.cols() * aliases * static_cast<Eigen::Index>(steps.size()));
    for (Eigen::Index pair = 0; pair < observed.phase.cols(); ++pair) {
      running[static_cast<std::size_t>(pair)].begin(observed, steps, pair, aliases);
    }
  }
  for (double distance = least; distance <= longest * (1 + 1e-9) && std::isfinite(distance); distance *= 2) {
    const std::vector<Step> steps = steps_of(lines, distance);
    measured.spend(observed.phase.cols() * static_cast<Eigen::Index>(steps.size()));
    for (Eigen::Index pair = 0; pair < observed.phase.cols(); ++pair) {
      running[static_cast<std::size_t>(pair)].add(observed, steps, pair);
    }
  }
  for (Eigen::Index pair = 0; pair < observed.phase.cols(); ++pair) {
    measured.frequency(axis, pair) = running[static_cast<std::size_t>(pair)].frequency;
    measured.sigma(axis, pair) = running[static_cast<std::size_t>(pair)].sigma;
    measured.period(axis, pair) = kTurn / common;
  }
}

/// Takes the frequencies from the inputs.
void take_given(const Evidence& evidence, const CheckModel& model, Measured& measured) {
  const ExpectedFrequencies due = find_expected_frequencies(model, evidence.frequencies.size());
  if (!due.counted || due.of == ListOf::shared_ladder) return;
  const StorageUnit unit = typical_unit(*evidence.tensors->frequencies);
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  const bool mixed = is_mixed(frequencies);
  for (std::size_t i = 0; i < due.compared; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const Eigen::Index pair = at % frequencies.cols();
    Eigen::Index axis = at / frequencies.cols();
    if (!mixed) frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
    // Tables that are checked together with the list may have fewer pairs than the list.
    if (pair >= measured.frequency.cols()) continue;
    measured.frequency(axis, pair) = evidence.frequencies[i];
    measured.sigma(axis, pair) = frequency_tolerance(unit, evidence.frequencies[i]);
    measured.period(axis, pair) = kUnknown;
  }
}

Measured measure_rotation(const Evidence& evidence, const Observed& observed, const CheckModel& model, bool by_grid) {
  MeasuredKey key{make_observed_key(model, observed.phase.cols()),
                  by_grid,
                  model.tokens.frequencies.rows(),
                  {},
                  standing_of(evidence, model)};
  for (const TokenBlock& block : model.tokens.blocks) key.parts.push_back(block.part);
  evidence.spend(key.standing.ids.size());
  MeasuredMemory& memory = *evidence.measured;
  for (const auto& [seen, measured] : memory.kept) {
    if (seen == key) return measured;
  }
  Measured measured;
  measured.effort = evidence.effort;
  measured.serial = ++memory.serial;
  measured.frequency = Eigen::MatrixXd::Zero(key.axes, key.observed.pairs);
  measured.sigma = Eigen::MatrixXd::Constant(key.axes, key.observed.pairs, kUnknown);
  measured.period = measured.sigma;
  for (Eigen::Index axis = 0; axis < key.axes; ++axis) {
    measure_axis(key.standing, observed, model, axis, by_grid, measured);
  }
  if (memory.kept.size() < tuned::kKeptMeasurements) {
    memory.kept.emplace_back(std::move(key), measured);
  } else {
    memory.kept[memory.next++ % tuned::kKeptMeasurements] = {std::move(key), measured};
  }
  return measured;
}

// --- Fits ----------------------------------------------------------------------------------------------------------

/// Returns whether frequencies are finite and have the shape of the measured ones: tables with other pairs do not.
bool comparable(const Measured& measured, const Eigen::MatrixXd& frequencies) {
  return frequencies.rows() == measured.frequency.rows() && frequencies.cols() == measured.frequency.cols() &&
         frequencies.allFinite();
}

/// Calls act(index, deviation, period), both in units of the error, for each known frequency that an axis rotates.
template <class Act>
void each_deviation(const Measured& measured, const Eigen::MatrixXd& frequencies, const Act& act) {
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    const double frequency = frequencies.reshaped()[i], sigma = measured.sigma.reshaped()[i];
    if (!std::isfinite(sigma) || frequency == 0) continue;
    const double period = measured.period.reshaped()[i];
    double deviation = frequency - measured.frequency.reshaped()[i];
    if (std::isfinite(period)) deviation = wrapped(deviation, period);
    act(i, deviation / sigma, period / sigma);
  }
}

/// Returns one Gauss-Newton step in ln(value), and its error. Ambiguous deviations (near half a period) are excluded.
std::optional<std::pair<double, double>> newton_step(const Measured& measured, const Family& family, double value,
                                                     bool robust) {
  const Eigen::MatrixXd here = family(value), there = family(value * std::exp(tuned::kNewtonStep));
  if (!comparable(measured, here) || !comparable(measured, there)) return std::nullopt;
  measured.spend(2 * here.cols());
  double curvature = 0, slope = 0;
  each_deviation(measured, here, [&](Eigen::Index i, double deviation, double half_turns) {
    if (std::abs(deviation) > tuned::kClearOfPeriod * half_turns) return;
    const double derivative =
        (there.reshaped()[i] - here.reshaped()[i]) / tuned::kNewtonStep / measured.sigma.reshaped()[i];
    const double weight = robust ? 1 / (1 + deviation * deviation / (tuned::kErrorsOfFit * tuned::kErrorsOfFit)) : 1;
    curvature += weight * derivative * derivative;
    slope += weight * derivative * deviation;
  });
  if (!(curvature > 0)) return std::nullopt;
  return std::pair{-slope / curvature, 1 / std::sqrt(curvature)};
}

/// Returns Σ r·r'/unit² and Σ r'²/unit² over cos and sin of some rows: r is the residual of `here`, r' its change.
std::pair<double, double> slope_of_tables(const Evidence& evidence, const CheckModel& here, const CheckModel& there) {
  const RowEvaluator first(here), second(there);
  const auto pairs = static_cast<std::size_t>(first.pairs());
  if (first.pairs() != evidence.cosine.cols() || second.pairs() != first.pairs()) return {0, 0};
  std::vector<double> c(pairs), s(pairs), c2(pairs), s2(pairs), size(pairs);
  const StorageUnit& unit = evidence.table_unit;
  double slope = 0, curvature = 0;
  const std::size_t stride = std::max<std::size_t>(evidence.rows.size() / tuned::kRowsOfSlope, 1);
  evidence.spend(2 * static_cast<Eigen::Index>(evidence.rows.size() / stride) * first.pairs());
  for (std::size_t i = 0; i < evidence.rows.size(); i += stride) {
    second.row(evidence.rows[i], c2.data(), s2.data(), size.data());
    first.row(evidence.rows[i], c.data(), s.data(), size.data());
    const auto row = static_cast<Eigen::Index>(i);
    const auto add = [&](double stored, double expected, double moved, double reach) {
      const double error = unit.at(expected) + kAngleError * reach + 1e-12;
      const double residual = (stored - expected) / error, change = (moved - expected) / error;
      // A cell with a large residual is wrapped, or wrong for another reason.
      if (std::abs(residual) > tuned::kNoWeight) return;
      const double weight = 1 / (1 + residual * residual / (tuned::kHalfWeight * tuned::kHalfWeight));
      slope += weight * residual * change;
      curvature += weight * change * change;
    };
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      const auto p = static_cast<Eigen::Index>(pair);
      add(evidence.cosine(row, p), c[pair], c2[pair], size[pair]);
      add(evidence.sine(row, p), s[pair], s2[pair], size[pair]);
    }
  }
  return {slope, curvature};
}

// --- Axes ----------------------------------------------------------------------------------------------------------

/// Returns the number of one axis as its frequencies show it; the model's if no other fits far better.
Fit fit_of(const Situation& situation, const AxisFamily& family, std::size_t axis) {
  const Fit own{family.own[axis], 0, 0};
  if (own.value == 0) return own;
  const Measured& measured = situation.measured();
  if ((measured.sigma.row(static_cast<Eigen::Index>(axis)).array() >= 1e30).all()) return own;
  const Family frequencies = [&](double value) { return family.frequencies(axis, value); };
  const auto fit = fit_parameter(measured, frequencies, family.starts(axis));
  if (!fit || !(fit->error < family.sure * std::abs(fit->value))) return own;
  const bool same = std::abs(fit->value - own.value) <= tuned::kErrorsOfFit * fit->error;
  // A farther number has to fit far better.
  const bool better = fit->misfit < tuned::kFarBetter * misfit(measured, frequencies(own.value));
  return same || !better ? own : *fit;
}

/// Returns numbers found for other axes that are near a fit: axes mostly share their errors.
std::vector<double> near_fits(const std::vector<Fit>& fits, const AxisNumbers& numbers, const AxisFamily& family,
                              std::size_t axis, const Fit& fit) {
  std::vector<double> near;
  for (std::size_t other = 0; other < axis; ++other) {
    const double value = numbers.values[other];
    const bool found = fits[other].value != family.own[other];
    if (found &&
        std::abs(value - fit.value) <= std::max(tuned::kErrorsOfFit * fit.error, tuned::kNearRatio * std::abs(value))) {
      near.push_back(value);
    }
  }
  return near;
}

}  // namespace

std::optional<Recurrence> find_recurrence(const CheckModel& model, const Evidence& evidence) {
  const Observed observed = observe(evidence, model);
  std::vector<RecurrentAxis> axes = recurrent_axes(model);
  const auto best_of = [&](Recurrence way, int parts, double step) {
    Replay best;
    for (int part = -parts; part <= parts; ++part) {
      Replay replay{way, part * step, {}, {}};
      replay.misfit = misfit_of(model, evidence, observed, replay, axes);
      if (replay.misfit < best.misfit) best = std::move(replay);
    }
    return best;
  };
  // A float32 neighbour of s on the CPU; on GPUs the logarithm of s is off as well, by any amount.
  std::vector<Replay> replays = {best_of(Recurrence::cpu, tuned::kFloatNeighbours, 1.2 * kHalfUnit),
                                 best_of(Recurrence::gpu, tuned::kPartsOfLogarithm, kHalfUnit / 8)};
  find_errors_of_pairs(model, evidence, observed, replays[1], axes);
  if (replays[1].misfit < replays[0].misfit) std::swap(replays[0], replays[1]);
  for (const Replay& replay : replays) {
    if (gives_all(model, evidence, replay, axes)) return replay.way;
  }
  return std::nullopt;
}

// --- Measuring -----------------------------------------------------------------------------------------------------

std::shared_ptr<MeasuredMemory> new_measured_memory() {
  return std::make_shared<MeasuredMemory>();
}

Measured measure(const Evidence& evidence, const Observed& observed, const CheckModel& model, bool by_grid,
                 bool given) {
  Measured measured;
  if (evidence.has_rotation()) {
    measured = measure_rotation(evidence, observed, model, by_grid || is_mixed(model.tokens.frequencies));
  } else {
    measured.effort = evidence.effort;
    measured.frequency = Eigen::MatrixXd::Zero(model.tokens.frequencies.rows(), model.tokens.pair_count());
    measured.sigma = Eigen::MatrixXd::Constant(measured.frequency.rows(), measured.frequency.cols(), kUnknown);
    measured.period = measured.sigma;
  }
  if (given && !evidence.frequencies.empty()) {
    take_given(evidence, model, measured);
    measured.serial = 0;
  }
  if (model.recurrence && evidence.has_rotation() && measured.sigma.cols() == model.tokens.pair_count()) {
    const std::vector<double> errors = angle_errors(model).of_pair;
    for (Eigen::Index i = 0; i < measured.sigma.size(); ++i) {
      const double error = errors[static_cast<std::size_t>(i / measured.sigma.rows())];
      measured.sigma.reshaped()[i] += error * std::abs(measured.frequency.reshaped()[i]);
    }
    measured.serial = -measured.serial;
  }
  if (model.frequency_format != ShortFormat::none) {
    const StorageUnit unit = find_storage_unit(model.frequency_format);
    for (Eigen::Index i = 0; i < measured.sigma.size(); ++i) {
      measured.sigma.reshaped()[i] += tuned::kErrorOfRounded * unit.at(measured.frequency.reshaped()[i]);
    }
  }
  return measured;
}

void add_shown_ratios(const Measured& measured, const Eigen::MatrixXd& frequencies, std::size_t most,
                      std::vector<double>& starts) {
  if (measured.frequency.size() != frequencies.size()) return;
  for (Eigen::Index i = 0; i < frequencies.size() && starts.size() < most; ++i) {
    const double found = measured.frequency.reshaped()[i], expected = frequencies.reshaped()[i];
    const bool clear = std::abs(found) > tuned::kClearOfNoiseStart * measured.sigma.reshaped()[i];
    if (expected != 0 && clear && found / expected > 0) starts.push_back(found / expected);
  }
}

std::optional<Fit> divisor_of_slowest(const Measured& measured, const Eigen::MatrixXd& frequencies, double sure) {
  std::optional<Fit> found;
  if (measured.frequency.rows() != frequencies.rows() || measured.frequency.cols() != frequencies.cols()) return found;
  double slowest = std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < frequencies.size(); ++i) {
    const double due = frequencies.reshaped()[i], given = measured.frequency.reshaped()[i];
    const double error = measured.sigma.reshaped()[i] / given;
    if (!(due > 0) || !(due < slowest) || !(given > 0) || !(error < sure)) continue;
    slowest = due;
    found = Fit{due / given, error * due / given, 0};
  }
  return found;
}

// --- Fits ----------------------------------------------------------------------------------------------------------

double misfit(const Measured& measured, const Eigen::MatrixXd& frequencies) {
  if (!comparable(measured, frequencies)) return std::numeric_limits<double>::infinity();
  measured.spend(2 * frequencies.cols());
  double sum = 0;
  Eigen::Index count = 0;
  each_deviation(measured, frequencies, [&](Eigen::Index, double deviation, double) {
    sum += std::log1p(deviation * deviation);
    ++count;
  });
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

Eigen::MatrixXd no_frequencies() {
  return Eigen::MatrixXd::Constant(1, 1, std::nan(""));
}

std::optional<Fit> fit_parameter(const Measured& measured, const Family& family, const std::vector<double>& starts) {
  std::vector<std::pair<double, double>> order;
  for (const double start : starts) {
    if (measured.is_spent()) break;
    const Eigen::MatrixXd frequencies = family(start);
    if (comparable(measured, frequencies)) order.emplace_back(misfit(measured, frequencies), start);
  }
  if (order.empty()) return std::nullopt;
  std::sort(order.begin(), order.end());
  std::optional<Fit> best;
  for (std::size_t i = 0; i < std::min(tuned::kTriedStarts, order.size()); ++i) {
    double value = order[i].second, error = 0;
    double of_value = order[i].first;
    for (int step = 0; step < tuned::kNewtonSteps && !measured.is_spent(); ++step) {
      const auto moved = newton_step(measured, family, value, step >= 4);
      if (!moved) break;
      error = moved->second;
      double by = std::clamp(moved->first, -tuned::kLongestStep, tuned::kLongestStep);
      // Halved until it helps: beyond a wrap the slope has the wrong sign.
      double next = value, of_next = of_value;
      for (int half = 0; half < 6; ++half, by /= 2) {
        next = value * std::exp(by);
        const Eigen::MatrixXd frequencies = family(next);
        of_next = misfit(measured, frequencies);
        if (of_next <= of_value) break;
      }
      if (!(of_next <= of_value)) break;
      const bool done = std::abs(by) < tuned::kConverged || (std::abs(by) < 1e-3 * error && step > 6);
      value = next, of_value = of_next;
      if (done) break;
    }
    if (!best || of_value < best->misfit) best = Fit{value, error * value, of_value};
  }
  return best;
}

Fit refine_fit(const Evidence& evidence, const Fit& fit, const std::function<CheckModel(double)>& build) {
  if (!evidence.has_tables() || share_reproduced(build(fit.value), evidence) < tuned::kSomeRight) return fit;
  Fit better = fit;
  for (int round = 0; round < tuned::kRefinements && !evidence.is_spent(); ++round) {
    const CheckModel here = build(better.value), there = build(better.value * (1 + tuned::kRefinedStep));
    const auto [slope, curvature] = slope_of_tables(evidence, here, there);
    if (!(curvature > 0)) return fit;
    const double by = slope / curvature * tuned::kRefinedStep;
    if (!(std::abs(by) < tuned::kFarthestRefined)) return fit;
    better.value *= 1 + by;
    better.error = std::abs(better.value) * tuned::kRefinedStep / std::sqrt(curvature);
    if (std::abs(by) < tuned::kConverged) break;
  }
  // ggml's recurrence has the same errors in all rows: more rows do not make a number more precise.
  if (build(better.value).recurrence)
    better.error = std::max(better.error, tuned::kFitOfRecurrence * std::abs(better.value));
  return better;
}

std::vector<double> round_numbers(const Fit& fit) {
  std::vector<double> numbers;
  const double size = fit.value == 0 ? 0 : std::floor(std::log10(std::abs(fit.value)));
  for (int digits = 1; digits <= tuned::kMaxDigits && numbers.size() < 5; ++digits) {
    // A power of ten below 1 is not exact: multiply by its inverse.
    const double places = digits - 1 - size;
    const double rounded = places <= 0 ? std::nearbyint(fit.value / std::pow(10.0, -places)) * std::pow(10.0, -places)
                                       : std::nearbyint(fit.value * std::pow(10.0, places)) / std::pow(10.0, places);
    // Few digits are likely even if the error of the fit is underestimated.
    const double reach =
        std::max(tuned::kErrorsOfFit * fit.error,
                 (digits <= tuned::kFewDigits ? tuned::kNearRatio : tuned::kSameLadder) * std::abs(fit.value));
    const bool seen = !numbers.empty() && numbers.back() == rounded;
    if (std::abs(rounded - fit.value) <= reach && !seen) numbers.push_back(rounded);
  }
  numbers.push_back(fit.value);
  return numbers;
}

std::vector<double> numbers_for_rounded(const CheckModel& model, const Fit& fit) {
  std::vector<double> numbers;
  if (model.frequency_format == ShortFormat::none) return numbers;
  for (int i = -tuned::kValuesAround; i <= tuned::kValuesAround; ++i)
    numbers.push_back(fit.value + 3 * fit.error * i / tuned::kValuesAround);
  return numbers;
}

bool has_few_digits(double value) {
  const auto is_short = [](double number) {
    if (number == 0 || !std::isfinite(number)) return false;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(number))) - 2);
    return std::abs(number / unit - std::nearbyint(number / unit)) < 1e-9;
  };
  return is_short(value) || is_short(1 / value);
}

std::vector<double> logarithmic_grid(const tuned::Grid& grid) {
  std::vector<double> numbers;
  for (int i = 0; i < grid.count; ++i) {
    numbers.push_back(grid.low * std::pow(grid.high / grid.low, static_cast<double>(i) / std::max(grid.count - 1, 1)));
  }
  return numbers;
}

std::vector<Fit> first_rungs(const Measured& measured, const Eigen::MatrixXd& frequencies, const Ladders& ladders,
                             Eigen::Index axis) {
  if (!(ladders.base[static_cast<std::size_t>(axis)] > 1) || measured.frequency.size() != frequencies.size()) return {};
  std::vector<std::pair<double, Eigen::Index>> slowest_first;
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    const bool alone = frequencies(axis, pair) != 0 && (frequencies.col(pair).array() != 0).count() == 1;
    if (alone && std::isfinite(measured.sigma(axis, pair)))
      slowest_first.emplace_back(-ladders.exponent(axis, pair), pair);
  }
  std::sort(slowest_first.begin(), slowest_first.end());
  LineFit fit;
  for (const auto& [minus_exponent, pair] : slowest_first) {
    const double sigma = measured.sigma(axis, pair), period = measured.period(axis, pair);
    double frequency = measured.frequency(axis, pair);
    if (fit.determined() && std::isfinite(period)) {
      const auto [logarithm, error] = fit.at(-minus_exponent);
      const double expected = std::exp(logarithm);
      if (expected * error > tuned::kSureOfPeriod * period) continue;
      frequency = expected + wrapped(frequency - expected, period);
    }
    const double weight = frequency * frequency / (sigma * sigma);
    if (frequency > tuned::kClearOfNoise * sigma) fit.add(-minus_exponent, std::log(frequency), weight);
  }
  std::vector<Fit> found;
  if (fit.determined()) {
    const auto [logarithm, error] = fit.at(0);
    found.push_back({std::exp(logarithm), error * std::exp(logarithm), 0});
  }
  // If an extension bends the ladder, its first pairs stay unchanged.
  for (int turn = 0; turn <= tuned::kTurnsOfFirst && !slowest_first.empty(); ++turn) {
    const auto [minus_exponent, pair] = slowest_first.back();
    if (minus_exponent < -1e-6) break;
    const double frequency = measured.frequency(axis, pair) + turn * measured.period(axis, pair);
    if (frequency > 0 && std::isfinite(frequency)) found.push_back({frequency, measured.sigma(axis, pair), 0});
  }
  return found;
}

// --- Axes ----------------------------------------------------------------------------------------------------------

Eigen::MatrixXd only_axis(const Eigen::MatrixXd& frequencies, std::size_t axis) {
  Eigen::MatrixXd only = Eigen::MatrixXd::Zero(frequencies.rows(), frequencies.cols());
  only.row(static_cast<Eigen::Index>(axis)) = frequencies.row(static_cast<Eigen::Index>(axis));
  return only;
}

std::vector<Fit> axis_fits(const Situation& situation, const AxisFamily& family) {
  std::vector<Fit> fits;
  bool some = false;
  for (std::size_t axis = 0; axis < family.own.size(); ++axis) {
    fits.push_back(fit_of(situation, family, axis));
    some = some || fits[axis].value != family.own[axis];
  }
  return some ? fits : std::vector<Fit>{};
}

CheckModel apply_fits(const Situation& situation, const AxisFamily& family, const std::vector<Fit>& fits) {
  CheckModel model = situation.model;
  for (std::size_t axis = 0; axis < fits.size(); ++axis) {
    if (fits[axis].value != family.own[axis]) model = family.applied(model, axis, fits[axis].value);
  }
  return model;
}

AxisNumbers choose_axis_values(const Situation& situation, const AxisFamily& family, const std::vector<Fit>& fits) {
  AxisNumbers numbers{family.own};
  std::vector<Fit> now = fits;
  for (std::size_t axis = 0; axis < fits.size(); ++axis) {
    if (fits[axis].value == family.own[axis]) continue;
    const auto build = [&](double value) {
      now[axis].value = value;
      return apply_fits(situation, family, now);
    };
    const Fit fit = refine_fit(situation.evidence, fits[axis], build);
    double most = -1;
    std::vector<double> candidates = near_fits(fits, numbers, family, axis, fit);
    for (const double value : family.candidates(fit)) candidates.push_back(value);
    for (const double value : candidates) {
      const double share = share_reproduced(build(value), situation.evidence);
      if (share > most) most = share, numbers.values[axis] = value;
    }
    now[axis].value = numbers.values[axis];
    numbers.fitted = numbers.fitted || numbers.values[axis] == fit.value;
  }
  return numbers;
}

}  // namespace ropescope
