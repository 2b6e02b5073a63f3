// Details of the window that break easily: figures with many pins, with messages and in small windows, and navigation
// by keyboard.

#include <imgui.h>
#include <imgui_internal.h>

#include "app/experiment/figure_file.h"
#include "app/ui/drawing/style.h"
#include "tests/gui/app_window.h"

namespace ropescope::ui {
namespace {

/// Pins as many as there may be, with labels as long as those of files.
void pin_many(AppWindow& window) {
  Experiment experiment = window.experiment();
  experiment.rope.label = "a-model-with-a-long-name-instruct.json";
  for (std::size_t i = 0; i < kMaximumPins; ++i) {
    experiment.rope.base = 123456789012 + static_cast<double>(i);
    experiment.pins.push_back({experiment.rope, static_cast<int>(i) + 1});
  }
  window.app->history.record(experiment, false);
  window.gui.frames();
}

TEST(WindowDetails, ManyPinsLeaveThePlotItsPlace) {
  AppWindow window(1280, 720);
  pin_many(window);
  const Rect first = window.gui.rect("chip.current"), last = window.gui.rect("chip.pin8");
  EXPECT_LE(last.bottom() - first.top, 3 * 38);
  EXPECT_GT(window.gui.rect("plot.similarity").height, 120);
  for (std::size_t i = 1; i <= kMaximumPins; ++i) {
    const Rect close = window.gui.rect("chip.pin" + std::to_string(i) + ".close");
    EXPECT_LE(close.right(), 1280 - 16) << i;
  }
  window.gui.click("chip.pin8.close");
  EXPECT_EQ(window.experiment().pins.size(), kMaximumPins - 1);
}

TEST(WindowDetails, PlotsShareTheHeightAndNotTheirLabels) {
  AppWindow window(960, 600);
  window.show_bound();
  const double similarity = window.gui.rect("plot.similarity").height, bound = window.gui.rect("plot.bound").height;
  EXPECT_GT(bound, 0.4 * similarity) << "the labels under the lower plot come on top of its share";
  EXPECT_LT(bound, 0.8 * similarity);
}

/// Whether a window of ImGui whose name has this part shows a scroll bar.
bool has_scroll_bar(const char* part) {
  bool any = false;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    any = any ||
          (window->Active && std::string_view(window->Name).find(part) != std::string_view::npos && window->ScrollbarY);
  }
  return any;
}

TEST(WindowDetails, ScrollBarsOnlyWhereSomethingScrolls) {
  for (const auto& [width, height] : {std::pair{1280.0, 720.0}, {1440.0, 900.0}, {1600.0, 1000.0}}) {
    AppWindow window(width, height);
    EXPECT_FALSE(has_scroll_bar("/views_")) << height << ": the list of views fits";
  }
  {
    AppWindow low(1280, 480);
    EXPECT_TRUE(has_scroll_bar("/views_"));
    EXPECT_TRUE(has_scroll_bar("/fields_"));
  }
  // Controls that end above the window's edge, with only a margin below it.
  for (double height = 640; height <= 800; height += 20) {
    AppWindow window(1280, height);
    Experiment experiment = window.experiment();
    experiment.view = "atlas";
    window.show(experiment, 2);
    constexpr double kFoot = 28, kTicks = 14;
    const double room = height - kFoot - (window.gui.rect("rope.rotary_dim").bottom() + kTicks);
    if (room > 16) EXPECT_FALSE(has_scroll_bar("/fields_")) << height;
    if (room < 0) EXPECT_TRUE(has_scroll_bar("/fields_")) << height;
  }
}

TEST(WindowDetails, ATooltipGoesWithItsView) {
  AppWindow window(1280, 720);
  Experiment experiment = window.experiment();
  experiment.view = "frequencies";
  window.show(experiment);
  window.gui.move({10, 10});  // the first place of the mouse is no movement
  window.gui.play("hover rope.base.label; wait 1");
  ASSERT_TRUE(window.gui.shows("tooltip"));
  experiment.view = "limits";
  window.show(experiment);
  window.gui.wait(2);
  EXPECT_FALSE(window.gui.shows("tooltip"));
}

TEST(WindowDetails, MethodsForImagesAreNotOfferedForText) {
  const auto methods = [](const Experiment& experiment) {
    Experiment edited = experiment;
    FieldList fields = panel_fields(find_view("decay"), edited);
    return find_field(fields, "rope.scaling")->options;
  };
  Experiment text;
  EXPECT_THAT(methods(text), Contains("yarn"));
  for (const char* method : {"dype", "dype-ntk", "diffusers-ntk", "pixel"}) {
    EXPECT_THAT(methods(text), Not(Contains(method)));
    Experiment image = text, chosen = text;
    image.rope.axes = "row:64,column:64";
    EXPECT_THAT(methods(image), Contains(method));
    chosen.rope.scaling.method = method;
    EXPECT_THAT(methods(chosen), Contains(method)) << "what is chosen is shown";
    EXPECT_EQ(set_field(chosen, "rope.scaling=" + std::string(method)), "rope.scaling") << "and remains valid";
  }
}

TEST(WindowDetails, ANewWindowDrawsStraightLinesAndFittedColours) {
  AppWindow window;
  const Experiment fresh = window.experiment();
  EXPECT_EQ(fresh.compare.score_axis, AxisScale::linear);
  EXPECT_EQ(fresh.similarity.colours, SimilarityColours::fitted);
  EXPECT_EQ(fresh.layout.colours, LayoutColours::axis);
  // A link names what differs from the values that links mean; an old one without them keeps its picture.
  Experiment view = fresh;
  view.view = "encodings";
  EXPECT_THAT(view_link(view), HasSubstr("encodings.score_axis=linear"));
  EXPECT_EQ(load_experiment("ropescope:1&view=encodings").compare.score_axis, AxisScale::symlog);
  EXPECT_EQ(experiment_from_json(R"({"ropescope": 1, "view": "layout"})", "old").layout.colours, LayoutColours::index);
  // A double click on the name of a control restores what the window began with.
  view.compare.score_axis = AxisScale::symlog;
  window.show(view);
  window.gui.double_click("encodings.score_axis.label");
  EXPECT_EQ(window.experiment().compare.score_axis, AxisScale::linear);
}

TEST(WindowDetails, MessagesStayFew) {
  AppWindow window;
  std::vector<WindowMessage>& messages = window.app->messages;
  for (int i = 0; i < 3; ++i) messages.push_back({"the same", true});
  window.gui.frames();
  EXPECT_EQ(messages.size(), 1u);
  for (int i = 0; i < 9; ++i) messages.push_back({std::to_string(i), true});
  window.gui.frames();
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages.back().text, "8") << "the oldest go";
  messages = {{"Saved", false}, {"wrong", true}};
  window.gui.frames();
  EXPECT_EQ(messages.size(), 2u);
  window.gui.wait(9);
  ASSERT_EQ(messages.size(), 1u) << "a notice goes by itself";
  EXPECT_EQ(messages[0].text, "wrong");
}

