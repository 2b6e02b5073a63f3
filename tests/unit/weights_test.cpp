#include "core/weights/weights.h"

#include "app/resources/weights.h"
#include "core/formats/dumps/ggml_dump.h"
#include "core/formats/weights.h"
#include "tests/gguf_files.h"
#include "tests/temporary_folder.h"
#include "tests/unit/reference_data.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::string reference_folder(const std::string& name) {
  return source_folder() + "/tests/reference/weights/" + name;
}

/// A model file in memory, with tensors of float32 in the order in which they are added.
class Checkpoint {
 public:
  Checkpoint& add(const std::string& name, const Matrix& values, bool vector = false) {
    const std::string numbers = raw({values.data(), values.data() + values.size()}, Storage::float32);
    const std::string shape =
        vector ? std::to_string(values.size()) : std::to_string(values.rows()) + "," + std::to_string(values.cols());
    header_ += std::string(header_.empty() ? "{" : ",") + "\"" + name + "\":{\"dtype\":\"F32\",\"shape\":[" + shape +
               "],\"data_offsets\":[" + std::to_string(data_.size()) + "," +
               std::to_string(data_.size() + numbers.size()) + "]}";
    data_ += numbers;
    return *this;
  }
  std::string file() const { return safetensors_file(header_ + "}", data_); }

 private:
  std::string header_, data_;
};

/// Numbers that float32 stores exactly, all different.
Matrix numbered_matrix(Eigen::Index rows, Eigen::Index columns, double first = 1) {
  Matrix values(rows, columns);
  SplitMix random{static_cast<std::uint64_t>(first)};
  for (double& value : values.reshaped()) value = std::round(random.uniform() * 4096 - 2048) / 64;
  return values;
}

WeightModel small_model(int head_dim, int heads, int key_heads) {
  WeightModel model;
  model.source = "config.json";
  Profile profile;
  profile.spec.head_dim = head_dim;
  profile.spec.axes.front().rotary_dim = head_dim;
  model.profiles.push_back(profile);
  model.heads = heads;
  model.key_heads = key_heads;
  return model;
}

LayerWeights layer_in(const std::string& content, const WeightModel& model, int layer = 0) {
  const auto owned = std::make_shared<const std::string>(content);
  const WeightBytes bytes{bytes_of(*owned), owned, "m.safetensors"};
  const WeightDirectory directory = make_directory(list_weights(bytes, 0), "m.safetensors");
  return open_layer(directory, layer, model, [&](std::size_t) { return bytes; });
}

/// The rows of all heads, one after the other.
Matrix rows_of(const Projection& part, int channels) {
  Matrix rows(static_cast<Eigen::Index>(part.heads.size()) * channels, part.weight.columns);
  for (std::size_t head = 0; head < part.heads.size(); ++head) {
    part.weight.read(part.heads[head], channels, rows.row(static_cast<Eigen::Index>(head) * channels).data());
  }
  return rows;
}

Projection projection_of(const Matrix& matrix, int channels) {
  Projection part;
  part.weight = {"matrix", matrix.rows(), matrix.cols(), [matrix](std::int64_t first, std::int64_t count, double* out) {
                   std::copy_n(matrix.row(first).data(), count * matrix.cols(), out);
                 }};
  for (Eigen::Index row = 0; row < matrix.rows(); row += channels) part.heads.push_back(row);
  return part;
}

// --- Numbers -------------------------------------------------------------------------------------------------------

