#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/arguments.h"
#include "app/commands/layout_options.h"
#include "app/commands/rope_options.h"
#include "app/resources/mapped_file.h"
#include "core/check/check.h"

namespace ropescope {

/// What `check` is given. Options that a rotary embedding and a layout both have (--config, --head-dim, --base,
/// --pairing, --max-frequency) stand in `rope`.
struct CheckArguments {
  std::optional<std::string> dump;  ///< a file that says itself what it holds (check_dump.h)
  std::string told;                 ///< which options of the reference it gives, for errors
  RopeOptions rope;
  LayoutOptions layout;
  std::optional<std::string> layout_name, part, rows, allow;
  std::optional<std::string> positions, ids, cosine, sine, table, frequencies, before, after, q_layout;
  std::optional<std::string> against_cosine, against_sine;
};
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

}  // namespace ropescope
