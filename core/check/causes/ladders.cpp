// Causes in the plain frequencies, one block each: another base, another assignment of exponents to pairs.
//
// Contents: Base; Ladder.

#include <algorithm>
#include <cmath>

#include "core/check/causes/cause.h"
#include "core/check/causes/sizes.h"
#include "core/check/evidence/fit.h"
#include "core/check/evidence/ropes.h"
#include "core/check/model/ladders.h"
#include "core/check/tuning.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Base ----------------------------------------------------------------------------------------------------------

namespace {

void rebase(CheckModel& model, const Ladders& ladders, double base) {
  model.tokens.frequencies = with_base(model, ladders, base);
  if (model.rope) {
    for (RotaryAxis& axis : model.rope->axes) axis.base = base;
  }
  for (LayoutAxis& axis : model.tokens.axes) {
    if (axis.base > 1) axis.base = base;
  }
}

/// Gives the model one plain ladder, whatever extension the config specifies.
void rebase_plain_ladder(CheckModel& model, double base) {
  model.rope->extension = Extension{};
  for (RotaryAxis& axis : model.rope->axes) axis.base = base;
  for (LayoutAxis& axis : model.tokens.axes) axis.base = base;
  model.tokens.frequencies = rope_ladders(*model.rope, model.length).frequencies;
}

std::vector<double> bases_of(const CheckModel& model) {
  std::vector<double> bases;
  for (const LayoutAxis& axis : model.tokens.axes) bases.push_back(axis.base > 1 ? axis.base : 0);
  return bases;
}

/// Returns whether all axes of a model have the same base.
bool has_one_base(const CheckModel& model) {
  const std::vector<double> bases = bases_of(model);
  return std::all_of(bases.begin(), bases.end(), [&](double base) { return base == bases[0]; });
}

/// Describes a separate base for each axis.
void describe_bases(Proposal& found, const Situation& situation, const std::vector<double>& bases) {
  const Message::Named due("due", list_text(bases_of(situation.model)));
  found.parameters = {{"base", bases}};
  found.evidence = Message("check.base.evidence_axes", {{"found", list_text(bases)}, due});
  found.advice = Message("check.base.advice_axes", {due});
}

void add_rebased(const Situation& situation, double base, CheckModel model, bool extended,
                 std::vector<Proposal>& proposals) {
  Proposal& found = situation.add_to(proposals);
  found.model = std::move(model);
  if (extended) found.change = [base](CheckModel& other) { rebase(other, ladders_of(other), base); };
  if (!has_one_base(situation.model)) return describe_bases(found, situation, bases_of(found.model));
  found.parameters = {{"base", base}};
  const double of_reference = situation.model.tokens.axes[0].base;
  const Message::Named due("due", of_reference);
  found.evidence = Message("check.base.evidence", {{"found", base}, due});
  found.advice = Message("check.base.advice", {due});
  // base^(-i/d) is another base's ladder, and so is base^(-4i/d).
  const bool plain = !situation.model.is_extended();
  for (const auto& [power, key] :
       {std::pair(0.5, "check.base.evidence_half"), std::pair(2.0, "check.base.evidence_twice")}) {
    if (!plain || std::abs(base / std::pow(of_reference, power) - 1) > tuned::kSameExponent) continue;
    found.evidence = sentences(std::move(found.evidence), Message(key, {due}));
    found.advice = Message("check.base.advice_exponent", {due});
  }
  if (!extended) {
    const Message::Named method("method", situation.model.rope->extension.method);
    found.advice = sentences(std::move(found.advice), Message("check.scaling-missing.advice", {method}));
  }
}

/// Returns whether a fit may go to a base.
bool is_base_of_fit(double base) {
  return base > tuned::kMinBase && base < tuned::kMaxBaseOfFit;
}

/// Returns a grid of bases, and the bases that single pairs would have.
std::vector<double> starts_of_base(const Measured& measured, const Ladders& ladders) {
  std::vector<double> starts = logarithmic_grid(tuned::kStartsOfBase);
  const bool as_many = measured.frequency.size() == ladders.exponent.size();
  for (Eigen::Index i = 0; as_many && i < ladders.exponent.size(); ++i) {
    const double frequency = measured.frequency.reshaped()[i], exponent = ladders.exponent.reshaped()[i];
    const auto axis = static_cast<std::size_t>(i % ladders.exponent.rows());
    const bool usable = std::isfinite(measured.sigma.reshaped()[i]) &&
                        frequency > tuned::kClearOfNoise * measured.sigma.reshaped()[i] &&
                        std::abs(exponent) > tuned::kMinExponent && starts.size() < tuned::kMaxBaseStarts;
    if (!usable) continue;
    const double base = std::pow(frequency / ladders.unit[axis], -1 / exponent);
    if (base > tuned::kMinStartBase && base < tuned::kMaxBase) starts.push_back(base);
  }
  return starts;
}

/// Appends the model's ladder (`extended`) or the plain one, with another base.
void propose_with(const Situation& situation, bool extended, std::vector<Proposal>& proposals) {
  const auto build = [&](double base) {
    CheckModel model = situation.model;
    extended ? rebase(model, situation.ladders(), base) : rebase_plain_ladder(model, base);
    return model;
  };
  const Family family = [&](double base) -> Eigen::MatrixXd {
    if (!is_base_of_fit(base)) return no_frequencies();
    situation.evidence.spend(kOfPower * situation.model.tokens.pair_count());
    return build(base).tokens.frequencies;
  };
  const Measured& measured = situation.measured();
  auto fit = fit_parameter(measured, family, starts_of_base(measured, situation.ladders()));
  if (!fit || !(fit->error < tuned::kSureBase * fit->value)) return;
  const Fit rough = *fit;
  *fit = refine_fit(situation.evidence, *fit, build);
  std::vector<double> bases = round_numbers(*fit);
  // If ids are wrong too, they distort a fit to cos and sin, but not the frequencies alone.
  for (const double base : round_numbers(rough)) bases.push_back(base);
  for (const double base : bases) {
    // The config's base without its extension is not another base, unless the extension itself is one.
    const bool is_requested =
        !extended && std::abs(base - situation.model.rope->axes[0].base) <= tuned::kSameBase * base;
    if (!(base > tuned::kMinBase) || (is_requested && !is_geometric(situation.model))) continue;
    add_rebased(situation, base, build(base), extended, proposals);
    proposals.back().set_fitted(base == fit->value, doubt_of(base));
  }
  for (const double base : numbers_for_rounded(situation.model, *fit)) {
    if (!(base > tuned::kMinBase)) continue;
    add_rebased(situation, base, build(base), extended, proposals);
    proposals.back().doubt = Doubt::fitted;
  }
}

/// Appends axes with separate bases.
void propose_by_axis(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Ladders& ladders = situation.ladders();
  if (is_mixed(model.tokens.frequencies) || model.tokens.axes.size() < 2 || !situation.evidence.has_rotation()) return;
  AxisFamily family;
  family.own = ladders.base;
  family.sure = tuned::kSureBase;
  family.frequencies = [&](std::size_t axis, double base) -> Eigen::MatrixXd {
    if (!is_base_of_fit(base)) return no_frequencies();
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
    std::vector<double> starts = logarithmic_grid(tuned::kStartsOfBase);
    for (const double round : {100.0, 256.0, 500.0, 1000.0, 2000.0, 10000.0, 1e6}) starts.push_back(round);
    starts.push_back(ladders.base[axis]);
    return starts;
  };
  family.candidates = round_numbers;
  const std::vector<Fit> fits = axis_fits(situation, family);
  if (fits.empty()) return;
  const AxisNumbers numbers = choose_axis_values(situation, family, fits);
  Proposal& found = situation.add_to(proposals);
  std::vector<Fit> exact;
  for (const double base : numbers.values) exact.push_back({base, 0, 0});
  found.model = apply_fits(situation, family, exact);
  // With pairs that are assigned differently: the same bases on that model's own assignment.
  found.change = [own = ladders.base, bases = numbers.values, applied = family.applied](CheckModel& other) {
    for (std::size_t axis = 0; axis < bases.size(); ++axis) {
      if (bases[axis] != own[axis]) other = applied(other, axis, bases[axis]);
    }
  };
  found.set_fitted(numbers.fitted, numbers.fitted ? Doubt::fitted : Doubt::round_number);
  describe_bases(found, situation, numbers.values);
}

/// Returns the frequencies of the layout with another request; nullopt if it rejects it or they have another shape.
std::optional<Eigen::MatrixXd> frequencies_by(const Situation& situation, const LayoutRequest& request) {
  const auto tokens = arranged(situation, request);
  const Eigen::MatrixXd& own = situation.model.tokens.frequencies;
  situation.evidence.spend(kOfPower * own.cols());
  if (!tokens || tokens->frequencies.rows() != own.rows() || tokens->frequencies.cols() != own.cols()) return {};
  return tokens->frequencies;
}

/// Returns whether the frequencies are those of the layout, so that another request shows how they would change.
bool are_of_layout(const Situation& situation) {
  const CheckReference& reference = situation.reference;
  const Eigen::MatrixXd &own = situation.model.tokens.frequencies, &due = reference.tokens.frequencies;
  return reference.layout != nullptr && !situation.model.rope && reference.request.mixed_frequencies.size() == 0 &&
         own.rows() == due.rows() && own.cols() == due.cols() && own == due;
}

/// Appends another base for a layout without a known ladder formula: the layout's own code computes the ladders.
void propose_base_of_layout(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!are_of_layout(situation) || !takes(*situation.reference.layout, "base")) return;
  LayoutRequest request = situation.reference.request;
  const auto by = [&](double base) {
    request.base = base;
    return base > tuned::kMinBase && base < tuned::kMaxBase ? frequencies_by(situation, request) : std::nullopt;
  };
  std::vector<double> bases = {100, 256, 500, 1000, 2000, 5000, 10000, 20000, 50000, 1e5, 1.5e5, 5e5, 1e6, 5e6, 1e7};
  const Family family = [&](double base) -> Eigen::MatrixXd { return by(base).value_or(no_frequencies()); };
  if (const auto fit = fit_parameter(situation.measured(), family, logarithmic_grid(tuned::kStartsOfLayoutBase))) {
    for (const double base : round_numbers(*fit)) bases.push_back(base);
  }
  for (const double base : bases) {
    const auto frequencies = by(base);
    if (!frequencies || *frequencies == situation.model.tokens.frequencies) continue;
    Proposal& found = situation.add_to(proposals);
    found.model.tokens.frequencies = *frequencies;
    for (LayoutAxis& axis : found.model.tokens.axes) axis.base = base;
    found.parameters = {{"base", base}};
    const Message::Named due("due", situation.model.tokens.axes[0].base);
    found.evidence = Message("check.base.evidence", {{"found", base}, due});
    found.advice = Message("check.base.advice", {due});
    found.doubt = doubt_of(base);
  }
}

