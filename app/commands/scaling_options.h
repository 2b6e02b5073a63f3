#pragma once

#include <optional>
#include <string>

#include "app/commands/setting_options.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// The options of ROPE about context extension, as given. They override what a config says and mean the same as the
/// knobs of that name.
struct ScalingOptions {
  std::optional<std::string> scaling, trained_length, length;
  GivenSettings parameters;  ///< and lists
};
void add_scaling_options(Arguments& arguments, ScalingOptions& options);
/// The same without --trained-length, for commands to which that means more.
void add_extension_options(Arguments& arguments, ScalingOptions& options);

bool changes_anything(const ScalingOptions& options);

/// Puts the options into a spec. A new method keeps the parameters that both methods have. Throws InputError that names
/// the option; the whole extension is to be checked once all else is known, too.
void override_scaling(const ScalingOptions& options, RotarySpec& spec);

/// --length: the current length; none if not given. Throws InputError.
std::optional<double> read_length(const ScalingOptions& options);

}  // namespace ropescope