TEST(WindowDetails, TheTextSizeOpensUnderItsButton) {
  AppWindow window;
  window.gui.play("click shell.text_size; frames");
  EXPECT_GT(window.gui.rect("settings.text_scale").top, window.gui.rect("shell.text_size").bottom());
  EXPECT_LT(window.gui.rect("settings.text_scale").right(), 1600);
}

TEST(WindowDetails, NoFigureIsPannedUntilItIsEmpty) {
  AppWindow window;
  const FigureAxis fitted = window.figure("similarity").y;
  const Rect plot = window.gui.rect("plot.similarity");
  for (const double direction : {1.0, -1.0}) {
    for (int i = 0; i < 4; ++i) window.gui.drag("plot.similarity", 0, direction * plot.height);
    const Range shown = window.figure("similarity").y.range;
    const double common = std::min(shown.high, fitted.fit.high) - std::max(shown.low, fitted.fit.low);
    EXPECT_GT(common, 0.15 * (shown.high - shown.low)) << direction;
    EXPECT_LT(common, 0.25 * (shown.high - shown.low)) << direction;
  }
}

TEST(WindowDetails, FingersGetWiderRowsAndNoNamesOfKeys) {
  AppWindow window;
  const auto pitch = [&window] {
    window.gui.click("plot.similarity", 1);
    const double between = window.gui.rect("menu.copy_picture").top - window.gui.rect("menu.copy_values").top;
    window.gui.press(Key::escape);
    return between;
  };
  const double of_mice = pitch();
  window.app->ui.touch = true;
  EXPECT_GE(pitch(), of_mice + 12);
  EXPECT_GE(window.gui.rect("shell.fold").width, 34);
  // Below the sign, at the edge of a button that is larger than for a mouse.
  open_lesson(*window.app, "08-decay");
  window.gui.frames();
  const Rect close = window.gui.rect("lesson.close");
  EXPECT_GE(close.height, 40);
  window.gui.click_at({close.left + close.width / 2, close.bottom() - 3});
  EXPECT_FALSE(window.app->lesson);
}

