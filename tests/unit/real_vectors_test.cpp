// Statistics of a model's own q and k: compared with sums written out here and with dumps whose result is known, for
// any number of threads, and with no more than one layer in memory.

#include "core/attention/attention.h"
#include "core/formats/dumps/dump.h"
#include "core/rotary/rotation.h"
#include "core/rotary/spec.h"
#include "tests/layered_files.h"
#include "tests/npy_files.h"
#include "tests/unit/stored_files.h"
#include "tests/unit/zip_files.h"

namespace ropescope {
namespace {

using std::complex;

AttentionDump parse_real_dump(const std::string& content, std::optional<std::int64_t> layer = {}) {
  const auto owner = std::make_shared<const std::string>(content);
  DumpReading reading;
  reading.layer = layer;
  return parse_attention_dump(bytes_of(*owner), owner, "f", reading);
}

std::string npz_of(const std::vector<DumpArray>& arrays) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const DumpArray& array : arrays) {
    const std::vector<std::byte> bytes = write_npy({array.shape, array.storage, false, array.values});
    files.emplace_back(array.name + ".npy", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  return zip_of(files);
}

complex<double> read_vector_pair(const TokenMatrix& vectors, Eigen::Index token, Pairing pairing, int pair, int pairs) {
  const auto [first, second] = pair_channels(pairing, pair, pairs);
  return {vectors(token, first), vectors(token, second)};
}

TokenMatrix random_rows(Eigen::Index tokens, Eigen::Index channels, unsigned seed) {
  const DumpArray array = random_array("x", {tokens, channels}, seed);
  return Eigen::Map<const TokenMatrix>(array.values.data(), tokens, channels);
}

TEST(RealVectors, MeansAreThoseWrittenOut) {
  for (const Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
    const TokenMatrix rows = random_rows(37, 12, 5);
    const PairMeans means = pair_means(rows, pairing, 4);  // the last channels do not turn
    for (int pair = 0; pair < 4; ++pair) {
      double size = 0;
      complex<double> mean = 0;
      for (Eigen::Index token = 0; token < 37; ++token) {
        const complex<double> x = read_vector_pair(rows, token, pairing, pair, 4);
        size += std::abs(x) / 37;
        mean += x / 37.0;
      }
      EXPECT_NEAR(means.size[pair], size, 1e-14);
      EXPECT_NEAR(std::abs(means.mean[pair] - mean), 0, 1e-14);
      EXPECT_NEAR(std::abs(means.direction()[pair] - mean / size), 0, 1e-14);
      EXPECT_LE(std::abs(means.direction()[pair]), 1);
    }
  }
  EXPECT_EQ(std::abs(pair_means(TokenMatrix::Zero(3, 4), Pairing::half_split, 2).direction()[1]), 0) << "an empty pair";
  EXPECT_NE(refusal_of([] { pair_means(TokenMatrix::Zero(3, 4), Pairing::half_split, 3); }), "");
}

/// Mean over all pairs of tokens at a distance, one after the other.
TEST(RealVectors, ScoresByDistanceAreTheMeanOfAllTokenPairs) {
  for (const int tokens : {1, 2, 33, 64}) {
    const Eigen::VectorXd frequencies = plain_frequencies(8, 100);
    const TokenMatrix q = random_rows(tokens, 10, 7), k = random_rows(tokens, 10, 8);
    const HeadTurns turns = head_turns(frequencies, tokens, Pairing::half_split, 0.3);
    const HeadScores scores = head_scores(q, k, turns);
    for (int distance = 0; distance < tokens; ++distance) {
      double sum = 0;
      for (int m = distance; m < tokens; ++m) {
        for (int pair = 0; pair < 4; ++pair) {
          const complex<double> turned = std::polar(1.0, distance * frequencies[pair]);
          sum += (read_vector_pair(q, m, Pairing::half_split, pair, 4) *
                  std::conj(read_vector_pair(k, m - distance, Pairing::half_split, pair, 4)) * turned)
                     .real();
        }
      }
      EXPECT_NEAR(scores.mean[distance], 0.3 * sum / (tokens - distance), 1e-12) << tokens << " " << distance;
      EXPECT_LE(std::abs(scores.mean[distance]), scores.bound[distance] * (1 + 1e-12));
    }
  }
}

TEST(RealVectors, TheBoundIsThatOfTheDirectSums) {
  EncodingValues settings{.dim = 16, .base = 500, .pairing = Pairing::interleaved};
  const auto model = make_model(find_encoding("rope"), settings);
  AttentionInput input{random_rows(100, 16, 3), random_rows(100, 16, 4), {}};
  const MeanScoreBound direct = mean_score_bound(*model, input);
  const HeadTurns turns = head_turns(plain_frequencies(16, 500), 100, Pairing::interleaved, model->scale());
  const HeadScores scores = head_scores(input.queries, input.keys, turns);
  EXPECT_LT((scores.mean - direct.mean).cwiseAbs().maxCoeff(), 1e-13);
  EXPECT_LT((scores.bound.cwiseQuotient(direct.bound).array() - 1).abs().maxCoeff(), 1e-12);
}

/// A pair that points the same way at every token scores cos(mθ − nθ + φ) whatever the token, and nothing else.
TEST(RealVectors, AFixedDirectionIsABiasByDistance) {
  constexpr int kTokens = 200, kPairs = 8, kPair = 3;
  constexpr double kQuery = 1.5, kKey = 0.5, kQueryAngle = 0.9, kKeyAngle = -0.4;
  TokenMatrix q = TokenMatrix::Zero(kTokens, 2 * kPairs), k = q;
  const auto [first, second] = pair_channels(Pairing::half_split, kPair, kPairs);
  q.col(first).setConstant(kQuery * std::cos(kQueryAngle));
  q.col(second).setConstant(kQuery * std::sin(kQueryAngle));
  k.col(first).setConstant(kKey * std::cos(kKeyAngle));
  k.col(second).setConstant(kKey * std::sin(kKeyAngle));
  const Eigen::VectorXd frequencies = plain_frequencies(2 * kPairs, 10'000);
  const HeadScores scores = head_scores(q, k, head_turns(frequencies, kTokens, Pairing::half_split, 1));
  for (int distance = 0; distance < kTokens; ++distance) {
    const double expected = kQuery * kKey * std::cos(distance * frequencies[kPair] + kQueryAngle - kKeyAngle);
    EXPECT_NEAR(scores.bias[distance], expected, 1e-13);
    EXPECT_NEAR(scores.mean[distance], expected, 1e-13);
  }
  const Eigen::VectorXcd direction = pair_means(q, Pairing::half_split, kPairs).direction();
  EXPECT_NEAR(std::abs(direction[kPair]), 1, 1e-14);
  EXPECT_NEAR(std::arg(direction[kPair]), kQueryAngle, 1e-14);
  EXPECT_EQ(std::abs(direction[kPair + 1]), 0);
}

TEST(RealVectors, LayersShareOutTheirHeads) {
  const std::string content = safetensors_of(random_layers(2, 20, 6, 2, 8));
  const AttentionDump dump = parse_real_dump(content, 1);
  const LayerMeans means = layer_means(dump, 15, Pairing::half_split, 4);
  ASSERT_EQ(means.queries.size(), 6u);
  ASSERT_EQ(means.keys.size(), 2u);
  const AttentionInput head = head_of(dump, 5, 15, "f");  // shares the second key head
  const PairEnergy energy = pair_energy(head, Pairing::half_split);
  EXPECT_LT((means.product(4) - energy.product).cwiseAbs().maxCoeff(), 1e-14);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(4);
  for (std::size_t i = 0; i < 6; ++i) {
    sum += means.product(i);
    EXPECT_GT(means.fixed_share(i), 0);
    EXPECT_LT(means.fixed_share(i), 1);
  }
  EXPECT_LT((means.product() - sum / 6).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_NEAR(shares(sum).sum(), 1, 1e-14);
  EXPECT_EQ(shares(Eigen::VectorXd::Zero(3)), Eigen::VectorXd::Zero(3));
  EXPECT_NEAR(moved_share(Eigen::Vector2d(1, 0), Eigen::Vector2d(0.25, 0.75)), 0.75, 1e-15);
  const HeadTurns turns = head_turns(plain_frequencies(8, 100), 15, Pairing::half_split, 1);
  const std::vector<HeadScores> scores = layer_scores(dump, 4, 2, 15, turns);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].mean, head_scores(head.queries, head.keys, turns).mean);
}

TEST(RealVectorThreads, TheSameBytesForOneAndMany) {
  const AttentionDump dump = parse_real_dump(safetensors_of(random_layers(1, 150, 12, 4, 16)), 0);
  const HeadTurns turns = head_turns(plain_frequencies(16, 10'000), 150, Pairing::half_split, 0.25);
  const LayerMeans one = layer_means(dump, 150, Pairing::half_split, 8, {1});
  const std::vector<HeadScores> alone = layer_scores(dump, 0, 12, 150, turns, {1});
  for (const int threads : {2, 3, 16}) {
    const LayerMeans many = layer_means(dump, 150, Pairing::half_split, 8, {threads});
    const std::vector<HeadScores> shared = layer_scores(dump, 0, 12, 150, turns, {threads});
    for (std::size_t head = 0; head < 12; ++head) {
      EXPECT_EQ(many.queries[head].mean, one.queries[head].mean);
      EXPECT_EQ(many.keys_of(head).size, one.keys_of(head).size);
      EXPECT_EQ(shared[head].mean, alone[head].mean);
      EXPECT_EQ(shared[head].bound, alone[head].bound);
      EXPECT_EQ(shared[head].bias, alone[head].bias);
    }
  }
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(layer_means(dump, 150, Pairing::half_split, 8, {2, stop.get_token()}).queries.empty());
  EXPECT_TRUE(layer_scores(dump, 0, 12, 150, turns, {2, stop.get_token()}).empty());
}

TEST(RealVectors, LayersAreFoundByTheirNumbers) {
  std::vector<DumpArray> arrays = random_layers(3, 4, 2, 1, 4);
  arrays[0].name = "q.10", arrays[1].name = "k.10";  // 10, 1, 2
  arrays.push_back(random_array("q.03", {2}, 1));    // no number of a layer
  arrays.push_back(random_array("q.x", {2}, 1));
  for (const std::string& content : {safetensors_of(arrays), npz_of(arrays)}) {
    EXPECT_THAT(dump_layers(bytes_of(content), "f"), ElementsAre(1, 2, 10));
    EXPECT_EQ(query_rows(parse_real_dump(content, 10), 1, 4)(2, 3),
              static_cast<float>(arrays[0].values[(2 * 2 + 1) * 4 + 3]));
    EXPECT_EQ(key_rows(parse_real_dump(content, 2), 0, 3).rows(), 3);
    EXPECT_EQ(parse_real_dump(content).q.name, "f: q.1") << "without a number its first one";
    EXPECT_REFUSED(
        parse_real_dump(content, 4),
        AllOf(StartsWith("f: "), Says("error.dump.no_layer", {{"layer", "4"}, {"count", "3"}, {"first", "1"}})));
  }
  const std::string plain = safetensors_of({random_array("q", {4, 8}, 1), random_array("k", {4, 8}, 2)});
  EXPECT_TRUE(dump_layers(bytes_of(plain), "f").empty());
  EXPECT_EQ(parse_real_dump(plain).heads, 1);
}

TEST(RealVectors, HostileDumpsAreNamed) {
  const auto refused = [](const std::vector<DumpArray>& arrays, std::int64_t layer) {
    std::string both;
    for (const std::string& content : {safetensors_of(arrays), npz_of(arrays)}) {
      const std::string refusal = refusal_of([&] {
        const AttentionDump dump = parse_real_dump(content, layer);
        layer_means(dump, 100, Pairing::half_split, 2);
      });
      EXPECT_NE(refusal, "");
      if (!both.empty()) EXPECT_EQ(refusal, both) << "of either kind of file";
      both = refusal;
    }
    return both;
  };
  std::vector<DumpArray> arrays = random_layers(3, 4, 2, 1, 4);
  arrays.erase(arrays.begin() + 3);
  EXPECT_THAT(refused(arrays, 0), AllOf(StartsWith("f: "), Says("error.dump.half_layer",
                                                                {{"other", "q"}, {"missing", "k"}, {"layer", "1"}})));
  arrays = random_layers(2, 4, 2, 1, 4);
  arrays.erase(arrays.begin());
  EXPECT_THAT(refused(arrays, 1), AllOf(StartsWith("f: "), Says("error.dump.half_layer",
                                                                {{"other", "k"}, {"missing", "q"}, {"layer", "0"}})));
  arrays = random_layers(2, 4, 2, 1, 4);
  arrays[2] = random_array("q.1", {4, 4, 4}, 1);
  EXPECT_THAT(refused(arrays, 1), AllOf(StartsWith("f: q.1: "),
                                        Says("error.dump.other_shape",
                                             {{"shape", "[4, 4, 4]"}, {"name", "f: q.0"}, {"first", "[4, 2, 4]"}})));
  arrays = random_layers(2, 4, 2, 1, 4);
  arrays[3] = random_array("k.1", {5, 1, 4}, 1);
  EXPECT_THAT(refused(arrays, 1), Says("error.dump.q_and_k", {{"q", "[4, 2, 4]"}, {"k", "[5, 1, 4]"}}));
  arrays = random_layers(2, 4, 2, 1, 4);
  arrays[3].values[5] = std::nan("");
  EXPECT_THAT(refused(arrays, 1), AllOf(StartsWith("f: k.1: "), Says("error.dump.nan", {{"place", "[1, 0, 1]"}})));
  arrays[3].values[5] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refused(arrays, 1), AllOf(StartsWith("f: k.1: "), Says("error.dump.infinite", {{"place", "[1, 0, 1]"}})));
  EXPECT_REFUSED(layer_means(parse_real_dump(safetensors_of(random_layers(1, 4, 2, 1, 4))), 4, Pairing::half_split, 3),
                 Says("error.dump.too_narrow", {{"head_dim", "4"}, {"channels", "6"}}));
}

/// Of a .safetensors nothing is copied but one head at a time; of a .npz one layer is unpacked and let go again.
TEST(RealVectors, OneLayerIsHeldAtATime) {
  const std::vector<DumpArray> arrays = random_layers(8, 64, 4, 2, 16);
  const auto mapped = std::make_shared<const std::string>(safetensors_of(arrays));
  const auto packed = std::make_shared<const std::string>(npz_of(arrays));
  std::vector<std::weak_ptr<const void>> unpacked;
  for (std::int64_t layer = 0; layer < 8; ++layer) {
    DumpReading reading;
    reading.layer = layer;
    const AttentionDump lies = parse_attention_dump(bytes_of(*mapped), mapped, "f", reading);
    for (const StoredTensor* tensor : {&lies.q, &lies.k}) {
      const auto* begin = reinterpret_cast<const char*>(tensor->bytes.data());
      EXPECT_GE(begin, mapped->data());
      EXPECT_LE(begin + tensor->count() * 4, mapped->data() + mapped->size()) << "where it lies in the file";
    }
    const AttentionDump dump = parse_attention_dump(bytes_of(*packed), packed, "f", reading);
    EXPECT_EQ(dump.q.bytes.size() + dump.k.bytes.size(), 64u * (4 + 2) * 16 * 4) << "one layer's numbers";
    for (const auto& earlier : unpacked) EXPECT_TRUE(earlier.expired()) << "what came before was let go";
    unpacked = {dump.q.owner, dump.k.owner};
    EXPECT_FALSE(unpacked[0].expired());
    EXPECT_EQ(layer_means(dump, 64, Pairing::half_split, 8).queries[3].mean,
              layer_means(lies, 64, Pairing::half_split, 8).queries[3].mean);
  }
}

}  // namespace
}  // namespace ropescope
