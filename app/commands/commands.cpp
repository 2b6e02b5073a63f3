// Reads the command line with CLI11: the list of subcommands, their arguments as declared, --help and errors.
//
// Contents: Arguments; What was declared; All commands; Reading a line.

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
#include "app/commands/window.h"
#include "app/experiment/figure_file.h"
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
#include "core/utf8.h"
#include "core/words.h"

namespace ropescope {

// --- Arguments -----------------------------------------------------------------------------------------------------

namespace {

/// Reads the texts once, for the first option that needs them.
class HelpFromTexts : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    const auto found = help.find(option);
    if (found == help.end()) return CLI::Formatter::make_option_desc(option);
    if (!english_) english_ = Text::load(find_places().assets);
    return english_->say(found->second);
  }
  std::map<const CLI::Option*, Words> help;

 private:
  mutable std::optional<Text> english_;
};

}  // namespace

void Arguments::option(const std::string& name, const std::string& placeholder, std::optional<std::string>& target,
                       const std::string& help, Need need) {
  targets_[name] = &target;
  app_.add_option(name, target, help)
      ->type_name(placeholder)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
      ->required(need == Need::required);
}

void Arguments::option(const std::string& name, const std::string& placeholder, std::optional<std::string>& target,
                       const Words& help) {
  option(name, placeholder, target, std::string());
  auto formatter = std::dynamic_pointer_cast<HelpFromTexts>(app_.get_formatter());
  if (!formatter) app_.formatter(formatter = std::make_shared<HelpFromTexts>());
  formatter->help.emplace(app_.get_option(name), help);
}

void Arguments::every(const std::string& name, const std::string& placeholder, std::vector<std::string>& target,
                      const std::string& help) {
  // One value per name: without this a list would swallow the arguments after it.
  app_.add_option(name, target, help)
      ->type_name(placeholder)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_size(1)
      ->expected(1)
      ->allow_extra_args(false);
}

void Arguments::every(const std::string& name, const std::string& placeholder,
                      std::vector<std::pair<std::string, std::string>>& target, const std::string& help) {
  // At once, one by one: later nothing says which option came first.
  app_.add_option_function<std::string>(
          name, [name, &target](const std::string& value) { target.emplace_back(name, value); }, help)
      ->type_name(placeholder)
      ->trigger_on_parse();
}

