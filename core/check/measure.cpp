#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "core/check/ladders.h"

namespace ropescope {

namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kUnknown = std::numeric_limits<double>::infinity();
/// Frequencies of released code are float32 ones, up to 4e-7 off (torch's power).
constexpr double kSingle = 4e-7;

/// A row of the evidence with its coordinate on the axis that is measured.
struct Place {
  double x = 0;
  Eigen::Index row = 0;
};
using Line = std::vector<Place>;

/// Rows between which only the measured axis changes, or of one part where other axes do not matter; sorted, no two at
/// the same coordinate.
std::vector<Line> lines_of(const Evidence& evidence, const CheckModel& model, Eigen::Index axis, bool by_grid) {
  const RowEvaluator evaluator(model);
  std::map<std::vector<double>, Line> groups;
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  const LayoutAxis& of = model.tokens.axes[static_cast<std::size_t>(axis)];
  for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
    evaluator.ids(evidence.rows[i], ids.data());
    std::vector<double> key = {static_cast<double>(place_in(model, evidence.rows[i]).block)};
    if (by_grid) {
      for (Eigen::Index other = 0; other < evaluator.axes(); ++other) {
        if (other != axis) key.push_back(ids[static_cast<std::size_t>(other)]);
      }
    }
    groups[key].push_back({of.id_scale * ids[static_cast<std::size_t>(axis)], static_cast<Eigen::Index>(i)});
  }
  std::vector<std::pair<bool, Line>> found;
  bool some_image = false;
  for (auto& [key, line] : groups) {
    std::stable_sort(line.begin(), line.end(), [](const Place& a, const Place& b) { return a.x < b.x; });
    line.erase(std::unique(line.begin(), line.end(), [](const Place& a, const Place& b) { return a.x == b.x; }),
               line.end());
    if (line.size() < 2) continue;
    const bool image = model.tokens.blocks[static_cast<std::size_t>(key[0])].part == "image";
    some_image = some_image || image;
    found.emplace_back(image, std::move(line));
  }
  // The other parts may have a fault of their own (text that runs on another axis).
  std::vector<Line> lines;
  for (auto& [image, line] : found) {
    if (image || !some_image) lines.push_back(std::move(line));
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.size() > b.size(); });
  constexpr std::size_t kMostLines = 24;
  if (lines.size() > kMostLines) lines.resize(kMostLines);
  return lines;
}

struct Step {
  Eigen::Index from = 0, to = 0;
  double distance = 0;
};

/// Pairs of places about `distance` apart, a few of each line.
std::vector<Step> steps_of(const std::vector<Line>& lines, double distance) {
  constexpr std::size_t kFromLine = 6, kMost = 12;
  std::vector<Step> steps;
  for (const Line& line : lines) {
    const std::size_t stride = std::max<std::size_t>(line.size() / kFromLine, 1);
    for (std::size_t i = 0; i < line.size() && steps.size() < kMost; i += stride) {
      const auto end = std::lower_bound(line.begin(), line.end(), line[i].x + distance * (1 - 1e-9),
                                        [](const Place& place, double x) { return place.x < x; });
      if (end == line.end()) break;
      const double found = end->x - line[i].x;
      if (found <= 1.9 * distance) steps.push_back({line[i].row, end->row, found});
    }
  }
  return steps;
}

double smallest_step(const std::vector<Line>& lines) {
  double least = kUnknown;
  for (const Line& line : lines) {
    for (std::size_t i = 1; i < line.size(); ++i) least = std::min(least, line[i].x - line[i - 1].x);
  }
  return least;
}

