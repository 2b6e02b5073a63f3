#pragma once

#include <stdexcept>
#include <string>

namespace ropescope {

/// Bad input: a file, a field or an option that cannot be used. what() is one complete sentence for the user that names
/// the thing (file, field or option), what was found and what was expected, without a trailing newline.
/// The command line prints it and exits with 2; the window shows it as a dismissible message.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ropescope