void Arguments::flag(const std::string& name, bool& target, const std::string& help) {
  app_.add_flag(name, target, help)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void Arguments::positional(const std::string& name, std::string& target, const std::string& help) {
  app_.add_option(name, target, help)->type_name("")->required();
}

void Arguments::list(const std::string& name, std::vector<std::string>& target, const std::string& help) {
  app_.add_option(name, target, help)->type_name("");
}

void Arguments::footer(std::function<std::string()> text) {
  app_.footer(std::move(text));
}

void reject(const std::string& option, const std::string& found, const Words& expected) {
  throw InputError("field", {{"field", option}, {"found", in_quotes(found)}, {"expected", expected}});
}

void reject(const std::string& option, const std::string& found, const std::vector<std::string>& names) {
  reject(option, found, one_of(names));
}

Words ending_in(const std::vector<std::string>& endings) {
  return {"expected.ending", {{"endings", one_of(endings)}}};
}

void refuse_both(const std::string& one, const std::string& other) {
  throw InputError("command.both", {{"one", one}, {"other", other}});
}

void require_different_files(std::initializer_list<std::pair<const char*, const std::optional<std::string>*>> files) {
  for (auto one = files.begin(); one != files.end(); ++one) {
    for (auto other = one + 1; other != files.end(); ++other) {
      if (!*one->second || !*other->second || !is_same_file(**one->second, **other->second)) continue;
      throw InputError("command.same_file",
                       {{"one", one->first}, {"other", other->first}, {"file", in_quotes(**other->second)}});
    }
  }
}

void refuse_picture_options(std::initializer_list<std::pair<const char*, const std::optional<std::string>*>> options) {
  for (const auto& [name, value] : options) {
    if (!*value) continue;
    throw InputError("command.no_picture", {{"option", name}});
  }
}

// --- What was declared ---------------------------------------------------------------------------------------------

namespace {

/// Words of a placeholder such as "dark|light"; none where it is no such list: values in capitals stand for others.
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

/// What stands behind a placeholder. A NAME without an option is an entry of the registry that the subcommand is about.
std::vector<std::string> choices_of(const std::string& command, const std::string& option,
                                    const std::string& placeholder) {
  if (placeholder == "CODE") return known_languages();
  if (placeholder == "VIEW") return names_by(all_views(), &View::id);
  const bool of_layout = command == "layout" || command == "similarity";
  if (option == "--layout" || (option == "NAME" && of_layout)) return entry_names(all_layouts());
  if (option == "--encoding" || option == "NAME") return entry_names(all_encodings());
  if (placeholder == "PRESET") return names_by(load_presets(find_places().assets), &Preset::id);
  if (placeholder == "LESSON" || option == "--lesson") {
    return names_by(list_lessons(find_places().assets), &LessonEntry::id);
  }
  if (placeholder == "CHAPTER") {
    return names_by(list_chapters(find_places().assets),
                    [](const LessonEntry& entry) { return entry.id.substr(kHandbook.size()); });
  }
  return alternatives(placeholder);
}

bool names_file(const std::string& placeholder) {
  if (placeholder == "F" || placeholder == "FILE" || placeholder == "QK" || placeholder == "LESSON") return true;
  if (placeholder == "A" || placeholder == "VIEW") return true;  // a preset or a model; a view or a figure
  return placeholder.find('.') != std::string::npos && placeholder.find("..") == std::string::npos;
}

DeclaredOption declared(const std::string& command, const CLI::Formatter& formatter, const CLI::Option& option) {
  DeclaredOption made;
  for (const std::string& name : option.get_snames()) made.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) made.names.push_back("--" + name);
  const bool is_flag = option.get_items_expected_max() == 0;
  made.placeholder = is_flag ? "" : made.names.empty() ? option.get_name() : option.get_type_name();
  made.help = formatter.make_option_desc(&option);
  made.choices = choices_of(command, made.names.empty() ? option.get_name() : made.names.back(), made.placeholder);
  const std::string kind = made.placeholder.substr(0, made.placeholder.find_first_of("[|"));
  const bool pair = command == "compare" && made.names.empty();
  made.takes_file = !is_flag && (pair || names_file(kind) || names_file(made.placeholder));
  return made;
}

}  // namespace

std::vector<DeclaredCommand> declared_commands() {
  std::vector<DeclaredCommand> commands;
  for (const Command& command : all_commands()) {
    CLI::App app(command.summary, command.name);
    Arguments arguments(app);
    const Action kept = command.declare(arguments);  // owns what the options write to
    const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(app.get_formatter());
    DeclaredCommand made{command.name, command.summary, {}, app.get_footer()};
    for (const CLI::Option* option : app.get_options())
      made.options.push_back(declared(command.name, *formatter, *option));
    commands.push_back(std::move(made));
  }
  return commands;
}

// --- All commands --------------------------------------------------------------------------------------------------

