#include "app/views/shared/arguments.h"

#include <set>

#include "app/views/view.h"

namespace ropescope {

namespace {

class KeyCollector : public Fields {
 public:
  std::set<std::string, std::less<>> keys;
  void number(const NumberField& field, double&) override { keys.emplace(field.key); }
  void choice(const ChoiceField& field, std::string&) override { keys.emplace(field.key); }
  void toggle(const ToggleField& field, bool&) override { keys.emplace(field.key); }
  void text(const TextField& field, std::string&) override { keys.emplace(field.key); }
  void range(const RangeField& field, std::optional<Range>&) override { keys.emplace(field.key); }
  void names(const NamesField& field, std::vector<std::string>&) override { keys.emplace(field.key); }
};

}  // namespace

std::vector<std::string> arguments_of(const Experiment& experiment) {
  const View& view = find_view(experiment.view);
  Experiment seen = experiment;
  KeyCollector collector;
  view.describe(collector, seen);
  if (view.compares_ropes) {
    collector.keys.insert({"hidden", "pins", "curves.shown_as", "curves.relative_to"});
  } else {
    seen.pins.clear();
  }
  collector.keys.insert({"notes", "facet.across", "facet.down"});
  std::erase_if(seen.notes, [&](const Note& note) { return note.view != experiment.view; });
  std::vector<std::string> arguments = set_arguments(seen);
  std::erase_if(arguments, [&](const std::string& argument) {
    return !collector.keys.contains(argument.substr(0, argument.find('=')));
  });
  return arguments;
}

std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,=+-";
  if (word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace ropescope
