#include "app/views/weights.h"

#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class WeightsView : public TestOfView<kWeightsView> {
 protected:
  WeightsView() { fields.path = source_folder() + "/tests/reference/weights/qwen2"; }
  WeightsFields& fields = experiment.weights;

  json expected(std::size_t layer) const {
    const std::string path = source_folder() + "/tests/reference/weights/expected.json";
    return json::parse(read_file(path))[0]["layers"][layer];
  }
};

TEST_F(WeightsView, TheMapShowsTheSharesOfAHead) {
  fields.head = 3;
  const ViewResult result = draw();
  const Map& map = figure(result, "map").maps.at(0);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    const auto norms = expected(layer)["norms"][2].get<std::vector<double>>();
    const double sum = norms[0] + norms[1] + norms[2] + norms[3];
    for (std::size_t pair = 0; pair < 4; ++pair) {
      const double found = map.exact(static_cast<double>(pair), static_cast<double>(layer));
      EXPECT_NEAR(found, 100 * norms[pair] / sum, 1e-4);
    }
  }
  fields.head = 99;
  EXPECT_EQ(figure(draw(), "map").title, text.format("view.weights.map", {{"head", counted(4)}})) << "the last one";
}

TEST_F(WeightsView, ProfileAndKernelAreThoseOfTheChosenLayer) {
  fields.layer = 1;
  fields.head = 2;
  const ViewResult result = draw();
  const auto norms = expected(1)["norms"][1].get<std::vector<double>>();
  const Figure& profile = figure(result, "profile");
  EXPECT_NEAR(profile.lines.at(0).series->ys[1], 100 * norms[1] / (norms[0] + norms[1] + norms[2] + norms[3]), 1e-4);
  EXPECT_TRUE(profile.right.has_value());
  const Figure& kernel = figure(result, "kernel");
  const Series &curve = *kernel.lines.at(0).series, &bound = *kernel.lines.at(2).series;
  const auto values = expected(1)["kernels"][1].get<std::vector<double>>();
  EXPECT_EQ(curve.x_at(2), 3);
  EXPECT_NEAR(curve.ys[2] / curve.ys[0], values[3] / values[1], 1e-9);
  for (std::size_t i = 0; i < curve.ys.size(); ++i) EXPECT_LE(std::abs(curve.ys[i]), bound.ys[i] + 1e-12);
  fields.layer = 40;
  EXPECT_EQ(figure(draw(), "kernel").lines.at(0).series->ys, curve.ys) << "the nearest earlier layer";
}

TEST_F(WeightsView, SecondDrawingsComputeNothing) {
  draw();
  const std::int64_t before = store.started();
  fields.head = 2;
  fields.fast = 100;
  draw();
  EXPECT_EQ(store.started(), before);
}

TEST_F(WeightsView, AClickOnTheMapSelectsTheLayer) {
  react(FigureEvent::Kind::click, "map", 2, 1.2);
  EXPECT_EQ(fields.layer, 1);
  react(FigureEvent::Kind::click, "profile", 2, 0);
  EXPECT_EQ(fields.layer, 1);
}

TEST_F(WeightsView, WithoutAFileItAsksForOne) {
  fields.path.clear();
  const ViewResult hint = draw();
  EXPECT_EQ(hint.panels.at(0).figure.empty_message, text["view.weights.no_file"]);
  EXPECT_TRUE(hint.panels.at(0).figure.empty_is_hint);
  EXPECT_TRUE(hint.panels.at(0).figure.bare) << "no axes of nothing, and a button to open a file";
  fields.path = "nothing.safetensors";
  EXPECT_THAT(draw().fault, Says("error.file.missing"));
  fields.path = source_folder() + "/tests/reference/weights/qwen3";
  EXPECT_EQ(figure(draw(), "kernel").lines.at(0).label, text["view.weights.norms"]);
}

}  // namespace
}  // namespace ropescope