std::vector<Command> all_commands() {
  // Numbers first, then pictures, then what there is to choose from.
  return {
      {"frequencies", "Print the frequency and wavelength of every pair", declare_frequencies},
      {"decay", "Print similarity and Abel bound at given distances", declare_decay},
      {"limits", "Print how far a base reaches and which base a context needs", declare_limits},
      {"precision", "Print the error of cos and sin in short number formats", declare_precision},
      {"rotate", "Rotate the vectors of a .npy file", declare_rotate},
      {"encoding", "Print the values of a position encoding", declare_encoding},
      {"score", "Print the attention score between two positions, term by term", declare_score},
      {"attention", "Write the attention weights of a sequence", declare_attention},
      {"vectors", "Print what q and k of a model hold: pairs, directions, scores by distance", declare_vectors},
      {"layout", "Print the ids of every token of an image, and write its rotation tables", declare_layout},
      {"similarity", "Print how similar the tokens of an image are to one of them", declare_similarity},
      {"check", "Say whether tables or ids agree with a model, and if not, why", declare_check},
      {"compare", "Say how two descriptions of a model differ, and what that does to the score", declare_compare},
      {"render", "Draw a view into a file, without a display", declare_render},
      {"animate", "Draw a view while fields move, as a GIF or as numbered frames", declare_animate},
      {"sweep", "Write numbers of the cards over fields, as a table", declare_sweep},
      {"table", "Write numbers of the cards of several ropes, a row for each", declare_table},
      {"race", "Train small models with different encodings and write their losses", declare_race},
      {"screenshot", "Draw the whole window into a PNG, without a display", declare_screenshot},
      {"lessons", "List the lessons", declare_lessons},
      {"lesson", "Print a lesson, check one of your own, or draw a step of it", declare_lesson},
      {"handout", "Write lessons as a document to print, or as a web page", declare_handout},
      {"config", "Say what a model's config.json or .gguf means for its rotary embedding", declare_config},
      {"encodings", "List the position encodings", declare_encodings},
      {"layouts", "List the layouts", declare_layouts},
      {"models", "List the presets", declare_models},
      {"help", "List the chapters of the handbook, or print one", declare_help},
      {"manual", "Print the manual page, or what a shell needs to complete words", declare_manual},
  };
}

// --- Reading a line ------------------------------------------------------------------------------------------------

namespace {

constexpr int kBadInput = 2;

/// A message as one line: control characters, which file names may hold, become spaces, and bytes that are no UTF-8
/// their numbers: \\xFF.
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

/// `arguments` are those of the program: a long one is not said again in full.
int complain(const std::string& message, CommandWords arguments) {
  std::cerr << "ropescope: " + one_line(with_short_echoes(message, arguments)) + "\n" << std::flush;
  return kBadInput;
}

/// What CLI11 found wrong, in words that name the option.
std::string reworded(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<const CLI::App*> chosen = [&] {
    const auto subcommands = app.get_subcommands();
    return std::vector<const CLI::App*>(subcommands.begin(), subcommands.end());
  }();
  const std::string name = chosen.empty() ? "ropescope" : "ropescope " + chosen.front()->get_name();
  const std::vector<std::string> extras = (chosen.empty() ? &app : chosen.front())->remaining();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !extras.empty()) {
    return "\"" + extras.front() + "\" was not expected; \"" + name + " --help\" lists what is";
  }
  return std::string(error.what()) + " (see \"" + name + " --help\")";
}

/// Checks the WORD of `ropescope WORD`, which is not a subcommand: it must name a file, a link or a preset. Throws
/// InputError if it names none of these, because a mistyped subcommand would otherwise be reported as a wrong option.
void check_file_argument(const std::string& word) {
  if (is_folder(word)) find_model_files(word);  // throws where it is no model's
  std::error_code ignored;
  const bool known =
      std::filesystem::exists(path_of_url(word), ignored) || is_link(word) || preset_named(find_places().assets, word);
  if (known) return;
  const std::string ending = std::filesystem::path(word).extension().string();
  if (ending == ".json" || ending == ".gguf") throw InputError(word, "file.missing", {});
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.emplace_back(command.name);
  const std::vector<std::string> near = nearest_words(word, names);
  throw InputError("command.no_subcommand", {{"word", word}, {"expected", one_of(near.empty() ? names : near)}});
}

