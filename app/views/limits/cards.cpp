#include "app/views/limits/cards.h"

#include <utility>

#include "app/views/shared/cards.h"
#include "app/views/shared/training_cards.h"

namespace ropescope {

namespace {

struct Context {
  const LimitsOf& current;
  const LimitsOf* pinned;
  double length;
  const Text& text;
};

ReadoutValue largest_context_of(const LimitsOf& of) {
  if (!of.negative) return Words("readout.unknown");
  if (!of.negative->distance) return Quantity{as_whole(kFarthestDistance), "tokens", "readout.more_than"};
  return Quantity{as_whole(*of.negative->distance - 1), "tokens"};
}

Readout largest_context(const Context& c) {
  Readout readout = start_card("limits.largest_context", c.text);
  const auto& negative = c.current.negative;
  if (negative) {
    readout.note = c.text.format(
        negative->distance ? "readout.limits.largest_context.note" : "readout.limits.largest_context.never",
        {{"distance", counted(negative->distance.value_or(0))}});
  }
  return with_pin(std::move(readout), c.current, c.pinned, largest_context_of, c.text);
}

ReadoutValue smallest_base_of(const LimitsOf& of) {
  if (!of.smallest) return Words("readout.unknown");
  return of.smallest->base ? Quantity{with_digits(*of.smallest->base, 6)} : no_number();
}

Readout smallest(const Context& c) {
  Readout readout = start_card("limits.smallest_base", c.text);
  readout.note = c.text.format("readout.limits.smallest_base.note",
                               {{"length", counted(c.length)}, {"dimension", counted(c.current.axis.rotary_dim)}});
  return with_pin(std::move(readout), c.current, c.pinned, smallest_base_of, c.text);
}

ReadoutValue moving_of(const LimitsOf& of) {
  return Quantity{with_decimals(of.information->effective, 1), "pairs", "readout.count_of",
                  as_whole(of.frequencies.size())};
}

Readout moving(const Context& c) {
  Readout readout = start_card("limits.moving", c.text);
  readout.note =
      c.text.format("readout.limits.moving.note", {{"turn", counted(c.current.information->below_turn)},
                                                   {"quarter", counted(c.current.information->below_quarter)},
                                                   {"length", counted(c.length)}});
  return with_pin(std::move(readout), c.current, c.pinned, moving_of, c.text);
}

}  // namespace

std::vector<Readout> limits_readouts(const LimitsOf& current, const LimitsOf* pinned, double context,
                                     const Text& text) {
  const Context c{current, pinned, context, text};
  const TrainedPairs known = trained_pairs(&current), known_of_pin = trained_pairs(pinned);
  return {largest_context(c), smallest(c), critical_card("limits", known, known_of_pin, text),
          unseen_card("limits", known, known_of_pin, text), moving(c)};
}

}  // namespace ropescope
