#include <imgui.h>

#include "app/resources/files.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "tests/gui/harness.h"
#include "tests/places.h"
#include "tests/temporary_folder.h"

namespace ropescope::ui {

namespace {

constexpr const char* kTexts = R"({
  "field": {"t": {
    "base": {"label": "Base", "help": "How far apart the frequencies lie."},
    "even": {"label": "Even"},
    "plain": {"label": "A share with a very long label that can never fit beside its value", "help": "A share."},
    "pick": {"label": "Pick", "help": "One of three."}, "many": {"label": "Many", "help": "One of many."},
    "words": {"label": "Words", "help": "Any words."},
    "one": {"label": "one"}, "two": {"label": "two"}}},
  "option": {"t": {"pick": {"left": "to the left"}}},
  "row": {"t": "Both"}, "shell": {"tip": {"sweep": "Play"}, "message": {"no_font": "No font."}}})";

NumberField base_field() {
  return {.key = "t.base", .minimum = 10, .maximum = 1e9, .initial = 10000};
}
NumberField even_field() {
  return {.key = "t.even", .minimum = 2, .maximum = 200, .initial = 128, .whole = true, .step = 2, .linear = true};
}

/// All controls in a column of 288 px, as in the window; what every one of them said is kept.
class Widgets : public ::testing::Test {
 protected:
  Widgets() {
    const TemporaryFolder assets;  // one each: the tests run side by side
    fs::create_directories(assets.path / "text");
    // The tips of all widgets, and what the fields below need.
    json texts = json::parse(kTexts);
    const auto english = json::parse(read_file(source_folder() + "/assets/text/en.json"));
    texts["shell"]["tip"] = english["shell"]["tip"];
    std::ofstream(assets.path / "text" / "en.json") << texts;
    text = Text::load(assets.path);
    ui.text = &text;
    ui.palette = palette(ThemeName::dark);
    ui.record = &record;
    std::string warning;
    ui.fonts = build_fonts(find_fonts(), text, "", 1, warning);
    apply_style(ui.palette, 1);
    gui.upload_fonts();
    gui.record = &record;
    gui.draw = [this] { draw(); };
    gui.frames();
  }

