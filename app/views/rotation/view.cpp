#include "app/views/rotation/view.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "app/figure/number_text.h"
#include "app/views/rotation/figures.h"
#include "app/views/rotation/law.h"
#include "app/views/rotation/player.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "core/error.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

/// What is drawn or clicked lands on thousandths, so that a dragged arrow has numbers one can say.
double on_thousandths(double value) {
  return std::round(1000 * std::clamp(value, -kMostRotationPart, kMostRotationPart)) / 1000;
}

/// Pairs of the axis that is looked at; none where the knobs contradict each other.
std::optional<double> pair_count(const RopeKnobs& rope) {
  try {
    const RotarySpec spec = spec_of(rope);
    return spec.axes[axis_index(spec, rope)].rotary_dim / 2;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

ViewResult turn(const RotationState& state, const Text& text) {
  ViewResult result;
  result.panels.push_back({plane_figure(state, text), 1});
  result.panels.push_back({clocks_figure(state, text), 1, true, 0.85});
  result.readouts = turn_readouts(state, text);
  return result;
}

ViewResult helix(const RotationState& state, const Text& text) {
  ViewResult result;
  result.panels.push_back({helix_figure(state, text), 1});
  result.readouts = turn_readouts(state, text);
  return result;
}

ViewResult weights(const RotationState& state, const Text& text) {
  const RotationWeights weights = rotation_weights(state);
  ViewResult result;
  result.panels.push_back({products_of_weights_figure(weights, state, text), 1, false, 1.2});
  result.panels.push_back({plane_of_weights_figure(weights, state, text), 1, true, 1});
  result.readouts = weights_readouts(weights, text);
  return result;
}

ViewResult four_forms(const RotationState& state, const Text& text) {
  const RotationForms forms = rotation_forms(state);
  ViewResult result;
  result.panels.push_back({matrix_figure(forms, text), 1, false, 1.45});
  result.panels.push_back({complex_figure(forms, text), 1, true, 1});
  result.panels.push_back({blocks_figure(forms, text), 1, true, 0.75});
  result.panels.push_back({elements_figure(forms, text), 1, false, 1});
  result.panels.push_back({columns_figure(forms, text), 1, true, 1});
  result.panels.push_back({stack_figure(forms, text), 1, true, 1.1});
  result.readouts = forms_readouts(state, forms, text);
  return result;
}

ViewResult pairing(const RotationState& state, const Text& text, Store& store) {
  const RotationContent content = rotation_content(state);
  MixedInput input;
  input.frequencies = state.ladder.frequencies;
  input.amplitude = state.ladder.amplitude;
  input.pairing = state.pairing;
  input.q = in_layout(content.q, state.pairing);
  input.k = in_layout(content.k, state.pairing);
  input.key_position = state.key_position;
  input.reach = state.knobs.reach;
  const auto answer = store.get("rotation.mixed", input);
  ViewResult result;
  result.stale = !answer.current;
  result.panels.push_back({permutation_figure(state.knobs.permute, state.pairing, text), 1.2});
  if (answer.result) {
    result.panels.push_back({mixed_figure(state, *answer.result, text), 1});
    result.panels.back().figure.stale = result.stale;
  }
  result.readouts = mixed_readouts(state, input.scores(state.query_position), text);
  return result;
}

/// Whatever law somebody tries for angle and length: the rope has no part in it.
ViewResult law(const RotationKnobs& knobs, const Text& text) {
  const LawState state = law_state(knobs);
  ViewResult result;
  result.panels.push_back({law_plane_figure(state, text), 0.46, false, 0.8});
  result.panels.push_back({shift_figure(state, text), 0.46, true, 1});
  result.panels.push_back({laws_figure(state, text), 0.54, false, 0.8});
  if (knobs.law_table) result.panels.push_back({law_table_figure(state, text), 0.54, true, 1});
  result.readouts = law_readouts(state, text);
  result.status = text.format("view.rotation.status_law", {{"span", counted(knobs.law_span)}});
  return result;
}

/// What the picture is of, in numbers.
std::string status_of_rotation(const RotationState& state, const Text& text) {
  const TextValue pairs = counted(state.pairs);
  if (state.knobs.show == "forms") {
    return text.format("view.rotation.status_forms",
                       {{"channels", counted(state.knobs.form_dim)}, {"base", readable_number(state.base, 6)}});
  }
  if (state.knobs.show == "pairing") {
    return text.format("view.rotation.status_pairing", {{"pairs", pairs}, {"reach", counted(state.knobs.reach)}});
  }
  return text.format("view.rotation.status", {{"pair", counted(state.pair)},
                                              {"pairs", pairs},
                                              {"frequency", readable_number(state.frequency, 6)},
                                              {"wavelength", readable_number(wavelength(state.frequency), 6)}});
}

Figure no_plane(const Experiment&, const Text&) {
  Figure figure = empty_figure("plane", "first", "second");
  figure.bare = true;
  return figure;
}

void describe_rotation(Fields& fields, Experiment& experiment) {
  // What is moved while speaking stands first, the rope after it.
  RotationKnobs& knobs = experiment.rotation;
  if (const std::optional<double> pairs = pair_count(experiment.rope)) {
    describe(fields, knobs, *pairs);
  } else {
    describe(fields, knobs);
  }
  if (knobs.show == "law") return;
  const bool channels = knobs.show == "forms" || knobs.show == "pairing";
  describe_pairing(fields, experiment.rope, channels);
  if (knobs.show == "forms") {
    // Their ladder is a plain one of its own length: of the rope only the base is in it, and which axis has that base.
    constexpr std::string_view kRope[] = {"rope.base", "rope.axis"};
    describe_embedding(fields, experiment.rope, kRope);
  } else {
    describe(fields, experiment.rope);
  }
}

Words settle_rotation(const Experiment& before, Experiment& after) {
  RotationKnobs& knobs = after.rotation;
  // Between two positions only m is, or both are: while playing, the lock takes effect at a whole one.
  if (before.rotation.locked != knobs.locked) knobs.glide = 0;
  if (keep_distance(before.rotation, knobs)) return {};
  return Words("rotation.lock", {{"most", kMostRotationPosition}});
}

ViewResult rotation_figures(const Experiment& experiment, const Text& text, Store& store) {
  if (experiment.rotation.show == "law") return law(experiment.rotation, text);
  const RotationState state = rotation_state(experiment);
  const std::string& show = state.knobs.show;
  ViewResult result = show == "helix"     ? helix(state, text)
                      : show == "weights" ? weights(state, text)
                      : show == "forms"   ? four_forms(state, text)
                      : show == "pairing" ? pairing(state, text, store)
                                          : turn(state, text);
  if (show != "forms") add_ladder_in_use(result.readouts, "rotation", experiment.rope, text);
  result.status = status_of_rotation(state, text);
  return result;
}

void react_rotation(Experiment& experiment, const FigureEvent& event) {
  constexpr std::string_view kPair = "pair.";
  RotationKnobs& knobs = experiment.rotation;
  if (event.kind == FigureEvent::Kind::drag && event.figure == "plane") {
    if (!std::isfinite(event.x) || !std::isfinite(event.y)) return;
    if (event.handle == "x") knobs.x1 = on_thousandths(event.x), knobs.x2 = on_thousandths(event.y);
    if (event.handle != "q" && event.handle != "k") return;
    (event.handle == "q" ? knobs.qx : knobs.kx) = on_thousandths(event.x);
    (event.handle == "q" ? knobs.qy : knobs.ky) = on_thousandths(event.y);
  }
  if (event.kind == FigureEvent::Kind::click && event.figure == "clocks" && event.handle.starts_with(kPair)) {
    const std::optional<double> pair = parse_number(event.handle.substr(kPair.size()));
    if (pair) knobs.pair = *pair;
  }
}

/// The farther position, counted from 1; of the mixed pairings as far as their curves reach.
double rotation_last_position(const Experiment& experiment) {
  const RotationKnobs& knobs = experiment.rotation;
  if (knobs.show == "pairing") return knobs.reach;
  return std::max(knobs.query_position, knobs.key_position) + 1;
}

}  // namespace

constinit const View kRotationView{.id = "rotation",
                                   .group = "explore",
                                   .describe = describe_rotation,
                                   .figures = rotation_figures,
                                   .empty = no_plane,
                                   .react = react_rotation,
                                   .player = &kRotationPlayer,
                                   .length = rotation_last_position,
                                   .compares_ropes = false,
                                   .settle = settle_rotation};

}  // namespace ropescope
