// Every formula of the texts is typeset, nothing else is, and the files are those that the script generates.

#include "app/resources/formulas.h"

#include "app/figure/text_flow.h"
#include "app/resources/files.h"
#include "app/resources/result_cache.h"
#include "app/resources/text.h"
#include "core/message.h"
#include "tests/places.h"
#include "tests/temporary_folder.h"
#include "tests/test.h"

namespace ropescope {
namespace {

fs::path formulas_assets() {
  return fs::path(source_folder()) / "assets";
}

void collect_tex(const json& value, std::set<std::string>& found) {
  if (value.is_string()) {
    for (std::string& tex : tex_of(value.get<std::string>())) found.insert(std::move(tex));
  } else {
    for (const auto& part : value) collect_tex(part, found);
  }
}

std::set<std::string> tex_of_words() {
  std::set<std::string> found;
  for (const auto& file : fs::directory_iterator(formulas_assets() / "text")) {
    collect_tex(json::parse(read_file(file.path())), found);
  }
  for (const auto& file : fs::recursive_directory_iterator(formulas_assets() / "lessons")) {
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
    EXPECT_THAT(formula.svg, HasSubstr("<path")) << formula.tex;
    EXPECT_EQ(formulas->find(formula.tex), &formula);
  }
  EXPECT_EQ(set, tex_of_words()) << "run assets/formulas/make.mjs";
  EXPECT_GT(set.size(), 50u);
}

TEST(Formulas, LanguagesHaveTheSameOnes) {
  std::vector<std::set<std::string>> each;
  for (const char* language : {"en", "ja", "ko"}) {
    collect_tex(json::parse(read_file(formulas_assets() / "text" / (std::string(language) + ".json"))),
                each.emplace_back());
  }
  EXPECT_EQ(each[1], each[0]);
  EXPECT_EQ(each[2], each[0]);
}

/// Every ninth formula of the texts is set once more by the program: to the byte what make.mjs wrote. All of them would
/// take ten seconds.
TEST(Formulas, AreThoseThatTheProgramMakes) {
  const auto formulas = Formulas::load(formulas_assets());
  const TemporaryFolder folder;
  fs::create_directories(folder.path / "formulas");
  fs::copy_file(formulas_assets() / "formulas/mathjax.js", folder.path / "formulas/mathjax.js");
  write_file(folder.path / "formulas/index.json", R"({"formulas": []})");
  const auto own = Formulas::load(folder.path);
  for (std::size_t i = 0; i < formulas->all().size(); i += 9) {
    const Formula& due = formulas->all()[i];
    const Formula& made = own->typeset(due.tex);
    EXPECT_EQ(made.svg, due.svg) << due.tex;
    EXPECT_EQ(made.plain, due.plain);
    EXPECT_EQ(std::tie(made.width, made.height, made.depth), std::tie(due.width, due.height, due.depth)) << due.tex;
    EXPECT_EQ(own->find(due.tex), &made);
    EXPECT_EQ(own->at_start(own->with_signs("$" + due.tex + "$ and on")), &made);
  }
}

TEST(Formulas, TermsAreLitOrUnseenAndTakeTheSameSpace) {
  const auto formulas = Formulas::load(formulas_assets());
  const std::string tex = R"(T(\Delta) \approx \class{term-trend}{1 - (\ln\Delta + 0.577)/\ln b})";
  const std::string words = formulas->with_signs("so $" + tex + "$ is $\\theta$");
  ASSERT_TRUE(formulas->find(tex)) << "a formula of lesson 8";
  const auto at = [&](const std::string& text) { return formulas->at_start(std::string_view(text).substr(3)); };
  const std::string lit = formulas->with_terms(words, {{"trend", 2}}),
                    unseen = formulas->with_terms(words, {{"trend", FormulaTerm::kUnseen}});
  EXPECT_THAT(at(lit)->svg, HasSubstr("class=\"lit2\""));
  EXPECT_THAT(at(lit)->svg, Not(HasSubstr("term-trend")));
  const auto paths = [](const std::string& svg) {
    std::size_t count = 0;
    for (std::size_t i = 0; (i = svg.find("<path", i)) != std::string::npos; ++i) ++count;
    return count;
  };
  EXPECT_EQ(paths(at(lit)->svg), paths(at(words)->svg));
  EXPECT_EQ(paths(at(unseen)->svg), 5u) << "T, (, Δ, ), ≈ are left";
  for (const std::string& changed : {lit, unseen}) {
    EXPECT_EQ(at(changed)->width, at(words)->width);
    EXPECT_EQ(changed.substr(3 + kFormulaSignBytes), words.substr(3 + kFormulaSignBytes)) << "has no such term";
  }
  EXPECT_EQ(formulas->with_terms(words, {{"trend", 2}}), lit) << "made once";
  EXPECT_EQ(formulas->with_terms(words, {{"tren", 2}}), words);
}

/// Marks of figures are called turned_k or lower_bound, and so are the terms of a user's formula.
TEST(Formulas, ATermMayHaveTheNameOfAnyMark) {
  const auto formulas = Formulas::load(formulas_assets());
  for (const std::string name : {"turned_k", "pair.3", "K-1"}) {
    const std::string tex = "\\class{term-" + name + "}{x + 7}";
    EXPECT_THAT(formulas->typeset(tex).svg, HasSubstr("term-" + name + "\"")) << name;
  }
}

struct OwnFormulas : testing::Test {
  std::shared_ptr<const Formulas> formulas = Formulas::load(formulas_assets());

