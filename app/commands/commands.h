// The command line: what a command is, which there are, their arguments, and how a line is read. Each file beside this
// one holds the commands of one subject: a command fills an experiment or a request of core from its options and writes
// the result. Read app/experiment/experiment.h before; the rooms below know nothing of commands. The declare_ functions
// are the one thing here that other sources than commands.cpp define.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/words.h"

// --- Arguments -----------------------------------------------------------------------------------------------------

namespace CLI {
class App;
}

namespace ropescope {

/// What a subcommand takes, over CLI11: only commands.cpp includes that (slow) header. Targets must live until the
/// command has run. Every value is text; the command reads it, so that its messages name option and expectation.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  enum class Need { optional, required };
  /// Adds an option with a value, "--dim D"; given twice, the last one counts.
  void option(const std::string& name, const std::string& placeholder, std::optional<std::string>& target,
              const std::string& help, Need need = Need::optional);
  /// Adds an option whose help is a text of assets/text, read only where --help is asked for.
  void option(const std::string& name, const std::string& placeholder, std::optional<std::string>& target,
              const Words& help);
  /// Adds an option that may be given several times, "--set key=value"; all of them count.
  void every(const std::string& name, const std::string& placeholder, std::vector<std::string>& target,
             const std::string& help);
  /// Adds such an option to those that share a list: their values stand in the order of the command line, each after
  /// the name of its option.
  void every(const std::string& name, const std::string& placeholder,
             std::vector<std::pair<std::string, std::string>>& target, const std::string& help);
  void flag(const std::string& name, bool& target, const std::string& help);
  /// Adds a required argument without a name.
  void positional(const std::string& name, std::string& target, const std::string& help);
  /// Takes any number of arguments without names.
  void list(const std::string& name, std::vector<std::string>& target, const std::string& help);
  /// The text under the options in --help, made only when that is asked for.
  void footer(std::function<std::string()> text);

  /// Where the options that have been added so far keep their values, by name: "--dim". Not those of every().
  using Targets = std::map<std::string, std::optional<std::string>*, std::less<>>;
  const Targets& targets() const { return targets_; }

 private:
  CLI::App& app_;
  Targets targets_;
};

/// Throws InputError: "--dim is "7"; an even number was expected".
[[noreturn]] void reject(const std::string& option, const std::string& found, const Words& expected);
/// The same where one of these names was expected.
[[noreturn]] void reject(const std::string& option, const std::string& found, const std::vector<std::string>& names);
/// "a name that ends in .csv or .npy", for reject().
Words ending_in(const std::vector<std::string>& endings);
/// Throws InputError: two options of which only one can be given.
[[noreturn]] void refuse_both(const std::string& one, const std::string& other);
/// Throws InputError where two of the files that are to be written are the same, by whatever names.
void require_different_files(std::initializer_list<std::pair<const char*, const std::optional<std::string>*>> files);
/// Refuses options that have no meaning where no picture is written: throws InputError for the first of them that is
/// given.
void refuse_picture_options(std::initializer_list<std::pair<const char*, const std::optional<std::string>*>> options);

// --- What a command is ---------------------------------------------------------------------------------------------

/// Runs a subcommand after its options have been read and gives the exit code; of a function that returns nothing, 0.
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

/// A subcommand: `declare` says what it takes and returns what it does; the action keeps the values alive.
struct Command {
  const char* name;
  const char* summary;
  Action (*declare)(Arguments&);
};

/// All subcommands in the order of --help. Adding one: its block in the file of its subject, its declaration here, one
/// line in commands.cpp.
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
Action declare_models(Arguments& arguments);
Action declare_manual(Arguments& arguments);
Action declare_help(Arguments& arguments);

/// The whole program: a subcommand, or the window. Returns the exit code: the command's own (0 for most), or 2 after
/// one line on standard error.
int run_command_line(int argc, char** argv);

/// Writes a command's result to the file of -o, or to standard output where there is none. Throws InputError.
void put_result(const std::optional<std::string>& path, const std::string& content);
/// Writes a result that is made while it is written: after its header piece by piece, each of which `append` puts into
/// an empty text; an empty piece ends it.
void put_result(const std::optional<std::string>& path, const std::string& header,
                const std::function<void(std::string&)>& append);
/// Writes one line on standard error beside a result that is fine: "ropescope: …".
void put_notice(const std::string& sentence);

// --- What was declared ---------------------------------------------------------------------------------------------

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

}  // namespace ropescope
