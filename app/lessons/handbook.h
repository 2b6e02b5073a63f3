// The handbook: its chapters, what the program fills in, and how they are read at a terminal.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/lesson.h"
#include "app/resources/text.h"

namespace ropescope {

/// Chapters are lessons with this before their names: "handbook/06-check".
inline constexpr std::string_view kHandbook = "handbook/";
bool is_chapter(std::string_view id);

/// The files of assets/handbook by name; those of a language lie in a folder of its code.
std::vector<LessonEntry> list_chapters(const std::filesystem::path& assets);
/// The id of the chapter that is called "06", "6", "check", "06-check" or by the beginning of one of these. Throws
/// InputError: there is none, or there are several.
std::string find_chapter(const std::filesystem::path& assets, const std::string& called);
/// A chapter by its id, with the settings of the English file and what is counted filled in.
Lesson load_chapter(const std::filesystem::path& assets, const std::string& id, const std::string& language);
/// The chapter that a link leads to, "06-check.md" or "handbook/06-check.md"; none where it leads elsewhere.
std::optional<std::string> chapter_of_link(std::string_view link);

// --- What is filled in ---------------------------------------------------------------------------------------------

/// `<!-- count:views -->14<!-- / -->`: what is counted, what stands there, and the bytes of all of it.
struct FilledIn {
  std::string what, written;
  std::size_t begin = 0, end = 0;
};
std::vector<FilledIn> filled_in(std::string_view markdown);
/// What stands there now: of count:views, encodings, layouts (beside custom), methods, causes, presets, lessons;
/// minutes:lessons; list:layouts, and models_with_layout, models_without_layout, models_refused; readers,
/// readers_noted, readers_refused. None where nobody knows what is asked.
std::optional<std::string> value_of(std::string_view what, const std::filesystem::path& assets);

// --- At a terminal -------------------------------------------------------------------------------------------------

inline constexpr std::size_t kTerminalColumns = 80;
/// A chapter whose formulas are plain, as plain text.
std::string chapter_text(const Lesson& chapter, const Text& text);

}  // namespace ropescope
