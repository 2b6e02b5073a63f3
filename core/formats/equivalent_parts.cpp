#include "core/formats/equivalent_parts.h"

#include <cmath>

#include "core/number_text.h"
#include "core/scaling/scaling.h"

namespace ropescope {

std::optional<double> number_in(const Extension& extension, std::string_view name) {
  const Extension whole = with_defaults(extension);
  const auto found = whole.numbers.find(std::string(name));
  return found == whole.numbers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> base_of_all(const RotarySpec& spec, const std::optional<double>& length) {
  if (spec.axes.size() != 1) return std::nullopt;
  return scaled_ladder(spec, 0, length).effective_base;
}

void note_length(const EquivalentOf& of, const RotarySpec& spec, Equivalent& equivalent) {
  const ScalingMethod& method = find_scaling_method(spec.extension.method);
  if (!method.depends_on_length || !spec.trained_length) return;
  equivalent.unsaid.push_back(
      {"equivalent.one_length",
       {{"method", method.name}, {"length", number_text(of.length.value_or(*spec.trained_length))}}});
}

Words several_axes(const Profile& profile, std::string_view program) {
  std::string axes;
  for (const RotaryAxis& axis : profile.spec.axes) axes += (axes.empty() ? "" : ", ") + axis.name;
  return {"equivalent.axes", {{"profile", profile.name}, {"axes", axes}, {"program", program}}};
}

}  // namespace ropescope