void propose_base(const Situation& situation, std::vector<Proposal>& proposals) {
  const bool of_heads = situation.reference.layout != nullptr && takes(*situation.reference.layout, "head");
  if (of_heads || !situation.ladders().known()) propose_base_of_layout(situation, proposals);
  if (!situation.ladders().known()) return;
  propose_with(situation, true, proposals);
  propose_by_axis(situation, proposals);
  if (situation.model.is_extended() && situation.model.blocks_of_pairs.empty())
    propose_with(situation, false, proposals);
}

std::optional<double> own_base(const CheckModel& model, std::string_view, std::size_t axis) {
  return model.tokens.axes[axis].base;
}

void propose_usual_base(const Situation& situation, std::vector<Proposal>& proposals) {
  constexpr double kUsual = 10000;
  const Ladders& ladders = situation.ladders();
  if (!ladders.known() || !has_one_base(situation.model) || ladders.base[0] == kUsual) return;
  situation.evidence.spend(kOfPower * situation.model.tokens.pair_count());
  CheckModel model = situation.model;
  rebase(model, ladders, kUsual);
  add_rebased(situation, kUsual, std::move(model), true, proposals);
}

// --- Ladder --------------------------------------------------------------------------------------------------------

/// Returns the new exponent of a frequency on an axis of these ladders.
using Exponent = double (*)(const Ladders&, std::size_t axis, double exponent);

