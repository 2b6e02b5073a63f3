#include "core/setting.h"

#include <cmath>

namespace ropescope {

bool is_valid(const Setting& setting, double value) {
  if (setting.is_switch) return value == 0 || value == 1;
  if (setting.even && std::fmod(value, 2) != 0) return false;
  if (setting.exclusive) return std::isfinite(value) && value > setting.minimum;
  return value >= setting.minimum && value <= setting.maximum;
}

bool is_given(const Setting& setting, double value) {
  return value != 0 || is_valid(setting, 0);
}

Words expected_of(const Setting& setting) {
  if (setting.is_switch) return Words("expected.switch");
  if (setting.exclusive) return Words("expected.finite_above", {{"least", setting.minimum}});
  return Words(setting.even ? "expected.even_number" : "expected.number",
               {{"least", setting.minimum}, {"most", setting.maximum}});
}

}  // namespace ropescope