TEST(Weights, AgreeWithNumPy) {
  for (const json& model : read_reference("weights/expected.json")) {
    const LoadedWeights weights = load_weights({reference_folder(model["name"]), ""});
    ASSERT_EQ(weights.directory.layers.size(), model["layers"].size());
    const auto distances = model["distances"].get<std::vector<double>>();
    for (const int number : weights.directory.layers) {
      const json& expected = model["layers"][static_cast<std::size_t>(number)];
      const LoadedLayer layer = weights.open(number);
      const Eigen::MatrixXd norms = pair_norms(row_norms(layer.weights), layer.rope);
      ASSERT_EQ(norms.rows(), 4);
      ASSERT_EQ(norms.cols(), 4);
      for (Eigen::Index head = 0; head < norms.rows(); ++head) {
        const auto of = static_cast<std::size_t>(head);
        const Eigen::VectorXd row = vector_of(expected["norms"][of]);
        EXPECT_LE((norms.row(head).transpose() - row).cwiseQuotient(row).cwiseAbs().maxCoeff(), 1e-6);
        const auto content = weight_content(layer.weights, layer.rope, of);
        ASSERT_TRUE(content);
        EXPECT_EQ(content->of, model["name"] == "qwen2" ? KernelOf::biases : KernelOf::norms);
        const WeightKernel kernel = weight_kernel(*content, layer.rope, distances);
        const Eigen::VectorXd values = vector_of(expected["kernels"][of]);
        for (std::size_t i = 0; i < distances.size(); ++i) {
          EXPECT_NEAR(kernel.values[i], values[static_cast<Eigen::Index>(i)], 1e-12) << distances[i];
          EXPECT_LE(std::abs(kernel.values[i]), kernel.bounds[i] + 1e-12);
        }
      }
      layer.check_unchanged();
    }
  }
}

TEST(Weights, BlocksAreUnpackedAsNumPyDoes) {
  for (const json& block : read_reference("weights/blocks.json")) {
    const std::string hex = block["bytes"];
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
      bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    }
    const std::uint32_t type = block["type"];
    const Eigen::VectorXd numbers = vector_of(block["numbers"]);
    ASSERT_EQ(find_ggml_block(type)->bytes, std::ssize(bytes)) << block["name"];
    ASSERT_EQ(find_ggml_block(type)->numbers, numbers.size());
    Eigen::VectorXd unpacked(numbers.size());
    unpack_blocks(type, bytes, unpacked.data());
    EXPECT_LE((unpacked - numbers).cwiseAbs().maxCoeff(), 1e-9) << block["name"];
  }
  EXPECT_FALSE(find_ggml_block(16));
}

TEST(Weights, SharesAndOrderFollowTheWavelengths) {
  WeightRope rope;
  rope.frequencies = Eigen::Vector3d(kTurn / 10, kTurn / 100, kTurn / 1000);
  rope.trained = rope.frequencies;
  rope.trained_length = 500;
  Eigen::MatrixXd norms(2, 3);
  norms << 1, 2, 1, 3, 0, 1;
  std::vector<HeadShares> heads = head_shares(7, norms, rope, 50);
  EXPECT_DOUBLE_EQ(heads[0].fast, 0.25);
  EXPECT_DOUBLE_EQ(heads[0].slow, 0.25);
  EXPECT_DOUBLE_EQ(heads[1].fast, 0.75);
  sort_positional_first(heads);
  EXPECT_EQ(heads[0].head, 1);
  const Eigen::MatrixXd spread = share_spread(norms);
  EXPECT_DOUBLE_EQ(spread(0, 0), 0.25);
  EXPECT_DOUBLE_EQ(spread(2, 0), 0.5);
  EXPECT_DOUBLE_EQ(spread(4, 1), 0.5);
  EXPECT_DOUBLE_EQ(quantile({4, std::nan(""), 1, 3, 2}, 0.5), 2.5) << "the mean of the two in the middle";
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3}, 1), 4);
  EXPECT_TRUE(std::isnan(quantile({std::nan("")}, 0.5)));
  rope.trained[2] = kTurn / 400;  // an extension makes the wavelength 1000
  EXPECT_EQ(head_shares(7, norms, rope, 50)[0].slow, 0);
  rope.trained_length.reset();
  EXPECT_TRUE(std::isnan(head_shares(7, norms, rope, 50)[0].slow));
}

TEST(Weights, HeadsWithoutAShareAreNotRanked) {
  WeightRope rope;
  rope.frequencies = rope.trained = Eigen::Vector2d(1, 1e-3);
  Eigen::MatrixXd norms(3, 2);
  norms << 0, 0, 1, 3, 1, 1;
  std::vector<HeadShares> heads = head_shares(0, norms, rope, 50);
  EXPECT_EQ(sort_positional_first(heads), 2u);
  EXPECT_EQ(heads[0].head, 2);
  EXPECT_EQ(heads[1].head, 1);
  EXPECT_DOUBLE_EQ(share_spread(norms)(0, 0), 0.25);
  EXPECT_DOUBLE_EQ(share_spread(norms)(4, 0), 0.5);
  EXPECT_TRUE(std::isnan(share_spread(Eigen::MatrixXd::Zero(1, 2))(0, 0)));
  rope.rotates = false;
  heads = head_shares(0, norms, rope, 50);
  EXPECT_EQ(sort_positional_first(heads), 0u);
}

