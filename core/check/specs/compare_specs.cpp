#include "core/check/specs/compare_specs.h"

#include <algorithm>

#include "core/check/specs/fields.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

/// A single axis is found by being the only one.
RotarySpec with_one_name(RotarySpec spec) {
  for (RotaryAxis& axis : spec.axes) axis.name = axis.name == "y" ? "row" : axis.name == "x" ? "column" : axis.name;
  return spec;
}

bool can_be_computed(const RotarySpec& spec) {
  try {
    validate(spec);
    check_extension(spec);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Two embeddings and what is computed of them.
struct Pair {
  RotarySpec a, b;
  ScorePlaces places;
  const CompareOptions& options;
};

SpecDifference judged(const FieldDifference& field, const Pair& pair) {
  SpecDifference found{field.cause, field.text, field.a, field.b, false, {}};
  if (field.is_pairing) {
    found.change = pairing_change(pair.a, pair.places, pair.options.stop);
    found.harmless = found.change.largest == 0;  // one pair has but one way
    return found;
  }
  const RotarySpec changed = with_one_name(field.changed);
  const RotarySpec& other = can_be_computed(changed) ? changed : pair.b;
  found.harmless = same_ladders(pair.a, other, pair.places);
  if (!found.harmless) {
    found.change = score_change(pair.a, other, pair.places, pair.options.threads, pair.options.stop);
  }
  return found;
}

/// What of a length or a part of a method changes the amplitude alone is a difference of amplitude.
void name_amplitude(const FieldDifference& field, const Pair& pair, SpecDifference& found) {
  if (found.harmless || field.is_pairing || found.cause != "scaling-parameters") return;
  RotarySpec changed = with_one_name(field.changed);
  if (!can_be_computed(changed)) return;
  const double before = head_ladder(pair.a).amplitude, after = head_ladder(changed).amplitude;
  changed.amplitude *= before / after;
  if (before != after && same_ladders(pair.a, changed, pair.places)) found.cause = "amplitude";
}

void as_note(SpecDifference& found) {
  found.harmless = true;
  found.change = {};
}

}  // namespace

SpecComparison compare_specs(const RotarySpec& a, const RotarySpec& b, const CompareOptions& options) {
  const Pair pair{with_one_name(a), with_one_name(b), score_places(a, b), options};
  SpecComparison comparison;
  bool pairs_differ = false;
  for (const FieldDifference& field : differing_fields(a, b)) {
    SpecDifference found = judged(field, pair);
    name_amplitude(field, pair, found);
    pairs_differ |= field.is_pairing && !found.harmless;
    comparison.differences.push_back(std::move(found));
  }
  // Fields that differ may make up for each other (a base for NTK), or only count together.
  const bool same = same_ladders(pair.a, pair.b, pair.places);
  comparison.agrees = same && !pairs_differ;
  bool named = false;
  for (SpecDifference& found : comparison.differences) {
    if (same && found.cause != "pairing") as_note(found);
    named |= !found.harmless && found.cause != "pairing";
  }
  if (!same && !named) {
    SpecDifference all{"unknown",
                       Words("compare.together"),
                       Words("compare.all_fields"),
                       Words("compare.all_fields"),
                       false,
                       score_change(pair.a, pair.b, pair.places, options.threads, options.stop)};
    comparison.differences.push_back(std::move(all));
  }
  std::stable_partition(comparison.differences.begin(), comparison.differences.end(),
                        [](const SpecDifference& found) { return !found.harmless; });
  return comparison;
}

std::string extension_line(const Extension& extension) {
  const Extension whole = with_defaults(extension);
  std::string numbers;
  for (const auto& [name, value] : whole.numbers) {
    numbers += (numbers.empty() ? "" : ", ") + name + " " + number_text(value);
  }
  return whole.method + (numbers.empty() ? "" : " (" + numbers + ")");
}

}  // namespace ropescope