  void draw() {
    record.clear();
    ImGui::SetNextWindowPos({20, 20});
    ImGui::SetNextWindowSize({288 + 2 * ImGui::GetStyle().WindowPadding.x, 660});
    ImGui::Begin("controls", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    note(number_control(ui, base_field(), base));
    note(number_control(ui, even_field(), even));
    note(number_control(ui, {.key = "t.plain", .maximum = 1, .initial = 0.25, .linear = true}, share));
    note(choice_control(ui, choice_field("t.pick", {"left", "middle", "right"}, "left"), pick));
    note(choice_control(ui, choice_field("t.many", {"a", "b", "c", "d", "e"}, "a"), many));
    note(toggles_control(ui, "row.t", {toggle_field("t.one", one), toggle_field("t.two", two)}));
    note(text_control(ui, text_field("t.words", "none"), words));
    const std::string chosen =
        list_control(ui, "models", "Model", {{"x", "Model X", "1"}, {"y", "Model Y", "2"}}, "x", "");
    if (!chosen.empty()) model = chosen;
    ImGui::End();
    ImGui::SetNextWindowPos({500, 20});
    ImGui::SetNextWindowSize({600, 500});
    ImGui::Begin("frame", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    if (button(ui, "ok", "OK")) ++presses;
    if (button(ui, "off", "Off", false)) presses += 100;
    const Stroke sample{ui.palette.accent, Dash::dots};
    Chip curve;
    curve.key = "chip";
    curve.label = "a curve";
    curve.sample = sample;
    curve.closable = true;
    const ChipClick click = chip(ui, curve, 300);
    if (click != ChipClick::none) chip_click = click;
    if (list_item(ui, "view.decay", "Decay", "2", true)) ++views;
    ImGui::SetNextItemWidth(400);
    if (message_bar(ui, "message", {"Something went wrong."}) == BarPress::close) ++dismissed;
    card(ui, {"reading", "Label", {}, "85 133", std::string(400, 'n'), "formula"}, 220, 108);
    ImGui::End();
  }

  void note(Edit edit) {
    if (edit != Edit::none) edits.push_back(edit);
  }

  Harness gui;
  Text text;
  Ui ui;
  WidgetRecord record;
  std::vector<Edit> edits;
  double base = 10000, even = 128, share = 0.25;
  std::string pick = "left", many = "a", words = "none", model;
  bool one = true, two = false;
  int presses = 0, views = 0, dismissed = 0;
  ChipClick chip_click = ChipClick::none;
};

TEST_F(Widgets, DraggingALogarithmicSliderMultiplies) {
  // Eight decades lie between the ends; the handle moves between them less its own two halves.
  const double decade = (gui.rect("t.base").width - 16) / 8;
  gui.drag("t.base", 2 * decade);
  EXPECT_NEAR(std::log10(base), 6, 0.03);
  ASSERT_FALSE(edits.empty());
  EXPECT_EQ(edits.back(), Edit::done);
  edits.pop_back();
  EXPECT_THAT(edits, Each(Edit::changing));
  gui.drag("t.base", -3 * decade);
  EXPECT_NEAR(std::log10(base), 3, 0.06);
}

TEST_F(Widgets, DraggingGivesRoundNumbersAndStopsAtTheEnds) {
  gui.drag("t.base", 31);
  const double leading = base / std::pow(10, std::floor(std::log10(base)) - 2);
  EXPECT_NEAR(leading, std::round(leading), 1e-6) << base;
  gui.drag("t.base", 2000);
  EXPECT_EQ(base, 1e9);
  gui.drag("t.base", -2000);
  EXPECT_EQ(base, 10);
  gui.drag("t.even", 10);
  EXPECT_EQ(std::fmod(even, 2), 0);
  EXPECT_NE(even, 128);
}

TEST_F(Widgets, AClickOnTheTrackJumpsAndAClickOnTheHandleDoesNot) {
  const Rect track = gui.rect("t.plain");
  gui.click_at({track.left + 8 + 0.75 * (track.width - 16), track.top + track.height / 2});
  EXPECT_NEAR(share, 0.75, 0.01);
  base = 12345.678;
  gui.play("frames; click t.base.handle");
  EXPECT_EQ(base, 12345.678) << "a click on the handle must not round the value";
}

TEST_F(Widgets, TypingANumberInAnyUsualForm) {
  const std::vector<std::pair<const char*, double>> cases{
      {"1e6", 1e6}, {"10 000", 10000}, {"131072", 131072}, {"500\u202F000", 500000}, {"10_000.5", 10000.5}};
  for (const auto& [typed, expected] : cases) {
    gui.click("t.base.value");
    gui.type(typed);
    gui.press(Key::enter);
    EXPECT_EQ(base, expected) << typed;
    EXPECT_FALSE(gui.shows("t.base.input")) << typed;
  }
  EXPECT_EQ(edits.back(), Edit::done);
}

TEST_F(Widgets, ATypedNumberIsClampedAndStepped) {
  gui.play("click t.base.value; type 3; press enter");
  EXPECT_EQ(base, 10);
  gui.play("click t.even.value; type 95; press enter");
  EXPECT_EQ(even, 96);
}

TEST_F(Widgets, WhatIsNotANumberIsRefusedAndKeepsTheValue) {
  gui.play("click t.base.value; type 1x; press enter");
  EXPECT_EQ(base, 10000);
  EXPECT_TRUE(gui.shows("t.base.input")) << "one goes on typing after a mistake";
  EXPECT_EQ(ui.state.refused_key, "t.base");
  gui.press(Key::escape);
  EXPECT_FALSE(gui.shows("t.base.input"));
  EXPECT_EQ(base, 10000);
}

TEST_F(Widgets, EscapeAndAClickElsewhere) {
  gui.play("click t.base.value; type 777; press escape");
  EXPECT_EQ(base, 10000);
  gui.play("click t.base.value; type 777");
  gui.click_at({900, 650});
  EXPECT_EQ(base, 777);
}

TEST_F(Widgets, ADoubleClickResets) {
  base = 77;
  even = 2;
  pick = "right";
  gui.play("frames; double_click t.base");
  EXPECT_EQ(base, 10000);
  EXPECT_THAT(edits, Contains(Edit::reset));
  gui.double_click("t.even.label");
  EXPECT_EQ(even, 128);
  gui.double_click("t.pick.label");
  EXPECT_EQ(pick, "left");
}

TEST_F(Widgets, SegmentsChoose) {
  gui.click("t.pick.right");
  EXPECT_EQ(pick, "right");
  EXPECT_EQ(edits.back(), Edit::done);
  const std::size_t said = edits.size();
  gui.click("t.pick.right");
  EXPECT_EQ(edits.size(), said) << "choosing what is chosen is no edit";
  EXPECT_FALSE(gui.shows("t.many.b")) << "more than four options are a list, closed at first";
}

TEST_F(Widgets, AListOpensAndChooses) {
  gui.click("t.many");
  ASSERT_TRUE(gui.shows("t.many.d"));
  gui.click("t.many.d");
  EXPECT_EQ(many, "d");
  gui.frames();
  EXPECT_FALSE(gui.shows("t.many.d"));
  gui.play("click models; click models.y");
  EXPECT_EQ(model, "y");
  gui.play("click models; press escape");
  EXPECT_FALSE(gui.shows("models.y"));
}

TEST_F(Widgets, TogglesAreIndependent) {
  gui.click("t.two");
  EXPECT_TRUE(one);
  EXPECT_TRUE(two);
  gui.click("t.one");
  EXPECT_FALSE(one);
}

TEST_F(Widgets, TextIsTyped) {
  gui.play("click t.words; type t:16,row:56; press enter");
  EXPECT_EQ(words, "t:16,row:56");
  gui.double_click("t.words.label");
  EXPECT_EQ(words, "none");
}

TEST_F(Widgets, TabGoesThroughEveryControlAndBack) {
  gui.click_at({21, 600});
  gui.play("press tab; press right");
  EXPECT_NEAR(base, 10000 * std::pow(10, 0.02), 5);
  gui.play("press tab; press left");
  EXPECT_EQ(even, 126);
  gui.press(Key::left, false, true);
  EXPECT_EQ(even, 106);
  gui.play("press tab; press right");
  EXPECT_NEAR(share, 0.26, 1e-12);
  gui.play("press tab; press right");
  EXPECT_EQ(pick, "middle");
  gui.play("press shift+tab; press left");
  EXPECT_NEAR(share, 0.25, 1e-12);
  EXPECT_NEAR(base, 10000 * std::pow(10, 0.02), 5) << "the arrows moved only what has the focus";
}

TEST_F(Widgets, ListsTogglesAndTypingByKeyboard) {
  gui.click_at({21, 600});
  for (int i = 0; i < 5; ++i) gui.press(Key::tab);
  gui.press(Key::enter);
  ASSERT_TRUE(gui.shows("t.many.a"));
  gui.play("press down; press down; press enter");
  EXPECT_EQ(many, "c");
  gui.play("press tab; press space");
  EXPECT_FALSE(one);
  for (int i = 0; i < 5; ++i) gui.press(Key::tab, false, true);
  gui.press(Key::enter);
  ASSERT_TRUE(gui.shows("t.base.input"));
  gui.play("type 5e5; press tab");
  EXPECT_EQ(base, 500000);
  gui.press(Key::right);
  EXPECT_EQ(even, 128 + 2) << "Tab ended the typing and went on to the next control";
}

TEST_F(Widgets, PartsOfTheFrame) {
  gui.play("click ok; click off");
  EXPECT_EQ(presses, 1);
  gui.click("view.decay");
  EXPECT_EQ(views, 1);
  gui.click("chip");
  EXPECT_EQ(chip_click, ChipClick::body);
  gui.click("chip.close");
  EXPECT_EQ(chip_click, ChipClick::close);
  gui.click("message.close");
  EXPECT_EQ(dismissed, 1);
}

TEST_F(Widgets, HelpComesAfterTheMouseRested) {
  gui.play("hover t.base.label; frames 5");
  EXPECT_FALSE(gui.shows("tooltip"));
  gui.wait(1);
  EXPECT_TRUE(gui.shows("tooltip"));
  gui.play("hover card.reading; frames 5");
  EXPECT_FALSE(gui.shows("tooltip"));
  gui.wait(1);
  ASSERT_TRUE(gui.shows("tooltip"));
  EXPECT_LE(gui.rect("tooltip").width, 360 + 30);
}

TEST_F(Widgets, HelpComesAnywhereOnAControlAndNeverOverIt) {
  for (const std::string key : {"t.base", "t.plain", "t.pick", "t.many", "t.words"}) {
    const Rect label = gui.rect(key + ".label"), part = gui.rect(key);
    const Rect whole{part.left, label.top, part.width, part.bottom() - label.top};
    // On the label, right of it, between it and the part below, and on that part.
    for (const Vec2 at :
         {Vec2{label.left + 2, label.top + 2}, Vec2{whole.left + 0.6 * whole.width, label.bottom() - 2},
          Vec2{whole.left + whole.width / 2, whole.top + whole.height / 2}, Vec2{part.left + 2, part.bottom() - 2}}) {
      gui.move({700, 600});
      gui.move(at);
      gui.wait(1);
      ASSERT_TRUE(gui.shows("tooltip")) << key << " at " << at.x << ", " << at.y;
      const Rect tip = gui.rect("tooltip");
      EXPECT_TRUE(tip.top >= whole.bottom() || tip.bottom() <= whole.top || tip.left >= whole.right()) << key;
    }
  }
}

TEST_F(Widgets, OnASlidersButtonItsOwnHelpComes) {
  gui.play("hover t.base.play; wait 1");
  ASSERT_TRUE(gui.shows("tooltip"));
  EXPECT_EQ(ui.state.hovered_key, "t.base.play");
}

TEST_F(Widgets, HelpWaitsForTheMouseAfterTheViewHasChanged) {
  hide_tooltips_of_other_view(ui, "decay");
  gui.play("hover t.base.label; wait 1");
  ASSERT_TRUE(gui.shows("tooltip"));
  hide_tooltips_of_other_view(ui, "limits");
  gui.wait(2);
  EXPECT_FALSE(gui.shows("tooltip"));
  const Vec2 at = gui.centre("t.base.label");
  gui.draw = [this] {
    hide_tooltips_of_other_view(ui, "limits");
    draw();
  };
  gui.move({at.x + 1, at.y});
  gui.wait(1);
  EXPECT_TRUE(gui.shows("tooltip"));
}

TEST_F(Widgets, TogglesWithoutACommonNameLeaveNoGap) {
  const double named = gui.rect("t.one").top - gui.rect("t.many").bottom();
  gui.draw = [this] {
    record.clear();
    ImGui::SetNextWindowPos({20, 20});
    ImGui::Begin("controls", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
    choice_control(ui, choice_field("t.many", {"a", "b", "c", "d", "e"}, "a"), many);
    toggles_control(ui, "row.nameless", {toggle_field("t.one", one), toggle_field("t.two", two)});
    ImGui::End();
  };
  gui.frames();
  const double nameless = gui.rect("t.one").top - gui.rect("t.many").bottom();
  EXPECT_NEAR(named - nameless, 22, 1) << "a row of words";
}

TEST_F(Widgets, LabelsNeverReachTheirValues) {
  EXPECT_LT(gui.rect("t.plain.label").right(), gui.rect("t.plain.value").left);
}

TEST_F(Widgets, DigitsAreEquallyWideAndNarrowSpacesNarrow) {
  for (ImFont* font : {ui.fonts.body, ui.fonts.small, ui.fonts.semibold, ui.fonts.number}) {
    EXPECT_EQ(text_width(font, "11111"), text_width(font, "80808"));
    EXPECT_LT(text_width(font, "\u202F"), text_width(font, "0") * 0.6f);
    EXPECT_GT(text_width(font, "\u202F"), 0);
  }
}

TEST_F(Widgets, EveryNeededCharacterHasAGlyph) {
  const std::string needed = "−×÷≤≥≠≈∞Σ∑√λθΔ⁰¹²³⁴⁵⁶⁷⁸⁹₀₉ᵢ⟨⟩⌈⌉…日本語한국어";
  for (std::size_t at = 0; at < needed.size();) {
    unsigned code = 0;
    const int length = [&] {
      const auto lead = static_cast<unsigned char>(needed[at]);
      const int bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
      code = bytes == 1 ? lead : lead & (0xFFu >> (bytes + 1));
      for (int i = 1; i < bytes; ++i) {
        code = code << 6 | (static_cast<unsigned char>(needed[at + static_cast<std::size_t>(i)]) & 0x3Fu);
      }
      return bytes;
    }();
    EXPECT_TRUE(has_glyph(ui.fonts.body, code)) << needed.substr(at, static_cast<std::size_t>(length));
    at += static_cast<std::size_t>(length);
  }
}

TEST_F(Widgets, TextIsShortenedAndWrappedAtWholeCharacters) {
  EXPECT_EQ(shortened(ui.fonts.body, "short", 1000), "short");
  const std::string cut = shortened(ui.fonts.body, "日本語日本語日本語", 60);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_EQ((cut.size() - 3) % 3, 0u) << "a character was cut in two";
  EXPECT_LE(text_width(ui.fonts.body, cut), 60);
  EXPECT_EQ(shortened(ui.fonts.body, "anything", 1), "");
  bool lost = false;
  const auto lines = wrapped_lines(ui.fonts.small, "one two three four five six seven", 60, 2, lost);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lost);
  EXPECT_TRUE(lines[1].ends_with("…"));
  for (const std::string& line : lines) EXPECT_LE(text_width(ui.fonts.small, line), 60);
  const auto all = wrapped_lines(ui.fonts.small, "one two three four five six seven", 60, 99, lost);
  EXPECT_FALSE(lost);
  std::string joined;
  for (const std::string& line : all) joined += (joined.empty() ? "" : " ") + line;
  EXPECT_EQ(joined, "one two three four five six seven");
}

/// From ImGui 1.91 on text of another size than the loaded one is stretched.
TEST_F(Widgets, PlotsAreWrittenInTheSizesThatAreLoaded) {
  for (const float scale : {1.0f, 1.1f, 1.2f, 1.3f, 1.5f, 1.7f, 2.2f}) {
    ui.scale = scale;
    std::string warning;
    ui.fonts = build_fonts(find_fonts(), text, "", scale, warning);
    gui.upload_fonts();
    const auto height = [this](double em, FontWeight weight) {
      return screen_measure(ui)("0", {static_cast<double>(ui.px(em)), weight}).y;
    };
    EXPECT_NEAR(height(15, FontWeight::regular), font_size(ui.fonts.body), 1e-3) << scale;
    EXPECT_NEAR(height(13, FontWeight::regular), font_size(ui.fonts.small), 1e-3) << scale;
    EXPECT_NEAR(height(15, FontWeight::semibold), font_size(ui.fonts.semibold), 1e-3) << scale;
    EXPECT_NEAR(height(26, FontWeight::semibold), font_size(ui.fonts.number), 1e-3) << scale;
  }
}

}  // namespace

}  // namespace ropescope::ui
