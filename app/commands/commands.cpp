// The command line, parsed with CLI11: the list of subcommands, their declared arguments, --help and errors.
//
// Contents: Arguments; Declarations; All commands; Reading a line.

#include "app/commands/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <span>

#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/experiment/figure_file.h"
#include "app/figure/text_flow.h"
#include "app/lessons/handbook.h"
#include "app/lessons/lesson.h"
#include "app/platform/desktop.h"
#include "app/platform/window.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/views/view.h"
#include "core/encodings/encoding.h"
#include "core/formats/json.h"
#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/utf8.h"

namespace ropescope {

// --- Arguments -----------------------------------------------------------------------------------------------------

namespace {

/// Returns the help of an option: its own text, or the one that commands share.
std::string help_text(const Message& help, const Text& text) {
  return text.render(text.has(help.key) ? help : Message("help.shared" + help.key.substr(help.key.rfind('.'))));
}

/// Returns a text broken into lines of at most `columns` columns.
std::string wrapped(const std::string& text, std::size_t columns) {
  const auto fitting = [columns](std::string_view part) {
    std::size_t end = 0;
    for (std::size_t next = 1; next <= part.size(); ++next) {
      const bool within = next < part.size() && (static_cast<unsigned char>(part[next]) & 0xC0) == 0x80;
      if (within) continue;
      if (screen_width(part.substr(0, next)) > columns) break;
      end = next;
    }
    return end;
  };
  return joined(text_lines(text, fitting), "\n");
}

/// Aligns the help of options by columns on screen, whereas CLI11 counts bytes.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::size_t column = get_column_width();
    const std::string indent = "\n" + std::string(column, ' ');
    std::string line = "  " + make_option_name(option, is_positional) + make_option_opts(option);
    const std::size_t width = screen_width(line);
    line += width < column ? std::string(column - width, ' ') : indent;
    for (const char c : make_option_desc(option)) line += c == '\n' ? indent : std::string(1, c);
    return line + "\n";
  }
};

/// Returns the topics of a command's options with the number of their options, as lines.
std::string topic_lines(const HelpTexts& help, const std::string& command, const Text& text) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [option, topic] : help.topics) ++counts[topic];
  std::string lines;
  for (const auto& [topic, count] : counts) {
    std::string call = "ropescope ";
    call.append(command).append(" --help ").append(topic);
    lines += wrapped(
        text.format("help.topic",
                    {{"topic", text["help.topics." + topic]}, {"count", std::to_string(count)}, {"command", call}}),
        kTerminalColumns);
    lines += '\n';
  }
  return lines;
}

std::string footer_text(const HelpTexts& help, const Text& text, std::string_view topic) {
  const std::string footer = help.footer.empty() ? "" : wrapped(text.render(help.footer), kTerminalColumns);
  return footer + (help.list ? "\n" + help.list(text, topic) : "");
}

/// Returns the word that follows --help: any argument of the command that is a topic of its options, a view or "all".
std::string help_topic(const CLI::App& command, const HelpTexts& help) {
  std::vector<std::string> words = command.remaining();
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> results = option->results();
    if (option->get_positional() || option->check_lname("view"))
      words.insert(words.end(), results.begin(), results.end());
  }
  const auto is_topic = [&help](const std::string& word) {
    const auto is_word = [&word](const auto& each) { return each.second == word; };
    return word == kAllTopics || std::any_of(help.topics.begin(), help.topics.end(), is_word) ||
           (help.list && is_view(word));
  };
  const auto found = std::find_if(words.begin(), words.end(), is_topic);
  return found == words.end() ? std::string() : current_key(*found);
}

// --- Declarations --------------------------------------------------------------------------------------------------

/// Returns the words of a list such as "dark|light"; empty if it is not one. Values in capitals are placeholders.
std::vector<std::string> alternatives(const std::string& placeholder) {
  if (placeholder.find('|') == std::string::npos) return {};
  std::vector<std::string> words;
  for (std::size_t begin = 0, end; begin <= placeholder.size(); begin = end + 1) {
    end = std::min(placeholder.find('|', begin), placeholder.size());
    const std::string word = placeholder.substr(begin, end - begin);
    if (std::all_of(word.begin(), word.end(),
                    [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); })) {
      words.push_back(word);
    }
  }
  return words;
}

