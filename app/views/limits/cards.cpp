#include "app/views/limits/cards.h"

#include <utility>

#include "app/views/shared/cards.h"
#include "app/views/shared/training_cards.h"

namespace ropescope {

namespace {

struct LimitsContext {
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

Readout largest_context(const LimitsContext& c) {
  Readout readout = start_card("limits.largest_context", c.text);
  const auto& negative = c.current.negative;
  if (negative) {
    readout.note = c.text.format(
        negative->distance ? "readout.limits.largest_context.note" : "readout.limits.largest_context.never",
        {{"distance", counted(negative->distance.value_or(0))}});
  }
  const auto& shaken = c.current.shaken;
  if (shaken && shaken->context.negative) {
    readout.note = c.text.format("readout.limits.largest_context.shaken",
                                 {{"note", readout.note}, {"length", counted(*shaken->context.largest())}});
  }
  if (c.current.frequencies != c.current.trained) {
    readout.note = c.text.format("readout.limits.largest_context.extended", {{"note", readout.note}});
  }
  return with_pin(std::move(readout), c.current, c.pinned, largest_context_of, c.text);
}

/// The digits with which it passes its test.
Quantity shown(const RoundedBase& base) {
  return Quantity{with_digits(base.value, base.digits)};
}

ReadoutValue smallest_base_of(const LimitsOf& of) {
  if (!of.smallest) return Words("readout.unknown");
  return of.smallest->found ? shown(of.smallest->found->rounded) : no_number();
}

Readout smallest(const LimitsContext& c) {
  Readout readout = start_card("limits.smallest_base", c.text);
  readout.note = c.text.format("readout.limits.smallest_base.note",
                               {{"length", counted(c.length)}, {"dimension", counted(c.current.axis.rotary_dim)}});
  const auto& smallest = c.current.smallest;
  if (smallest && smallest->found) {
    const RoundedBase& high = smallest->found->rounded_high;
    readout.note = c.text.format(
        smallest->found->ends ? "readout.limits.smallest_base.window" : "readout.limits.smallest_base.open",
        {{"note", readout.note}, {"high", readable_number(high.value, high.digits)}});
  }
  return with_pin(std::move(readout), c.current, c.pinned, smallest_base_of, c.text);
}

ReadoutValue robust_base_of(const LimitsOf& of) {
  if (!of.robust) return Words("readout.unknown");
  return of.robust->found ? shown(of.robust->found->rounded) : no_number();
}

Readout robust(const LimitsContext& c) {
  Readout readout = start_card("limits.robust_base", c.text);
  const bool none = c.current.robust && !c.current.robust->found;
  readout.note = c.text.format(none ? "readout.limits.robust_base.none" : "readout.limits.robust_base.note",
                               {{"length", counted(c.length)}, {"step", readable_number(100 * (kRobustRatio - 1), 2)}});
  return with_pin(std::move(readout), c.current, c.pinned, robust_base_of, c.text);
}

ReadoutValue moving_of(const LimitsOf& of) {
  return Quantity{with_decimals(of.information->effective, 1), "pairs", "readout.count_of",
                  as_whole(of.frequencies.size())};
}

Readout moving(const LimitsContext& c) {
  Readout readout = start_card("limits.moving", c.text);
  readout.note =
      c.text.format("readout.limits.moving.note", {{"turn", counted(c.current.information->below_turn)},
                                                   {"quarter", counted(c.current.information->below_quarter)},
                                                   {"length", counted(c.length)}});
  const auto still = (c.current.frequencies.array() == 0).count();
  if (still > 0) readout.note += " " + c.text.format("readout.unseen.still", {{"still", counted(still)}});
  return with_pin(std::move(readout), c.current, c.pinned, moving_of, c.text);
}

}  // namespace

std::vector<Readout> limits_readouts(LimitsCards cards, const LimitsOf& current, const LimitsOf* pinned, double context,
                                     const Text& text) {
  const LimitsContext c{current, pinned, context, text};
  const TrainedPairs known = trained_pairs(&current, &current.frequencies), known_of_pin = trained_pairs(pinned);
  return {largest_context(c), smallest(c),
          cards == LimitsCards::of_bases ? robust(c) : critical_card("limits", known, known_of_pin, text),
          unseen_card("limits", known, known_of_pin, text), moving(c)};
}

}  // namespace ropescope
