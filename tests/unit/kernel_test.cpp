#include "core/decay/kernel.h"

#include "core/rotary/spec.h"
#include "reference_data.h"
#include "tests/said.h"

namespace ropescope {

namespace {

struct Exact {
  long double similarity = 0, bound = 0;
};

/// The definitions, term by term in extended precision.
Exact exact_at(const KernelRequest& request, std::int64_t distance) {
  const Eigen::Index pair_count = request.frequencies.size();
  const bool has_amplitudes = request.content.amplitudes.size() > 0;
  const bool has_phases = request.content.phases_radians.size() > 0;
  long double score = 0, total = 0, real = 0, imaginary = 0, magnitudes = 0;
  for (Eigen::Index step = 0; step < pair_count; ++step) {
    const Eigen::Index pair = request.order == PairOrder::fast_first ? step : pair_count - 1 - step;
    const long double angle = static_cast<long double>(distance) * request.frequencies[pair];
    const long double amplitude = has_amplitudes ? request.content.amplitudes[pair] : 1;
    score += amplitude * std::cos(angle + (has_phases ? request.content.phases_radians[pair] : 0));
    total += amplitude;
    real += std::cos(angle);
    imaginary += std::sin(angle);
    magnitudes += std::sqrt(real * real + imaginary * imaginary);
  }
  return {score / total, magnitudes / pair_count};
}

class KernelPathTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    KernelRequest smallest{.frequencies = plain_frequencies(2, 10000)};
    try {
      kernel_curves_on(GetParam(), smallest);
    } catch (const InputError& error) {
      GTEST_SKIP() << said(error);
    }
  }

  /// All distances of the request against the exact sums, within the promised limits for a distance up to 4 096.
  /// The frequencies being the same doubles, the error must not grow with the distance.
  void expect_exact(const KernelRequest& request) {
    const KernelCurves curves = kernel_curves_on(GetParam(), request);
    ASSERT_EQ(curves.similarity.size(), static_cast<std::size_t>(request.count));
    ASSERT_EQ(curves.bound.size(), request.want_bound ? curves.similarity.size() : 0u);
    long double similarity_error = 0, bound_error = 0;
    for (std::size_t i = 0; i < curves.similarity.size(); ++i) {
      const Exact exact = exact_at(request, request.first + static_cast<std::int64_t>(i));
      ASSERT_TRUE(std::isfinite(curves.similarity[i])) << i;
      similarity_error = std::max(similarity_error, std::abs(curves.similarity[i] - exact.similarity));
      if (!request.want_bound) continue;
      ASSERT_TRUE(std::isfinite(curves.bound[i])) << i;
      bound_error = std::max(bound_error, std::abs(curves.bound[i] - exact.bound));
    }
    EXPECT_LE(static_cast<double>(similarity_error), 1e-13) << request.frequencies.size() << " pairs";
    EXPECT_LE(static_cast<double>(bound_error), request.frequencies.size() > 200 ? 1e-10 : 1e-12)
        << request.frequencies.size() << " pairs";
  }
};

KernelRequest make_kernel_request(const Eigen::VectorXd& frequencies, std::int64_t first, std::int64_t count) {
  return {.frequencies = frequencies, .first = first, .count = count};
}

}  // namespace

TEST_P(KernelPathTest, MeetsTheReferenceOf50Digits) {
  const auto file = read_reference("decay/main.json");
  for (const auto& entry : file["cases"]) {
    const int dim = entry["config"]["d"].get<int>();
    SCOPED_TRACE(dim);
    const Eigen::VectorXd frequencies = plain_frequencies(dim, entry["config"]["base"].get<double>());
    ASSERT_GT(entry["distances"].size(), 200u);
    for (std::size_t i = 0; i < entry["distances"].size(); ++i) {
      const auto distance = entry["distances"][i].get<std::int64_t>();
      const KernelCurves curves = kernel_curves_on(GetParam(), make_kernel_request(frequencies, distance, 1));
      EXPECT_NEAR(curves.similarity[0], entry["ones_similarity"][i].get<double>(), distance <= 4096 ? 1e-12 : 1e-9);
      EXPECT_NEAR(curves.bound[0], entry["relative_upper_bound"][i].get<double>(), distance <= 4096 ? 1e-10 : 1e-8);
    }
  }
}

