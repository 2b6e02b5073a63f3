// The state of the view Rotation, its scores for the store, sheets of numbers, cards and the player.
//
// Contents: State; Computed; Sheet; Cards; Player; View.

#include "app/views/rotation/view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string_view>
#include <vector>

#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "app/views/views.h"
#include "core/decay/analysis.h"
#include "core/decay/kernel.h"
#include "core/decay/limits.h"
#include "core/message.h"
#include "core/rotary/rotation.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- State ---------------------------------------------------------------------------------------------------------

namespace {

Eigen::VectorXd turned(const Eigen::VectorXd& x, const Eigen::VectorXd& frequencies, const RotationState& state,
                       double position) {
  return rotate_elementwise(x, frequencies, Pairing::interleaved, position, state.ladder.amplitude);
}

/// Returns the ladder that keys are rotated by.
Eigen::VectorXd key_ladder(const RopeReading& rope, double length, const RotationFields& fields) {
  if (fields.show != RotationShow::turn || fields.key_base == 0) return rope.ladder.frequencies;
  if (fields.key_base < kMinKeyBase) {
    throw InputError("rotation.key_base", {{"base", fields.key_base}, {"least", kMinKeyBase}});
  }
  RotarySpec spec = rope.spec;
  spec.axes[rope.axis].base = fields.key_base;
  return scaled_ladder(spec, rope.axis, length > 0 ? std::optional(length) : std::nullopt).frequencies;
}

/// Returns the operands of the score of two vectors in pair order.
Operands operands_of(const RotationState& state, const Eigen::VectorXd& q, const Eigen::VectorXd& k,
                     double largest_frequency) {
  Operands operands;
  for (Eigen::Index pair = 0; pair < q.size() / 2; ++pair) {
    operands.size += q.segment<2>(2 * pair).norm() * k.segment<2>(2 * pair).norm();
  }
  operands.size *= state.ladder.amplitude * state.ladder.amplitude;
  operands.terms = static_cast<double>(q.size());
  operands.angle = std::max(state.query_position, state.key_position) * largest_frequency;
  return operands;
}

/// Rotates as in FLUX's code: the first column of each pair's block times its even channel plus the second column times
/// its odd one (black-forest-labs/flux, math.py, apply_rope).
Eigen::VectorXd rotate_columns(const Eigen::VectorXd& x, const std::vector<Eigen::Matrix2d>& blocks, Pairing pairing) {
  const int pairs = static_cast<int>(blocks.size());
  Eigen::VectorXd out(x.size());
  for (int pair = 0; pair < pairs; ++pair) {
    const auto [even, odd] = pair_channels(pairing, pair, pairs);
    const Eigen::Matrix2d& block = blocks[static_cast<std::size_t>(pair)];
    const Eigen::Vector2d turned_pair = block.col(0) * x[even] + block.col(1) * x[odd];
    out[even] = turned_pair[0];
    out[odd] = turned_pair[1];
  }
  return out;
}

/// Rotates as FLUX's code is often explained: x_even and x_odd separately by the table's row, then stacked and
/// flattened, which restores the pairs' places (for a half split, the halves are concatenated).
void rotate_apart(RotationForms& forms, const TableRow& row) {
  forms.even = forms.odd = Eigen::VectorXd(forms.pairs);
  forms.pair_cosine = row.cosine;
  forms.pair_sine = row.sine;
  for (int pair = 0; pair < forms.pairs; ++pair) {
    const auto [first, second] = pair_channels(forms.pairing, pair, forms.pairs);
    forms.even[pair] = forms.x[first];
    forms.odd[pair] = forms.x[second];
  }
  forms.turned_even = forms.even.cwiseProduct(row.cosine) - forms.odd.cwiseProduct(row.sine);
  forms.turned_odd = forms.even.cwiseProduct(row.sine) + forms.odd.cwiseProduct(row.cosine);
  forms.by_stack = Eigen::VectorXd(2 * forms.pairs);
  if (forms.pairing == Pairing::half_split) {
    forms.by_stack << forms.turned_even, forms.turned_odd;
    return;
  }
  Eigen::Matrix<double, Eigen::Dynamic, 2, Eigen::RowMajor> stacked(forms.pairs, 2);
  stacked << forms.turned_even, forms.turned_odd;
  forms.by_stack = Eigen::Map<const Eigen::VectorXd>(stacked.data(), stacked.size());
}

/// Returns the scores of x at m against x at k, rotated elementwise.
RotationScores form_scores(const RotationState& state, const RotationForms& forms) {
  const auto turned_to = [&](double position) {
    return rotate_elementwise(forms.x, forms.frequencies, forms.pairing, position);
  };
  const Operands operands{forms.x.squaredNorm(), 2.0 * forms.pairs,
                          std::max(state.query_position, state.key_position) * forms.frequencies[0]};
  return {forms.x.squaredNorm(), forms.by_elements.dot(turned_to(state.key_position)),
          forms.x.dot(turned_to(state.key_position - state.query_position)), operands};
}

// --- Computed ------------------------------------------------------------------------------------------------------

/// Returns a head of 2n rotated channels, for either code.
RotarySpec head_of(Eigen::Index pairs, Pairing pairing) {
  RotarySpec spec;
  spec.head_dim = static_cast<int>(2 * pairs);
  spec.pairing = pairing;
  return spec;
}

/// The key rotated by both codes, shared by all distances, and the query to rotate.
class Pairs {
 public:
  explicit Pairs(const MixedInput& input)
      : input_(input),
        right_(head_of(input.frequencies.size(), input.pairing)),
        other_(head_of(input.frequencies.size(),
                       input.pairing == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved)) {
    const TableRow row = table_row(input.frequencies, input.key_position, input.amplitude);
    k_right_ = rotate_by_row(right_, row, input.k);
    k_other_ = rotate_by_row(other_, row, input.k);
  }

