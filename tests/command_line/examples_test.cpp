// Examples of assets/examples: each gives the verdict, the cause and the exit code of the index.

#include "app/resources/models.h"
#include "tests/command_line/program.h"
#include "tests/json.h"
#include "tests/said.h"

namespace ropescope {
namespace {

using Examples = InWorkplace;

std::vector<CheckExample> examples() {
  return load_examples(source_folder() + "/assets");
}

TEST_F(Examples, GiveTheVerdictOfTheIndex) {
  int checked = 0;
  for (const CheckExample& example : examples()) {
    if (example.command != "check") continue;
    const Outcome outcome = place.run({"check", "--example", example.name, "--json"});
    ASSERT_EQ(outcome.exit_code, example.exit_code) << example.name << ": " << outcome.errors;
    EXPECT_THAT(outcome.errors, StartsWith("$ ropescope check ")) << example.name;
    const auto report = json::parse(outcome.output);
    EXPECT_EQ(report["verdict"], example.verdict.value_or("")) << example.name;
    EXPECT_EQ(example.cause.has_value(), example.exit_code == 1) << example.name;
    if (example.cause) EXPECT_EQ(report["causes"][0]["name"], *example.cause) << example.name;
    ++checked;
  }
  EXPECT_GE(checked, 7);
}

TEST_F(Examples, OfOtherCommandsRunAsListed) {
  for (const CheckExample& example : examples()) {
    if (example.command == "check") continue;
    place.bad({"check", "--example", example.name}, {example.name, "ropescope " + example.command});
    Words line = example.arguments;
    line.insert(line.begin(), example.command);
    place.good(line);
  }
}

TEST_F(Examples, AreSmallAndHaveTitlesInEveryLanguage) {
  const Words known = languages(source_folder() + "/assets");
  std::set<std::string> names;
  for (const CheckExample& example : examples()) {
    EXPECT_TRUE(names.insert(example.name).second) << example.name;
    for (const std::string& language : known) EXPECT_FALSE(example.titles.at(language).empty());
  }
  for (const auto& entry : fs::directory_iterator(source_folder() + "/assets/examples")) {
    if (entry.is_regular_file()) EXPECT_LT(entry.file_size(), 30'000u) << entry.path();
  }
}

TEST_F(Examples, AreListed) {
  const std::string text = place.good({"examples"});
  const auto list = json::parse(place.good({"examples", "--json"}))["examples"];
  ASSERT_EQ(list.size(), examples().size());
  for (const auto& each : list) EXPECT_THAT(text, HasSubstr(each["name"].get<std::string>()));
  place.bad({"check", "--example", "flux-axis"}, {"flux-axis", "flux-axes-swapped"});
  EXPECT_EQ(place.run({"check", "--example=flux"}).exit_code, 0);
}

}  // namespace
}  // namespace ropescope
