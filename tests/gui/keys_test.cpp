#include "app/ui/finder.h"

#include "tests/places.h"
#include "tests/test.h"

namespace ropescope::ui {
namespace {

/// "Ctrl+Y, Ctrl+Shift+Z" as two; " and " parts keys as well.
std::set<std::string> keys_of(std::string text) {
  for (std::size_t at = text.find(" and "); at != std::string::npos; at = text.find(" and ")) text.replace(at, 5, ", ");
  std::set<std::string> keys;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(", ", begin), text.size());
    keys.insert(text.substr(begin, end - begin));
    begin = end + 2;
  }
  return keys;
}

/// What stands in the first columns of the tables under "Keyboard" and "Mouse".
std::set<std::string> handbook_keys() {
  std::ifstream file(source_folder() + "/assets/handbook/13-keys.md");
  std::set<std::string> keys;
  std::string line;
  while (std::getline(file, line) && line != "## Keyboard") continue;
  while (std::getline(file, line) && (!line.starts_with("## ") || line == "## Mouse")) {
    if (!line.starts_with("| ") || line.starts_with("| ---") || line.ends_with("| what it does |")) continue;
    keys.merge(keys_of(line.substr(2, line.find(" | ") - 2)));
  }
  return keys;
}

TEST(Keys, TheHandbookAndTheListNameTheSame) {
  const Text text = Text::load(source_folder() + "/assets");
  std::set<std::string> listed;
  for (const KeyLine& line : key_lines(text)) listed.merge(keys_of(line.keys));
  EXPECT_EQ(handbook_keys(), listed);
}

}  // namespace
}  // namespace ropescope::ui
