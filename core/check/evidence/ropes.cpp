// Fitted rotary embeddings and frequency ratios: implementation of ropes.h; read it first.
//
// Contents: Ropes; Ratios.

#include "core/check/evidence/ropes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check/phrases.h"
#include "core/check/tuning.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Ropes ---------------------------------------------------------------------------------------------------------

/// Numbers that give the same frequencies: truncated ramps do not distinguish all of them.
struct NumberRange {
  double low = 0, high = 0;
  bool holds(double value) const { return low <= value && value <= high; }
  bool is_wide() const { return high > low * (1 + 1e-6); }
};

/// Everything that the fit of a number depends on.
struct FitKey {
  std::int64_t measured;
  ShortFormat format;
  RotarySpec spec;
  std::string name;
  std::optional<double> length;
  bool operator==(const FitKey&) const = default;
};

struct KeptFit {
  FitKey key;
  std::optional<Fit> fit;
  double value = 0;  ///< the number whose range it is
  std::optional<NumberRange> range;
};

/// Fits shared by candidates: those that keep ids and tables have the same frequencies, and the same fits to them.
struct FitMemory {
  std::vector<KeptFit> kept;
};

namespace {

std::optional<RopeLadders> find_ladders(const RotarySpec& spec, std::optional<double> length) {
  try {
    return rope_ladders(spec, length);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

NumberRange same_frequencies(const Measured& measured, const Family& family, double value) {
  const Eigen::MatrixXd here = family(value);
  const auto same = [&](double other) {
    if (measured.is_spent()) return false;
    const Eigen::MatrixXd there = family(other);
    return there.cols() == here.cols() && there.isApprox(here, 1e-13);
  };
  const auto edge = [&](double direction) {
    double inside = 0, outside = tuned::kFirstEdge;
    while (outside < tuned::kFarthestEdge && same(value * std::exp(direction * outside)))
      inside = outside, outside *= 2;
    for (int i = 0; i < 30 && inside > 0; ++i) {
      const double middle = (inside + outside) / 2;
      (same(value * std::exp(direction * middle)) ? inside : outside) = middle;
    }
    return value * std::exp(direction * inside);
  };
  return {edge(-1), edge(1)};
}

/// Returns the number of a range with the fewest digits, nearest to its middle.
double shortest_in(const NumberRange& range) {
  const double middle = std::sqrt(range.low * range.high), size = std::floor(std::log10(middle));
  for (int digits = 0; digits < 6; ++digits) {
    const double unit = std::pow(10.0, size - digits), near = std::nearbyint(middle / unit) * unit;
    if (range.holds(near)) return near;
  }
  return middle;
}

/// Returns the specified number multiplied or divided by a power of two, if one is near.
std::optional<double> find_power_of_two_multiple(double asked, double value, double reach) {
  if (!(asked > 0) || !(value > 0)) return std::nullopt;
  const double near = asked * std::exp2(std::nearbyint(std::log2(value / asked)));
  if (near == asked || std::abs(near - value) > reach) return std::nullopt;
  return near;
}

/// Returns the numbers that a fit may stand for, likely ones first.
std::vector<double> likely_numbers(const Fit& fit, double asked, const NumberRange& range) {
  const double reach = std::max(tuned::kErrorsOfFit * fit.error, tuned::kNearRatio * std::abs(fit.value));
  std::vector<double> values;
  if (range.is_wide()) {
    const double middle = std::sqrt(range.low * range.high);
    const auto power = find_power_of_two_multiple(asked, middle, std::max(middle - range.low, range.high - middle));
    if (power && range.holds(*power)) values.push_back(*power);
    values.push_back(shortest_in(range));
  }
  if (const auto power = find_power_of_two_multiple(asked, fit.value, reach)) values.push_back(*power);
  for (const double value : round_numbers(fit)) values.push_back(value);
  if (!(asked > 0)) return values;
  // A round multiple or fraction of the specified number.
  const Fit ratio{fit.value / asked, fit.error / asked, 0};
  std::vector<double> related;
  for (const double times : round_numbers(ratio)) related.push_back(times * asked);
  for (const double part : round_numbers(ratio.inverse())) related.push_back(asked / part);
  values.insert(values.end() - 1, related.begin(), related.end());
  return values;
}

/// Returns the config's value of a fitted number; 0 if it has none.
double read_specified_number(const RotarySpec& spec, const std::string& name) {
  if (name == "trained_length") return spec.trained_length.value_or(0);
  return parameter_or_default(spec.extension, name);
}

/// Returns the fit of an extension's number, computed once.
KeptFit& fit_or_reuse(const Situation& situation, const RotarySpec& spec, const std::string& name, const Family& family,
                      const std::vector<double>& starts) {
  const Measured& measured = situation.measured();
  std::vector<KeptFit>& kept = situation.evidence.fits->kept;
  FitKey key{measured.serial, situation.model.frequency_format, spec, name, situation.model.length};
  const auto known =
      std::find_if(kept.begin(), kept.end(), [&](const KeptFit& one) { return one.key == key && key.measured > 0; });
  if (known != kept.end()) return *known;
  kept.push_back({std::move(key), fit_parameter(measured, family, starts), 0, std::nullopt});
  return kept.back();
}

// --- Ratios --------------------------------------------------------------------------------------------------------

/// Returns the axis that rotates a pair of the plain ladders; −1: none.
Eigen::Index axis_of_plain(const Eigen::MatrixXd& plain, Eigen::Index pair) {
  Eigen::Index axis = 0;
  return plain.col(pair).cwiseAbs().maxCoeff(&axis) > 0 ? axis : -1;
}

/// Pairs whose ratio to the plain frequencies is constant, or goes from one value to another.
struct Run {
  Eigen::Index first = 0, last = 0;
  double from = 1, to = 1;
  bool varies = false;
};

Message said_of(const Run& run) {
  const Message pairs = run.first == run.last
                            ? Message("check.ratios.one", {{"first", run.first}})
                            : Message("check.ratios.several", {{"first", run.first}, {"last", run.last}});
  if (run.varies && run.first != run.last)
    return Message("check.ratios.between", {{"pairs", pairs}, {"from", run.from}, {"to", run.to}});
  if (run.from == 0) return Message("check.ratios.still", {{"pairs", pairs}});
  if (run.from == 1) return Message("check.ratios.plain", {{"pairs", pairs}});
  if (run.from < 1) return Message("check.ratios.divided", {{"pairs", pairs}, {"factor", 1 / run.from}});
  return Message("check.ratios.multiplied", {{"pairs", pairs}, {"factor", run.from}});
}

/// Rounds a ratio or its reciprocal to a multiple of 1, 0.1 or 0.01 if that is within its error.
double rounded_ratio(double ratio, double error) {
  for (const double unit : {1.0, 0.1, 0.01}) {
    const double over = std::nearbyint(1 / ratio / unit) * unit;
    if (over > 0 && std::abs(1 / over - ratio) <= error) return 1 / over;
    const double times = std::nearbyint(ratio / unit) * unit;
    if (times > 0 && std::abs(times - ratio) <= error) return times;
  }
  return ratio;
}

std::vector<Run> ratio_run_list(const PairRatios& ratios) {
  std::vector<Run> runs;
  std::vector<Eigen::Index> known;
  const auto is_still = [&](Eigen::Index pair) {
    return ratios.error[pair] < tuned::kSureRatio && std::abs(ratios.ratio[pair]) <= 8 * ratios.error[pair];
  };
  for (Eigen::Index pair = 0; pair < ratios.ratio.size(); ++pair) {
    if (ratios.error[pair] < tuned::kSureRatio * ratios.ratio[pair] || is_still(pair)) known.push_back(pair);
  }
  const auto reach = [&](Eigen::Index pair) {
    return std::max(8 * ratios.error[pair], tuned::kSameRatio * ratios.ratio[pair]);
  };
  const auto is_plain = [&](Eigen::Index pair) { return std::abs(ratios.ratio[pair] - 1) <= reach(pair); };
  for (std::size_t i = 0; i < known.size();) {
    const Eigen::Index first = known[i];
    std::size_t end = i + 1;
    const bool plain = is_plain(first);
    const bool still = is_still(first);
    const auto same = [&](Eigen::Index pair) {
      if (still || is_still(pair)) return still && is_still(pair);
      if (plain || is_plain(pair)) return plain && is_plain(pair);
      return std::abs(ratios.ratio[pair] - ratios.ratio[first]) <= reach(pair) + reach(first);
    };
    while (end < known.size() && same(known[end])) ++end;
    const double ratio = plain ? 1 : rounded_ratio(ratios.ratio[first], reach(first));
    if (still) {
      runs.push_back({first, known[end - 1], 0, 0});
    } else if (plain || end - i > 1) {
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

/// Returns whether the measured frequencies explain the rotation between the sampled rows.
bool turn_the_rows(const Situation& situation) {
  const Measured& measured = situation.measured();
  const Observed& observed = situation.observed();
  const Evidence& evidence = situation.evidence;
  const RowEvaluator evaluator(situation.model);
  const Eigen::MatrixXd& plain = situation.ladders().plain;
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes())), others = ids;
  std::size_t right = 0, all = 0;
  for (std::size_t i = 1; i < std::min(tuned::kRowsOfRatios, evidence.rows.size()); ++i) {
    const std::int64_t row = evidence.rows[i], other = evidence.rows[i - 1];
    if (place_in(situation.model, row).block != place_in(situation.model, other).block) continue;
    evaluator.ids(row, ids.data()), evaluator.ids(other, others.data());
    bool agrees = true;
    for (Eigen::Index pair = 0; pair < plain.cols() && agrees; ++pair) {
      const Eigen::Index axis = axis_of_plain(plain, pair);
      if (axis < 0) continue;
      const auto a = static_cast<std::size_t>(axis);
      const double by = situation.model.tokens.axes[a].id_scale * (ids[a] - others[a]);
      const double error = measured.sigma(axis, pair) * std::abs(by) +
                           observed.noise(static_cast<Eigen::Index>(i), pair) +
                           observed.noise(static_cast<Eigen::Index>(i) - 1, pair);
      if (!(error < tuned::kPhaseOfMeasured)) continue;
      const double turned =
          observed.phase(static_cast<Eigen::Index>(i), pair) - observed.phase(static_cast<Eigen::Index>(i) - 1, pair);
      agrees = std::abs(wrapped(turned - measured.frequency(axis, pair) * by, 2 * std::numbers::pi)) <=
               tuned::kErrors * error + tuned::kPhaseOfMeasured;
    }
    ++all, right += agrees ? 1 : 0;
  }
  return all > 0 && 10 * right >= 9 * all;
}

}  // namespace

// --- Ratios --------------------------------------------------------------------------------------------------------

std::shared_ptr<FitMemory> new_fit_memory() {
  return std::make_shared<FitMemory>();
}

Eigen::MatrixXd frequencies_or_nan(const RotarySpec& spec, std::optional<double> length) {
  if (const auto ladders = find_ladders(spec, length)) return ladders->frequencies;
  return no_frequencies();
}

bool is_geometric(const CheckModel& model) {
  const Eigen::VectorXd ladder = model.tokens.frequencies.row(0).transpose();
  if (ladder.size() < 2 || std::abs(ladder[0] - 1) > 1e-9) return false;
  const double ratio = ladder[1];
  for (Eigen::Index pair = 1; pair < ladder.size(); ++pair) {
    if (std::abs(ladder[pair] - ratio * ladder[pair - 1]) > 1e-9 * ladder[pair]) return false;
  }
  return true;
}

void add_ropes(const Situation& situation, const RotarySpec& spec, std::optional<double> length,
               std::vector<Proposal>& proposals, const std::function<void(Proposal&)>& describe) {
  if (situation.evidence.is_spent()) return;
  situation.evidence.spend(kOfPower * situation.model.tokens.pair_count());
  const auto ladders = find_ladders(spec, length);
  if (!ladders) return;
  const CheckModel& model = situation.model;
  const auto add = [&](double amplitude) {
    const bool same = ladders->frequencies.cols() == model.tokens.pair_count() &&
                      ladders->frequencies.isApprox(model.tokens.frequencies, 1e-12);
    if (same && std::abs(amplitude - model.amplitude) < 1e-12) return;
    Proposal& found = situation.add_to(proposals);
    found.model.rope = spec;
    found.model.length = length;
    found.model.tokens.frequencies = ladders->frequencies;
    found.model.amplitude = amplitude;
    describe(found);
  };
  add(model.amplitude);
  // The amplitude belongs to the method, unless another cause has changed it.
  const bool untouched = model.amplitude == situation.reference.amplitude;
  if (untouched && ladders->amplitude != model.amplitude) add(ladders->amplitude);
}

RotarySpec set_number_by_name(const RotarySpec& spec, const std::string& name, double value) {
  RotarySpec other = spec;
  if (name == "trained_length") {
    other.trained_length = value;
  } else {
    other.extension.numbers[name] = value;
  }
  return other;
}

void add_fitted(const Situation& situation, const RotarySpec& spec, const std::string& name,
                const std::vector<double>& starts, std::vector<Proposal>& proposals,
                const std::function<void(Proposal&, double)>& describe) {
  const Family family = [&](double value) {
    situation.evidence.spend(kOfPower * situation.model.tokens.pair_count());
    return frequencies_or_nan(set_number_by_name(spec, name, value), situation.model.length);
  };
  KeptFit& once = fit_or_reuse(situation, spec, name, family, starts);
  std::optional<Fit> fit = once.fit;
  if (!fit) return;
  *fit = refine_fit(situation.evidence, *fit, [&](double value) {
    CheckModel model = situation.model;
    const auto ladders = find_ladders(set_number_by_name(spec, name, value), model.length);
    if (!ladders || ladders->frequencies.cols() != model.tokens.pair_count()) return model;
    model.tokens.frequencies = ladders->frequencies;
    // Use the amplitude that is nearer to the tables'.
    const double radius = situation.observed().radius;
    if (std::abs(ladders->amplitude - radius) < std::abs(model.amplitude - radius))
      model.amplitude = ladders->amplitude;
    return model;
  });
  if (!once.range || once.value != fit->value) {
    once.range = same_frequencies(situation.measured(), family, fit->value);
    once.value = fit->value;
  }
  const NumberRange range = *once.range;
  std::vector<double> values = likely_numbers(*fit, read_specified_number(*situation.model.rope, name), range);
  for (const double value : numbers_for_rounded(situation.model, *fit)) values.push_back(value);
  for (const double value : values) {
    add_ropes(situation, set_number_by_name(spec, name, value), situation.model.length, proposals,
              [&](Proposal& found) {
                found.set_fitted(value == fit->value && fit->error > 0, doubt_of(value));
                describe(found, value);
                if (!range.is_wide() || !range.holds(value)) return;
                found.evidence = sentences(
                    std::move(found.evidence),
                    Message("check.evidence.range", {{"parameter", name}, {"low", range.low}, {"high", range.high}}));
              });
  }
}

std::optional<PairRatios> pair_ratios(const Situation& situation) {
  const Measured& measured = situation.measured();
  const Eigen::MatrixXd& plain = situation.ladders().plain;
  if (is_mixed(plain) || measured.frequency.cols() != plain.cols() || measured.frequency.rows() != plain.rows())
    return std::nullopt;
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  PairRatios ratios{Eigen::VectorXd::Ones(plain.cols()), Eigen::VectorXd::Constant(plain.cols(), kUnknown)};
  bool some = false;
  for (Eigen::Index pair = 0; pair < plain.cols(); ++pair) {
    const Eigen::Index axis = axis_of_plain(plain, pair);
    if (axis < 0 || !std::isfinite(measured.sigma(axis, pair))) continue;
    ratios.ratio[pair] = measured.frequency(axis, pair) / plain(axis, pair);
    ratios.error[pair] = std::abs(measured.sigma(axis, pair) / plain(axis, pair));
    some = true;
  }
  return some ? std::optional(std::move(ratios)) : std::nullopt;
}

Message ratio_runs(const PairRatios& ratios) {
  Message::List parts;
  const std::vector<Run> runs = ratio_run_list(ratios);
  for (std::size_t i = 0; i < std::min(tuned::kSaidRuns, runs.size()); ++i) parts.push_back(said_of(runs[i]));
  if (runs.size() > tuned::kSaidRuns)
    parts.push_back(Message("check.runs.more", {{"count", runs.size() - tuned::kSaidRuns}}));
  return join_sentences(parts);
}

Message describe_ratios(const Situation& situation) {
  const auto ratios = pair_ratios(situation);
  if (!ratios || situation.frequencies_fit()) return {};
  if (situation.evidence.has_rotation() && !turn_the_rows(situation)) return {};
  if (ratio_run_list(*ratios).empty()) return {};
  return Message("check.unknown.ratios", {{"runs", ratio_runs(*ratios)}});
}

}  // namespace ropescope