TEST(WindowDetails, TheFootSaysForAWhileWhatWasCopied) {
  AppWindow window(700, 900);
  window.gui.play("click shell.menu; click shell.copy_link");
  ASSERT_TRUE(window.app->requests.clipboard_text);
  EXPECT_TRUE(window.app->requests.clipboard_text->starts_with(kOwnAddress));
  window.app->requests = {};
  window.gui.frames();
  EXPECT_FALSE(window.gui.shows("shell.copied")) << "it is only asked for";
  say_copied(*window.app);
  window.gui.frames();
  EXPECT_TRUE(window.gui.shows("shell.copied"));
  EXPECT_LE(seconds_to_frame(*window.app), kCopiedSeconds) << "a frame comes that takes it back";
  window.gui.wait(kCopiedSeconds);
  EXPECT_FALSE(window.gui.shows("shell.copied"));
}

TEST(WindowDetails, NoTrainedLengthIsAWord) {
  AppWindow window;
  Experiment experiment = window.experiment();
  experiment.rope.trained_length = 0;
  window.app->history.record(experiment, false);
  window.gui.frames();
  const double padding = 2 * 2;  // of the area to click on
  EXPECT_NEAR(window.gui.rect("rope.trained_length.value").width - padding,
              static_cast<double>(text_width(window.app->ui.fonts.body, "none")), 0.5);
}

TEST(WindowDetails, ThePlotAndItsMenuByKeyboard) {
  AppWindow window;
  window.gui.click("plot.similarity");  // that Tab reaches it too is told by the last steps of this test
  window.gui.play("press tab; press shift+tab; press page_up");
  const Range narrowed = window.figure("similarity").x.range;
  EXPECT_LT(narrowed.high, 8192);
  const Range before = window.figure("similarity").y.range;
  window.gui.press(Key::up, false, true);
  EXPECT_NEAR(window.figure("similarity").y.range.high - before.high, 0.1 * (before.high - before.low), 1e-9);
  EXPECT_EQ(window.figure("similarity").x.range, narrowed) << "up and down move the values alone";
  window.gui.press(Key::page_up, false, true);
  const Range values = window.figure("similarity").y.range;
  EXPECT_NEAR(values.high - values.low, 0.85 * (before.high - before.low), 1e-9);
  window.gui.play("press enter; frames");
  ASSERT_TRUE(window.gui.shows("menu.copy_values"));
  window.gui.play("press enter; frames");
  EXPECT_FALSE(window.gui.shows("menu.copy_values"));
  ASSERT_TRUE(window.app->requests.clipboard_text.has_value());
  EXPECT_THAT(*window.app->requests.clipboard_text, HasSubstr("similarity"));
}

TEST(WindowDetails, AFileIsChosenByKeyboard) {
  AppWindow window;
  for (const char* name : {"a.json", "b.json", "c.json"}) {
    std::ofstream(window.folder / name)
        << R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2, "rope_theta": )" << int(name[0])
        << "}";
  }
  window.gui.play("press ctrl+o; frames");
  window.gui.press(Key::tab);   // from the path to what is listed
  window.gui.press(Key::tab);   // and to the list
  window.gui.press(Key::down);  // from the folder above to a.json
  window.gui.play("press down; press enter; frames");
  EXPECT_EQ(window.app->dialog.kind, DialogKind::none);
  EXPECT_EQ(window.experiment().rope.base, 'b');
}

TEST(WindowDetails, TheListOfKeysScrollsByKeys) {
  AppWindow window(960, 420);
  window.gui.play("press shift+f1; frames");
  const auto scrolled = [] {
    const ImGuiWindow* keys = nullptr;
    for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows) {
      if (std::string_view(each->Name).find("/keys_") != std::string_view::npos) keys = each;
    }
    return keys ? keys->Scroll.y : -1;
  };
  ASSERT_EQ(scrolled(), 0);
  window.gui.press(Key::page_down);
  EXPECT_GT(scrolled(), 50);
}

TEST(WindowDetails, ALongPathBreaksAfterAFolder) {
  AppWindow window;
  bool cut = false;
  const auto lines =
      wrapped_lines(window.app->ui.fonts.small, "/home/somebody/models/llama/config.json: broken", 150, 9, cut);
  ASSERT_GE(lines.size(), 2u);
  EXPECT_TRUE(lines[0].ends_with("/")) << lines[0];
}

TEST(WindowDetails, AShortenedLabelKeepsItsEnd) {
  AppWindow window;
  ImFont* font = window.app->ui.fonts.small;
  const std::string label = "llama-3.1-8b-instruct.json · 日本語 · base 5 000";
  EXPECT_EQ(shortened_middle(font, label, 2000), label);
  const std::string cut = shortened_middle(font, label, 150);
  EXPECT_TRUE(cut.starts_with("llama")) << cut;
  EXPECT_TRUE(cut.ends_with("5 000")) << cut;
  EXPECT_LE(text_width(font, cut), 150);
  EXPECT_EQ(shortened_middle(font, label, 1), "");
}

}  // namespace
}  // namespace ropescope::ui
