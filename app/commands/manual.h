// The manual page and the completions of shells, both made of what the commands declare (declared_commands() in
// commands.h).
#pragma once

#include <string>
#include <vector>

#include "app/commands/commands.h"

namespace ropescope {

/// The manual page (roff), and what bash, zsh and fish read to complete words.
std::string manual_page(const std::vector<DeclaredCommand>& commands, const std::string& version);
std::string bash_completion(const std::vector<DeclaredCommand>& commands);
std::string zsh_completion(const std::vector<DeclaredCommand>& commands);
std::string fish_completion(const std::vector<DeclaredCommand>& commands);

}  // namespace ropescope
