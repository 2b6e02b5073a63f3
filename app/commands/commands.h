#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/commands/arguments.h"

namespace ropescope {

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

/// All subcommands in the order of --help. Adding one: its file, its declaration here, one line in registry.cpp.
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
Action declare_race(Arguments& arguments);
Action declare_screenshot(Arguments& arguments);
Action declare_lessons(Arguments& arguments);
Action declare_lesson(Arguments& arguments);
Action declare_handout(Arguments& arguments);
Action declare_compare(Arguments& arguments);
Action declare_config(Arguments& arguments);
Action declare_models(Arguments& arguments);
Action declare_manual(Arguments& arguments);

/// The whole program: a subcommand, or the window. Returns the exit code: the command's own (0 for most), or 2 after
/// one line on standard error.
int run_command_line(int argc, char** argv);

/// Writes a command's result to the file of -o, or to standard output where there is none. Throws InputError.
void put_result(const std::optional<std::string>& path, const std::string& content);
/// The same for a result that is made while it is written.
void put_result(const std::optional<std::string>& path, const std::function<std::string_view()>& pieces);
/// One line on standard error beside a result that is fine: "ropescope: …".
void put_notice(const std::string& sentence);

}  // namespace ropescope