std::vector<std::string> layout_choices() {
  return entry_names(all_layouts());
}
std::vector<std::string> encoding_choices() {
  return entry_names(all_encodings());
}
std::vector<std::string> view_choices() {
  return names_by(all_views(), &View::id);
}
std::vector<std::string> example_choices() {
  return names_by(load_examples(find_places().assets), &CheckExample::name);
}
std::vector<std::string> model_choices() {
  return names_by(load_presets(find_places().assets), &Preset::id);
}
std::vector<std::string> lesson_choices() {
  return names_by(list_lessons(find_places().assets), &LessonEntry::id);
}
std::vector<std::string> chapter_choices() {
  return names_by(list_chapters(find_places().assets),
                  [](const LessonEntry& entry) { return entry.id.substr(kHandbook.size()); });
}

/// The choices of an option, or of an argument by its name in capitals.
struct KnownChoices {
  std::string_view command, option, placeholder;  ///< empty: any
  std::vector<std::string> (*names)();
  bool are_models = false;  ///< also the name of any other model is accepted (resolve_model)
};
constexpr KnownChoices kKnownChoices[] = {
    {{}, {}, "CODE", known_languages},           {{}, {}, "VIEW", view_choices},
    {{}, "--layout", {}, layout_choices},        {"layout", "NAME", {}, layout_choices},
    {"similarity", "NAME", {}, layout_choices},  {{}, "--example", {}, example_choices},
    {{}, "--encoding", {}, encoding_choices},    {{}, "NAME", {}, encoding_choices},
    {"config", "FILE", {}, model_choices, true}, {"compare", "A", {}, model_choices, true},
    {"compare", "B", {}, model_choices, true},   {{}, {}, "PRESET", model_choices, true},
    {{}, "--config", {}, model_choices, true},   {{}, "--against-config", {}, model_choices, true},
    {{}, {}, "LESSON", lesson_choices},          {{}, "--lesson", {}, lesson_choices},
    {{}, {}, "CHAPTER", chapter_choices},
};

/// Returns the first row that fits; null if the choices are not known or are those of the placeholder.
const KnownChoices* find_choices(std::string_view command, std::string_view option, std::string_view placeholder) {
  const auto fits = [](std::string_view row, std::string_view found) { return row.empty() || row == found; };
  const auto* row = std::find_if(std::begin(kKnownChoices), std::end(kKnownChoices), [&](const KnownChoices& each) {
    return fits(each.command, command) && fits(each.option, option) && fits(each.placeholder, placeholder);
  });
  return row == std::end(kKnownChoices) ? nullptr : row;
}

/// A may be a preset or a model, VIEW a view or a figure.
constexpr std::string_view kFilePlaceholders[] = {"F", "FILE", "QK", "LESSON", "A", "VIEW"};

bool names_file(const std::string& placeholder) {
  const auto* known = std::find(std::begin(kFilePlaceholders), std::end(kFilePlaceholders), placeholder);
  if (known != std::end(kFilePlaceholders)) return true;
  return placeholder.find('.') != std::string::npos && placeholder.find("..") == std::string::npos;
}

DeclaredOption declared(const std::string& command, const CLI::Option& option, const std::string& help) {
  DeclaredOption made;
  for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
  const bool is_flag = option.get_items_expected_max() == 0;
  made.placeholder = is_flag ? "" : made.names.empty() ? option.get_name() : option.get_type_name();
  made.help = help;
  const std::string name = made.names.empty() ? option.get_name() : made.names.back();
  const KnownChoices* choices = find_choices(command, name, made.placeholder);
  made.choices = choices ? choices->names() : alternatives(made.placeholder);
  made.takes_model = !is_flag && choices && choices->are_models;
  const std::string kind = made.placeholder.substr(0, made.placeholder.find_first_of("[|"));
  const bool pair = command == "compare" && made.names.empty();
  made.takes_file = !is_flag && (pair || names_file(kind) || names_file(made.placeholder));
  return made;
}

// --- Reading a line ------------------------------------------------------------------------------------------------

constexpr int kBadInput = 2;