TEST(Weights, TheConfigNamesLayersWithoutRotation) {
  const WeightModel model = parse_weight_model(
      R"({"model_type": "smollm3", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 4,
          "no_rope_layers": [1, 1, 1, 0], "max_position_embeddings": 64})",
      "config.json");
  EXPECT_THAT(model.unrotated, ElementsAre(3));
  EXPECT_TRUE(rope_of(model, 2).rotates);
  EXPECT_FALSE(rope_of(model, 3).rotates);
}

TEST(Weights, PairsOfAnExtendedModelAreThoseOfTraining) {
  const WeightModel model = parse_weight_model(
      R"({"model_type": "llama", "head_dim": 128, "hidden_size": 4096, "num_attention_heads": 32,
          "rope_theta": 500000, "max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8,
          "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}})",
      "config.json");
  const WeightRope rope = rope_of(model, 0);
  EXPECT_NEAR(head_shares(0, Eigen::MatrixXd::Ones(1, 64), rope, 64)[0].slow, 29 / 64.0, 1e-12);
}

TEST(Weights, UnrotatedChannelsAddAConstantToTheKernel) {
  LayerWeights weights;
  weights.channels = 6;
  weights.query.heads = weights.key.heads = {0};
  weights.query.bias = Eigen::VectorXd::Ones(6);
  weights.key.bias = Eigen::VectorXd::Constant(6, 2);
  WeightRope rope{{Eigen::Vector2d(1, 0.1), 1}, Pairing::interleaved, {}};
  const auto content = weight_content(weights, rope, 0);
  ASSERT_TRUE(content);
  EXPECT_DOUBLE_EQ(content->constant, 4);
  const std::vector<double> distances = {0, 5};
  EXPECT_NEAR(weight_kernel(*content, rope, distances).values[1], 4 * std::cos(5) + 4 * std::cos(0.5) + 4, 1e-12);
  weights.query.norm = Eigen::VectorXd::Ones(6);
  EXPECT_FALSE(weight_content(weights, rope, 0)) << "a norm after the bias makes it depend on the input";
}

// --- Tensors -------------------------------------------------------------------------------------------------------

TEST(Weights, NamesOfManyFamiliesAreMatched) {
  using enum WeightRole;
  const std::pair<const char*, WeightRole> roles[] = {
      {"model.layers.31.self_attn.q_proj.weight", query},
      {"model.language_model.layers.3.self_attn.k_proj.bias", key},
      {"gpt_neox.layers.0.attention.query_key_value.weight", fused},
      {"blk.7.attn_q.weight", query},
      {"blk.7.attn_q_a_norm.weight", latent_query_norm},
      {"model.layers.2.self_attn.kv_a_proj_with_mqa.weight", latent_key},
      {"transformer.h.0.ln_attn.weight", input_norm},
      {"model.layers.0.attention_layernorm.weight", input_norm},
      {"model.layers.0.attention.query_layernorm.weight", query_norm},
      {"roformer.encoder.layer.5.attention.self.key.bias", key},
  };
  for (const auto& [name, role] : roles) {
    const auto matched = match_weight(name);
    EXPECT_TRUE(matched && matched->entry->role == role) << name;
  }
  for (const char* name :
       {"vision_tower.encoder.layers.0.self_attn.q_proj.weight", "model.layers.x.self_attn.q_proj.weight",
        "model.layers.0.mlp.up_proj.weight", "model.layers.1.self_attn.q_layernorm.norms.x.weight"})
    EXPECT_FALSE(match_weight(name)) << name;
  EXPECT_EQ(match_weight("gpt_neox.layers.0.attention.query_key_value.weight")->entry->fused, FusedRows::grouped);
  EXPECT_EQ(match_weight("model.layers.12.attention.query_key_value.weight")->entry->fused, FusedRows::concatenated);
  EXPECT_EQ(match_weight("model.layers.12.input_layernorm.weight")->layer, 12);
  EXPECT_EQ(match_weight("model.layers.1.self_attn.q_layernorm.norms.7.weight")->head, 7);
}

