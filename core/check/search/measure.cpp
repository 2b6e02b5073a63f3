#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/check/compare/angle_errors.h"
#include "core/check/compare/tolerances.h"
#include "core/check/model/ladders.h"

namespace ropescope {

namespace {

constexpr double kMeasureTurn = 2 * std::numbers::pi;
constexpr double kUnknown = std::numeric_limits<double>::infinity();
/// Frequencies of released code are float32 ones, up to 4e-7 off (torch's power).
constexpr double kSingle = 4e-7;

/// A row of the evidence with its coordinate on the axis that is measured.
struct MeasurePlace {
  double x = 0;
  Eigen::Index row = 0;
};
using MeasureLine = std::vector<MeasurePlace>;

/// Where the rows of the evidence stand.
struct Standing {
  RowMatrixXd ids;  ///< [rows × axes], scaled
  std::vector<std::size_t> block;
  bool operator==(const Standing& other) const {
    return ids.rows() == other.ids.rows() && ids.cols() == other.ids.cols() && block == other.block &&
           std::equal(ids.data(), ids.data() + ids.size(), other.ids.data());
  }
};

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

/// Rows between which only the measured axis changes, or of one part where other axes do not matter; sorted, no two at
/// the same coordinate.
std::vector<MeasureLine> lines_of(const Standing& standing, const CheckModel& model, Eigen::Index axis, bool by_grid) {
  const Eigen::Index rows = standing.ids.rows(), axes = standing.ids.cols();
  // −1, 0, 1: whether a row belongs to a line before another's, to the same, or after it.
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
    // Ids beyond the largest number of their format stand nowhere.
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
    const bool image = model.tokens.blocks[block].part == "image";
    some_image = some_image || image;
    found.emplace_back(image, std::move(line));
  }
  // The other parts may have a fault of their own (text that runs on another axis).
  std::vector<MeasureLine> lines;
  for (auto& [image, line] : found) {
    if (image || !some_image) lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const MeasureLine& a, const MeasureLine& b) { return a.size() > b.size(); });
  constexpr std::size_t kMostLines = 24;
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  return lines;
}

struct Step {
  Eigen::Index from = 0, to = 0;
  double distance = 0;
};