TEST_P(KernelPathTest, IsExactAroundTilesAndFarOut) {
  for (const int dim : {2, 4, 66, 128, 256}) {
    const Eigen::VectorXd frequencies = plain_frequencies(dim, 10000);
    expect_exact(make_kernel_request(frequencies, 0, 100));
    expect_exact(make_kernel_request(frequencies, 2048 - 37, 75));
    expect_exact(make_kernel_request(frequencies, 4096 - 1, 3));
    expect_exact(make_kernel_request(frequencies, 1048576 - 40, 80));
    expect_exact(make_kernel_request(frequencies, 16777216 - 2, 5));
  }
}

TEST_P(KernelPathTest, IsExactForNegativeDistances) {
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  expect_exact(make_kernel_request(frequencies, -50, 101));
  expect_exact(make_kernel_request(frequencies, -2048 - 37, 75));
  expect_exact(make_kernel_request(frequencies, -1048576, 33));
}

TEST_P(KernelPathTest, IsExactForEveryCount) {
  const Eigen::VectorXd frequencies = plain_frequencies(16, 10000);
  for (const std::int64_t count : {0, 1, 2, 31, 32, 33, 63, 65, 2047, 2048, 2049, 4097}) {
    expect_exact(make_kernel_request(frequencies, 5, count));
    expect_exact(make_kernel_request(frequencies, 0, count));
  }
}

TEST_P(KernelPathTest, IsExactForTheLargestHead) {
  const Eigen::VectorXd frequencies = plain_frequencies(8192, 10000);
  expect_exact(make_kernel_request(frequencies, 0, 12));
  expect_exact(make_kernel_request(frequencies, 4090, 9));
  expect_exact(make_kernel_request(frequencies, 1048576 - 3, 6));
}

TEST_P(KernelPathTest, IsExactWithStillPairs) {
  expect_exact(make_kernel_request(proportional_frequencies(128, 1e6, 0.25, 1), 2000, 100));
  expect_exact(make_kernel_request(Eigen::Vector2d::Zero(), -3, 40));
}

TEST_P(KernelPathTest, IsExactInTheReversedOrder) {
  for (const int dim : {2, 128}) {
    KernelRequest request = make_kernel_request(plain_frequencies(dim, 500000), 2030, 70);
    request.order = PairOrder::slow_first;
    expect_exact(request);
    request.content = random_content(dim / 2, 3);
    expect_exact(request);
  }
}

TEST_P(KernelPathTest, IsExactWithContent) {
  for (const int dim : {2, 30, 128}) {
    KernelRequest request = make_kernel_request(plain_frequencies(dim, 10000), 1048576 - 40, 80);
    request.content = random_content(dim / 2, 7);
    expect_exact(request);
    request.first = -9;
    request.want_bound = false;
    expect_exact(request);
    request.content.phases_radians.resize(0);
    expect_exact(request);
    request.content = {{}, Eigen::VectorXd::LinSpaced(dim / 2, 0, 5)};
    expect_exact(request);
    request.content = {};
    expect_exact(request);
  }
}

TEST_P(KernelPathTest, SurvivesASumOfPhasorsThatIsZero) {
  // At distance 1 the two phasors are 1 and −1: |S_2| = 0, where a reciprocal root is infinite.
  const KernelRequest request = make_kernel_request(Eigen::Vector2d(0, std::numbers::pi), 0, 64);
  expect_exact(request);
  EXPECT_NEAR(kernel_curves_on(GetParam(), request).bound[1], 0.5, 1e-15);
}