/// Returns a message as one line: control characters, which file names may contain, become spaces, and bytes that are
/// not UTF-8 become \\xFF.
std::string one_line(std::string text) {
  for (auto at = find_not_utf8(text); at; at = find_not_utf8(text)) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const unsigned byte = static_cast<unsigned char>(text[*at]);
    text.replace(*at, 1, {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return text;
}

using CommandWords = std::span<char* const>;

/// Reports an error; returns 2. Long command-line `arguments` are shortened in the message.
int report_error(const std::string& message, CommandWords arguments) {
  std::cerr << "ropescope: " + without_separators(one_line(shorten_echoed_arguments(message, arguments))) + "\n"
            << std::flush;
  return kBadInput;
}

/// Options under the names that other programs give them.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"--theta", "--base"},       {"--rope-theta", "--base"},        {"--head-dim", "--dim"},    {"--ctx", "--context"},
    {"--ctx-size", "--context"}, {"--context-length", "--context"}, {"--max-len", "--context"}, {"--preset", "--model"},
    {"--checkpoint", "--model"}, {"--position", "--positions"}};

/// Returns what an argument that a command does not take was probably meant to be; empty if nothing is near.
std::string near_argument(const CLI::App& command, const std::string& argument) {
  const auto has = [&](std::string_view name) { return command.get_option_no_throw(std::string(name)) != nullptr; };
  if (!argument.starts_with("--")) {
    return has("--model") && resolve_model(to_path(argument)).exists ? "--model " + argument : std::string();
  }
  std::string given = argument.substr(0, argument.find('='));
  std::replace(given.begin(), given.end(), '_', '-');
  for (const auto& [other, name] : kOtherNames) {
    if (given == other && has(name)) return std::string(name);
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& each : option->get_lnames()) known.push_back("--" + each);
  }
  constexpr std::size_t kSameLetters = 4;  // with the dashes
  const std::vector<std::string> near = nearest_words(given, known, 1);
  return !near.empty() && near.front().starts_with(given.substr(0, kSameLetters)) ? near.front() : std::string();
}

/// Throws InputError: the output of this command is available in English only.
[[noreturn]] void reject_language(const CLI::App& app, const std::string& command) {
  std::vector<std::string> takers;
  for (const CLI::App* each : app.get_subcommands({})) {
    if (each->get_option_no_throw("--language")) takers.push_back(each->get_name());
  }
  throw InputError("command.speaks_english", {{"command", command}, {"expected", one_of(takers)}});
}

/// Returns CLI11's error in a message that names the option.
std::string rephrase_parse_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<const CLI::App*> chosen = [&] {
    const auto subcommands = app.get_subcommands();
    return std::vector<const CLI::App*>(subcommands.begin(), subcommands.end());
  }();
  const std::string name = chosen.empty() ? "ropescope" : "ropescope " + chosen.front()->get_name();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::vector<std::string> extras = command.remaining();
  const auto is = [&error](CLI::ExitCodes code) { return error.get_exit_code() == static_cast<int>(code); };
  // A wrong option also leaves the right one missing.
  if ((is(CLI::ExitCodes::ExtrasError) || is(CLI::ExitCodes::RequiredError)) && !extras.empty()) {
    const std::string& extra = extras.front();
    if (extra.substr(0, extra.find('=')) == "--language" && !chosen.empty()) reject_language(app, command.get_name());
    const std::string near = near_argument(command, extra);
    if (near.empty() && is(CLI::ExitCodes::ExtrasError)) {
      return to_english({"error.command.extra_argument", {{"argument", extras.front()}, {"command", name}}});
    }
    if (!near.empty()) {
      return to_english(
          {"error.command.extra_argument_like", {{"argument", extras.front()}, {"command", name}, {"near", near}}});
    }
  }
  return to_english({"error.command.usage", {{"what", error.what()}, {"command", name}}});
}

/// Checks the WORD of `ropescope WORD`, which is not a subcommand: it must name a file, a link or a preset. Throws
/// InputError if it names none of these, because a mistyped subcommand would otherwise be reported as a wrong option.
void check_file_argument(const std::string& word) {
  if (is_folder(word)) find_model_files(word);  // throws if it is not a model's folder
  if (is_link(word) || resolve_model(to_path(word)).exists) return;
  const std::string ending = std::filesystem::path(word).extension().string();
  if (ending == ".json" || ending == ".gguf") throw InputError(word, "file.missing", {});
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.emplace_back(command.name);
  std::vector<std::string> known_words = names;
  for (const Preset& preset : load_presets(find_places().assets)) known_words.push_back(preset.id);
  const std::vector<std::string> near = nearest_words(word, known_words);
  throw InputError("command.no_subcommand", {{"word", word}, {"expected", one_of(near.empty() ? names : near)}});
}

