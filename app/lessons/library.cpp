#include <algorithm>

#include "app/lessons/lesson.h"
#include "app/resources/files.h"
#include "app/resources/language.h"
#include "app/resources/nearest.h"
#include "core/error.h"
#include "core/formats/json_text.h"

namespace ropescope {

namespace {

namespace fs = std::filesystem;

/// A lecture is words: nobody writes more.
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;

Lesson read_file_as_lesson(const fs::path& path, bool translation) {
  const std::string content = read_file(path, kMostBytes);
  require_utf8(content, as_it_is(path.string()));
  return read_lesson(content, path.string(), translation);
}

Lesson load_entry(const LessonEntry& entry, const std::string& language) {
  Lesson lesson = read_file_as_lesson(entry.folder / "en.md", false);
  lesson.id = entry.id;
  lesson.language = kEnglish;
  const bool has = std::find(entry.languages.begin(), entry.languages.end(), language) != entry.languages.end();
  if (language == kEnglish || !has) return lesson;
  Lesson words = read_file_as_lesson(entry.folder / (language + ".md"), true);
  words.language = language;
  translate(lesson, words);
  return lesson;
}

std::vector<std::string> languages_in(const fs::path& folder) {
  std::vector<std::string> languages;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, ignored)) {
    if (file.path().extension() == ".md" && file.path().stem() != kEnglish)
      languages.push_back(file.path().stem().string());
  }
  std::sort(languages.begin(), languages.end());
  languages.insert(languages.begin(), kEnglish);
  return languages;
}

/// "04-turn" is called "turn" as well.
bool is_called(const std::string& id, const std::string& given) {
  const std::size_t dash = id.find('-');
  return id == given || (dash != std::string::npos && id.substr(dash + 1) == given);
}

}  // namespace

std::vector<LessonEntry> list_lessons(const fs::path& assets) {
  std::vector<LessonEntry> lessons;
  std::error_code ignored;
  for (const fs::directory_entry& folder : fs::directory_iterator(assets / "lessons", ignored)) {
    if (!fs::exists(folder.path() / "en.md", ignored)) continue;
    lessons.push_back({folder.path().filename().string(), folder.path(), languages_in(folder.path())});
  }
  std::sort(lessons.begin(), lessons.end(), [](const LessonEntry& a, const LessonEntry& b) { return a.id < b.id; });
  return lessons;
}

Lesson load_lesson(const fs::path& assets, const std::string& id_or_path, const std::string& language) {
  const std::vector<LessonEntry> entries = list_lessons(assets);
  for (const LessonEntry& entry : entries) {
    if (is_called(entry.id, id_or_path)) return load_entry(entry, language);
  }
  const fs::path path = id_or_path;
  std::error_code ignored;
  if (!fs::exists(path, ignored) && path.extension() != ".md") {
    std::vector<std::string> ids;
    for (const LessonEntry& entry : entries) ids.push_back(entry.id);
    throw InputError("lesson.unknown", {{"found", id_or_path}, {"known", one_of(ids)}});
  }
  // A file of a translation is read with its English beside, which holds the settings.
  const fs::path english = path.parent_path() / "en.md";
  if (path.filename() != "en.md" && path.stem().string().size() == 2 && path.extension() == ".md" &&
      fs::exists(english, ignored)) {
    LessonEntry entry{path.parent_path().filename().string(), path.parent_path(), languages_in(path.parent_path())};
    return load_entry(entry, path.stem().string());
  }
  Lesson lesson = read_file_as_lesson(path, false);
  lesson.id = path.stem().string();
  lesson.language = language;
  return lesson;
}

}  // namespace ropescope
