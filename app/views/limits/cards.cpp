#include "app/views/limits/cards.h"

#include "app/figure/number_text.h"
#include "app/views/frequencies/cards.h"
#include "core/decay/analysis.h"

namespace ropescope {

namespace {

struct Context {
  const LimitsOf& current;
  const LimitsOf* pinned;
  double length;
  const Text& text;
};

Readout start(const Context& c, const std::string& key) {
  Readout readout;
  readout.key = key;
  readout.label = c.text["readout." + key + ".label"];
  readout.tooltip = c.text["readout." + key + ".tooltip"];
  return readout;
}

/// "First pin: 1 707. " before the note: where a card is narrow, the end of a note is what gets lost.
void finish(Readout& readout, const Context& c, std::string (*value)(const Context&, const LimitsOf&)) {
  readout.value = value(c, c.current);
  if (!c.pinned) return;
  readout.note = c.text.format("readout.pinned", {{"value", value(c, *c.pinned)}}) + " " + readout.note;
}

std::string largest_context_of(const Context& c, const LimitsOf& of) {
  if (!of.negative) return c.text["readout.unknown"];
  if (!of.negative->distance) return "> " + readable_integer(static_cast<double>(kFarthestDistance));
  return readable_integer(static_cast<double>(*of.negative->distance - 1));
}

Readout largest_context(const Context& c) {
  Readout readout = start(c, "largest_context");
  const auto& negative = c.current.negative;
  if (negative && negative->distance) {
    readout.note = c.text.format("readout.largest_context.note",
                                 {{"distance", readable_integer(static_cast<double>(*negative->distance))}});
  } else if (negative) {
    readout.note = c.text["readout.largest_context.never"];
  }
  finish(readout, c, largest_context_of);
  return readout;
}

std::string smallest_base_of(const Context& c, const LimitsOf& of) {
  if (!of.smallest) return c.text["readout.unknown"];
  return of.smallest->base ? readable_number(*of.smallest->base, 6) : c.text["readout.none"];
}

Readout smallest(const Context& c) {
  Readout readout = start(c, "smallest_base");
  readout.note = c.text.format(
      "readout.smallest_base.note",
      {{"length", readable_integer(c.length)}, {"dimension", readable_integer(c.current.axis.rotary_dim)}});
  finish(readout, c, smallest_base_of);
  return readout;
}

std::string critical_of(const Context& c, const LimitsOf& of) {
  const double length = of.shown.rope->trained_length;
  if (length <= 0) return c.text["readout.none"];
  return readable_integer(critical_dimension(of.trained, length));
}

Readout critical(const Context& c) {
  Readout readout = start(c, "critical");
  const double length = c.current.shown.rope->trained_length;
  readout.note = length > 0 ? c.text.format("readout.critical.note", {{"length", readable_integer(length)}})
                            : c.text["readout.unseen.none"];
  finish(readout, c, critical_of);
  return readout;
}

std::string unseen_of(const Context& c, const LimitsOf& of) {
  const double length = of.shown.rope->trained_length;
  if (length <= 0) return c.text["readout.none"];
  return c.text.format("readout.unseen.value", {{"count", readable_integer(unfinished_pairs(of.trained, length))},
                                                {"pairs", readable_integer(static_cast<double>(of.trained.size()))}});
}

Readout unseen(const Context& c) {
  Readout readout = start(c, "unseen");
  const double length = c.current.shown.rope->trained_length;
  readout.note = unseen_note(c.current.trained, length, c.text);
  finish(readout, c, unseen_of);
  return readout;
}

std::string moving_of(const Context& c, const LimitsOf& of) {
  return c.text.format("readout.moving.value",
                       {{"effective", readable_fixed(of.information->effective, 1)},
                        {"pairs", readable_integer(static_cast<double>(of.frequencies.size()))}});
}

Readout moving(const Context& c) {
  Readout readout = start(c, "moving");
  readout.note =
      c.text.format("readout.moving.note", {{"turn", readable_integer(c.current.information->below_turn)},
                                            {"quarter", readable_integer(c.current.information->below_quarter)},
                                            {"length", readable_integer(c.length)}});
  finish(readout, c, moving_of);
  return readout;
}

}  // namespace

std::vector<Readout> limits_readouts(const LimitsOf& current, const LimitsOf* pinned, double context,
                                     const Text& text) {
  const Context c{current, pinned, context, text};
  return {largest_context(c), smallest(c), critical(c), unseen(c), moving(c)};
}

}  // namespace ropescope