void replace_all_exponents(CheckModel& model, Exponent exponent) {
  const Ladders ladders = ladders_of(model);
  model.tokens.frequencies =
      replace_exponents(model, ladders, [&](std::size_t axis, double old) { return exponent(ladders, axis, old); });
}

void add_frequency_ladder(const Situation& situation, const std::string& kind, std::string_view evidence,
                          Exponent exponent, std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal([exponent](CheckModel& other) { replace_all_exponents(other, exponent); });
  if (!found.model.tokens.frequencies.allFinite()) return;
  found.parameters = {{"kind", named_value(kind)}};
  found.evidence = Message(evidence);
  // A model whose exponents include both ends has no plain ladder.
  found.advice =
      Message(kind == "exclusive" ? "check.frequency-ladder.advice_inclusive" : "check.frequency-ladder.advice");
  proposals.push_back(std::move(found));
}

/// What is reversed from the last pair to the first: the frequencies of each axis, these with its static pairs, or the
/// one ladder that several axes share while each keeps its pairs.
enum class Reversed { turning, with_still, across_axes };

void reverse_ladder(CheckModel& model, Reversed what) {
  Eigen::MatrixXd& frequencies = model.tokens.frequencies;
  const Eigen::MatrixXd of = frequencies;
  if (what == Reversed::across_axes) {
    const Eigen::RowVectorXd ladder = frequencies.colwise().sum();
    for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
      Eigen::Index axis = 0;
      of.col(pair).cwiseAbs().maxCoeff(&axis);
      frequencies(axis, pair) = ladder[frequencies.cols() - 1 - pair];
    }
    return;
  }
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    std::vector<Eigen::Index> pairs;
    for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
      const bool of_other = frequencies.col(pair).cwiseAbs().sum() != std::abs(frequencies(axis, pair));
      if (what == Reversed::with_still ? !of_other : frequencies(axis, pair) != 0) pairs.push_back(pair);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      frequencies(axis, pairs[i]) = of(axis, pairs[pairs.size() - 1 - i]);
    }
  }
}

