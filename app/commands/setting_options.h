#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/commands/arguments.h"
#include "app/experiment/setting_fields.h"

namespace ropescope {

/// Options that settings declare, as given, under the settings' names.
class GivenSettings {
 public:
  std::optional<std::string>& operator[](std::string_view name) { return texts_[std::string(name)]; }
  /// Null where it is not given.
  const std::string* find(std::string_view name) const;
  bool any() const;

 private:
  std::map<std::string, std::optional<std::string>, std::less<>> texts_;  // options point at its values
};

/// Adds the option; its help is the text "field.KEY.option", in which {takers} are those that look at the setting.
void add_option(Arguments& arguments, const Setting& setting, const std::string& takers, GivenSettings& given);
/// "true" or "false" as 1 or 0. Throws InputError that names the option.
double read_switch(const std::string& option, const std::string& text);

}  // namespace ropescope
