#include <algorithm>
#include <cmath>

#include "app/figure/number_text.h"
#include "app/views/rotation_figures.h"
#include "core/rotary/rotation.h"

namespace ropescope {

namespace {

/// Lengths that differ by less differ by rounding alone.
constexpr double kSameLength = 1e-12;

Readout start(const char* key, const Text& text) {
  Readout readout;
  readout.key = std::string("rotation.") + key;
  readout.label = text["readout." + readout.key + ".label"];
  readout.tooltip = text["readout." + readout.key + ".tooltip"];
  return readout;
}

std::string score_text(double score) {
  return readable_fixed(score, 4);
}

/// The three numbers: rotated, relative, and their difference. `of` names the texts of the first two: "", "_x" or
/// "_all".
std::vector<Readout> three_numbers(const RotationState& state, const RotationScores& scores, const std::string& of,
                                   const Text& text) {
  Readout rotated = start("rotated", text), relative = start("relative", text), difference = start("difference", text);
  if (text.has("readout.rotation.rotated" + of + ".label")) {
    rotated.label = text["readout.rotation.rotated" + of + ".label"];
    relative.label = text["readout.rotation.relative" + of + ".label"];
  }
  rotated.value = score_text(scores.rotated);
  rotated.note = text.format("readout.rotation.rotated.note", {{"before", score_text(scores.before)}});
  relative.value = score_text(scores.relative);
  relative.note = text.format("readout.rotation.relative.note",
                              {{"difference", readable_number(state.key_position - state.query_position, 7)}});
  difference.value = readable_number(scores.rotated - scores.relative, 2);
  difference.note =
      text[state.knobs.locked ? "readout.rotation.difference.locked" : "readout.rotation.difference.note"];
  return {rotated, relative, difference};
}

Readout norms(const RotationState& state, const Text& text) {
  Readout readout = start("norms", text);
  const double amplitude = state.ladder.amplitude;
  // Said by comparing, not by knowing.
  const double off =
      std::max(std::abs(state.turned_q.norm() - state.q.norm()), std::abs(state.turned_k.norm() - state.k.norm()));
  readout.value = off < kSameLength
                      ? text["readout.rotation.norms.kept"]
                      : text.format("readout.rotation.norms.scaled", {{"amplitude", readable_number(amplitude, 4)}});
  readout.note = text.format("readout.rotation.norms.note", {{"q", readable_fixed(state.q.norm(), 3)},
                                                             {"turned_q", readable_fixed(state.turned_q.norm(), 3)},
                                                             {"k", readable_fixed(state.k.norm(), 3)},
                                                             {"turned_k", readable_fixed(state.turned_k.norm(), 3)}});
  return readout;
}

Readout all_pairs(const RotationState& state, const Text& text) {
  Readout readout = start("all", text);
  const RotationScores scores = all_scores(state, rotation_content(state));
  readout.label =
      text.format("readout.rotation.all.label", {{"pairs", readable_integer(static_cast<double>(state.pairs))}});
  readout.value = score_text(scores.rotated);
  readout.note =
      text.format(state.knobs.content == "random" ? "readout.rotation.all.random" : "readout.rotation.all.note",
                  {{"before", score_text(scores.before)}, {"seed", readable_integer(state.knobs.seed)}});
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
  Readout agree = start("agree", text), length = start("length", text);
  agree.value = readable_number(forms.largest_difference, 2);
  const double d = 2.0 * forms.pairs;
  agree.note = text.format("readout.rotation.agree.note",
                           {{"matrix", readable_integer(d * d)}, {"elements", readable_integer(2 * d)}});
  length.value = readable_fixed(forms.by_elements.norm(), 4);
  length.note = text.format("readout.rotation.length.note", {{"length", readable_fixed(forms.x.norm(), 4)}});
  const auto turned = [&](double position) {
    return rotate_elementwise(forms.x, forms.frequencies, forms.pairing, position);
  };
  const RotationScores scores{forms.x.squaredNorm(), forms.by_elements.dot(turned(state.key_position)),
                              forms.x.dot(turned(state.key_position - state.query_position))};
  std::vector<Readout> readouts = three_numbers(state, scores, "_x", text);
  readouts.insert(readouts.begin(), agree);
  readouts.push_back(length);
  return readouts;
}

std::vector<Readout> mixed_readouts(const RotationState& state, const MixedScores& scores, const Text& text) {
  const RotationScores all = all_scores(state, rotation_content(state));
  std::vector<Readout> readouts = three_numbers(state, all, "_all", text);
  const auto add = [&](const char* key, double score) {
    Readout readout = start(key, text);
    readout.value = score_text(score);
    readout.note = text.format("readout.rotation.wrong.note", {{"error", score_text(score - scores.right)}});
    readouts.push_back(readout);
  };
  add("other", scores.other);
  add("mixed", scores.mixed);
  return readouts;
}

}  // namespace ropescope
