#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/experiment/fields.h"
#include "core/setting.h"

namespace ropescope {

/// The values of declared settings under their names: what knobs hold.
class SettingValues {
 public:
  /// Every one that has a knob, with its initial value. The declarations are constants: their names stay.
  template <class Declared>
  explicit SettingValues(const std::vector<Declared>& settings) {
    for (const Setting& setting : settings) {
      if (setting.knob) values_.push_back({setting.name, setting.is_switch, setting.initial, setting.initial != 0});
    }
  }
  // Precondition of all: the name is declared, and as what it is taken for. They throw std::logic_error.
  double& number(std::string_view name);
  bool& toggle(std::string_view name);
  /// A switch is 0 or 1.
  double operator[](std::string_view name) const;
  void set(std::string_view name, double value);
  bool operator==(const SettingValues&) const = default;

 private:
  struct Value {
    std::string_view name;
    bool is_switch = false;
    double number = 0;
    bool on = false;  ///< of a switch: a control that is drawn later points at it
    bool operator==(const Value&) const = default;
  };
  std::vector<Value> values_;
};

/// Declares the knob of a setting: a number, or a toggle for a switch. `own`: the base that 0 stands for, where it is
/// known.
void describe(Fields& fields, const Setting& setting, SettingValues& values, bool control,
              std::optional<double> own = {});

/// "--beta-fast".
std::string option_name(const Setting& setting);

/// Files, controls and --help keep the order in which they began; settings that are not named there follow as declared.
template <class Declared>
std::vector<Declared> in_order(std::vector<Declared> settings, std::span<const std::string_view> first) {
  const auto place = [first](const Setting& setting) { return std::find(first.begin(), first.end(), setting.name); };
  std::stable_sort(settings.begin(), settings.end(),
                   [&](const Setting& a, const Setting& b) { return place(a) < place(b); });
  return settings;
}

}  // namespace ropescope
