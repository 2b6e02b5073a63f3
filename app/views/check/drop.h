#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "app/experiment/experiment.h"
#include "core/check/reading/stored_tensor.h"

namespace ropescope {

/// What a tensor is, by its name: "cos", "rotary_emb.inv_freq", "img_ids", "q_before", "freqs_cis". None: the name says
/// nothing.
std::optional<CheckRole> role_of_name(std::string_view name);
/// What it must be by its shape and numbers, whatever its name; none: it could be several things.
std::optional<CheckRole> role_of_shape(const StoredTensor& tensor);

/// What the names of its tensors, that of the file and shapes tell: "FILE" or "FILE:TENSOR" for each role. Throws
/// InputError where nothing tells.
std::map<CheckRole, std::string> find_tensors(const std::string& path);

/// Puts them into their boxes, and what was picked and zoomed of others goes.
void take_tensors(const std::map<CheckRole, std::string>& found, CheckKnobs& knobs);

/// Takes a file of tensors that was dropped: every role that the names in it tell. Of two dumps the first cos and sin
/// are one's own, further ones the other dump's. A dump that says itself what it holds (told_dump.h) brings its
/// reference along. While the Check view is shown a config.json becomes the reference, too. False: another kind of
/// file. Throws InputError that says how to choose where nothing tells what a tensor is, and where two dumps are
/// compared and it is neither cos nor sin.
bool open_check(Experiment& experiment, const std::string& path);

}  // namespace ropescope
