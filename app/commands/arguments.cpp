#include "app/commands/arguments.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <memory>

#include "app/resources/files.h"
#include "app/resources/text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

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

[[noreturn]] void reject(const std::string& option, const std::string& found, const std::string& expected) {
  throw InputError(option + " is " + in_quotes(found) + "; " + expected + " was expected");
}

void require_different_files(std::initializer_list<std::pair<const char*, const std::optional<std::string>*>> files) {
  const auto place = [](const std::string& path) {
    std::error_code error;
    // Of what is not there yet, weakly_canonical() alone leaves "x" as it is and makes "./x" whole.
    const std::filesystem::path whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
    return error ? std::filesystem::path(path) : whole;
  };
  for (auto one = files.begin(); one != files.end(); ++one) {
    for (auto other = one + 1; other != files.end(); ++other) {
      if (!*one->second || !*other->second || place(**one->second) != place(**other->second)) continue;
      throw InputError(std::string(one->first) + " and " + other->first + " are both " + in_quotes(**other->second) +
                       "; a file for each was expected");
    }
  }
}

void refuse_picture_options(std::initializer_list<std::pair<const char*, const std::optional<std::string>*>> options) {
  for (const auto& [name, value] : options) {
    if (!*value) continue;
    throw InputError(
        std::string(name) +
        " is given, but no picture is written; -o with a name that ends in .png, .svg or .pdf was expected");
  }
}

}  // namespace ropescope
