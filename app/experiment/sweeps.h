// Variation of one field over several values: sweeps, and facets. Both change an experiment as --set does and are drawn
// by the same views; app/views/shared/facets.h draws facets. Read experiment.h first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "core/message.h"

namespace ropescope {

// --- Sweeps --------------------------------------------------------------------------------------------------------

/// An automatic variation of a field from one value to another, linear or logarithmic.
struct Sweep {
  std::string key;  ///< full key of a number: "rope.base"
  double from = 0, to = 1;
  bool logarithmic = false;
  bool operator==(const Sweep&) const = default;
};

/// Returns the value at a fraction 0 … 1 of the sweep: exact at the ends, otherwise on the field's steps, and with
/// twelve digits if logarithmic. A logarithmic sweep may start at 0 only if the field's slider does; it then uses log(1
/// + value).
double swept_value(const NumberField& field, const Sweep& sweep, double fraction);

/// Returns the sweep over a field's slider with the slider's scale. The key is empty if the experiment has no such
/// number.
Sweep slider_sweep(const Experiment& experiment, std::string_view key);

/// Returns the fraction of a back-and-forth sweep at a time 0 … 1: 0 at the start, 1 in the middle, 0 at the end.
double there_and_back(double share);

/// Returns the fraction of frame `index` of `count`: the first frame is one end, the last frame the other. In a
/// back-and-forth sweep, the last frame is the one before the first.
double fraction_of_frame(std::size_t index, std::size_t count, bool to_and_fro);

/// Returns the number field with a full key; nullopt if there is none.
std::optional<Field> find_number(Experiment& experiment, std::string_view key);
const std::optional<Field> find_number(const Experiment& experiment, std::string_view key);

/// Sets the field to its value; no effect if the experiment has no such field.
void apply_sweep(Experiment& experiment, const Sweep& sweep, double fraction);
/// Returns the value at a fraction of the sweep as a --set argument: "rope.base=1000".
std::string sweep_assignment(const Experiment& experiment, const Sweep& sweep, double fraction);

// --- Sweeps in text ------------------------------------------------------------------------------------------------

/// A sweep as written by the user, split into its parts.
struct SweepText {
  std::string key;
  std::vector<std::string> values;  ///< both ends of a range, or all of a list
  bool range = false;
  std::string points;  ///< for a range, "200"; empty: not specified
  std::string scale;   ///< for a range: "log", "linear" or empty
};
/// Splits a text like "rope.base=100..1e6", optionally followed by ":200" and ":log" or ":linear" in any order, or
/// "rope.rotary_dim=64,128,256". Returns nullopt for any other form.
std::optional<SweepText> cut_sweep_text(const std::string& text);

/// Returns the value of a text for a number of the experiment. Throws InputError that names `option` and the field.
double read_swept_value(const NumberField& field, const std::string& given, const char* option);

/// The word that replaces a key if presets determine the rope.
inline constexpr std::string_view kSweptModel = "model";

/// A field and its successive values.
struct FieldValues {
  enum class Kind { number, choice, toggle, model };
  std::string key;             ///< full key of a field, "rope.base", or kSweptModel
  std::vector<double> values;  ///< 0, 1, … if not numeric: indices into `words`
  bool logarithmic = false;    ///< scale of the axis on which they are shown
  Kind kind = Kind::number;
  std::vector<std::string> words = {};  ///< if not numeric: each value as for --set, or a preset's name
  std::size_t asked = 0;  ///< for a range: requested number of values, before removing duplicates on the field's steps
  bool operator==(const FieldValues&) const = default;

  /// Returns one of `values` in the form of --set.
  std::string text(double value) const;
};
inline constexpr std::size_t kPointsOfSweep = 50, kMaxSweepPoints = 1'000'000;

/// Parses the forms of cut_sweep_text(). For a number without a count, there are `points` values, logarithmic by
/// default if the field's slider is. Values that become equal on the field's steps are kept once (`asked` counts all).
/// A choice, a switch and kSweptModel take a list of words; presets are not checked for existence. The key may be
/// short; `looks_at` as for full_field_key(). Throws InputError that names `option`: wrong form, no suitable field, an
/// invalid or repeated value, too many values, or a logarithm that starts at 0.
FieldValues parse_field_values(const std::string& text, const Experiment& experiment, std::string_view looks_at,
                               const char* option, std::size_t points = kPointsOfSweep);

// --- Facets --------------------------------------------------------------------------------------------------------

/// Small multiples in one direction: a field and its values.
struct Facet {
  std::string key;                  ///< full key of any field, or kFacetModel
  std::vector<std::string> values;  ///< as for --set; for kFacetModel the names of presets
  bool operator==(const Facet&) const = default;
};
/// The word that replaces a key if models determine the rope.
inline constexpr std::string_view kFacetModel = "model";
/// The maximum number of cells in small multiples: more would be too small to read.
inline constexpr std::size_t kMaxFacetCells = 24;

/// Default number of values in the range of a facet.
inline constexpr std::size_t kPointsOfFacet = 4;

/// Parses a facet, "rope.base=1e4,5e5,1e6", with a short key as for --set (`looks_at` as for full_field_key()). Values
/// that contain commas are separated by semicolons. A number also takes a range as in sweeps,
/// "rope.base=1e3..1e7:5:log", which is expanded. Throws InputError that names `option`: no values, an unknown key
/// (with similar ones), values that the field rejects, more than kMaxFacetCells.
Facet read_facet(const std::string& text, const Experiment& experiment, const char* option,
                 std::string_view looks_at = {});
/// Returns a facet in the form of FacetFields.
std::string facet_text(const Facet& facet);

/// The facets in both directions; an unused direction has no values.
struct FacetPair {
  Facet across, down;
  std::size_t columns() const { return across.values.empty() ? 1 : across.values.size(); }
  std::size_t rows() const { return down.values.empty() ? 1 : down.values.size(); }
};
bool has_facets(const Experiment& experiment);
/// Returns the experiment's facets. Throws InputError, also if both use one field or there are too many cells.
FacetPair facets_of(const Experiment& experiment, std::string_view looks_at = {});
/// Returns whether facets show several ropes, so the current rope's name does not apply to all.
bool change_rope(const FacetPair& pair);
bool facets_change_rope(const Experiment& experiment);

/// Assigns the field to the next free direction, with initial values: for a number its current value and two others on
/// its slider, for a choice its options. A second call removes the facet. No effect on fields of other kinds, or if
/// both directions are in use.
void toggle_facet(Experiment& experiment, std::string_view key);
/// Shows the presets of the current rope and the pinned ones as facets; if there are fewer than two, two presets of a
/// family.
void facet_models(Experiment& experiment);

}  // namespace ropescope
