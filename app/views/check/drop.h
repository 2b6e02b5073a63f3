// What a dropped file of tensors is for the view Check and for the command `check`: roles by names and shapes,
// positions, and dumps that say themselves what they hold. Read core/formats/dumps/dump.h before.
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

/// What follows "cumulative:", where positions are given by the cumulative lengths of packed sequences (cu_seqlens): of
/// 0, 5, 12 they are 0 … 4 and 0 … 6. The text itself otherwise.
std::string positions_source(const std::string& text);

/// Whether positions of a rope's tokens are those of a file, "FILE" or "FILE:TENSOR", not a list: "0:15" is no file
/// even if one is called so; "./0:15" is one.
bool names_positions_file(const std::string& text);

/// The positions of a list, of a file [tokens] or [tokens, 1], or of a file [sequences, tokens], one after the other;
/// or those that cumulative lengths give, which begin at 0 and never fall. Throws InputError that names the file and
/// `option`: as parse_list() and load_tensor(), and where a file holds anything but one finite number per token or
/// lengths are none.
std::vector<double> read_positions(const std::string& text, const std::string& option);

// --- Told dumps ----------------------------------------------------------------------------------------------------

// Dumps that say themselves what they hold (assets/dump): for `ropescope check FILE` and for a file that is dropped.

struct ToldDump {
  DumpNotes notes;
  /// One of kDumpRoles, and "FILE:TENSOR": what the notes say, else what the names in the file tell.
  std::map<std::string, std::string, std::less<>> roles;

  bool says_anything() const { return notes.config || !notes.options.empty() || !notes.roles.empty(); }
};

/// Reads what a dump says of itself. Throws InputError that names the file: as read_dump_notes(), and as find_tensors()
/// where the notes tell no role.
ToldDump read_told_dump(const std::string& path);

/// Takes the positions of a dump as ids, for where a layout, which has ids of its own, is the reference.
void take_positions_as_ids(ToldDump& dump);

// --- Dropping ------------------------------------------------------------------------------------------------------

/// What a tensor is, by its name: "cos", "rotary_emb.inv_freq", "img_ids", "q_before", "freqs_cis". None: the name says
/// nothing.
std::optional<CheckRole> role_of_name(std::string_view name);
/// What a tensor must be by its shape and numbers, whatever its name; none: it could be several things.
std::optional<CheckRole> role_of_shape(const StoredTensor& tensor);

/// Puts tensors into their boxes; what was picked and zoomed of earlier ones goes.
void take_tensors(const std::map<CheckRole, std::string>& found, CheckFields& fields);

/// Takes a file of tensors that was dropped: every role that the names in it tell. Of two dumps the first cos and sin
/// are one's own, further ones the other dump's. A dump that says itself what it holds (above) brings its
/// reference along. While the Check view is shown a config.json becomes the reference, too. False: another kind of
/// file. Throws InputError that says how to choose where nothing tells what a tensor is, and where two dumps are
/// compared and it is neither cos nor sin.
bool open_check(Experiment& experiment, const std::string& path);

}  // namespace ropescope