TEST_P(KernelPathTest, GivesADistanceTheSameBitsInEveryRequest) {
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  KernelRequest request = make_kernel_request(frequencies, 0, 20000);
  const KernelCurves whole = kernel_curves_on(GetParam(), request);
  request.threads = 1;
  EXPECT_EQ(kernel_curves_on(GetParam(), request).similarity, whole.similarity);
  request.threads = 7;
  const KernelCurves seven = kernel_curves_on(GetParam(), request);
  EXPECT_EQ(seven.similarity, whole.similarity);
  EXPECT_EQ(seven.bound, whole.bound);
  const KernelCurves part = kernel_curves_on(GetParam(), make_kernel_request(frequencies, 1999, 3001));
  for (std::size_t i = 0; i < part.similarity.size(); ++i) {
    ASSERT_EQ(part.similarity[i], whole.similarity[1999 + i]) << i;
    ASSERT_EQ(part.bound[i], whole.bound[1999 + i]) << i;
  }
  EXPECT_EQ(whole.similarity[0], 1);
}

INSTANTIATE_TEST_SUITE_P(Paths, KernelPathTest, testing::Values("avx512", "avx2", "portable"),
                         [](const auto& path) { return std::string(path.param); });

TEST(Kernel, DirectFormsAreExactForAnyDistance) {
  for (const int dim : {2, 128, 8192}) {
    KernelRequest request{.frequencies = plain_frequencies(dim, 10000)};
    for (const std::int64_t distance : {0, 1, -17, 4096, 1048576}) {
      for (const PairOrder order : {PairOrder::fast_first, PairOrder::slow_first}) {
        request.order = order;
        const Exact exact = exact_at(request, distance);
        const double at = static_cast<double>(distance);
        EXPECT_NEAR(similarity(request.frequencies, at), static_cast<double>(exact.similarity), 1e-14);
        EXPECT_NEAR(abel_bound(request.frequencies, at, order), static_cast<double>(exact.bound), 1e-10);
      }
    }
  }
  const Eigen::VectorXd one = plain_frequencies(2, 10000);
  EXPECT_DOUBLE_EQ(similarity(one, 0.25), std::cos(0.25));
  EXPECT_DOUBLE_EQ(abel_bound(one, 0.25), 1);
}

TEST(Kernel, DirectFormsStayPhasorsHoweverFarOut) {
  // There the product's own rounding is turns: whatever the angle is then, nothing may grow beyond 1.
  for (const double base : {1.5, 10000.0}) {
    const Eigen::VectorXd frequencies = plain_frequencies(64, base);
    for (const double distance : {1e9, 1e12, 9007199254740993.0, 1e17, -1e18, 1e100, 1e300, 1.7e308}) {
      EXPECT_LE(std::abs(similarity(frequencies, distance)), 1) << distance;
      EXPECT_LE(abel_bound(frequencies, distance), 16.5) << distance;
    }
  }
  // θ = 2^(−1/2) times 1e12 by long double, whose 64 bits still resolve that angle to 1e-8.
  const Eigen::VectorXd two = plain_frequencies(4, 2);
  const double at = 1e12 + 1;
  const long double angle = static_cast<long double>(two[1]) * at;
  EXPECT_NEAR(similarity(two, at), (std::cos(at) + static_cast<double>(std::cos(angle))) / 2, 1e-7);
}

TEST(Kernel, BoundDependsOnThePairOrder) {
  const Eigen::VectorXd frequencies = plain_frequencies(128, 10000);
  EXPECT_NEAR(abel_bound(frequencies, 50, PairOrder::fast_first), 12.63, 0.005);
  EXPECT_NEAR(abel_bound(frequencies, 50, PairOrder::slow_first), 25.59, 0.005);
}

TEST(Kernel, RejectsWhatHasNoSimilarity) {
  KernelRequest request;
  EXPECT_THROW(kernel_curves(request), InputError);  // no pair
  request.frequencies = plain_frequencies(8, 100);
  request.count = -1;
  EXPECT_THROW(kernel_curves(request), InputError);
  request.count = 1;
  request.first = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(kernel_curves(request), InputError);
  request.first = 0;
  request.content.amplitudes = Eigen::VectorXd::Ones(3);
  EXPECT_THROW(kernel_curves(request), InputError);
  request.content.amplitudes = Eigen::VectorXd::Zero(4);
  EXPECT_THROW(kernel_curves(request), InputError);
  EXPECT_THROW(similarity(request.frequencies, 1, request.content), InputError);
  request.content = {};
  EXPECT_THROW(kernel_curves_on("abacus", request), InputError);
  EXPECT_EQ(kernel_curves(request).similarity, kernel_curves_on(kernel_path(), request).similarity);
}

