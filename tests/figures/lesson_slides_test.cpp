// The 16:9 pages of lessons, and what presentation mode keeps of a view after an answer.

#include "app/figure/pages/page_canvas.h"
#include "app/figure/palette.h"
#include "app/lessons/lesson.h"
#include "app/lessons/step_page.h"
#include "app/resources/formulas.h"
#include "tests/figures/scene_checks.h"
#include "tests/figures/view_parts.h"
#include "tests/sampled.h"

namespace ropescope {
namespace {

std::vector<std::string> cards_of(const ViewResult& shown) {
  std::vector<std::string> names;
  for (const Readout& card : shown.readouts) {
    if (!card.aside) names.push_back(card.name);
  }
  return names;
}

/// A step of a lesson with all that its view shows.
struct ShownStep {
  Lesson lesson;
  std::size_t place;
  ViewResult whole;
  const LessonStep& step() const { return lesson.steps[place]; }
};
ShownStep shown_step(const std::string& id, const std::string& name) {
  Store store(Store::Mode::synchronous);
  const Text text = Text::load(kAssets);
  ShownStep one{load_lesson(kAssets, id, "en"), 0, {}};
  one.place = find_step(one.lesson, name).value();
  const Experiment experiment = state_of(one.lesson, one.place, kAssets).experiment;
  one.whole = draw_view(find_view(experiment.view), experiment, text, store);
  return one;
}

TEST(PresentationAfterTheAnswer, KeepsTheCardsThatItsQuestionSays) {
  const ShownStep one = shown_step("11-pictures", "index");
  ViewResult answered = one.whole;
  keep_pointed(answered, one.step(), true);
  for (const char* const other : {"patch.nearer", "patch.target1", "patch.target2"}) {
    EXPECT_THAT(cards_of(answered), Not(Contains(other))) << "it answers the next question";
  }
  ASSERT_EQ(answered.panels.size(), 1u);
  EXPECT_EQ(answered.panels[0].figure.name, "layout") << "`show` names no figure: they stay";
}

TEST(PresentationBeforeTheAnswer, SaysWhatCoveredFiguresAreOf) {
  const ShownStep one = shown_step("07-score", "what-turns");
  ViewResult shown = one.whole;
  keep_pointed(shown, one.step(), false);
  cover(shown, *one.step().ask, Text::load(kAssets));
  ASSERT_EQ(shown.panels.size(), 1u);
  const Figure& covered = shown.panels[0].figure;
  EXPECT_TRUE(covered.lines.empty());
  EXPECT_FALSE(covered.bare) << "axes tell what is asked";
  EXPECT_FALSE(covered.x.label.empty());
  EXPECT_TRUE(covered.y.unnumbered) << "numbers would answer it";
}

TEST(PresentationBeforeTheAnswer, HidesTheRuleOfACoveredCard) {
  const ShownStep one = shown_step("10-longer", "base");
  const auto told = [](const ViewResult& shown) {
    return std::any_of(shown.panels[0].figure.rules.begin(), shown.panels[0].figure.rules.end(),
                       [](const Rule& rule) { return rule.card == "limits.smallest_base"; });
  };
  ViewResult shown = one.whole;
  EXPECT_TRUE(told(shown));
  cover(shown, *one.step().ask, Text::load(kAssets));
  EXPECT_FALSE(told(shown));
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

class Slides : public testing::TestWithParam<std::string> {};

/// Expects that no text of cards or figures is drawn over the words, the texts before the first shape. They may touch.
void expect_words_beside_figures(const Scene& slide, const SlideLook& look, const std::string& where) {
  std::vector<Rect> words;
  bool in_words = true;
  for (const SceneItem& item : slide.items) {
    const auto* text = std::get_if<TextItem>(&item);
    in_words = in_words && text;
    if (!text) continue;
    const Rect box = box_of(*text, look.measure);
    if (in_words) {
      words.push_back(box);
      continue;
    }
    const Rect inner{box.left + 2, box.top + 2, box.width - 4, box.height - 4};
    const bool over = std::any_of(words.begin(), words.end(), [&](const Rect& each) { return overlap(each, inner); });
    EXPECT_FALSE(over) << where << ": " << text->text;
  }
}

/// The texts on the cards of a slide, without spaces. A value that the words repeat must be on its card as well.
std::string texts_on_cards(const Scene& slide, const SlideLook& look) {
  std::vector<Rect> cards;
  for (const RectItem& item : items_of<RectItem>(slide)) {
    if (item.fill == look.colours.raised) cards.push_back(item.rect);
  }
  std::string all;
  for (const TextItem& item : items_of<TextItem>(slide)) {
    const Rect box = box_of(item, look.measure);
    const bool on_card = std::any_of(cards.begin(), cards.end(), [&](const Rect& card) { return inside(box, card); });
    if (on_card) all += without_spaces(item.text);
  }
  return all;
}

/// The slides of a step, without an answer and with it.
void expect_readable(const Lesson& lesson, std::size_t i, const ViewResult& whole, const Text& text,
                     const SlideLook& look) {
  const LessonStep& step = lesson.steps[i];
  for (const bool answered : {false, true}) {
    if (answered && !step.ask) continue;
    ViewResult shown = whole;
    keep_pointed(shown, step, answered);
    if (!answered && step.ask) cover(shown, *step.ask, text);
    const std::vector<Scene> slides = slides_of({lesson, step, whole, shown, answered}, look);
    const std::string where = lesson.language + " " + step.name + (answered ? " answered" : "");
    EXPECT_LE(slides.size(), 3u) << where;
    std::string drawn;  // a long one takes several lines
    for (const Scene& slide : slides) {
      drawn += texts_on_cards(slide, look);
      for (const TextItem& item : items_of<TextItem>(slide)) {
        EXPECT_GE(item.style.size, 19.99) << where << ": " << item.text;
        EXPECT_TRUE(inside(box_of(item, look.measure), {0, 0, 1280, 720})) << where << ": " << item.text;
      }
      expect_words_beside_figures(slide, look, where);
    }
    for (const Readout& card : shown.readouts) {
      bool wanted = std::find(step.points.begin(), step.points.end(), card.name) != step.points.end();
      if (answered) {
        const std::vector<std::string> told = covered(*step.ask);
        wanted = wanted || std::find(told.begin(), told.end(), card.name) != told.end();
      }
      if (!wanted || card.aside) continue;
      EXPECT_NE(drawn.find(without_spaces(card.text)), std::string::npos) << where << ": " << card.name;
    }
  }
}

TEST_P(Slides, AreReadFromTheLastRow) {
  const Palette colours = palette(ThemeName::light);
  const std::vector<std::string> languages = {"en", "ja", "ko"};
  const std::shared_ptr<const Formulas> formulas = Formulas::load(kAssets);
  Store store(Store::Mode::synchronous);
  Sample sample("slides of lesson steps × languages");
  const std::size_t lesson_number = std::stoul(GetParam());  // "04-turn"
  for (std::size_t cell = 0; cell < languages.size(); ++cell) {
    const std::string& language = languages[cell];
    const Text text = Text::load(kAssets, language, Text::FormulaForm::drawn);
    Lesson lesson = load_lesson(kAssets, GetParam(), language);
    set_formulas(lesson, *formulas, true);
    PageCanvas canvas(PageFormat::pdf, {1280, 720, false}, {language, text["language.font"], formulas, colours});
    const SlideLook look{{1280, 720}, colours, canvas.measure()};
    for (std::size_t i = 0; i < lesson.steps.size(); ++i) {
      if (!sample.takes(lesson_number + i, cell, languages.size())) continue;
      const Experiment experiment = state_of(lesson, i, kAssets).solved;
      expect_readable(lesson, i, draw_view(find_view(experiment.view), experiment, text, store), text, look);
    }
  }
}

/// Values longer than those of any lesson here are set smaller on all cards, then in lines, and never cut.
TEST(SlidesOfLongValues, ShowThemWhole) {
  const Palette colours = palette(ThemeName::light);
  const Text text = Text::load(kAssets);
  ShownStep one = shown_step("08-decay", "half-million");
  for (Readout& card : one.whole.readouts) card.text = "between 12 345 678 and 23 456 789 positions";
  PageCanvas canvas(PageFormat::pdf, {1280, 720, false}, {"en", text["language.font"], nullptr, colours});
  expect_readable(one.lesson, one.place, one.whole, text, {{1280, 720}, colours, canvas.measure()});
}

INSTANTIATE_TEST_SUITE_P(Lessons, Slides, testing::ValuesIn([] {
                           std::vector<std::string> ids;
                           for (const LessonEntry& entry : list_lessons(kAssets)) ids.push_back(entry.id);
                           return ids;
                         }()),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace ropescope
