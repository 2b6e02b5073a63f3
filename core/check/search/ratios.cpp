#include "core/check/search/ratios.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check/phrases.h"

namespace ropescope {

namespace {

/// The axis that turns a pair of the plain ladders; −1: none.
Eigen::Index owner_of_ratios(const Eigen::MatrixXd& plain, Eigen::Index pair) {
  Eigen::Index axis = 0;
  return plain.col(pair).cwiseAbs().maxCoeff(&axis) > 0 ? axis : -1;
}

/// Pairs whose frequencies have one ratio to the plain ones, or go from one to another.
struct Run {
  Eigen::Index first = 0, last = 0;
  double from = 1, to = 1;
  bool varies = false;
};

Words said_of(const Run& run) {
  const Words pairs = run.first == run.last ? Words("check.ratios.one", {{"first", run.first}})
                                            : Words("check.ratios.several", {{"first", run.first}, {"last", run.last}});
  if (run.varies && run.first != run.last)
    return Words("check.ratios.between", {{"pairs", pairs}, {"from", run.from}, {"to", run.to}});
  if (run.from == 1) return Words("check.ratios.plain", {{"pairs", pairs}});
  if (run.from < 1) return Words("check.ratios.divided", {{"pairs", pairs}, {"factor", 1 / run.from}});
  return Words("check.ratios.multiplied", {{"pairs", pairs}, {"factor", run.from}});
}

/// A ratio, or one over it, as a whole number where that is what it is.
double rounded_ratio(double ratio, double error) {
  for (const double unit : {1.0, 0.1, 0.01}) {
    const double over = std::nearbyint(1 / ratio / unit) * unit;
    if (over > 0 && std::abs(1 / over - ratio) <= error) return 1 / over;
    const double times = std::nearbyint(ratio / unit) * unit;
    if (times > 0 && std::abs(times - ratio) <= error) return times;
  }
  return ratio;
}

std::vector<Run> runs_of_ratios(const PairRatios& ratios) {
  constexpr double kSure = 0.05, kSame = 1e-4;
  std::vector<Run> runs;
  std::vector<Eigen::Index> known;
  for (Eigen::Index pair = 0; pair < ratios.ratio.size(); ++pair) {
    if (ratios.error[pair] < kSure * ratios.ratio[pair]) known.push_back(pair);
  }
  const auto reach = [&](Eigen::Index pair) { return std::max(8 * ratios.error[pair], kSame * ratios.ratio[pair]); };
  const auto is_plain = [&](Eigen::Index pair) { return std::abs(ratios.ratio[pair] - 1) <= reach(pair); };
  for (std::size_t i = 0; i < known.size();) {
    const Eigen::Index first = known[i];
    std::size_t end = i + 1;
    const bool plain = is_plain(first);
    const auto same = [&](Eigen::Index pair) {
      if (plain || is_plain(pair)) return plain && is_plain(pair);
      return std::abs(ratios.ratio[pair] - ratios.ratio[first]) <= reach(pair) + reach(first);
    };
    while (end < known.size() && same(known[end])) ++end;
    const double ratio = plain ? 1 : rounded_ratio(ratios.ratio[first], reach(first));
    if (plain || end - i > 1) {
      runs.push_back({first, known[end - 1], ratio, ratio});
    } else if (!runs.empty() && runs.back().varies) {
      runs.back().last = first, runs.back().to = ratios.ratio[first];
    } else {
      runs.push_back({first, first, ratios.ratio[first], ratios.ratio[first], true});
    }
    i = end;
  }
  return runs;
}

/// Whether the frequencies that were measured turn the rows as they stand to each other.
bool turn_the_rows(const Situation& situation) {
  const Measured& measured = situation.measured();
  const Observed& observed = situation.observed();
  const Evidence& evidence = situation.evidence;
  const RowEvaluator evaluator(situation.model);
  const Eigen::MatrixXd& plain = situation.ladders().plain;
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes())), others = ids;
  constexpr std::size_t kRows = 65;
  constexpr double kErrors = 8, kOfAngle = 0.02;
  std::size_t right = 0, all = 0;
  for (std::size_t i = 1; i < std::min(kRows, evidence.rows.size()); ++i) {
    const std::int64_t row = evidence.rows[i], other = evidence.rows[i - 1];
    if (place_in(situation.model, row).block != place_in(situation.model, other).block) continue;
    evaluator.ids(row, ids.data()), evaluator.ids(other, others.data());
    bool agrees = true;
    for (Eigen::Index pair = 0; pair < plain.cols() && agrees; ++pair) {
      const Eigen::Index axis = owner_of_ratios(plain, pair);
      if (axis < 0) continue;
      const auto a = static_cast<std::size_t>(axis);
      const double by = situation.model.tokens.axes[a].id_scale * (ids[a] - others[a]);
      const double error = measured.sigma(axis, pair) * std::abs(by) +
                           observed.noise(static_cast<Eigen::Index>(i), pair) +
                           observed.noise(static_cast<Eigen::Index>(i) - 1, pair);
      if (!(error < kOfAngle)) continue;
      const double turned =
          observed.phase(static_cast<Eigen::Index>(i), pair) - observed.phase(static_cast<Eigen::Index>(i) - 1, pair);
      agrees = std::abs(wrapped(turned - measured.frequency(axis, pair) * by, 2 * std::numbers::pi)) <=
               kErrors * error + kOfAngle;
    }
    ++all, right += agrees ? 1 : 0;
  }
  return all > 0 && 10 * right >= 9 * all;
}

}  // namespace

std::optional<PairRatios> pair_ratios(const Situation& situation) {
  const Measured& measured = situation.measured();
  const Eigen::MatrixXd& plain = situation.ladders().plain;
  if (is_mixed(plain) || measured.frequency.cols() != plain.cols() || measured.frequency.rows() != plain.rows())
    return std::nullopt;
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  PairRatios ratios{Eigen::VectorXd::Ones(plain.cols()), Eigen::VectorXd::Constant(plain.cols(), kUnknown)};
  bool some = false;
  for (Eigen::Index pair = 0; pair < plain.cols(); ++pair) {
    const Eigen::Index axis = owner_of_ratios(plain, pair);
    if (axis < 0 || !std::isfinite(measured.sigma(axis, pair))) continue;
    ratios.ratio[pair] = measured.frequency(axis, pair) / plain(axis, pair);
    ratios.error[pair] = std::abs(measured.sigma(axis, pair) / plain(axis, pair));
    some = true;
  }
  return some ? std::optional(std::move(ratios)) : std::nullopt;
}

Words ratio_runs(const PairRatios& ratios) {
  constexpr std::size_t kMost = 8;
  Words::List parts;
  const std::vector<Run> runs = runs_of_ratios(ratios);
  for (std::size_t i = 0; i < std::min(kMost, runs.size()); ++i) parts.push_back(said_of(runs[i]));
  if (runs.size() > kMost) parts.push_back(Words("check.runs.more", {{"count", runs.size() - kMost}}));
  return one_after_another(parts);
}

Words ratios_read(const Situation& situation) {
  const auto ratios = pair_ratios(situation);
  if (!ratios || situation.frequencies_fit()) return {};
  if (situation.evidence.has_rotation() && !turn_the_rows(situation)) return {};
  if (runs_of_ratios(*ratios).empty()) return {};
  return Words("check.unknown.ratios", {{"runs", ratio_runs(*ratios)}});
}

}  // namespace ropescope
