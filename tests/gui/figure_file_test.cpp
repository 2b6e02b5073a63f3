// Figures that are dropped on the window or opened restore the experiment that they were saved from.

#include "app/experiment/figure_file.h"
#include "app/figure/pages/page.h"
#include "tests/gui/app_window.h"
#include "tests/npy_files.h"
#include "tests/said.h"

namespace ropescope::ui {
namespace {

void save(const AppWindow& window, const fs::path& path, const std::string& format) {
  std::ofstream(path) << picture_of(*window.app, format, "");
}

TEST(FigureFile, ADroppedFigureIsRestored) {
  for (const std::string format : {"svg", "pdf", "png"}) {
    SCOPED_TRACE(format);
    AppWindow window;
    Experiment chosen = window.experiment();
    chosen.view = "frequencies";
    chosen.rope.base = 4321;
    chosen.pins = {{chosen.rope, 3, "kept"}};
    chosen.notes = {{"frequencies", "frequency", "words", 3, 0.1, 9, 0.5}};
    window.show(chosen);
    const auto path = window.folder / ("figure." + format);
    save(window, path, format);
    window.show(Experiment());
    ASSERT_NE(window.experiment(), chosen);
    open_path(*window.app, path.string());
    window.settle();
    EXPECT_EQ(window.experiment(), chosen);
    EXPECT_TRUE(window.app->messages.empty());
    EXPECT_THAT(window.app->settings.recent, ElementsAre(path.string()));
    const std::string before = picture_of(*window.app, format, "");
    save(window, path, format);
    EXPECT_EQ(picture_of(*window.app, format, "") == before, true);
  }
}

TEST(FigureFile, AMissingFileIsAskedFor) {
  AppWindow window;
  fs::create_directories(window.folder / "data");
  fs::create_directories(window.folder / "figures");
  const auto dump = window.folder / "data" / "qk.npy";
  Tensor tensor;
  tensor.shape = {2, 6, 4};
  tensor.values.assign(48, 0.5);
  const std::vector<std::byte> bytes = write_npy(tensor);
  std::ofstream(dump).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  Experiment chosen;
  chosen.view = "attention";
  chosen.attention.content = AttentionSource::file;
  chosen.attention.file = dump.string();
  window.show(chosen);
  const auto path = window.folder / "figures" / "weights.svg";
  save(window, path, "svg");
  window.show(Experiment());
  open_path(*window.app, path.string());
  window.settle();
  EXPECT_EQ(window.experiment().attention.file, "qk.npy");
  ASSERT_EQ(window.app->messages.size(), 1u);
  EXPECT_THAT(window.app->messages[0].text, HasSubstr("qk.npy"));
  EXPECT_THAT(window.app->result.fault, HasSubstr("qk.npy")) << "said in the figure's place too";

  window.app->settings.folder = (window.folder / "data").string();
  window.gui.play("click message.0.action; frames");
  ASSERT_TRUE(window.gui.shows("dialog.file.qk.npy"));
  window.gui.play("click dialog.file.qk.npy; settle");
  EXPECT_EQ(window.experiment(), chosen);
  EXPECT_TRUE(window.app->result.fault.empty());
  EXPECT_TRUE(window.app->messages.empty());

  fs::rename(path, window.folder / "data" / "weights.svg");
  open_path(*window.app, (window.folder / "data" / "weights.svg").string());
  window.settle();
  EXPECT_EQ(window.experiment(), chosen) << "found beside the figure";
  EXPECT_TRUE(window.app->messages.empty());
}

TEST(FigureFile, APictureWithoutAnExperimentIsStillAPicture) {
  AppWindow window;
  ViewResult nothing;
  const auto path = window.folder / "photo.png";
  std::ofstream(path) << paint_page(nothing, PageFormat::png, {64, 64, false}, ThemeName::light);
  open_path(*window.app, path.string());
  window.settle();
  EXPECT_EQ(window.experiment().view, "layout");
  EXPECT_EQ(window.experiment().layout.picture, path.string());
  std::ofstream(window.folder / "plain.svg") << "<svg></svg>";
  open_path(*window.app, (window.folder / "plain.svg").string());
  window.gui.frames();
  ASSERT_EQ(window.app->messages.size(), 1u);
  EXPECT_THAT(window.app->messages[0].text, Says("error.carried_text.none"));
}

}  // namespace
}  // namespace ropescope::ui
