#include "app/commands/setting_options.h"

#include <algorithm>

namespace ropescope {

const std::string* GivenSettings::find(std::string_view name) const {
  const auto found = texts_.find(name);
  return found != texts_.end() && found->second ? &*found->second : nullptr;
}

bool GivenSettings::any() const {
  return std::any_of(texts_.begin(), texts_.end(), [](const auto& option) { return option.second.has_value(); });
}

void add_option(Arguments& arguments, const Setting& setting, const std::string& takers, GivenSettings& given) {
  const std::string symbol(setting.is_switch ? "true|false" : setting.symbol);
  Words help("field." + std::string(setting.key) + ".option", {{"takers", takers}});
  if (setting.is_switch) {
    help.values.emplace_back("initial", setting.initial != 0 ? "true" : "false");
  } else {
    help.values.emplace_back("initial", setting.initial);
  }
  arguments.option(option_name(setting), symbol, given[setting.name], help);
}

double read_switch(const std::string& option, const std::string& text) {
  if (text != "true" && text != "false") reject(option, text, "true or false");
  return text == "true" ? 1 : 0;
}

}  // namespace ropescope
