#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/figure/number_text.h"
#include "app/views/rotation/figures.h"
#include "app/views/shared/cards.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

/// Said by comparing, not by knowing.
bool same_length(double a, double b) {
  constexpr double kProducts = 4;
  return is_rounding(a - b, {std::max(a, b), kProducts, 0});
}

ReadoutValue score_value(double score) {
  return Quantity{with_decimals(score, 4)};
}
std::string score_text(double score) {
  return readable_fixed(score, 4);
}

/// The three numbers: rotated, relative, and their difference. `of` names the texts of the first two: "", "_x" or
/// "_all".
std::vector<Readout> three_numbers(const RotationState& state, const RotationScores& scores, const std::string& of,
                                   const Text& text) {
  Readout rotated = start_card("rotation.rotated", text), relative = start_card("rotation.relative", text),
          difference = start_card("rotation.difference", text);
  if (text.has("readout.rotation.rotated" + of + ".label")) {
    rotated.label = text["readout.rotation.rotated" + of + ".label"];
    relative.label = text["readout.rotation.relative" + of + ".label"];
  }
  rotated.value = score_value(scores.rotated);
  rotated.note = text.format("readout.rotation.rotated.note", {{"before", score_text(scores.before)}});
  relative.value = score_value(scores.relative);
  relative.note = text.format("readout.rotation.relative.note",
                              {{"difference", readable_number(state.key_position - state.query_position, 7)}});
  difference.value = Quantity{with_digits(scores.rotated - scores.relative, 2)};
  difference.note =
      text[state.key_frequencies != state.ladder.frequencies                 ? "readout.rotation.difference.key_base"
           : !is_rounding(scores.rotated - scores.relative, scores.operands) ? "readout.rotation.difference.more"
           : state.knobs.locked                                              ? "readout.rotation.difference.locked"
                                                                             : "readout.rotation.difference.note"];
  return {rotated, relative, difference};
}

Readout norms(const RotationState& state, const Text& text) {
  Readout readout = start_card("rotation.norms", text);
  const double amplitude = state.ladder.amplitude;
  const auto grown_by = [&](double factor) {
    return same_length(state.turned_q.norm(), factor * state.q.norm()) &&
           same_length(state.turned_k.norm(), factor * state.k.norm());
  };
  const bool kept = grown_by(1);
  readout.value = Words(kept ? "readout.rotation.norms.kept" : "readout.rotation.norms.changed");
  if (!kept && grown_by(std::abs(amplitude))) {
    readout.value = Quantity{with_digits(amplitude, 4), "", "readout.rotation.norms.scaled"};
  }
  readout.note = text.format("readout.rotation.norms.note", {{"q", readable_fixed(state.q.norm(), 3)},
                                                             {"turned_q", readable_fixed(state.turned_q.norm(), 3)},
                                                             {"k", readable_fixed(state.k.norm(), 3)},
                                                             {"turned_k", readable_fixed(state.turned_k.norm(), 3)}});
  return readout;
}

Readout all_pairs(const RotationState& state, const Text& text) {
  Readout readout = start_card("rotation.all", text);
  const RotationScores scores = all_scores(state, rotation_content(state));
  readout.label = text.format("readout.rotation.all.label", {{"pairs", counted(state.pairs)}});
  readout.value = score_value(scores.rotated);
  readout.note = text.format(
      state.knobs.content == "random" ? "readout.rotation.all.random" : "readout.rotation.all.note",
      {{"pairs", counted(state.pairs)}, {"before", score_text(scores.before)}, {"seed", counted(state.knobs.seed)}});
  return readout;
}

/// A number beside the cards: what their notes say, for lessons and files.
Readout beside(const std::string& key, ShownNumber number, const Text& text) {
  Readout readout = start_card("rotation." + key, text);
  readout.value = Quantity{number};
  readout.aside = true;
  return readout;
}

/// What the rotation made of the score.
void add_change(std::vector<Readout>& readouts, const RotationScores& scores, const Text& text) {
  readouts.push_back(beside("before", with_decimals(scores.before, 4), text));
  readouts.push_back(beside("gain", with_decimals(scores.rotated - scores.before, 4), text));
}

