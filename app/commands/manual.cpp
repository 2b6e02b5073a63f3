// The commands `manual` and `help`: completions for three shells and the manual page, generated from the declared
// commands (declared_commands() in commands.h), and handbook chapters, as text or as a site.
//
// Contents: completions; Page; manual; help.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/lessons/handbook.h"
#include "app/resources/files.h"
#include "app/resources/formulas.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- completions ---------------------------------------------------------------------------------------------------

// Shell completions of a command line. They are generated: names, help and choices are those declared by the
// subcommands.

namespace {

std::string replace_each(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// Returns the first clause of an option's help, as a short description for a list of choices.
std::string short_help(const std::string& help) {
  return help.substr(0, std::min(help.find_first_of("\n;:("), help.size()));
}

/// Returns a text in shell single quotes.
std::string completions_quoted(const std::string& text) {
  return "'" + replace_each(text, "'", "'\\''") + "'";
}

/// Returns a text in fish quotes, in which \' is valid within '…'.
std::string fish_quoted(const std::string& text) {
  return "'" + replace_each(replace_each(text, "\\", "\\\\"), "'", "\\'") + "'";
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

bool argument_takes_model(const DeclaredCommand& command) {
  return std::any_of(command.options.begin(), command.options.end(),
                     [](const DeclaredOption& option) { return is_argument(option) && option.takes_model; });
}

/// Returns the models that the window opens: the choices of `config`.
std::vector<std::string> preset_names(const std::vector<DeclaredCommand>& commands) {
  const auto config = std::find_if(commands.begin(), commands.end(),
                                   [](const DeclaredCommand& command) { return command.name == "config"; });
  return config == commands.end() ? std::vector<std::string>() : argument_choices(*config);
}

/// The repositories in the Hugging Face cache, listed when a name is completed.
constexpr const char* kCached = "ropescope models --cached 2>/dev/null";

std::string bash_values(const DeclaredOption& option) {
  std::string line;
  if (!option.choices.empty())
    line += "COMPREPLY=($(compgen -W " + completions_quoted(joined(option.choices, " ")) + " -- \"$cur\")); ";
  if (option.takes_model) line += std::string("COMPREPLY+=($(compgen -W \"$(") + kCached + ")\" -- \"$cur\")); ";
  if (option.takes_file) line += "COMPREPLY+=($(compgen -f -- \"$cur\")); ";
  return line + "return";
}

std::string bash_case(const DeclaredCommand& command) {
  std::string text = "    " + command.name + ")\n      case $previous in\n";
  for (const DeclaredOption& option : command.options) {
    if (is_argument(option) || option.placeholder.empty()) continue;
    text += "        " + joined(option.names, "|") + ") " + bash_values(option) + " ;;\n";
  }
  return text + "      esac\n      options=" + completions_quoted(joined(all_names(command), " ")) +
         " arguments=" + completions_quoted(joined(argument_choices(command), " ")) +
         (argument_takes_model(command) ? std::string("; arguments+=\" $(") + kCached + ")\"" : "") + " ;;\n";
}

std::string zsh_values(const DeclaredOption& option) {
  const std::string label = replace_each(replace_each(option.placeholder, ":", "\\:"), "'", "'\\''");
  const std::string choices =
      joined(option.choices, " ") + (option.takes_model ? std::string(" $(") + kCached + ")" : "");
  if (!option.choices.empty() && option.takes_file) {
    return ":" + label + ":_alternative \"words:word:(" + choices + ")\" \"files:file:_files\"";
  }
  if (!option.choices.empty()) return ":" + label + ":(" + choices + ")";
  return ":" + label + ":" + (option.takes_file ? "_files" : " ");
}

std::string zsh_help(const DeclaredOption& option) {
  std::string help = short_help(option.help);
  for (const char* special : {"\\", "[", "]", ":"}) help = replace_each(help, special, std::string("\\") + special);
  return replace_each(help, "'", "'\\''");
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
  if (!option.choices.empty())
    line += " -a " +
            fish_quoted(joined(option.choices, " ") + (option.takes_model ? std::string(" (") + kCached + ")" : ""));
  return line + " -d " + fish_quoted(short_help(option.help)) + "\n";
}

std::string bash_completion(const std::vector<DeclaredCommand>& commands) {
  std::vector<std::string> names;
  std::string cases;
  for (const DeclaredCommand& command : commands) {
    names.push_back(command.name);
    cases += bash_case(command);
  }
  return "# bash completion for ropescope; generated by `ropescope manual --as bash`\n"
         "_ropescope() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} options= arguments=\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -le 1 ]; then\n"
         "    COMPREPLY=($(compgen -W " +
         completions_quoted(joined(names, " ") + " " + joined(preset_names(commands), " ") +
                            " --help --version --language") +
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
    list += "    " + completions_quoted(replace_each(command.name + ":" + command.summary, "\\", "\\\\")) + "\n";
    cases += zsh_case(command);
  }
  return "#compdef ropescope\n"
         "# generated by `ropescope manual --as zsh`\n"
         "local -a subcommands\n"
         "if (( CURRENT == 2 )); then\n"
         "  subcommands=(\n" +
         list +
         "  )\n"
         "  _describe subcommand subcommands\n"
         "  compadd " +
         joined(preset_names(commands), " ") +
         "\n"
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
  std::string text = "# fish completion for ropescope; generated by `ropescope manual --as fish`\n";
  text +=
      "complete -c ropescope -n __fish_use_subcommand -a " + fish_quoted(joined(preset_names(commands), " ")) + "\n";
  for (const DeclaredCommand& command : commands) {
    text += "complete -c ropescope -n __fish_use_subcommand -a " + command.name + " -d " +
            fish_quoted(command.summary) + "\n";
  }
  for (const DeclaredCommand& command : commands) {
    for (const DeclaredOption& option : command.options) text += fish_option(command.name, option);
  }
  return text;
}

// --- Page ----------------------------------------------------------------------------------------------------------

/// Returns text escaped for roff: no line of it is a request.
std::string roff(const std::string& text) {
  std::string made;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool begins = at == 0 || text[at - 1] == '\n';
    if (begins && (c == '.' || c == '\'')) made += "\\&";
    if (c == '\\') {
      made += "\\e";
    } else if (c == '-') {
      made += "\\-";
    } else {
      made += c;
    }
  }
  return made;
}

/// Returns "-o, --output F" with bold names.
std::string spell_option(const DeclaredOption& option) {
  std::string line;
  for (const std::string& name : option.names) line += (line.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.placeholder.empty()) line += (line.empty() ? "\\fI" : " \\fI") + roff(option.placeholder) + "\\fR";
  return line;
}

std::string trim_outer_lines(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

std::string section_of(const DeclaredCommand& command) {
  std::string text = ".SS \"ropescope " + roff(command.name) + "\"\n" + roff(command.summary) + ".\n";
  for (const DeclaredOption& option : command.options) {
    const std::string help = trim_outer_lines(option.help);
    text += ".TP\n" + spell_option(option) + "\n" + (help.empty() ? "\\&" : roff(help)) + "\n";
  }
  const std::string footer = trim_outer_lines(command.footer);
  if (!footer.empty()) text += ".PP\n.EX\n" + roff(footer) + "\n.EE\n";
  return text;
}

/// Returns "What `sweep` takes" with its code in bold.
std::string roff(const LessonParagraph& paragraph) {
  std::string text;
  for (const LessonWords& words : paragraph.words) {
    text += words.code || words.strong ? "\\fB" + roff(words.text) + "\\fR" : roff(words.text);
  }
  return text + "\n";
}

std::string roff_block(const LessonParagraph& paragraph) {
  switch (paragraph.kind) {
    case LessonParagraph::Kind::code:
      return ".PP\n.EX\n" + roff(text_of(paragraph)) + "\n.EE\n";
    case LessonParagraph::Kind::head:
      return {};
    case LessonParagraph::Kind::row: {
      std::string text;
      for (const LessonParagraph& cell : cells_of(paragraph)) text += (text.empty() ? ".TP\n" : "") + roff(cell);
      return text;
    }
    case LessonParagraph::Kind::words:
      break;
  }
  return (paragraph.item ? ".IP \\(bu 2\n" : ".PP\n") + roff(paragraph);
}

/// Returns the chapter about the command line; the text after its title continues the description.
std::string roff_chapter(const Lesson& chapter) {
  std::string text;
  for (const LessonStep& section : chapter.steps) {
    const bool first = &section == &chapter.steps.front();
    if (!first) text += ".SH \"" + roff(section.title) + "\"\n";
    // The first block only states the purpose of the chapter.
    for (std::size_t i = first ? 1 : 0; i < section.text.size(); ++i) text += roff_block(section.text[i]);
  }
  return text;
}

std::string roff_handbook(const std::filesystem::path& assets) {
  std::string text = ".SH HANDBOOK\n";
  for (const LessonEntry& entry : list_chapters(assets)) {
    const Lesson chapter = load_chapter(assets, entry.id, kEnglish);
    const std::string name = entry.id.substr(entry.id.find('-') + 1);
    text += ".TP\n\\fBropescope help " + roff(name) + "\\fR\n" + roff(chapter.title) + "\n";
  }
  return text;
}

constexpr const char* kBegin = R"(.SH NAME
ropescope \- a laboratory for rotary position embeddings
.SH SYNOPSIS
.B ropescope
[\fIFILE\fR]
.br
.B ropescope
\fISUBCOMMAND\fR [\fIOPTION\fR]...
.SH DESCRIPTION
Without a subcommand the window opens, on a model's config.json, .gguf or folder, on a saved experiment (.rope.json), on a
lecture (.rope.md), or on a figure that contains its experiment.
)";

constexpr const char* kOptions = R"(.SH OPTIONS
.TP
\fB\-\-language\fR \fICODE\fR
Language of the window (default: the saved setting, or the locale); with \fB\-\-help\fR, of the help.
.TP
\fB\-\-version\fR
Print the version.
.TP
\fB\-\-help\fR
Print the subcommands; after a subcommand, its options.
)";