/// Pairs of places about `distance` apart, a few of each line.
std::vector<Step> steps_of(const std::vector<MeasureLine>& lines, double distance) {
  constexpr std::size_t kFromLine = 6, kMost = 12;
  std::vector<Step> steps;
  for (const MeasureLine& line : lines) {
    const std::size_t stride = std::max<std::size_t>(line.size() / kFromLine, 1);
    for (std::size_t i = 0; i < line.size() && steps.size() < kMost; i += stride) {
      const auto end = std::lower_bound(line.begin(), line.end(), line[i].x + distance * (1 - 1e-9),
                                        [](const MeasurePlace& place, double x) { return place.x < x; });
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

/// What all steps are whole multiples of: less than the smallest one where whole ids stand unevenly apart.
double common_step(const std::vector<MeasureLine>& lines, double least) {
  std::int64_t common = 0;
  for (const MeasureLine& line : lines) {
    for (std::size_t i = 1; i < line.size(); ++i) {
      const double step = line[i].x - line[i - 1].x;
      if (step != std::nearbyint(step) || step > 1e9) return least;
      common = std::gcd(common, static_cast<std::int64_t>(step));
    }
  }
  return common > 0 ? static_cast<double>(common) : least;
}

/// A frequency that becomes more exact with each longer step.
struct Running {
  double frequency = 0, sigma = kUnknown;
  double start = std::nan("");  ///< what an alias was settled to

  /// Which of `aliases` turns more or less fits all steps, which differ in length.
  void begin(const Observed& observed, const std::vector<Step>& steps, Eigen::Index pair, int aliases) {
    std::vector<std::pair<double, double>> known;  // difference of phases, distance
    for (const Step& step : steps) {
      const bool is_known = std::isfinite(observed.noise(step.from, pair) + observed.noise(step.to, pair));
      if (is_known) known.emplace_back(observed.phase(step.to, pair) - observed.phase(step.from, pair), step.distance);
    }
    if (known.empty()) return;
    const auto [first_difference, first_distance] = known.front();
    const double angle = wrapped(first_difference, kMeasureTurn);
    double least = kUnknown;
    for (int turn = -aliases; turn <= aliases; ++turn) {
      const double candidate = (angle + turn * kMeasureTurn) / first_distance;
      double misfit = 0;
      for (const auto& [difference, distance] : known) {
        misfit += std::abs(wrapped(difference - candidate * distance, kMeasureTurn));
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
      if (!begun) anchor = std::isnan(start) ? wrapped(difference, kMeasureTurn) / step.distance : start, begun = true;
      const double near = sigma < kUnknown ? frequency : anchor;
      if (sigma < kUnknown && sigma * step.distance > 0.8) continue;
      const double value = near + wrapped(difference - near * step.distance, kMeasureTurn) / step.distance;
      const double error = noise / step.distance + kSingle * std::abs(value);
      values.emplace_back(value, error);
    }
    if (values.empty()) return;
    // Steps to a row that stands elsewhere do not count: those that most agree on do.
    constexpr double kErrors = 12;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const double median = middle->first;
    double sum = 0, weights = 0;
    for (const auto& [value, error] : values) {
      if (values.size() > 2 && std::abs(value - median) > kErrors * error) continue;
      sum += value / (error * error);
      weights += 1 / (error * error);
    }
    if (!(weights > 0)) return;
    // Steps share rows and the error of float32 is common to them: no average counts as better than half of one.
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
    // Steps of all lengths: the aliases of the shortest ones are told apart by the others.
    std::vector<Step> steps = steps_of(lines, least);
    const std::vector<Step> longer = steps_of(lines, 2 * least);
    steps.insert(steps.end(), longer.begin(), longer.end());
    constexpr double kMostAliases = 64;
    const auto aliases = static_cast<int>(std::min(least / common, kMostAliases));
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
    measured.period(axis, pair) = kMeasureTurn / common;
  }
}

/// From frequencies that were given.
void take_given(const Evidence& evidence, const CheckModel& model, Measured& measured) {
  const DueFrequencies due = due_frequencies(model, evidence.frequencies.size());
  if (!due.counted || due.of == ListOf::shared_ladder) return;
  const StorageUnit unit = usual_unit_of(*evidence.tensors->frequencies);
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  const bool mixed = is_mixed(frequencies);
  for (std::size_t i = 0; i < due.compared; ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const Eigen::Index pair = at % frequencies.cols();
    Eigen::Index axis = at / frequencies.cols();
    if (!mixed) frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
    measured.frequency(axis, pair) = evidence.frequencies[i];
    measured.sigma(axis, pair) = frequency_tolerance(unit, evidence.frequencies[i]);
    measured.period(axis, pair) = kUnknown;
  }
}

/// What a measurement depends on, ids and tables given.
struct MeasuredKey {
  Pairing repeats, companions;
  bool out_by_halves;
  std::int64_t still;
  bool conjugate, exchanged, by_grid;
  double cosine_factor, sine_factor;
  Eigen::Index axes, pairs;
  std::vector<std::string> parts;
  Standing standing;
  bool operator==(const MeasuredKey&) const = default;
};

}  // namespace

/// Most candidates differ in nothing that a measurement looks at: it is made once for all of them.
struct MeasuredMemory {
  std::vector<std::pair<MeasuredKey, Measured>> kept;
  std::size_t next = 0;     ///< what is replaced next
  std::int64_t serial = 0;  ///< of the last one
};

std::shared_ptr<MeasuredMemory> new_memory() {
  return std::make_shared<MeasuredMemory>();
}

namespace {

Measured measure_rotation(const Evidence& evidence, const Observed& observed, const CheckModel& model, bool by_grid) {
  MeasuredKey key{model.repeats,
                  model.companions,
                  model.out_by_halves,
                  model.still,
                  model.conjugate,
                  model.exchanged,
                  by_grid,
                  model.cosine_factor,
                  model.sine_factor,
                  model.tokens.frequencies.rows(),
                  observed.phase.cols(),
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
  measured.frequency = Eigen::MatrixXd::Zero(key.axes, key.pairs);
  measured.sigma = Eigen::MatrixXd::Constant(key.axes, key.pairs, kUnknown);
  measured.period = measured.sigma;
  for (Eigen::Index axis = 0; axis < key.axes; ++axis) {
    measure_axis(key.standing, observed, model, axis, by_grid, measured);
  }
  constexpr std::size_t kMost = 48;
  if (memory.kept.size() < kMost) {
    memory.kept.emplace_back(std::move(key), measured);
  } else {
    memory.kept[memory.next++ % kMost] = {std::move(key), measured};
  }
  return measured;
}

}  // namespace

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
    const StorageUnit unit = unit_of(model.frequency_format);
    for (Eigen::Index i = 0; i < measured.sigma.size(); ++i) {
      measured.sigma.reshaped()[i] += 0.6 * unit.at(measured.frequency.reshaped()[i]);
    }
  }
  return measured;
}

}  // namespace ropescope
