// The window at any text size, in any size, in every language: nothing named is out of reach, cut, or under something
// else, and no character lacks its glyph.

#include <gmock/gmock.h>

#include <set>

#include "app/ui/shell.h"
#include "tests/gui/large_window.h"
#include "tests/sampled.h"

namespace ropescope::ui {
namespace {

using testing::IsEmpty;

const Room kRooms[] = {{1280, 720, 100},  {1280, 720, 130}, {1280, 720, 150},  {1280, 720, 200},  {1280, 720, 250},
                       {1920, 1080, 250}, {640, 480, 100},  {640, 480, 150},   {3840, 2160, 200}, {3840, 2160, 250},
                       {960, 600, 200},   {800, 1200, 200}, {1366, 768, 170.0}};

class AnyRoom : public testing::TestWithParam<std::size_t> {};

/// Every view, action, figure, number and control, by the mouse alone.
TEST_P(AnyRoom, ReachesEverything) {
  LargeWindow window(kRooms[GetParam()]);
  App& app = *window.app;
  Sample sample("what is reached: views × window and text sizes");
  std::size_t row = 0;
  for (const char* key :
       {"shell.open", "shell.save", "shell.theme", "shell.text_size", "shell.language", "shell.handbook"}) {
    if (!window.gui.shows(key)) window.gui.click("shell.menu");
    ASSERT_TRUE(window.gui.shows(key)) << key;
    EXPECT_TRUE(window.is_inside(window.gui.rect(key))) << key;
    window.gui.press(Key::escape);
  }
  for (const View* view : all_views()) {
    const std::string item = "view." + std::string(view->id);
    const bool menu = window.gui.shows("shell.view");
    if (menu) window.gui.click("shell.view");
    ASSERT_TRUE(window.gui.shows(item)) << item;
    window.gui.press(Key::escape);
    if (!sample.takes(row++, GetParam(), std::size(kRooms))) continue;
    window.go_to(*view);
    if (menu) EXPECT_TRUE(window.is_inside(window.gui.rect("shell.view")));
    std::set<std::string> seen;
    for (std::size_t page = 0; page < app.plot.pages; ++page) {
      for (const Panel& panel : app.result.panels) {
        const Rect* plot = app.record.find("plot." + panel.figure.name);
        if (!plot) continue;
        EXPECT_TRUE(window.is_inside(*plot)) << item << ": " << panel.figure.name;
        if (panel.figure.empty_message.empty())
          EXPECT_GT(plot->width * plot->height, 20 * app.settings.text_scale) << item;
        seen.insert(panel.figure.name);
      }
      if (app.plot.pages > 1) window.gui.click("page." + std::to_string((page + 1) % app.plot.pages + 1));
      window.settle();
    }
    EXPECT_EQ(seen.size(), app.result.panels.size()) << item;
    // Numbers: as cards, or as a row that unfolds to them.
    if (!app.result.readouts.empty() && window.gui.shows("cards.unfold")) {
      window.gui.click("cards.unfold");
      window.settle();
      ASSERT_TRUE(window.gui.shows("cards.sheet")) << item;
      for (const Readout& readout : app.result.readouts) {
        if (readout.aside) continue;
        EXPECT_TRUE(window.gui.shows("card." + readout.name)) << item << ": " << readout.name;
      }
      window.gui.press(Key::escape);
      EXPECT_FALSE(window.gui.shows("cards.sheet"));
    } else {
      for (const Readout& readout : app.result.readouts) {
        if (readout.aside) continue;
        EXPECT_TRUE(window.is_inside(window.gui.rect("card." + readout.name))) << item << ": " << readout.name;
      }
    }
    // The controls: beside the figures, or as a drawer over them.
    if (!window.gui.shows("decay.span") && view->id == "decay") {
      window.gui.press(Key::b);
      window.settle();
      EXPECT_TRUE(window.gui.shows("decay.span"));
      window.gui.press(Key::b);
      window.settle();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rooms, AnyRoom, testing::Range(std::size_t{0}, std::size(kRooms)), [](const auto& one) {
  const Room& room = kRooms[one.param];
  return std::to_string(static_cast<int>(room.width)) + "x" + std::to_string(static_cast<int>(room.height)) + "at" +
         std::to_string(static_cast<int>(room.scale));
});

struct LanguageAndRoom {
  std::string language;
  Room room;
};

/// Every language in every size, in an order in which cells that are six apart differ in both.
std::vector<LanguageAndRoom> languages_and_rooms() {
  const char* const languages[] = {"en", "ja", "ko"};
  const Room rooms[] = {{1280, 720, 100},  {1280, 720, 150},  {1280, 720, 200},
                        {1920, 1080, 100}, {1920, 1080, 150}, {1920, 1080, 200}};
  std::vector<LanguageAndRoom> all;
  for (std::size_t round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 6; ++i) all.push_back({languages[(i + round) % 3], rooms[(i + 2 * round) % 6]});
  }
  return all;
}

class Written : public testing::TestWithParam<std::size_t> {};

TEST_P(Written, NothingIsCutCoveredOrWithoutItsGlyph) {
  const std::vector<LanguageAndRoom> cells = languages_and_rooms();
  const auto& [language, room] = cells[GetParam()];
  LargeWindow window(room, language);
  Faults faults(window.app->text);
  std::set<unsigned> wanted;
  Sample sample("texts of views × languages, window and text sizes", 6);
  std::size_t row = 0;
  for (const View* view : all_views()) {
    if (!sample.takes(row++, GetParam(), cells.size())) continue;
    window.go_to(*view);
    for (std::size_t page = 0; page < window.app->plot.pages; ++page) {
      faults.read(std::string(view->id));
      if (window.app->plot.pages == 1) break;
      window.gui.press(Key::right_bracket);
      window.settle();
    }
    wanted.merge(window.app->writing.wanted.characters);
    // What was asked of the fonts once and is still missing has no glyph anywhere.
    for (const unsigned character : window.app->asked_for) {
      if (!has_glyph(window.app->ui.fonts.body, character)) wanted.insert(character);
    }
  }
  EXPECT_EQ(lines_of(faults.cut), "") << language << ", " << name_of(room);
  EXPECT_EQ(lines_of(faults.overlapping), "") << language << ", " << name_of(room);
  EXPECT_THAT(wanted, IsEmpty()) << "characters without a glyph, " << language;
}

TEST_P(Written, DialogsAreWhole) {
  const std::vector<LanguageAndRoom> cells = languages_and_rooms();
  const auto& [language, room] = cells[GetParam()];
  LargeWindow window(room, language);
  Faults faults(window.app->text);
  Sample sample("dialogs × languages, window and text sizes", 6);
  std::size_t row = 0;
  struct Chord {
    Key key;
    bool control = true, shift = false;
  };
  for (const Chord chord : {Chord{Key::f1, false, true}, {Key::o}, {Key::o, true, true}, {Key::s}, {Key::k}}) {
    if (!sample.takes(row++, GetParam(), cells.size())) continue;
    window.gui.press(chord.key, chord.control, chord.shift);
    window.settle();
    ASSERT_NE(window.app->dialog.kind, DialogKind::none);
    faults.read("dialog " + std::to_string(static_cast<int>(window.app->dialog.kind)));
    window.gui.press(Key::escape);
  }
  // A path that is typed is seen in part; its field scrolls.
  std::erase_if(faults.cut, [](const std::string& text) { return text.find('/') != std::string::npos; });
  EXPECT_EQ(lines_of(faults.cut), "") << language << ", " << name_of(room);
  EXPECT_EQ(lines_of(faults.overlapping), "") << language << ", " << name_of(room);
}

/// Glyphs come with what is drawn: typed, or in the name of a file.
TEST(TypedText, HasItsGlyphsInAnyLanguage) {
  LargeWindow window({1280, 720, 100});
  Experiment experiment = small_experiment();
  experiment.view = "compare";
  experiment.compare.show = CompareShow::phrase;
  experiment.compare.sentence = "회전 위치 임베딩은 鷗外 ぬるぽ Ωχ";
  window.show(experiment, 3);
  window.settle();
  for (const unsigned character : {0xD68Cu, 0xBCA0u, 0x9DD7u, 0x306Cu, 0x307Du}) {
    EXPECT_TRUE(has_glyph(window.app->ui.fonts.small, character)) << std::hex << character;
  }
  EXPECT_FALSE(window.app->requests.rebuild_fonts) << "asked for once";
}

/// Hangul and kana have a bold face as digits have.
TEST(TypedText, IsSemiboldWhereItsDigitsAre) {
  for (const auto& [language, character] : {std::pair("ko", 0xC218u), std::pair("ja", 0x56DEu)}) {
    LargeWindow window({1280, 720, 100}, language);
    const Fonts& fonts = window.app->ui.fonts;
    ASSERT_GT(ink_of(fonts.body, character), 0) << language;
    EXPECT_GT(ink_of(fonts.semibold, character), 1.1 * ink_of(fonts.body, character)) << language;
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, Written, testing::Range(std::size_t{0}, languages_and_rooms().size()),
                         [](const auto& one) {
                           const LanguageAndRoom cell = languages_and_rooms()[one.param];
                           return cell.language + std::to_string(static_cast<int>(cell.room.width)) + "at" +
                                  std::to_string(static_cast<int>(cell.room.scale));
                         });

}  // namespace
}  // namespace ropescope::ui
