#include "core/message.h"
#include "reference_data.h"
#include "tests/rotate_head.h"

namespace ropescope {

namespace {

/// Largest |difference| between rotate_head of `inputs` and `expected`, both [token][channel].
double largest_error(const RotarySpec& spec, const json& inputs, const json& positions, const json& expected) {
  double largest = 0;
  for (std::size_t token = 0; token < inputs.size(); ++token) {
    const auto& position = positions[token];
    const std::vector<double> of_axes =
        position.is_array() ? position.get<std::vector<double>>() : std::vector{position.get<double>()};
    const Eigen::VectorXd rotated = rotate_head(spec, vector_of(inputs[token]), of_axes);
    largest = std::max(largest, (rotated - vector_of(expected[token])).cwiseAbs().maxCoeff());
  }
  return largest;
}

void expect_q_and_k(const RotarySpec& spec, const json& file, const json& positions, const json& output,
                    double tolerance) {
  EXPECT_LE(largest_error(spec, file["q"], positions, output["q"]), tolerance);
  if (!output.contains("k")) return;  // some sources rotate one vector only
  EXPECT_LE(largest_error(spec, file["k"], positions, output["k"]), tolerance);
}

RotarySpec text_spec(const json& config, Pairing pairing) {
  RotarySpec spec{.head_dim = config["d"].get<int>(), .pairing = pairing};
  spec.axes[0].rotary_dim = config.value("rotary_dim", spec.head_dim);
  spec.axes[0].base = config["theta"].get<double>();
  return spec;
}

}  // namespace

TEST(Rotation, MeetsHalfSplitReference) {
  for (const char* name : {"half_split_d64", "half_split_d128"}) {
    SCOPED_TRACE(name);
    const auto file = read_reference("apply/" + std::string(name) + ".json");
    const RotarySpec spec = text_spec(file["header"]["config"], Pairing::half_split);
    expect_q_and_k(spec, file, file["positions"], file["outputs"]["hf_float64"], 2e-11);
    expect_q_and_k(spec, file, file["positions"], file["outputs"]["hf_float32"], 7e-3);
  }
}

TEST(Rotation, MeetsInterleavedReference) {
  for (const char* name : {"interleaved_d64", "interleaved_d128"}) {
    SCOPED_TRACE(name);
    const auto file = read_reference("apply/" + std::string(name) + ".json");
    const RotarySpec spec = text_spec(file["header"]["config"], Pairing::interleaved);
    expect_q_and_k(spec, file, file["positions"], file["outputs"]["all_float64"], 2e-11);
    expect_q_and_k(spec, file, file["positions"], file["outputs"]["flux_ids_float64"], 3e-7);
    expect_q_and_k(spec, file, file["positions"], file["outputs"]["flux_ids_float32"], 7e-3);
  }
}

TEST(Rotation, MeetsPartialReference) {
  // float32 sources; their positions end at 1 000 and 300, so that their drift is far below the 7e-3 of the largest
  // ones.
  for (const char* name : {"partial_d64_p05", "partial_d128_p025"}) {
    SCOPED_TRACE(name);
    const auto file = read_reference("apply/" + std::string(name) + ".json");
    const auto& config = file["header"]["config"];
    const auto& outputs = file["outputs"];
    const RotarySpec half = text_spec(config, Pairing::half_split);
    const RotarySpec interleaved = text_spec(config, Pairing::interleaved);
    RotarySpec proportional = half;
    proportional.axes[0].rotary_dim = half.head_dim;
    proportional.axes[0].ladder = Ladder::proportional;
    proportional.axes[0].live_fraction = config["partial_rotary_factor"].get<double>();
    expect_q_and_k(half, file, file["positions"], outputs["phi3_half_split"], 2e-4);
    expect_q_and_k(interleaved, file, file["positions"], outputs["lucidrains_interleaved"], 2e-4);
    expect_q_and_k(proportional, file, file["positions"], outputs["proportional_half_split"], 2e-4);
    if (outputs.contains("glm_interleaved")) {
      expect_q_and_k(interleaved, file, file["positions"], outputs["glm_interleaved"], 2e-4);
    }
  }
}

TEST(Rotation, MeetsFluxAxesReference) {
  const auto file = read_reference("apply/flux1_axes.json");
  const auto& config = file["header"]["config"];
  RotarySpec spec = text_spec(config, Pairing::interleaved);
  spec.axes.clear();
  for (const int dim : config["axes_dim"]) {
    spec.axes.push_back({.name = "axis", .rotary_dim = dim, .base = config["theta"].get<double>()});
  }
  expect_q_and_k(spec, file, file["ids"], file["outputs_ids64"], 1e-6);
  expect_q_and_k(spec, file, file["ids"], file["outputs"], 5e-5);
}

TEST(Rotation, MeetsYarnReferenceWithItsAmplitude) {
  const auto file = read_reference("apply/yarn_mscale_d64.json");
  const auto& config = file["header"]["config"];
  const int dim = config["d"].get<int>();
  const double base = config["rope_theta"].get<double>(), scale = config["scale"].get<double>();
  const double trained_length = config["original_max_position_embeddings"].get<double>();
  // YaRN's frequencies (arXiv 2309.00071) by hand: this test is about the amplitude.
  const auto pair_with_turns = [&](double turns) {
    return dim * std::log(trained_length / (turns * 2 * std::numbers::pi)) / (2 * std::log(base));
  };
  const double low = std::floor(pair_with_turns(32)), high = std::ceil(pair_with_turns(1));
  Eigen::VectorXd frequencies = plain_frequencies(dim, base);
  for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
    const double kept = 1 - std::clamp((static_cast<double>(pair) - low) / (high - low), 0.0, 1.0);
    frequencies[pair] *= kept + (1 - kept) / scale;
  }
  const double amplitude = config["mscale"].get<double>();
  for (std::size_t token = 0; token < file["positions"].size(); ++token) {
    const double position = file["positions"][token].get<double>();
    for (const char* which : {"q", "k"}) {
      const Eigen::VectorXd found =
          rotate_elementwise(vector_of(file[which][token]), frequencies, Pairing::half_split, position, amplitude);
      const Eigen::VectorXd expected = vector_of(file["outputs"][which][token]);
      EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), position == 0 ? 5e-7 : 2e-3) << which << " at " << position;
    }
  }
}

