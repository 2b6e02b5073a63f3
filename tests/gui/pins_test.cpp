// Edits of pinned curves and notes: each edit is one undo step and is part of the saved experiment.

#include "app/figure/palette.h"
#include "app/figure/table.h"
#include "tests/gui/app_window.h"
#include "tests/said.h"

namespace ropescope::ui {
namespace {

/// Three pins of base 100, 200, 300, and the current one.
void pin_three(AppWindow& window) {
  Experiment experiment = window.experiment();
  for (const int i : {1, 2, 3}) {
    Pin pin;
    pin.rope.base = 100 * i;
    pin.slot = i;
    experiment.pins.push_back(pin);
  }
  window.show(experiment);
}

std::vector<double> bases(const AppWindow& window) {
  std::vector<double> bases;
  for (const Pin& pin : window.experiment().pins) bases.push_back(pin.rope.base);
  return bases;
}

std::string messages(const AppWindow& window) {
  std::string all;
  for (const WindowMessage& message : window.app->messages) all += message.text + "\n";
  return all;
}

void expect_saved(const AppWindow& window) {
  EXPECT_EQ(experiment_from_json(experiment_to_json(window.experiment()), "saved"), window.experiment());
}

TEST(Pins, AnIdenticalOneIsRefusedWithAWord) {
  AppWindow window;
  window.gui.play("press p; press p");
  EXPECT_EQ(window.experiment().pins.size(), 1u);
  EXPECT_THAT(messages(window), Says("shell.message.pinned_already"));
}

TEST(Pins, MoreThanEightAreRefusedWithAWord) {
  AppWindow window;
  Experiment experiment = window.experiment();
  for (std::size_t i = 0; i < kMaximumPins; ++i) {
    Pin pin;
    pin.rope.base = 100 + static_cast<double>(i);
    experiment.pins.push_back(pin);
  }
  window.show(experiment);
  window.gui.click("chip.pin");
  EXPECT_EQ(window.experiment().pins.size(), kMaximumPins);
  EXPECT_THAT(messages(window), HasSubstr("8 curves"));
}

TEST(Pins, AreRenamedInTheirMenu) {
  AppWindow window;
  pin_three(window);
  window.gui.play("right_click chip.pin2; frames; click chip.menu.rename; frames; type the paper's; press enter");
  window.gui.play("frames");
  EXPECT_EQ(window.experiment().pins[1].name, "the paper's");
  EXPECT_EQ(window.app->dialog.kind, DialogKind::none);
  const Figure& figure = window.figure("similarity");
  const auto named = std::find_if(figure.lines.begin(), figure.lines.end(),
                                  [](const Line& line) { return line.label == "the paper's"; });
  EXPECT_NE(named, figure.lines.end()) << "in the legend";
  expect_saved(window);
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment().pins[1].name, "");
}

TEST(Pins, AreReorderedInTheirMenuAndByDragging) {
  AppWindow window;
  pin_three(window);
  Experiment experiment = window.experiment();
  experiment.hidden = {"pin3"};
  window.show(experiment);
  window.gui.play("right_click chip.pin3; frames; click chip.menu.left");
  EXPECT_THAT(bases(window), ElementsAre(100, 300, 200));
  EXPECT_THAT(window.experiment().hidden, ElementsAre("pin2")) << "what is hidden stays hidden";
  const Vec2 from = window.gui.centre("chip.pin1"), to = window.gui.centre("chip.pin3");
  window.gui.drag_from(from, to);
  EXPECT_THAT(bases(window), ElementsAre(300, 200, 100));
  EXPECT_THAT(window.experiment().hidden, ElementsAre("pin1"));
  window.gui.press(Key::z, true);
  EXPECT_THAT(bases(window), ElementsAre(100, 300, 200)) << "a drag is one step";
  expect_saved(window);
}

TEST(Pins, TakeAnotherColourAndDash) {
  AppWindow window;
  pin_three(window);
  const auto stroke = [&window] {
    return stroke_of(window.app->ui.palette, {window.experiment().pins[0].slot, false});
  };
  window.gui.play("right_click chip.pin1; frames; click chip.menu.colour.3");
  EXPECT_EQ(stroke().colour, window.app->ui.palette.curves[3]);
  EXPECT_EQ(stroke().dash, Dash::long_dash) << "as before";
  window.gui.click("chip.menu.dash.0");
  EXPECT_EQ(stroke().colour, window.app->ui.palette.curves[3]);
  EXPECT_EQ(stroke().dash, Dash::solid);
  window.gui.press(Key::escape);
  expect_saved(window);
}

TEST(Pins, EveryColourAndDashHasASlot) {
  const Palette colours = palette(ThemeName::light);
  for (int colour = 0; colour < 5; ++colour) {
    for (const Dash dash : {Dash::solid, Dash::long_dash, Dash::dots, Dash::dash_dot, Dash::short_dash}) {
      const int slot = slot_with(colour, dash);
      EXPECT_GE(slot, 1);
      EXPECT_LE(slot, kPinSlots);
      EXPECT_EQ(stroke_of(colours, {slot, false}).colour, colours.curves[static_cast<std::size_t>(colour)]);
      EXPECT_EQ(stroke_of(colours, {slot, false}).dash, dash);
    }
  }
}

TEST(Notes, ArePutMovedChangedAndRemoved) {
  AppWindow window;
  window.gui.play("right_click plot.similarity; frames; click menu.note; frames; type crosses here; press enter");
  window.gui.play("frames");
  ASSERT_EQ(window.experiment().notes.size(), 1u);
  const Note put = window.experiment().notes[0];
  EXPECT_EQ(put.view, "decay");
  EXPECT_EQ(put.figure, "similarity");
  EXPECT_EQ(put.text, "crosses here");
  expect_saved(window);
  EXPECT_EQ(window.figure("similarity").notes.size(), 1u);
  EXPECT_THAT(table_json(window.app->result), HasSubstr("crosses here"));

  const Vec2 words = window.gui.centre("handle.similarity.note.0.words");
  window.gui.drag_from(words, {words.x + 60, words.y + 30});
  EXPECT_NE(window.experiment().notes[0].text_x, put.text_x);
  EXPECT_EQ(window.experiment().notes[0].x, put.x);
  const Vec2 place = window.gui.centre("handle.similarity.note.0.place");
  window.gui.drag_from(place, {place.x - 60, place.y});
  EXPECT_LT(window.experiment().notes[0].x, put.x);

  window.gui.play("click handle.similarity.note.0.words; frames");
  ASSERT_EQ(window.app->dialog.kind, DialogKind::note);
  EXPECT_EQ(window.app->dialog.path, "crosses here");
  window.gui.play("type other words; press enter; frames");
  EXPECT_EQ(window.experiment().notes[0].text, "other words");

  window.gui.click_at({window.gui.rect("plot.similarity").left + 20, window.gui.rect("plot.similarity").bottom() - 20},
                      1);
  window.gui.play("frames; click menu.edit_note.0; frames; click dialog.remove; frames");
  EXPECT_TRUE(window.experiment().notes.empty());
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment().notes.size(), 1u);
}

