#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <span>

#include "app/commands/commands.h"
#include "app/commands/echo.h"
#include "app/commands/language_option.h"
#include "app/commands/window.h"
#include "app/platform/stop_on_signals.h"
#include "app/platform/window.h"
#include "app/resources/files.h"
#include "app/resources/model_folder.h"
#include "app/resources/nearest.h"
#include "app/resources/text.h"
#include "core/error.h"
#include "core/formats/json_text.h"

namespace ropescope {

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

/// `ropescope WORD`, where WORD is no subcommand, opens that file. Throws InputError where it cannot be one, so that a
/// mistyped subcommand is not answered with a complaint about its options.
void check_file_argument(const std::string& word) {
  if (is_folder(word)) find_model_files(word);  // throws where it is no model's
  std::error_code ignored;
  if (std::filesystem::exists(word, ignored)) return;
  const std::string ending = std::filesystem::path(word).extension().string();
  if (ending == ".json" || ending == ".gguf") throw InputError(word + ": there is no such file");
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.emplace_back(command.name);
  const std::vector<std::string> near = nearest_words(word, names);
  throw InputError("\"" + word + "\" is neither a subcommand nor a file; " + or_list(near.empty() ? names : near) +
                   " was expected");
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
    std::string names;
    for (const Command& command : all_commands()) names += std::string(names.empty() ? "" : ", ") + command.name;
    throw InputError(said_in_english(error.words()) + "; these subcommands need none: " + names);
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
  throw InputError("--language: \"" + chosen.front()->get_name() + "\" speaks English; " + or_list(takers) +
                   " was expected");
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
  app.add_option("FILE", window.file, "A model's config.json, .gguf or folder, or a saved experiment to open")
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

void put_result(const std::optional<std::string>& path, const std::function<std::string_view()>& pieces) {
  write_file(path.value_or("-"), pieces);
}

void put_notice(const std::string& sentence) {
  std::cerr << "ropescope: " + one_line(with_short_echoes(sentence, {})) + "\n" << std::flush;
}

}  // namespace ropescope
