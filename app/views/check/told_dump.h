#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/experiment/experiment.h"
#include "core/formats/dump_notes.h"

namespace ropescope {

// Dumps that say themselves what they hold (assets/dump): for `ropescope check FILE` and for a file that is dropped.

struct ToldDump {
  DumpNotes notes;
  /// One of kDumpRoles, and "FILE:TENSOR": what the notes say, else what the names in the file tell.
  std::map<std::string, std::string, std::less<>> roles;

  bool says_anything() const { return notes.config || !notes.options.empty() || !notes.roles.empty(); }
};

/// Throws InputError that names the file: as read_dump_notes(), and as find_tensors() where the notes tell no role.
ToldDump read_told_dump(const std::string& path);

/// Positions are ids where a layout, which has ids of its own, is the reference.
void take_positions_as_ids(ToldDump& dump);

/// The tensors that have a box of their own: all but positions.
std::map<CheckRole, std::string> tensors_of(const ToldDump& dump);

/// Fills tensors and reference of the Check view with what the file says; what it does not say stays as it is, but for
/// tensors. False: it is no .safetensors or says nothing. Throws InputError: as above, and an option that the window
/// has no control for.
bool open_told_dump(Experiment& experiment, const std::string& path);

}  // namespace ropescope
