// What stands in the blocks `set` and `ask` of a step, line by line.

#include <algorithm>

#include "app/experiment/experiment.h"
#include "app/lessons/lesson.h"
#include "app/lessons/text_cuts.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// Where a fault of a block is said.
struct ReadBlocksPlace {
  std::vector<LessonFault>& faults;
  const std::string& file;
  int line = 0;
  void fault(Words reason) const { faults.push_back({file, line, std::move(reason)}); }
};

/// "KEY FROM -> TO in SECONDS s", with "log" at its end where it runs evenly in the logarithm.
std::optional<LessonSweep> sweep_of(std::string_view text, int line) {
  LessonSweep sweep;
  sweep.line = line;
  const std::size_t arrow = text.find("->"), in = text.rfind(" in ");
  if (arrow == std::string_view::npos || in == std::string_view::npos || in < arrow) return std::nullopt;
  const std::string_view left = trimmed_view(text.substr(0, arrow));
  const std::size_t space = left.find_last_of(" \t");
  if (space == std::string_view::npos) return std::nullopt;
  sweep.key = trimmed(left.substr(0, space));
  std::string_view time = trimmed_view(text.substr(in + 4));
  if (time.ends_with(" log")) {
    sweep.logarithmic = true;
    time = trimmed_view(time.substr(0, time.size() - 4));
  }
  if (!time.ends_with("s")) return std::nullopt;
  const auto from = parse_number(trimmed_view(left.substr(space))),
             to = parse_number(trimmed_view(text.substr(arrow + 2, in - arrow - 2))),
             seconds = parse_number(trimmed_view(time.substr(0, time.size() - 1)));
  if (!from || !to || !seconds || !(*seconds > 0) || *seconds > 600 || *from == *to) return std::nullopt;
  sweep.from = *from;
  sweep.to = *to;
  sweep.seconds = *seconds;
  return sweep;
}

/// "0 to 64", "1 to 4096 log".
bool read_slider(std::string_view text, LessonAsk& ask) {
  text = trimmed_view(text);
  if (text.ends_with(" log")) {
    ask.logarithmic = true;
    text = trimmed_view(text.substr(0, text.size() - 4));
  }
  const std::size_t to = text.find(" to ");
  if (to == std::string_view::npos) return false;
  const auto low = parse_number(trimmed_view(text.substr(0, to))),
             high = parse_number(trimmed_view(text.substr(to + 4)));
  if (!low || !high || !(*low < *high) || (ask.logarithmic && !(*low > 0))) return false;
  ask.low = *low;
  ask.high = *high;
  return true;
}

std::optional<Condition> condition_of(std::string_view text, const ReadBlocksPlace& place) {
  try {
    Condition condition = parse_condition(text);
    condition.line = place.line;
    return condition;
  } catch (const InputError& error) {
    place.fault(error.words());
    return std::nullopt;
  }
}

void read_choice(LessonAsk& ask, std::string_view text, bool translation, const ReadBlocksPlace& place) {
  LessonAsk::Choice choice;
  const std::size_t colon = translation ? std::string_view::npos : text.rfind(" : ");
  choice.text = trimmed(text.substr(0, colon));
  if (colon != std::string_view::npos) choice.when = condition_of(trimmed_view(text.substr(colon + 3)), place);
  ask.choices.push_back(std::move(choice));
}

constexpr std::pair<std::string_view, LessonAsk::Kind> kKinds[] = {{"choice", LessonAsk::Kind::choice},
                                                                   {"number", LessonAsk::Kind::number},
                                                                   {"draw", LessonAsk::Kind::draw},
                                                                   {"do", LessonAsk::Kind::reach}};

/// One line of `ask`; false where its key is none of them.
bool read_ask_line(LessonAsk& ask, bool& kind_known, const std::string& key, const std::string& value,
                   const ReadBlocksPlace& place) {
  for (const auto& [name, kind] : kKinds) {
    if (key != name) continue;
    if (kind_known) place.fault(Words("lesson.fault.two_questions"));
    ask.kind = kind;
    ask.question = value;
    kind_known = true;
    return true;
  }
  if (key == "after") {
    ask.after = value;
  } else if (key == "answer") {
    ask.answer = value;
  } else if (key == "figure") {
    ask.figure = value;
  } else if (key == "curve") {
    ask.curve = value;
  } else if (key == "cover") {
    ask.cover = names_in(value);
  } else if (key == "slider") {
    if (!read_slider(value, ask)) place.fault(Words("lesson.fault.slider", {{"found", value}}));
  } else if (key == "goal") {
    if (std::optional<Condition> goal = condition_of(value, place)) ask.goals.push_back(*goal);
  } else {
    return false;
  }
  return true;
}

/// What a question of its kind cannot do without.
void check_ask(const LessonAsk& ask, bool translation, const ReadBlocksPlace& place) {
  const auto lacks = [&](const char* what) {
    place.fault(Words("lesson.fault.ask_lacks", {{"what", std::string(what)}}));
  };
  if (ask.question.empty()) lacks("choice, number, draw, do");
  if (ask.after.empty()) lacks("after");
  if (ask.kind == LessonAsk::Kind::choice && ask.choices.size() < 2) lacks("- …");
  if (translation) return;
  if (ask.kind == LessonAsk::Kind::number && ask.answer.empty()) lacks("answer");
  if (ask.kind == LessonAsk::Kind::draw && ask.figure.empty()) lacks("figure");
  if (ask.kind == LessonAsk::Kind::draw && ask.curve.empty()) lacks("curve");
  if (ask.kind == LessonAsk::Kind::reach && ask.goals.empty()) lacks("goal");
}

}  // namespace

void read_set(LessonStep& step, std::string_view block, int line, std::vector<LessonFault>& faults,
              const std::string& file) {
  for (const std::string_view text : lines_of(block)) {
    const ReadBlocksPlace place{faults, file, ++line};
    if (trimmed_view(text).empty()) continue;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      place.fault(Words("lesson.fault.no_equals", {{"found", trimmed(text)}}));
      continue;
    }
    const std::string key = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
    if (key == "sweep") {
      if (std::optional<LessonSweep> sweep = sweep_of(value, line)) {
        step.sweeps.push_back(std::move(*sweep));
      } else {
        place.fault(Words("lesson.fault.sweep", {{"found", value}}));
      }
    } else if (key == "point") {
      const std::vector<std::string> names = names_in(value);
      step.points.insert(step.points.end(), names.begin(), names.end());
    } else {
      step.set.push_back({key, value, line});
    }
  }
}

void read_ask(LessonStep& step, std::string_view block, int line, bool translation, std::vector<LessonFault>& faults,
              const std::string& file) {
  if (step.ask) faults.push_back({file, line, Words("lesson.fault.two_questions")});
  LessonAsk ask;
  ask.line = line;
  bool kind_known = false;
  for (const std::string_view whole : lines_of(block)) {
    const ReadBlocksPlace place{faults, file, ++line};
    const std::string_view text = trimmed_view(whole);
    if (text.empty()) continue;
    if (text.starts_with("- ")) {
      read_choice(ask, text.substr(2), translation, place);
      continue;
    }
    const std::size_t equals = text.find('=');
    const std::string key = trimmed(text.substr(0, equals));
    if (equals == std::string_view::npos ||
        !read_ask_line(ask, kind_known, key, trimmed(text.substr(equals + 1)), place)) {
      place.fault(Words("lesson.fault.ask_line", {{"found", std::string(text)}}));
    }
  }
  check_ask(ask, translation, {faults, file, ask.line});
  if (!step.ask) step.ask = std::move(ask);
}

}  // namespace ropescope
