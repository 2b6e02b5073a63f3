#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/figure/number_text.h"
#include "app/views/attention/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/encodings.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

constexpr int kProductSlot = 0, kQuerySlot = 1, kKeySlot = 2, kBoundSlot = 3;

/// Frequencies of the pairs, as far as the encoding's settings say: the plain ladder.
Eigen::VectorXd ladder(const AttentionShown& shown, Eigen::Index pairs) {
  const RotarySpec spec = spec_of(shown.experiment.rope);
  return plain_frequencies(static_cast<int>(2 * pairs), spec.axes[axis_index(spec, shown.experiment.rope)].base);
}

Figure score_figure(const AttentionShown& shown, const AttentionEnergy& energy) {
  const Text& text = shown.text;
  Figure figure;
  figure.name = "score";
  figure.title = text.format("view.attention.score_title", {{"encoding", text.say(title_of(*shown.encoding))}});
  const double first = energy.mean->x_at(0), last = energy.mean->x_at(energy.mean->ys.size() - 1);
  figure.x = cell_axis(named_axis("attention", "distance", text), {first, std::max(last, first + 1)},
                       shown.knobs.distance_range);
  const int slot = encoding_slot(shown.encoding->name);
  figure.lines.push_back({"mean", text["view.attention.mean_score"], {slot, false}, energy.mean, true});
  figure.lines.push_back({"above", text["view.attention.deviation"], {slot, true}, energy.above, true});
  figure.lines.push_back({"below", text["view.attention.deviation"], {slot, true}, energy.below, false});
  if (energy.bound) {
    const LineStyle style{slot == kBoundSlot ? kBoundSlot + 1 : kBoundSlot, false};
    figure.lines.push_back({"bound", text["view.attention.bound"], style, energy.bound, true});
    figure.lines.push_back({"lower_bound", text["view.attention.bound"], style, energy.lower_bound, false});
  }
  figure.y.name = "score";
  figure.y.label = text["view.attention.score"];
  // The bound is far larger than what it bounds.
  figure.y.scale = energy.bound ? AxisScale::symlog : AxisScale::linear;
  figure.y.fit = with_room(widened({0, 0}, figure.lines));
  // Room for the legend, which would cover the bound.
  if (energy.bound && figure.y.fit.high > 1) figure.y.fit.high *= 12;
  figure.y.range = figure.y.fit;
  figure.zero_line = true;
  figure.legend = true;
  return figure;
}

/// The slowest pair that still finishes a turn within the tokens, and those past it.
Eigen::Index finished_pairs(const Eigen::VectorXd& frequencies, double tokens) {
  Eigen::Index count = 0;
  for (const double frequency : frequencies) count += frequency * tokens >= 2 * std::numbers::pi ? 1 : 0;
  return count;
}

Figure energy_figure(const AttentionShown& shown, const AttentionEnergy& energy, const Eigen::VectorXd& frequencies) {
  const Text& text = shown.text;
  Figure figure;
  figure.name = "energy";
  figure.title = text["view.attention.energy_title"];
  const auto pairs = static_cast<double>(energy.pairs.product.size());
  figure.x = cell_axis(named_axis("attention", "pair", text), cell_range(pairs), shown.knobs.pair_range);
  const auto add = [&](const std::string& key, const Eigen::VectorXd& values, int slot) {
    figure.lines.push_back({key,
                            text["view.attention.energy." + key],
                            {slot, false},
                            make_series(0, 1, std::vector<double>(values.begin(), values.end())),
                            true});
    figure.clocks.emplace_back(frequencies.begin(), frequencies.end());
  };
  add("product", energy.pairs.product, kProductSlot);
  add("query", energy.pairs.query, kQuerySlot);
  add("key", energy.pairs.key, kKeySlot);
  const double most = widened({0, 0}, figure.lines).high;
  figure.y.name = "energy";
  figure.y.label = text["view.attention.energy_label"];
  figure.y.fit = figure.y.range = {0, most > 0 ? 1.08 * most : 1};
  figure.legend = true;
  const double tokens = shown.subject.content.tokens;
  const Eigen::Index finished = finished_pairs(frequencies, tokens);
  if (finished < frequencies.size()) {
    Span still;
    still.low = static_cast<double>(finished) - 0.5;
    still.high = pairs - 0.5;
    still.role = Role::secondary;
    still.label = text.format("view.attention.unfinished", {{"tokens", counted(tokens)}});
    figure.spans.push_back(still);
  }
  return figure;
}

