#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "app/figure/number_text.h"
#include "app/views/attention/cards.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/encodings.h"
#include "core/decay/analysis.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

constexpr int kProductSlot = 0, kEnergyQuerySlot = 1, kEnergyKeySlot = 2, kEnergyBoundSlot = 3;

Figure score_figure(const AttentionShown& shown, const AttentionEnergy& energy) {
  const Text& text = shown.text;
  Figure figure;
  figure.name = "score";
  figure.title = text.format("view.attention.score_title",
                             {{"encoding", encoding_label(*shown.encoding, shown.experiment.rope, text)}});
  const double first = energy.mean->x_at(0), last = energy.mean->x_at(energy.mean->ys.size() - 1);
  figure.x = cell_axis(named_axis("attention", "distance", text), {first, std::max(last, first + 1)},
                       shown.knobs.distance_range);
  const int slot = encoding_slot(shown.encoding->name);
  figure.lines.push_back({"mean", text["view.attention.mean_score"], {slot, false}, energy.mean, true});
  figure.lines.push_back({"above", text["view.attention.deviation"], {slot, true}, energy.above, true});
  figure.lines.push_back({"below", text["view.attention.deviation"], {slot, true}, energy.below, false});
  if (energy.bound) {
    const LineStyle style{slot == kEnergyBoundSlot ? kEnergyBoundSlot + 1 : kEnergyBoundSlot, false};
    figure.lines.push_back({"bound", text["view.attention.bound"], style, energy.bound, true});
    figure.lines.push_back({"lower_bound", text["view.attention.bound"], style, energy.lower_bound, false});
  }
  Range scores = with_room(widened({0, 0}, figure.lines), kRoom);
  // Room for the legend, which would cover the bound.
  if (energy.bound && scores.high > 1) scores.high *= 12;
  // The bound is far larger than what it bounds.
  const AxisScale scale = energy.bound ? AxisScale::symlog : AxisScale::linear;
  figure.y = fixed_axis(named_axis("attention", "score", text, scale), scores);
  if (energy.bound) figure.y.label = text["view.attention.symlog_score"];
  figure.zero_line = true;
  figure.legend = true;
  return figure;
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
  add("query", energy.pairs.query, kEnergyQuerySlot);
  add("key", energy.pairs.key, kEnergyKeySlot);
  figure.y = fixed_axis(named_axis("attention", "energy", text), from_zero(widened({0, 0}, figure.lines).high));
  figure.y.label = text["view.attention.energy_label"];
  figure.legend = true;
  const double tokens = shown.subject.content.tokens;
  const auto shade = [&](Eigen::Index first, Eigen::Index count, const std::string& label) {
    if (count == 0) return;
    Span span;
    span.low = static_cast<double>(first) - 0.5;
    span.high = std::min(static_cast<double>(first + count), pairs) - 0.5;
    span.role = Role::secondary;
    span.label = label;
    figure.spans.push_back(span);
  };
  const SlowPairs slow = slow_pairs(frequencies, tokens);
  const Eigen::Index still = slow.first + slow.count;
  shade(slow.first, slow.count, text.format("view.attention.unfinished", {{"tokens", counted(tokens)}}));
  shade(still, frequencies.size() - still, text["view.frequencies.still"]);
  return figure;
}

/// The frequencies of `count` pairs: what the encoding turns by; where it does not turn, the rope's own, if it has as
/// many.
Eigen::VectorXd frequencies_of(const AttentionShown& shown, Eigen::Index count) {
  if (const auto& ladder = shown.subject.settings.ladder) {
    return Eigen::VectorXd::Map(ladder->frequencies.data(), std::ssize(ladder->frequencies));
  }
  if (!shown.encoding->takes_ladder) {
    const RopeReading rope = read_rope(shown.experiment.rope);
    if (rope.ladder.frequencies.size() == count) return rope.ladder.frequencies;
  }
  return plain_frequencies(static_cast<int>(2 * count), shown.rope.shown_axis().base);
}

}  // namespace

SlowPairs slow_pairs(const Eigen::VectorXd& frequencies, double tokens) {
  const auto turning = (frequencies.array() != 0).count();
  const Eigen::Index count = unfinished_pairs(frequencies, tokens);
  return {turning - count, count};
}

ViewResult attention_energy(const AttentionShown& shown) {
  EnergyInput input;
  input.subject = shown.subject;
  input.pairing = shown.rope.spec.pairing;
  const auto answer = shown.store.get("attention.energy", input);
  if (!answer.result) return attention_message({}, true);
  const AttentionEnergy& energy = *answer.result;
  if (!energy.fault.empty()) return attention_message(shown.text.say(energy.fault), !answer.current);
  const Eigen::VectorXd frequencies = frequencies_of(shown, energy.pairs.product.size());
  ViewResult result;
  result.stale = !answer.current;
  result.panels.push_back({score_figure(shown, energy), 0.52});
  result.panels.push_back({energy_figure(shown, energy, frequencies), 0.48});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = energy_readouts(shown, energy, frequencies);
  if (!result.stale) {
    result.status =
        shown.text.format("view.attention.status_energy",
                          {{"tokens", counted(shown.subject.content.tokens)}, {"pairs", counted(frequencies.size())}});
  }
  return result;
}

}  // namespace ropescope
