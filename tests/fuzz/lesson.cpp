#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "app/lessons/lesson.h"

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

/// What has to hold of any lesson, however it is written.
void look_at(const ropescope::Lesson& lesson, std::size_t lines) {
  for (const ropescope::LessonError& fault : lesson.faults) {
    require(fault.line >= 0 && static_cast<std::size_t>(fault.line) <= lines + 1);
    require(!fault.reason.key.empty());
  }
  for (const ropescope::LessonStep& step : lesson.steps) {
    require(find_step(lesson, step.name).has_value());
    for (const ropescope::LessonParagraph& paragraph : step.text) {
      const std::string text = text_of(paragraph);
      std::size_t from = 0;
      for (const ropescope::Placeholder& place : ropescope::placeholders_of(text)) {
        require(from <= place.begin && place.begin < place.end && place.end <= text.size());
        from = place.end;
      }
    }
  }
}

}  // namespace

/// Any bytes as a lesson, as its translation, and their states: read as far as it goes, what is wrong among the faults.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  ropescope::Lesson lesson = ropescope::read_lesson(text, "fuzzed.md");
  look_at(lesson, lines);
  const ropescope::Lesson words = ropescope::read_lesson(text, "words.md", true);
  look_at(words, lines);
  const std::size_t steps = lesson.steps.size();
  translate(lesson, words);
  require(lesson.steps.size() == steps);
  for (std::size_t i = 0; i < std::min<std::size_t>(steps, 3); ++i) {
    ropescope::state_of(lesson, i, std::string("nowhere"));
  }
  return 0;
}
