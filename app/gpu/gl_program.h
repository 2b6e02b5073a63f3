#pragma once

#include <filesystem>

namespace ropescope {

/// Name of a program made of two shader files. Precondition: a GL 3.3 core context is current. Throws InputError: a
/// file is missing, or the driver cannot compile or link it (with the driver's own words).
unsigned build_program(const std::filesystem::path& vertex_file, const std::filesystem::path& fragment_file);

}  // namespace ropescope
