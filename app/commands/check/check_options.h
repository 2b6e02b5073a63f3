// Options of `check`: the tensors and their reference, from the command line or from a dump that describes itself. They
// become a CheckRequest for core/check; check.cpp runs it. Read core/check/check.h and layout.h first.
#pragma once

#include <cstdint>
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

/// Stages at which options are taken: texts at once, --rows, --q-layout and --allow before the reference is built, and
/// those of a layout or a rotary embedding once the reference is one. Options of both are in the last stage.
enum CheckStage { kTextStage, kRowStage, kLayoutStage, kRopeStage };

/// Arguments of `check`.
struct CheckArguments {
  Arguments::Options options;
  std::optional<std::string> dump;  ///< a file that describes its own content (check_dump.h)
  std::string reference_options;    ///< options that it sets for the reference, for use in errors
  RopeOptions rope;
  LayoutOptions layout;
  std::optional<std::string> layout_name, positions;
  std::string part = CheckInputs().part;
  std::optional<std::pair<std::int64_t, std::int64_t>> rows;  ///< first and end
  std::vector<std::string> allow;
  HeadOrder head_order = HeadOrder::automatic;
  bool strict = false;
  ByRole<std::optional<std::string>> tensors;
};
/// The tensors of the user's program that have an option, in the order in which they are listed, opened and watched.
inline constexpr CheckRole kTensorOptions[] = {CheckRole::ids,   CheckRole::cosine,      CheckRole::sine,
                                               CheckRole::table, CheckRole::frequencies, CheckRole::before,
                                               CheckRole::after};
void add_check_options(Arguments& arguments, CheckArguments& given);

/// The expected tables, the actual tensors, and the files that contain both.
struct CheckRequest {
  CheckReference reference;
  CheckInputs inputs;
  std::vector<std::shared_ptr<const MappedFile>> files;
  Message::List notes = {};  ///< from the config, for the report

  /// Throws InputError if a file was changed since it was opened, because results from it would be invalid.
  void check_unchanged() const;
};

/// Takes the options, opens the files and builds the reference. Throws InputError that names the option or the file.
CheckRequest check_request(CheckArguments& given);

// --- Dumps ---------------------------------------------------------------------------------------------------------

/// Adds the contents of the file `given.dump`, if there is one, to the command line: its tensors by their roles (or by
/// name if it declares none), config, layout and other options. The command line has precedence, and --layout, --model,
/// --dim or --against-cos discard the file's whole reference. Throws InputError that names the file.
void take_dump(CheckArguments& given);

}  // namespace ropescope
