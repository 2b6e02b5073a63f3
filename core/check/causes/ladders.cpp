// Causes among plain frequencies: base, exponents, order, one block each.
//
// Contents: Base; First rung; Format; Ladder; Scale; Dimensions of axes.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check/causes/cause.h"
#include "core/check/causes/sizes.h"
#include "core/check/evidence/fit.h"
#include "core/check/evidence/ropes.h"
#include "core/check/model/ladders.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Base ----------------------------------------------------------------------------------------------------------

namespace {

CheckModel rebased(const CheckModel& of, const Ladders& ladders, double base) {
  CheckModel model = of;
  model.tokens.frequencies = with_base(of, ladders, base);
  if (model.rope) {
    for (RotaryAxis& axis : model.rope->axes) axis.base = base;
  }
  for (LayoutAxis& axis : model.tokens.axes) {
    if (axis.base > 1) axis.base = base;
  }
  return model;
}

/// One plain ladder, whatever extension the config asks for.
CheckModel plain_rebased(const Situation& situation, double base) {
  CheckModel model = situation.model;
  model.rope->extension = Extension{};
  for (RotaryAxis& axis : model.rope->axes) axis.base = base;
  model.tokens.frequencies = rope_ladders(*model.rope, model.length).frequencies;
  return model;
}

void add_rebased(const Situation& situation, double base, CheckModel model, bool extended,
                 std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal();
  found.model = std::move(model);
  if (extended) found.again = [base](const CheckModel& other) { return rebased(other, ladders_of(other), base); };
  found.parameters = {{"base", base}};
  const double of_reference = situation.model.tokens.axes[0].base;
  const Words::Named due("due", of_reference);
  found.evidence = Words("check.base.evidence", {{"found", base}, due});
  found.advice = Words("check.base.advice", {due});
  // base^(-i/d) is another base's ladder, and so is base^(-4i/d).
  constexpr double kSame = 1e-5;
  const bool plain = !situation.model.rope || situation.model.rope->extension.method == "none";
  for (const auto& [power, key] :
       {std::pair(0.5, "check.base.evidence_half"), std::pair(2.0, "check.base.evidence_twice")}) {
    if (!plain || std::abs(base / std::pow(of_reference, power) - 1) > kSame) continue;
    found.evidence = sentences(std::move(found.evidence), Words(key, {due}));
    found.advice = Words("check.base.advice_exponent", {due});
  }
  if (!extended) {
    const Words::Named method("method", situation.model.rope->extension.method);
    found.advice = sentences(std::move(found.advice), Words("check.scaling-missing.advice", {method}));
  }
  proposals.push_back(std::move(found));
}

/// The bases that single pairs would have.
std::vector<double> starts_of_base(const Measured& measured, const Ladders& ladders) {
  std::vector<double> starts = logarithmic_grid(2, 1e9, 28);
  const bool as_many = measured.frequency.size() == ladders.exponent.size();
  for (Eigen::Index i = 0; as_many && i < ladders.exponent.size(); ++i) {
    const double frequency = measured.frequency.reshaped()[i], exponent = ladders.exponent.reshaped()[i];
    const auto axis = static_cast<std::size_t>(i % ladders.exponent.rows());
    const bool usable = std::isfinite(measured.sigma.reshaped()[i]) && frequency > 3 * measured.sigma.reshaped()[i] &&
                        std::abs(exponent) > 0.05 && starts.size() < 64;
    if (!usable) continue;
    const double base = std::pow(frequency / ladders.unit[axis], -1 / exponent);
    if (base > 1.0001 && base < 1e15) starts.push_back(base);
  }
  return starts;
}

/// The ladder of the model (`extended`) or the plain one, on another base.
void propose_with(const Situation& situation, bool extended, std::vector<Proposal>& proposals) {
  const auto build = [&](double base) {
    return extended ? rebased(situation.model, situation.ladders(), base) : plain_rebased(situation, base);
  };
  // Nearer to 1 nothing but one frequency is left.
  constexpr double kLeast = 1.01;
  const Family family = [&](double base) -> Eigen::MatrixXd {
    if (!(base > kLeast && base < 1e18)) return Eigen::MatrixXd::Constant(1, 1, std::nan(""));
    situation.evidence.spend(kOfPower * situation.model.tokens.pair_count());
    return build(base).tokens.frequencies;
  };
  const Measured& measured = situation.measured();
  auto fit = fit_parameter(measured, family, starts_of_base(measured, situation.ladders()));
  if (!fit || !(fit->error < 0.3 * fit->value)) return;
  const Fit rough = *fit;
  *fit = polished(situation.evidence, *fit, build);
  std::vector<double> bases = round_numbers(*fit);
  // Where ids are wrong too, a fit to cos and sin is drawn away from what the frequencies alone show.
  for (const double base : round_numbers(rough)) bases.push_back(base);
  for (const double base : bases) {
    constexpr double kSame = 1e-3;
    // The base of the config with its extension left out is no other base, unless the extension is one itself.
    const bool is_asked = !extended && std::abs(base - situation.model.rope->axes[0].base) <= kSame * base;
    if (!(base > kLeast) || (is_asked && !is_geometric(situation.model))) continue;
    add_rebased(situation, base, build(base), extended, proposals);
    if (base == fit->value) proposals.back().model.slack = 0.5;
    proposals.back().doubt = doubt_of(base);
  }
  if (situation.model.frequency_format == ShortFormat::none) return;
  for (const double base : numbers_around(*fit)) {
    if (!(base > kLeast)) continue;
    add_rebased(situation, base, build(base), extended, proposals);
    proposals.back().doubt = Doubt::fitted;
  }
}

/// Axes with bases of their own.
void propose_by_axis(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Ladders& ladders = situation.ladders();
  if (is_mixed(model.tokens.frequencies) || model.tokens.axes.size() < 2 || !situation.evidence.has_rotation()) return;
  AxisFamily family;
  family.own = ladders.base;
  family.sure = 0.3;
  constexpr double kLeast = 1.01;
  family.frequencies = [&](std::size_t axis, double base) -> Eigen::MatrixXd {
    if (!(base > kLeast && base < 1e18)) return Eigen::MatrixXd::Constant(1, 1, std::nan(""));
    situation.evidence.spend(kOfPower * model.tokens.pair_count());
    return only_axis(with_base(model, ladders, base, axis), axis);
  };
  family.applied = [](const CheckModel& of, std::size_t axis, double base) {
    CheckModel changed = of;
    changed.tokens.frequencies = with_base(of, ladders_of(of), base, axis);
    changed.tokens.axes[axis].base = base;
    if (changed.rope) changed.rope->axes[axis].base = base;
    return changed;
  };
  family.starts = [&](std::size_t axis) {
    std::vector<double> starts = logarithmic_grid(2, 1e9, 28);
    for (const double round : {100.0, 256.0, 500.0, 1000.0, 2000.0, 10000.0, 1e6}) starts.push_back(round);
    starts.push_back(ladders.base[axis]);
    return starts;
  };
  family.candidates = [](std::size_t, const Fit& fit) { return round_numbers(fit); };
  const std::vector<Fit> fits = axis_fits(situation, family);
  if (fits.empty()) return;
  const AxisNumbers numbers = settled(situation, family, fits);
  Proposal found = situation.proposal();
  std::vector<Fit> exact;
  for (const double base : numbers.values) exact.push_back({base, 0, 0});
  found.model = with_fits(situation, family, exact);
  if (numbers.fitted) found.model.slack = 0.5;
  found.doubt = numbers.fitted ? Doubt::fitted : Doubt::round_number;
  found.parameters = {{"base", numbers.values}};
  const Words::Named due("due", list_text(ladders.base));
  found.evidence = Words("check.base.evidence_axes", {{"found", list_text(numbers.values)}, due});
  found.advice = Words("check.base.advice_axes", {due});
  proposals.push_back(std::move(found));
}

void propose_base(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.ladders().known()) return;
  propose_with(situation, true, proposals);
  propose_by_axis(situation, proposals);
  const bool is_extended = situation.model.rope && situation.model.rope->extension.method != "none" &&
                           situation.model.blocks_of_pairs.empty();
  if (is_extended) propose_with(situation, false, proposals);
}

}  // namespace

