// The manual page and the completions contain everything that the --help of each subcommand contains.

#include "tests/command_line/program.h"

namespace ropescope {
namespace {

using Manual = InWorkplace;

Words find_all_matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  Words names;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) {
    names.push_back((*match)[1]);
  }
  return names;
}

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

TEST_F(Manual, HoldsEverySubcommandAndOption) {
  const std::string help = place.good({"--help"});
  const Words commands = find_all_matches(help.substr(help.find("Subcommands:")), R"(\n  ([a-z]+) )");
  ASSERT_GE(commands.size(), 24u);
  const std::string page = without_backslashes(place.good({"manual"}));
  const std::string bash = place.good({"manual", "--as", "bash"}), zsh = place.good({"manual", "--as", "zsh"}),
                    fish = place.good({"manual", "--as", "fish"});
  for (const std::string& command : commands) {
    EXPECT_THAT(page, HasSubstr(".SS \"ropescope " + command + "\""));
    EXPECT_THAT(bash, HasSubstr("\n    " + command + ")"));
    EXPECT_THAT(zsh, HasSubstr("\n    " + command + ")"));
    EXPECT_THAT(fish, HasSubstr("__fish_use_subcommand -a " + command + " "));
    const std::string section = page.substr(page.find("ropescope " + command + "\""));
    for (const std::string& option :
         find_all_matches(place.good({command, "--help", "all"}), R"(\n  (?:-\w,)?(--[a-z0-9-]+))")) {
      EXPECT_THAT(section, HasSubstr("fB" + option)) << command;
      EXPECT_THAT(bash, HasSubstr(option)) << command;
      EXPECT_THAT(zsh, HasSubstr("*" + option + "[")) << command;
      EXPECT_THAT(fish, HasSubstr(" -l " + option.substr(2))) << command;
    }
  }
}

TEST_F(Manual, BashCompletesNamesChoicesAndFiles) {
  place.write("completion", place.good({"manual", "--as", "bash"}));
  place.write("tables.npy", "");
  const auto completed = [&](const std::string& words, int at) {
    place.write("ask.sh", ". ./completion\nCOMP_WORDS=(" + words + ")\nCOMP_CWORD=" + std::to_string(at) +
                              "\n_ropescope\nprintf '%s ' \"${COMPREPLY[@]}\" > answer\n");
    const std::string command = "cd '" + place.path("").string() + "' && bash ask.sh";
    EXPECT_EQ(std::system(command.c_str()), 0);
    return place.read("answer");
  };
  EXPECT_THAT(completed("ropescope chec", 1), HasSubstr("check "));
  EXPECT_EQ(completed("ropescope layout flu", 2), "flux.1 flux.1-kontext flux.2 ");
  EXPECT_EQ(completed("ropescope render decay --theme l", 4), "light ");
  EXPECT_EQ(completed("ropescope config gemma-3", 2), "gemma-3-4b-it ");
  EXPECT_EQ(completed("ropescope decay --config gemma-3", 3), "gemma-3-4b-it ");
  EXPECT_EQ(completed("ropescope gemma-3", 1), "gemma-3-4b-it ");
  EXPECT_EQ(completed("ropescope check --cos tab", 3), "tables.npy ");
  EXPECT_EQ(completed("ropescope render --out", 2), "--outlines --output ");
}

}  // namespace
}  // namespace ropescope
