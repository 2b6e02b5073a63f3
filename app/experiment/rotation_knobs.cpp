#include <algorithm>
#include <numbers>

#include "app/experiment/experiment.h"
#include "app/experiment/whole_fields.h"

namespace ropescope {

namespace {

/// A place, not a count: it has no unit.
NumberField rotation_knobs_position_field(std::string_view key, double initial) {
  return {.key = key,
          .minimum = 0,
          .maximum = kMostRotationPosition,
          .initial = initial,
          .logarithmic = true,
          .whole = true};
}

/// Components of the two vectors in the plane.
NumberField component_field(std::string_view key, double initial, bool control) {
  return {
      .key = key, .minimum = -kMostRotationPart, .maximum = kMostRotationPart, .initial = initial, .control = control};
}

void describe_vectors(Fields& fields, RotationKnobs& knobs) {
  static const RotationKnobs initial;
  const bool law = knobs.show == "law", turn = knobs.show == "turn" || law, forms = knobs.show == "forms",
             weights = knobs.show == "weights";
  if (!forms) fields.group("vectors");
  fields.number(component_field("rotation.qx", initial.qx, turn), knobs.qx);
  fields.number(component_field("rotation.qy", initial.qy, turn), knobs.qy);
  fields.number(component_field("rotation.kx", initial.kx, turn), knobs.kx);
  fields.number(component_field("rotation.ky", initial.ky, turn), knobs.ky);
  fields.number(component_field("rotation.x1", initial.x1, weights), knobs.x1);
  fields.number(component_field("rotation.x2", initial.x2, weights), knobs.x2);
  fields.number(component_field("rotation.w11", initial.w11, weights), knobs.w11);
  fields.number(component_field("rotation.w12", initial.w12, weights), knobs.w12);
  fields.number(component_field("rotation.w21", initial.w21, weights), knobs.w21);
  fields.number(component_field("rotation.w22", initial.w22, weights), knobs.w22);
  const bool others = !forms && !law && !weights;
  fields.choice(
      {.key = "rotation.content", .options = {"same", "random"}, .initial = initial.content, .control = others},
      knobs.content);
  fields.number(seed_field("rotation.seed", initial.seed, forms || (knobs.content == "random" && others)), knobs.seed);
}

/// A slider that is dragged ends where a pair stands; a rope with fewer pairs shows its last one and keeps the choice.
void describe_pair(Fields& fields, RotationKnobs& knobs, double pairs, bool control) {
  const double last = std::max(pairs - 1, 1.0);
  double shown = std::min(knobs.pair, last);
  const double before = shown;
  fields.number({.key = "rotation.pair",
                 .minimum = 0,
                 .maximum = last,
                 .initial = std::min(RotationKnobs().pair, last),
                 .whole = true,
                 .control = control && pairs > 1},
                shown);
  if (shown != before) knobs.pair = shown;
}

constexpr double kTurn = 2 * std::numbers::pi;

NumberField law_field(std::string_view key, double maximum, double initial, bool control) {
  return {.key = key, .minimum = 0, .maximum = maximum, .initial = initial, .control = control};
}

/// Laws by which q and k move with their places: whatever one tries instead of the rotation.
void describe_law(Fields& fields, RotationKnobs& knobs, bool law) {
  static const RotationKnobs initial;
  fields.choice({.key = "rotation.angle_law",
                 .options = {"linear", "quadratic", "root", "offset", "offsets", "other-key"},
                 .initial = initial.angle_law,
                 .control = law},
                knobs.angle_law);
  fields.choice({.key = "rotation.length_law",
                 .options = {"constant", "growing", "reciprocal", "exponential"},
                 .initial = initial.length_law,
                 .control = law},
                knobs.length_law);
  const bool offsets = knobs.angle_law == "offsets", offset = offsets || knobs.angle_law == "offset";
  fields.number(law_field("rotation.law_theta", kTurn, initial.law_theta, law), knobs.law_theta);
  fields.number(
      law_field("rotation.law_theta_key", kTurn, initial.law_theta_key, law && knobs.angle_law == "other-key"),
      knobs.law_theta_key);
  fields.number(law_field("rotation.law_gamma", kTurn, initial.law_gamma, law && offset), knobs.law_gamma);
  fields.number(law_field("rotation.law_gamma_key", kTurn, initial.law_gamma_key, law && offsets), knobs.law_gamma_key);
  fields.number(law_field("rotation.law_rate", 0.2, initial.law_rate, law && knobs.length_law == "exponential"),
                knobs.law_rate);
  NumberField span = whole_field("rotation.law_span", 4, 256, initial.law_span, law);
  span.unit = "unit.positions";
  fields.number(span, knobs.law_span);
  fields.toggle({.key = "rotation.law_table", .initial = initial.law_table, .control = law}, knobs.law_table);
  fields.range({.key = "rotation.law_place_range"}, knobs.law_place_range);
  fields.range({.key = "rotation.law_angle_range"}, knobs.law_angle_range);
  fields.range({.key = "rotation.law_shift_range"}, knobs.law_shift_range);
  fields.range({.key = "rotation.law_score_range"}, knobs.law_score_range);
}

}  // namespace

void describe(Fields& fields, RotationKnobs& knobs, double pairs) {
  static const RotationKnobs initial;
  fields.group("rotation");
  fields.choice({.key = "rotation.show",
                 .options = {"turn", "helix", "weights", "forms", "pairing", "law"},
                 .initial = initial.show},
                knobs.show);
  const bool turn = knobs.show == "turn", helix = knobs.show == "helix", forms = knobs.show == "forms",
             pairing = knobs.show == "pairing", law = knobs.show == "law";
  describe_law(fields, knobs, law);
  describe_pair(fields, knobs, pairs, turn || helix || knobs.show == "weights");
  fields.number(rotation_knobs_position_field("rotation.query_position", initial.query_position), knobs.query_position);
  fields.number(rotation_knobs_position_field("rotation.key_position", initial.key_position), knobs.key_position);
  fields.number({.key = "rotation.key_base",
                 .minimum = 0,
                 .maximum = 1e12,
                 .initial = initial.key_base,
                 .logarithmic = true,
                 .zero = "unit.ropes",
                 .control = turn},
                knobs.key_base);
  // After the positions: a list of --set arguments can then give both of them before it locks them together.
  fields.toggle({.key = "rotation.locked", .initial = initial.locked}, knobs.locked);
  fields.toggle({.key = "rotation.trail", .initial = initial.trail, .control = turn || law}, knobs.trail);
  fields.number({.key = "rotation.speed",
                 .minimum = 0.1,
                 .maximum = 1000,
                 .initial = initial.speed,
                 .logarithmic = true,
                 .unit = "unit.positions_per_second"},
                knobs.speed);
  fields.toggle({.key = "rotation.playing", .initial = initial.playing, .control = false}, knobs.playing);
  fields.number({.key = "rotation.glide", .minimum = 0, .maximum = 1, .initial = initial.glide, .control = false},
                knobs.glide);
  fields.number({.key = "rotation.span",
                 .minimum = 0,
                 .maximum = kMostRotationPosition,
                 .initial = initial.span,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .zero = "unit.by_wavelength",
                 .control = helix},
                knobs.span);
  fields.number({.key = "rotation.reach",
                 .minimum = 16,
                 .maximum = 4096,
                 .initial = initial.reach,
                 .logarithmic = true,
                 .whole = true,
                 .unit = "unit.positions",
                 .control = pairing},
                knobs.reach);
  fields.number({.key = "rotation.form_dim",
                 .minimum = 2,
                 .maximum = 8,
                 .initial = initial.form_dim,
                 .whole = true,
                 .step = 2,
                 .unit = "unit.channels",
                 .control = forms},
                knobs.form_dim);
  fields.number({.key = "rotation.permute", .minimum = 0, .maximum = 1, .initial = initial.permute, .control = pairing},
                knobs.permute);
  describe_vectors(fields, knobs);
}

bool keep_distance(const RotationKnobs& before, RotationKnobs& edited) {
  const double query = edited.query_position - before.query_position, key = edited.key_position - before.key_position;
  if (!before.locked || !edited.locked || (query != 0) == (key != 0)) return true;
  const double low = std::min(before.query_position, before.key_position);
  const double high = std::max(before.query_position, before.key_position);
  const double shift = std::clamp(query + key, -low, kMostRotationPosition - high);
  edited.query_position = before.query_position + shift;
  edited.key_position = before.key_position + shift;
  return shift == query + key;
}

}  // namespace ropescope
