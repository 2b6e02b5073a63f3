#include <algorithm>

#include "app/commands/declared.h"

namespace ropescope {

namespace {

/// Text as roff takes it: no line of it is a request.
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

/// "-o, --output F" with bold names.
std::string spelled(const DeclaredOption& option) {
  std::string line;
  for (const std::string& name : option.names) line += (line.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.placeholder.empty()) line += (line.empty() ? "\\fI" : " \\fI") + roff(option.placeholder) + "\\fR";
  return line;
}

std::string without_outer_lines(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

std::string section_of(const DeclaredCommand& command) {
  std::string text = ".SS \"ropescope " + roff(command.name) + "\"\n" + roff(command.summary) + ".\n";
  for (const DeclaredOption& option : command.options) {
    const std::string help = without_outer_lines(option.help);
    text += ".TP\n" + spelled(option) + "\n" + (help.empty() ? "\\&" : roff(help)) + "\n";
  }
  const std::string footer = without_outer_lines(command.footer);
  if (!footer.empty()) text += ".PP\n.EX\n" + roff(footer) + "\n.EE\n";
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
lecture (.rope.md), or on a figure that carries its experiment. Every subcommand works without a display.
.SH OPTIONS
.TP
\fB\-\-language\fR \fICODE\fR
Language of the window (default: kept, else the locale's).
.TP
\fB\-\-version\fR
Print the version.
.TP
\fB\-\-help\fR
Print what there is; after a subcommand, its options.
.SH SUBCOMMANDS
)";

constexpr const char* kEnd = R"(.SH EXIT STATUS
.TP
0
Success; of \fBcheck\fR and \fBcompare\fR: both agree.
.TP
1
\fBcheck\fR and \fBcompare\fR: they disagree.
.TP
2
Bad usage or input, with one line on standard error and nothing on standard output.
.SH ENVIRONMENT
.TP
ROPESCOPE_ASSETS
The folder of texts, lessons and presets, where it is not beside the program.
.SH FILES
.TP
\fI$XDG_STATE_HOME/ropescope\fR, else \fI~/.local/state/ropescope\fR
The last experiment, settings and recently opened files. Nothing else is kept, and nothing is sent anywhere.
)";

}  // namespace

std::string manual_page(const std::vector<DeclaredCommand>& commands, const std::string& version) {
  std::string text = ".TH ROPESCOPE 1 \"\" \"ropescope " + roff(version) + "\" \"User Commands\"\n";
  text += kBegin;
  for (const DeclaredCommand& command : commands) text += section_of(command);
  return text + kEnd;
}

}  // namespace ropescope
