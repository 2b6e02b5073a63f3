// --help, by the registry of commands: every command and option is described in every language, from assets/text.

#include "tests/command_line/program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

/// The column in which descriptions begin, and the last one of a line.
constexpr std::size_t kDescriptions = 30, kColumns = 80;

Words command_names(const Workplace& place) {
  const std::string help = place.good({"--help"});
  const std::string list = help.substr(help.find("Subcommands:"));
  const std::regex pattern("\n  ([a-z]+) ");
  Words names;
  for (std::sregex_iterator match(list.begin(), list.end(), pattern), end; match != end; ++match) {
    names.push_back((*match)[1]);
  }
  return names;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

/// Returns whether the output contains the text with some values, however it is broken into lines.
bool contains(const std::string& help, const std::string& text) {
  const std::string all = without_blanks(help);
  std::size_t at = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('{', begin), text.size());
    const std::string part = without_blanks(text.substr(begin, end - begin));
    at = all.find(part, at);
    if (at == std::string::npos) return false;
    at += part.size();
    begin = std::min(text.find('}', end), text.size() - 1) + 1;
  }
  return true;
}

/// Whether a description begins in its column, whatever is before it.
bool is_described(const std::string& line) {
  std::size_t at = 0;
  while (at < line.size() && (screen_width(line.substr(0, at)) < kDescriptions || (line[at] & 0xC0) == 0x80)) ++at;
  return at > 0 && at < line.size() && line[at] != ' ' && line[at - 1] == ' ';
}

/// Every option has a description next to its name or below it.
void expect_descriptions(const std::string& help) {
  std::istringstream lines(help);
  std::string line, option;
  while (std::getline(lines, line)) {
    if (!option.empty()) {
      EXPECT_TRUE(line.starts_with(std::string(kDescriptions, ' ')) && is_described(line)) << option;
    }
    // A long name has a line of its own.
    option = line.starts_with("  -") && !is_described(line) ? line : "";
    if (screen_width(option) < kDescriptions) {
      EXPECT_EQ(option, "");
    }
    if (line.starts_with(std::string(kDescriptions, ' '))) {
      EXPECT_LE(screen_width(line), kColumns) << line;
    }
  }
}

class HelpLanguage : public testing::TestWithParam<std::string> {};

TEST_P(HelpLanguage, DescribesEveryCommandAndOption) {
  const Workplace place;
  const Text text = Text::load(source_folder() + "/assets", GetParam());
  const Words names = command_names(place);
  ASSERT_GE(names.size(), 28U);
  std::map<std::string, std::string> helps{{"ropescope", place.good({"--help", "--language", GetParam()})}};
  std::string all = helps["ropescope"];
  for (const std::string& name : names) {
    helps[name] = place.good({name, "--help", "all", "--language", GetParam()});
    EXPECT_THAT(helps[name], HasSubstr(text["help.label.Usage"] + ": ropescope " + name));
    EXPECT_TRUE(contains(helps["ropescope"], text["help." + name + ".about"])) << name;
    expect_descriptions(helps[name]);
    all += helps[name];
  }
  all += place.good({"render", "--help", "--language", GetParam()});  // it names the topics
  for (const auto& [key, words] : text.all()) {
    if (!key.starts_with("help.")) continue;
    EXPECT_FALSE(words.empty()) << key;
    const auto own = helps.find(key.substr(5, key.find('.', 5) - 5));
    EXPECT_TRUE(contains(own == helps.end() ? all : own->second, words)) << key << " is nowhere: " << words;
  }
}

INSTANTIATE_TEST_SUITE_P(All, HelpLanguage, testing::Values("en", "ja", "ko"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace ropescope
