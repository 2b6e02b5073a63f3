#include <algorithm>

#include "core/error.h"
#include "core/scaling/parts.h"

namespace ropescope {

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

}  // namespace

std::span<const ScalingMethod> all_scaling_methods() {
  return kMethods;
}

const ScalingMethod& find_scaling_method(std::string_view name) {
  const auto methods = all_scaling_methods();
  const auto found =
      std::find_if(methods.begin(), methods.end(), [name](const ScalingMethod& method) { return method.name == name; });
  if (found != methods.end()) return *found;
  std::string known;
  for (const ScalingMethod& method : methods) known += (known.empty() ? "" : ", ") + std::string(method.name);
  throw InputError("\"" + std::string(name) + "\" is not a scaling method known here; one of " + known +
                   " was expected");
}

const ScalingParameter* find_parameter(const ScalingMethod& method, std::string_view name) {
  const auto found = std::find_if(method.parameters.begin(), method.parameters.end(),
                                  [name](const ScalingParameter& parameter) { return parameter.name == name; });
  return found == method.parameters.end() ? nullptr : &*found;
}

}  // namespace ropescope
