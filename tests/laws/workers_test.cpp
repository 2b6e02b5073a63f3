// tests/sanitize/workers.txt lists the tests that make each source start its threads. None may be missing, because the
// thread sanitizer runs only these tests.

#include "tests/places.h"
#include "tests/test.h"

namespace ropescope {

namespace {

const fs::path kTop = source_folder();

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Line {
  std::string source, folder, filter;
};
std::vector<Line> listed() {
  std::vector<Line> lines;
  std::istringstream file(content_of(kTop / "tests/sanitize/workers.txt"));
  for (std::string text; std::getline(file, text);) {
    if (text.empty() || text[0] == '#') continue;
    std::istringstream words(text);
    Line line;
    std::string more;
    words >> line.source >> line.folder >> line.filter;
    EXPECT_FALSE(line.filter.empty() || words >> more) << text;
    lines.push_back(line);
  }
  return lines;
}

/// Whether a line names what starts threads; to include a header starts nothing.
bool starts_threads(const std::string& line) {
  if (line.rfind("#include", 0) == 0) return false;
  const auto has = [&line](const char* word) { return line.find(word) != std::string::npos; };
  // std::thread::id and the like are only looked at.
  const std::size_t thread = line.find("std::thread");
  const bool is_thread = thread != std::string::npos && line.compare(thread + 11, 2, "::") != 0;
  return is_thread || has("run_on_threads(") || has("parallel_for_blocks(") || has("parallel_for_rows(") ||
         has("jthread") || has("std::async(") || has("pthread_create(");
}

/// Sources that start threads, or hand work to what does.
std::set<std::string> found() {
  std::set<std::string> sources;
  for (const char* room : {"core", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kTop / room)) {
      const std::string ending = entry.path().extension().string();
      if (!entry.is_regular_file() || (ending != ".cpp" && ending != ".h")) continue;
      // Only Python can call these, and it does not run under the sanitizer: tests/python compares numbers of threads.
      if (fs::relative(entry.path(), kTop / "app").generic_string().rfind("python/", 0) == 0) continue;
      std::istringstream file(content_of(entry.path()));
      for (std::string text; std::getline(file, text);) {
        if (!starts_threads(text)) continue;
        sources.insert(fs::relative(entry.path(), kTop).generic_string());
        break;
      }
    }
  }
  return sources;
}

}  // namespace

TEST(Workers, EverySourceThatStartsThreadsIsListed) {
  std::set<std::string> known;
  for (const Line& line : listed()) known.insert(line.source);
  const std::set<std::string> sources = found();
  ASSERT_GT(sources.size(), 10u);
  for (const std::string& source : sources) {
    EXPECT_TRUE(known.contains(source)) << source
                                        << " shares work among threads: name in tests/sanitize/workers.txt the "
                                        << "tests that make it do so";
  }
  for (const std::string& source : known) EXPECT_TRUE(fs::exists(kTop / source)) << source;
}

TEST(Workers, TheTestsThatAreNamedExist) {
  for (const Line& line : listed()) {
    std::string tests;
    for (const auto& entry : fs::directory_iterator(kTop / "tests" / line.folder)) {
      if (entry.path().extension() == ".cpp") tests += content_of(entry.path());
    }
    std::istringstream patterns(line.filter);
    for (std::string pattern; std::getline(patterns, pattern, ':');) {
      const std::string suite = pattern.substr(0, pattern.find('.')), test = pattern.substr(pattern.find('.') + 1);
      const auto to_regex = [](std::string text) {
        for (std::size_t at = 0; (at = text.find('*', at)) != std::string::npos; at += 4) text.replace(at, 1, R"(\w*)");
        return text;
      };
      const std::regex declared(R"(TEST(_F|_P)?\()" + to_regex(suite) + R"(,\s*)" + to_regex(test) + R"(\))");
      EXPECT_TRUE(std::regex_search(tests, declared)) << "tests/" << line.folder << " has no " << pattern;
    }
  }
}

}  // namespace ropescope