/// What all steps are whole multiples of: less than the smallest one where whole ids stand unevenly apart.
double common_step(const std::vector<Line>& lines, double least) {
  std::int64_t common = 0;
  for (const Line& line : lines) {
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
    double least = kUnknown;
    for (const Step& first : steps) {
      const double noise = observed.noise(first.from, pair) + observed.noise(first.to, pair);
      if (!std::isfinite(noise)) continue;
      const double angle = wrapped(observed.phase(first.to, pair) - observed.phase(first.from, pair), kTurn);
      for (int turn = -aliases; turn <= aliases; ++turn) {
        const double candidate = (angle + turn * kTurn) / first.distance;
        double misfit = 0;
        for (const Step& step : steps) {
          const double difference = observed.phase(step.to, pair) - observed.phase(step.from, pair);
          const double by = std::abs(wrapped(difference - candidate * step.distance, kTurn));
          misfit += std::isfinite(observed.noise(step.from, pair) + observed.noise(step.to, pair)) ? by : 0;
        }
        if (misfit < least * (1 - 1e-6)) least = misfit, start = candidate;
      }
      return;
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
      if (sigma < kUnknown && sigma * step.distance > 0.8) continue;
      const double value = near + wrapped(difference - near * step.distance, kTurn) / step.distance;
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

void measure_axis(const Evidence& evidence, const Observed& observed, const CheckModel& model, Eigen::Index axis,
                  bool by_grid, Measured& measured) {
  const std::vector<Line> lines = lines_of(evidence, model, axis, by_grid);
  const double least = smallest_step(lines);
  if (!(least < kUnknown)) return;
  double longest = 0;
  for (const Line& line : lines) longest = std::max(longest, line.back().x - line.front().x);
  std::vector<Running> running(static_cast<std::size_t>(observed.phase.cols()));
  const double common = common_step(lines, least);
  if (common < least) {
    // Steps of all lengths: the aliases of the shortest ones are told apart by the others.
    std::vector<Step> steps = steps_of(lines, least);
    const std::vector<Step> longer = steps_of(lines, 2 * least);
    steps.insert(steps.end(), longer.begin(), longer.end());
    constexpr double kMostAliases = 64;
    const auto aliases = static_cast<int>(std::min(least / common, kMostAliases));
    for (Eigen::Index pair = 0; pair < observed.phase.cols(); ++pair) {
      running[static_cast<std::size_t>(pair)].begin(observed, steps, pair, aliases);
    }
  }
  for (double distance = least; distance <= longest * (1 + 1e-9); distance *= 2) {
    const std::vector<Step> steps = steps_of(lines, distance);
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

/// From frequencies that were given.
void take_given(const Evidence& evidence, const CheckModel& model, Measured& measured) {
  const std::vector<double> expected = stored_frequencies(model);
  if (expected.size() != evidence.frequencies.size()) return;
  const StorageUnit unit = loose_unit_of(*evidence.tensors->frequencies);
  const Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  const bool mixed = static_cast<Eigen::Index>(expected.size()) != frequencies.cols();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const Eigen::Index pair = at % frequencies.cols();
    Eigen::Index axis = at / frequencies.cols();
    if (!mixed) frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
    measured.frequency(axis, pair) = evidence.frequencies[i];
    measured.sigma(axis, pair) = frequency_tolerance(unit, evidence.frequencies[i]);
    measured.period(axis, pair) = kUnknown;
  }
}

}  // namespace

Measured measure(const Evidence& evidence, const Observed& observed, const CheckModel& model, bool by_grid,
                 bool given) {
  Measured measured;
  const Eigen::Index axes = model.tokens.frequencies.rows();
  const Eigen::Index pairs = evidence.has_rotation() ? observed.phase.cols() : model.tokens.pair_count();
  measured.frequency = Eigen::MatrixXd::Zero(axes, pairs);
  measured.sigma = Eigen::MatrixXd::Constant(axes, pairs, kUnknown);
  measured.period = measured.sigma;
  const bool mixed = ((model.tokens.frequencies.array() != 0).cast<int>().colwise().sum() > 1).any();
  if (evidence.has_rotation()) {
    for (Eigen::Index axis = 0; axis < axes; ++axis) {
      measure_axis(evidence, observed, model, axis, by_grid || mixed, measured);
    }
  }
  if (given && !evidence.frequencies.empty()) take_given(evidence, model, measured);
  if (model.frequency_format != ShortFormat::none) {
    const StorageUnit unit = unit_of(model.frequency_format);
    for (Eigen::Index i = 0; i < measured.sigma.size(); ++i) {
      measured.sigma.reshaped()[i] += 0.6 * unit.at(measured.frequency.reshaped()[i]);
    }
  }
  return measured;
}

}  // namespace ropescope