/// Frequencies fit another base: the same ladder, other rungs.
constinit const Cause kBase{.name = "base",
                            .group = CauseGroup::frequencies,
                            .seen_in = "lyogavin/airllm#369, THUDM/slime#1720",
                            .propose = propose_base};

// --- First rung ----------------------------------------------------------------------------------------------------

std::vector<Fit> first_rungs(const Measured& measured, const Eigen::MatrixXd& frequencies, const Ladders& ladders,
                             Eigen::Index axis) {
  std::vector<std::pair<double, Eigen::Index>> slowest_first;
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    const bool alone = frequencies(axis, pair) != 0 && (frequencies.col(pair).array() != 0).count() == 1;
    if (alone && std::isfinite(measured.sigma(axis, pair)))
      slowest_first.emplace_back(-ladders.exponent(axis, pair), pair);
  }
  std::sort(slowest_first.begin(), slowest_first.end());
  LineFit fit;
  constexpr double kClear = 3, kSure = 0.2;
  for (const auto& [minus_exponent, pair] : slowest_first) {
    const double sigma = measured.sigma(axis, pair), period = measured.period(axis, pair);
    double frequency = measured.frequency(axis, pair);
    if (fit.determined() && std::isfinite(period)) {
      const auto [logarithm, error] = fit.at(-minus_exponent);
      const double expected = std::exp(logarithm);
      if (expected * error > kSure * period) continue;
      frequency = expected + wrapped(frequency - expected, period);
    }
    const double weight = frequency * frequency / (sigma * sigma);
    if (frequency > kClear * sigma) fit.add(-minus_exponent, std::log(frequency), weight);
  }
  std::vector<Fit> found;
  if (fit.determined()) {
    const auto [logarithm, error] = fit.at(0);
    found.push_back({std::exp(logarithm), error * std::exp(logarithm), 0});
  }
  // Where an extension bends the ladder its first pairs stay as they are.
  constexpr int kTurns = 2;
  for (int turn = 0; turn <= kTurns && !slowest_first.empty(); ++turn) {
    const auto [minus_exponent, pair] = slowest_first.back();
    if (minus_exponent < -1e-6) break;
    const double frequency = measured.frequency(axis, pair) + turn * measured.period(axis, pair);
    if (frequency > 0 && std::isfinite(frequency)) found.push_back({frequency, measured.sigma(axis, pair), 0});
  }
  return found;
}

