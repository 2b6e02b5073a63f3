#pragma once

#include <string>
#include <vector>

namespace ropescope {

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

}  // namespace ropescope
