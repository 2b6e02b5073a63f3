// Fonts of the web page, which are in its file system, reduced to the characters of the texts (page.cmake).

#include "app/ui/drawing/font_files.h"

namespace ropescope::ui {

FontFiles find_fonts() {
  FontFiles files;
  files.regular = "/fonts/Inter-Regular.otf";
  files.semibold = "/fonts/Inter-SemiBold.otf";
  files.others = {{"Noto Sans CJK JP", "/fonts/ja.otf", 0}, {"Noto Sans CJK KR", "/fonts/ko.otf", 0}};
  files.mono = "/fonts/DejaVuSansMono.ttf";
  files.symbols = "/fonts/DejaVuSans.ttf";
  return files;
}

FontFiles::Family find_semibold(const std::string& family, const std::string& language) {
  return {family, "/fonts/" + language + "-semibold.otf", 0};
}

}  // namespace ropescope::ui
