// The chapters of the handbook as lessons: read, filled in, drawn section by section, and as plain text.

#include "app/lessons/handbook.h"
#include "app/lessons/lesson.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

std::vector<std::string> chapter_ids() {
  std::vector<std::string> ids;
  for (const LessonEntry& entry : list_chapters(kAssets)) ids.push_back(entry.id);
  return ids;
}

class AnyChapter : public testing::TestWithParam<std::string> {};

TEST_P(AnyChapter, IsReadWithoutFaultsInEveryLanguage) {
  const Text text = Text::load(kAssets);
  const Lesson english = load_chapter(kAssets, GetParam(), "en");
  for (const char* language : {"en", "ja", "ko"}) {
    const Lesson chapter = load_lesson(kAssets, GetParam(), language);
    for (const LessonError& fault : chapter.faults) ADD_FAILURE() << to_error_text(fault, text);
    ASSERT_EQ(chapter.steps.size(), english.steps.size()) << language;
    for (std::size_t i = 0; i < chapter.steps.size(); ++i) {
      EXPECT_EQ(chapter.steps[i].name, english.steps[i].name) << language;
      EXPECT_EQ(chapter.steps[i].set.size(), english.steps[i].set.size()) << language;
      EXPECT_FALSE(chapter.steps[i].text.empty()) << chapter.steps[i].title;
    }
  }
}

/// What a section sets can be set, and is drawn.
TEST_P(AnyChapter, ShowsWhatItSets) {
  static Store* store = new Store(Store::Mode::synchronous);
  const Text text = Text::load(kAssets);
  const Lesson chapter = load_chapter(kAssets, GetParam(), "en");
  StepStates states(chapter, kAssets);
  for (std::size_t i = 0; i < chapter.steps.size(); ++i) {
    const StepState state = states.next();
    if (chapter.steps[i].set.empty()) continue;
    const ViewResult shown = draw_view(find_view(state.experiment.view), state.experiment, text, *store);
    for (const LessonError& fault : faults_of(chapter, i, state, shown, shown))
      ADD_FAILURE() << to_error_text(fault, text);
    EXPECT_FALSE(shown.panels.empty()) << chapter.steps[i].title;
  }
}

