// Validation of a rotary specification, its channel pairs and plain frequencies. Read spec.h first.
//
// Contents: The rope; Its plain frequencies.

#include "core/rotary/spec.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "core/message.h"

namespace ropescope {

// --- The rope ------------------------------------------------------------------------------------------------------

namespace {

[[noreturn]] void reject(const Message::Named& field, const Message::Named& found, const Message& expected) {
  throw InputError("rotary.field", {field, found, {"expected", expected}});
}

Message number_from_to(std::string_view key, double least, double most) {
  return Message(key, {{"least", least}, {"most", most}});
}

void validate_axis(const RotaryAxis& axis, int head_dim) {
  const auto require = [&](bool holds, std::string_view field, auto found, const Message& expected) {
    const Message of_axis("rotary.of_axis", {{"field", field}, {"axis", axis.name}});
    if (!holds) reject({"field", of_axis}, {"found", found}, expected);
  };
  require(axis.rotary_dim >= 2 && axis.rotary_dim <= kLargestDimension && axis.rotary_dim % 2 == 0, "rotary_dim",
          axis.rotary_dim, number_from_to("expected.even_number", 2, kLargestDimension));
  require(axis.rotary_dim <= head_dim, "rotary_dim", axis.rotary_dim,
          Message("rotary.at_most_head_dim", {{"head_dim", head_dim}}));
  require(std::isfinite(axis.base) && axis.base > 1, "base", axis.base,
          Message("expected.finite_above", {{"least", 1}}));
  require(axis.live_fraction > 0 && axis.live_fraction <= 1, "live_fraction", axis.live_fraction,
          Message("expected.fraction"));
  require(std::isfinite(axis.factor) && axis.factor > 0, "factor", axis.factor,
          Message("expected.finite_above", {{"least", 0}}));
  if (axis.ladder != Ladder::given) return;
  require(axis.frequencies.size() == static_cast<std::size_t>(axis.rotary_dim / 2), "frequencies",
          axis.frequencies.size(), Message("rotary.one_for_each_pair", {{"pairs", axis.rotary_dim / 2}}));
  for (std::size_t pair = 0; pair < axis.frequencies.size(); ++pair) {
    const double frequency = axis.frequencies[pair];
    if (std::isfinite(frequency) && frequency >= 0) continue;
    throw InputError("rotary.frequency", {{"axis", axis.name}, {"pair", pair}, {"found", frequency}});
  }
}

// --- Its plain frequencies -----------------------------------------------------------------------------------------

void require_ladder(int dim, double base) {
  if (dim < 2 || dim > kLargestDimension || dim % 2 != 0) {
    throw InputError("rotary.dimension", {{"dim", dim}, {"least", 2}, {"most", kLargestDimension}});
  }
  if (!std::isfinite(base) || base <= 1) {
    throw InputError("rotary.base", {{"base", base}});
  }
}

// Extended precision: a double exponent's own rounding would cost up to ln(b) units in the last place.
double rung(long double base, int pair, int dim) {
  return static_cast<double>(std::pow(base, -2.0L * pair / dim));
}

}  // namespace

std::optional<double> Extension::number(std::string_view name) const {
  const auto given = numbers.find(std::string(name));
  return given == numbers.end() ? std::nullopt : std::optional(given->second);
}

int total_rotary_dim(const RotarySpec& spec) {
  int total = 0;
  for (const RotaryAxis& axis : spec.axes) total += axis.rotary_dim;
  return total;
}

void validate(const RotarySpec& spec) {
  // An odd head is valid: channels after the rotated ones are unchanged.
  if (spec.head_dim < 2 || spec.head_dim > kLargestDimension) {
    reject({"field", "head_dim"}, {"found", spec.head_dim}, number_from_to("expected.number", 2, kLargestDimension));
  }
  if (spec.axes.empty()) throw InputError("rotary.no_axes", {});
  // Each axis is checked before the sum, which could otherwise overflow.
  int total = 0;
  for (const RotaryAxis& axis : spec.axes) {
    validate_axis(axis, spec.head_dim);
    total += axis.rotary_dim;
    if (total > spec.head_dim) {
      reject({"field", Message("rotary.sum", {{"field", "rotary_dim"}, {"over", "axes"}})}, {"found", total},
             Message("rotary.at_most_head_dim", {{"head_dim", spec.head_dim}}));
    }
  }
  if (spec.trained_length && !(std::isfinite(*spec.trained_length) && *spec.trained_length > 0)) {
    reject({"field", "trained_length"}, {"found", *spec.trained_length}, Message("rotary.length_or_none"));
  }
  if (!std::isfinite(spec.amplitude)) {
    reject({"field", "amplitude"}, {"found", spec.amplitude}, Message("expected.finite"));
  }
}

Eigen::VectorXd plain_frequencies(int rotary_dim, double base) {
  require_ladder(rotary_dim, base);
  // Powers in extended precision are slow, and a search extends the same few ladders thousands of times.
  struct Known {
    int dim = 0;
    double base = 0;
    Eigen::VectorXd frequencies;
  };
  constexpr std::size_t kKnown = 4;
  thread_local std::array<Known, kKnown> known;
  thread_local std::size_t oldest = 0;
  for (const Known& one : known) {
    if (one.dim == rotary_dim && one.base == base) return one.frequencies;
  }
  Eigen::VectorXd frequencies(rotary_dim / 2);
  for (int pair = 0; pair < rotary_dim / 2; ++pair) frequencies[pair] = rung(base, pair, rotary_dim);
  known[oldest] = {rotary_dim, base, frequencies};
  oldest = (oldest + 1) % kKnown;
  return frequencies;
}

Eigen::VectorXd proportional_frequencies(int head_dim, double base, double live_fraction, double factor) {
  require_ladder(head_dim, base);
  if (!(live_fraction > 0 && live_fraction <= 1)) {
    throw InputError("rotary.live_fraction", {{"fraction", live_fraction}});
  }
  if (!std::isfinite(factor) || factor <= 0) {
    throw InputError("rotary.factor", {{"factor", factor}});
  }
  const int live = static_cast<int>(std::floor(live_fraction * head_dim / 2));
  Eigen::VectorXd frequencies = Eigen::VectorXd::Zero(head_dim / 2);
  for (int pair = 0; pair < live; ++pair) {
    const long double frequency = std::pow(static_cast<long double>(base), -2.0L * pair / head_dim);
    frequencies[pair] = static_cast<double>(frequency / factor);
  }
  return frequencies;
}

Eigen::VectorXd axis_frequencies(const RotaryAxis& axis) {
  switch (axis.ladder) {
    case Ladder::plain:
      return plain_frequencies(axis.rotary_dim, axis.base);
    case Ladder::proportional:
      return proportional_frequencies(axis.rotary_dim, axis.base, axis.live_fraction, axis.factor);
    case Ladder::given:
      return Eigen::VectorXd::Map(axis.frequencies.data(), std::ssize(axis.frequencies));
  }
  throw InputError("rotary.ladder", {{"axis", axis.name}});
}

double wavelength(double frequency) {
  if (frequency == 0) return std::numeric_limits<double>::infinity();
  return 2 * std::numbers::pi / frequency;
}

}  // namespace ropescope
