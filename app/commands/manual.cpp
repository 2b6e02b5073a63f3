#include <memory>

#include "app/commands/commands.h"
#include "app/commands/declared.h"

namespace ropescope {

Action declare_manual(Arguments& arguments) {
  struct Values {
    std::optional<std::string> as, output;
  };
  const auto values = std::make_shared<Values>();
  arguments.option("--as", "man|bash|zsh|fish", values->as,
                   "man: the manual page in roff (default); else the completions of that shell");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] {
    const std::string as = values->as.value_or("man");
    const std::vector<DeclaredCommand> commands = declared_commands();
    if (as == "man") return put_result(values->output, manual_page(commands, ROPESCOPE_VERSION));
    if (as == "bash") return put_result(values->output, bash_completion(commands));
    if (as == "zsh") return put_result(values->output, zsh_completion(commands));
    if (as == "fish") return put_result(values->output, fish_completion(commands));
    reject("--as", as, "man, bash, zsh or fish");
  };
}

}  // namespace ropescope
