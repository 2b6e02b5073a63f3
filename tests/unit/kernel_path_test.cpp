// The inner loops alone, with hand-made tables: the accuracy of their square root at zero and over its range.

#include "core/decay/kernel_path.h"

#include "core/decay/kernel.h"
#include "core/message.h"
#include "core/rotary/spec.h"
#include "tests/test.h"

namespace ropescope {

namespace {

bool can_run(const KernelPath& path) {
  KernelRequest request{.frequencies = plain_frequencies(2, 10000)};
  try {
    kernel_curves_on(path.name, request);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Score and magnitudes of `turns` (real parts) where every fine phasor is 1: S_j is the sum of the first j turns.
struct BlockResult {
  std::vector<double> score, magnitudes;
};
BlockResult run_block(const KernelPath& path, const std::vector<double>& real, const std::vector<double>& imaginary) {
  const std::vector<double> ones(real.size() * kBlockDistances, 1), zeros(real.size() * kBlockDistances, 0);
  BlockResult result{std::vector<double>(kBlockDistances, -1), std::vector<double>(kBlockDistances, -1)};
  path.score_and_bound({static_cast<int>(real.size()), ones.data(), zeros.data(), real.data(), imaginary.data(),
                        result.score.data(), result.magnitudes.data()});
  return result;
}

class KernelBlocks : public testing::TestWithParam<const KernelPath*> {
 protected:
  void SetUp() override {
    if (!can_run(*GetParam())) GTEST_SKIP() << "this machine cannot run " << GetParam()->name;
  }
};

}  // namespace

TEST_P(KernelBlocks, ASumThatIsExactlyZeroAddsNothing) {
  const BlockResult result = run_block(*GetParam(), {1, -1, 0, 3}, {0.5, -0.5, 0, 0});
  for (int t = 0; t < kBlockDistances; ++t) {
    const auto at = static_cast<std::size_t>(t);
    EXPECT_EQ(result.score[at], 3);
    EXPECT_NEAR(result.magnitudes[at], std::sqrt(1.25) + 3, 1e-15);
  }
}

TEST_P(KernelBlocks, TheRootIsExactOverTheWholeRangeOfMagnitudes) {
  // From rounding noise to the 4 096 aligned pairs of the largest head.
  for (double magnitude = 1e-14; magnitude < 5000; magnitude *= 1.0371) {
    const double real = 0.6 * magnitude, imaginary = -0.8 * magnitude;
    const BlockResult result = run_block(*GetParam(), {real}, {imaginary});
    const double expected = std::sqrt(real * real + imaginary * imaginary);
    for (const double found : result.magnitudes) ASSERT_NEAR(found, expected, 5e-16 * expected + 1e-18) << magnitude;
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, KernelBlocks, testing::Values(&kAvx512Path, &kAvx2Path, &kPortablePath),
                         [](const auto& path) { return std::string(path.param->name); });

}  // namespace ropescope
