// The options of `check`: which tensors are checked and against what, as options or as a dump of its own says it. They
// become a CheckRequest for core/check; check.cpp runs it. Read core/check/check.h and layout.h here before.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/layout.h"
#include "app/commands/rope_options.h"
#include "app/resources/files.h"
#include "core/check/check.h"

namespace ropescope {

// --- Options -------------------------------------------------------------------------------------------------------

/// What `check` is given. Options that a rotary embedding and a layout both have (--config, --head-dim, --base,
/// --pairing, --max-frequency) stand in `rope`.
struct CheckArguments {
  std::optional<std::string> dump;  ///< a file that says itself what it holds (check_dump.h)
  std::string told;                 ///< which options of the reference it gives, for errors
  RopeOptions rope;
  LayoutOptions layout;
  std::optional<std::string> layout_name, part, rows, allow, head;
  bool strict = false;
  std::optional<std::string> positions, q_layout;
  ByRole<std::optional<std::string>> tensors;
};
/// An option that names a tensor of somebody's program.
struct TensorOption {
  CheckRole role;
  const char* help;
};
/// In the order in which they are listed, opened and watched.
inline constexpr TensorOption kTensorOptions[] = {{CheckRole::ids, "Position ids [tokens] or [tokens, axes]"},
                                                  {CheckRole::cosine, "Cosines [tokens, pairs] or [tokens, channels]"},
                                                  {CheckRole::sine, "Sines of the same shape"},
                                                  {CheckRole::table, "Complex, 2x2, cos and sin in one, or angles"},
                                                  {CheckRole::frequencies, "Inverse frequencies [pairs]"},
                                                  {CheckRole::before, "q or k before the rotation"},
                                                  {CheckRole::after, "The same after it"}};
void add_check_options(Arguments& arguments, CheckArguments& given);

/// What is expected, what is there, and the files that both lie in.
struct CheckRequest {
  CheckReference reference;
  CheckInputs inputs;
  std::vector<std::shared_ptr<const MappedFile>> files;
  Words::List notes = {};  ///< of the config, for the report

  /// Throws InputError where a file was changed since it was opened: nothing found in it counts.
  void check_unchanged() const;
};

/// Opens the files and arranges the reference. Throws InputError that names the option or the file.
CheckRequest check_request(const CheckArguments& given);

// --- Dumps ---------------------------------------------------------------------------------------------------------

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
  bool fit_;
};

}  // namespace ropescope