TEST(New, StartsFromTheDefaultsAndIsOneStep) {
  AppWindow window;
  pin_three(window);
  Experiment experiment = window.experiment();
  experiment.rope.base = 77;
  experiment.view = "limits";
  window.show(experiment);
  window.gui.play("press ctrl+n; frames");
  Experiment defaults = fresh_experiment(*window.app);
  defaults.view = "limits";
  EXPECT_EQ(window.experiment(), defaults);
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment(), experiment);
  window.gui.play("press ctrl+o; frames; click dialog.new; frames");
  EXPECT_EQ(window.experiment(), defaults);
}

TEST(PresetList, IsSearchedByTypingAndSaysWhatAFileIs) {
  AppWindow window;
  window.gui.play("click model; frames");
  EXPECT_TRUE(window.gui.shows("model.llama-2-7b"));
  window.gui.play("type gemma 4b; frames");
  EXPECT_FALSE(window.gui.shows("model.llama-2-7b"));
  EXPECT_TRUE(window.gui.shows("model.gemma-3-4b-it"));
  window.gui.play("press enter; frames");
  EXPECT_EQ(window.experiment().rope.model, "gemma-3-4b-it");

  const auto file = window.folder / "config.json";
  std::ofstream(file) << R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "max_position_embeddings": 4096, "rope_theta": 10000.0})";
  open_path(*window.app, file.string());
  window.gui.play("frames; click model; frames");
  EXPECT_TRUE(window.gui.shows("model.:file"));
}

}  // namespace
}  // namespace ropescope::ui
