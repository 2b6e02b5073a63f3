// Attention in use: a word of the lower line is dragged to another place.

#include "tests/gui/app_window.h"
#include "tests/layered_files.h"
#include "tests/temporary_folder.h"

namespace ropescope::ui {
namespace {

TEST(AttentionWindow, AWordOfTheLowerLineIsDraggedToAnotherPlace) {
  AppWindow window(1600, 1000);
  Experiment experiment;
  experiment.view = "attention";
  experiment.attention.show = AttentionShow::shuffle;
  experiment.attention.content = AttentionSource::words;
  experiment.attention.sentence = "dog bites man";
  experiment.attention.order = "0,1,2";
  experiment.attention.encoding = "none";
  experiment.rope.rotary_dim = experiment.rope.head_dim = 16;
  window.show(experiment);
  const Vec2 dog = window.gui.centre("handle.sentence.token.0/3"), man = window.gui.centre("handle.sentence.token.2/3");
  ASSERT_GT(man.x, dog.x + 50);
  window.gui.drag_from(dog, {man.x + 10, man.y});
  EXPECT_EQ(window.experiment().attention.order, "1,2,0");
  EXPECT_GT(window.gui.centre("handle.sentence.token.0/3").x, window.gui.centre("handle.sentence.token.2/3").x);
  window.gui.press(Key::z, true);
  EXPECT_EQ(window.experiment(), experiment) << "a drag is one step";
}

TEST(AttentionWindow, AClickOnTheMapOfLayersChoosesOne) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "qk.safetensors").string();
  const std::string content = safetensors_of(random_layers(4, 32, 4, 2, 16));
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  AppWindow window(1600, 1000, Store::Mode::asynchronous);
  Experiment experiment;
  experiment.view = "attention";
  experiment.attention.show = AttentionShow::energy;
  experiment.attention.content = AttentionSource::file;
  experiment.attention.file = path;
  experiment.attention.energy_of = EnergyOf::layers;
  experiment.rope.rotary_dim = experiment.rope.head_dim = 16;
  window.show(experiment, 4);
  ASSERT_FALSE(window.app->result.stale);
  EXPECT_TRUE(window.gui.shows("attention.layer"));
  const Rect map = window.gui.rect("plot.carriers");
  window.gui.click_at({map.left + map.width / 2, map.top + map.height * 0.9f});
  window.settle(2);
  EXPECT_EQ(window.experiment().attention.layer, 3) << "the last row";
  const Rect heads = window.gui.rect("plot.fixed");
  window.gui.click_at({heads.left + heads.width * 0.4f, heads.top + heads.height * 0.1f});
  window.settle(2);
  EXPECT_EQ(window.experiment().attention.layer, 0);
  EXPECT_EQ(window.experiment().attention.head, 2);
}

}  // namespace
}  // namespace ropescope::ui
