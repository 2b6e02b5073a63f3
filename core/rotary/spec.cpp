#include "core/rotary/spec.h"

#include <cmath>
#include <sstream>

#include "core/error.h"

namespace ropescope {

namespace {

constexpr int kLargestDimension = 8192;

template <typename T>
[[noreturn]] void reject(const std::string& field, const T& found, const std::string& expected) {
  std::ostringstream text;
  text.precision(17);
  text << field << " is " << found << "; expected " << expected;
  throw InputError(text.str());
}

void validate_axis(const RotaryAxis& axis, int head_dim) {
  const std::string of_axis = " of axis \"" + axis.name + "\"";
  if (axis.rotary_dim < 2 || axis.rotary_dim > kLargestDimension || axis.rotary_dim % 2 != 0) {
    reject("rotary_dim" + of_axis, axis.rotary_dim, "an even number from 2 to 8192");
  }
  if (axis.rotary_dim > head_dim) {
    reject("rotary_dim" + of_axis, axis.rotary_dim, "at most head_dim, which is " + std::to_string(head_dim));
  }
  if (!std::isfinite(axis.base) || axis.base <= 1) {
    reject("base" + of_axis, axis.base, "a finite number greater than 1");
  }
  if (!(axis.live_fraction > 0 && axis.live_fraction <= 1)) {
    reject("live_fraction" + of_axis, axis.live_fraction, "a number greater than 0 and at most 1");
  }
  if (!std::isfinite(axis.factor) || axis.factor <= 0) {
    reject("factor" + of_axis, axis.factor, "a finite number greater than 0");
  }
}

}  // namespace

int total_rotary_dim(const RotarySpec& spec) {
  int total = 0;
  for (const RotaryAxis& axis : spec.axes) total += axis.rotary_dim;
  return total;
}

void validate(const RotarySpec& spec) {
  // An odd head is legal: what is left over after the rotated channels stays untouched.
  if (spec.head_dim < 2 || spec.head_dim > kLargestDimension) {
    reject("head_dim", spec.head_dim, "a number from 2 to 8192");
  }
  if (spec.axes.empty()) reject("axes", "empty", "at least one position axis");
  // Each axis is checked before the sum, which could overflow otherwise.
  int total = 0;
  for (const RotaryAxis& axis : spec.axes) {
    validate_axis(axis, spec.head_dim);
    total += axis.rotary_dim;
    if (total > spec.head_dim) {
      reject("the sum of rotary_dim over the axes", total,
             "at most head_dim, which is " + std::to_string(spec.head_dim));
    }
  }
  if (spec.trained_length && !(std::isfinite(*spec.trained_length) && *spec.trained_length > 0)) {
    reject("trained_length", *spec.trained_length, "a finite number greater than 0, or none");
  }
  if (!std::isfinite(spec.amplitude)) reject("amplitude", spec.amplitude, "a finite number");
}

}  // namespace ropescope
