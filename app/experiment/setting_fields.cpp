#include "app/experiment/setting_fields.h"

#include <stdexcept>
#include <string>

namespace ropescope {

namespace {

template <class Values>
auto& named(Values& values, std::string_view name) {
  const auto found =
      std::find_if(values.begin(), values.end(), [name](const auto& value) { return value.name == name; });
  if (found == values.end()) throw std::logic_error("there is no knob for the setting " + std::string(name));
  return *found;
}

template <class Values>
auto& named(Values& values, std::string_view name, bool is_switch) {
  auto& value = named(values, name);
  if (value.is_switch != is_switch) throw std::logic_error("the setting " + std::string(name) + " is of another kind");
  return value;
}

}  // namespace

double& SettingValues::number(std::string_view name) {
  return named(values_, name, false).number;
}

bool& SettingValues::toggle(std::string_view name) {
  return named(values_, name, true).on;
}

double SettingValues::operator[](std::string_view name) const {
  const Value& value = named(values_, name);
  return value.is_switch ? static_cast<double>(value.on) : value.number;
}

void SettingValues::set(std::string_view name, double number) {
  Value& value = named(values_, name);
  if (value.is_switch) {
    value.on = number != 0;
  } else {
    value.number = number;
  }
}

std::string option_name(const Setting& setting) {
  std::string name = "--" + std::string(setting.name);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

void describe(Fields& fields, const Setting& setting, SettingValues& values, bool control, std::optional<double> own) {
  if (setting.is_switch) {
    fields.toggle({.key = setting.key, .initial = setting.initial != 0, .control = control},
                  values.toggle(setting.name));
    return;
  }
  fields.number({.key = setting.key,
                 .minimum = setting.lowest,
                 .maximum = setting.highest,
                 .initial = setting.initial,
                 .logarithmic = !setting.linear,
                 .whole = setting.whole,
                 .step = setting.step,
                 .unit = setting.unit,
                 .zero = own ? "unit.own_base" : setting.zero,
                 .zero_value = own.value_or(0),
                 .control = control},
                values.number(setting.name));
}

}  // namespace ropescope
