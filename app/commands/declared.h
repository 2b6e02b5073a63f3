#pragma once

#include <string>
#include <vector>

namespace ropescope {

/// An option or argument as a subcommand declares it, as plain data: what manual page and completions are made of.
struct DeclaredOption {
  std::vector<std::string> names;    ///< "-o", "--output"; empty: an argument without a name
  std::string placeholder;           ///< "FILE", "dark|light"; empty: takes no value
  std::string help;                  ///< in English
  std::vector<std::string> choices;  ///< values there are, where they are known beforehand
  bool takes_file = false;           ///< its value is, or may be, the name of a file
};

struct DeclaredCommand {
  std::string name, summary;
  std::vector<DeclaredOption> options;
  std::string footer;
};

/// All subcommands in the order of --help. Throws InputError where the assets are not found.
std::vector<DeclaredCommand> declared_commands();

/// The manual page (roff), and what bash, zsh and fish read to complete words.
std::string manual_page(const std::vector<DeclaredCommand>& commands, const std::string& version);
std::string bash_completion(const std::vector<DeclaredCommand>& commands);
std::string zsh_completion(const std::vector<DeclaredCommand>& commands);
std::string fish_completion(const std::vector<DeclaredCommand>& commands);

}  // namespace ropescope
