// The window at any text size, in any window size, in every language: no named widget is out of reach, cut off or
// covered, and no character lacks its glyph.

#include "tests/gui/large_window.h"
#include "tests/sampled.h"

namespace ropescope::ui {
namespace {

const Room kRooms[] = {{1280, 720, 100},  {1280, 720, 130}, {1280, 720, 150},  {1280, 720, 200},  {1280, 720, 250},
                       {1920, 1080, 250}, {640, 480, 100},  {640, 480, 150},   {3840, 2160, 200}, {3840, 2160, 250},
                       {960, 600, 200},   {800, 1200, 200}, {1366, 768, 170.0}};

/// Where the control of a field is drawn, or the first part of it: the list of a sweep, a button of a set of names.
const Rect* find_control(const App& app, const Field& field) {
  for (const auto& [key, rect] : app.record.rects) {
    if (!key.starts_with(field.key)) continue;
    const std::string_view rest = std::string_view(key).substr(std::string_view(field.key).size());
    if (rest.empty() || rest.front() == '.' || rest.front() == '_') return &rect;
  }
  return nullptr;
}

/// Opens the controls by a click where they are folded or a drawer. All those of the view are there, and the wheel
/// brings the last one into the window.
void expect_controls(LargeWindow& window, const View& view) {
  App& app = *window.app;
  Experiment experiment = window.experiment();
  FieldList fields = panel_fields(view, experiment);
  std::erase_if(fields, [](const Field& field) { return !field.control || !field.has_value(); });
  if (fields.empty()) return;
  const bool folded = !find_control(app, fields.front());
  const auto fold = [&window] { window.gui.play("click shell.fold; settle"); };
  if (folded) fold();
  const Rect* last = nullptr;
  for (const Field& field : fields) {
    const Rect* const control = find_control(app, field);
    ASSERT_TRUE(control) << view.id << ": " << field.key;
    EXPECT_GE(control->left, 0) << view.id << ": " << field.key;
    EXPECT_LE(control->right(), window.gui.width) << view.id << ": " << field.key;
    if (!last || control->bottom() > last->bottom()) last = control;
  }
  // At the left edge of the panel, where no control takes the wheel.
  window.gui.move({last->left - 2, window.gui.centre("shell.fold").y});
  send_mouse_wheel(-1000);
  window.settle();
  for (const Field& field : fields) {
    const Rect* const control = find_control(app, field);
    if (control) EXPECT_LE(control->bottom(), window.gui.height) << view.id << ": " << field.key;
  }
  send_mouse_wheel(1000);
  window.settle();
  if (folded) fold();
}

/// The height that is left for a plot in the smallest window, at 100 %: about two lines of text.
constexpr double kLeastPlot = 30;

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
        EXPECT_GE(plot->height, window.app->ui.px(kLeastPlot)) << item << ": " << panel.figure.name;
        seen.insert(panel.figure.name);
      }
      if (app.plot.pages > 1) window.gui.click("page." + std::to_string((page + 1) % app.plot.pages + 1));
      window.settle();
    }
    EXPECT_EQ(seen.size(), app.result.panels.size()) << item;
    // Numbers: as cards, or as a row that unfolds to them.
    if (!app.result.readouts.empty() && window.gui.shows("cards.unfold")) {
      window.gui.play("click cards.unfold; settle");
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
    expect_controls(window, *view);
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

/// The buttons of a dialog are in it and under none of its parts, and its choices scroll only if the window is too low
/// for the whole dialog.
void expect_laid_out(const LargeWindow& window, const std::string& name) {
  constexpr double kMargin = 32;  // of the window around a dialog, at 100 %
  const auto box_of = [](const ImGuiWindow& of) {
    return Rect{of.Pos.x, of.Pos.y, static_cast<double>(of.Size.x), static_cast<double>(of.Size.y)};
  };
  const auto holds = [](const Rect& a, const Rect& b) {
    return a.left <= b.left && a.top <= b.top && b.right() <= a.right() && b.bottom() <= a.bottom();
  };
  const ImGuiWindow* dialog = nullptr;
  for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows) {
    if (each->Active && (each->Flags & ImGuiWindowFlags_Modal) != 0) dialog = each;
  }
  ASSERT_TRUE(dialog) << name;
  const bool whole = box_of(*dialog).height < window.gui.height - window.app->ui.px(kMargin) - 1;
  for (const auto& [key, rect] : window.app->record.rects) {
    const bool button = key == "dialog.cancel" || key == "dialog.close" || key.starts_with("dialog.do_");
    if (button) EXPECT_TRUE(holds(box_of(*dialog), rect)) << name << ": " << key;
    for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows) {
      if (!button || !each->Active || each->ParentWindow != dialog) continue;
      const Rect part = box_of(*each);
      EXPECT_TRUE(rect.top >= part.bottom() - 1 || rect.left >= part.right() - 1) << name << ": " << key;
    }
  }
  for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows) {
    if (!each->Active || each->ParentWindow != dialog || !whole) continue;
    if (std::string_view(each->Name).find("/choices_") == std::string_view::npos) continue;
    EXPECT_EQ(each->ScrollMax.y, 0) << name << ": a control is out of sight although the window has room for it";
  }
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
      window.gui.play("press right_bracket; settle");
    }
    wanted.merge(window.app->writing.wanted.characters);
    // What was asked of the fonts once and is still missing has no glyph anywhere.
    for (const unsigned character : window.app->requested_glyphs) {
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
    const std::string name = "dialog " + std::to_string(static_cast<int>(window.app->dialog.kind));
    faults.read(name);
    expect_laid_out(window, name);
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
  experiment.view = "encodings";
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
