#include "core/error.h"
#include "core/scaling/parts.h"

namespace ropescope {

namespace {

ScalingInput input_of(const RotarySpec& spec, std::size_t axis, std::optional<double> length) {
  return {spec.axes.at(axis), spec.extension, spec.trained_length, length};
}

}  // namespace

Extension with_defaults(Extension extension) {
  for (const ScalingParameter& parameter : find_scaling_method(extension.method).parameters) {
    const bool stands_in = is_valid(parameter, parameter.initial);
    if (stands_in && !parameter.required) extension.numbers.emplace(parameter.name, parameter.initial);
  }
  return extension;
}

void check_extension(const RotarySpec& spec, std::optional<double> length) {
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) check_scaling(input_of(spec, axis, length));
}

ScaledLadder scaled_ladder(const RotarySpec& spec, std::size_t axis, std::optional<double> length) {
  const ScalingInput input = input_of(spec, axis, length);
  check_scaling(input);
  ScaledLadder ladder = find_scaling_method(spec.extension.method).compute(input);
  ladder.amplitude *= spec.amplitude;
  return ladder;
}

HeadLadder head_ladder(const RotarySpec& spec, std::optional<double> length) {
  validate(spec);
  HeadLadder head{Eigen::VectorXd(total_rotary_dim(spec) / 2), spec.amplitude};
  Eigen::Index begin = 0;
  for (std::size_t axis = 0; axis < spec.axes.size(); ++axis) {
    const ScaledLadder ladder = scaled_ladder(spec, axis, length);
    head.frequencies.segment(begin, ladder.frequencies.size()) = ladder.frequencies;
    head.amplitude = ladder.amplitude;  // depends on factor and lengths only: the same for every axis
    begin += ladder.frequencies.size();
  }
  return head;
}

}  // namespace ropescope
