// What shells read to complete the words of a command line. Nothing in it is written by hand: names, help and choices
// are those that the subcommands declare.
#include <algorithm>

#include "app/commands/declared.h"

namespace ropescope {

namespace {

std::string completions_joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : between) + word;
  return line;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// One line of help, as short as a list of choices wants it: its first clause.
std::string short_help(const std::string& help) {
  return help.substr(0, std::min(help.find_first_of("\n;:("), help.size()));
}

/// Within '…' of a shell.
std::string completions_quoted(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

/// Of fish, which knows \' within '…'.
std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

bool is_argument(const DeclaredOption& option) {
  return option.names.empty();
}

std::vector<std::string> all_names(const DeclaredCommand& command) {
  std::vector<std::string> names;
  for (const DeclaredOption& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> argument_choices(const DeclaredCommand& command) {
  std::vector<std::string> choices;
  for (const DeclaredOption& option : command.options) {
    if (is_argument(option)) choices.insert(choices.end(), option.choices.begin(), option.choices.end());
  }
  return choices;
}

std::string bash_values(const DeclaredOption& option) {
  std::string line;
  if (!option.choices.empty())
    line += "COMPREPLY=($(compgen -W " + completions_quoted(completions_joined(option.choices)) + " -- \"$cur\")); ";
  if (option.takes_file) line += "COMPREPLY+=($(compgen -f -- \"$cur\")); ";
  return line + "return";
}

std::string bash_case(const DeclaredCommand& command) {
  std::string text = "    " + command.name + ")\n      case $previous in\n";
  for (const DeclaredOption& option : command.options) {
    if (is_argument(option) || option.placeholder.empty()) continue;
    text += "        " + completions_joined(option.names, "|") + ") " + bash_values(option) + " ;;\n";
  }
  return text + "      esac\n      options=" + completions_quoted(completions_joined(all_names(command))) +
         " arguments=" + completions_quoted(completions_joined(argument_choices(command))) + " ;;\n";
}

std::string zsh_values(const DeclaredOption& option) {
  const std::string label = replaced(replaced(option.placeholder, ":", "\\:"), "'", "'\\''");
  if (!option.choices.empty() && option.takes_file) {
    return ":" + label + ":_alternative \"words:word:(" + completions_joined(option.choices) +
           ")\" \"files:file:_files\"";
  }
  if (!option.choices.empty()) return ":" + label + ":(" + completions_joined(option.choices) + ")";
  return ":" + label + ":" + (option.takes_file ? "_files" : " ");
}

std::string zsh_help(const DeclaredOption& option) {
  std::string help = short_help(option.help);
  for (const char* special : {"\\", "[", "]", ":"}) help = replaced(help, special, std::string("\\") + special);
  return replaced(help, "'", "'\\''");
}

std::string zsh_case(const DeclaredCommand& command) {
  std::string text = "    " + command.name + ")\n      _arguments";
  for (const DeclaredOption& option : command.options) {
    if (is_argument(option)) {
      text += " \\\n        '*" + zsh_values(option) + "'";
      continue;
    }
    for (const std::string& name : option.names) {
      text += " \\\n        '*" + name + "[" + zsh_help(option) + "]" +
              (option.placeholder.empty() ? "" : zsh_values(option)) + "'";
    }
  }
  return text + " ;;\n";
}

std::string fish_option(const std::string& command, const DeclaredOption& option) {
  std::string line = "complete -c ropescope -n '__fish_seen_subcommand_from " + command + "'";
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  if (!is_argument(option) && !option.placeholder.empty()) line += " -r";
  line += option.takes_file ? " -F" : " -f";
  if (!option.choices.empty()) line += " -a " + fish_quoted(completions_joined(option.choices));
  return line + " -d " + fish_quoted(short_help(option.help)) + "\n";
}

}  // namespace

std::string bash_completion(const std::vector<DeclaredCommand>& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const DeclaredCommand& command : commands) {
    names.push_back(command.name);
    cases += bash_case(command);
  }
  return "# bash completion of ropescope; made by `ropescope manual --as bash`\n"
         "_ropescope() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} options= arguments=\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -le 1 ]; then\n"
         "    COMPREPLY=($(compgen -W " +
         completions_quoted(completions_joined(names) + " --help --version --language") +
         " -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "    *) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n"
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$arguments\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _ropescope ropescope\n";
}

std::string zsh_completion(const std::vector<DeclaredCommand>& commands) {
  std::string list, cases;
  for (const DeclaredCommand& command : commands) {
    list += "    " + completions_quoted(replaced(command.name + ":" + command.summary, "\\", "\\\\")) + "\n";
    cases += zsh_case(command);
  }
  return "#compdef ropescope\n"
         "# made by `ropescope manual --as zsh`\n"
         "local -a subcommands\n"
         "if (( CURRENT == 2 )); then\n"
         "  subcommands=(\n" +
         list +
         "  )\n"
         "  _describe subcommand subcommands\n"
         "  _files\n"
         "else\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $words[1] in\n" +
         cases +
         "    *) _files ;;\n"
         "  esac\n"
         "fi\n";
}

std::string fish_completion(const std::vector<DeclaredCommand>& commands) {
  std::string text = "# fish completion of ropescope; made by `ropescope manual --as fish`\n";
  for (const DeclaredCommand& command : commands) {
    text += "complete -c ropescope -n __fish_use_subcommand -a " + command.name + " -d " +
            fish_quoted(command.summary) + "\n";
  }
  for (const DeclaredCommand& command : commands) {
    for (const DeclaredOption& option : command.options) text += fish_option(command.name, option);
  }
  return text;
}

}  // namespace ropescope
