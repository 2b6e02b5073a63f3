// The window at any text size, in any size, in every language: nothing named is out of reach, cut, or under something
// else, and no character lacks its glyph.

#include <gmock/gmock.h>

#include <set>

#include "app/resources/language.h"
#include "app/ui/pages.h"
#include "tests/figures/view_parts.h"
#include "tests/gui/app_window.h"
#include "tests/gui/drawn_text.h"

namespace ropescope::ui {
namespace {

using testing::IsEmpty;

struct Room {
  double width, height, scale;
};

std::string name_of(const Room& room) {
  return std::to_string(static_cast<int>(room.width)) + "x" + std::to_string(static_cast<int>(room.height)) + " at " +
         std::to_string(static_cast<int>(room.scale)) + " %";
}

/// A window that keeps what its owner must do: fonts follow the text size, the language and what was drawn.
struct LargeWindow : AppWindow {
  explicit LargeWindow(const Room& room, const std::string& language = "en") : AppWindow(room.width, room.height) {
    app->settings.text_scale = room.scale;
    app->settings.language = language;
    apply_language(*app);
    build_fonts();
    settle();
  }
  void build_fonts() {
    apply_settings(*app, 1);
    gui.upload_fonts();
    app->requests.rebuild_fonts = false;
  }
  void settle() {
    AppWindow::settle();
    for (int i = 0; i < 3 && app->requests.rebuild_fonts; ++i) {
      build_fonts();
      AppWindow::settle();
    }
  }
  void go_to(const View& view) {
    Experiment experiment = small_experiment();
    experiment.view = view.id;
    AppWindow::show(experiment, 3);
    settle();
  }
  bool is_inside(const Rect& rect) const {
    return rect.left >= -1 && rect.top >= -1 && rect.right() <= gui.width + 1 && rect.bottom() <= gui.height + 1;
  }
};

const Room kRooms[] = {{1280, 720, 100},  {1280, 720, 130}, {1280, 720, 150},  {1280, 720, 200},  {1280, 720, 250},
                       {1920, 1080, 250}, {640, 480, 100},  {640, 480, 150},   {3840, 2160, 200}, {3840, 2160, 250},
                       {960, 600, 200},   {800, 1200, 200}, {1366, 768, 170.0}};

class AnyRoom : public testing::TestWithParam<Room> {};

/// Every view, action, figure, number and control, by the mouse alone.
TEST_P(AnyRoom, ReachesEverything) {
  LargeWindow window(GetParam());
  App& app = *window.app;
  for (const char* key :
       {"shell.open", "shell.save", "shell.theme", "shell.text_size", "shell.language", "shell.keys"}) {
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
    window.go_to(*view);
    if (menu) EXPECT_TRUE(window.is_inside(window.gui.rect("shell.view")));
    std::set<std::string> seen;
    for (std::size_t page = 0; page < app.plot.pages; ++page) {
      for (const Panel& panel : app.result.panels) {
        const Rect* plot = app.record.find("plot." + panel.figure.name);
        if (!plot) continue;
        EXPECT_TRUE(window.is_inside(*plot)) << item << ": " << panel.figure.name;
        if (panel.figure.empty_message.empty()) EXPECT_GT(plot->width * plot->height, 20 * GetParam().scale) << item;
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

INSTANTIATE_TEST_SUITE_P(Rooms, AnyRoom, testing::ValuesIn(kRooms), [](const auto& one) {
  return std::to_string(static_cast<int>(one.param.width)) + "x" + std::to_string(static_cast<int>(one.param.height)) +
         "at" + std::to_string(static_cast<int>(one.param.scale));
});

/// What stands badly in a frame.
class Faults {
 public:
  void read(const std::string& where) {
    const std::vector<DrawnLine> lines = DrawnText().lines();
    EXPECT_GT(lines.size(), 8u) << where;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const DrawnLine& line = lines[i];
      // What ends so by itself asks for more: "Open…".
      const bool meant = ends_.contains(without_spaces(line.text));
      if (line.text.ends_with("…") && !meant) cut.insert(where + ": " + line.text);
      if (line.box.left < line.clip.left - 2 || line.box.right() > line.clip.right() + 2) {
        cut.insert(where + " reaches out: " + line.text);
      }
      for (std::size_t k = 0; k < i; ++k) {
        if (lines[k].list == line.list && touch(lines[k].box, line.box)) {
          overlapping.insert(where + ": " + lines[k].text + " under " + line.text);
        }
      }
    }
  }
  explicit Faults(const Text& text) {
    for (const auto& [key, words] : text.all()) {
      if (words.ends_with("…")) ends_.insert(without_spaces(words));
    }
  }
  std::set<std::string> cut, overlapping;

 private:
  static std::string without_spaces(std::string text) {
    std::erase(text, ' ');
    return text;
  }
  static bool touch(const Rect& a, const Rect& b) {
    constexpr double kAir = 2;
    return a.left < b.right() - kAir && b.left < a.right() - kAir && a.top < b.bottom() - kAir &&
           b.top < a.bottom() - kAir;
  }

  std::set<std::string> ends_;
};

std::string lines_of(const std::set<std::string>& all) {
  std::string text;
  for (const std::string& each : all) text += "  " + each + "\n";
  return text;
}

struct LanguageAndRoom {
  std::string language;
  Room room;
};

class Written : public testing::TestWithParam<LanguageAndRoom> {};

TEST_P(Written, NothingIsCutCoveredOrWithoutItsGlyph) {
  const auto& [language, room] = GetParam();
  LargeWindow window(room, language);
  Faults faults(window.app->text);
  std::set<unsigned> wanted;
  for (const View* view : all_views()) {
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
  const auto& [language, room] = GetParam();
  LargeWindow window(room, language);
  Faults faults(window.app->text);
  struct Chord {
    Key key;
    bool control;
  };
  for (const Chord chord : {Chord{Key::f1, false}, {Key::o, true}, {Key::s, true}, {Key::k, true}}) {
    window.gui.press(chord.key, chord.control);
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
  experiment.compare.show = "phrase";
  experiment.compare.sentence = "회전 위치 임베딩은 鷗外 ぬるぽ Ωχ";
  window.show(experiment, 3);
  window.settle();
  for (const unsigned character : {0xD68Cu, 0xBCA0u, 0x9DD7u, 0x306Cu, 0x307Du}) {
    EXPECT_TRUE(has_glyph(window.app->ui.fonts.small, character)) << std::hex << character;
  }
  EXPECT_FALSE(window.app->requests.rebuild_fonts) << "asked for once";
}

std::vector<LanguageAndRoom> languages_and_rooms() {
  std::vector<LanguageAndRoom> all;
  for (const char* language : {"en", "ja", "ko"}) {
    for (const Room& room : {Room{1280, 720, 100},
                             {1280, 720, 150},
                             {1280, 720, 200},
                             {1920, 1080, 100},
                             {1920, 1080, 150},
                             {1920, 1080, 200}}) {
      all.push_back({language, room});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Languages, Written, testing::ValuesIn(languages_and_rooms()), [](const auto& one) {
  return one.param.language + std::to_string(static_cast<int>(one.param.room.width)) + "at" +
         std::to_string(static_cast<int>(one.param.room.scale));
});

}  // namespace
}  // namespace ropescope::ui
