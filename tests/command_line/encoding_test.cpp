#include "core/encodings/encoding.h"
#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"

namespace ropescope {
namespace {

using EncodingCommand = InWorkplace;

using Encodings = InWorkplace;

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST_F(EncodingCommand, EveryEncodingPrintsItsOwnValues) {
  for (const Encoding& encoding : all_encodings()) {
    if (encoding.values_by == ValuesBy::none) continue;
    SCOPED_TRACE(encoding.name);
    const std::string name(encoding.name);
    const Words call = {"encoding", name, "--positions",      "0:9", "--dim", "8", "--heads", "4", "--head", "3",
                        "--seed",   "5",  "--trained-length", "10"};
    const auto rows = parse_csv(place.good(call));
    ASSERT_EQ(rows.size(), 11u);
    EXPECT_EQ(rows[0][0], encoding.values_by == ValuesBy::position ? "position" : "distance");
    EncodingValues settings;
    settings.dim = 8;
    settings.heads = 4;
    settings.head = 3;
    settings.seed = 5;
    settings.trained_length = 10;
    const auto model = make_model(encoding, settings);
    EXPECT_EQ(place.good(call + Words{"-o", "v.npy"}), "");
    const std::string content = place.read("v.npy");
    const Tensor tensor = parse_npy(std::as_bytes(std::span(content)), "v.npy");
    ASSERT_THAT(tensor.shape, ElementsAre(10, static_cast<std::int64_t>(rows[0].size()) - 1));
    EXPECT_EQ(tensor.format, NumberFormat::float64);
    const std::vector<std::int64_t> last = {9};
    std::size_t column = 1;
    for (const std::string_view part : encoding.value_parts) {
      const TokenMatrix values = model->values(part, last);
      for (Eigen::Index c = 0; c < values.cols(); ++c, ++column) {
        EXPECT_EQ(std::stod(rows[10].at(column)), values(0, c)) << rows[0][column];
        EXPECT_EQ(tensor.values.at(9 * (rows[0].size() - 1) + column - 1), values(0, c));
      }
    }
    EXPECT_EQ(column, rows[0].size());
    std::set<std::string> names(rows[0].begin(), rows[0].end());
    EXPECT_EQ(names.size(), rows[0].size()) << "columns have names of their own";
  }
}

TEST_F(EncodingCommand, AModelTurnsByItsOwnLadder) {
  const auto values = [&](const Words& more) {
    return parse_csv(place.good(Words{"encoding", "rope", "--positions", "0,1,806,131071"} + more));
  };
  // What `frequencies` says of it, turned by hand.
  const auto ladder = parse_csv(place.good({"frequencies", "--model", "llama-3.1-8b"}));
  const auto rows = values({"--model", "llama-3.1-8b"});
  ASSERT_EQ(rows.size(), 5u);
  ASSERT_EQ(rows[0].size(), 1u + 3 * 64);
  for (std::size_t pair = 0; pair < 64; ++pair) {
    const double frequency = std::stod(ladder.at(pair + 1).at(2));
    for (std::size_t row = 1; row < rows.size(); ++row) {
      const double angle = std::stod(rows[row][0]) * frequency;
      EXPECT_NEAR(std::stod(rows[row][1 + pair]), std::cos(angle), 1e-10) << pair;
      EXPECT_NEAR(std::stod(rows[row][65 + pair]), std::sin(angle), 1e-10) << pair;
    }
  }
  // YaRN's amplitude; a method in options is the same as the model that says it.
  const auto yarn = values({"--dim", "64", "--scaling", "yarn", "--factor", "16", "--trained-length", "4096"});
  EXPECT_NEAR(std::stod(yarn[1][1]), 0.1 * std::log(16) + 1, 1e-15);
  EXPECT_EQ(values({"--dim", "64", "--scaling", "none"}), values({"--dim", "64"}));
  place.write("m.json", R"({"model_type": "llama", "head_dim": 64, "rope_theta": 10000, "hidden_size": 512,
      "num_attention_heads": 8, "max_position_embeddings": 65536,
      "rope_scaling": {"rope_type": "yarn", "factor": 16, "original_max_position_embeddings": 4096}})");
  EXPECT_EQ(values({"--config", "m.json"}), yarn);
}

TEST_F(Encodings, TableNamesAllOfThem) {
  const Words lines = lines_of(place.good({"encodings"}));
  ASSERT_EQ(lines.size(), all_encodings().size() + 1);
  EXPECT_THAT(lines[0], HasSubstr("relative"));
  for (std::size_t i = 0; i < all_encodings().size(); ++i) {
    const Encoding& encoding = all_encodings()[i];
    std::istringstream words(lines[i + 1]);
    std::string name, relative, learned;
    words >> name >> relative >> learned;
    EXPECT_EQ(name, encoding.name);
    EXPECT_EQ(relative, encoding.relative ? "yes" : "no");
    EXPECT_EQ(learned, encoding.learned ? "yes" : "no");
    EXPECT_THAT(lines[i + 1], HasSubstr(std::string(encoding.source)));
    EXPECT_THAT(lines[i + 1], HasSubstr("  " + std::to_string(encoding.parameters(EncodingValues{})) + "  "));
    EXPECT_EQ(lines[i + 1].find("not beyond it") == std::string::npos,
              is_defined_at(encoding, {}, EncodingValues().trained_length));
  }
  place.good({"encodings", "-o", "list.txt"});
  EXPECT_EQ(place.read("list.txt"), place.good({"encodings"}));
}

TEST_F(Encodings, Json) {
  const json list = json::parse(place.good({"encodings", "--json"}))["encodings"];
  ASSERT_EQ(list.size(), all_encodings().size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i]["name"], all_encodings()[i].name);
    EXPECT_EQ(list[i]["relative"], all_encodings()[i].relative);
    EXPECT_EQ(list[i]["settings"][0], "dim");
    EXPECT_EQ(list[i]["parameters"], all_encodings()[i].parameters(EncodingValues{}));
  }
}

}  // namespace
}  // namespace ropescope