constexpr const char* kEnd = R"(.SH EXIT STATUS
.TP
0
Success; for \fBcheck\fR and \fBcompare\fR: both agree.
.TP
1
\fBcheck\fR and \fBcompare\fR: they disagree.
.TP
2
Bad usage or input, with one line on standard error and nothing on standard output.
.SH ENVIRONMENT
.TP
ROPESCOPE_ASSETS
The folder of texts, lessons and presets, if it is not next to the program.
.TP
HF_HUB_CACHE, HF_HOME
The Hugging Face cache in which a model given as OWNER/NAME is searched. Nothing is downloaded.
.SH FILES
.TP
\fI$XDG_STATE_HOME/ropescope\fR, else \fI~/.local/state/ropescope\fR
The last experiment, settings and recently opened files. Nothing else is stored, and nothing is sent anywhere.
)";

/// The manual page (roff).
std::string manual_page(const std::vector<DeclaredCommand>& commands, const std::string& version) {
  const std::filesystem::path assets = find_places().assets;
  const std::string chapter = roff_chapter(load_chapter(assets, "handbook/12-command-line", kEnglish));
  const std::size_t sections = std::min(chapter.find(".SH"), chapter.size());
  std::string text = ".TH ROPESCOPE 1 \"\" \"ropescope " + roff(version) + "\" \"User Commands\"\n";
  text += kBegin + chapter.substr(0, sections) + kOptions + chapter.substr(sections) + ".SH SUBCOMMANDS\n";
  for (const DeclaredCommand& command : commands) text += section_of(command);
  return text + kEnd + roff_handbook(assets);
}

