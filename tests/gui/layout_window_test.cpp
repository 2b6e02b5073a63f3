// Layout in use: two patches are clicked and both answers are read, pictures and configs are dropped.

#include <cairo.h>

#include "tests/gui/app_window.h"
#include "tests/said.h"
#include "tests/temporary_folder.h"

namespace ropescope::ui {
namespace {

struct LayoutWindow : AppWindow {
  LayoutWindow() : AppWindow(1600, 1000) {
    Experiment experiment;
    experiment.view = "layout";
    show(experiment);
  }
  /// The middle of a patch.
  Vec2 at_patch(double row, double column) const {
    const Rect plot = gui.rect("plot.layout");
    const Figure& image = figure("layout");
    const auto share = [](const Range& range, double at) { return (at - range.low) / (range.high - range.low); };
    return {plot.left + share(image.x.range, column) * plot.width, plot.top + share(image.y.range, row) * plot.height};
  }
  const LayoutFields& fields() const { return experiment().layout; }
};

void write_png(const fs::path& path, int columns, int rows) {
  cairo_surface_t* surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows);
  cairo_surface_write_to_png(surface, path.c_str());
  cairo_surface_destroy(surface);
}

TEST(LayoutWindow, TwoPatchesAreClickedAndBothLayoutsAnswer) {
  LayoutWindow window;
  window.gui.click_at(window.at_patch(10, 20));
  window.settle();
  EXPECT_EQ(window.fields().anchor, 660);
  EXPECT_EQ(window.readout("patch.waiting"), "patch 661");
  window.gui.click_at(window.at_patch(11, 20));
  window.settle();
  EXPECT_EQ(window.fields().targets, "724");
  EXPECT_EQ(window.readout("patch.target1"), "0.985");
  EXPECT_EQ(window.readout("patch.other"), "0.477");
  window.gui.play("click layout.ask; settle");
  EXPECT_EQ(window.fields().anchor, 0);
  EXPECT_EQ(window.readout("patch.target1"), "0.794");
  EXPECT_EQ(window.readout("patch.target2"), "0.985");
  EXPECT_EQ(window.readout("patch.nearer"), "65");
}

TEST(LayoutWindow, CellsAreSquareAndTheCardFollowsTheMouse) {
  LayoutWindow window;
  const Vec2 corner = window.at_patch(0, 0), next = window.at_patch(10, 10);
  EXPECT_NEAR(next.x - corner.x, next.y - corner.y, 1);
  EXPECT_FALSE(window.gui.shows("hover"));
  window.gui.move(next);
  window.settle();
  EXPECT_TRUE(window.gui.shows("hover"));
  const Rect parts = window.gui.rect("plot.parts");
  window.gui.move({parts.left + parts.width / 2, parts.top + parts.height / 2});
  window.settle();
  EXPECT_TRUE(window.gui.shows("hover")) << "over the text tokens";
}

TEST(LayoutWindow, ADroppedPictureLiesOnThePatches) {
  LayoutWindow window;
  const TemporaryFolder folder;
  const std::string path = folder.path / "photo.PNG";
  write_png(path, 700, 300);
  open_path(*window.app, path);
  window.settle();
  EXPECT_EQ(window.fields().picture, path);
  EXPECT_EQ(window.fields().width, 704) << "the nearest that divides";
  EXPECT_EQ(window.fields().height, 304);
  ASSERT_EQ(window.figure("layout").pictures.size(), 1u);
  EXPECT_EQ(window.figure("layout").pictures[0].pixels->columns, 700u);
  EXPECT_TRUE(window.gui.shows("layout.picture_strength"));
  const Experiment before = window.experiment();
  std::ofstream(folder.path / "broken.jpg") << "no picture";
  open_path(*window.app, folder.path / "broken.jpg");
  window.settle();
  EXPECT_EQ(window.experiment(), before);
  ASSERT_FALSE(window.app->messages.empty());
  EXPECT_THAT(window.app->messages.back().text, Says("error.picture.neither"));
}

TEST(LayoutWindow, ADroppedConfigChoosesItsLayout) {
  LayoutWindow window;
  const TemporaryFolder folder;
  const std::string path = folder.path / "wan.json";
  std::ofstream(path)
      << R"({"_class_name": "WanTransformer3DModel", "attention_head_dim": 96, "num_attention_heads": 8})";
  open_path(*window.app, path);
  window.settle();
  EXPECT_EQ(window.experiment().view, "layout");
  EXPECT_EQ(window.fields().name, "wan");
  EXPECT_EQ(window.fields()["head_dim"], 96);
  EXPECT_EQ(window.figure("layout").empty_message, "");
}

TEST(LayoutWindow, ATextConfigStillOpensAndIsShown) {
  LayoutWindow window;
  const TemporaryFolder folder;
  const std::string path = folder.path / "llama.json";
  std::ofstream(path) << R"({"model_type": "llama", "hidden_size": 512, "num_attention_heads": 8, "rope_theta": 500000,
                             "max_position_embeddings": 4096})";
  open_path(*window.app, path);
  window.settle();
  EXPECT_EQ(window.experiment().rope.base, 500000);
  EXPECT_EQ(window.experiment().view, "decay") << "the layout has nothing to show of it";
}

}  // namespace
}  // namespace ropescope::ui