TEST(Weights, FusedMatricesGiveTheSameHeads) {
  constexpr int kDim = 4;
  const Matrix q = numbered_matrix(4 * kDim, 6, 1), k = numbered_matrix(2 * kDim, 6, 2),
               v = numbered_matrix(2 * kDim, 6, 3);
  const WeightModel model = small_model(kDim, 4, 2);
  Matrix together(8 * kDim, 6), grouped(8 * kDim, 6), gated(8 * kDim, 6);
  together << q, k, v;
  grouped << q.topRows(8), k.topRows(4), v.topRows(4), q.bottomRows(8), k.bottomRows(4), v.bottomRows(4);
  for (int head = 0; head < 4; ++head) gated.middleRows(8 * head, 8) << q.middleRows(4 * head, 4), v.topRows(4);
  const std::string files[] = {
      Checkpoint()
          .add("model.layers.0.self_attn.q_proj.weight", q)
          .add("model.layers.0.self_attn.k_proj.weight", k)
          .file(),
      Checkpoint().add("model.layers.0.self_attn.qkv_proj.weight", together).file(),
      Checkpoint().add("transformer.h.0.self_attention.query_key_value.weight", grouped).file(),
      Checkpoint().add("layers.0.qkv.weight", Matrix(together.transpose())).file(),
      Checkpoint()
          .add("model.layers.0.self_attn.q_proj.weight", gated)
          .add("model.layers.0.self_attn.k_proj.weight", k)
          .file()};
  for (const std::string& file : files) {
    const LayerWeights weights = layer_in(file, model);
    EXPECT_EQ(rows_of(weights.query, kDim), q);
    EXPECT_EQ(rows_of(weights.key, kDim), k);
  }
}

TEST(Weights, TensorsOfMetaHaveAdjacentPairs) {
  const auto pairing = [](const std::string& q, const std::string& k) {
    const auto owned = std::make_shared<const std::string>(
        Checkpoint().add(q, numbered_matrix(4, 3)).add(k, numbered_matrix(4, 3)).file());
    const WeightDirectory directory = make_directory(list_weights({bytes_of(*owned), owned, "m"}, 0), "m");
    return rope_of(small_model(4, 1, 1), 0, directory.pairing).pairing;
  };
  EXPECT_EQ(pairing("layers.0.attention.wq.weight", "layers.0.attention.wk.weight"), Pairing::interleaved);
  EXPECT_EQ(pairing("model.layers.0.self_attn.q_proj.weight", "model.layers.0.self_attn.k_proj.weight"),
            Pairing::half_split);
}

TEST(Weights, LatentAttentionUsesItsRotatedPart) {
  const Matrix q = numbered_matrix(2 * 6, 5), kv = numbered_matrix(7, 8, 4);
  const Matrix norm = numbered_matrix(1, 5, 5), input = numbered_matrix(1, 8, 6);
  const std::string at = "model.layers.0.self_attn.";
  const std::string file = Checkpoint()
                               .add(at + "q_b_proj.weight", q)
                               .add(at + "q_a_layernorm.weight", norm, true)
                               .add(at + "kv_a_proj_with_mqa.weight", kv)
                               .add("model.layers.0.input_layernorm.weight", input, true)
                               .file();
  const LayerWeights weights = layer_in(file, small_model(2, 2, 2));
  EXPECT_THAT(weights.query.heads, ElementsAre(4, 10));
  EXPECT_THAT(weights.key.heads, ElementsAre(5));
  EXPECT_EQ(weights.query.input, norm.transpose());
  EXPECT_EQ(weights.key.input, input.transpose());
}

