#include <zip.h>

#include "core/attention/attention.h"
#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"

namespace ropescope {
namespace {

using AttentionCommand = InWorkplace;

std::string to_attention_npy(const Tensor& tensor) {
  const std::vector<std::byte> bytes = write_npy(tensor);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Numbers without a pattern, the same every time.
Tensor noise(std::vector<std::int64_t> shape, unsigned seed) {
  Tensor tensor;
  tensor.shape = std::move(shape);
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= size;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    tensor.values.push_back(static_cast<double>(seed >> 8) / (1 << 23) - 1);
  }
  return tensor;
}

void write_npz(const Workplace& place, const std::string& name,
               const std::vector<std::pair<std::string, Tensor>>& arrays) {
  Words contents;
  for (const auto& [key, tensor] : arrays) contents.push_back(to_attention_npy(tensor));
  zip_t* archive = zip_open(place.path(name).c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    zip_source_t* source = zip_source_buffer(archive, contents[i].data(), contents[i].size(), 0);
    ASSERT_GE(zip_file_add(archive, (arrays[i].first + ".npy").c_str(), source, 0), 0);
  }
  ASSERT_EQ(zip_close(archive), 0);
}

Tensor weights_of(const Workplace& place, Words more) {
  more.insert(more.begin(), "attention");
  more.insert(more.end(), {"-o", "w.npy"});
  EXPECT_EQ(place.good(more), "");
  const std::string content = place.read("w.npy");
  return parse_npy(std::as_bytes(std::span(content)), "w.npy");
}

double row_sum(const Tensor& weights, std::size_t row) {
  const auto tokens = static_cast<std::size_t>(weights.shape[2]);
  double sum = 0;
  for (std::size_t j = 0; j < tokens; ++j) sum += weights.values[row * tokens + j];
  return sum;
}

TEST_F(AttentionCommand, SoftmaxRowsSumToOne) {
  const Tensor weights = weights_of(place, {"--encoding", "rope", "--kind", "softmax", "--tokens", "20", "--seed", "3",
                                            "--dim", "16", "--heads", "3"});
  ASSERT_THAT(weights.shape, ElementsAre(3, 20, 20));
  EXPECT_EQ(weights.format, NumberFormat::float64);
  for (std::size_t row = 0; row < 60; ++row) EXPECT_NEAR(row_sum(weights, row), 1, 1e-12);
  EXPECT_NE(weights.values[0], weights.values[400]) << "heads hold different vectors";
}

TEST_F(AttentionCommand, CausalLeavesLaterKeysOut) {
  const Tensor weights = weights_of(place, {"--encoding", "alibi", "--tokens", "12", "--causal"});
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_NEAR(row_sum(weights, i), 1, 1e-12);
    for (std::size_t j = 0; j < 12; ++j) EXPECT_EQ(weights.values[i * 12 + j] == 0, j > i);
  }
}

TEST_F(AttentionCommand, EveryHeadOfAFileByTheFormula) {
  const Tensor q = noise({6, 4, 8}, 1), k = noise({6, 2, 8}, 2);
  write_npz(place, "qk.npz", {{"q", q}, {"k", k}, {"v", noise({6, 2, 5}, 3)}});
  for (const bool causal : {false, true}) {
    Words call = {"--encoding", "alibi", "--kind", "softmax", "--input", "qk.npz"};
    if (causal) call.push_back("--causal");
    const Tensor weights = weights_of(place, call);
    ASSERT_THAT(weights.shape, ElementsAre(4, 6, 6));
    for (std::size_t head = 0; head < 4; ++head) {
      for (std::size_t i = 0; i < 6; ++i) {
        double scores[6], sum = 0;
        for (std::size_t j = 0; j < 6; ++j) {
          double product = 0;
          for (std::size_t c = 0; c < 8; ++c)
            product += q.values[(i * 4 + head) * 8 + c] * k.values[(j * 2 + head / 2) * 8 + c];
          const double distance = std::abs(static_cast<double>(i) - static_cast<double>(j));
          scores[j] = std::exp(product / std::sqrt(8.0) - std::exp2(-2.0 * static_cast<double>(head + 1)) * distance);
          if (causal && j > i) scores[j] = 0;
          sum += scores[j];
        }
        for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(weights.values[(head * 6 + i) * 6 + j], scores[j] / sum, 1e-12);
      }
    }
  }
  const Tensor third = weights_of(place, {"--encoding", "alibi", "--input", "qk.npz", "--head", "3"});
  const Tensor all = weights_of(place, {"--encoding", "alibi", "--input", "qk.npz"});
  ASSERT_THAT(third.shape, ElementsAre(1, 6, 6));
  EXPECT_THAT(third.values, testing::ElementsAreArray(all.values.begin() + 72, all.values.begin() + 108));
}

TEST_F(AttentionCommand, LinearRopeHasNegativeWeightsAndNoneHasNot) {
  const auto least = [&](const std::string& encoding, const std::string& kernel) {
    const Tensor weights = weights_of(
        place, {"--encoding", encoding, "--kind", "linear", "--kernel", kernel, "--tokens", "40", "--dim", "16"});
    return *std::min_element(weights.values.begin(), weights.values.end());
  };
  for (const char* kernel : {"elu", "exp", "softmax"}) {
    EXPECT_LT(least("rope", kernel), 0) << kernel;
    EXPECT_GE(least("none", kernel), 0) << kernel;
  }
}

TEST_F(AttentionCommand, ShiftedPositionsChangeOnlyAbsoluteEncodings) {
  const auto values = [&](const std::string& encoding, const std::string& first) {
    return weights_of(place, {"--encoding", encoding, "--tokens", "9", "--dim", "8", "--first-position", first}).values;
  };
  EXPECT_THAT(values("rope", "100"), testing::Pointwise(testing::DoubleNear(1e-12), values("rope", "0")));
  EXPECT_NE(values("sinusoidal", "100"), values("sinusoidal", "0"));
}

TEST_F(AttentionCommand, CsvHasTheSameNumbers) {
  const Words call = {"--encoding", "rope", "--tokens", "70", "--dim", "4", "--heads", "2"};
  const Tensor weights = weights_of(place, call);
  place.good(Words{"attention", "-o", "w.csv"} + call);
  const auto rows = parse_csv(place.read("w.csv"));
  ASSERT_EQ(rows.size(), 9801u);
  EXPECT_THAT(rows[0], ElementsAre("head", "query", "key", "weight"));
  for (std::size_t i = 0; i < 9800; ++i) {
    EXPECT_EQ(std::stod(rows[i + 1][0]), static_cast<double>(i / 4900 + 1));
    EXPECT_EQ(std::stod(rows[i + 1][1]), static_cast<double>(i % 4900 / 70));
    EXPECT_EQ(std::stod(rows[i + 1][2]), static_cast<double>(i % 70));
    EXPECT_EQ(std::stod(rows[i + 1][3]), weights.values[i]);
  }
}

TEST_F(AttentionCommand, HeadsOfAPictureAreSquaresInRows) {
  place.good({"attention", "--encoding", "rope", "--tokens", "16", "--heads", "5", "-o", "w.svg"});
  const std::string svg = place.read("w.svg");
  // Each map is an image of so many pixels, drawn at this scale and place.
  const std::regex pixels("<image [^>]*width=\"([0-9]+)\" height=\"([0-9]+)\"");
  const std::regex use(
      "<use xlink:href=\"#image[0-9]+\" transform=\"matrix\\(([^,]+), ?0, ?0, ?([^,]+), ?([^,]+), ?([^)]+)\\)");
  std::smatch image;
  ASSERT_TRUE(std::regex_search(svg, image, pixels));
  std::vector<double> tops;
  for (std::sregex_iterator found(svg.begin(), svg.end(), use), end; found != end; ++found) {
    const double width = std::stod((*found)[1]) * std::stod(image[1]),
                 height = std::stod((*found)[2]) * std::stod(image[2]);
    EXPECT_NEAR(width, height, 1);
    EXPECT_GT(width, 130);
    tops.push_back(std::stod((*found)[4]));
  }
  ASSERT_EQ(tops.size(), 5u);
  EXPECT_EQ(tops[0], tops[2]);
  EXPECT_GT(tops[3], tops[2]);
}

}  // namespace
}  // namespace ropescope