// --- Format --------------------------------------------------------------------------------------------------------

namespace {

void propose_frequency_format(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && situation.evidence.frequencies.empty()) return;
  for (const bool angles : {false, true}) {
    for (const ShortFormat format : {ShortFormat::bfloat16, ShortFormat::float16}) {
      Proposal found = situation.proposal();
      found.model.frequency_format = format;
      if (angles) found.model.angle_format = format;
      const std::string name(format_name(format));
      found.parameters = {{"format", as_it_is(name)}};
      found.evidence = Words(angles ? "check.frequency-format.evidence_angles" : "check.frequency-format.evidence",
                             {{"format", name}});
      found.advice = Words("check.frequency-format.advice");
      proposals.push_back(std::move(found));
    }
  }
}

}  // namespace

/// Frequencies rounded before the product: the error grows with the position.
constinit const Cause kFrequencyFormat{.name = "frequency-format",
                                       .group = CauseGroup::values,
                                       .seen_in = "sgl-project/sglang-jax#1472, huggingface/transformers#29285",
                                       .propose = propose_frequency_format};

namespace {

void propose_angles(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation()) return;
  for (const ShortFormat format : {ShortFormat::bfloat16, ShortFormat::float16}) {
    Proposal found = situation.proposal();
    found.model.angle_format = format;
    const std::string name(format_name(format));
    found.parameters = {{"format", as_it_is(name)}};
    found.evidence = Words("check.angle-format.evidence", {{"format", name}});
    found.advice = Words("check.angle-format.advice");
    proposals.push_back(std::move(found));
  }
}

}  // namespace

/// Angles rounded after the product of whole ids and float32 frequencies: the error is a part of the angle.
constinit const Cause kAngleFormat{
    .name = "angle-format", .group = CauseGroup::values, .seen_in = "", .propose = propose_angles};

// --- Ladder --------------------------------------------------------------------------------------------------------

namespace {

/// The exponent of a rung of an axis of these ladders.
using Exponent = double (*)(const Ladders&, std::size_t axis, double exponent);

CheckModel with(const CheckModel& of, const Ladders& ladders, Exponent exponent) {
  CheckModel model = of;
  model.tokens.frequencies =
      with_exponents(of, ladders, [&](std::size_t axis, double old) { return exponent(ladders, axis, old); });
  return model;
}

void add_frequency_ladder(const Situation& situation, const std::string& kind, std::string_view evidence,
                          Exponent exponent, std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal();
  found.model = with(situation.model, situation.ladders(), exponent);
  if (!found.model.tokens.frequencies.allFinite()) return;
  found.again = [exponent](const CheckModel& other) { return with(other, ladders_of(other), exponent); };
  found.parameters = {{"kind", named_value(kind)}};
  found.evidence = Words(evidence);
  // A model whose exponents have both ends is no plain ladder.
  found.advice =
      Words(kind == "exclusive" ? "check.frequency-ladder.advice_inclusive" : "check.frequency-ladder.advice");
  proposals.push_back(std::move(found));
}

/// What is dealt from the last pair to the first: the frequencies of each axis, those of its pairs that do not turn
/// too, or the one ladder that several axes share while each keeps its pairs.
enum class Reversed { turning, with_still, across_axes };

CheckModel reversed(const CheckModel& of, Reversed what) {
  CheckModel model = of;
  Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  if (what == Reversed::across_axes) {
    const Eigen::RowVectorXd ladder = frequencies.colwise().sum();
    for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
      Eigen::Index axis = 0;
      of.tokens.frequencies.col(pair).cwiseAbs().maxCoeff(&axis);
      frequencies(axis, pair) = ladder[frequencies.cols() - 1 - pair];
    }
    return model;
  }
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    std::vector<Eigen::Index> pairs;
    for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
      const bool of_other = frequencies.col(pair).cwiseAbs().sum() != std::abs(frequencies(axis, pair));
      if (what == Reversed::with_still ? !of_other : frequencies(axis, pair) != 0) pairs.push_back(pair);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      frequencies(axis, pairs[i]) = of.tokens.frequencies(axis, pairs[pairs.size() - 1 - i]);
    }
  }
  return model;
}