  /// What is said of a formula that cannot be set.
  std::string refusal(std::string_view tex) {
    try {
      formulas->typeset(tex);
      return "set";
    } catch (const InputError& error) {
      return error.what();
    }
  }
};

TEST_F(OwnFormulas, StandInTextsLikeTheOthers) {
  EXPECT_EQ(formulas->with_signs(R"($\frac{\partial f}{\partial x}$)"), R"($\frac{\partial f}{\partial x}$)");
  EXPECT_EQ(formulas->find(R"(\int_0^1 \frac{dx}{x})"), nullptr);
  const Formula& integral = formulas->typeset(R"(\int_0^1 \frac{dx}{x})");
  EXPECT_GT(integral.height, 0.9);
  EXPECT_GT(integral.depth, 0.3);
  EXPECT_EQ(integral.plain, R"(\int_0^1 \frac(dx)(x))") << "plain.mjs knows no integral";
  const Formula& sum = formulas->typeset(R"(\sum_{i=1}^{7} x_i + \q)");
  EXPECT_EQ(sum.plain, "Σᵢ₌₁⁷ xᵢ + q");
  EXPECT_THAT(sum.svg, HasSubstr("query"));
  // Japanese and Korean are an em a character wide.
  const double one = formulas->typeset(R"(x = \text{底})").width;
  EXPECT_NEAR(formulas->typeset(R"(x = \text{底は正})").width, one + 2, 0.01);
  EXPECT_NEAR(formulas->typeset(R"(x = \text{밑은 양수})").width, one + 3.25, 0.3) << "with a space";
  EXPECT_EQ(formulas->plain(formulas->with_signs(R"(a $\sum_{i=1}^{7} x_i + \q$ b)")), "a Σᵢ₌₁⁷ xᵢ + q b");
  EXPECT_EQ(formulas->all().size(), Formulas::load(formulas_assets())->all().size());
}

TEST_F(OwnFormulas, HostileOnesEndInAMessage) {
  EXPECT_THAT(refusal(R"(\notacommand)"), HasSubstr(R"(Undefined control sequence \notacommand)"));
  EXPECT_THAT(refusal("{a"), HasSubstr("brace"));
  EXPECT_THAT(refusal("a}"), HasSubstr("brace"));
  EXPECT_THAT(refusal(R"(\frac{a})"), HasSubstr("argument"));
  EXPECT_THAT(refusal("नमस्ते"), HasSubstr("glyph"));
  EXPECT_THAT(refusal(R"(\def\x{\x\x}\x)"), HasSubstr("Undefined"));
  EXPECT_THAT(refusal("\xff\xfe"), Not("set"));
  // What a page would take for more than a colour is not carried over.
  const Formula& named =
      formulas->typeset(R"(\class{"><script>}{x} + \href{javascript:1}{y} + \style{fill:url(#a)}{z})");
  EXPECT_EQ(named.svg.find("script"), std::string::npos);
  EXPECT_EQ(named.svg.find("url"), std::string::npos);
  // The one after is set as if nothing had been.
  EXPECT_EQ(formulas->typeset("x_{33}").svg, Formulas::load(formulas_assets())->typeset("x_{33}").svg);
}

TEST_F(OwnFormulas, TooCostlyOnesEndInAMessageAndAreTriedThreeTimes) {
  std::string deep = "x";
  for (int i = 0; i < 200; ++i) deep = R"(\sqrt{\frac{)" + deep + "}{" + deep.substr(0, 40) + "}}";
  EXPECT_THAT(refusal(deep), Not("set"));
  std::string wide;
  for (int i = 0; i < 400; ++i) wide += R"(\frac{a}{b})";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(refusal(wide), "error.formulas.costly") << i;
  EXPECT_EQ(refusal("x_{34}"), "error.formulas.costly") << "no other is tried";
}

TEST_F(OwnFormulas, AreKeptBetweenTwoStarts) {
  const TemporaryFolder folder;
  const auto shelf = std::make_shared<ResultCache>(folder.path / "formulas");
  formulas->keep_on(shelf);
  const std::string svg = formulas->typeset("x_{33}").svg;
  formulas->keep();
  const std::optional<std::string> kept = shelf->read("formulas.json");
  ASSERT_TRUE(kept);
  EXPECT_THAT(*kept, HasSubstr("x_{33}"));
  // Read back rather than set: what was changed in the file is what comes.
  json changed = json::parse(*kept);
  changed["formulas"]["x_{33}"]["plain"] = "kept";
  const std::string text = changed.dump();
  const std::string_view pieces[] = {text};
  shelf->write("formulas.json", pieces);
  const auto later = Formulas::load(formulas_assets());
  later->keep_on(shelf);
  EXPECT_EQ(later->typeset("x_{33}").plain, "kept");
  EXPECT_EQ(later->typeset("x_{33}").svg, svg);
  // Of another script, or no such file at all: they are set again.
  changed["script"] = 1;
  for (const std::string& other :
       {changed.dump(), std::string("{]"), std::string(R"({"script": [], "formulas": 3})")}) {
    const std::string_view damaged[] = {other};
    shelf->write("formulas.json", damaged);
    const auto again = Formulas::load(formulas_assets());
    again->keep_on(shelf);
    EXPECT_EQ(again->typeset("x_{33}").plain, "x₃₃") << other;
  }
}

/// Assets with one formula.
struct SmallAssets {
  TemporaryFolder folder;
  SmallAssets() {
    fs::create_directories(folder.path / "formulas");
    fs::create_directories(folder.path / "text");
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
  EXPECT_THAT(line_starts("(" + sign + ")。"), IsEmpty());
}

TEST(Formulas, AFaultyIndexIsNamed) {
  const SmallAssets assets;
  write_file(assets.folder.path / "formulas/index.json", R"({"formulas": [{"tex": 1}]})");
  EXPECT_THROW(Formulas::load(assets.folder.path), InputError);
  fs::remove(assets.folder.path / "formulas/index.json");
  EXPECT_THROW(Text::load(assets.folder.path), InputError);
}

}  // namespace
}  // namespace ropescope