TEST(Weights, NormsWithATensorPerHeadAreJoined) {
  const std::string at = "model.layers.0.self_attn.";
  Checkpoint file;
  file.add(at + "q_proj.weight", numbered_matrix(12 * 2, 5)).add(at + "k_proj.weight", numbered_matrix(2, 5));
  Eigen::VectorXd norms(24);
  for (int head = 11; head >= 0; --head) {
    const Matrix norm = numbered_matrix(1, 2, 20 + head);
    file.add(at + "q_layernorm.norms." + std::to_string(head) + ".weight", norm, true);
    norms.segment(2 * head, 2) = norm.transpose();
  }
  EXPECT_EQ(layer_in(file.file(), small_model(2, 12, 1)).query.norm, norms) << "by number, not by name";
}

TEST(Weights, NormsOfGemmaAddOne) {
  const Matrix q = numbered_matrix(4, 3), k = numbered_matrix(4, 3, 2);
  WeightModel model = small_model(4, 1, 1);
  const std::string file = Checkpoint()
                               .add("model.layers.0.self_attn.q_proj.weight", q)
                               .add("model.layers.0.self_attn.k_proj.weight", k)
                               .add("model.layers.0.input_layernorm.weight", Matrix::Constant(1, 3, 0.5), true)
                               .file();
  const double plain = row_norms(layer_in(file, model)).query(0, 0);
  model.norms_plus_one = true;
  EXPECT_NEAR(row_norms(layer_in(file, model)).query(0, 0), 3 * plain, 1e-12);
  EXPECT_TRUE(adds_one_to_norms("gemma3_text"));
  EXPECT_FALSE(adds_one_to_norms("qwen3"));
}

TEST(Weights, GgufOfTheSameModelGivesTheSameNumbers) {
  const TemporaryFolder folder;
  const LoadedWeights weights = load_weights({reference_folder("qwen2"), ""});
  const LoadedLayer layer = weights.open(1);
  GgufWriter writer;
  add_model(writer, "qwen2", 64, 32, 4).whole("qwen2.attention.head_count_kv", 2).real("qwen2.rope.freq_base", 1e4);
  const auto add = [&](const std::string& name, const Matrix& values) {
    writer.matrix("blk.1." + name, static_cast<std::uint64_t>(values.cols()),
                  {values.data(), values.data() + values.size()});
  };
  add("attn_q.weight", rows_of(layer.weights.query, 8));
  add("attn_k.weight", rows_of(layer.weights.key, 8));
  add("attn_norm.weight", layer.weights.query.input.transpose());
  const std::string path = (folder.path / "m.gguf").string();
  write_file(path, writer.file());
  const LoadedWeights of_gguf = load_weights({path, ""});
  EXPECT_THAT(of_gguf.directory.layers, ElementsAre(1));
  const LoadedLayer same = of_gguf.open(1);
  const Eigen::MatrixXd a = pair_norms(row_norms(layer.weights), layer.rope);
  const Eigen::MatrixXd b = pair_norms(row_norms(same.weights), same.rope);
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 1e-12);
}

// --- Order of rows -------------------------------------------------------------------------------------------------

TEST(Weights, EveryOrderOfRowsIsFound) {
  constexpr int kDim = 12, kPairs = 5;  // two channels are not rotated
  const Matrix b = numbered_matrix(3 * kDim, 40);
  const auto reorder = [&](const Matrix& from, bool adjacent) {
    Matrix to = from;
    for (int head = 0; head < 3; ++head) {
      for (int pair = 0; pair < kPairs; ++pair) {
        const int at = head * kDim, places[] = {adjacent ? 2 * pair : pair, adjacent ? 2 * pair + 1 : pair + kPairs};
        const int sources[] = {adjacent ? pair : 2 * pair, adjacent ? pair + kPairs : 2 * pair + 1};
        for (int side = 0; side < 2; ++side) to.row(at + places[side]) = from.row(at + sources[side]);
      }
    }
    return to;
  };
  Matrix heads_moved(b.rows(), b.cols()), reversed = b.colwise().reverse(), rounded = b;
  heads_moved << b.middleRows(kDim, kDim), b.bottomRows(kDim), b.topRows(kDim);
  for (double& value : rounded.reshaped()) value = std::round(value / 4) * 4;
  const std::pair<RowOrder, Matrix> cases[] = {{RowOrder::same, b},
                                               {RowOrder::same, rounded},
                                               {RowOrder::to_adjacent, reorder(b, true)},
                                               {RowOrder::to_halves, reorder(b, false)},
                                               {RowOrder::to_adjacent_twice, reorder(reorder(b, true), true)},
                                               {RowOrder::to_halves_twice, reorder(reorder(b, false), false)},
                                               {RowOrder::other, reversed},
                                               {RowOrder::different, numbered_matrix(3 * kDim, 40, 9)}};
  for (const auto& [order, a] : cases) {
    const RowComparison found = compare_rows(projection_of(a, kDim), projection_of(b, kDim), kDim, kPairs);
    EXPECT_EQ(found.order, order) << row_order_word(order);
    EXPECT_FALSE(found.heads_moved());
    const bool named = order != RowOrder::other && order != RowOrder::different;
    EXPECT_EQ(std::isnan(found.difference), !named);
    if (named && &a != &cases[1].second) {
      EXPECT_EQ(found.difference, 0);
    }
  }
  const RowComparison moved = compare_rows(projection_of(heads_moved, kDim), projection_of(b, kDim), kDim, kPairs);
  EXPECT_EQ(moved.order, RowOrder::same);
  EXPECT_THAT(moved.heads, ElementsAre(1, 2, 0));
  EXPECT_TRUE(moved.heads_moved());
}