/// Whether the ladders rise from pair to pair, as LTX has them.
bool rise(const Eigen::MatrixXd& frequencies) {
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    double before = 0;
    for (const double frequency : frequencies.row(axis)) {
      if (before != 0 && frequency != 0) return std::abs(frequency) > std::abs(before);
      if (frequency != 0) before = frequency;
    }
  }
  return false;
}

void propose_reversed(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& own = situation.model.tokens.frequencies;
  const bool some_still = own.rows() == 1 && (own.array() == 0).any(), shared = own.rows() > 1 && !is_mixed(own);
  for (const Reversed what : {Reversed::turning, Reversed::with_still, Reversed::across_axes}) {
    if (what == Reversed::with_still && !some_still) continue;
    if (what == Reversed::across_axes && !shared) continue;
    Proposal found = situation.proposal();
    found.model = reversed(situation.model, what);
    if (found.model.tokens.frequencies == own) continue;
    found.again = [what](const CheckModel& other) { return reversed(other, what); };
    found.parameters = {{"kind", named_value("reversed")}};
    const bool rising = rise(own);
    found.evidence = Words(rising ? "check.frequency-ladder.evidence_falls" : "check.frequency-ladder.evidence_rises");
    found.advice = Words(rising ? "check.frequency-ladder.advice_rises" : "check.frequency-ladder.advice_falls");
    proposals.push_back(std::move(found));
  }
}

double rungs(const Ladders& ladders, std::size_t axis) {
  return ladders.own_dim[axis] / 2;
}

void propose_frequency_ladder(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_reversed(situation, proposals);
  const Ladders& ladders = situation.ladders();
  if (!ladders.known()) return;
  add_frequency_ladder(
      situation, "shifted", "check.frequency-ladder.evidence_from_1",
      [](const Ladders& of, std::size_t axis, double exponent) { return exponent + of.step[axis]; }, proposals);
  add_frequency_ladder(
      situation, "shifted", "check.frequency-ladder.evidence_from_minus_1",
      [](const Ladders& of, std::size_t axis, double exponent) { return exponent - of.step[axis]; }, proposals);
  if (!rise(situation.model.tokens.frequencies)) {
    const std::size_t before = proposals.size();
    add_frequency_ladder(
        situation, "reciprocal", "check.frequency-ladder.evidence_reciprocal",
        [](const Ladders&, std::size_t, double exponent) { return -exponent; }, proposals);
    if (proposals.size() > before) proposals.back().model.too_fast = true;
  }
  for (std::size_t axis = 0; axis < ladders.own_dim.size(); ++axis) {
    if (ladders.base[axis] > 1 && rungs(ladders, axis) == 1) return;
  }
  add_frequency_ladder(
      situation, "inclusive", "check.frequency-ladder.evidence_inclusive",
      [](const Ladders& of, std::size_t axis, double exponent) {
        return of.step[axis] < 0 ? exponent : exponent * rungs(of, axis) / (rungs(of, axis) - 1);
      },
      proposals);
  add_frequency_ladder(
      situation, "exclusive", "check.frequency-ladder.evidence_exclusive",
      [](const Ladders& of, std::size_t axis, double exponent) {
        return of.step[axis] < 0 ? exponent * (rungs(of, axis) - 1) / rungs(of, axis) : exponent;
      },
      proposals);
}

}  // namespace

/// θ_i shifted by one, spaced over [0, 1] inclusive, its reciprocal, or dealt from the last pair to the first.
constinit const Cause kFrequencyLadder{
    .name = "frequency-ladder", .group = CauseGroup::frequencies, .seen_in = "", .propose = propose_frequency_ladder};

// --- Scale ---------------------------------------------------------------------------------------------------------

