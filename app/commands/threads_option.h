#pragma once

#include <optional>
#include <string>

#include "app/commands/arguments.h"

namespace ropescope {

/// "--threads N", for commands that share their work: the result is the same for any number.
void add_threads_option(Arguments& arguments, std::optional<std::string>& target);
/// 0, all cores, where it is not given. Throws InputError.
int read_threads(const std::optional<std::string>& option);

}  // namespace ropescope
