#include "core/encodings/encoding.h"
#include "reference_data.h"
#include "tests/said.h"

namespace ropescope {

namespace {

std::shared_ptr<const EncodingModel> make_rope_model(const RotarySpec& spec, std::string_view encoding = "rope") {
  EncodingValues settings{.dim = spec.head_dim, .pairing = spec.pairing};
  put_ladder(settings, find_encoding(encoding), spec.axes[0], scaled_ladder(spec, 0));
  return make_model(find_encoding(encoding), settings);
}

RotarySpec spec_of(int dim, double base, double trained_length, Extension extension) {
  return {.head_dim = dim,
          .axes = {{.rotary_dim = dim, .base = base}},
          .trained_length = trained_length,
          .extension = std::move(extension)};
}

Extension make_llama3_extension(double factor) {
  return {"llama3", {{"factor", factor}, {"low_frequency_factor", 1}, {"high_frequency_factor", 4}}, {}};
}

Eigen::VectorXd some_vector(int dim, int which) {
  Eigen::VectorXd vector(dim);
  for (int i = 0; i < dim; ++i) vector[i] = std::sin(1.0 + 3 * i * i + 7 * which);
  return vector;
}

/// Re Σ q_i conj(k_i) e^{i·distance·θ_i} of half-split pairs, in long double.
long double phasor_score(const std::vector<long double>& frequencies, const Eigen::VectorXd& q,
                         const Eigen::VectorXd& k, std::int64_t distance) {
  const auto pairs = static_cast<Eigen::Index>(frequencies.size());
  long double sum = 0;
  for (Eigen::Index i = 0; i < pairs; ++i) {
    const std::complex<long double> query(q[i], q[i + pairs]), key(k[i], k[i + pairs]);
    const auto turn = std::polar(1.0L, static_cast<long double>(distance) * frequencies[static_cast<std::size_t>(i)]);
    sum += (query * std::conj(key) * turn).real();
  }
  return sum;
}

/// transformers `_compute_llama3_parameters`, by wavelengths as it is written there.
std::vector<long double> llama3_frequencies(int dim, long double base, long double factor, long double low,
                                            long double high, long double old_context) {
  std::vector<long double> frequencies;
  for (int i = 0; i < dim; i += 2) {
    const long double plain = 1 / std::pow(base, static_cast<long double>(i) / dim);
    const long double wavelength = 2 * std::numbers::pi_v<long double> / plain;
    const long double smooth = (old_context / wavelength - low) / (high - low);
    const long double blended = (1 - smooth) * plain / factor + smooth * plain;
    frequencies.push_back(wavelength < old_context / high  ? plain
                          : wavelength > old_context / low ? plain / factor
                                                           : blended);
  }
  return frequencies;
}

std::string find_ladder_error(const Encoding& encoding, const EncodingValues& settings) {
  return refusal_of([&] { make_model(encoding, settings); });
}

}  // namespace

TEST(EncodingLadder, Llama31ScoresAsItsReleasedFormulaDoes) {
  const auto model = make_rope_model(spec_of(128, 500000, 8192, make_llama3_extension(8)));
  const auto frequencies = llama3_frequencies(128, 500000, 8, 1, 4, 8192);
  const Eigen::VectorXd q = some_vector(128, 1), k = some_vector(128, 2);
  for (const std::int64_t distance : {0, 1, 7, 806, 8192, 95709, 131071}) {
    const auto expected = static_cast<double>(phasor_score(frequencies, q, k, distance) / std::sqrt(128.0L));
    EXPECT_NEAR(model->score(q, k, 131072, 131072 - distance), expected, 1e-10) << distance;
  }
  // The extension is seen: without it the score is another one from some distance on.
  const auto plain = make_rope_model(spec_of(128, 500000, 8192, {}));
  EXPECT_FALSE(plain->settings().ladder);
  EXPECT_GT(std::abs(plain->score(q, k, 95709, 0) - model->score(q, k, 95709, 0)), 0.01);
}

TEST(EncodingLadder, MeetsTheReferenceFrequenciesOfLlama3) {
  const auto reference = read_reference("freqs/llama3.json");
  for (const auto& entry : reference["cases"]) {
    const auto& config = entry["config"];
    const int head = config["head_dim"].get<int>();
    const int dim = static_cast<int>(head * config.value("partial_rotary_factor", 1.0));
    RotarySpec spec =
        spec_of(dim, config["rope_theta"].get<double>(), config["original_max_position_embeddings"].get<double>(),
                make_llama3_extension(config["factor"].get<double>()));
    spec.head_dim = head;
    const auto model = make_rope_model(spec);
    std::vector<long double> frequencies;
    for (const double frequency : entry["inv_freq_f64"]) frequencies.push_back(frequency);
    const Eigen::VectorXd q = some_vector(head, 3), k = some_vector(head, 4);
    const double still = q.tail(head - dim).dot(k.tail(head - dim));
    for (const std::int64_t distance : {0, 100, 5000, 131071}) {
      const auto turning = static_cast<double>(phasor_score(frequencies, q.head(dim), k.head(dim), distance));
      // Frequencies are a few units in the last place apart; so are angles, times the distance.
      EXPECT_NEAR(model->score(q, k, 131072, 131072 - distance), (turning + still) * model->scale(), 1e-9)
          << entry["id"] << " at " << distance;
    }
  }
}

TEST(EncodingLadder, YarnScoresAsItsOwnRotatedVectorsDo) {
  const auto file = read_reference("apply/yarn_mscale_d64.json");
  const auto& config = file["header"]["config"];
  const auto model = make_rope_model(spec_of(config["d"].get<int>(), config["rope_theta"].get<double>(),
                                             config["original_max_position_embeddings"].get<double>(),
                                             {"yarn", {{"factor", config["scale"].get<double>()}}, {}}));
  ASSERT_TRUE(model->settings().ladder);
  const double amplitude = config["mscale"].get<double>();
  EXPECT_NEAR(model->settings().ladder->amplitude, amplitude, 1e-15);
  const std::size_t tokens = file["positions"].size();
  for (std::size_t i = 0; i < tokens; ++i) {
    for (std::size_t j = 0; j < tokens; ++j) {
      const auto m = file["positions"][i].get<std::int64_t>(), n = file["positions"][j].get<std::int64_t>();
      const Eigen::VectorXd q = vector_of(file["q"][i]), k = vector_of(file["k"][j]);
      const double expected = vector_of(file["outputs"]["q"][i]).dot(vector_of(file["outputs"]["k"][j]));
      // Its tables are float32: an angle of 5 000 radians is off by 2e-4.
      const double tolerance = std::max(m, n) == 5000 ? 2e-2 : 1e-3;
      EXPECT_NEAR(model->score(q, k, m, n) / model->scale(), expected, tolerance) << m << ", " << n;
    }
    const auto at = file["positions"][i].get<std::int64_t>();
    const Eigen::VectorXd q = vector_of(file["q"][i]), k = vector_of(file["k"][i]);
    EXPECT_NEAR(model->score(q, k, at, at), amplitude * amplitude * q.dot(k) * model->scale(), 1e-12);
  }
}

TEST(EncodingLadder, PlainRopesLeaveNoneBehind) {
  const RotarySpec plain = spec_of(64, 500000, 4096, {});
  EncodingValues settings{.dim = 64};
  put_ladder(settings, find_encoding("rope"), plain.axes[0], scaled_ladder(plain, 0));
  EXPECT_EQ(settings, (EncodingValues{.dim = 64, .base = 500000}));
  // In a wider head the first channels turn alone: by rotary_dim, or by a ladder where there is no such field.
  settings = {.dim = 80};
  put_ladder(settings, find_encoding("rope"), plain.axes[0], scaled_ladder(plain, 0));
  EXPECT_EQ(settings, (EncodingValues{.dim = 80, .base = 500000, .rotary_dim = 64}));
  settings = {.dim = 80};
  put_ladder(settings, find_encoding("xpos"), plain.axes[0], scaled_ladder(plain, 0));
  ASSERT_TRUE(settings.ladder);
  EXPECT_EQ(settings.ladder->frequencies.size(), 32u);
  const auto xpos = make_model(find_encoding("xpos"), settings);
  Eigen::VectorXd q = Eigen::VectorXd::Zero(80);
  q[70] = 2;
  EXPECT_EQ(xpos->score(q, q, 900, 3), 4 * xpos->scale()) << "what no pair has does not turn";
  // Sinusoids are a table of their own, with the base alone.
  settings = {.dim = 64};
  const RotarySpec extended = spec_of(64, 500000, 4096, {"linear", {{"factor", 8}}, {}});
  put_ladder(settings, find_encoding("sinusoidal"), extended.axes[0], scaled_ladder(extended, 0));
  EXPECT_EQ(settings, (EncodingValues{.dim = 64, .base = 500000}));
}

TEST(EncodingLadder, SaysWhatDoesNotFit) {
  const Encoding& rope = find_encoding("rope");
  EncodingValues settings{.dim = 4};
  settings.ladder = {{1, 0.1, 0.01}, 1};
  EXPECT_THAT(find_ladder_error(rope, settings),
              AllOf(Says("error.encodings.ladder", {{"encoding", "rope"}}),
                    Says("encodings.ladder_too_wide", {{"turning", "6"}, {"dim", "4"}})));
  settings.ladder = {{1, 0.1}, 1};
  EXPECT_EQ(find_ladder_error(rope, settings), "");
  settings.rotary_dim = 2;
  EXPECT_THAT(find_ladder_error(rope, settings),
              AllOf(Says("error.encodings.ladder", {{"encoding", "rope"}}),
                    Says("encodings.ladder_rotary_dim", {{"turning", "4"}, {"rotary_dim", "2"}})));
  settings.rotary_dim = 0;
  for (const EncodingLadder& wrong : {EncodingLadder{{}, 1}, EncodingLadder{{1, -0.1}, 1}, EncodingLadder{{1, NAN}, 1},
                                      EncodingLadder{{1, 0.1}, 0}, EncodingLadder{{1, 0.1}, INFINITY}}) {
    settings.ladder = wrong;
    EXPECT_NE(find_ladder_error(rope, settings), "");
    EXPECT_EQ(find_ladder_error(find_encoding("alibi"), settings), "") << "it does not turn";
  }
}

}  // namespace ropescope