namespace {

/// The factor between given frequencies and those of the model: the middle one of all pairs. 1 where there are others.
double given_factor(const Situation& situation) {
  const std::vector<double>& given = situation.evidence.frequencies;
  const std::vector<double> due = stored_frequencies(situation.model);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < due.size() && due.size() == given.size(); ++i) {
    if (due[i] != 0) ratios.push_back(given[i] / due[i]);
  }
  if (ratios.empty()) return 1;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

void add_frequency_scale(const Situation& situation, double factor, const Proposal& like,
                         std::vector<Proposal>& proposals) {
  const auto apply = [factor](const CheckModel& model) {
    CheckModel scaled = model;
    scaled.tokens.frequencies *= factor;
    return scaled;
  };
  Proposal found = situation.proposal();
  found.model = apply(situation.model);
  found.model.slack = like.model.slack;
  found.doubt = like.doubt;
  found.again = apply;
  found.parameters = {{"factor", factor}, {"of", named_value("frequencies")}};
  found.evidence = Words("check.position-scale.evidence_frequencies", {{"factor", factor}});
  found.advice = Words("check.position-scale.advice_frequencies");
  proposals.push_back(std::move(found));
}

/// Where ids are shifted after they were read (LTX), a factor of the frequencies is none of ids: the ladder without the
/// unit that it begins with, or with it twice.
void propose_units(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  if (std::all_of(axes.begin(), axes.end(), [](const LayoutAxis& axis) { return axis.id_offset == 0; })) return;
  for (const double unit : situation.ladders().unit) {
    if (unit == 1) continue;
    for (const double factor : {1 / unit, unit, 2.0, 1 / (2 * unit), 0.5}) {
      const std::size_t before = proposals.size();
      add_frequency_scale(situation, factor, situation.proposal(), proposals);
      if (factor == 1 / unit) {
        proposals[before].evidence = Words("check.position-scale.evidence_unit", {{"factor", factor}, {"unit", unit}});
        proposals[before].advice = Words("check.position-scale.advice_unit", {{"unit", unit}});
      }
    }
    return;
  }
}

void propose_frequency_scale(const Situation& situation, std::vector<Proposal>& proposals) {
  const Evidence& evidence = situation.evidence;
  if (situation.model.own_ids || situation.model.given_tables) return;
  propose_units(situation, proposals);
  if (!evidence.frequencies.empty()) {
    constexpr double kKnown = 1e-7;
    // Another sign is a cause of its own.
    const double factor = std::abs(given_factor(situation));
    if (!std::isfinite(factor) || factor == 0) return;
    for (const double value : round_numbers({factor, kKnown * factor, 0})) {
      if (value == 1) continue;
      Proposal like = situation.proposal();
      if (value == factor) like.model.slack = 0.5;
      like.doubt = doubt_of(value);
      add_frequency_scale(situation, value, like, proposals);
    }
    return;
  }
  // Tables alone cannot tell it from positions that are multiplied.
  if (!evidence.has_ids() || !evidence.has_rotation()) return;
  std::vector<Proposal> of_ids;
  propose_factors(situation, of_ids);
  for (const Proposal& found : of_ids) {
    const double factor = std::get<double>(found.parameters[0].value);
    if (factor != 0) add_frequency_scale(situation, factor, found, proposals);
  }
}

}  // namespace

/// Frequencies multiplied by a constant, where ids or frequencies show that it is they.
constinit const Cause kFrequencyScale{.name = "position-scale",
                                      .group = CauseGroup::frequencies,
                                      .seen_in = "ml-explore/mlx-lm#1545",
                                      .propose = propose_frequency_scale};

// --- Dimensions of axes --------------------------------------------------------------------------------------------

namespace {

/// A run of pairs that one axis turns.
struct Share {
  std::size_t axis = 0;
  int pairs = 0;
};

/// How badly a deviation in units of its error fits, 0 … 1; outliers do not decide alone.
double cost_of(double deviation) {
  const double square = deviation * deviation / 16;
  return std::isfinite(square) ? square / (1 + square) : 1;
}

/// What the ladder of an axis may be beside the model's own.
enum class Freedom { none, base, base_and_start };

/// Costs of giving pairs q … q + n − 1 to an axis: its own ladder fits, and no other axis turns them.
class DealingCosts {
 public:
  DealingCosts(const Measured& measured, std::vector<double> bases, Freedom freedom)
      : measured_(measured), bases_(std::move(bases)), freedom_(freedom), pairs_(measured.frequency.cols()) {
    for (Eigen::Index axis = 0; axis < measured.frequency.rows(); ++axis) {
      seen_.push_back((measured.sigma.row(axis).array() < 1e30).any());
    }
    // Sums over the pairs before one of what it costs that an axis does not turn them.
    still_.assign(bases_.size(), std::vector<double>(static_cast<std::size_t>(pairs_) + 1, 0));
    for (std::size_t axis = 0; axis < bases_.size(); ++axis) {
      for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
        const auto p = static_cast<std::size_t>(pair);
        still_[axis][p + 1] = still_[axis][p] + deviation(axis, pair, 0);
      }
    }
  }

