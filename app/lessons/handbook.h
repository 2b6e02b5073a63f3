// The handbook: its chapters, the values filled into them, and their form in a terminal and, with the gallery and the
// lessons, as a folder of static HTML pages for `ropescope help --site`.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/figure_file.h"
#include "app/lessons/lesson.h"
#include "app/resources/text.h"
#include "app/store/store.h"

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

// --- Site ----------------------------------------------------------------------------------------------------------

struct SiteOptions {
  /// Prefix of the links to experiments: kOwnAddress, or the address of the page in a browser with "#" at its end; a
  /// relative one is relative to the site's folder.
  std::string link = std::string(kOwnAddress);
  std::function<void(double fraction)> progress = {};
};

/// The file that every site contains and that is written first.
inline constexpr std::string_view kSiteIndex = "index.html";
/// Returns whether the content of an index.html is that of such a site.
bool is_site_index(std::string_view html);

/// Creates all pages in every language: `write` receives the path of each file within the site and its content. A
/// chapter without a translation is in English with a note that states so. Figures are SVG files for the light and the
/// dark theme. Equal input gives equal files.
void make_site(const std::filesystem::path& assets, Store& store, const SiteOptions& options,
               const std::function<void(const std::string& path, const std::string& content)>& write);

}  // namespace ropescope