int open_or_name_commands(const WindowOptions& options) {
  try {
    return open_window(options);
  } catch (const NoDisplay& error) {
    std::vector<std::string> names;
    for (const Command& command : all_commands()) names.emplace_back(command.name);
    throw InputError("command.no_display", {{"why", error.words()}, {"names", joined(names)}});
  }
}

/// Passes the language in `ropescope --language ko render …` on to the subcommand. Throws InputError if the output of
/// the subcommand is available in English only.
void pass_on_language(const CLI::App& app, const std::optional<std::string>& language) {
  const auto chosen = app.get_subcommands();
  if (!language || chosen.empty()) return;
  if (CLI::Option* own = chosen.front()->get_option_no_throw("--language")) {
    if (own->count() > 0) return;  // the subcommand's own option has precedence
    own->add_result(*language);
    own->run_callback();
    return;
  }
  reject_language(app, chosen.front()->get_name());
}

/// Returns whether the option names a file that the command writes.
bool is_output(const CLI::Option& option) {
  return option.check_lname("output") || option.check_lname("junit");
}

/// Returns the files that an option's value may name: the value itself, or the part before a tensor's name, with or
/// without a prefix that says how to read it ("cumulative:FILE:TENSOR").
std::vector<std::string> files_in(const std::string& value) {
  const auto before_tensor = [](const std::string& text) { return read_tensor_argument(text + ":tensor").path; };
  std::vector<std::string> files{before_tensor(value)};
  const std::size_t colon = value.find(':');
  if (colon != std::string::npos) files.push_back(before_tensor(value.substr(colon + 1)));
  return files;
}

/// Returns whether the option names a file that the command reads, inferred from the option's placeholder in the help
/// ("FILE[:TENSOR]").
bool reads_file(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return false;
  const std::string placeholder =
      option.get_lnames().empty() && option.get_snames().empty() ? option.get_name() : option.get_type_name();
  for (std::size_t begin = 0, end; begin <= placeholder.size(); begin = end + 1) {
    end = std::min(placeholder.find_first_of("[|", begin), placeholder.size());
    if (names_file(placeholder.substr(begin, end - begin))) return true;
  }
  return names_file(placeholder);
}

/// Throws InputError if an option names an existing file to write that another option reads or writes. Called before
/// anything is read, because errors in the file would otherwise be reported first. ProtectedInputs protects files that
/// no option names.
void require_own_outputs(const CLI::App& command) {
  std::error_code ignored;
  for (const CLI::Option* output : command.get_options()) {
    if (!is_output(*output) || output->count() == 0) continue;
    const std::string written = output->results().back();
    if (written == "-" || !std::filesystem::exists(written, ignored)) continue;
    for (const CLI::Option* input : command.get_options()) {
      if (input == output || input->count() == 0 || (!is_output(*input) && !reads_file(*input))) continue;
      for (const std::string& value : input->results()) {
        for (const std::string& file : files_in(value)) {
          if (!std::filesystem::exists(file, ignored) || !is_same_file(file, written)) continue;
          throw InputError("command.same_file",
                           {{"one", output->get_name()}, {"other", input->get_name()}, {"file", in_quotes(written)}});
        }
      }
    }
  }
}

/// Returns the language of the help: --language before or after the subcommand, even if its output is in English only.
/// The default is English, whatever the locale, so that pages and scripts are stable.
std::string help_language(CommandWords arguments, const std::filesystem::path& assets) {
  constexpr std::string_view kName = "--language";
  std::string language = kEnglish;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument(arguments[i]);
    if (argument == kName && i + 1 < arguments.size()) language = arguments[i + 1];
    if (argument.starts_with("--language=")) language = argument.substr(kName.size() + 1);
  }
  return parse_language(language, assets);
}

using HelpOfApps = std::map<CLI::App*, HelpTexts>;

