#include "app/views/decay/cards.h"

#include <cmath>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/training_cards.h"
#include "core/decay/kernel.h"

namespace ropescope {

namespace {

struct DecayContext {
  const DecayCurvesOf& current;
  const DecayCurvesOf* pinned;
  const Text& text;

  /// Of what the curves say; of a pinned rope only once they are there.
  Readout finished(Readout readout, ReadoutValue (*value)(const DecayCurvesOf&)) const {
    return with_pin(std::move(readout), current, pinned && pinned->curves ? pinned : nullptr, value, text);
  }
};

/// Distances that the curves have but 0: while a longer span is being computed the words speak of these.
TextValue span_of_decay(const DecayCurvesOf& of) {
  return counted(of.curves->similarity->ys.size() - 1);
}

ReadoutValue distance_or_none(const std::optional<std::int64_t>& distance) {
  return distance ? Quantity{as_whole(*distance), "tokens"} : no_number();
}

Readout start(const DecayContext& c, const std::string& key) {
  Readout readout = start_card("decay." + key, c.text);
  if (c.current.content_is_aligned()) return readout;
  // Of random content another curve is plotted, with another formula.
  const std::string own = "readout.decay." + key + ".random";
  if (c.text.has(own + ".label")) readout.label = c.text[own + ".label"];
  if (c.text.has(own + ".tooltip")) readout.tooltip = c.text[own + ".tooltip"];
  return readout;
}

Readout first_negative(const DecayContext& c) {
  Readout readout = start(c, "first_negative");
  readout.note = c.current.curves->summary.first_negative
                     ? c.text["readout.decay.first_negative.note"]
                     : c.text.format("readout.decay.first_negative.none", {{"span", span_of_decay(c.current)}});
  return c.finished(std::move(readout),
                    [](const DecayCurvesOf& of) { return distance_or_none(of.curves->summary.first_negative); });
}

Readout last_above_half(const DecayContext& c) {
  Readout readout = start(c, "last_above_half");
  const auto& first = c.current.curves->summary.first_below_half;
  readout.note = c.text.format(first ? "readout.decay.last_above_half.note" : "readout.decay.last_above_half.never",
                               {{"first", counted(first.value_or(0))}, {"span", span_of_decay(c.current)}});
  return c.finished(std::move(readout),
                    [](const DecayCurvesOf& of) { return distance_or_none(of.curves->summary.last_above_half); });
}

ReadoutValue unfinished_of(const DecayCurvesOf& of) {
  const double length = of.rope.trained_length;
  return length > 0 ? count_of_pairs(unfinished_pairs(of.trained, length), of.frequencies.size()) : no_number();
}

Readout unfinished(const DecayContext& c) {
  Readout readout = start(c, "unfinished");
  const double length = c.current.rope.trained_length;
  readout.note = c.text.format(length > 0 ? "readout.decay.unfinished.note" : "readout.decay.unfinished.no_length",
                               {{"length", counted(length)}}) +
                 beside_unfinished({length, &c.current.trained, &c.current.frequencies}, c.text);
  return with_pin(std::move(readout), c.current, c.pinned, unfinished_of, c.text);
}

Readout lowest(const DecayContext& c) {
  Readout readout = start(c, "lowest");
  const DecaySummary& summary = c.current.curves->summary;
  readout.note = c.text.format("readout.decay.lowest.note", {{"distance", counted(summary.minimum_at)},
                                                             {"crossings", counted(summary.zero_crossings)}});
  return c.finished(std::move(readout), [](const DecayCurvesOf& of) -> ReadoutValue {
    return Quantity{with_decimals(of.curves->summary.minimum, 4)};
  });
}

/// "≈ 5 730": the course of an average has no more digits.
ReadoutValue trend_zero_of(const DecayCurvesOf& of) {
  if (!of.curves->trend_zero) return no_number();
  const double zero = *of.curves->trend_zero;
  const double grain = std::pow(10, std::floor(std::log10(zero)) - 2);
  return Quantity{with_digits(grain * std::round(zero / grain), 3), "tokens", "readout.about"};
}

Readout trend(const DecayContext& c) {
  Readout readout = start(c, "trend");
  if (!c.current.content_is_aligned()) {
    readout.value = no_number();
    readout.note = c.text["readout.decay.trend.of_random"];
    return readout;
  }
  readout.note = c.text[c.current.curves->trend_zero ? "readout.decay.trend.note"
                        : c.current.curves->trend    ? "readout.decay.trend.never"
                                                     : "readout.decay.trend.single"];
  return c.finished(std::move(readout), trend_zero_of);
}

/// |K(0) − K(1)| of the content, times what the amplitude does to scores: how far apart two neighbouring positions are.
double resolution_of(const DecayCurvesOf& of, const Eigen::VectorXd& frequencies, double amplitude) {
  const double step = similarity(frequencies, 0, of.content) - similarity(frequencies, 1, of.content);
  return amplitude * amplitude * std::abs(step);
}

Readout resolution(const DecayContext& c) {
  Readout readout = start(c, "resolution");
  const auto extended_of = [](const DecayCurvesOf& of) { return resolution_of(of, of.frequencies, of.amplitude); };
  const double extended = extended_of(c.current), plain = resolution_of(c.current, c.current.trained, 1);
  readout.note = c.text.format(
      extended > plain ? "readout.decay.resolution.more" : "readout.decay.resolution.note",
      {{"plain", readable_number(plain, 4)}, {"change", readable_number(100 * std::abs(1 - extended / plain), 3)}});
  if (c.current.amplitude != 1) {
    readout.note += " " + c.text.format("readout.decay.resolution.amplitude",
                                        {{"amplitude", readable_number(c.current.amplitude, 4)}});
  }
  return with_pin(
      std::move(readout), c.current, c.pinned,
      [&](const DecayCurvesOf& of) { return Quantity{with_digits(extended_of(of), 4)}; }, c.text);
}

bool is_extended(const DecayCurvesOf& of) {
  return of.frequencies != of.trained || of.amplitude != 1;
}

}  // namespace

std::vector<Readout> decay_readouts(const DecayCurvesOf& current, const DecayCurvesOf* pinned, const Text& text) {
  const DecayContext c{current, pinned, text};
  if (!current.curves) return {unfinished(c)};
  // Five fit beside each other: the price of an extension matters more than the lowest value of its curve.
  return {first_negative(c), last_above_half(c), trend(c), unfinished(c),
          is_extended(current) ? resolution(c) : lowest(c)};
}

}  // namespace ropescope
