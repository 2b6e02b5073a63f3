#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/words.h"

namespace CLI {
class App;
}

namespace ropescope {

/// What a subcommand takes, over CLI11: only arguments.cpp, declared.cpp and command_line.cpp include that (slow)
/// header. Targets
/// must live until the command has run. Every value is text; the command reads it, so that its messages name option and
/// expectation.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  enum class Need { optional, required };
  /// "--dim D"; given twice, the last one counts.
  void option(const std::string& name, const std::string& placeholder, std::optional<std::string>& target,
              const std::string& help, Need need = Need::optional);
  /// The same with a help that is a text, read only where --help is asked for.
  void option(const std::string& name, const std::string& placeholder, std::optional<std::string>& target,
              const Words& help);
  /// "--set key=value"; given twice, both count.
  void every(const std::string& name, const std::string& placeholder, std::vector<std::string>& target,
             const std::string& help);
  /// The same for options that share a list: values in the order of the command line, each after its option's name.
  void every(const std::string& name, const std::string& placeholder,
             std::vector<std::pair<std::string, std::string>>& target, const std::string& help);
  void flag(const std::string& name, bool& target, const std::string& help);
  /// A required argument without a name.
  void positional(const std::string& name, std::string& target, const std::string& help);
  /// The same for any number of them.
  void list(const std::string& name, std::vector<std::string>& target, const std::string& help);
  /// Text under the options in --help, made only when it is asked for.
  void footer(std::function<std::string()> text);

  /// Where the options that have been added so far keep their values, by name: "--dim". Not those of every().
  using Targets = std::map<std::string, std::optional<std::string>*, std::less<>>;
  const Targets& targets() const { return targets_; }

 private:
  CLI::App& app_;
  Targets targets_;
};

/// Throws InputError: "--dim is "7"; an even number was expected".
[[noreturn]] void reject(const std::string& option, const std::string& found, const std::string& expected);
/// Throws InputError where two of the files that are to be written are the same, by whatever names.
void require_different_files(std::initializer_list<std::pair<const char*, const std::optional<std::string>*>> files);
/// What has no meaning where no picture is written: throws InputError for the first of these options that is given.
void refuse_picture_options(std::initializer_list<std::pair<const char*, const std::optional<std::string>*>> options);

}  // namespace ropescope
