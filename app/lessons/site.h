// The handbook, the gallery and the texts of the lessons as a folder of static HTML pages, for `ropescope help --site`.
// Read handbook.h and lesson.h first.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "app/experiment/figure_file.h"
#include "app/store/store.h"

namespace ropescope {

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
