// Interpretation of tensor files for the view Check and the command `check`: roles by names and shapes, positions, and
// self-describing dumps. Read core/formats/dumps/dump.h first.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "core/check/reading/stored_tensor.h"
#include "core/formats/dumps/dump.h"

namespace ropescope {

// --- Positions -----------------------------------------------------------------------------------------------------

/// Returns the text after "cumulative:" if positions are set by cumulative lengths of packed sequences (cu_seqlens): 0,
/// 5, 12 means 0 … 4 and 0 … 6. Otherwise returns the text itself.
std::string positions_source(const std::string& text);

/// Returns whether a rope's token positions are from a file, "FILE" or "FILE:TENSOR", and not a list. "0:15" is never a
/// file, even if one has this name; "./0:15" is.
bool names_positions_file(const std::string& text);

/// Reads positions from a list, from a file [tokens] or [tokens, 1], or from a file [sequences, tokens], concatenated;
/// or derives them from cumulative lengths, which start at 0 and never decrease. Throws InputError that names the file
/// and `option`: as parse_list() and load_tensor(), if a file does not contain one finite number per token, or if
/// lengths are invalid.
std::vector<double> read_positions(const std::string& text, const std::string& option);

// --- Self-describing dumps -----------------------------------------------------------------------------------------

// Self-describing dumps (assets/dump), for `ropescope check FILE` and for dropped files.

struct SelfDescribingDump {
  DumpNotes notes;
  /// Maps each of kDumpRoles to "FILE:TENSOR": from the notes, otherwise from the names in the file.
  std::map<std::string, std::string, std::less<>> roles;

  bool describes_anything() const { return notes.config || !notes.options.empty() || !notes.roles.empty(); }
};

/// Reads a dump's own description. Throws InputError that names the file: as read_dump_notes(), and as find_tensors()
/// if the notes name no role.
SelfDescribingDump read_self_describing_dump(const std::string& path);

/// Uses a dump's positions as ids, for when the reference is a layout, which has its own ids.
void take_positions_as_ids(SelfDescribingDump& dump);

// --- Dropping ------------------------------------------------------------------------------------------------------

/// Infers the role of a tensor from its name: "cos", "rotary_emb.inv_freq", "img_ids", "q_before", "freqs_cis". Returns
/// nullopt if the name is not known.
std::optional<CheckRole> find_role_by_name(std::string_view name);
/// Infers the role of a tensor from its shape and values, whatever its name; nullopt if it is ambiguous.
std::optional<CheckRole> find_role_by_shape(const StoredTensor& tensor);

/// Assigns tensors to their fields and clears the selections and zooms of earlier ones.
void take_tensors(const std::map<CheckRole, std::string>& found, CheckFields& fields);

/// Opens a dropped file of tensors and assigns every role that its names imply. Of two dumps the first cos and sin are
/// the user's, the next the other dump's. A self-describing dump (above) sets its reference too. While the Check view
/// is shown, a config.json becomes the reference. Returns false for other kinds of files. Throws InputError that
/// explains how to choose if a tensor's role is unclear, or if two dumps are compared and it is neither cos nor sin.
bool open_check(Experiment& experiment, const std::string& path);

}  // namespace ropescope
