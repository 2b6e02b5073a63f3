// The lines of the blocks `set` and `ask` of a step. Declared in read_lesson.h.

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/lessons/lesson.h"
#include "app/lessons/read_lesson.h"
#include "core/message.h"

namespace ropescope {

namespace {

/// The place to which faults of a block refer.
struct BlockSource {
  std::vector<LessonError>& faults;
  const std::string& file;
  int line = 0;
  void fault(Message reason) const { faults.push_back({file, line, std::move(reason)}); }
};

/// Parses "KEY FROM -> TO in SECONDS s", with "log" at the end for a linear run in the logarithm.
std::optional<LessonSweep> sweep_of(std::string_view text, int line) {
  LessonSweep sweep;
  sweep.line = line;
  const std::size_t arrow = text.find("->"), in = text.rfind(" in ");
  if (arrow == std::string_view::npos || in == std::string_view::npos || in < arrow) return std::nullopt;
  const std::string_view left = trimmed_view(text.substr(0, arrow));
  const std::size_t space = left.find_last_of(" \t");
  if (space == std::string_view::npos) return std::nullopt;
  sweep.moved.key = trimmed(left.substr(0, space));
  std::string_view time = trimmed_view(text.substr(in + 4));
  if (time.ends_with(" log")) {
    sweep.moved.logarithmic = true;
    time = trimmed_view(time.substr(0, time.size() - 4));
  }
  if (!time.ends_with("s")) return std::nullopt;
  const auto from = parse_number(trimmed_view(left.substr(space))),
             to = parse_number(trimmed_view(text.substr(arrow + 2, in - arrow - 2))),
             seconds = parse_number(trimmed_view(time.substr(0, time.size() - 1)));
  if (!from || !to || !seconds || !(*seconds > 0) || *seconds > 600 || *from == *to) return std::nullopt;
  sweep.moved.values = {*from, *to};
  if (std::min(*from, *to) <= 0) sweep.moved.logarithmic = false;
  sweep.seconds = *seconds;
  return sweep;
}

/// Parses "0 to 64", "1 to 4096 log".
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

std::optional<Condition> condition_of(std::string_view text, const BlockSource& place) {
  try {
    Condition condition = parse_condition(text);
    condition.line = place.line;
    return condition;
  } catch (const InputError& error) {
    place.fault(error.words());
    return std::nullopt;
  }
}

void read_choice(LessonAsk& ask, std::string_view text, bool translation, const BlockSource& place) {
  LessonAsk::Choice choice;
  const std::size_t colon = translation ? std::string_view::npos : text.rfind(" : ");
  choice.text = trimmed(text.substr(0, colon));
  if (colon != std::string_view::npos) choice.when = condition_of(trimmed_view(text.substr(colon + 3)), place);
  ask.choices.push_back(std::move(choice));
}

/// Splits as names_in(), and gives cards and fields that were renamed their current names.
std::vector<std::string> current_names_in(std::string_view text) {
  std::vector<std::string> names = names_in(text);
  for (std::string& name : names) name = current_key(name);
  return names;
}

void take_solved(LessonAsk& ask, const std::string& value, const BlockSource& place) {
  const std::size_t equals = value.find('=');
  if (equals == std::string::npos) return place.fault(Message("lesson.fault.no_equals", {{"found", value}}));
  ask.solved.push_back({trimmed(value.substr(0, equals)), trimmed(value.substr(equals + 1)), place.line});
}

/// A line "KEY = VALUE" of `ask`, except the question itself.
struct AskLine {
  std::string_view key;
  void (*read)(LessonAsk& ask, const std::string& value, const BlockSource& place);
};
constexpr AskLine kAskLines[] = {
    {"after", [](LessonAsk& ask, const std::string& value, const BlockSource&) { ask.after = value; }},
    {"figure", [](LessonAsk& ask, const std::string& value, const BlockSource&) { ask.figure = value; }},
    {"curve", [](LessonAsk& ask, const std::string& value, const BlockSource&) { ask.curve = value; }},
    {"cover",
     [](LessonAsk& ask, const std::string& value, const BlockSource&) { ask.cover = current_names_in(value); }},
    {"show", [](LessonAsk& ask, const std::string& value, const BlockSource&) { ask.show = current_names_in(value); }},
    {"answer", [](LessonAsk& ask, const std::string& value, const BlockSource&) { ask.answer = current_key(value); }},
    {"slider",
     [](LessonAsk& ask, const std::string& value, const BlockSource& place) {
       if (!read_slider(value, ask)) place.fault(Message("lesson.fault.slider", {{"found", value}}));
     }},
    {"solved", take_solved},
    {"goal", [](LessonAsk& ask, const std::string& value, const BlockSource& place) {
       if (std::optional<Condition> goal = condition_of(value, place)) ask.goals.push_back(*goal);
     }}};

/// Reads one line of `ask`; returns false if its key is unknown.
bool read_ask_line(LessonAsk& ask, bool& kind_known, const std::string& key, const std::string& value,
                   const BlockSource& place) {
  const auto kind = std::find(std::begin(LessonAsk::kKinds), std::end(LessonAsk::kKinds), key);
  if (kind != std::end(LessonAsk::kKinds)) {
    if (kind_known) place.fault(Message("lesson.fault.two_questions"));
    ask.kind = static_cast<LessonAsk::Kind>(kind - std::begin(LessonAsk::kKinds));
    ask.question = value;
    kind_known = true;
    return true;
  }
  const auto line =
      std::find_if(std::begin(kAskLines), std::end(kAskLines), [&key](const AskLine& each) { return each.key == key; });
  if (line == std::end(kAskLines)) return false;
  line->read(ask, value, place);
  return true;
}

/// Checks that a question has all that its kind requires.
void check_ask(const LessonAsk& ask, bool translation, const BlockSource& place) {
  const auto lacks = [&](const char* what) {
    place.fault(Message("lesson.fault.ask_lacks", {{"what", std::string(what)}}));
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

void take_sweep(LessonStep& step, const std::string& value, const BlockSource& place) {
  if (std::optional<LessonSweep> sweep = sweep_of(value, place.line)) {
    step.sweeps.push_back(std::move(*sweep));
  } else {
    place.fault(Message("lesson.fault.sweep", {{"found", value}}));
  }
}

void take_point(LessonStep& step, const std::string& value, const BlockSource&) {
  const std::vector<std::string> names = current_names_in(value);
  step.points.insert(step.points.end(), names.begin(), names.end());
}

/// A line of `set` that is not a setting.
struct SetLine {
  std::string_view key;
  void (*read)(LessonStep& step, const std::string& value, const BlockSource& place);
};
constexpr SetLine kSetLines[] = {{"sweep", take_sweep}, {"point", take_point}};

}  // namespace

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (std::string name = trimmed(text.substr(0, comma)); !name.empty()) names.push_back(std::move(name));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return names;
}

void read_set(LessonStep& step, std::string_view block, int line, std::vector<LessonError>& faults,
              const std::string& file) {
  for (const std::string_view text : lines_of(block)) {
    const BlockSource place{faults, file, ++line};
    if (trimmed_view(text).empty()) continue;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      place.fault(Message("lesson.fault.no_equals", {{"found", trimmed(text)}}));
      continue;
    }
    const std::string key = trimmed(text.substr(0, equals)), value = trimmed(text.substr(equals + 1));
    const auto special = std::find_if(std::begin(kSetLines), std::end(kSetLines),
                                      [&key](const SetLine& each) { return each.key == key; });
    if (special != std::end(kSetLines)) {
      special->read(step, value, place);
    } else {
      step.set.push_back({key, value, line});
    }
  }
}

void read_ask(LessonStep& step, std::string_view block, int line, bool translation, std::vector<LessonError>& faults,
              const std::string& file) {
  if (step.ask) faults.push_back({file, line, Message("lesson.fault.two_questions")});
  LessonAsk ask;
  ask.line = line;
  bool kind_known = false;
  for (const std::string_view whole : lines_of(block)) {
    const BlockSource place{faults, file, ++line};
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
      place.fault(Message("lesson.fault.ask_line", {{"found", std::string(text)}}));
    }
  }
  check_ask(ask, translation, {faults, file, ask.line});
  if (!step.ask) step.ask = std::move(ask);
}

}  // namespace ropescope