// --- help ----------------------------------------------------------------------------------------------------------

struct HelpValues {
  std::vector<std::string> chapters;
  std::optional<std::string> site, link;
  std::string language;
  OutputFile output;
};

Lesson load_plain_chapter(const std::string& id, const std::filesystem::path& assets, const Text& text) {
  Lesson chapter = load_chapter(assets, id, text.language());
  set_formulas(chapter, *Formulas::load(assets, false), false);
  return chapter;
}

std::string lines_of_chapters(const std::filesystem::path& assets, const Text& text) {
  std::string lines;
  for (const LessonEntry& entry : list_chapters(assets)) {
    const std::string name = entry.id.substr(kHandbook.size());
    lines += name + std::string(name.size() < 16 ? 18 - name.size() : 2, ' ') +
             load_plain_chapter(entry.id, assets, text).title + "\n";
  }
  return lines;
}

/// Returns the chapter that uses a command or a view most; empty if none does.
std::string find_chapter_about(const std::string& name, const std::filesystem::path& assets) {
  std::string best;
  std::size_t most = 0;
  for (const LessonEntry& entry : list_chapters(assets)) {
    // These two use every command.
    if (entry.id.ends_with("-glossary") || entry.id.ends_with("-gallery")) continue;
    const std::string content = read_file(assets / (entry.id + ".md"));
    std::size_t count = 0;
    for (const std::string& use : {"ropescope " + name, "./run " + name, "render " + name, "`" + name}) {
      for (std::size_t at = content.find(use); at != std::string::npos; at = content.find(use, at + use.size())) {
        const std::size_t end = at + use.size();
        if (end == content.size() || std::string_view(" `.\n").find(content[end]) != std::string_view::npos) ++count;
      }
    }
    // The chapter of the command line lists all commands, which another chapter may be about.
    if (entry.id.ends_with("-command-line")) count -= std::min<std::size_t>(count, 2);
    if (count > most) best = entry.id;
    most = std::max(most, count);
  }
  return best;
}

