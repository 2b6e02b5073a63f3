#include <algorithm>
#include <memory>

#include "app/commands/commands.h"
#include "app/lessons/lesson_json.h"
#include "app/resources/files.h"

namespace ropescope {

namespace {

struct LessonsValues {
  bool json = false;
  std::optional<std::string> output;
};

std::string lines_of_lessons(const std::filesystem::path& assets) {
  const std::vector<LessonEntry> entries = list_lessons(assets);
  std::size_t width = 0;
  for (const LessonEntry& entry : entries) width = std::max(width, entry.id.size());
  std::string lines;
  for (const LessonEntry& entry : entries) {
    const Lesson lesson = load_lesson(assets, entry.id, "en");
    std::string languages;
    for (const std::string& code : entry.languages) languages += (languages.empty() ? "" : ", ") + code;
    lines += entry.id + std::string(width - entry.id.size() + 2, ' ') + lesson.title + " (" +
             std::to_string(static_cast<int>(lesson.minutes)) + " minutes; " + languages + ")\n";
  }
  return lines;
}

}  // namespace

Action declare_lessons(Arguments& arguments) {
  const auto values = std::make_shared<LessonsValues>();
  arguments.flag("--json", values->json, "Titles in every language, minutes and steps as JSON");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] {
    const std::filesystem::path assets = find_places().assets;
    put_result(values->output, values->json ? lessons_json(assets) : lines_of_lessons(assets));
  };
}

}  // namespace ropescope