  double of(std::size_t axis, Eigen::Index first, Eigen::Index count) const {
    double cost = 0;
    for (std::size_t other = 0; other < bases_.size(); ++other) {
      if (other == axis) continue;
      cost += still_[other][static_cast<std::size_t>(first + count)] - still_[other][static_cast<std::size_t>(first)];
    }
    if (!seen_[axis]) return cost;
    const auto [start, slope] = ladder_of(axis, first, count);
    const double step = std::exp(-slope);
    double frequency = start;
    for (Eigen::Index i = 0; i < count; ++i, frequency *= step) cost += deviation(axis, first + i, frequency);
    return cost;
  }
  Eigen::Index pairs() const { return pairs_; }
  std::size_t axes() const { return bases_.size(); }

 private:
  double deviation(std::size_t axis, Eigen::Index pair, double frequency) const {
    if (!seen_[axis]) return 0;
    const auto a = static_cast<Eigen::Index>(axis);
    const double sigma = measured_.sigma(a, pair), period = measured_.period(a, pair);
    if (!(sigma < 1e30)) return 0;
    double by = frequency - measured_.frequency(a, pair);
    if (std::isfinite(period)) by = wrapped(by, period);
    return cost_of(by / (sigma + 1e-6 * frequency));
  }
  /// The first frequency and −d ln θ / d pair: through θ = 1 at the first pair, or free, from those that are known
  /// well.
  std::pair<double, double> ladder_of(std::size_t axis, Eigen::Index first, Eigen::Index count) const {
    const auto a = static_cast<Eigen::Index>(axis);
    const std::pair own{1.0, std::log(bases_[axis]) / static_cast<double>(count)};
    if (freedom_ == Freedom::none) return own;
    LineFit fit;
    for (Eigen::Index i = 0; i < count; ++i) {
      const double frequency = measured_.frequency(a, first + i), sigma = measured_.sigma(a, first + i);
      if (!(frequency > 5 * sigma)) continue;
      fit.add(static_cast<double>(i), std::log(frequency), frequency * frequency / (sigma * sigma));
    }
    if (freedom_ == Freedom::base) {
      const double slope = -fit.slope_through_origin();
      return {1.0, slope != 0 ? std::max(slope, 1e-6) : own.second};
    }
    if (!fit.determined()) return own;
    return {std::exp(fit.start()), std::max(-fit.slope(), 1e-6)};
  }

  const Measured& measured_;
  std::vector<double> bases_;
  Freedom freedom_;
  Eigen::Index pairs_;
  std::vector<bool> seen_;
  std::vector<std::vector<double>> still_;
};

/// The cheapest way to give all pairs to the axes, each at most once, in any order.
std::vector<Share> cheapest(const DealingCosts& costs) {
  const auto pairs = static_cast<std::size_t>(costs.pairs());
  const std::size_t axes = costs.axes(), sets = std::size_t{1} << axes;
  struct State {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t before = 0, axis = 0, from = 0;
  };
  std::vector<std::vector<State>> best(pairs + 1, std::vector<State>(sets));
  best[0][0].cost = 0;
  for (std::size_t from = 0; from < pairs; ++from) {
    for (std::size_t axis = 0; axis < axes; ++axis) {
      for (std::size_t to = from + 1; to <= pairs; ++to) {
        double cost = -1;
        for (std::size_t used = 0; used < sets; ++used) {
          if ((used >> axis & 1) != 0 || !(best[from][used].cost < 1e30)) continue;
          if (cost < 0) cost = costs.of(axis, static_cast<Eigen::Index>(from), static_cast<Eigen::Index>(to - from));
          State& state = best[to][used | std::size_t{1} << axis];
          if (best[from][used].cost + cost < state.cost) state = {best[from][used].cost + cost, used, axis, from};
        }
      }
    }
  }
  std::size_t used = 0;
  for (std::size_t set = 0; set < sets; ++set) {
    if (best[pairs][set].cost < best[pairs][used].cost || used == 0) used = set;
  }
  std::vector<Share> shares;
  for (std::size_t at = pairs; at > 0;) {
    const State& state = best[at][used];
    shares.insert(shares.begin(), Share{state.axis, static_cast<int>(at - state.from)});
    at = state.from, used = state.before;
  }
  return shares;
}

Eigen::MatrixXd dealt(const CheckModel& model, const std::vector<Share>& shares) {
  Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(model.tokens.frequencies.rows(), model.tokens.pair_count());
  Eigen::Index first = 0;
  for (const Share& share : shares) {
    if (share.pairs < 1) continue;
    frequencies.row(static_cast<Eigen::Index>(share.axis)).segment(first, share.pairs) =
        plain_frequencies(2 * share.pairs, model.tokens.axes[share.axis].base).transpose();
    first += share.pairs;
  }
  return frequencies;
}