/// At a terminal no line is longer than asked for but of code, and nothing of Markdown is left.
TEST_P(AnyChapter, IsPlainText) {
  for (const char* language : {"en", "ja", "ko"}) {
    const Text text = Text::load(kAssets, language);
    const Lesson chapter = load_chapter(kAssets, GetParam(), language);
    const std::string plain = chapter_text(chapter, text);
    EXPECT_THAT(plain, HasSubstr(chapter.title));
    std::size_t at = 0;
    while (at < plain.size()) {
      const std::size_t end = plain.find('\n', at);
      const std::string line = plain.substr(at, end - at);
      at = end + 1;
      if (line.starts_with("    ")) continue;
      EXPECT_LE(screen_width(line), kTerminalColumns) << line;
      for (const char* markdown : {"<!--", "](", "**", "| ---"}) EXPECT_THAT(line, Not(HasSubstr(markdown)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Chapters, AnyChapter, testing::ValuesIn(chapter_ids()), [](const auto& one) {
  std::string name = one.param.substr(kHandbook.size());
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// F1 finds a section for whatever is shown.
TEST(Chapters, ShowEveryView) {
  std::set<std::string> shown;
  for (const std::string& id : chapter_ids()) {
    for (const LessonStep& section : load_chapter(kAssets, id, "en").steps) {
      for (const LessonSetting& setting : section.set) {
        if (setting.key == "view") shown.insert(setting.value);
      }
    }
  }
  for (const View* view : all_views()) EXPECT_TRUE(shown.contains(std::string(view->id))) << view->id;
}

TEST(Chapters, AreFoundByNumberNameAndBeginning) {
  for (const char* called : {"06", "6", "check", "06-check", "che", "06-c"}) {
    EXPECT_EQ(find_chapter(kAssets, called), "handbook/06-check") << called;
  }
  EXPECT_EQ(find_chapter(kAssets, "1"), "handbook/01-decay");
  EXPECT_EQ(find_chapter(kAssets, "10"), "handbook/10-race");
  EXPECT_REFUSED(find_chapter(kAssets, "c"), AllOf(Says("error.handbook.unknown", {{"found", "c"}}),
                                                   HasSubstr("06-check, 12-command-line or 15-contribute")));
  EXPECT_REFUSED(find_chapter(kAssets, "chess"), HasSubstr("01-decay, 02-rotation"));
}

TEST(Chapters, AreTranslatedOrEnglish) {
  EXPECT_EQ(load_lesson(kAssets, "handbook/01-decay", "ja").language, "ja");
  EXPECT_EQ(load_lesson(kAssets, "handbook/14-trust", "ja").language, "en");
  const Text korean = Text::load(kAssets, "ko");
  const auto told = [&](const char* id) { return chapter_text(load_lesson(kAssets, id, "ko"), korean); };
  EXPECT_THAT(told("handbook/14-trust"), HasSubstr(korean["handbook.in_english"]));
  EXPECT_THAT(told("handbook/13-keys"), Not(HasSubstr(korean["handbook.in_english"])));
}

constexpr const char* kChapter = R"(# A question?

After this you can `do` it.

## Which {one} is it?

See [Check](06-check.md) and [there](https://example.org), ![seen](../pictures/a.png)
where 日本
語 is one word.

1. first
2. second

```sh
  indented $HOME
```

```set
view = limits
```

| name | meaning |
| --- | --- |
| `a` | the **first** |
| b | |
)";

TEST(ReadChapter, KeepsTablesCodeNumbersAndLinks) {
  using Kind = LessonParagraph::Kind;
  const Lesson chapter = read_chapter(kChapter, "06-x.md");
  EXPECT_THAT(chapter.faults, ElementsAre());
  EXPECT_EQ(chapter.title, "A question?");
  ASSERT_EQ(chapter.steps.size(), 2u);
  EXPECT_EQ(chapter.steps[0].title, "A question?");
  const LessonStep& section = chapter.steps[1];
  EXPECT_EQ(section.name, "which-one-is-it");
  EXPECT_EQ(section.title, "Which {one} is it?");
  ASSERT_EQ(section.set.size(), 1u);
  EXPECT_EQ(section.set[0].value, "limits");
  ASSERT_EQ(section.text.size(), 7u);
  EXPECT_EQ(text_of(section.text[0]), "See Check and there,  where 日本語 is one word.");
  EXPECT_EQ(section.text[0].words[1].link, "06-check.md");
  EXPECT_TRUE(section.text[0].literal);
  EXPECT_EQ(section.text[2].number, 2);
  EXPECT_EQ(section.text[3].kind, Kind::code);
  EXPECT_EQ(text_of(section.text[3]), "  indented $HOME");
  EXPECT_EQ(section.text[4].kind, Kind::head);
  const std::vector<LessonParagraph> cells = cells_of(section.text[5]);
  ASSERT_EQ(cells.size(), 2u);
  EXPECT_EQ(text_of(cells[1]), "the first");
  EXPECT_EQ(cells_of(section.text[6]).size(), 1u);
}

TEST(ReadChapter, IsPlainTextInColumns) {
  const Text text = Text::load(kAssets);
  Lesson chapter = read_chapter(kChapter, "06-x.md");
  chapter.language = "en";
  EXPECT_EQ(chapter_text(chapter, text), R"(A question?
===========

After this you can `do` it.

Which {one} is it?
------------------

See Check (`ropescope help check`) and there,  where 日本語 is one word.

1. first
2. second

      indented $HOME

name  meaning
----  ---------
`a`   the first
b

)" + text["handbook.picture"] + R"(

    ropescope render limits -o limits.svg
)");
  EXPECT_EQ(screen_width("日本語 abc é"), 12u);
}

TEST(FilledIn, IsWhatIsCountedNow) {
  const std::vector<FilledIn> places = find_filled_parts("of <!-- count:views -->3<!-- / --> and <!-- a remark -->");
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].what, "count:views");
  EXPECT_EQ(places[0].written, "3");
  EXPECT_EQ(value_of("count:views", kAssets), std::to_string(all_views().size()));
  EXPECT_EQ(value_of("count:nothing", kAssets), std::nullopt);
}

}  // namespace
}  // namespace ropescope
