// One field over several values: sweeps, and facets side by side. Both change an experiment as --set does and are drawn
// by the same views; app/views/shared/facets.h draws facets. Read experiment.h before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "core/words.h"

namespace ropescope {

// --- Sweeps --------------------------------------------------------------------------------------------------------

/// A field that goes through its values by itself: from one to the other, evenly or evenly in its logarithm.
struct Sweep {
  std::string key;  ///< whole key of a number: "rope.base"
  double from = 0, to = 1;
  bool logarithmic = false;
  bool operator==(const Sweep&) const = default;
};

/// The value at a fraction 0 … 1 of the way: the ends exactly, between them on the field's steps, and to twelve digits
/// where it runs over the logarithm. That starts at 0 only where the field's own slider does: it then runs over
/// log(1 + value).
double swept_value(const NumberField& field, const Sweep& sweep, double fraction);

/// The sweep from one end of a field's slider to the other, as the slider runs. Empty key: the experiment has no such
/// number.
Sweep slider_sweep(const Experiment& experiment, std::string_view key);

/// Where a sweep to and fro stands at a share 0 … 1 of its time: 0 at the beginning, 1 in the middle, 0 at the end.
double there_and_back(double share);

/// Fraction of frame `index` of `count`: the first frame is the one end, the last one the other; to and fro, the last
/// frame is the one before the first.
double fraction_of_frame(std::size_t index, std::size_t count, bool to_and_fro);

/// The number of a whole key; none where there is no such field, or it is no number.
std::optional<Field> find_number(Experiment& experiment, std::string_view key);
const std::optional<Field> find_number(const Experiment& experiment, std::string_view key);

/// Puts the field to its value; an experiment without such a field is left alone.
void apply_sweep(Experiment& experiment, const Sweep& sweep, double fraction);
/// The value of a sweep at a fraction of the way as a --set argument: "rope.base=1000".
std::string sweep_assignment(const Experiment& experiment, const Sweep& sweep, double fraction);

// --- Sweeps in text ------------------------------------------------------------------------------------------------

/// A sweep as a person writes it, cut into its parts.
struct SweepText {
  std::string key;
  std::vector<std::string> values;  ///< both ends of a range, or all of a list
  bool range = false;
  std::string points;  ///< of a range, "200"; empty: not said
  std::string scale;   ///< of a range: "log", "linear" or empty
};
/// Cuts a text like "rope.base=100..1e6", with ":200" and ":log" or ":linear" after it in any order, or
/// "rope.rotary_dim=64,128,256". None for what is not of that form.
std::optional<SweepText> cut_sweep_text(const std::string& text);

/// The value that a text means for a number of the experiment. Throws InputError that names `option` and the field.
double read_swept_value(const NumberField& field, const std::string& given, const char* option);

/// The word that stands in place of a key where presets give the rope.
inline constexpr std::string_view kSweptModel = "model";

/// A field and the values that it takes one after another.
struct FieldValues {
  enum class Kind { number, choice, toggle, model };
  std::string key;             ///< whole key of a field, "rope.base", or kSweptModel
  std::vector<double> values;  ///< of what is no number 0, 1, …: places in `words`
  bool logarithmic = false;    ///< how they are shown along an axis
  Kind kind = Kind::number;
  std::vector<std::string> words = {};  ///< of what is no number: each value as --set takes it, or a preset's name
  std::size_t asked = 0;  ///< of a range: how many were asked for, some of which the field's steps made equal
  bool operator==(const FieldValues&) const = default;

  /// One of `values` as --set takes it.
  std::string text(double value) const;
};
inline constexpr std::size_t kPointsOfSweep = 50, kMostPointsOfSweep = 1'000'000;

/// Reads what cut_sweep_text() takes: of a number `points` values where their number is not said, over the
/// logarithm where the field's slider runs so and nothing else is said. Values that the field's steps make equal stand
/// once (`asked` says how many they were). A choice, a switch and kSweptModel take a list of their words; whether there
/// are such presets is not looked at. The key may be short; `looks_at` as for full_field_key(). Throws InputError that
/// names `option`: not of that form, no such field or none that has such values, a value that it cannot take, one that
/// stands twice, too many of them, a logarithm that would begin at 0.
FieldValues parse_field_values(const std::string& text, const Experiment& experiment, std::string_view looks_at,
                               const char* option, std::size_t points = kPointsOfSweep);

// --- Facets --------------------------------------------------------------------------------------------------------

/// Small multiples in one direction: a field and the values that it takes.
struct Facet {
  std::string key;                  ///< whole key of any field, or kFacetModel
  std::vector<std::string> values;  ///< as --set takes them; of kFacetModel the names of presets
  bool operator==(const Facet&) const = default;
};
/// The word that stands in place of a key where models give the rope.
inline constexpr std::string_view kFacetModel = "model";
/// The most cells of small multiples: more would be too small to read.
inline constexpr std::size_t kMostFacetCells = 24;

/// How many values a range of a facet has where their number is not said.
inline constexpr std::size_t kPointsOfFacet = 4;

/// Reads a facet, "rope.base=1e4,5e5,1e6", with a short key where --set takes one (`looks_at` as for full_field_key());
/// values that hold commas are parted by semicolons. Of a number also a range as sweeps take it,
/// "rope.base=1e3..1e7:5:log", which is turned into its values. Throws InputError that names `option`: no values, an
/// unknown key (near ones), values that the field does not take, more than kMostFacetCells.
Facet read_facet(const std::string& text, const Experiment& experiment, const char* option,
                 std::string_view looks_at = {});
/// A facet in the form that FacetFields holds.
std::string facet_text(const Facet& facet);

/// The facets in both directions; one that is not asked for has no values.
struct FacetPair {
  Facet across, down;
  std::size_t columns() const { return across.values.empty() ? 1 : across.values.size(); }
  std::size_t rows() const { return down.values.empty() ? 1 : down.values.size(); }
};
bool has_facets(const Experiment& experiment);
/// The facets of the experiment. Throws InputError, also where both are of one field or there are too many cells.
FacetPair facets_of(const Experiment& experiment, std::string_view looks_at = {});
/// Whether facets show several ropes, so that no name of the current one is true of all.
bool change_rope(const FacetPair& pair);
bool facets_change_rope(const Experiment& experiment);

/// Lets the field take the next direction that is free, with values to begin with: a number its own and two others of
/// its slider, a choice its options. Asked for again it is no facet any more. Nothing happens to fields of other kinds,
/// and where both directions are taken.
void toggle_facet(Experiment& experiment, std::string_view key);
/// Shows the presets of the current rope and the pinned ones side by side; where they are fewer than two, two of a
/// family.
void facet_models(Experiment& experiment);

}  // namespace ropescope