/// "row, column, t", or where runs come back the rule that makes them: "(t, row, column) x 20, t x 4".
std::string order_of(const CheckModel& model, const std::vector<Share>& shares) {
  std::vector<std::size_t> owners;
  for (const Share& share : shares) owners.insert(owners.end(), static_cast<std::size_t>(share.pairs), share.axis);
  std::vector<std::size_t> seen;
  for (const Share& share : shares) seen.push_back(share.axis);
  std::sort(seen.begin(), seen.end());
  const bool once = std::adjacent_find(seen.begin(), seen.end()) == seen.end();
  std::string order;
  const auto add = [&](const std::string& words) { order += (order.empty() ? "" : ", ") + words; };
  const auto name = [&](std::size_t axis) { return model.tokens.axes[axis].name; };
  if (once) {
    for (const Share& share : shares) add(name(share.axis));
    return order;
  }
  const std::size_t longest = model.tokens.axes.size() + 1;
  for (std::size_t at = 0; at < owners.size();) {
    // The turn that covers most of what follows; of equal ones the shortest.
    std::size_t turn = 1, most = 0;
    for (std::size_t length = 1; length <= longest && at + length <= owners.size(); ++length) {
      std::size_t covered = length;
      while (covered < owners.size() - at && owners[at + covered] == owners[at + covered - length]) ++covered;
      covered -= covered % length;
      if (covered > most && (length == 1 || covered > length)) most = covered, turn = length;
    }
    std::string names;
    for (std::size_t i = 0; i < turn; ++i) names += (i == 0 ? "" : ", ") + name(owners[at + i]);
    if (turn > 1) names = "(" + names + ")";
    if (most > turn) names += " x " + std::to_string(most / turn);
    add(names);
    at += most;
  }
  return order;
}

void add_causes_axis_dimensions(const Situation& situation, const std::vector<Share>& shares,
                                Eigen::MatrixXd frequencies, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (frequencies.isApprox(model.tokens.frequencies, 1e-9)) return;
  Proposal found = situation.proposal();
  found.model.tokens.frequencies = std::move(frequencies);
  std::vector<double> dimensions(model.tokens.axes.size(), 0);
  bool in_order = true;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    dimensions[shares[i].axis] += 2.0 * shares[i].pairs;
    found.model.blocks_of_pairs.emplace_back(shares[i].axis, 2 * shares[i].pairs);
    in_order = in_order && (i == 0 || shares[i].axis > shares[i - 1].axis);
  }
  const std::string order = order_of(model, shares);
  std::vector<double> of_reference;
  for (const LayoutAxis& axis : model.tokens.axes) of_reference.push_back(axis.rotary_dim);
  found.parameters = {{"dimensions", dimensions}};
  if (!in_order) found.parameters.push_back({"order", as_it_is(order)});
  found.doubt = in_order ? Doubt::none : Doubt::fitted;
  const Words::Named there("found", list_text(dimensions)), due("due", list_text(of_reference));
  found.evidence = in_order ? Words("check.axis-dimensions.evidence", {there, due})
                            : Words("check.axis-dimensions.evidence_order", {there, due, {"order", order}});
  found.advice = Words("check.axis-dimensions.advice", {due});
  proposals.push_back(std::move(found));
}

bool has_plain_blocks(const CheckModel& model) {
  Eigen::Index first = 0;
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) {
    const LayoutAxis& of = model.tokens.axes[axis];
    if (!(of.base > 1)) return false;
    if (of.rotary_dim == 0) continue;
    const Eigen::VectorXd own =
        model.tokens.frequencies.row(static_cast<Eigen::Index>(axis)).segment(first, of.rotary_dim / 2).transpose();
    const Eigen::VectorXd ladder = plain_frequencies(of.rotary_dim, 2);
    // Whatever the base: a geometric ladder from 1.
    if (std::abs(own[0] - 1) > 1e-9 || ladder.size() != own.size()) return false;
    first += of.rotary_dim / 2;
    if (first > model.tokens.pair_count()) return false;
  }
  return first == model.tokens.pair_count();
}

/// The axes with their own widths, one after the other in another order.
void add_orders(const Situation& situation, std::vector<Proposal>& proposals) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < situation.model.tokens.axes.size(); ++axis) order.push_back(axis);
  while (std::next_permutation(order.begin(), order.end())) {
    std::vector<Share> shares;
    for (const std::size_t axis : order) {
      const int pairs = situation.model.tokens.axes[axis].rotary_dim / 2;
      if (pairs > 0) shares.push_back({axis, pairs});
    }
    add_causes_axis_dimensions(situation, shares, dealt(situation.model, shares), proposals);
  }
}

