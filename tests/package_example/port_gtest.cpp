// GoogleTest tests of a port: its tables compared with a config.json, in one line.
#include <gtest/gtest-spi.h>

#include <cmath>
#include <fstream>
#include <vector>

#include "core/formats/expect_rope_agrees.h"

namespace {

constexpr int kTokens = 64, kPairs = 64;

std::vector<float> table(double (*function)(double), double base) {
  std::vector<float> numbers;
  for (int m = 0; m < kTokens; ++m) {
    for (int i = 0; i < kPairs; ++i) {
      numbers.push_back(static_cast<float>(function(m * std::pow(base, -1.0 * i / kPairs))));
    }
  }
  return numbers;
}

TEST(Port, TablesAgreeWithTheConfig) {
  const std::string config = testing::TempDir() + "ropescope_config.json";
  std::ofstream(config) << R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
                              "rope_theta": 500000.0})";
  const std::vector<float> cosine = table(std::cos, 500000), sine = table(std::sin, 500000);
  EXPECT_ROPE_AGREES(config, ropescope::rope_table("cos", cosine, kTokens),
                     ropescope::rope_table("sin", sine, kTokens));
  const std::vector<float> other = table(std::cos, 10000), others = table(std::sin, 10000);
  EXPECT_NONFATAL_FAILURE(EXPECT_ROPE_AGREES(config, ropescope::rope_table("cos", other, kTokens),
                                             ropescope::rope_table("sin", others, kTokens)),
                          "base");
  EXPECT_NONFATAL_FAILURE(EXPECT_ROPE_AGREES(std::string("no such file"), ropescope::rope_table("cos", other, kTokens),
                                             ropescope::rope_table("sin", others, kTokens)),
                          "json");
}

}  // namespace
