#include <algorithm>
#include <string>

#include "app/figure/number_text.h"
#include "app/views/rotation/law.h"
#include "app/views/shared/cards.h"

namespace ropescope {

namespace {

/// Rounding has a size and no more.
ShownNumber shown_change(double change) {
  return with_digits(change, change < kFlat ? 1 : 3);
}

std::string card_name(const std::string& of, double distance) {
  return "rotation." + of + "_" + std::to_string(static_cast<int>(distance));
}

Readout change_readout_law_cards(const LawState& state, std::size_t distance, const Text& text) {
  const double change = state.changes.change[distance];
  const TextValue at = counted(kLawDistances[distance]);
  Readout readout = start_card(card_name("law_change", kLawDistances[distance]), text, "rotation.law_change");
  readout.label = text.format("readout.rotation.law_change.of", {{"distance", at}});
  readout.value = Quantity{shown_change(change)};
  readout.note = text[change < kFlat ? "readout.rotation.law_change.flat" : "readout.rotation.law_change.seen"];
  return readout;
}

/// "5 of 6", told by the table; for lessons.
template <class Laws>
Readout flat_readout(const std::string& of, const Laws& laws, std::size_t distance, const Text& text) {
  Readout readout = start_card(card_name(of, kLawDistances[distance]), text, "rotation." + of);
  readout.label = text.format("readout.rotation." + of + ".of", {{"distance", counted(kLawDistances[distance])}});
  const auto flat =
      std::count_if(laws.begin(), laws.end(), [&](const LawChanges& changes) { return changes.flat(distance); });
  readout.value = count_of(flat, laws.size());
  readout.aside = true;
  return readout;
}

/// The lines that rule out what was chosen, each law with the plain one for its companion.
Readout ruled_out_readout(const LawState& state, const Text& text) {
  Readout readout = start_card("rotation.law_ruled_out", text);
  const auto angles = angle_law_changes(state.law, state.pair, state.span);
  const auto lengths = length_law_changes(state.law, state.pair, state.span);
  const bool angle_falls = !angles[static_cast<std::size_t>(state.law.angle)].flat(),
             length_falls = !lengths[static_cast<std::size_t>(state.law.length)].flat();
  const std::string of_length = length_falls ? line_against(state.law.length, text) : "",
                    of_angle = angle_falls ? line_against(state.law.angle, text) : "";
  const std::string key = "readout.rotation.law_ruled_out.";
  if (!of_length.empty() || !of_angle.empty()) {
    readout.value = as_it_is(of_length.empty()  ? of_angle
                             : of_angle.empty() ? of_length
                                                : of_length + text["list.between"] + of_angle);
    readout.note = text[key + (of_length.empty() ? name_of(state.law.angle) : name_of(state.law.length))];
    return readout;
  }
  readout.value = Words("readout.rotation.law_ruled_out.nothing");
  readout.note = text[key + (state.law.length == LengthLaw::exponential ? "exponential" : "none")];
  return readout;
}

Readout apart_readout(const LawState& state, const Text& text) {
  Readout readout = start_card("rotation.law_apart", text);
  const double apart = law_apart(state.law, state.pair);
  readout.value = Quantity{shown_change(apart)};
  readout.note = text[apart < kFlat ? "readout.rotation.law_apart.blind" : "readout.rotation.law_apart.note"];
  return readout;
}

}  // namespace

std::vector<Readout> law_readouts(const LawState& state, const Text& text) {
  std::vector<Readout> readouts;
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) readouts.push_back(change_readout_law_cards(state, i, text));
  readouts.push_back(ruled_out_readout(state, text));
  readouts.push_back(apart_readout(state, text));
  const auto angles = angle_law_changes(state.law, state.pair, state.span);
  const auto lengths = length_law_changes(state.law, state.pair, state.span);
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    readouts.push_back(flat_readout("flat_angles", angles, i, text));
    readouts.push_back(flat_readout("flat_lengths", lengths, i, text));
  }
  return readouts;
}

}  // namespace ropescope
