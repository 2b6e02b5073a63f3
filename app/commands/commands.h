// The command line: the interface and registry of commands, their arguments, and parsing. Each other file in this
// folder implements the commands of one topic: a command fills an experiment or a core request from its options and
// writes the result. Read app/experiment/experiment.h first; lower layers do not depend on commands. The declare_
// functions are defined in those files, everything else in commands.cpp.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/message.h"

// --- Arguments -----------------------------------------------------------------------------------------------------

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ropescope {

class Action;
class Text;

/// A file that a command writes; standard output if the option is not given, and for "-".
class OutputFile {
 public:
  OutputFile() = default;
  OutputFile(std::string path) : path_(std::move(path)), is_given_(true) {}
  bool is_given() const { return is_given_; }
  /// Returns whether it is not standard output.
  bool is_file() const { return path_ != "-"; }
  const std::string& path() const { return path_; }
  bool ends_with(std::string_view ending) const { return path_.ends_with(ending); }
  /// Returns the ending of the file's name: ".csv", or empty.
  std::string ending() const;

 private:
  std::string path_ = "-";
  bool is_given_ = false;
};

/// The topic of everything that --help can list.
inline constexpr const char* kAllTopics = "all";
/// Lines of --help. `topic`: a view or another word after --help, "all", or empty.
using HelpList = std::function<std::string(const Text& text, std::string_view topic)>;

/// The texts of a command's --help, rendered only for --help and the manual page.
struct HelpTexts {
  std::map<const CLI::Option*, Message> options;
  std::map<const CLI::Option*, std::string> topics;  ///< options listed only by --help TOPIC
  Message footer;                                    ///< below the options
  HelpList list;                                     ///< lines below the footer
};

/// A string, an optional string or an OutputFile.
template <class Target>
concept AssignedText = std::is_assignable_v<Target&, const std::string&>;

/// The arguments of a subcommand, as a wrapper for CLI11, whose (slow) header only commands.cpp includes. Targets must
/// outlive the command. Values are parsed before the command runs (options.h), so that every message names option and
/// expectation.
/// The help of "--dim" is the text "help.COMMAND.dim", or "help.shared.dim" if there is no such text.
class Arguments {
 public:
  Arguments(CLI::App& app, HelpTexts& help);

  enum class Need { optional, required };
  /// Parses and stores the text of the option with this name. Throws InputError that names the option.
  using Take = std::function<void(const std::string& option, const std::string& text)>;
  /// Adds an option with a value, "--dim D"; if repeated, the last one counts. Its text is taken once all options are
  /// known, before the command runs.
  void option(const std::string& name, const std::string& placeholder, Take take, Need need = Need::optional);
  /// Adds an option whose help has another key, or values.
  void option(const std::string& name, const std::string& placeholder, Take take, const Message& help,
              Need need = Need::optional);
  /// Add an option whose text is assigned as it is.
  template <AssignedText Target>
  void option(const std::string& name, const std::string& placeholder, Target& target, Need need = Need::optional) {
    option(name, placeholder, assign_to(target), need);
  }
  template <AssignedText Target>
  void option(const std::string& name, const std::string& placeholder, Target& target, const Message& help,
              Need need = Need::optional) {
    option(name, placeholder, assign_to(target), help, need);
  }
  /// Adds an option that may be repeated, "--set key=value"; all of them count.
  void every(const std::string& name, const std::string& placeholder, std::vector<std::string>& target);
  /// Adds an option that may be repeated; all of them are taken, after the others, in the order of the command line.
  void every(const std::string& name, const std::string& placeholder, Take take);
  void flag(const std::string& name, bool& target);
  /// Adds a required argument without a name.
  void positional(const std::string& name, std::string& target);
  void positional(const std::string& name, std::string& target, const Message& help);
  /// Takes any number of arguments without names.
  void list(const std::string& name, std::vector<std::string>& target);
  /// Lists the options added from now on only if --help is followed by this topic or "all"; empty: always.
  void topic(std::string_view name) { topic_ = name; }
  /// Sets the text below the options, and the lines below that.
  void footer(const Message& text, HelpList list = {});

  /// Returns the action of the command, preceded by the taking of the options.
  Action complete(Action action) const;

  /// An option with a value: its text on the command line, and what it does with a text.
  struct Given {
    std::string name;  ///< "--dim"
    std::shared_ptr<std::optional<std::string>> text;
    Take take;
    int stage;
  };
  /// Shared, because repeatable options are added when they occur.
  using Options = std::shared_ptr<std::vector<Given>>;
  /// Returns the options added so far. The command takes them itself: later, again, or from other texts.
  Options release() { return std::exchange(options_, std::make_shared<std::vector<Given>>()); }
  /// Sets the stage of the options added from now on, for a command that takes them in stages.
  void stage(int stage) { stage_ = stage; }
  /// Takes the texts of the options of a stage that are given.
  static void take(const Options& options, int stage = 0);
  /// Takes the option added last before all others, because their ranges depend on it.
  void take_first();

 private:
  template <class Target>
  static Take assign_to(Target& target) {
    return [&target](const std::string& /*option*/, const std::string& text) { target = text; };
  }
  /// Returns the key of the help for "-o,--output".
  Message help_of(const std::string& name) const;
  void add_help(const CLI::Option* option, const Message& help);

  CLI::App& app_;
  HelpTexts& help_;
  Options options_ = std::make_shared<std::vector<Given>>();
  std::string topic_;
  int stage_ = 0;
};

/// Returns a paragraph of --help in lines of at most 80 columns.
std::string wrap_help(const std::string& text);

/// Throws InputError: "--dim is "7"; expected an even number".
[[noreturn]] void reject(const std::string& option, const std::string& found, const Message& expected);
/// Throws the same InputError; one of these names is the expected value.
[[noreturn]] void reject(const std::string& option, const std::string& found, const std::vector<std::string>& names);
/// Returns "a name that ends in .csv or .npy", for reject().
Message ending_in(const std::vector<std::string>& endings);
/// Returns the ending of the file's name. Throws InputError if it is not one of these.
std::string require_ending(const OutputFile& output, const std::vector<std::string>& endings,
                           const std::string& option = "-o");
/// Throws InputError for two mutually exclusive options.
[[noreturn]] void refuse_both(const std::string& one, const std::string& other);
/// Throws InputError if two output files are identical, by whatever names.
void require_different_files(std::initializer_list<std::pair<const char*, const OutputFile*>> files);

// --- Commands ------------------------------------------------------------------------------------------------------

/// Runs a subcommand after its options have been read and returns the exit code; 0 for a function that returns void.
/// Throws InputError.
class Action {
 public:
  Action() = default;
  template <class Run>
  requires(!std::is_same_v<std::remove_cvref_t<Run>, Action>) Action(Run run)
      : run_([run = std::move(run)] {
          if constexpr (std::is_void_v<decltype(run())>) {
            run();
            return 0;
          } else {
            return run();
          }
        }) {}
  explicit operator bool() const { return static_cast<bool>(run_); }
  int operator()() const { return run_(); }

 private:
  std::function<int()> run_;
};

/// A subcommand: `declare` adds its arguments and returns its action, which owns their values. The text
/// "help.NAME.about" describes it.
struct Command {
  const char* name;
  Action (*declare)(Arguments&);
};

/// Returns whether a subcommand has this name.
bool is_command(const std::string& word);
/// Returns all subcommands in the order of --help. To add one: write its block in the file of its subject, declare it
/// here, add a line in commands.cpp, and write its texts.
std::vector<Command> all_commands();

Action declare_frequencies(Arguments& arguments);
Action declare_decay(Arguments& arguments);
Action declare_limits(Arguments& arguments);
Action declare_precision(Arguments& arguments);
Action declare_rotate(Arguments& arguments);
Action declare_encoding(Arguments& arguments);
Action declare_encodings(Arguments& arguments);
Action declare_score(Arguments& arguments);
Action declare_attention(Arguments& arguments);
Action declare_vectors(Arguments& arguments);
Action declare_weights(Arguments& arguments);
Action declare_layout(Arguments& arguments);
Action declare_layouts(Arguments& arguments);
Action declare_similarity(Arguments& arguments);
Action declare_check(Arguments& arguments);
Action declare_render(Arguments& arguments);
Action declare_animate(Arguments& arguments);
Action declare_sweep(Arguments& arguments);
Action declare_table(Arguments& arguments);
Action declare_race(Arguments& arguments);
Action declare_screenshot(Arguments& arguments);
Action declare_lessons(Arguments& arguments);
Action declare_lesson(Arguments& arguments);
Action declare_handout(Arguments& arguments);
Action declare_compare(Arguments& arguments);
Action declare_config(Arguments& arguments);
Action declare_examples(Arguments& arguments);
Action declare_models(Arguments& arguments);
Action declare_manual(Arguments& arguments);
Action declare_help(Arguments& arguments);

/// Runs the whole program: a subcommand, or the window. Returns the command's exit code (0 for most), or 2 after one
/// line on standard error.
int run_command_line(int argc, char** argv);

/// Writes a command's result to the file of -o, or to standard output if there is none. Throws InputError.
void put_result(const OutputFile& output, const std::string& content);
/// Does the same as put_result() for text that is read or pasted: numbers have no thousands separators
/// (without_separators()).
void put_text(const OutputFile& output, const std::string& content);
/// Writes a result piece by piece while it is computed, after its header. `append` writes each piece to an empty
/// string; an empty piece ends the result.
void put_result(const OutputFile& output, const std::string& header, const std::function<void(std::string&)>& append);
/// Writes one line on standard error in addition to a valid result: "ropescope: …", in English.
void print_notice(const Message& notice);
void print_notices(const Message::List& notices);

// --- Declarations --------------------------------------------------------------------------------------------------

/// An option or argument as declared by a subcommand, as plain data for the manual page and completions.
struct DeclaredOption {
  std::vector<std::string> names;    ///< "-o", "--output"; empty: an argument without a name
  std::string placeholder;           ///< "FILE", "dark|light"; empty: takes no value
  std::string help;                  ///< in English
  std::vector<std::string> choices;  ///< possible values, if known in advance
  bool takes_file = false;           ///< its value is, or may be, a file name
  bool takes_model = false;          ///< its value may be a repository in the Hugging Face cache
};

struct DeclaredCommand {
  std::string name, summary;
  std::vector<DeclaredOption> options;
  std::string footer;
};

/// Returns all subcommands in the order of --help. Throws InputError if the assets are not found.
std::vector<DeclaredCommand> declared_commands();

// --- Window --------------------------------------------------------------------------------------------------------

struct WindowOptions {
  std::optional<std::string> file;      ///< config.json or experiment to open
  std::optional<std::string> language;  ///< sets the window's language permanently
  std::optional<std::string> link;      ///< sets the start of its links permanently
};

/// Opens the window and runs it until it is closed; returns the exit code. Throws InputError if there is no display or
/// no GL 3.3.
int open_window(const WindowOptions& options);

}  // namespace ropescope
