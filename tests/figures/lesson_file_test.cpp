// The format of a lesson: what is parsed, and the errors reported for everything else.

#include "app/lessons/lesson.h"
#include "app/lessons/read_lesson.h"
#include "app/lessons/step_page.h"
#include "app/resources/formulas.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

constexpr const char* kWhole = R"(# A title

6 minutes. Afterwards you can tell.

## First things first {first}

<!-- misconception 3 -->

```set
view = decay
rope.base = 500
sweep = rope.base 100 -> 10000 in 6 s log
point = rope.base, similarity
```

It *falls*, $e^{i\pi} = -1$, to {decay.lowest}.

- one
- two

```ask
choice = What is it?
- a thing : with words : decay.trend < 12
- another
after = It is {decay.trend}.
```

```notes
Say: this.
```

## Second {second, reserve}

```ask
number = How many?
answer = decay.lowest
slider = 1 to 64 log
after = So many.
cover = bound
```
)";

std::vector<std::string> said_of(const Lesson& lesson) {
  const Text text = Text::load(kAssets);
  std::vector<std::string> said;
  for (const LessonError& fault : lesson.faults)
    said.push_back(std::to_string(fault.line) + ": " + text.render(fault.reason));
  return said;
}

TEST(LessonFile, IsReadWhole) {
  const Lesson lesson = read_lesson(kWhole, "own.md");
  EXPECT_THAT(said_of(lesson), ElementsAre());
  EXPECT_EQ(lesson.title, "A title");
  EXPECT_EQ(lesson.minutes, 6);
  ASSERT_EQ(lesson.steps.size(), 2u);
  const LessonStep& first = lesson.steps[0];
  EXPECT_EQ(first.name, "first");
  EXPECT_EQ(first.title, "First things first");
  EXPECT_FALSE(first.reserve);
  EXPECT_EQ(first.line, 5);
  EXPECT_THAT(first.remarks, ElementsAre("misconception 3"));
  ASSERT_EQ(first.set.size(), 2u);
  EXPECT_EQ(first.set[1].key, "rope.base");
  EXPECT_EQ(first.set[1].value, "500");
  EXPECT_EQ(first.set[1].line, 11);
  ASSERT_EQ(first.sweeps.size(), 1u);
  EXPECT_EQ(first.sweeps[0].moved.values.back(), 10000);
  EXPECT_TRUE(first.sweeps[0].moved.logarithmic);
  EXPECT_EQ(first.sweeps[0].seconds, 6);
  EXPECT_THAT(first.points, ElementsAre("rope.base", "similarity"));
  ASSERT_EQ(first.text.size(), 3u);
  EXPECT_EQ(text_of(first.text[0]), "It falls, $e^{i\\pi} = -1$, to {decay.lowest}.");
  ASSERT_EQ(first.text[0].words.size(), 3u);
  EXPECT_TRUE(first.text[0].words[1].strong);
  EXPECT_TRUE(first.text[1].item);
  ASSERT_TRUE(first.ask);
  ASSERT_EQ(first.ask->choices.size(), 2u);
  EXPECT_EQ(first.ask->choices[0].text, "a thing : with words");
  EXPECT_EQ(first.ask->choices[0].when->readout, "decay.trend");
  EXPECT_FALSE(first.ask->choices[1].when);
  EXPECT_EQ(text_of(first.notes.at(0)), "Say: this.");
  const LessonStep& second = lesson.steps[1];
  EXPECT_TRUE(second.reserve);
  EXPECT_EQ(second.ask->kind, LessonAsk::Kind::number);
  EXPECT_EQ(second.ask->low, 1);
  EXPECT_TRUE(second.ask->logarithmic);
  EXPECT_THAT(second.ask->cover, ElementsAre("bound"));
}

/// The words of a step whose text is this, those that are code in angle brackets.
std::string read_step_words(const std::string& text) {
  const Lesson lesson = read_lesson("# T\n\n## S {s}\n\n" + text + "\n", "file", false);
  std::string words;
  for (const LessonParagraph& paragraph : lesson.steps.at(0).text) {
    for (const LessonWords& of : paragraph.words) words += of.code ? "<" + of.text + ">" : of.text;
    words += "|";
  }
  return words;
}

// md4c from 0.5.1 on takes none of these that touch a letter for a formula.
TEST(LessonFile, AFormulaStandsBesideAnyLetter) {
  EXPECT_EQ(read_step_words("각 $\\theta_i$는 $m$과 $n$의 차이"), "각 $\\theta_i$는 $m$과 $n$의 차이|");
  EXPECT_EQ(read_step_words("角$\\theta$は$m$だけ"), "角$\\theta$は$m$だけ|");
  EXPECT_EQ(read_step_words("a $x_1 * y_1$b and c$z * w$"), "a $x_1 * y_1$b and c$z * w$|");
  EXPECT_EQ(read_step_words("all $$x = \\frac{1}{2}$$ of it"), "all $\\displaystyle x = \\frac{1}{2}$ of it|");
  EXPECT_EQ(read_step_words("over $a +\nb$ lines"), "over $a + b$ lines|");
}

