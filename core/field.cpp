// Validation of number fields, and descriptions of their valid values. Read field.h first.

#include "core/field.h"

#include <cmath>

namespace ropescope {

bool is_valid(const NumberField& field, double value) {
  if (field.is_switch) return value == 0 || value == 1;
  if (field.even && std::fmod(value, 2) != 0) return false;
  if (field.exclusive) return std::isfinite(value) && value > field.minimum;
  return value >= field.minimum && value <= field.maximum;
}

bool is_given(const NumberField& field, double value) {
  return value != 0 || is_valid(field, 0);
}

Message describe_valid_values(const NumberField& field) {
  if (field.is_switch) return Message("expected.switch");
  if (field.exclusive) return Message("expected.finite_above", {{"least", field.minimum}});
  return Message(field.even ? "expected.even_number" : "expected.number",
                 {{"least", field.minimum}, {"most", field.maximum}});
}

}  // namespace ropescope