/// How few pairs hold half of Σ |q||k|.
Readout half_readout(const AttentionShown& shown, const PairEnergy& pairs) {
  Readout readout = start_card("attention.half", shown.text);
  std::vector<double> sorted(pairs.product.begin(), pairs.product.end());
  std::sort(sorted.rbegin(), sorted.rend());
  const double all = pairs.product.sum();
  double sum = 0;
  std::size_t count = 0;
  while (count < sorted.size() && sum < (0.5 - 1e-12) * all) sum += sorted[count++];
  Eigen::Index strongest = 0;
  pairs.product.maxCoeff(&strongest);
  readout.value = count_of_pairs(count, sorted.size());
  readout.note = shown.text.format(
      "readout.attention.half.note",
      {{"pair", counted(strongest)}, {"share", readable_number(100 * pairs.product[strongest] / all, 3)}});
  return readout;
}

/// What the pairs hold that do not finish a turn over these tokens.
Readout slow_readout(const AttentionShown& shown, const PairEnergy& pairs, const Eigen::VectorXd& frequencies) {
  Readout readout = start_card("attention.slow", shown.text);
  const double tokens = shown.subject.content.tokens;
  const Eigen::Index finished = finished_pairs(frequencies, tokens), slow = frequencies.size() - finished;
  const double share = pairs.product.tail(slow).sum() / pairs.product.sum();
  readout.value = Quantity{with_digits(100 * share, 3), "percent", "readout.percent"};
  readout.note = shown.text.format(
      "readout.attention.slow.note",
      {{"count", counted(slow)}, {"pairs", counted(frequencies.size())}, {"tokens", counted(tokens)}});
  return readout;
}

/// How loose the bound is: the largest |mean| beside it.
Readout bound_readout(const AttentionShown& shown, const AttentionEnergy& energy) {
  Readout readout = start_card("attention.bound", shown.text);
  double nearest = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < energy.bound->ys.size(); ++i) {
    const double ratio = std::abs(energy.turning->ys[i]) / energy.bound->ys[i];
    if (ratio > nearest) nearest = ratio, at = i;
  }
  readout.value = Quantity{with_digits(100 * nearest, 3), "percent", "readout.attention.bound.value"};
  readout.note = shown.text.format("readout.attention.bound.note", {{"distance", counted(at)}});
  return readout;
}

}  // namespace

ViewResult attention_energy(const AttentionShown& shown) {
  EnergyInput input;
  input.subject = shown.subject;
  input.pairing = shown.pairing;
  const auto answer = shown.store.get("attention.energy", input);
  if (!answer.result) return attention_message({}, true);
  const AttentionEnergy& energy = *answer.result;
  if (!energy.fault.empty()) return attention_message(shown.text.say(energy.fault), !answer.current);
  const Eigen::VectorXd frequencies = ladder(shown, energy.pairs.product.size());
  ViewResult result;
  result.stale = !answer.current;
  result.panels.push_back({score_figure(shown, energy), 0.52});
  result.panels.push_back({energy_figure(shown, energy, frequencies), 0.48});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = {half_readout(shown, energy.pairs), slow_readout(shown, energy.pairs, frequencies)};
  if (energy.bound) result.readouts.push_back(bound_readout(shown, energy));
  if (!result.stale) {
    result.status =
        shown.text.format("view.attention.status_energy",
                          {{"tokens", counted(shown.subject.content.tokens)}, {"pairs", counted(frequencies.size())}});
  }
  return result;
}

}  // namespace ropescope
