#pragma once

#include <string_view>

#include "app/experiment/fields.h"

namespace ropescope {

/// A whole number on a logarithmic slider.
constexpr NumberField whole_field(std::string_view key, double minimum, double maximum, double initial,
                                  bool control = true) {
  return {.key = key,
          .minimum = minimum,
          .maximum = maximum,
          .initial = initial,
          .logarithmic = true,
          .whole = true,
          .control = control};
}

/// The seed of a random generator, shown where something is drawn from it.
constexpr NumberField seed_field(std::string_view key, double initial, bool control = true) {
  return whole_field(key, 0, 2'147'483'648, initial, control);
}

}  // namespace ropescope