  MixedScores at(double query_position) const {
    const TableRow row = table_row(input_.frequencies, query_position, input_.amplitude);
    const Eigen::VectorXd q_right = rotate_by_row(right_, row, input_.q);
    const Eigen::VectorXd q_other = rotate_by_row(other_, row, input_.q);
    return {q_right.dot(k_right_), q_other.dot(k_other_), q_right.dot(k_other_)};
  }

 private:
  const MixedInput& input_;
  RotarySpec right_, other_;
  Eigen::VectorXd k_right_, k_other_;
};

MixedCurves mixed_curves(const MixedInput& input, const Work& work) {
  const Pairs pairs(input);
  std::vector<double> right, other, mixed;
  for (double distance = 0; distance <= input.reach && !work.stopped(); ++distance) {
    const MixedScores scores = pairs.at(input.key_position + distance);
    right.push_back(scores.right);
    other.push_back(scores.other);
    mixed.push_back(scores.mixed);
  }
  return {make_series(0, 1, std::move(right)), make_series(0, 1, std::move(other)),
          make_series(0, 1, std::move(mixed))};
}

// --- Cards ---------------------------------------------------------------------------------------------------------

/// Returns whether two lengths are equal up to rounding, by comparison of the values.
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

/// Returns three cards: rotated, relative, and their difference. `of` names the texts of the first two: "", "_x" or
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
           : state.fields.locked                                             ? "readout.rotation.difference.locked"
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
  readout.value = Message(kept ? "readout.rotation.norms.kept" : "readout.rotation.norms.changed");
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
      state.fields.content == OtherPairs::random ? "readout.rotation.all.random" : "readout.rotation.all.note",
      {{"pairs", counted(state.pairs)}, {"before", score_text(scores.before)}, {"seed", counted(state.fields.seed)}});
  return readout;
}

/// Returns a number for lessons and files that is shown only in the cards' notes.
Readout beside(const std::string& key, ShownNumber number, const Text& text) {
  Readout readout = make_card("rotation." + key, Quantity{number}, text);
  readout.aside = true;
  return readout;
}

/// Adds the change of the score by the rotation.
void add_change(std::vector<Readout>& readouts, const RotationScores& scores, const Text& text) {
  readouts.push_back(beside("before", with_decimals(scores.before, 4), text));
  readouts.push_back(beside("gain", with_decimals(scores.rotated - scores.before, 4), text));
}

