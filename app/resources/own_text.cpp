#include "app/resources/own_text.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "app/resources/files.h"

namespace ropescope {

std::string own_text(const std::filesystem::path& assets) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(assets / "lessons")) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(assets / "text")) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> contents;
  for (const fs::path& file : files) contents.push_back(read_file(file));
  constexpr std::size_t kPiece = 4096;
  std::string text;
  for (std::size_t at = 0, left = 1; left > 0; at += kPiece) {
    left = 0;
    for (const std::string& content : contents) {
      if (at >= content.size()) continue;
      text.append(content, at, kPiece);
      ++left;
    }
  }
  return text;
}

}  // namespace ropescope