/// Fills what --help prints with the texts of its language. Without the assets, only names are printed.
void fill_help(const CLI::App& app, const HelpOfApps& help, CommandWords arguments) {
  std::filesystem::path assets;
  try {
    assets = find_places().assets;
  } catch (const InputError& missing) {
    return print_notice(missing.words());
  }
  const Text text = Text::load(assets, help_language(arguments, assets));
  const std::shared_ptr<CLI::FormatterBase> formatter = app.get_formatter();
  for (const char* label : {"Usage", "OPTIONS", "SUBCOMMAND", "Positionals", "REQUIRED"}) {
    formatter->label(label, text["help.label." + std::string(label)]);
  }
  const std::size_t columns = kTerminalColumns - formatter->get_column_width();
  for (const auto& [command, texts] : help) {
    if (command != &app) command->group(text["help.label.Subcommands"]);
    // A command is described over the full width, but listed with the others in a column.
    const std::size_t width = command->parsed() ? kTerminalColumns : columns;
    command->description(wrapped(text["help." + command->get_name() + ".about"], width));
    if (!command->parsed()) continue;
    const std::string topic = help_topic(*command, texts);
    const std::string topics = topic.empty() ? topic_lines(texts, command->get_name(), text) : std::string();
    command->footer(topics + footer_text(texts, text, topic));
    for (CLI::Option* option : command->get_options()) {
      option->description(wrapped(help_text(texts.options.at(option), text), columns));
      const auto of = texts.topics.find(option);
      const bool is_listed = of == texts.topics.end() || topic == kAllTopics || topic == of->second;
      option->group(is_listed ? text["help.label.Options"] : std::string());
    }
  }
}

/// Replaces "--example NAME" of `check` by the arguments of that example, and prints the resulting command line. Throws
/// InputError.
void expand_example(std::vector<std::string>& line) {
  constexpr std::string_view kCommand = "check", kOption = "--example";
  if (line.size() < 2 || line[1] != kCommand) return;
  const auto option = std::find_if(line.begin(), line.end(),
                                   [&](const std::string& word) { return word.substr(0, word.find('=')) == kOption; });
  const bool apart = option != line.end() && *option == kOption;
  if (option == line.end() || (apart && option + 1 == line.end())) return;
  const std::string name = apart ? option[1] : option->substr(option->find('=') + 1);
  const std::vector<CheckExample> examples = load_examples(find_places().assets);
  const auto found =
      std::find_if(examples.begin(), examples.end(), [&](const auto& each) { return each.name == name; });
  if (found == examples.end()) {
    throw InputError("example.unknown",
                     {{"name", name}, {"names", one_of(near_or_all(name, names_by(examples, &CheckExample::name)))}});
  }
  if (found->command != kCommand) {
    throw InputError("example.other_command", {{"name", name}, {"line", command_line(*found)}});
  }
  const auto after = line.erase(option, option + (apart ? 2 : 1));
  line.insert(after, found->arguments.begin(), found->arguments.end());
  std::cerr << "$ " + command_line(std::span(line).subspan(1)) + "\n" << std::flush;
}

int parse_and_run(const std::vector<std::string>& given, CommandWords arguments) {
  std::vector<std::string> line = given;
  expand_example(line);
  std::vector<char*> words;
  for (std::string& word : line) words.push_back(word.data());
  const int argc = static_cast<int>(words.size());
  char** const argv = words.data();
  CLI::App app("", "ropescope");
  app.formatter(std::make_shared<HelpFormatter>());
  HelpOfApps help;
  help[&app].options.emplace(app.set_version_flag("--version", "ropescope " ROPESCOPE_VERSION),
                             Message("help.ropescope.version"));
  app.require_subcommand(0, 1);
  WindowOptions window;
  Arguments of_window(app, help[&app]);
  of_window.option("--language", "CODE", window.language,
                   {"help.ropescope.language", {{"languages", one_of(known_languages())}}});
  of_window.option("--link", "ADDRESS", window.link);
  of_window.option("FILE", "", window.file);
  Action action;
  for (const Command& command : all_commands()) {
    CLI::App* subcommand = app.add_subcommand(command.name);
    Arguments options(*subcommand, help[subcommand]);
    subcommand->final_callback([&action, chosen = options.complete(command.declare(options))] { action = chosen; });
  }
  if (argc > 1 && argv[1][0] != '-' && !is_command(argv[1])) check_file_argument(argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    if (dynamic_cast<const CLI::CallForHelp*>(&asked)) fill_help(app, help, arguments);
    app.exit(asked);  // --help and --version
    std::cout.flush();
    return std::cout ? 0 : report_error("standard output: cannot be written", arguments);
  } catch (const CLI::ParseError& error) {
    return report_error(rephrase_parse_error(app, error), arguments);
  }
  Arguments::take(of_window.release());
  pass_on_language(app, window.language);
  if (!action) return open_or_name_commands(window);
  require_own_outputs(*app.get_subcommands().front());
  const ProtectedInputs inputs;
  return action();
}

}  // namespace

