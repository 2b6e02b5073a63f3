#pragma once

#include <filesystem>
#include <string>

namespace ropescope {

/// The program's own lessons and texts in all languages, pieces of every file in turn, so that the last tenth is like
/// the rest: what small models learn where no text is given. Throws InputError where a file cannot be read, and
/// std::filesystem::filesystem_error where the folders cannot.
std::string own_text(const std::filesystem::path& assets);

}  // namespace ropescope