/// Other dealings that models have: the same widths in another order, and the usual ones.
void add_usual(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const auto pairs = static_cast<int>(model.tokens.pair_count());
  const auto axes = static_cast<int>(model.tokens.axes.size());
  const auto try_pairs = [&](const std::vector<int>& of_axes) {
    std::vector<Share> shares;
    for (std::size_t axis = 0; axis < of_axes.size(); ++axis) {
      if (of_axes[axis] > 0) shares.push_back({axis, of_axes[axis]});
    }
    add_causes_axis_dimensions(situation, shares, dealt(model, shares), proposals);
  };
  add_orders(situation, proposals);
  std::vector<int> own;
  for (const LayoutAxis& axis : model.tokens.axes) own.push_back(axis.rotary_dim / 2);
  std::vector<int> order(own);
  std::sort(order.begin(), order.end());
  do {
    try_pairs(order);
  } while (std::next_permutation(order.begin(), order.end()));
  std::vector<int> equal(static_cast<std::size_t>(axes), pairs / axes);
  equal[0] += pairs % axes;
  try_pairs(equal);
  if (axes != 3) return;
  const int wan = pairs / 3;
  for (const std::vector<int>& dims : {std::vector<int>{pairs - 2 * wan, wan, wan},
                                       {8, (pairs - 8) / 2, (pairs - 8) / 2},
                                       {pairs / 4, pairs * 3 / 8, pairs * 3 / 8},
                                       {pairs / 2, pairs / 4, pairs / 4}}) {
    const bool fits = std::accumulate(dims.begin(), dims.end(), 0) == pairs &&
                      std::all_of(dims.begin(), dims.end(), [](int dim) { return dim > 0; });
    if (fits) try_pairs(dims);
  }
}

/// One ladder over the head, dealt pair by pair: each to the axis that the evidence shows.
void propose_sections(const Situation& situation, const Measured& measured, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  const Eigen::Index axes = old.rows();
  std::vector<Share> shares;
  Eigen::MatrixXd frequencies = Eigen::MatrixXd::Zero(axes, old.cols());
  for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
    const double frequency = old.col(pair).sum();
    Eigen::Index owner = shares.empty() ? 0 : static_cast<Eigen::Index>(shares.back().axis);
    double least = std::numeric_limits<double>::infinity();
    for (const Eigen::Index axis : {owner, Eigen::Index{0}, Eigen::Index{1}, Eigen::Index{2}}) {
      if (axis >= axes) continue;
      double cost = 0;
      for (Eigen::Index other = 0; other < axes; ++other) {
        const double sigma = measured.sigma(other, pair);
        if (sigma < 1e30) cost += cost_of((measured.frequency(other, pair) - (other == axis ? frequency : 0)) / sigma);
      }
      if (cost < least - 0.3) least = cost, owner = axis;
    }
    frequencies(owner, pair) = frequency;
    if (shares.empty() || shares.back().axis != static_cast<std::size_t>(owner)) {
      shares.push_back({static_cast<std::size_t>(owner), 0});
    }
    ++shares.back().pairs;
  }
  add_causes_axis_dimensions(situation, shares, std::move(frequencies), proposals);
}

void propose_axis_dimensions(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::size_t axes = model.tokens.axes.size();
  constexpr std::size_t kMostAxes = 4;
  constexpr Eigen::Index kMostPairs = 256;
  if (axes < 2 || axes > kMostAxes || model.rope || model.tokens.pair_count() > kMostPairs) return;
  if (!situation.evidence.has_rotation()) return;
  const bool plain = has_plain_blocks(model);
  if (is_mixed(model.tokens.frequencies)) return;
  const Measured measured = measure(situation.evidence, situation.observed(), model, true);
  if (!plain) {
    if (situation.reference.layout != nullptr && takes(*situation.reference.layout, "sections")) {
      propose_sections(situation, measured, proposals);
    }
    return;
  }
  std::vector<double> bases;
  for (const LayoutAxis& axis : model.tokens.axes) bases.push_back(axis.base);
  for (const Freedom freedom : {Freedom::none, Freedom::base, Freedom::base_and_start}) {
    if (measured.is_spent()) return;
    // Every run of pairs is laid over the ladder of every axis.
    measured.spend(static_cast<Eigen::Index>(axes) * model.tokens.pair_count() * model.tokens.pair_count() *
                   model.tokens.pair_count() / 24);
    const std::vector<Share> shares = cheapest(DealingCosts(measured, bases, freedom));
    add_causes_axis_dimensions(situation, shares, dealt(model, shares), proposals);
  }
  add_usual(situation, proposals);
}

}  // namespace

/// Pairs given to the axes in other numbers or another order.
constinit const Cause kAxisDimensions{.name = "axis-dimensions",
                                      .group = CauseGroup::channels,
                                      .seen_in = "huggingface/diffusers#12538",
                                      .propose = propose_axis_dimensions};

}  // namespace ropescope
