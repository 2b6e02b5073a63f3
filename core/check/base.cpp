#include <cmath>

#include "core/check/cause.h"

namespace ropescope {

namespace {

CheckModel rebased(const Situation& situation, double base) {
  CheckModel model = situation.model;
  model.tokens.frequencies = with_base(situation.model, situation.ladders(), base);
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

void add_base(const Situation& situation, double base, CheckModel model, std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal();
  found.model = std::move(model);
  found.parameters = {{"base", base}};
  const double of_reference = situation.model.tokens.axes[0].base;
  found.evidence =
      "The frequencies fit the base " + number_text(base) + "; the reference has " + number_text(of_reference) + ".";
  found.advice = "Compute the frequencies with the base " + number_text(of_reference) + ".";
  proposals.push_back(std::move(found));
}

/// The bases that single pairs would have.
std::vector<double> starts_of(const Measured& measured, const Ladders& ladders) {
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

using Build = std::function<CheckModel(double)>;

void propose_with(const Situation& situation, const Build& build, std::vector<Proposal>& proposals) {
  const Family family = [&](double base) -> Eigen::MatrixXd {
    if (!(base > 1 && base < 1e18)) return Eigen::MatrixXd::Constant(1, 1, std::nan(""));
    return build(base).tokens.frequencies;
  };
  const Measured& measured = situation.measured();
  auto fit = fit_parameter(measured, family, starts_of(measured, situation.ladders()));
  if (!fit || !(fit->error < 0.3 * fit->value)) return;
  *fit = polished(situation.evidence, *fit, build);
  for (const double base : round_numbers(*fit)) {
    if (!(base > 1)) continue;
    add_base(situation, base, build(base), proposals);
    if (base == fit->value) proposals.back().model.slack = 0.5;
  }
  if (situation.model.frequency_format == ShortFormat::none) return;
  // Rounded frequencies allow a range of bases: any that rounds to the same ones.
  constexpr int kAround = 24;
  for (int i = -kAround; i <= kAround; ++i) {
    const double base = fit->value + 3 * fit->error * i / kAround;
    if (base > 1) add_base(situation, base, build(base), proposals);
  }
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.ladders().known()) return;
  propose_with(
      situation, [&](double base) { return rebased(situation, base); }, proposals);
  const bool is_extended = situation.model.rope && situation.model.rope->extension.method != "none" &&
                           situation.model.blocks_of_pairs.empty();
  if (is_extended)
    propose_with(
        situation, [&](double base) { return plain_rebased(situation, base); }, proposals);
}

}  // namespace

/// Frequencies fit another base: the same ladder, other rungs.
constinit const Cause kBase{.name = "base",
                            .group = CauseGroup::frequencies,
                            .seen_in = "lyogavin/airllm#369, THUDM/slime#1720",
                            .propose = propose};

}  // namespace ropescope
