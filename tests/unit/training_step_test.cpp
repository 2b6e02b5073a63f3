// A whole training step (forward, backward, clipping, AdamW) compared with NumPy: tests/reference/training/make.py.

#include "core/training/race.h"
#include "tests/places.h"
#include "tests/test.h"

namespace ropescope {
namespace {

TEST(TrainingStep, IsThatOfNumPy) {
  std::ifstream file(source_folder() + "/tests/reference/training/step.json");
  const json cases = json::parse(file);
  ASSERT_GE(cases.size(), 10u);
  for (const json& expected : cases) {
    SCOPED_TRACE(expected.at("encoding").dump() + expected.at("linear").dump() + expected.at("causal").dump());
    const ModelShape shape{11, 2, 32, 2, 6, expected.at("causal"), expected.at("linear")};
    TrainingOptions options;
    options.batch = 3;
    const std::string encoding = expected.at("encoding");
    Trainer<double> trainer(shape, position_tables(find_encoding(encoding), {}, shape, shape.length), options, 1, 1);
    for (const ParameterBlock& block : trainer.layout().blocks) {
      for (std::int64_t i = block.offset; i < block.offset + block.count(); ++i) {
        trainer.parameters()[static_cast<std::size_t>(i)] =
            block.middle + 0.25 * std::sin(1 + 0.37 * static_cast<double>(i));
      }
    }
    std::vector<std::int32_t> tokens, targets;
    for (int i = 0; i < 18; ++i) {
      tokens.push_back((i * 7 + i / 5) % 11);
      targets.push_back(i % 4 == 3 ? -1 : (i * 5 + 2) % 11);
    }
    std::vector<double> gradient(trainer.parameters().size());
    trainer.gradient(tokens, targets, gradient);
    const StepResult result = trainer.step(tokens, targets);
    EXPECT_NEAR(result.loss, expected.at("loss"), 1e-12);
    EXPECT_NEAR(result.gradient_norm, expected.at("norm"), 1e-10);
    const std::size_t every = expected.at("every");
    for (std::size_t i = 0; i < expected.at("after").size(); ++i) {
      EXPECT_NEAR(gradient[i * every], expected.at("gradient")[i], 1e-11) << i * every;
      EXPECT_NEAR(trainer.parameters()[i * every], expected.at("after")[i], 1e-11) << i * every;
    }
  }
}

}  // namespace
}  // namespace ropescope