bool is_command(const std::string& word) {
  for (const Command& command : all_commands()) {
    if (word == command.name) return true;
  }
  return false;
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

/// "en, ja or ko"; not put together by the texts, which nothing but --help would read them for.
std::string language_list() {
  const std::vector<std::string> codes = known_languages();
  std::string list = codes.front();
  for (std::size_t i = 1; i < codes.size(); ++i) list += (i + 1 < codes.size() ? ", " : " or ") + codes[i];
  return list;
}

/// `ropescope --language ko render …`: the language is for the subcommand, as if it stood after it. Throws InputError
/// where that one says everything in English.
void hand_on_language(const CLI::App& app, const std::optional<std::string>& language) {
  const auto chosen = app.get_subcommands();
  if (!language || chosen.empty()) return;
  if (CLI::Option* own = chosen.front()->get_option_no_throw("--language")) {
    if (own->count() > 0) return;  // the nearer one counts
    own->add_result(*language);
    own->run_callback();
    return;
  }
  std::vector<std::string> takers;
  for (const CLI::App* each : app.get_subcommands({})) {
    if (each->get_option_no_throw("--language")) takers.push_back(each->get_name());
  }
  throw InputError("command.speaks_english", {{"command", chosen.front()->get_name()}, {"expected", one_of(takers)}});
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
/// anything is read, because errors in the file would otherwise be reported first. Files that no option names are
/// protected by ProtectedInputs.
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

int run_commands_command_line(int argc, char** argv, CommandWords arguments) {
  CLI::App app("A laboratory for rotary position embeddings. Without a subcommand the window opens.", "ropescope");
  app.set_version_flag("--version", "ropescope " ROPESCOPE_VERSION);
  app.require_subcommand(0, 1);
  WindowOptions window;
  app.add_option("--language", window.language,
                 "Language of the window: " + language_list() + " (default: kept, else the locale's)")
      ->type_name("CODE")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("--link", window.link,
                 "What links and codes of the window begin with, https://…/# (default: kept, else ropescope:)")
      ->type_name("ADDRESS")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.add_option("FILE", window.file, "A model's config.json, .gguf or folder, a saved experiment or a link to open")
      ->type_name("");
  Action action;
  for (const Command& command : all_commands()) {
    CLI::App* subcommand = app.add_subcommand(command.name, command.summary);
    Arguments options(*subcommand);
    subcommand->final_callback([&action, chosen = command.declare(options)] { action = chosen; });
  }
  if (argc > 1 && argv[1][0] != '-' && !is_command(argv[1])) check_file_argument(argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    app.exit(asked);  // --help and --version
    std::cout.flush();
    return std::cout ? 0 : complain("standard output: cannot be written", arguments);
  } catch (const CLI::ParseError& error) {
    return complain(reworded(app, error), arguments);
  }
  hand_on_language(app, window.language);
  if (!action) return open_or_name_commands(window);
  require_own_outputs(*app.get_subcommands().front());
  const ProtectedInputs inputs;
  return action();
}

}  // namespace

int run_command_line(int argc, char** argv) {
  let_writes_fail();
  const CommandWords arguments(argv, static_cast<std::size_t>(argc));
  try {
    return run_commands_command_line(argc, argv, arguments);
  } catch (const InputError& error) {
    return complain(said_in_english(error.words()), arguments);
  } catch (const std::exception& error) {
    // Texts take memory too, and what is wrong here may be that there is none.
    if (words_of(error).key == "error.memory") {
      return complain("there is not enough memory for this input; a smaller one was expected", arguments);
    }
    return complain(std::string("something that should not happen did: ") + error.what(), arguments);
  }
}

void put_result(const std::optional<std::string>& path, const std::string& content) {
  write_file(path.value_or("-"), content);
}

void put_result(const std::optional<std::string>& path, const std::string& header,
                const std::function<void(std::string&)>& append) {
  std::string piece;
  bool begun = false;
  write_file(path.value_or("-"), [&]() -> std::string_view {
    if (!std::exchange(begun, true)) return header;
    piece.clear();
    append(piece);
    return piece;
  });
}

void put_notice(const std::string& sentence) {
  std::cerr << "ropescope: " + one_line(with_short_echoes(sentence, {})) + "\n" << std::flush;
}

}  // namespace ropescope