std::string OutputFile::ending() const {
  return std::filesystem::path(path_).extension().string();
}

Arguments::Arguments(CLI::App& app, HelpTexts& help) : app_(app), help_(help) {
  add_help(app.get_help_ptr(), Message("help.shared.help"));
}

Message Arguments::help_of(const std::string& name) const {
  const std::string longest = name.substr(name.rfind(',') + 1);
  return Message("help." + app_.get_name() + "." + longest.substr(longest.find_first_not_of('-')));
}

void Arguments::option(const std::string& name, const std::string& placeholder, Take take, Need need) {
  option(name, placeholder, std::move(take), help_of(name), need);
}

void Arguments::option(const std::string& name, const std::string& placeholder, Take take, const Message& help,
                       Need need) {
  const auto text = std::make_shared<std::optional<std::string>>();
  CLI::Option* added = app_.add_option(name, *text)
                           ->type_name(placeholder)
                           ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
                           ->required(need == Need::required);
  add_help(added, help);
  options_->push_back({name, text, std::move(take), stage_});
}

void Arguments::take_first() {
  std::rotate(options_->begin(), options_->end() - 1, options_->end());
}

void Arguments::take(const Options& options, int stage) {
  for (const Given& option : *options) {
    if (*option.text && option.stage == stage) option.take(option.name, **option.text);
  }
}

Action Arguments::complete(Action action) const {
  return [options = options_, action = std::move(action)] {
    take(options);
    return action();
  };
}

void Arguments::every(const std::string& name, const std::string& placeholder, std::vector<std::string>& target) {
  // One value per name: otherwise a list would consume the arguments after it.
  CLI::Option* added = app_.add_option(name, target)
                           ->type_name(placeholder)
                           ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
                           ->type_size(1)
                           ->expected(1)
                           ->allow_extra_args(false);
  add_help(added, help_of(name));
}

void Arguments::every(const std::string& name, const std::string& placeholder, Take take) {
  // Collected immediately, one by one: the order of the options is not available later.
  const auto collect = [name, take = std::move(take), options = options_, stage = stage_](const std::string& text) {
    options->push_back({name, std::make_shared<std::optional<std::string>>(text), take, stage});
  };
  CLI::Option* added = app_.add_option_function<std::string>(name, collect)->type_name(placeholder)->trigger_on_parse();
  add_help(added, help_of(name));
}

void Arguments::flag(const std::string& name, bool& target) {
  add_help(app_.add_flag(name, target)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast), help_of(name));
}

void Arguments::positional(const std::string& name, std::string& target) {
  positional(name, target, help_of(name));
}

void Arguments::positional(const std::string& name, std::string& target, const Message& help) {
  add_help(app_.add_option(name, target)->type_name("")->required(), help);
}

void Arguments::list(const std::string& name, std::vector<std::string>& target) {
  add_help(app_.add_option(name, target)->type_name(""), help_of(name));
}

void Arguments::add_help(const CLI::Option* option, const Message& help) {
  help_.options.emplace(option, help);
  if (!topic_.empty()) help_.topics.emplace(option, topic_);
}

bool is_command(const std::string& word) {
  for (const Command& command : all_commands()) {
    if (word == command.name) return true;
  }
  return false;
}

std::string wrap_help(const std::string& text) {
  return wrapped(text, kTerminalColumns);
}

void Arguments::footer(const Message& text, HelpList list) {
  help_.footer = text;
  help_.list = std::move(list);
}

void reject(const std::string& option, const std::string& found, const Message& expected) {
  throw InputError("field", {{"field", option}, {"found", in_quotes(found)}, {"expected", expected}});
}

void reject(const std::string& option, const std::string& found, const std::vector<std::string>& names) {
  reject(option, found, one_of(near_or_all(found, names)));
}

Message ending_in(const std::vector<std::string>& endings) {
  return {"expected.ending", {{"endings", one_of(endings)}}};
}

