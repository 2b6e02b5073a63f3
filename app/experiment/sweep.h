#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// A knob that goes through its values by itself: from one to the other, evenly or evenly in its logarithm.
struct Sweep {
  std::string key;  ///< whole key of a number: "rope.base"
  double from = 0, to = 1;
  bool logarithmic = false;
  bool operator==(const Sweep&) const = default;
};

/// The value at a fraction 0 … 1 of the way: the ends exactly, between them on the knob's steps, and to twelve digits
/// where it runs over the logarithm. That starts at 0 only where the knob's own slider does: it then runs over
/// log(1 + value).
double swept_value(const NumberField& field, const Sweep& sweep, double fraction);

/// From one end of the slider to the other, as the slider runs. Empty key: the experiment has no such number.
Sweep slider_sweep(const Experiment& experiment, std::string_view key);

/// Where a sweep to and fro stands at a share 0 … 1 of its time: 0 at the beginning, 1 in the middle, 0 at the end.
double there_and_back(double share);

/// Fraction of frame `index` of `count`: the first frame is the one end, the last one the other; to and fro, the last
/// frame is the one before the first.
double fraction_of_frame(std::size_t index, std::size_t count, bool to_and_fro);

using NumberFound = std::function<void(const NumberField&, double& value)>;
/// Calls `found` for the number of this key; false: there is none, or it is no number.
bool visit_number(Experiment& experiment, std::string_view key, const NumberFound& found);

/// Puts the knob to its value; any other is left alone.
void apply_sweep(Experiment& experiment, const Sweep& sweep, double fraction);
/// The same as what --set takes: "rope.base=1000".
std::string sweep_assignment(const Experiment& experiment, const Sweep& sweep, double fraction);

/// The whole key that a person's short one means (see set_field()). Throws InputError that names `option`.
std::string full_field_key(const std::string& given, const Experiment& experiment, std::string_view looks_at,
                           const char* option);

}  // namespace ropescope
