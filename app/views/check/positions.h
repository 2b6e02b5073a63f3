#pragma once

#include <string>
#include <vector>

namespace ropescope {

/// Whether positions of a rope's tokens are those of a file, "FILE" or "FILE:TENSOR", not a list: "0:15" is no file
/// even if one is called so; "./0:15" is one.
bool names_positions_file(const std::string& text);

/// The positions of a list or of a file [tokens] or [tokens, 1]. Throws InputError that names the file and `option`:
/// as parse_list() and load_tensor(), and where a file holds anything but one finite number per token.
std::vector<double> read_positions(const std::string& text, const std::string& option);

}  // namespace ropescope
