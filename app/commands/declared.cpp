#include "app/commands/declared.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/language_option.h"
#include "app/lessons/lesson.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/views/view.h"
#include "core/encodings/encoding.h"
#include "core/layouts/layout.h"

namespace ropescope {

namespace {

template <class Entries, class Name>
std::vector<std::string> names_of_declared(const Entries& entries, Name name) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.emplace_back(name(entry));
  return names;
}

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
  if (placeholder == "VIEW") return names_of_declared(all_views(), [](const View* view) { return view->id; });
  const bool of_layout = command == "layout" || command == "similarity";
  if (option == "--layout" || (option == "NAME" && of_layout)) {
    return names_of_declared(all_layouts(), [](const Layout& layout) { return layout.name; });
  }
  if (option == "--encoding" || option == "NAME") {
    return names_of_declared(all_encodings(), [](const Encoding& encoding) { return encoding.name; });
  }
  if (placeholder == "PRESET") {
    return names_of_declared(load_presets(find_places().assets), [](const Preset& preset) { return preset.id; });
  }
  if (placeholder == "LESSON" || option == "--lesson") {
    return names_of_declared(list_lessons(find_places().assets), [](const LessonEntry& entry) { return entry.id; });
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

}  // namespace ropescope
