// Variation of one field: the one description and the one parser of sweeps, tables over fields, small multiples,
// animations and the moving fields of lessons. All of them change an experiment as --set does and are drawn by the same
// views; app/views/shared/facets.h draws grids and small multiples. Read experiment.h first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "core/message.h"

namespace ropescope {

// --- Variation -----------------------------------------------------------------------------------------------------

/// The word that replaces a key if models determine the rope.
inline constexpr std::string_view kVariedModel = "model";

/// A field and its successive values, or the two ends of an animation.
struct Variation {
  enum class Kind { number, choice, toggle, model, other };
  std::string key;             ///< full key of a field, "rope.base", or kVariedModel
  std::vector<double> values;  ///< 0, 1, … if not numeric: indices into `words`
  bool logarithmic = false;    ///< scale between two values, and of the axis on which they are shown
  Kind kind = Kind::number;
  std::vector<std::string> words = {};  ///< each value of a list as the user wrote it; empty for a range
  /// For a range: the requested number of values, before duplicates on the field's steps are removed.
  std::size_t requested = 0;
  bool operator==(const Variation&) const = default;

  bool is_range() const { return requested > 0; }
  /// Returns one of `values` in the form of --set: a number in its shortest form, a switch as "true" or "false".
  std::string text(double value) const;
  /// Returns a value as the user wrote it; of a range, in its shortest form.
  std::string word(std::size_t index) const { return words.empty() ? text(values[index]) : words[index]; }
};
inline constexpr std::size_t kPointsOfSweep = 50, kMaxSweepPoints = 1'000'000;

/// What a user of parse_variation() accepts.
struct VariationUse {
  const char* option;                   ///< named by errors: "--over"
  std::string_view group = {};          ///< as for full_field_key()
  std::size_t points = kPointsOfSweep;  ///< of a range without a count
  std::size_t max_values = kMaxSweepPoints;
  bool repeats = false;    ///< a list may contain a value twice
  bool any_field = false;  ///< also texts, ranges and names, whose lists are not checked for repetition
};

/// Parses "rope.base=100..1e6", optionally followed by ":200" (number of values) and ":log" or ":linear" in any order
/// (default: the scale of the field's slider), or a list, "rope.rotary_dim=64,128,256". Values that contain commas are
/// separated by semicolons. The key may be short, as in --set. Values of a range that become equal on the field's steps
/// are kept once (`requested` counts all); presets are not checked for existence. Throws InputError that names the
/// option: wrong form, an unknown key (with similar ones), no suitable field, an invalid or repeated value, too many
/// values, or a logarithm that starts at 0.
Variation parse_variation(const std::string& text, const Experiment& experiment, const VariationUse& use);
/// Returns the text of a list of values, which parse_variation() accepts.
std::string format_list(const std::string& key, const std::vector<std::string>& values);
/// Returns the text of a range with this number of values: "rope.base=1000..1e+07:50:log". A logarithmic range from 0
/// has no scale in its text and so that of the field's slider.
std::string range_text(const std::string& key, const Range& ends, std::size_t count, bool logarithmic);

// --- Movement ------------------------------------------------------------------------------------------------------

/// Returns the value at a fraction 0 … 1 of the way from the first to the last value: exact at the ends, otherwise on
/// the field's steps, and with twelve digits if logarithmic. A logarithmic way may start at 0 only if the field's
/// slider does; it then uses log(1 + value).
double value_at(const NumberField& field, const Variation& varied, double fraction);

/// Returns the way over a field's slider with the slider's scale. The key is empty if the experiment has no such
/// number.
Variation find_slider_range(const Experiment& experiment, std::string_view key);

/// Returns the fraction of a back-and-forth sweep at a time 0 … 1: 0 at the start, 1 in the middle, 0 at the end.
double there_and_back(double share);

/// Returns the fraction of frame `index` of `count`: the first frame is one end, the last frame the other. In a
/// back-and-forth sweep, the last frame is the one before the first.
double fraction_of_frame(std::size_t index, std::size_t count, bool to_and_fro);

/// Returns the number field with a full key; nullopt if there is none.
std::optional<Field> find_number(Experiment& experiment, std::string_view key);
const std::optional<Field> find_number(const Experiment& experiment, std::string_view key);

/// Sets the field to its value at a fraction; no effect if the experiment has no such number.
void apply_variation(Experiment& experiment, const Variation& varied, double fraction);
/// Returns the value at a fraction as a --set argument: "rope.base=1000".
std::string assignment_at(const Experiment& experiment, const Variation& varied, double fraction);

// --- Facets --------------------------------------------------------------------------------------------------------

/// The maximum number of cells in small multiples: more would be too small to read.
inline constexpr std::size_t kMaxFacetCells = 24;
/// Default number of values in the range of a facet.
inline constexpr std::size_t kPointsOfFacet = 4;
/// Returns what a facet accepts: any field, few values.
VariationUse facet_limits(const char* option, std::string_view group = {});

/// The facets in both directions; an unused direction has no values.
struct FacetPair {
  Variation across, down;
  std::size_t columns() const { return across.values.empty() ? 1 : across.values.size(); }
  std::size_t rows() const { return down.values.empty() ? 1 : down.values.size(); }
};
bool has_facets(const Experiment& experiment);
/// Returns the experiment's facets. Throws InputError, also if both use one field or there are too many cells.
FacetPair facets_of(const Experiment& experiment, std::string_view looks_at = {});
/// Returns whether facets show several ropes, so the current rope's name does not apply to all.
bool change_rope(const FacetPair& pair);
bool facets_change_rope(const Experiment& experiment);

/// Returns the options of a choice that a sweep or a facet offers: all but the one whose file is not given.
Field::Names options_to_vary(const Field& field, const Experiment& experiment);
/// Assigns the field to the next free direction, with initial values: for a number its current value and two others on
/// its slider, for a choice its options. A second call removes the facet. No effect on fields of other kinds, or if
/// both directions are in use.
void toggle_facet(Experiment& experiment, std::string_view key);
/// Shows the presets of the current rope and the pinned ones as facets; if there are fewer than two, two presets of a
/// family.
void facet_models(Experiment& experiment);

}  // namespace ropescope
