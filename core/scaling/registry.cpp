#include <algorithm>

#include "core/error.h"
#include "core/scaling/parts.h"

namespace ropescope {

extern const ScalingMethod kNone, kLinear, kNtkAware, kDynamic, kNtkByParts, kNtkByPartsReleased, kYarn, kLlama3,
    kLongRope, kProportional, kDynamicYarn, kNtkAlpha, kPixel, kDiffusersNtk;

namespace {

// None first, then by age, as a list shows them; ladders of single projects last.
const ScalingMethod kMethods[] = {
    kNone,                // the plain ladder
    kLinear,              // June 2023
    kNtkAware,            // June 2023
    kDynamic,             // July 2023
    kNtkByPartsReleased,  // July 2023
    kNtkByParts,          // September 2023, with the paper on YaRN
    kYarn,                // September 2023
    kDynamicYarn,         // September 2023
    kLongRope,            // February 2024
    kLlama3,              // July 2024
    kNtkAlpha,            // 2024, Hunyuan
    kProportional,        // 2026, Gemma 4
    kDiffusersNtk,        // image models: NTK without its exponent
    kPixel,               // image models: a ladder for coordinates from −1 to 1
};

const Setting* find_setting(std::span<const Setting> settings, std::string_view name) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [name](const Setting& setting) { return setting.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

/// Those of all methods, as the first method that has one declares it.
std::vector<Setting> each_once(std::span<const Setting> ScalingMethod::*settings) {
  std::vector<Setting> all;
  for (const ScalingMethod& method : kMethods) {
    for (const Setting& setting : method.*settings) {
      if (!find_setting(all, setting.name)) all.push_back(setting);
    }
  }
  return all;
}

}  // namespace

std::span<const ScalingMethod> all_scaling_methods() {
  return kMethods;
}

const ScalingMethod& find_scaling_method(std::string_view name) {
  const auto methods = all_scaling_methods();
  const auto found =
      std::find_if(methods.begin(), methods.end(), [name](const ScalingMethod& method) { return method.name == name; });
  if (found != methods.end()) return *found;
  Words::List known;
  for (const ScalingMethod& method : methods) known.push_back(as_it_is(method.name));
  throw InputError("scaling.unknown", {{"name", name}, {"known", known}});
}

std::vector<ScalingParameter> all_scaling_parameters() {
  static const std::vector<ScalingParameter> all = each_once(&ScalingMethod::parameters);
  return all;
}

const ScalingParameter* find_parameter(const ScalingMethod& method, std::string_view name) {
  return find_setting(method.parameters, name);
}

std::vector<ScalingList> all_scaling_lists() {
  static const std::vector<ScalingList> all = each_once(&ScalingMethod::lists);
  return all;
}

const ScalingList* find_list(const ScalingMethod& method, std::string_view name) {
  return find_setting(method.lists, name);
}

}  // namespace ropescope