TEST(LessonFile, ADollarThatIsNoFormulasStaysOne) {
  EXPECT_EQ(read_step_words("it costs \\$5 and \\$6"), "it costs \\$5 and \\$6|");
  EXPECT_EQ(read_step_words("it costs $5"), "it costs \\$5|");
  EXPECT_EQ(read_step_words("one $5\n\ntwo 6$"), "one \\$5|two 6\\$|");
  EXPECT_EQ(read_step_words("code `a $x$ b` and `$` and $y$"), "code <a $x$ b> and <$> and $y$|");
  EXPECT_EQ(read_step_words("``a ` $b`` and $c$"), "<a ` $b> and $c$|");
  EXPECT_EQ(read_step_words("```\na $x\n\n$y$\n```\n\nthen $z$"), "<a $x\n\n$y$\n>|then $z$|");
  EXPECT_EQ(read_step_words("$a$$b$ and $$$"), "\\$a\\$\\$b\\$ and \\$\\$\\$|");
  // Nothing of one paragraph, item or heading reaches into another.
  EXPECT_EQ(read_step_words("- costs $5\n- and $x$ is"), "costs \\$5|and $x$ is|");
  EXPECT_EQ(read_step_words("### Costs $5\nText with $x$"), "Costs \\$5|Text with $x$|");
  EXPECT_EQ(read_step_words("<!-- eq $5 -->\n\nText $x$ f"), "Text $x$ f|");
  EXPECT_EQ(read_step_words("~~~\n5$\n~~~\nthen $x$"), "<5$\n>|then $x$|");
  EXPECT_EQ(read_step_words("```a $x$ b``` and $y$\n\nthen $z$"), "<a $x$ b> and $y$|then $z$|");
}

TEST(LessonFile, FormulasAndCodeDoNotMix) {
  EXPECT_EQ(read_step_words("$x$`code`$y$"), "$x$<code>$y$|");
  EXPECT_EQ(read_step_words("press the ` key, then $x$ here"), "press the ` key, then $x$ here|");
  EXPECT_EQ(read_step_words("`$`$a_1 * a_2$`*`"), "<$>$a_1 * a_2$<*>|");
  EXPECT_EQ(read_step_words("$a \\{ b \\$ c$ d"), "$a \\{ b \\$ c$ d|");
}

TEST(LessonFile, AFormulaMayGoOverLines) {
  EXPECT_EQ(read_step_words("of $\na + b$ c"), "of $ a + b$ c|");
  EXPECT_EQ(read_step_words("all $$\r\nx = 1\r\n$$ of"), "all $\\displaystyle  x = 1 $ of|");
  EXPECT_EQ(read_step_words("- in $a +\n  b$ an item"), "in $a + b$ an item|");
}

// What every lecture with many formulas has; a scan for each of them would take minutes.
TEST(LessonFile, ManyFormulasInAParagraphAreAllFound) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "$a$ ";
  EXPECT_EQ(find_formulas(text).size(), 20000u);
}

/// Matches a fault of this line, as said_of() says it.
auto at(int line, const std::string& key, const TextValues& values) {
  return AllOf(StartsWith(std::to_string(line) + ": "), Says(key, values));
}

TEST(LessonFile, SaysEachFaultByItsLine) {
  const Lesson lesson = read_lesson(
      "```set\nview = decay\n```\n\n"
      "## One {One}\n\n"
      "```set\nno equals\nsweep = rope.base 1 to 2\n```\n\n"
      "```ask\nchoice = Which?\n- a : decay.trend near 3\nwhat = this\n```\n\n"
      "```python\nimport os\n```\n\n"
      "## One more\n\n<b>bold</b>\n",
      "own.md");
  EXPECT_THAT(
      said_of(lesson),
      testing::UnorderedElementsAre(
          at(1, "lesson.fault.no_title", {}), at(1, "lesson.fault.block_before_step", {{"block", "set"}}),
          at(5, "lesson.fault.braces", {{"found", "One"}}), at(8, "lesson.fault.no_equals", {{"found", "no equals"}}),
          at(9, "lesson.fault.sweep", {{"found", "rope.base 1 to 2"}}),
          at(14, "error.lesson.condition", {{"found", "decay.trend near 3"}}),
          at(15, "lesson.fault.ask_line", {{"found", "what = this"}}),
          at(12, "lesson.fault.ask_lacks", {{"what", "after"}}), at(12, "lesson.fault.ask_lacks", {{"what", "- …"}}),
          at(18, "lesson.fault.block", {{"block", "python"}}), at(22, "lesson.fault.no_name", {{"title", "One more"}}),
          at(24, "lesson.fault.html", {})));
}

