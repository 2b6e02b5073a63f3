// Comments are self-contained: everything that they refer to is in the repository.

#include "tests/places.h"
#include "tests/test.h"

namespace ropescope {

namespace {

struct SourceLine {
  std::string place;  ///< "app/ui/drawing/fonts.cpp:22"
  std::string text;
};

/// Of all sources but this one, scripts and build files among them.
std::vector<SourceLine> lines() {
  const fs::path top = source_folder();
  const std::set<std::string> endings = {".cpp", ".h", ".cmake", ".py", ".sh", ".vert", ".frag"};
  std::vector<SourceLine> lines;
  const auto read = [&](const fs::path& path) {
    std::ifstream file(path);
    std::string text;
    for (int line = 1; std::getline(file, text); ++line) {
      lines.push_back({fs::relative(path, top).generic_string() + ":" + std::to_string(line), text});
    }
  };
  for (const char* room : {"core", "app", "tests", "shaders"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top / room)) {
      if (entry.path().filename() == "references_test.cpp") continue;
      if (entry.is_regular_file() && endings.contains(entry.path().extension().string())) read(entry.path());
    }
  }
  for (const char* file : {"CMakeLists.txt", "run", "test"}) read(top / file);
  return lines;
}

/// What is written in a line after // or #; empty where it has no comment.
std::string comment_of(const std::string& line) {
  const std::size_t begin =
      std::min(line.find("//"), line.find_first_not_of(' ') == line.find("# ") ? line.find("# ") : std::string::npos);
  return begin == std::string::npos ? std::string() : line.substr(begin);
}

const std::regex& outside() {
  static const std::regex pattern(
      R"(shared look|\bissue('s|\b)|question of the seeds|\b(design|lessons|theory|checks)\.md|SCHEMA|\.\./shared)");
  return pattern;
}

}  // namespace

TEST(References, TheReaderSeesComments) {
  EXPECT_TRUE(std::regex_search(comment_of("  int a;  // Measures (shared look)"), outside()));
  EXPECT_TRUE(std::regex_search(comment_of("# see theory.md"), outside()));
  EXPECT_EQ(comment_of("std::string a = shared;"), "");
}

TEST(References, NoCommentPointsOutsideTheRepository) {
  for (const SourceLine& line : lines()) {
    EXPECT_FALSE(std::regex_search(comment_of(line.text), outside())) << line.place << ": " << line.text;
  }
}

TEST(References, FilesThatAreNamedExist) {
  const std::regex path(
      R"((?:^|[^\w/.])((?:core|app|tests|assets|shaders)/[\w./-]+\.(?:cpp|h|md|json|py|sh|txt|cmake))\b)");
  const std::regex stands_for_many("[A-Z]{4}");  // NAME, LANGUAGE
  int seen = 0;
  for (const SourceLine& line : lines()) {
    for (std::sregex_iterator at(line.text.begin(), line.text.end(), path), end; at != end; ++at) {
      const std::string name = (*at)[1];
      ++seen;
      EXPECT_TRUE(std::regex_search(name, stands_for_many) || fs::exists(fs::path(source_folder()) / name))
          << line.place << " names " << name;
    }
  }
  EXPECT_GT(seen, 500);
}

}  // namespace ropescope