TEST(Weights, TheOrderWithTheSmallestDifferenceIsFound) {
  constexpr int kDim = 8, kPairs = 4;
  Matrix b = numbered_matrix(kDim, 40), a = b;
  b.row(0) *= 20;
  b.row(7) *= 20;  // the channels that no order moves
  for (int pair = 0; pair < kPairs; ++pair) a.row(2 * pair) = b.row(pair), a.row(2 * pair + 1) = b.row(pair + kPairs);
  Projection of_a = projection_of(a, kDim), of_b = projection_of(b, kDim);
  of_b.bias = numbered_matrix(kDim, 1, 3);
  of_a.bias = of_b.bias;
  const RowComparison unmoved = compare_rows(of_a, of_b, kDim, kPairs);
  EXPECT_EQ(unmoved.order, RowOrder::to_adjacent);
  EXPECT_FALSE(unmoved.bias_fits()) << "the rows moved, the biases did not";
  EXPECT_TRUE(unmoved.norm_fits());
  for (int pair = 0; pair < kPairs; ++pair) {
    of_a.bias[2 * pair] = of_b.bias[pair];
    of_a.bias[2 * pair + 1] = of_b.bias[pair + kPairs];
  }
  of_a.norm = Eigen::VectorXd::Constant(kDim, 1);
  EXPECT_TRUE(compare_rows(of_a, of_b, kDim, kPairs).bias_fits());
  EXPECT_TRUE(compare_rows(of_a, of_b, kDim, kPairs).norm_fits());
  of_a.norm[1] = 2;
  EXPECT_FALSE(compare_rows(of_a, of_b, kDim, kPairs).norm_fits());
  EXPECT_TRUE(is_same_order(RowOrder::to_halves, RowOrder::to_adjacent, 4, 2));
  EXPECT_FALSE(is_same_order(RowOrder::to_halves, RowOrder::to_adjacent, 8, 4));
  EXPECT_FALSE(is_same_order(RowOrder::other, RowOrder::same, 4, 1));
}

/// Rounds blocks of 32 numbers as Q8_0 does.
Eigen::VectorXd round_to_q8(Eigen::VectorXd numbers) {
  for (Eigen::Index i = 0; i < numbers.size(); i += 32) {
    auto block = numbers.segment(i, 32);
    const double step = block.cwiseAbs().maxCoeff() / 127;
    block = (block / step).array().round().matrix() * step;
  }
  return numbers;
}

