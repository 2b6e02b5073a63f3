#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/sweep.h"
#include "core/words.h"

namespace ropescope {

/// A sweep as a person writes it, cut into its parts.
struct SweepText {
  std::string key;
  std::vector<std::string> values;  ///< both ends of a range, or all of a list
  bool range = false;
  std::string points;  ///< of a range, "200"; empty: not said
  std::string scale;   ///< of a range: "log", "linear" or empty
};
/// "rope.base=100..1e6", with ":200" and ":log" or ":linear" after it in any order, or "rope.rotary_dim=64,128,256".
/// None for what is not of that form.
std::optional<SweepText> cut_sweep_text(const std::string& text);

/// The value that a text means for a number of the experiment. Throws InputError that names `option` and the knob.
double read_swept_value(const NumberField& field, const std::string& given, const char* option);

/// In place of a key: presets that give the rope.
inline constexpr std::string_view kSweptModel = "model";

/// A knob and the values that it takes one after another.
struct KnobValues {
  enum class Kind { number, choice, toggle, model };
  std::string key;             ///< whole key of a field, "rope.base", or kSweptModel
  std::vector<double> values;  ///< of what is no number 0, 1, …: places in `words`
  bool logarithmic = false;    ///< how they are shown along an axis
  Kind kind = Kind::number;
  std::vector<std::string> words = {};  ///< of what is no number: each value as --set takes it, or a preset's name
  std::size_t asked = 0;  ///< of a range: how many were asked for, some of which the knob's steps made equal
  bool operator==(const KnobValues&) const = default;

  /// One of `values` as --set takes it.
  std::string text(double value) const;
};
inline constexpr std::size_t kPointsOfSweep = 50, kMostPointsOfSweep = 1'000'000;

/// Reads what cut_sweep_text() takes: of a number `points` values where their number is not said, over the
/// logarithm where the knob's slider runs so and nothing else is said. Values that the knob's steps make equal stand
/// once (`asked` says how many they were). A choice, a switch and kSweptModel take a list of their words; whether there
/// are such presets is not looked at. The key may be short; `looks_at` as for full_field_key(). Throws InputError that
/// names `option`: not of that form, no such knob or none that has such values, a value that it cannot take, one that
/// stands twice, too many of them, a logarithm that would begin at 0.
KnobValues parse_knob_values(const std::string& text, const Experiment& experiment, std::string_view looks_at,
                             const char* option, std::size_t points = kPointsOfSweep);

}  // namespace ropescope
