#pragma once

#include <string>

namespace ropescope {

/// The checkout's folder. A function of a source of its own, as a macro of every test would spoil ccache for other
/// clones.
std::string source_folder();
/// The program that the tests start.
std::string program_file();
/// Where tests of the window keep what it writes.
std::string state_folder();
/// A file of this name for people to look at after the tests, in a folder that is made where it is missing.
std::string written_file(const std::string& name);

}  // namespace ropescope