TEST(Weights, BiasesOfOneHeadInAnotherOrderAreFoundBesideLargerOnes) {
  constexpr int kDim = 32, kHeads = 16, kPairs = kDim / 2;
  Projection of_b = projection_of(numbered_matrix(kHeads * kDim, 40), kDim);
  of_b.bias = numbered_matrix(kHeads * kDim, 1, 3);
  of_b.bias.head(kDim) *= 0.02;  // 0.7 % of all of them
  Projection of_a = of_b;
  of_a.bias = round_to_q8(of_b.bias);
  const RowComparison rounded = compare_rows(of_a, of_b, kDim, kPairs);
  EXPECT_GT(rounded.bias_difference, 0.001);
  EXPECT_TRUE(rounded.bias_fits());
  for (int pair = 0; pair < kPairs; ++pair) {
    of_a.bias[2 * pair] = of_b.bias[pair];
    of_a.bias[2 * pair + 1] = of_b.bias[pair + kPairs];
  }
  EXPECT_FALSE(compare_rows(of_a, of_b, kDim, kPairs).bias_fits());
  of_a.bias.setZero();
  EXPECT_DOUBLE_EQ(*compare_rows(of_a, of_b, kDim, kPairs).bias_difference, 1) << "no biases";
}

// --- Bad input -----------------------------------------------------------------------------------------------------

TEST(Weights, BadInputIsReportedInOneSentence) {
  const WeightModel model = small_model(4, 2, 1);
  const std::string q = "model.layers.0.self_attn.q_proj.weight", k = "model.layers.0.self_attn.k_proj.weight";
  const auto refused = [&](const Checkpoint& file) {
    return refusal_of([&] { row_norms(layer_in(file.file(), model)); });
  };
  const Checkpoint both = Checkpoint().add(q, numbered_matrix(8, 6)).add(k, numbered_matrix(4, 6));
  const auto with = [&](const std::string& name, int count) {
    return refused(Checkpoint(both).add("model.layers.0." + name, numbered_matrix(1, count), true));
  };
  Matrix broken = numbered_matrix(4, 6);
  broken(2, 3) = std::nan("");
  EXPECT_THAT(refused(Checkpoint().add(q, numbered_matrix(8, 6))),
              HasSubstr(said(Message("error.weights.no_tensors"))));
  EXPECT_THAT(refused(Checkpoint().add(q, numbered_matrix(9, 6)).add(k, numbered_matrix(4, 6))),
              Says("error.weights.rows", {{"rows", "9"}, {"expected", "8"}, {"head_dim", "4"}}));
  EXPECT_THAT(refused(Checkpoint().add(q, numbered_matrix(8, 6)).add(k, numbered_matrix(4, 6), true)),
              Says("error.weights.matrix"));
  EXPECT_THAT(refused(Checkpoint().add(q, numbered_matrix(8, 6)).add(k, broken)),
              Says("error.weights.not_finite", {{"row", "2"}}));
  EXPECT_THAT(with("self_attn.q_proj.bias", 7), Says("error.weights.bias", {{"count", "7"}, {"rows", "8"}}));
  EXPECT_THAT(with("input_layernorm.weight", 5), Says("error.weights.norm", {{"count", "5"}, {"expected", "6"}}));
  EXPECT_THAT(refused(Checkpoint()
                          .add("model.layers.1024.self_attn.q_proj.weight", numbered_matrix(8, 6))
                          .add("model.layers.1024.self_attn.k_proj.weight", numbered_matrix(4, 6))),
              Says("error.weights.layer_number", {{"most", std::to_string(kMaxWeightLayer)}}));
  EXPECT_REFUSED(layer_in(both.file(), model, 3), Says("error.weights.no_layer", {{"layer", "3"}}));
  EXPECT_THAT(with("self_attn.q_norm.weight", 3),
              AllOf(Says("error.weights.norm", {{"count", "3"}, {"expected", "4"}}), HasSubstr("q_norm")))
      << "names the norm";
  const std::string packed = safetensors_file(
      R"({"model.layers.0.self_attn.q_proj.qweight":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}})",
      std::string(4, '\0'));
  EXPECT_REFUSED(layer_in(packed, model), Says("error.weights.format", {{"format", "I32"}}));
  for (const char* name : {"m.gguf", "m.pt", "passwd"}) {
    const auto owned = std::make_shared<const std::string>("root:x:0:0");
    EXPECT_REFUSED(list_weights({bytes_of(*owned), owned, name}, 0), Says("error.weights.kind"));
  }
}

