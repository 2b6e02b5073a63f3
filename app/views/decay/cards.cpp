#include "app/views/decay/cards.h"

#include <cmath>

#include "app/figure/number_text.h"
#include "core/decay/kernel.h"

namespace ropescope {

namespace {

/// The last distance that the curves have: while a longer span is being computed the words speak of these.
std::string span_of(const DecayCurvesOf& of) {
  return readable_integer(static_cast<double>(of.curves->similarity->ys.size() - 1));
}

struct Context {
  const DecayCurvesOf& current;
  const DecayCurvesOf* pinned;
  const DecayKnobs& knobs;
  const Text& text;
};

std::string distance_or_none(const std::optional<std::int64_t>& distance, const Text& text) {
  return distance ? readable_integer(static_cast<double>(*distance)) : text["readout.none"];
}

/// "First pin: 1 707. " before the note: where a card is narrow, the end of a note is what gets lost.
std::string comparison(const Context& c, const std::string& value) {
  return c.text.format("readout.pinned", {{"value", value}}) + " ";
}
bool has_pinned_curves(const Context& c) {
  return c.pinned && c.pinned->curves;
}

Readout start(const Context& c, const std::string& key) {
  Readout readout;
  readout.key = key;
  // Of random content another curve is plotted, with another formula.
  const std::string own = "readout." + key + ".random";
  const bool random = !c.current.content_is_aligned() && c.text.has(own + ".tooltip");
  readout.label = c.text[random && c.text.has(own + ".label") ? own + ".label" : "readout." + key + ".label"];
  readout.tooltip = c.text[random ? own + ".tooltip" : "readout." + key + ".tooltip"];
  return readout;
}

Readout first_negative(const Context& c) {
  Readout readout = start(c, "first_negative");
  const auto& found = c.current.curves->summary.first_negative;
  readout.value = distance_or_none(found, c.text);
  readout.note = found ? c.text["readout.first_negative.note"]
                       : c.text.format("readout.first_negative.none", {{"span", span_of(c.current)}});
  if (has_pinned_curves(c)) {
    readout.note = comparison(c, distance_or_none(c.pinned->curves->summary.first_negative, c.text)) + readout.note;
  }
  return readout;
}

Readout last_above_half(const Context& c) {
  Readout readout = start(c, "last_above_half");
  const DecaySummary& summary = c.current.curves->summary;
  readout.value = distance_or_none(summary.last_above_half, c.text);
  readout.note = summary.first_below_half
                     ? c.text.format("readout.last_above_half.note",
                                     {{"first", readable_integer(static_cast<double>(*summary.first_below_half))},
                                      {"span", span_of(c.current)}})
                     : c.text.format("readout.last_above_half.never", {{"span", span_of(c.current)}});
  if (has_pinned_curves(c)) {
    readout.note = comparison(c, distance_or_none(c.pinned->curves->summary.last_above_half, c.text)) + readout.note;
  }
  return readout;
}

std::string unfinished_of(const DecayCurvesOf& of, const Text& text) {
  if (of.rope.trained_length <= 0) return text["readout.none"];
  const int count = unfinished_pairs(of.trained, of.rope.trained_length);
  return text.format(
      "readout.unfinished.value",
      {{"count", readable_integer(count)}, {"pairs", readable_integer(static_cast<double>(of.frequencies.size()))}});
}

Readout unfinished(const Context& c) {
  Readout readout = start(c, "unfinished");
  readout.value = unfinished_of(c.current, c.text);
  const double length = c.current.rope.trained_length;
  readout.note = length > 0 ? c.text.format("readout.unfinished.note", {{"length", readable_integer(length)}})
                            : c.text["readout.unfinished.no_length"];
  if (c.pinned) readout.note = comparison(c, unfinished_of(*c.pinned, c.text)) + readout.note;
  return readout;
}

Readout lowest(const Context& c) {
  Readout readout = start(c, "lowest");
  const DecaySummary& summary = c.current.curves->summary;
  readout.value = readable_fixed(summary.minimum, 4);
  readout.note = c.text.format("readout.lowest.note",
                               {{"distance", readable_integer(static_cast<double>(summary.minimum_at))},
                                {"crossings", readable_integer(static_cast<double>(summary.zero_crossings))}});
  if (has_pinned_curves(c))
    readout.note = comparison(c, readable_fixed(c.pinned->curves->summary.minimum, 4)) + readout.note;
  return readout;
}

/// "≈ 5 730": the course of an average has no more digits.
std::string trend_zero_of(const DecayCurvesOf& of, const Text& text) {
  if (!of.curves->trend_zero) return text["readout.none"];
  const double zero = *of.curves->trend_zero;
  const double grain = std::pow(10, std::floor(std::log10(zero)) - 2);
  return text.format("readout.about", {{"value", readable_number(grain * std::round(zero / grain), 3)}});
}

Readout trend(const Context& c) {
  Readout readout = start(c, "trend");
  if (!c.current.content_is_aligned()) {
    readout.value = c.text["readout.none"];
    readout.note = c.text["readout.trend.of_random"];
    return readout;
  }
  readout.value = trend_zero_of(c.current, c.text);
  readout.note = c.text[c.current.curves->trend_zero ? "readout.trend.note"
                        : c.current.curves->trend    ? "readout.trend.never"
                                                     : "readout.trend.single"];
  if (has_pinned_curves(c)) readout.note = comparison(c, trend_zero_of(*c.pinned, c.text)) + readout.note;
  return readout;
}

/// |K(0) − K(1)| of the content, times what the amplitude does to scores: how far apart two neighbouring positions are.
double resolution_of(const DecayCurvesOf& of, const Eigen::VectorXd& frequencies, double amplitude) {
  const double step = similarity(frequencies, 0, of.content) - similarity(frequencies, 1, of.content);
  return amplitude * amplitude * std::abs(step);
}
double resolution_of(const DecayCurvesOf& of) {
  return resolution_of(of, of.frequencies, of.amplitude);
}

Readout resolution(const Context& c) {
  Readout readout = start(c, "resolution");
  const double extended = resolution_of(c.current), plain = resolution_of(c.current, c.current.plain, 1);
  readout.value = readable_number(extended, 4);
  readout.note = c.text.format(
      extended > plain ? "readout.resolution.more" : "readout.resolution.note",
      {{"plain", readable_number(plain, 4)}, {"change", readable_number(100 * std::abs(1 - extended / plain), 3)}});
  if (c.current.amplitude != 1) {
    readout.note +=
        " " + c.text.format("readout.resolution.amplitude", {{"amplitude", readable_number(c.current.amplitude, 4)}});
  }
  if (c.pinned) readout.note = comparison(c, readable_number(resolution_of(*c.pinned), 4)) + readout.note;
  return readout;
}

bool is_extended(const DecayCurvesOf& of) {
  return of.frequencies != of.plain || of.amplitude != 1;
}

}  // namespace

std::vector<Readout> decay_readouts(const DecayCurvesOf& current, const DecayCurvesOf* pinned, const DecayKnobs& knobs,
                                    const Text& text) {
  const Context c{current, pinned, knobs, text};
  if (!current.curves) return {unfinished(c)};
  // Five fit beside each other: the price of an extension matters more than the lowest value of its curve.
  return {first_negative(c), last_above_half(c), trend(c), unfinished(c),
          is_extended(current) ? resolution(c) : lowest(c)};
}

}  // namespace ropescope