TEST(Kernel, StopsWhenAsked) {
  KernelRequest request{.frequencies = plain_frequencies(8192, 10000)};
  request.count = 16777217;  // minutes of work
  std::stop_source stop;
  KernelCurves curves;
  std::jthread worker([&] { curves = kernel_curves(request, stop.get_token()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto begin = std::chrono::steady_clock::now();
  stop.request_stop();
  worker.join();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(seconds.count(), 20) << "all of it takes minutes";
  EXPECT_TRUE(curves.similarity.empty());
  EXPECT_TRUE(curves.bound.empty());
  EXPECT_TRUE(kernel_curves(request, stop.get_token()).similarity.empty());
}

TEST(Content, OfGivenQueryAndKeyReproducesTheirScore) {
  const auto content_of = [](const Eigen::Vector4d& q, const Eigen::Vector4d& k) {
    Content content{Eigen::VectorXd(2), Eigen::VectorXd(2)};
    for (int pair = 0; pair < 2; ++pair) {
      const std::complex<double> product =
          std::complex(q[2 * pair], q[2 * pair + 1]) * std::conj(std::complex(k[2 * pair], k[2 * pair + 1]));
      content.amplitudes[pair] = std::abs(product);
      content.phases_radians[pair] = std::arg(product);
    }
    return content;
  };
  const Eigen::VectorXd frequencies = plain_frequencies(4, 100);
  const Eigen::Vector4d q(1, 2, -0.5, 0.25), k(0.5, -1, 2, 3);
  const Content content = content_of(q, k);
  for (const double distance : {0.0, 1.0, 5.0}) {
    double score = 0;  // ⟨R_Δ q, k⟩ for interleaved pairs
    for (int pair = 0; pair < 2; ++pair) {
      const double cosine = std::cos(distance * frequencies[pair]), sine = std::sin(distance * frequencies[pair]);
      score += (q[2 * pair] * cosine - q[2 * pair + 1] * sine) * k[2 * pair];
      score += (q[2 * pair] * sine + q[2 * pair + 1] * cosine) * k[2 * pair + 1];
    }
    EXPECT_NEAR(similarity(frequencies, distance, content), score / content.amplitudes.sum(), 1e-15);
  }
}

TEST(Content, RandomIsTheSameForASeedAndStandardNormal) {
  EXPECT_EQ(random_content(64, 9), random_content(64, 9));
  EXPECT_FALSE(random_content(64, 9) == random_content(64, 10));
  EXPECT_FALSE(random_content(64, 9) == random_content(32, 9));
  // |h|² = |q|²|k|² with |q|² and |k|² independent and exponential of mean 2: mean 4; the phase is uniform.
  const Content content = random_content(200000, 1);
  EXPECT_NEAR(content.amplitudes.squaredNorm() / 200000, 4, 0.1);
  EXPECT_NEAR(content.phases_radians.array().cos().mean(), 0, 0.01);
  EXPECT_NEAR(content.phases_radians.array().sin().mean(), 0, 0.01);
  EXPECT_NEAR((2 * content.phases_radians.array()).cos().mean(), 0, 0.01);
}

TEST(Content, RandomContentDoesNotDecay) {
  const int pair_count = 64, draws = 2000;
  const Eigen::VectorXd frequencies = plain_frequencies(2 * pair_count, 10000);
  for (const double distance : {1.0, 100.0, 4000.0}) {
    double sum = 0, squares = 0;
    for (int seed = 0; seed < draws; ++seed) {
      const double value =
          similarity(frequencies, distance, random_content(pair_count, static_cast<std::uint64_t>(seed)));
      sum += value;
      squares += value * value;
    }
    EXPECT_NEAR(sum / draws, 0, 0.015) << distance;
    EXPECT_NEAR(std::sqrt(squares / draws), 0.11, 0.02) << distance;
  }
}

}  // namespace ropescope