std::string require_chapter(const std::string& name, const std::filesystem::path& assets) {
  try {
    return find_chapter(assets, name);
  } catch (const InputError&) {
    if (!is_command(name) && !is_view(name)) throw;
    std::string about = find_chapter_about(is_command(name) ? name : current_key(name), assets);
    return about.empty() ? find_chapter(assets, "command-line") : about;
  }
}

/// Throws InputError if a folder has files that are not those of a site.
void require_site_folder(const std::filesystem::path& folder) {
  if (folder.empty() || folder == "-") reject("--site", folder.string(), Message("expected.folder"));
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return;
  const bool empty = std::filesystem::is_directory(folder, error) && std::filesystem::is_empty(folder, error);
  constexpr std::size_t kLooked = 4096;  // bytes: the mark is in the head of the page
  if (empty || is_site_index(read_beginning(folder / kSiteIndex, kLooked))) return;
  throw InputError("command.foreign_site", {{"folder", in_quotes(folder.string())}});
}

void write_handbook_site(const HelpValues& values) {
  if (!values.chapters.empty()) refuse_both("CHAPTER", "--site");
  if (values.output.is_given()) refuse_both("-o", "--site");
  if (!values.language.empty()) refuse_both("--language", "--site");
  const std::filesystem::path folder = *values.site;
  require_site_folder(folder);
  SiteOptions options;
  if (values.link) options.link = *values.link;
  Store store(Store::Mode::synchronous);
  ProgressLine line;
  options.progress = [&line](double share) { line.show(share, "writing the pages"); };
  make_site(find_places().assets, store, options, [&](const std::string& path, const std::string& content) {
    const std::filesystem::path file = folder / path;
    std::error_code ignored;  // writing into it reports the reason
    std::filesystem::create_directories(file.parent_path(), ignored);
    put_result(file.string(), content);
  });
}

void run_help(const HelpValues& values) {
  if (values.site) return write_handbook_site(values);
  if (values.link) throw InputError("command.link_of_site", {});
  const std::filesystem::path assets = find_places().assets;
  const Text text = load_text(values.language);
  std::string chapters = values.chapters.empty() ? lines_of_chapters(assets, text) : std::string();
  for (const std::string& name : values.chapters) {
    chapters += (chapters.empty() ? "" : "\n\n") +
                chapter_text(load_plain_chapter(require_chapter(name, assets), assets, text), text);
  }
  put_text(values.output, chapters);
}

}  // namespace

// --- manual --------------------------------------------------------------------------------------------------------

Action declare_manual(Arguments& arguments) {
  using Writer = std::string (*)(const std::vector<DeclaredCommand>&);
  struct Values {
    Writer as = [](const auto& commands) { return manual_page(commands, ROPESCOPE_VERSION); };
    OutputFile output;
  };
  const auto values = std::make_shared<Values>();
  const Writer man = values->as;
  arguments.option(
      "--as", "man|bash|zsh|fish",
      word_into(values->as,
                {{"man", man}, {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}}));
  arguments.option("-o,--output", "F", values->output);
  return [values] { put_result(values->output, values->as(declared_commands())); };
}

Action declare_help(Arguments& arguments) {
  const auto values = std::make_shared<HelpValues>();
  arguments.list("CHAPTER", values->chapters);
  add_language_option(arguments, values->language);
  arguments.option("--site", "DIR", values->site);
  arguments.option("--link", "ADDRESS", values->link);
  arguments.option("-o,--output", "F", values->output);
  return [values] { run_help(*values); };
}

}  // namespace ropescope
