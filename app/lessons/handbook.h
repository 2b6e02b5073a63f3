// The handbook: its chapters, the values filled into them, and their form in a terminal.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/lessons/lesson.h"
#include "app/resources/text.h"

namespace ropescope {

/// The prefix of a chapter's lesson id: "handbook/06-check".
inline constexpr std::string_view kHandbook = "handbook/";
bool is_chapter(std::string_view id);

/// Lists the files of assets/handbook by name; translations are in a folder with the language code.
std::vector<LessonEntry> list_chapters(const std::filesystem::path& assets);
/// Returns the id of the chapter named "06", "6", "check", "06-check" or by a prefix of one of these. Throws InputError
/// if there is none, or several.
std::string find_chapter(const std::filesystem::path& assets, const std::string& called);
/// Loads a chapter by its id, with the settings of the English file and with all counts filled in.
Lesson load_chapter(const std::filesystem::path& assets, const std::string& id, const std::string& language);
/// Returns the chapter that a link leads to, "06-check.md", "handbook/06-check.md" or "06-check.md#tolerance"; nullopt
/// for other links.
std::optional<std::string> find_linked_chapter(std::string_view link);

// --- What is filled in ---------------------------------------------------------------------------------------------

/// A filled-in value, `<!-- count:views -->14<!-- / -->`: its source, the current text, and the bytes of all of it.
struct FilledIn {
  std::string what, written;
  std::size_t begin = 0, end = 0;
};
std::vector<FilledIn> find_filled_parts(std::string_view markdown);
/// Returns the current value: of count:views, encodings, layouts (except custom), methods, causes, presets, lessons;
/// minutes:lessons; list:layouts, models_with_layout, models_without_layout, models_refused, readers, readers_noted,
/// readers_refused. nullopt if `what` is unknown.
std::optional<std::string> value_of(std::string_view what, const std::filesystem::path& assets);

// --- At a terminal -------------------------------------------------------------------------------------------------

inline constexpr std::size_t kTerminalColumns = 80;
/// Returns "ropescope render decay --set 'rope.base=100' -o decay.svg", which draws the figure of a section, or
/// "ropescope animate …" if it moves; empty if the section has no figure, or if its code is already such a command.
std::string render_command(const LessonStep& section);
/// Returns a chapter with plain formulas as plain text.
std::string chapter_text(const Lesson& chapter, const Text& text);

}  // namespace ropescope