TEST(LessonFile, WhatLessonsDoNotShowIsReportedWithItsLine) {
  const auto keys = [](const std::string& words) {
    std::vector<std::string> found;
    for (const LessonError& fault : read_lesson("# T\n\n## One {one}\n\n" + words + "\n", "own.md").faults) {
      found.push_back(std::to_string(fault.line) + " " + fault.reason.key);
    }
    return found;
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(keys("First.\n\nAn open $$x^2 formula."), Keys{"7 lesson.fault.dollar"});
  EXPECT_EQ(keys("It costs\n\\$5, and $x is open."), Keys{"6 lesson.fault.dollar"});
  EXPECT_EQ(keys("Costs \\$5, $x$ and $$y$$, and `$HOME`."), Keys{});
  EXPECT_EQ(keys("| a | b |\n|---|:-:|\n| 1 | 2 |"), Keys{"5 lesson.fault.table"});
  EXPECT_EQ(keys("Words | bars - dashes, $|-x| - |y|$."), Keys{});
  EXPECT_EQ(keys("See\n![a curve](curve.png)."), Keys{"6 lesson.fault.picture"});
  for (const std::string mark : {"lihgt a = pin1", "bild a", "with formulas", "wiht formula"}) {
    EXPECT_EQ(keys("$\\class{term-a}{x}$\n\n<!-- " + mark + " -->\n\nWords."), Keys{"7 lesson.fault.mark"}) << mark;
  }
  EXPECT_EQ(keys("Three $$$ are no formula."), Keys{"5 lesson.fault.dollar"});
  EXPECT_EQ(keys("Two \\\\$x."), Keys{"5 lesson.fault.dollar"});
  EXPECT_EQ(keys("See\nthis ![](curve.png)"), Keys{"6 lesson.fault.picture"});
  for (const std::string mark : {"with formula", "light a = pin1", "eq 12, 13", "misconception 4", "right answer", "a",
                                 "built in", "with colour", "formula", "first formula", "list all"}) {
    EXPECT_EQ(keys("$\\class{term-a}{x}$\n\n<!-- " + mark + " -->\n\nWords."), Keys{}) << mark;
  }
}

TEST(LessonFile, AMarkNeedsTheFormulaAndTheTermThatItNames) {
  const std::string formula = R"($\class{term-a}{x} + \class{term-b}{y}$)";
  const Lesson lesson = read_lesson("# T\n\n## One {one}\n\nWords.\n\n" + formula +
                                        "\n\n<!-- light a = pin1, b -->\n\nFirst.\n\n<!-- build a -->\n\nSecond.\n\n"
                                        "Third.\n\n<!-- with formula -->\n\nFourth.\n\n<!-- light c -->\n\nFifth " +
                                        formula + ".\n\n<!-- light b -->\n\nSixth " + formula +
                                        ".\n\n<!-- light a! -->\n\nSeventh " + formula + ".\n",
                                    "own.md");
  EXPECT_THAT(said_of(lesson),
              ElementsAre(at(21, "lesson.fault.no_formula", {}), at(25, "lesson.fault.no_term", {{"term", "c"}}),
                          at(33, "lesson.fault.term_name", {{"term", "a!"}})));
  const std::vector<LessonParagraph>& text = lesson.steps.at(0).text;
  EXPECT_THAT(text.at(2).lit, ElementsAre(LessonTerm{"a", "pin1"}, LessonTerm{"b", "b"}));
  EXPECT_TRUE(text[2].with_formula && text[3].with_formula) << "the formula is on their pages";
  EXPECT_FALSE(text[7].with_formula) << "has it itself";
  EXPECT_TRUE(text[3].builds && !text[2].builds && text[4].lit.empty());
  EXPECT_EQ(find_formulas_before(text, 3), std::pair(std::size_t{1}, std::size_t{2}));
}

/// A formula that is wider than its column is split before signs, but not before one that belongs to a letter.
TEST(LessonFile, AWideFormulaIsSplitBeforeSignsThatStandAlone) {
  const std::string tex =
      "a^+ + b_- + c + d + e + f + g + h + i + j + r + s \\not= t^- - u_+ + v^= + w + x + y + z + a + b";
  Lesson lesson = read_lesson("# T\n\n## One {one}\n\n$" + tex + "$\n", "own.md");
  const std::shared_ptr<const Formulas> formulas = Formulas::load(kAssets);
  set_formulas(lesson, *formulas, true);
  EXPECT_THAT(said_of(lesson), IsEmpty());
  std::string together;
  std::size_t pieces = 0;
  const std::string words = text_of(lesson.steps.at(0).text.at(0));
  for (std::size_t at = 0; at < words.size(); ++at) {
    const Formula* piece = formulas->at_start(std::string_view(words).substr(at));
    if (!piece) continue;
    at += kFormulaSignBytes - 1;
    ++pieces;
    const std::string own = piece->tex.starts_with("{}") ? piece->tex.substr(2) : piece->tex;
    together += own;
    for (const char* open : {"^", "_", "\\not"}) EXPECT_FALSE(own.ends_with(open)) << own;
  }
  EXPECT_EQ(together, tex);
  EXPECT_GT(pieces, 3u);
}

TEST(LessonFile, WhateverStandsInItIsRead) {
  for (const std::string& bytes :
       {std::string(), std::string(3, '\0'), std::string("\xff\xfe# x"), std::string(5000, '>'), std::string("## {"),
        std::string("```ask"), std::string("## a {a}\n```ask\n- \n=\n```"),
        std::string("# \\$ {a} \\{\n\n## $x$ {b}")}) {
    const Lesson lesson = read_lesson(bytes, "own.md");
    EXPECT_EQ(lesson.faults.empty(), !lesson.title.empty() && !lesson.steps.empty()) << bytes;
  }
}

TEST(LessonCondition, ComparesAsWritten) {
  EXPECT_TRUE(holds(parse_condition("a.b < 2"), 1.999));
  EXPECT_FALSE(holds(parse_condition("a.b < 2"), 2));
  EXPECT_TRUE(holds(parse_condition("a > -1e-9"), 0));
  EXPECT_TRUE(holds(parse_condition("a >= 2"), 2) && holds(parse_condition("a <= 2"), 2));
  EXPECT_FALSE(holds(parse_condition("a >= 2"), 1.999) || holds(parse_condition("a <= 2"), 2.001));
  EXPECT_TRUE(holds(parse_condition("a = 100"), 100 + 0.9e-7));
  EXPECT_FALSE(holds(parse_condition("a = 100"), 100 + 1.1e-7));
  EXPECT_TRUE(holds(parse_condition("a = 5 ± 0.5"), 5.5));
  EXPECT_FALSE(holds(parse_condition("a = 5 ± 0.5"), 5.51));
  EXPECT_FALSE(holds(parse_condition("a = 0"), 1e-300));
  for (const char* wrong :
       {"", "a", "a <", "< 3", "a b = 3", "a = x", "a < 3 ± 1", "a = 3 ± -1", "a = 3 4", "a == 3", "a >= 3 ± 1"}) {
    EXPECT_THROW(parse_condition(wrong), InputError) << wrong;
  }
}

TEST(LessonTranslation, TakesWordsAndSaysWhatItLacks) {
  Lesson lesson = read_lesson(kWhole, "en.md");
  Lesson words = read_lesson(
      "# 題\n\n6 分。\n\n## 最初 {first}\n\n$e^{i\\pi} = -1$ まで。\n\n```ask\nchoice = 何ですか。\n- これ\n- "
      "それ\nafter = "
      "{decay.trend} です。\n```\n\n## ほか {other}\n",
      "ja.md", true);
  words.language = "ja";
  translate(lesson, words);
  EXPECT_EQ(lesson.title, "題");
  EXPECT_EQ(lesson.steps[0].title, "最初");
  EXPECT_EQ(lesson.steps[0].set.size(), 2u);
  EXPECT_EQ(lesson.steps[0].ask->choices[0].text, "これ");
  EXPECT_TRUE(lesson.steps[0].ask->choices[0].when);
  EXPECT_THAT(said_of(lesson),
              testing::UnorderedElementsAre(
                  Says("lesson.fault.translation_lacks", {{"step", "first"}, {"what", "{decay.lowest}"}}),
                  Says("lesson.fault.translation_step", {{"step", "second"}}),
                  Says("lesson.fault.translation_unknown_step", {{"step", "other"}})));
}

TEST(LessonAnswer, EndsTheRightChoiceAsTheWordsAfterItDo) {
  ViewResult shown;
  shown.readouts.push_back({"decay.trend", "Trend", Quantity{as_whole(5)}, "5", "", ""});
  const auto answer = [&](const std::string& after) {
    const Lesson lesson = read_lesson(
        "# T\n\n1 minute.\n\n## S {s}\n\n```ask\nchoice = C\n- a : decay.trend = 5\n- b\nafter = " + after + "\n```\n",
        "en.md");
    return text_of(blocks_of(lesson.steps[0], {}, shown).back().said);
  };
  EXPECT_EQ(answer("It is {decay.trend}."), "1  a. It is 5.");
  EXPECT_EQ(answer("{decay.trend} です。"), "1  a。5 です。");
}

}  // namespace
}  // namespace ropescope
