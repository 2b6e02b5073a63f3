// Every formula of the texts was set, nothing else was, and the files are those that the script makes.

#include "app/resources/formulas.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "app/figure/text_flow.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "core/words.h"
#include "tests/places.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

using testing::ElementsAre;

std::filesystem::path formulas_assets() {
  return std::filesystem::path(source_folder()) / "assets";
}

void collect_tex(const nlohmann::json& value, std::set<std::string>& found) {
  if (value.is_string()) {
    for (std::string& tex : tex_of(value.get<std::string>())) found.insert(std::move(tex));
  } else {
    for (const auto& part : value) collect_tex(part, found);
  }
}

std::set<std::string> tex_of_words() {
  std::set<std::string> found;
  for (const auto& file : std::filesystem::directory_iterator(formulas_assets() / "text")) {
    collect_tex(nlohmann::json::parse(read_file(file.path())), found);
  }
  for (const auto& file : std::filesystem::recursive_directory_iterator(formulas_assets() / "lessons")) {
    if (file.path().extension() != ".md") continue;
    for (std::string& tex : tex_of(read_file(file.path()))) found.insert(std::move(tex));
  }
  return found;
}

TEST(Formulas, EveryFormulaOfTheTextsIsThereAndNoOther) {
  const auto formulas = Formulas::load(formulas_assets());
  std::set<std::string> set;
  for (const Formula& formula : formulas->all()) {
    set.insert(formula.tex);
    EXPECT_GT(formula.width, 0) << formula.tex;
    EXPECT_GT(formula.height + formula.depth, 0) << formula.tex;
    EXPECT_NE(formula.plain, "") << formula.tex;
    EXPECT_EQ(formula.plain.find_first_of("\\${}\""), std::string::npos) << formula.plain;
    EXPECT_THAT(formula.svg, testing::HasSubstr("<path")) << formula.tex;
    EXPECT_EQ(formulas->find(formula.tex), &formula);
  }
  EXPECT_EQ(set, tex_of_words()) << "run assets/formulas/make.mjs";
  EXPECT_GT(set.size(), 50u);
}

TEST(Formulas, LanguagesHaveTheSameOnes) {
  std::vector<std::set<std::string>> each;
  for (const char* language : {"en", "ja", "ko"}) {
    collect_tex(nlohmann::json::parse(read_file(formulas_assets() / "text" / (std::string(language) + ".json"))),
                each.emplace_back());
  }
  EXPECT_EQ(each[1], each[0]);
  EXPECT_EQ(each[2], each[0]);
}

/// Folder in which `npm install mathjax-full@3` was run; "" where there is none.
std::string mathjax_folder() {
  const char* given = std::getenv("MATHJAX");
  return given ? given : "";
}

TEST(Formulas, AreThoseThatTheScriptMakes) {
  if (mathjax_folder().empty() || std::system("node --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "no node, or MATHJAX does not name a folder with mathjax-full";
  }
  const TemporaryFolder made;
  const std::string command =
      "node '" + (formulas_assets() / "formulas" / "make.mjs").string() + "' '" + made.path.string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  std::set<std::string> names, due;
  for (const auto& file : std::filesystem::directory_iterator(made.path)) {
    const std::string name = file.path().filename().string();
    names.insert(name);
    EXPECT_EQ(read_file(file.path()), read_file(formulas_assets() / "formulas" / name)) << name;
  }
  for (const auto& file : std::filesystem::directory_iterator(formulas_assets() / "formulas")) {
    if (file.path().extension() != ".mjs") due.insert(file.path().filename().string());
  }
  EXPECT_EQ(names, due);
}

/// Assets with one formula.
struct SmallAssets {
  TemporaryFolder folder;
  SmallAssets() {
    std::filesystem::create_directories(folder.path / "formulas");
    std::filesystem::create_directories(folder.path / "text");
    write_file(folder.path / "formulas/index.json",
               R"({"formulas": [{"tex": "b^{2i}", "file": "b.svg", "width": 1, "height": 0.7, "depth": 0.2,
                                 "plain": "b²ⁱ"}]})");
    write_file(folder.path / "formulas/b.svg", "<svg/>");
    write_file(folder.path / "text/en.json",
               R"({"a": "{n} is $b^{2i}$", "b": "5 \\$ and $b^{2i}$는", "c": "$HOME/$USER", "d": "no dollar"})");
  }
};

TEST(Formulas, AreOneCharacterWhereTheyAreDrawn) {
  const SmallAssets assets;
  const Text text = Text::load(assets.folder.path, "en", Text::FormulaForm::drawn);
  const std::string words = text.format("a", {{"n", "{2i}"}});
  ASSERT_EQ(words.size(), std::string("{2i} is ").size() + kFormulaSignBytes)
      << "TeX's braces are no places for values";
  const Formula* formula = text.formulas()->at_start(words.substr(words.size() - kFormulaSignBytes));
  ASSERT_NE(formula, nullptr);
  EXPECT_EQ(formula->tex, "b^{2i}");
  EXPECT_EQ(plain_text(text.formulas().get(), words), "{2i} is b²ⁱ");
  EXPECT_EQ(plain_text(text.formulas().get(), text["b"]), "5 $ and b²ⁱ는");
  EXPECT_EQ(text["c"], "$HOME/$USER") << "not in the index";
}

TEST(Formulas, ArePlainUnicodeForTerminals) {
  const SmallAssets assets;
  const Text text = Text::load(assets.folder.path);
  EXPECT_EQ(text["a"], "{n} is b²ⁱ");
  EXPECT_EQ(text["b"], "5 $ and b²ⁱ는");
  EXPECT_EQ(text.formulas(), nullptr);
}

TEST(Formulas, AreRunsOfTheirOwn) {
  const SmallAssets assets;
  const Text text = Text::load(assets.folder.path, "en", Text::FormulaForm::drawn);
  const auto runs = runs_of(text["b"], text.formulas().get());
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].words, "5 $ and ");
  EXPECT_EQ(runs[1].formula, text.formulas()->find("b^{2i}"));
  EXPECT_EQ(runs[2].words, "는");
  EXPECT_EQ(runs_of("words", text.formulas().get()).size(), 1u);
  EXPECT_TRUE(runs_of("", text.formulas().get()).empty());
}

TEST(Formulas, LinesBreakAroundThemAndNeverWithin) {
  const SmallAssets assets;
  const Text text = Text::load(assets.folder.path, "en", Text::FormulaForm::drawn);
  const std::string sign = text.formulas()->with_signs("$b^{2i}$");
  EXPECT_THAT(line_starts("a " + sign + " b"), ElementsAre(2, 2 + kFormulaSignBytes + 1));
  EXPECT_THAT(line_starts(sign + "는 b"), ElementsAre(sign.size() + 4)) << "a particle touches its word";
  EXPECT_THAT(line_starts("(" + sign + ")。"), testing::IsEmpty());
}

TEST(Formulas, AFaultyIndexIsNamed) {
  const SmallAssets assets;
  write_file(assets.folder.path / "formulas/index.json", R"({"formulas": [{"tex": 1}]})");
  EXPECT_THROW(Formulas::load(assets.folder.path), InputError);
  std::filesystem::remove(assets.folder.path / "formulas/index.json");
  EXPECT_THROW(Text::load(assets.folder.path), InputError);
}

}  // namespace
}  // namespace ropescope
