#include <algorithm>
#include <set>

#include "app/lessons/step.h"
#include "core/error.h"

namespace ropescope {

namespace {

class Judge {
 public:
  Judge(const Lesson& lesson, const LessonStep& step, const ViewResult& shown)
      : lesson_(lesson), step_(step), shown_(shown) {
    for (const Readout& readout : shown.readouts) readouts_.insert(readout.name);
    for (const Panel& panel : shown.panels) figures_.insert(panel.figure.name);
  }
  std::vector<LessonFault> faults;

  void placeholders(std::string_view text, int line) {
    for (const Placeholder& place : placeholders_of(text)) {
      if (!readouts_.contains(place.name)) fault(line, Words("lesson.fault.readout", {{"name", place.name}}));
    }
  }
  void names(const std::vector<std::string>& names, int line, bool controls) {
    for (const std::string& name : names) {
      if (readouts_.contains(name) || figures_.contains(name) || (controls && is_control(name))) continue;
      fault(line, Words("lesson.fault.name", {{"name", name}}));
    }
  }
  void condition(const Condition& condition) {
    if (!readouts_.contains(condition.readout)) {
      fault(condition.line, Words("lesson.fault.readout", {{"name", condition.readout}}));
    } else if (!number_of(shown_, condition.readout)) {
      fault(condition.line, Words("lesson.fault.no_number", {{"name", condition.readout}}));
    }
  }

  void ask(const LessonAsk& ask) {
    placeholders(ask.question, ask.line);
    placeholders(ask.after, ask.line);
    names(ask.cover, ask.line, false);
    switch (ask.kind) {
      case LessonAsk::Kind::choice:
        choice(ask);
        break;
      case LessonAsk::Kind::number:
        number(ask);
        break;
      case LessonAsk::Kind::draw:
        if (!find_line(shown_, ask.figure, ask.curve)) {
          fault(ask.line, Words("lesson.fault.curve", {{"figure", ask.figure}, {"curve", ask.curve}}));
        }
        break;
      case LessonAsk::Kind::reach:
        for (const Condition& goal : ask.goals) condition(goal);
        if (reached(ask, shown_)) fault(ask.line, Words("lesson.fault.goal_holds"));
        break;
    }
  }

 private:
  void fault(int line, Words reason) { faults.push_back({lesson_.file, std::max(line, 1), std::move(reason)}); }

  bool is_control(const std::string& name) {
    if (fields_.empty()) fields_ = list_fields();
    return std::any_of(fields_.begin(), fields_.end(),
                       [&](const FieldInfo& field) { return field.key == name || field.key.ends_with("." + name); });
  }

  void choice(const LessonAsk& ask) {
    int holding = 0;
    for (const LessonAsk::Choice& choice : ask.choices) {
      placeholders(choice.text, ask.line);
      if (!choice.when) continue;
      condition(*choice.when);
      const std::optional<double> number = number_of(shown_, choice.when->readout);
      if (number && holds(*choice.when, *number)) ++holding;
    }
    if (holding == 0) fault(ask.line, Words("lesson.fault.none_right"));
    if (holding > 1) fault(ask.line, Words("lesson.fault.several_right", {{"count", holding}}));
  }

  void number(const LessonAsk& ask) {
    const std::optional<double> answer = number_of(shown_, ask.answer);
    if (!readouts_.contains(ask.answer)) {
      fault(ask.line, Words("lesson.fault.readout", {{"name", ask.answer}}));
    } else if (!answer) {
      fault(ask.line, Words("lesson.fault.no_number", {{"name", ask.answer}}));
    } else if (*answer < ask.low || *answer > ask.high) {
      fault(ask.line, Words("lesson.fault.off_slider", {{"name", ask.answer}}));
    }
  }

  const Lesson& lesson_;
  const LessonStep& step_;
  const ViewResult& shown_;
  std::set<std::string> readouts_, figures_;
  std::vector<FieldInfo> fields_;  ///< once a name is asked for that is none of these

 public:
  void step() {
    for (const LessonParagraph& paragraph : step_.text) placeholders(text_of(paragraph), paragraph.line);
    names(step_.points, step_.line, true);
    if (step_.ask) ask(*step_.ask);
  }
};

}  // namespace

std::vector<LessonFault> faults_of(const Lesson& lesson, std::size_t step, const StepState& state,
                                   const ViewResult& shown) {
  Judge judge(lesson, lesson.steps[step], shown);
  judge.step();
  std::vector<LessonFault> faults = state.faults;
  faults.insert(faults.end(), judge.faults.begin(), judge.faults.end());
  if (!shown.fault.empty()) {
    faults.push_back(
        {lesson.file, lesson.steps[step].line, Words("lesson.fault.view_says", {{"what", as_it_is(shown.fault)}})});
  }
  return faults;
}

}  // namespace ropescope