TEST(Weights, LayersWithoutAKeyAreListedAsIncomplete) {
  const auto owned =
      std::make_shared<const std::string>(Checkpoint()
                                              .add("model.layers.0.self_attn.q_proj.weight", numbered_matrix(8, 6))
                                              .add("model.layers.0.self_attn.k_proj.weight", numbered_matrix(4, 6))
                                              .add("model.layers.1.self_attn.q_proj.weight", numbered_matrix(8, 6))
                                              .file());
  const WeightDirectory directory = make_directory(list_weights({bytes_of(*owned), owned, "m"}, 0), "m");
  EXPECT_THAT(directory.layers, ElementsAre(0));
  EXPECT_THAT(directory.incomplete, ElementsAre(1));
}

TEST(Weights, MissingFilesAreNamed) {
  const TemporaryFolder folder;
  fs::copy(reference_folder("qwen3"), folder.path, fs::copy_options::recursive);
  const std::string path = folder.path.string(), shard = path + "/model-00002-of-00002.safetensors";
  const std::string content = read_file(shard);
  write_file(shard, content.substr(0, content.size() - 10));
  EXPECT_REFUSED(load_weights({path, ""}), HasSubstr("model-00002-of-00002.safetensors"));
  fs::remove(shard);
  EXPECT_REFUSED(load_weights({path, ""}),
                 Says("error.weights.no_shard", {{"file", "model-00002-of-00002.safetensors"}}));
  write_file(shard, content);
  const std::string index = path + "/model.safetensors.index.json", listed = read_file(index);
  json extended = json::parse(listed);
  extended["weight_map"]["model.layers.2.self_attn.q_proj.weight"] = "model-00002-of-00002.safetensors";
  write_file(index, extended.dump());
  EXPECT_REFUSED(load_weights({path, ""}), Says("error.weights.not_in_shard"));
  write_file(index, listed);
  EXPECT_EQ(load_weights({path + "/config.json", ""}).files.size(), 2u) << "means its folder";
  fs::remove(path + "/config.json");
  EXPECT_REFUSED(load_weights({path, ""}), Says("error.weights.no_config"));
  EXPECT_EQ(load_weights({path, reference_folder("qwen3/config.json")}).directory.layers.size(), 2u);
  EXPECT_REFUSED(load_weights({path + "/nothing", ""}), Says("error.file.missing"));
}

TEST(Weights, NotesOfOtherEncodingsAreRejected) {
  const auto model = [](const std::string& encoding, const std::string& pairing) {
    const auto owned = std::make_shared<const std::string>(
        safetensors_file(R"({"__metadata__":{"ropescope.encoding":")" + encoding + R"(","ropescope.pairing":")" +
                             pairing + R"(","ropescope.heads":"2","ropescope.head_dim":"8","ropescope.base":"1e4",)" +
                             R"("ropescope.length":"32"}})",
                         ""));
    return find_weight_model({bytes_of(*owned), owned, "m.safetensors"});
  };
  EXPECT_EQ(model("rope", "half")->profiles.front().spec.pairing, Pairing::half_split);
  EXPECT_REFUSED(model("alibi", "half"), Says("error.weights.note"));
  EXPECT_REFUSED(model("rope", "quarter"), Says("error.weights.note"));
}

TEST(Weights, StampsNoteAReplacedShardOrConfig) {
  const TemporaryFolder folder;
  fs::copy(reference_folder("qwen3"), folder.path, fs::copy_options::recursive);
  for (const std::string& name : {folder.path.string(), (folder.path / "model.safetensors.index.json").string()}) {
    for (const char* file : {"model-00002-of-00002.safetensors", "config.json"}) {
      const auto before = files_of_weights({name, ""});
      write_file(folder.path / file, read_file(folder.path / file) + " ");
      EXPECT_NE(files_of_weights({name, ""}), before) << name << " " << file;
    }
  }
}

TEST(Weights, AReplacedFileIsNotedWhenALayerIsOpened) {
  const TemporaryFolder folder;
  fs::copy(reference_folder("qwen2"), folder.path, fs::copy_options::recursive);
  const LoadedWeights weights = load_weights({folder.path.string(), ""});
  const std::string file = (folder.path / "model.safetensors").string();
  write_file(file, read_file(file).substr(0, 100));
  EXPECT_REFUSED(weights.open(0), Says("error.file.changed"));
}

}  // namespace
}  // namespace ropescope