std::string require_ending(const OutputFile& output, const std::vector<std::string>& endings,
                           const std::string& option) {
  std::string ending = output.ending();
  if (std::find(endings.begin(), endings.end(), ending) == endings.end()) {
    reject(option, output.path(), ending_in(endings));
  }
  return ending;
}

void refuse_both(const std::string& one, const std::string& other) {
  throw InputError("command.both", {{"one", one}, {"other", other}});
}

void require_different_files(std::initializer_list<std::pair<const char*, const OutputFile*>> files) {
  for (auto one = files.begin(); one != files.end(); ++one) {
    for (auto other = one + 1; other != files.end(); ++other) {
      const OutputFile &first = *one->second, &second = *other->second;
      if (!first.is_given() || !second.is_given() || !is_same_file(first.path(), second.path())) continue;
      throw InputError("command.same_file",
                       {{"one", one->first}, {"other", other->first}, {"file", in_quotes(second.path())}});
    }
  }
}

std::vector<DeclaredCommand> declared_commands() {
  const Text text = Text::load(find_places().assets);
  std::vector<DeclaredCommand> commands;
  for (const Command& command : all_commands()) {
    CLI::App app("", command.name);
    HelpTexts help;
    Arguments arguments(app, help);
    const Action kept = arguments.complete(command.declare(arguments));  // owns the storage of the options
    DeclaredCommand made{
        command.name, text["help." + std::string(command.name) + ".about"], {}, footer_text(help, text, kAllTopics)};
    for (const CLI::Option* option : app.get_options()) {
      made.options.push_back(declared(command.name, *option, help_text(help.options.at(option), text)));
    }
    commands.push_back(std::move(made));
  }
  return commands;
}

// --- All commands --------------------------------------------------------------------------------------------------

std::vector<Command> all_commands() {
  // Numbers first, then pictures, then lists of choices.
  return {
      {"frequencies", declare_frequencies},
      {"decay", declare_decay},
      {"limits", declare_limits},
      {"precision", declare_precision},
      {"rotate", declare_rotate},
      {"encoding", declare_encoding},
      {"score", declare_score},
      {"attention", declare_attention},
      {"vectors", declare_vectors},
      {"weights", declare_weights},
      {"layout", declare_layout},
      {"similarity", declare_similarity},
      {"check", declare_check},
      {"examples", declare_examples},
      {"compare", declare_compare},
      {"render", declare_render},
      {"animate", declare_animate},
      {"sweep", declare_sweep},
      {"table", declare_table},
      {"race", declare_race},
      {"screenshot", declare_screenshot},
      {"lessons", declare_lessons},
      {"lesson", declare_lesson},
      {"handout", declare_handout},
      {"config", declare_config},
      {"encodings", declare_encodings},
      {"layouts", declare_layouts},
      {"models", declare_models},
      {"help", declare_help},
      {"manual", declare_manual},
  };
}

int run_command_line(int argc, char** argv) {
  let_writes_fail();
  const CommandWords arguments(argv, static_cast<std::size_t>(argc));
  try {
    return parse_and_run(std::vector<std::string>(argv, argv + argc), arguments);
  } catch (const InputError& error) {
    return report_error(to_english(error.words()), arguments);
  } catch (const std::exception& error) {
    // Texts need memory too, and this error may be a lack of memory.
    if (words_of(error).key == "error.memory") {
      return report_error("there is not enough memory for this input; try a smaller one", arguments);
    }
    return report_error(std::string("internal error: ") + error.what(), arguments);
  }
}

void put_result(const OutputFile& output, const std::string& content) {
  write_file(output.path(), content);
}

void put_text(const OutputFile& output, const std::string& content) {
  put_result(output, without_separators(content));
}

void put_result(const OutputFile& output, const std::string& header, const std::function<void(std::string&)>& append) {
  std::string piece;
  bool begun = false;
  write_file(output.path(), [&]() -> std::string_view {
    if (!std::exchange(begun, true)) return header;
    piece.clear();
    append(piece);
    return piece;
  });
}

void print_notice(const Message& notice) {
  print_notices({notice});
}

void print_notices(const Message::List& notices) {
  for (const std::string& sentence : to_english(notices)) {
    std::cerr << "ropescope: " + without_separators(one_line(shorten_echoed_arguments(sentence, {}))) + "\n"
              << std::flush;
  }
}

}  // namespace ropescope
