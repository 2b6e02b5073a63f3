// All lessons of the assets, step by step, in every language.

#include "app/lessons/handout.h"
#include "app/lessons/lesson.h"
#include "app/resources/formulas.h"
#include "tests/figures/view_parts.h"

namespace ropescope {
namespace {

std::vector<std::string> lesson_ids() {
  std::vector<std::string> ids;
  for (const LessonEntry& entry : list_lessons(kAssets)) ids.push_back(entry.id);
  return ids;
}

/// Of all tests of a lesson: a step is drawn once.
struct Drawn {
  Lesson lesson;
  std::vector<StepState> states;
  std::vector<ViewResult> shown, solved;
};
const Drawn& draw_lesson_once(const std::string& id) {
  static std::map<std::string, Drawn>* all = new std::map<std::string, Drawn>();
  if (const auto found = all->find(id); found != all->end()) return found->second;
  static Store* store = new Store(Store::Mode::synchronous);
  static const Text* text = new Text(Text::load(kAssets));
  Drawn& one = (*all)[id];
  one.lesson = load_lesson(kAssets, id, "en");
  for (std::size_t i = 0; i < one.lesson.steps.size(); ++i) {
    one.states.push_back(state_of(one.lesson, i, kAssets));
    const Experiment &experiment = one.states.back().experiment, &solved = one.states.back().solved;
    one.shown.push_back(draw_view(find_view(experiment.view), experiment, *text, *store));
    one.solved.push_back(solved == experiment ? one.shown.back()
                                              : draw_view(find_view(solved.view), solved, *text, *store));
  }
  return one;
}

class AnyLesson : public testing::TestWithParam<std::string> {
 protected:
  const Drawn& of = draw_lesson_once(GetParam());
  Text text = Text::load(kAssets);
};

TEST_P(AnyLesson, HasNothingWrongInAnyLanguage) {
  const std::shared_ptr<const Formulas> formulas = Formulas::load(kAssets);
  for (const char* language : {"en", "ja", "ko"}) {
    Lesson lesson = load_lesson(kAssets, GetParam(), language);
    EXPECT_EQ(lesson.language, language);
    set_formulas(lesson, *formulas, true);
    for (const LessonError& fault : lesson.faults) ADD_FAILURE() << to_error_text(fault, text);
  }
}

TEST_P(AnyLesson, ShowsWhatItSpeaksOf) {
  for (std::size_t i = 0; i < of.lesson.steps.size(); ++i) {
    const ViewResult& shown = of.shown[i];
    for (const LessonError& fault : faults_of(of.lesson, i, of.states[i], shown, of.solved.at(i))) {
      ADD_FAILURE() << of.lesson.steps[i].name << ": " << to_error_text(fault, text);
    }
    // A pin takes what it does not set from the current rope: with nothing else it would be the same curve.
    for (const Pin& pin : of.states[i].experiment.pins) {
      EXPECT_NE(pin.rope, of.states[i].experiment.rope) << of.lesson.steps[i].name;
    }
  }
}

TEST_P(AnyLesson, HasItsShape) {
  const Lesson& lesson = of.lesson;
  EXPECT_GT(lesson.minutes, 0);
  EXPECT_EQ(lesson.steps.back().name, "say");
  int core = 0, core_questions = 0, questions = 0;
  for (const LessonStep& step : lesson.steps) {
    core += step.reserve || step.name == "say" ? 0 : 1;
    questions += step.ask ? 1 : 0;
    core_questions += step.ask && !step.reserve ? 1 : 0;
    EXPECT_FALSE(step.notes.empty()) << step.name;
  }
  // Longer are lessons with a long question, or a turned helix.
  const std::set<std::string> longer{"02-absolute", "04-turn", "08-decay"};
  EXPECT_LE(core, longer.contains(GetParam()) ? 7 : 6);
  EXPECT_GE(questions, 2);
  EXPECT_LE(core_questions, 2);
}

/// The condition that holds is one about the state: elsewhere it fails.
TEST_P(AnyLesson, ConditionsFailWhereTheyShould) {
  for (std::size_t i = 0; i < of.lesson.steps.size(); ++i) {
    const std::optional<LessonAsk>& ask = of.lesson.steps[i].ask;
    if (!ask) continue;
    for (const LessonAsk::Choice& choice : ask->choices) {
      if (!choice.when) continue;
      const double number = number_of(of.shown[i], choice.when->readout).value_or(0);
      const bool now = holds(*choice.when, number);
      bool other = now;
      for (const double elsewhere :
           {-1e6, -1.0, 0.0, 1e-12, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 63.0, 64.0, 65.0, 1e3, 1e9, choice.when->value}) {
        other = other && holds(*choice.when, elsewhere) == now;
      }
      EXPECT_FALSE(other) << of.lesson.steps[i].name << ": " << choice.text;
    }
  }
}

TEST_P(AnyLesson, CoversTheAnswerUntilItIsGiven) {
  for (std::size_t i = 0; i < of.lesson.steps.size(); ++i) {
    const std::optional<LessonAsk>& ask = of.lesson.steps[i].ask;
    if (!ask) continue;
    ViewResult shown = of.shown[i];
    cover(shown, *ask, text);
    for (const std::string& name : covered(*ask)) EXPECT_FALSE(number_of(shown, name)) << name;
    if (ask->kind != LessonAsk::Kind::draw) continue;
    EXPECT_FALSE(find_line(shown, ask->figure, ask->curve));
    for (const Panel& panel : shown.panels) {
      const Figure& figure = panel.figure;
      if (figure.name != ask->figure) continue;
      EXPECT_TRUE(figure.points.empty() && figure.paths.empty() && figure.labels.empty());
      for (const Line& line : figure.lines) EXPECT_TRUE(line.key.starts_with("pin")) << line.key;
    }
  }
}

TEST_P(AnyLesson, ReachesItsGoalsAsItSays) {
  for (std::size_t i = 0; i < of.lesson.steps.size(); ++i) {
    const std::optional<LessonAsk>& ask = of.lesson.steps[i].ask;
    if (!ask || ask->kind != LessonAsk::Kind::reach) {
      EXPECT_EQ(of.states[i].solved, of.states[i].experiment);
      continue;
    }
    EXPECT_TRUE(has_reached_goals(*ask, of.solved[i])) << of.lesson.steps[i].name;
    EXPECT_FALSE(has_reached_goals(*ask, of.shown[i])) << of.lesson.steps[i].name;
  }
}

TEST_P(AnyLesson, IsOneListOfBlocksAStep) {
  using Kind = LessonBlock::Kind;
  for (std::size_t i = 0; i < of.lesson.steps.size(); ++i) {
    const LessonStep& step = of.lesson.steps[i];
    std::vector<Kind> wanted{Kind::title}, found;
    wanted.insert(wanted.end(), step.text.size(), Kind::words);
    wanted.push_back(Kind::figure);
    if (step.ask) {
      wanted.push_back(Kind::question);
      wanted.insert(wanted.end(), step.ask->choices.size(), Kind::choice);
      wanted.push_back(Kind::answer);
    }
    std::size_t number = 0;
    for (const LessonBlock& block : blocks_of(step, step.text, of.shown[i])) {
      found.push_back(block.kind);
      EXPECT_EQ(block.number, block.kind == Kind::choice ? ++number : 0) << step.name;
      EXPECT_EQ(text_of(block.said).empty(), block.kind == Kind::figure) << step.name;
    }
    EXPECT_EQ(found, wanted) << step.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Lessons, AnyLesson, testing::ValuesIn(lesson_ids()), [](const auto& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// Numbers after a word in the remarks of all steps: "eq 12, 13".
std::set<int> named(const std::string& word) {
  std::set<int> numbers;
  for (const std::string& id : lesson_ids()) {
    for (const LessonStep& step : load_lesson(kAssets, id, "en").steps) {
      for (const std::string& remark : step.remarks) {
        if (!remark.starts_with(word + " ")) continue;
        std::string rest = remark.substr(word.size());
        while (!rest.empty()) {
          const std::size_t digit = rest.find_first_of("0123456789");
          if (digit == std::string::npos) break;
          std::size_t used = 0;
          const int first = std::stoi(rest.substr(digit), &used);
          rest = rest.substr(digit + used);
          int last = first;
          if (rest.starts_with("-") || rest.starts_with("–")) {
            const std::size_t next = rest.find_first_of("0123456789");
            last = std::stoi(rest.substr(next), &used);
            rest = rest.substr(next + used);
          }
          for (int number = first; number <= last; ++number) numbers.insert(number);
        }
      }
    }
  }
  return numbers;
}

TEST(Lessons, NameEveryEquationOfThePaper) {
  const std::set<int> found = named("eq");
  for (int equation = 1; equation <= 37; ++equation) EXPECT_TRUE(found.contains(equation)) << equation;
}

TEST(Lessons, RemoveEveryMisconception) {
  const std::set<int> found = named("misconception");
  for (int misconception = 1; misconception <= 10; ++misconception) {
    EXPECT_TRUE(found.contains(misconception)) << misconception;
  }
}

TEST(Lessons, TakeEightyMinutes) {
  double minutes = 0;
  for (const std::string& id : lesson_ids()) minutes += load_lesson(kAssets, id, "en").minutes;
  EXPECT_EQ(lesson_ids().size(), 12u);
  EXPECT_EQ(minutes, 80);
}

}  // namespace
}  // namespace ropescope