/// Of the pair in the plane: how long a turn takes, and how many have been made.
std::vector<Readout> turns(const RotationState& state, const Text& text) {
  const auto turns_of = [&](Eigen::Index pair) {
    return with_digits(state.query_position * state.ladder.frequencies[pair] / (2 * std::numbers::pi), 3);
  };
  const double turn = wavelength(state.frequency);
  Readout length = beside("wavelength", with_digits(turn, 4), text), made = beside("turns", turns_of(state.pair), text);
  length.note = text.format("readout.rotation.wavelength.note", {{"half", readable_number(turn / 2, 4)}});
  made.note = text.format("readout.rotation.turns.note",
                          {{"first", readable(turns_of(0))}, {"last", readable(turns_of(state.pairs - 1))}});
  return {length, made, beside("half_turn", with_digits(turn / 2, 4), text), beside("turns_first", turns_of(0), text),
          beside("turns_last", turns_of(state.pairs - 1), text)};
}

}  // namespace

std::vector<Readout> turn_readouts(const RotationState& state, const Text& text) {
  const RotationScores scores = pair_scores(state);
  std::vector<Readout> readouts = three_numbers(state, scores, "", text);
  std::vector<Readout> of_turns = turns(state, text);
  readouts.push_back(norms(state, text));
  readouts.push_back(all_pairs(state, text));
  if (state.knobs.show == "helix") {
    // There the picture is of the turns; the row has room for five.
    readouts[3].aside = readouts[4].aside = true;
    of_turns[0].aside = of_turns[1].aside = false;
  }
  readouts.insert(readouts.end(), of_turns.begin(), of_turns.end());
  add_change(readouts, scores, text);
  readouts.push_back(beside("length_ratio", with_digits(state.turned_q.norm() / state.q.norm(), 6), text));
  return readouts;
}

std::vector<Readout> forms_readouts(const RotationState& state, const RotationForms& forms, const Text& text) {
  Readout agree = start_card("rotation.agree", text), length = start_card("rotation.length", text);
  agree.value = Quantity{with_digits(forms.largest_difference, 2)};
  const double d = 2.0 * forms.pairs;
  // All of them turn by the same angles, whose rounding therefore does not take them apart.
  const bool agreeing = is_rounding(forms.largest_difference, {forms.x.norm(), d, 0});
  agree.note = text.format(agreeing ? "readout.rotation.agree.note" : "readout.rotation.agree.more",
                           {{"matrix", counted(d * d)}, {"elements", counted(2 * d)}});
  const double turned_length = forms.by_elements.norm();
  length.value = score_value(turned_length);
  length.note = text.format(
      same_length(turned_length, forms.x.norm()) ? "readout.rotation.length.note" : "readout.rotation.length.changed",
      {{"length", readable_fixed(forms.x.norm(), 4)}});
  const RotationScores scores = form_scores(state, forms);
  std::vector<Readout> readouts = three_numbers(state, scores, "_x", text);
  readouts.insert(readouts.begin(), agree);
  readouts.push_back(length);
  add_change(readouts, scores, text);
  readouts.push_back(beside("products_matrix", as_whole(d * d), text));
  readouts.push_back(beside("products_elements", as_whole(2 * d), text));
  return readouts;
}

std::vector<Readout> mixed_readouts(const RotationState& state, const MixedScores& scores, const Text& text) {
  const RotationScores all = all_scores(state, rotation_content(state));
  std::vector<Readout> readouts = three_numbers(state, all, "_all", text);
  const auto add = [&](const char* key, double score) {
    Readout readout = start_card("rotation." + std::string(key), text);
    readout.value = score_value(score);
    const bool same = is_rounding(score - scores.right, all.operands);
    readout.note = text.format("readout.rotation." + std::string(key) + (same ? ".same" : ".note"),
                               {{"error", score_text(score - scores.right)}});
    readouts.push_back(readout);
  };
  add("other", scores.other);
  add("mixed", scores.mixed);
  add_change(readouts, all, text);
  readouts.push_back(beside("mixed_error", with_digits(std::abs(scores.mixed - scores.right), 4), text));
  readouts.push_back(beside("other_error", with_digits(std::abs(scores.other - scores.right), 4), text));
  return readouts;
}

}  // namespace ropescope
