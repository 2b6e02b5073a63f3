// `ropescope help --site`: every chapter and lesson has a page in each language, every link has a
// target, and a folder with other files is rejected.

#include "app/lessons/handbook.h"
#include "app/lessons/lesson.h"
#include "program.h"
#include "tests/said.h"

namespace ropescope {
namespace {

std::set<std::string> groups_in_page(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), expression), end; match != end; ++match) {
    found.insert((*match)[1]);
  }
  return found;
}

/// In place of a matcher, which would print the whole page.
bool contains(const std::string& page, const std::string& part) {
  return page.find(part) != std::string::npos;
}

/// The values of attributes that lead to a file. Pages with formulas are too long for a regular expression.
std::set<std::string> links_in_page(const std::string& page) {
  std::set<std::string> links;
  for (const std::string attribute : {" href=\"", " src=\"", " srcset=\""}) {
    for (std::size_t at = page.find(attribute); at != std::string::npos; at = page.find(attribute, at)) {
      at += attribute.size();
      links.insert(page.substr(at, page.find('"', at) - at));
    }
  }
  return links;
}

/// The site is made once for all tests.
class Site : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    place_ = new Workplace;
    // Replaces an earlier site that is incomplete.
    fs::create_directories(place_->path("page/handbook"));
    place_->write("page/handbook/index.html", "<meta name=\"generator\" content=\"ropescope help --site\">");
    place_->good({"help", "--site", "page/handbook", "--link", "../index.html#"});
    files_ = new std::map<std::string, std::string>;
    for (auto& [name, content] : place_->files()) {
      const fs::path file = fs::path(name).lexically_relative(place_->path("page/handbook"));
      if (file.has_extension()) files_->emplace(file.generic_string(), content);
    }
  }
  static void TearDownTestSuite() {
    delete files_;
    delete place_;
  }
  static std::string file(const std::string& name) {
    const auto found = files_->find(name);
    EXPECT_NE(found, files_->end()) << name;
    return found == files_->end() ? std::string() : found->second;
  }

  static Workplace* place_;
  static std::map<std::string, std::string>* files_;
};
Workplace* Site::place_ = nullptr;
std::map<std::string, std::string>* Site::files_ = nullptr;

TEST_F(Site, HasAPageForEveryChapterAndLessonInEachLanguage) {
  const fs::path assets = source_folder() + "/assets";
  for (const std::string& language : languages(assets)) {
    std::size_t pages = 0;
    for (const LessonEntry& entry : list_chapters(assets)) {
      const std::string page = file(language + "/" + entry.id.substr(kHandbook.size()) + ".html");
      EXPECT_TRUE(contains(page, "<html lang=\"" + language + "\">"));
      for (const LessonStep& section : load_chapter(assets, entry.id, language).steps) {
        EXPECT_TRUE(contains(page, "<section id=\"" + section.name + "\">")) << entry.id;
      }
      ++pages;
    }
    for (const LessonEntry& entry : list_lessons(assets)) {
      const std::string page = file(language + "/lesson-" + entry.id + ".html");
      for (const LessonStep& step : load_lesson(assets, entry.id, language).steps) {
        EXPECT_TRUE(contains(page, "<section id=\"" + step.name + "\">")) << entry.id;
        EXPECT_TRUE(contains(page, "../../index.html#lesson=" + entry.id + "/" + step.name + "\"")) << entry.id;
      }
      ++pages;
    }
    // The reference of the Python package.
    const std::string reference = file(language + "/python.html");
    for (const char* name : {"Rope.cos_sin", "check", "CheckReport.assert_agrees", "sweep"}) {
      EXPECT_TRUE(contains(reference, "<section id=\"" + std::string(name) + "\">")) << name;
    }
    ++pages;
    // Each is in the list of each page and found by the search.
    const std::string home = file(language + "/index.html"), index = file(language + "/index.js");
    EXPECT_EQ(groups_in_page(home, "<a href=\"([0-9a-z-]+\\.html)\">").size(), pages + 1) << language;
    EXPECT_EQ(groups_in_page(index, "\"((?:(?:lesson-)?[0-9]{2}-[0-9a-z-]+|python)\\.html)\"").size(), pages)
        << language;
  }
}

/// Files and anchors; the page in a browser is elsewhere.
TEST_F(Site, HasNoDeadLink) {
  std::size_t links = 0;
  for (const auto& [name, page] : *files_) {
    if (!name.ends_with(".html")) continue;
    for (const std::string& link : links_in_page(page)) {
      if (link.starts_with("https://") || link.starts_with("../../index.html#")) continue;
      ++links;
      const std::size_t hash = std::min(link.find('#'), link.size());
      const fs::path target = hash == 0 ? fs::path(name) : fs::path(name).parent_path() / link.substr(0, hash);
      const auto found = files_->find(target.lexically_normal().generic_string());
      ASSERT_NE(found, files_->end()) << name << ": " << link;
      if (hash == link.size()) continue;
      EXPECT_TRUE(contains(found->second, "id=\"" + link.substr(hash + 1) + "\"")) << name << ": " << link;
    }
  }
  EXPECT_GT(links, 1000u);
}

TEST_F(Site, HasFiguresInBothThemesAndFormulas) {
  const std::string decay = file("en/01-decay.html");
  const std::set<std::string> pictures = groups_in_page(decay, "(?:srcset|src)=\"\\.\\./([^\"]*\\.svg)\"");
  EXPECT_GE(pictures.size(), 8u);
  for (const std::string& picture : pictures) EXPECT_TRUE(contains(file(picture), "<svg")) << picture;
  EXPECT_TRUE(contains(decay, "href=\"../../index.html#1&amp;view=limits"));
  EXPECT_TRUE(contains(file("en/lesson-08-decay.html"), "<svg role=\"img\""));
  for (const auto& [name, page] : *files_) {
    if (!name.ends_with(".html")) continue;
    EXPECT_FALSE(contains(page, "<p></p>")) << name;
    // Chapters quote them as code.
    if (name.find("/lesson-") == std::string::npos) continue;
    EXPECT_THAT(page, Not(testing::ContainsRegex("\\{[a-z_]+\\.[a-z_.]+\\}"))) << name;
  }
}

TEST_F(Site, ReplacesOnlyItself) {
  const Workplace other;
  fs::create_directories(other.path("notes"));
  other.write("notes/index.html", "<html>mine</html>");
  other.bad({"help", "--site", "notes"}, {said(Message("error.command.foreign_site", {{"folder", "\"notes\""}}))});
  other.write("file", "");
  other.bad({"help", "--site", "file"}, {"\"file\""});
  EXPECT_TRUE(is_site_index(file("index.html")));
  EXPECT_FALSE(is_site_index(other.read("notes/index.html")));
}

TEST_F(Site, StandsAlone) {
  const Workplace other;
  other.bad({"help", "--site", "a", "decay"}, {"CHAPTER", "--site"});
  other.bad({"help", "--site", "a", "-o", "b"}, {"-o", "--site"});
  other.bad({"help", "--site", "a", "--language", "ja"}, {"--language", "--site"});
  other.bad({"help", "--link", "#"}, {"--link", "--site"});
}

}  // namespace
}  // namespace ropescope
