#include "core/rotary/spec.h"

#include <cmath>
#include <string_view>

#include "core/error.h"

namespace ropescope {

namespace {

[[noreturn]] void reject(const Words::Named& field, const Words::Named& found, const Words& expected) {
  throw InputError("rotary.field", {field, found, {"expected", expected}});
}

Words number_from_to(std::string_view key, double least, double most) {
  return Words(key, {{"least", least}, {"most", most}});
}

void validate_axis(const RotaryAxis& axis, int head_dim) {
  const auto require = [&](bool holds, std::string_view field, auto found, const Words& expected) {
    const Words of_axis("rotary.of_axis", {{"field", field}, {"axis", axis.name}});
    if (!holds) reject({"field", of_axis}, {"found", found}, expected);
  };
  require(axis.rotary_dim >= 2 && axis.rotary_dim <= kLargestDimension && axis.rotary_dim % 2 == 0, "rotary_dim",
          axis.rotary_dim, number_from_to("expected.even_number", 2, kLargestDimension));
  require(axis.rotary_dim <= head_dim, "rotary_dim", axis.rotary_dim,
          Words("rotary.at_most_head_dim", {{"head_dim", head_dim}}));
  require(std::isfinite(axis.base) && axis.base > 1, "base", axis.base, Words("expected.finite_above", {{"least", 1}}));
  require(axis.live_fraction > 0 && axis.live_fraction <= 1, "live_fraction", axis.live_fraction,
          Words("expected.fraction"));
  require(std::isfinite(axis.factor) && axis.factor > 0, "factor", axis.factor,
          Words("expected.finite_above", {{"least", 0}}));
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
    reject({"field", "head_dim"}, {"found", spec.head_dim}, number_from_to("expected.number", 2, kLargestDimension));
  }
  if (spec.axes.empty()) throw InputError("rotary.no_axes", {});
  // Each axis is checked before the sum, which could overflow otherwise.
  int total = 0;
  for (const RotaryAxis& axis : spec.axes) {
    validate_axis(axis, spec.head_dim);
    total += axis.rotary_dim;
    if (total > spec.head_dim) {
      reject({"field", Words("rotary.sum", {{"field", "rotary_dim"}, {"over", "axes"}})}, {"found", total},
             Words("rotary.at_most_head_dim", {{"head_dim", spec.head_dim}}));
    }
  }
  if (spec.trained_length && !(std::isfinite(*spec.trained_length) && *spec.trained_length > 0)) {
    reject({"field", "trained_length"}, {"found", *spec.trained_length}, Words("rotary.length_or_none"));
  }
  if (!std::isfinite(spec.amplitude)) {
    reject({"field", "amplitude"}, {"found", spec.amplitude}, Words("expected.finite"));
  }
}

}  // namespace ropescope
