#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/check_options.h"

namespace ropescope {

/// Takes from the file `given.dump`, if there is one, what the command line leaves open: its tensors by their roles (by
/// their names where it tells none), and what it says of the reference: config, layout and other options. What the
/// command line gives wins, and --layout, --model, --dim or --against-cos put all that the file says of the reference
/// away. `options`: where the options of `given` are kept. Throws InputError that names the file.
void take_dump(CheckArguments& given, const Arguments::Targets& options);

/// What the command line gave before a dump added to it. `options` point into maps of `given`, so that a copy of it
/// would not do.
class AsGiven {
 public:
  AsGiven(const CheckArguments& given, const Arguments::Targets& options);
  void put_back(CheckArguments& given, const Arguments::Targets& options) const;

 private:
  std::map<std::string, std::optional<std::string>> values_;
  std::vector<std::pair<std::string, std::string>> references_;
};

}  // namespace ropescope
