#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/rotation/figures.h"
#include "app/views/shared/cards.h"

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
      text[!is_rounding(scores.rotated - scores.relative, scores.operands) ? "readout.rotation.difference.more"
           : state.knobs.locked                                            ? "readout.rotation.difference.locked"
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

}  // namespace

std::vector<Readout> turn_readouts(const RotationState& state, const Text& text) {
  std::vector<Readout> readouts = three_numbers(state, pair_scores(state), "", text);
  readouts.push_back(norms(state, text));
  readouts.push_back(all_pairs(state, text));
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
  std::vector<Readout> readouts = three_numbers(state, form_scores(state, forms), "_x", text);
  readouts.insert(readouts.begin(), agree);
  readouts.push_back(length);
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
  return readouts;
}

}  // namespace ropescope
