#pragma once

#include <filesystem>
#include <string>

namespace ropescope {

/// Whether a file is of the kind that saving as `format` ("svg", "pdf", "png", "csv" or "json") makes, by its name's
/// end and its first bytes, so that nobody's table is replaced by a picture: for "json" an experiment, for "csv" text
/// with a comma in its first line. False also where it cannot be read.
bool is_saved_as(const std::filesystem::path& path, const std::string& format);

}  // namespace ropescope
