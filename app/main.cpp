// The program's entry point: it prepares the system, converts the command line to UTF-8 and passes it to
// run_command_line() (app/commands/commands.h), which runs a subcommand or opens the window.

#include <string>
#include <vector>

#include "app/commands/commands.h"
#include "app/resources/system.h"

int main(int argc, char** argv) {
  ropescope::os::prepare_program();
  std::vector<std::string> words = ropescope::os::command_words(argc, argv);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return ropescope::run_command_line(static_cast<int>(words.size()), pointers.data());
}
