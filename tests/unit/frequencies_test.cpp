#include "reference_data.h"
#include "tests/rotate_head.h"
#include "tests/said.h"

namespace ropescope {

namespace {

constexpr double kFrequenciesInfinity = std::numeric_limits<double>::infinity();
constexpr double kFrequenciesNan = std::numeric_limits<double>::quiet_NaN();

double find_largest_deviation(const Eigen::VectorXd& found, const Eigen::VectorXd& expected) {
  double largest = 0;
  for (Eigen::Index i = 0; i < found.size(); ++i) {
    const double difference = std::abs(found[i] - expected[i]);
    if (difference > 0) largest = std::max(largest, difference / std::abs(expected[i]));
  }
  return largest;
}

}  // namespace

TEST(Frequencies, MeetTheReferenceOfDefaultRope) {
  const auto file = read_reference("freqs/default.json");
  for (const auto& entry : file["cases"]) {
    SCOPED_TRACE(entry["id"].get<std::string>());
    const auto& config = entry["config"];
    const int dim = static_cast<int>(config["head_dim"].get<int>() * config.value("partial_rotary_factor", 1.0));
    const Eigen::VectorXd found = plain_frequencies(dim, config["rope_theta"].get<double>());
    ASSERT_EQ(found.size(), entry["n_pairs"].get<int>());
    EXPECT_LE(find_largest_deviation(found, vector_of(entry["inv_freq_f64"])), 1e-15);
    EXPECT_LE(find_largest_deviation(found, vector_of(entry["inv_freq_f32"])), 7e-7);
  }
}

TEST(Frequencies, MeetTheReferenceOfTheProportionalLadder) {
  const auto file = read_reference("freqs/proportional.json");
  for (const auto& entry : file["cases"]) {
    SCOPED_TRACE(entry["id"].get<std::string>());
    const auto& config = entry["config"];
    const Eigen::VectorXd found =
        proportional_frequencies(config["head_dim"].get<int>(), config["rope_theta"].get<double>(),
                                 config.value("partial_rotary_factor", 1.0), config.value("factor", 1.0));
    ASSERT_EQ(found.size(), entry["n_pairs"].get<int>());
    EXPECT_EQ((found.array() != 0).count(), entry["live_pairs"].get<int>());
    EXPECT_LE(find_largest_deviation(found, vector_of(entry["inv_freq_f64"])), 1e-15);
  }
}

TEST(Frequencies, AreRoundedOnce) {
  // 10000^(-2i/d) for d = 8 are powers of ten, whose nearest doubles are the literals.
  EXPECT_EQ(plain_frequencies(8, 10000), Eigen::Vector4d(1, 1e-1, 1e-2, 1e-3));
  for (const int dim : {2, 6, 128, 8192}) {
    for (const double base : {1.01, 10000.0, 1e12}) {
      const Eigen::VectorXd found = plain_frequencies(dim, base);
      ASSERT_EQ(found.size(), dim / 2);
      for (Eigen::Index i = 0; i < found.size(); ++i) {
        const long double expected = std::exp(-2.0L * i / dim * std::log(static_cast<long double>(base)));
        EXPECT_LE(std::abs(found[i] - expected), 1.2e-16L * expected) << dim << ' ' << base << ' ' << i;
      }
    }
  }
}

TEST(Frequencies, OfAxesFollowEachOther) {
  RotarySpec spec;
  spec.axes = {{.name = "row", .rotary_dim = 4, .base = 100}, {.name = "column", .rotary_dim = 2, .base = 7}};
  EXPECT_EQ(total_rotary_dim(spec), 6);
  EXPECT_EQ(pair_frequencies(spec), Eigen::Vector3d(1, 0.1, 1));
}

TEST(Frequencies, RejectWhatCannotBeALadder) {
  for (const int dim : {-2, 0, 1, 7, 8194}) EXPECT_THROW(plain_frequencies(dim, 10000), InputError) << dim;
  for (const double base : {-3.0, 0.0, 1.0, kFrequenciesInfinity, kFrequenciesNan}) {
    EXPECT_THROW(plain_frequencies(64, base), InputError) << base;
  }
  for (const double fraction : {0.0, -0.5, 1.5, kFrequenciesNan}) {
    EXPECT_THROW(proportional_frequencies(64, 10000, fraction, 1), InputError) << fraction;
  }
  for (const double factor : {0.0, -1.0, kFrequenciesInfinity, kFrequenciesNan}) {
    EXPECT_THROW(proportional_frequencies(64, 10000, 1, factor), InputError) << factor;
  }
}

TEST(Frequencies, WavelengthIsOneTurn) {
  EXPECT_DOUBLE_EQ(wavelength(1), 6.283185307179586);
  EXPECT_DOUBLE_EQ(wavelength(0.001), 6283.185307179586);
  EXPECT_EQ(wavelength(0), kFrequenciesInfinity);
}

TEST(Spec, ValidateNamesTheField) {
  const auto message = [](const std::function<void(RotarySpec&)>& spoil) {
    RotarySpec spec;
    spoil(spec);
    return refusal_of([&] { validate(spec); });
  };
  EXPECT_EQ(message([](RotarySpec&) {}), "");
  EXPECT_EQ(message([](RotarySpec& s) { s.head_dim = 129; }), "");  // one untouched channel
  EXPECT_THAT(message([](RotarySpec& s) { s.head_dim = 0; }), HasSubstr("head_dim is 0"));
  EXPECT_THAT(message([](RotarySpec& s) { s.head_dim = 9000; }), HasSubstr("head_dim is 9000"));
  EXPECT_THAT(message([](RotarySpec& s) { s.axes.clear(); }), HasSubstr("axes"));
  EXPECT_THAT(message([](RotarySpec& s) { s.axes[0].rotary_dim = 63; }),
              AllOf(HasSubstr("rotary_dim"), HasSubstr("position"), HasSubstr("63")));
  EXPECT_THAT(message([](RotarySpec& s) { s.axes[0].rotary_dim = 130; }),
              AllOf(HasSubstr("rotary_dim"), Says("rotary.at_most_head_dim", {{"head_dim", "128"}})));
  EXPECT_THAT(message([](RotarySpec& s) { s.axes.push_back(s.axes[0]); }), HasSubstr("sum of rotary_dim"));
  EXPECT_THAT(message([](RotarySpec& s) { s.axes[0].base = 1; }), HasSubstr("base"));
  EXPECT_THAT(message([](RotarySpec& s) { s.axes[0].base = kFrequenciesNan; }), HasSubstr("base"));
  EXPECT_THAT(message([](RotarySpec& s) { s.axes[0].live_fraction = 0; }), HasSubstr("live_fraction"));
  EXPECT_THAT(message([](RotarySpec& s) { s.axes[0].factor = 0; }), HasSubstr("factor"));
  EXPECT_THAT(message([](RotarySpec& s) { s.trained_length = 0; }), HasSubstr("trained_length"));
  EXPECT_THAT(message([](RotarySpec& s) { s.trained_length = kFrequenciesInfinity; }), HasSubstr("trained_length"));
  EXPECT_THAT(message([](RotarySpec& s) { s.amplitude = kFrequenciesNan; }), HasSubstr("amplitude"));
}

}  // namespace ropescope