/// Returns whether the ladders rise from pair to pair, as in LTX.
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
    Proposal found = situation.proposal([what](CheckModel& other) { reverse_ladder(other, what); });
    if (found.model.tokens.frequencies == own) continue;
    found.parameters = {{"kind", named_value("reversed")}};
    const bool rising = rise(own);
    found.evidence =
        Message(rising ? "check.frequency-ladder.evidence_falls" : "check.frequency-ladder.evidence_rises");
    found.advice = Message(rising ? "check.frequency-ladder.advice_rises" : "check.frequency-ladder.advice_falls");
    proposals.push_back(std::move(found));
  }
}

double rungs(const Ladders& ladders, std::size_t axis) {
  return ladders.own_dim[axis] / 2;
}

/// Appends the frequencies of another head if each has its own (LTX-2), or one ladder for the channels of a head in
/// place of all heads.
void propose_heads(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!are_of_layout(situation) || !takes(*situation.reference.layout, "head")) return;
  const LayoutRequest& own = situation.reference.request;
  const auto add = [&](const Eigen::MatrixXd& frequencies) -> Proposal& {
    Proposal& found = situation.add_to(proposals);
    found.model.tokens.frequencies = frequencies;
    return found;
  };
  for (int head = 0; head < tuned::kMaxLadderHeads; ++head) {
    LayoutRequest request = own;
    request.head = head;
    const auto frequencies = head == own.head ? std::nullopt : frequencies_by(situation, request);
    if (!frequencies) {
      if (head == own.head) continue;
      break;
    }
    Proposal& found = add(*frequencies);
    found.parameters = {{"kind", named_value("head")}, {"head", static_cast<double>(head)}};
    found.evidence = Message("check.frequency-ladder.evidence_head", {{"found", head}, {"due", own.head}});
    found.advice = Message("check.frequency-ladder.advice_head", {{"found", head}, {"due", own.head}});
  }
  // The formula of LTX-Video over the channels of one head.
  const auto pairs = static_cast<int>(situation.model.tokens.pair_count());
  LayoutRequest request;
  request.image = own.image, request.frames = own.frames, request.base = own.base, request.head_dim = 2 * pairs;
  try {
    const TokenLayout whole = arrange(find_layout("ltx-video"), request);
    if (whole.frequencies.rows() != situation.model.tokens.frequencies.rows() || whole.pair_count() != pairs) return;
    Proposal& found = add(whole.frequencies);
    found.parameters = {{"kind", named_value("one-head")}};
    found.evidence = Message("check.frequency-ladder.evidence_one_head", {{"channels", 2 * pairs}});
    found.advice = Message("check.frequency-ladder.advice_one_head", {{"head", own.head}});
  } catch (const InputError&) {
    // A rejected request explains nothing.
  }
}

void propose_frequency_ladder(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_reversed(situation, proposals);
  propose_heads(situation, proposals);
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

/// Frequencies fit another base: the same ladder with other frequencies.
constinit const Cause kBase{.name = "base",
                            .group = CauseGroup::frequencies,
                            .seen_in = "lyogavin/airllm#369, THUDM/slime#1720",
                            .fix_kinds = kByBase,
                            .propose = propose_base,
                            .own_number = own_base};

/// The default base of most code instead of the model's. It explains the numbers more simply than a rotary dimension
/// whose exponents give the same ladder.
extern constinit const Cause kUsualBase{.name = "base",
                                        .group = CauseGroup::frequencies,
                                        .seen_in = "lyogavin/airllm#369, THUDM/slime#1720",
                                        .fix_kinds = kByBase,
                                        .propose = propose_usual_base,
                                        .own_number = own_base};

/// θ_i shifted by one, spaced over [0, 1] inclusive, its reciprocal, or reversed from the last pair to the first.
constinit const Cause kFrequencyLadder{
    .name = "frequency-ladder", .group = CauseGroup::frequencies, .seen_in = "", .propose = propose_frequency_ladder};

}  // namespace ropescope