TEST(Rotation, TurnsByHand) {
  const double quarter = std::numbers::pi / 2;
  const Eigen::Vector2d frequencies(quarter, 0);
  const Eigen::VectorXd x = (Eigen::VectorXd(5) << 1, 2, 3, 4, 5).finished();
  const Eigen::VectorXd interleaved = rotate_elementwise(x, frequencies, Pairing::interleaved, 1, 2);
  EXPECT_TRUE(interleaved.isApprox((Eigen::VectorXd(5) << -4, 2, 6, 8, 5).finished(), 1e-15)) << interleaved;
  const Eigen::VectorXd half = rotate_elementwise(x, frequencies, Pairing::half_split, 1, 2);
  EXPECT_TRUE(half.isApprox((Eigen::VectorXd(5) << -6, 4, 2, 8, 5).finished(), 1e-15)) << half;
}

TEST(Rotation, RejectsSizesThatDoNotFit) {
  const Eigen::VectorXd frequencies = plain_frequencies(8, 100);
  const Eigen::VectorXd seven = Eigen::VectorXd::Ones(7);
  EXPECT_THROW(rotate_complex(seven, frequencies, Pairing::half_split, 1), InputError);
  EXPECT_THROW(rotate_elementwise(seven, frequencies, Pairing::half_split, 1), InputError);
  EXPECT_THROW(rotate_blocks(seven, rotation_blocks(frequencies, 1), Pairing::half_split), InputError);
  const RotarySpec spec;
  const Eigen::VectorXd head = Eigen::VectorXd::Ones(spec.head_dim);
  EXPECT_NO_THROW(rotate_head(spec, head, {1}));
  EXPECT_THROW(rotate_head(spec, head, {}), InputError);
  EXPECT_THROW(rotate_head(spec, head, {1, 2}), InputError);
  EXPECT_THROW(rotate_head(spec, Eigen::VectorXd::Ones(spec.head_dim + 1), {1}), InputError);
  EXPECT_THROW(head_table_row(spec, frequencies, {1}), InputError);
}

}  // namespace ropescope