/// Returns the turns of the pair in the plane: positions per turn, and the turns completed.
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

std::vector<Readout> mixed_readouts(const RotationState& state, const MixedScores& scores, const Text& text) {
  const RotationScores all = all_scores(state, rotation_content(state));
  std::vector<Readout> readouts = three_numbers(state, all, "_all", text);
  const auto add = [&](const char* key, double score) {
    Readout readout = make_card("rotation." + std::string(key), score_value(score), text);
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

// --- Player --------------------------------------------------------------------------------------------------------

constexpr double kPermuteSteps = 4;

/// Returns how far both positions, or m alone, can still increase.
double count_steps_above(const RotationFields& fields) {
  return kMaxRotationPosition -
         (fields.locked ? std::max(fields.query_position, fields.key_position) : fields.query_position);
}

double count_steps_below(const RotationFields& fields) {
  return fields.locked ? std::min(fields.query_position, fields.key_position) : fields.query_position;
}

void shift_rotation_positions(RotationFields& fields, double whole) {
  fields.query_position += whole;
  if (fields.locked) fields.key_position += whole;
}

bool moves_channels(const RotationFields& fields) {
  return fields.show == RotationShow::pairing;
}

void set_rotation_playing(Experiment& experiment, bool on) {
  RotationFields& fields = experiment.rotation;
  if (on && moves_channels(fields) && fields.permute >= 1) fields.permute = 0;
  if (on && !moves_channels(fields) && count_steps_above(fields) <= 0)
    shift_rotation_positions(fields, -count_steps_below(fields));
  // Tokens are at integer positions: the picture may be between two only while playing.
  fields.glide = 0;
  fields.playing = on;
}

void advance_channels(RotationFields& fields, double seconds) {
  fields.permute = std::min(1.0, fields.permute + seconds / kPermuteSeconds);
  if (fields.permute >= 1) fields.playing = false;
}

void advance_rotation(Experiment& experiment, double seconds) {
  RotationFields& fields = experiment.rotation;
  if (!fields.playing || !(seconds > 0)) return;
  if (moves_channels(fields)) return advance_channels(fields, seconds);
  const double room = count_steps_above(fields);
  const double onwards = std::min(fields.glide + fields.speed * seconds, room);
  const double whole = std::floor(onwards);
  shift_rotation_positions(fields, whole);
  fields.glide = onwards - whole;
  if (onwards >= room) fields.playing = false;
}

void step_rotation(Experiment& experiment, int steps) {
  RotationFields& fields = experiment.rotation;
  if (moves_channels(fields)) {
    const double place = fields.permute * kPermuteSteps;
    fields.permute = std::clamp((steps > 0 ? std::floor(place) : std::ceil(place)) + steps, 0.0, kPermuteSteps);
    fields.permute /= kPermuteSteps;
    return;
  }
  // From between two positions, a step back goes to the last integer position.
  const double whole = steps < 0 && fields.glide > 0 ? steps + 1 : steps;
  shift_rotation_positions(fields, std::clamp(whole, -count_steps_below(fields), count_steps_above(fields)));
  fields.glide = 0;
}

constexpr Player kRotationPlayer{[](const Experiment& experiment) { return experiment.rotation.playing; },
                                 set_rotation_playing, advance_rotation, step_rotation};

// --- View ----------------------------------------------------------------------------------------------------------

/// Rounds to thousandths, so that a dragged arrow has short numbers.
double on_thousandths(double value) {
  return std::round(1000 * std::clamp(value, -kMaxRotationComponent, kMaxRotationComponent)) / 1000;
}

/// Returns the pairs of the selected axis; nullopt if the fields contradict each other.
std::optional<double> pair_count(const RopeFields& rope) {
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
  result.panels.push_back({stack_figure(forms, text), 1, true, 1.2});
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
  input.reach = state.fields.reach;
  constexpr double kPerPair = 30;  // nanoseconds: a sine, a cosine and two rotations
  const double cost = kPerPair * static_cast<double>(input.frequencies.size()) * (input.reach + 1);
  const auto answer = store.request<mixed_curves>({"rotation.mixed", cost}, input);
  ViewResult result;
  result.stale = !answer.current;
  result.panels.push_back({permutation_figure(state.fields.permute, state.pairing, text), 1.2});
  if (answer.result) {
    result.panels.push_back({mixed_figure(state, *answer.result, text), 1});
    result.panels.back().figure.stale = result.stale;
  }
  result.readouts = mixed_readouts(state, input.scores(state.query_position), text);
  return result;
}

/// Draws any laws of angle and length; the rope is not used.
ViewResult law(const RotationFields& fields, const Text& text) {
  const LawState state = law_state(fields);
  ViewResult result;
  result.panels.push_back({law_plane_figure(state, text), 0.43, false, 0.8});
  result.panels.push_back({shift_figure(state, text), 0.43, true, 1});
  result.panels.push_back({laws_figure(state, text), 0.57, false, 0.55});
  result.panels.push_back({lengths_figure(state, text), 0.57, true, 0.55});
  if (fields.law_table) result.panels.push_back({law_table_figure(state, text), 0.57, true, 1.3});
  result.readouts = law_readouts(state, text);
  result.status = text.format("view.rotation.status_law", {{"span", counted(fields.law_span)}});
  return result;
}

/// Returns the picture's subject in numbers.
std::string describe_rotation_status(const RotationState& state, const Text& text) {
  const TextValue pairs = counted(state.pairs);
  if (state.fields.show == RotationShow::forms) {
    return text.format("view.rotation.status_forms",
                       {{"channels", counted(state.fields.form_dim)}, {"base", readable_number(state.base, 6)}});
  }
  if (state.fields.show == RotationShow::pairing) {
    return text.format("view.rotation.status_pairing", {{"pairs", pairs}, {"reach", counted(state.fields.reach)}});
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

void declare_rotation_fields(FieldList& list, Experiment& experiment) {
  // Fields that are moved during a presentation come first, then the rope.
  RotationFields& fields = experiment.rotation;
  if (const std::optional<double> pairs = pair_count(experiment.rope)) {
    declare_fields(list, fields, *pairs);
  } else {
    declare_fields(list, fields);
  }
  if (fields.show == RotationShow::law) return;
  const bool channels = fields.show == RotationShow::forms || fields.show == RotationShow::pairing;
  declare_pairing(list, experiment.rope, channels);
  if (fields.show == RotationShow::forms) {
    // The forms use a plain ladder of a fixed length: only the rope's base, and the axis with that base, affect it.
    constexpr std::string_view kRope[] = {"rope.base", "rope.axis"};
    declare_embedding(list, experiment.rope, kRope);
  } else {
    declare_fields(list, experiment.rope);
  }
}

Message settle_rotation(const Experiment& before, Experiment& after) {
  RotationFields& fields = after.rotation;
  // Between two positions only m, or both, may be fractional: while playing, the lock takes effect at an integer one.
  if (before.rotation.locked != fields.locked) fields.glide = 0;
  if (keep_distance(before.rotation, fields)) return {};
  return Message("rotation.lock", {{"most", kMaxRotationPosition}});
}

ViewResult rotation_figures(const Experiment& experiment, const Text& text, Store& store) {
  if (experiment.rotation.show == RotationShow::law) return law(experiment.rotation, text);
  const RotationState state = rotation_state(experiment);
  const RotationShow show = state.fields.show;
  ViewResult result = show == RotationShow::helix     ? helix(state, text)
                      : show == RotationShow::weights ? weights(state, text)
                      : show == RotationShow::forms   ? four_forms(state, text)
                      : show == RotationShow::pairing ? pairing(state, text, store)
                                                      : turn(state, text);
  if (show != RotationShow::forms) add_ladder_in_use(result.readouts, "rotation", experiment.rope, text);
  result.status = describe_rotation_status(state, text);
  return result;
}

void react_rotation(Experiment& experiment, const FigureEvent& event) {
  constexpr std::string_view kPair = "pair.";
  RotationFields& fields = experiment.rotation;
  if (event.drags("plane")) {
    if (!std::isfinite(event.x) || !std::isfinite(event.y)) return;
    struct Tip {
      std::string_view handle;
      double &x, &y;
    };
    for (const Tip& tip :
         {Tip{"x", fields.x1, fields.x2}, Tip{"q", fields.qx, fields.qy}, Tip{"k", fields.kx, fields.ky}}) {
      if (event.handle == tip.handle) tip.x = on_thousandths(event.x), tip.y = on_thousandths(event.y);
    }
  }
  if (event.kind == FigureEvent::Kind::drag && event.handle == "camera") {
    // The front follows the mouse: half a turn over the width, a quarter over the height.
    const auto turned = [](double degrees, double by, double most) {
      return std::clamp(std::round(1000 * (degrees - by)) / 1000, -most, most);
    };
    fields.yaw = turned(fields.yaw, 180 * event.across, kMaxHelixYaw);
    fields.pitch = turned(fields.pitch, 90 * event.up, kMaxHelixPitch);
  }
  if (event.clicks("clocks") && event.handle.starts_with(kPair)) {
    const std::optional<double> pair = parse_number(event.handle.substr(kPair.size()));
    if (pair) fields.pair = *pair;
  }
}

/// Returns the larger position, counted from 1; for mixed pairings, up to the end of the curves.
double rotation_last_position(const Experiment& experiment) {
  const RotationFields& fields = experiment.rotation;
  if (fields.show == RotationShow::pairing) return fields.reach;
  return std::max(fields.query_position, fields.key_position) + 1;
}

}  // namespace

void PlaneState::set(const RotationFields& from) {
  fields = from;
  query_position = fields.query_position + fields.glide;
  key_position = fields.key_position + (fields.locked ? fields.glide : 0);
  q = {fields.qx, fields.qy};
  k = {fields.kx, fields.ky};
}

RotationState rotation_state(const Experiment& experiment) {
  RotationState state;
  state.set(experiment.rotation);
  const RotationFields& fields = state.fields;
  const RopeReading rope = read_rope(experiment.rope);
  const RotarySpec& spec = rope.spec;
  state.ladder = rope.ladder;
  state.trained = trained_frequencies(rope.plain, rope.ladder.frequencies);
  state.pairing = spec.pairing;
  state.base = rope.shown_axis().base;
  state.trained_length = experiment.rope.trained_length;
  state.extended_length = extended_length(experiment.rope);
  state.pairs = state.ladder.frequencies.size();
  state.pair = std::min(static_cast<Eigen::Index>(fields.pair), state.pairs - 1);
  int before = 0;
  for (std::size_t i = 0; i < rope.axis; ++i) before += spec.axes[i].rotary_dim / 2;
  state.channels = pair_channels(spec.pairing, before + static_cast<int>(state.pair), total_rotary_dim(spec) / 2);
  state.frequency = state.ladder.frequencies[state.pair];
  state.key_frequencies = key_ladder(rope, experiment.rope.scaling.length, fields);
  state.key_frequency = state.key_frequencies[state.pair];
  const Eigen::VectorXd frequency = Eigen::VectorXd::Constant(1, state.frequency);
  const Eigen::VectorXd key_frequency = Eigen::VectorXd::Constant(1, state.key_frequency);
  const double amplitude = state.ladder.amplitude;
  state.turned_q = rotate_elementwise(state.q, frequency, Pairing::interleaved, state.query_position, amplitude);
  state.turned_k = rotate_elementwise(state.k, key_frequency, Pairing::interleaved, state.key_position, amplitude);
  return state;
}

RotationContent rotation_content(const RotationState& state) {
  RotationContent content{Eigen::VectorXd(2 * state.pairs), Eigen::VectorXd(2 * state.pairs)};
  SplitMix generator{static_cast<std::uint64_t>(state.fields.seed)};
  const bool random = state.fields.content == OtherPairs::random;
  for (Eigen::Index pair = 0; pair < state.pairs; ++pair) {
    Eigen::Vector2d q = state.q, k = state.k;
    if (random) {
      const std::complex<double> drawn_q = normal_pair(generator), drawn_k = normal_pair(generator);
      // Drawn for every pair, so the values do not depend on which pair is in the plane.
      if (pair != state.pair) {
        q = {drawn_q.real(), drawn_q.imag()};
        k = {drawn_k.real(), drawn_k.imag()};
      }
    }
    content.q.segment<2>(2 * pair) = q;
    content.k.segment<2>(2 * pair) = k;
  }
  return content;
}

bool is_rounding(double difference, const Operands& operands) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  return std::abs(difference) <= kEpsilon * operands.size * (8 + operands.terms + 2 * operands.angle);
}

RotationScores pair_scores(const RotationState& state) {
  const double amplitude = state.ladder.amplitude;
  const Eigen::VectorXd frequency = Eigen::VectorXd::Constant(1, state.frequency);
  const Eigen::VectorXd relative = rotate_elementwise(state.k, frequency, Pairing::interleaved,
                                                      state.key_position - state.query_position, amplitude * amplitude);
  return {state.q.dot(state.k), state.turned_q.dot(state.turned_k), state.q.dot(relative),
          operands_of(state, state.q, state.k, std::max(std::abs(state.frequency), std::abs(state.key_frequency)))};
}

RotationScores all_scores(const RotationState& state, const RotationContent& content) {
  const double amplitude = state.ladder.amplitude;
  const Eigen::VectorXd relative = rotate_elementwise(content.k, state.ladder.frequencies, Pairing::interleaved,
                                                      state.key_position - state.query_position, amplitude * amplitude);
  return {content.q.dot(content.k),
          turned(content.q, state.ladder.frequencies, state, state.query_position)
              .dot(turned(content.k, state.key_frequencies, state, state.key_position)),
          content.q.dot(relative),
          operands_of(
              state, content.q, content.k,
              std::max(state.ladder.frequencies.cwiseAbs().maxCoeff(), state.key_frequencies.cwiseAbs().maxCoeff()))};
}

Eigen::VectorXd in_layout(const Eigen::VectorXd& pair_order, Pairing pairing) {
  const int pairs = static_cast<int>(pair_order.size() / 2);
  Eigen::VectorXd channels(pair_order.size());
  for (int pair = 0; pair < pairs; ++pair) {
    const auto [first, second] = pair_channels(pairing, pair, pairs);
    channels[first] = pair_order[2 * pair];
    channels[second] = pair_order[2 * pair + 1];
  }
  return channels;
}

std::vector<Eigen::Index> clock_pairs(const RotationState& state) {
  const Eigen::Index count = std::min(state.pairs, kMaxClocks);
  std::vector<Eigen::Index> shown;
  for (Eigen::Index i = 0; i < count; ++i) {
    shown.push_back(count < state.pairs ? i * (state.pairs - 1) / (count - 1) : i);
  }
  // The selected pair replaces its neighbour.
  const auto place = std::lower_bound(shown.begin(), shown.end(), state.pair);
  if (*place != state.pair) *place = state.pair;
  return shown;
}

bool finishes_a_turn(const RotationState& state, Eigen::Index pair) {
  return state.trained_length <= 0 || !is_unfinished(state.trained[pair], state.trained_length);
}

RotationForms rotation_forms(const RotationState& state) {
  RotationForms forms;
  const int dim = static_cast<int>(state.fields.form_dim);
  forms.pairs = dim / 2;
  forms.pairing = state.pairing;
  forms.position = state.query_position;
  forms.frequencies = plain_frequencies(dim, state.base);
  SplitMix generator{static_cast<std::uint64_t>(state.fields.seed)};
  forms.x = Eigen::VectorXd(dim);
  for (int i = 0; i < dim; ++i) {
    // Rounded to hundredths, so the printed numbers are those of the computation.
    forms.x[i] = std::round(100 * (2 * generator.uniform() - 1)) / 100;
  }
  const TableRow row = table_row(forms.frequencies, forms.position);
  forms.companion = forms.cosine = forms.sine = Eigen::VectorXd(dim);
  for (int pair = 0; pair < forms.pairs; ++pair) {
    const auto [first, second] = pair_channels(forms.pairing, pair, forms.pairs);
    forms.companion[first] = -forms.x[second];
    forms.companion[second] = forms.x[first];
    forms.cosine[first] = forms.cosine[second] = row.cosine[pair];
    forms.sine[first] = forms.sine[second] = row.sine[pair];
  }
  forms.matrix = rotation_matrix(forms.frequencies, forms.pairing, forms.position);
  forms.blocks = rotation_blocks(forms.frequencies, forms.position);
  forms.by_matrix = forms.matrix * forms.x;
  forms.by_complex = rotate_complex(forms.x, forms.frequencies, forms.pairing, forms.position);
  forms.by_elements = rotate_elementwise(forms.x, forms.frequencies, forms.pairing, forms.position);
  forms.by_columns = rotate_columns(forms.x, forms.blocks, forms.pairing);
  rotate_apart(forms, row);
  forms.by_blocks = rotate_blocks(forms.x, forms.blocks, forms.pairing);
  const Eigen::VectorXd* results[] = {&forms.by_matrix,  &forms.by_complex, &forms.by_elements,
                                      &forms.by_columns, &forms.by_stack,   &forms.by_blocks};
  for (const Eigen::VectorXd* a : results) {
    for (const Eigen::VectorXd* b : results) {
      forms.largest_difference = std::max(forms.largest_difference, (*a - *b).cwiseAbs().maxCoeff());
    }
  }
  return forms;
}

MixedScores MixedInput::scores(double query_position) const {
  return Pairs(*this).at(query_position);
}

// --- Sheet ---------------------------------------------------------------------------------------------------------

Sheet::Sheet(const std::string& name, const std::string& title, int rows, double width) {
  figure.name = name;
  figure.title = title;
  figure.bare = true;
  figure.x.name = name + "_column";
  figure.y.name = "row";
  figure.x.range = figure.x.fit = {0, width};
  figure.y.range = figure.y.fit = {-1.5, rows - 0.3};
  figure.y.reversed = true;
}

void Sheet::words(double column, double row, const std::string& text, int slot) {
  Label label = label_at(column, row, text, slot < 0 ? Role::secondary : Role::curve);
  label.style.slot = std::max(slot, 0);
  label.size = text_size;
  figure.labels.push_back(label);
}

void Sheet::number(double column, double row, double value, int slot) {
  words(column, row, readable_fixed(value, 2), slot);
}

void Sheet::header(double column, const std::string& text) {
  words(column, -1, text);
}

void Sheet::brackets(double left, double right, double first, double last) {
  constexpr double kHook = 0.08;
  Path path = path_of("brackets", Role::secondary, 0.7);
  const double top = first - 0.42, bottom = last + 0.42;
  path.xs = {left + kHook, left, left, left + kHook, std::nan(""), right - kHook, right, right, right - kHook};
  path.ys = {top, top, bottom, bottom, std::nan(""), top, top, bottom, bottom};
  figure.paths.push_back(path);
}

std::vector<Readout> turn_readouts(const RotationState& state, const Text& text) {
  const RotationScores scores = pair_scores(state);
  std::vector<Readout> readouts = three_numbers(state, scores, "", text);
  std::vector<Readout> of_turns = turns(state, text);
  readouts.push_back(norms(state, text));
  readouts.push_back(all_pairs(state, text));
  if (state.fields.show == RotationShow::helix) {
    // That picture shows the turns; the row has space for five cards.
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
  // All forms use the same angles, so rounding of the angles causes no differences.
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

constinit const View kRotationView{.id = "rotation",
                                   .group = "explore",
                                   .declare_fields = declare_rotation_fields,
                                   .figures = rotation_figures,
                                   .empty = no_plane,
                                   .react = react_rotation,
                                   .player = &kRotationPlayer,
                                   .length = rotation_last_position,
                                   .compares_ropes = false,
                                   .settle = settle_rotation};

}  // namespace ropescope
