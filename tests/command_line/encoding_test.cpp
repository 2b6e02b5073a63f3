#include "core/encodings/encoding.h"
#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"
#include "tests/said.h"

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

TEST_F(EncodingCommand, SinusoidalValues) {
  const auto rows = parse_csv(place.good({"encoding", "sinusoidal", "--positions", "0,3:5,1000", "--dim", "6"}));
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0][0], "position");
  ASSERT_EQ(rows[0].size(), 7u);
  const std::vector<double> positions = {0, 3, 4, 5, 1000};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    EXPECT_EQ(std::stod(rows[i + 1][0]), positions[i]);
    for (int t = 0; t < 3; ++t) {
      const double angle = positions[i] / std::pow(10000.0, 2 * t / 6.0);
      EXPECT_NEAR(std::stod(rows[i + 1].at(static_cast<std::size_t>(1 + 2 * t))), std::sin(angle), 1e-12);
      EXPECT_NEAR(std::stod(rows[i + 1].at(static_cast<std::size_t>(2 + 2 * t))), std::cos(angle), 1e-12);
    }
  }
}

TEST_F(EncodingCommand, RopeValuesAreAllThreeParts) {
  const auto rows = parse_csv(place.good({"encoding", "rope", "--positions", "-2,7", "--dim", "4", "--base", "100"}));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_THAT(rows[0], ElementsAre("position", "cos 0", "cos 1", "sin 0", "sin 1", "angle 0", "angle 1"));
  EXPECT_NEAR(std::stod(rows[1][2]), std::cos(-0.2), 1e-12);
  EXPECT_NEAR(std::stod(rows[2][4]), std::sin(0.7), 1e-12);
  EXPECT_NEAR(std::stod(rows[1][5]), 2 * M_PI - 2, 1e-12) << "modulo a turn";
}

TEST_F(EncodingCommand, BiasesStandByDistance) {
  const auto rows = parse_csv(
      place.good({"encoding", "alibi", "--positions", "-3:3:3", "--dim", "64", "--heads", "8", "--head", "2"}));
  EXPECT_THAT(rows, ElementsAre(ElementsAre("distance", "bias"), ElementsAre("-3", "-0.75"), ElementsAre("0", "0"),
                                ElementsAre("3", "-0.75")));
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

TEST_F(EncodingCommand, ManyRowsComeInPieces) {
  place.good({"encoding", "rope", "--positions", "0:99999", "--dim", "4", "-o", "many.csv"});
  const auto rows = parse_csv(place.read("many.csv"));
  ASSERT_EQ(rows.size(), 100001u);
  for (const std::size_t row : {1u, 21846u, 100000u}) {
    EXPECT_EQ(rows[row][0], std::to_string(row - 1));
    EXPECT_NEAR(std::stod(rows[row][1]), std::cos(static_cast<double>(row - 1)), 1e-11);
  }
}

TEST_F(EncodingCommand, SeedAndFieldsCount) {
  const auto values = [&](const Words& more) {
    return place.good(Words{"encoding", "learned", "--positions", "0:3", "--dim", "4"} + more);
  };
  EXPECT_EQ(values({}), values({"--seed", "1", "--trained-length", "512"}));
  EXPECT_NE(values({}), values({"--seed", "2"}));
  EXPECT_NE(values({}), values({"--trained-length", "4"}));
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

TEST_F(EncodingCommand, LaddersThatCannotBeAreNamed) {
  const auto bad = [&](const std::string& name, const Words& more, Words culprits) {
    place.bad(Words{"encoding", name, "--positions", "1"} + more, culprits);
  };
  bad("alibi", {"--model", "llama-3.1-8b", "--dim", "8"}, {"--model", "alibi", "xpos"});
  bad("sinusoidal", {"--dim", "8", "--scaling", "linear", "--factor", "2"}, {"--scaling", "sinusoidal", "rope"});
  bad("rope", {"--model", "llama-3.1-8b", "--dim", "64"}, {"--dim"});
  bad("rope", {"--model", "flux.1-dev"}, {"--axis"});
  bad("rope", {"--dim", "8", "--scaling", "yarn"}, {"factor"});
  bad("rope", {"--dim", "8", "--factor", "2"}, {"--factor"});
}

TEST_F(EncodingCommand, BadInput) {
  const auto bad = [&](const std::string& name, const Words& more, Words culprits) {
    place.bad(Words{"encoding", name} + more, culprits);
  };
  bad("rotary", {"--positions", "1", "--dim", "8"}, {"rotary", "transformer-xl", "alibi"});
  bad("none", {"--positions", "1", "--dim", "8"}, {"none", "no values"});
  bad("rope", {"--dim", "8"}, {"--positions"});
  bad("rope", {"--positions", "1"}, {"--dim"});
  bad("rope", {"--positions", "1e18", "--dim", "8"}, {"--positions", "2^50"});
  bad("rope", {"--positions", "1.5", "--dim", "8"}, {"--positions", "1.5", part_of("expected.whole_of_any_size")});
  bad("rope", {"--positions", "a", "--dim", "8"}, {"--positions"});
  bad("rope", {"--positions", "1", "--dim", "7"}, {"dim", "7", "even"});
  bad("rope", {"--positions", "1", "--dim", "x"}, {"--dim", "x"});
  bad("rope", {"--positions", "1", "--dim", "1e12"}, {"--dim"});
  bad("rope", {"--positions", "1", "--dim", "8", "--clip", "4"}, {"--clip", "rope"});
  bad("rope", {"--positions", "1", "--dim", "8", "--pairing", "both"}, {"--pairing", "both"});
  bad("rope", {"--positions", "1", "--dim", "8", "--base", "0"}, {"base", "0"});
  bad("alibi", {"--positions", "1", "--dim", "8", "--heads", "4", "--head", "5"}, {"head", "5"});
  bad("alibi", {"--positions", "1", "--dim", "8", "--pairing", "half"}, {"--pairing", "alibi"});
  bad("learned", {"--positions", "0:10", "--dim", "8", "--trained-length", "10"}, {"learned", "10"});
  bad("learned", {"--positions", "-1", "--dim", "8"}, {"learned", "-1"});
  bad("t5", {"--positions", "1", "--dim", "8", "--bidirectional", "yes"}, {"--bidirectional", "yes"});
  bad("rope", {"--positions", "1", "--dim", "8", "-o", "v.txt"}, {"v.txt", ".npy"});
  bad("rope", {"--positions", "1", "--dim", "8", "-o", "nowhere/v.csv"}, {"nowhere"});
  bad("rope", {"--positions", "1", "--dim", "8", "--seed", "-1"}, {"--seed", "-1"});
}

TEST_F(EncodingCommand, ValuesThatNoNumberHoldsAreNamedBeforeAnythingIsWritten) {
  for (const char* output : {"-", "v.csv", "v.npy"}) {
    place.bad({"encoding", "xpos", "--positions=-1000000", "--dim", "4", "-o", output},
              {"xpos", "scale 0", "-1000000", part_of("error.command.large_value")});
    // In the middle of a long list, so that rows before it would have been written.
    place.bad({"encoding", "xpos", "--positions", "0:99999,-1000000,5", "--dim", "4", "-o", output}, {"-1000000"});
  }
  place.bad({"encoding", "kerple", "--positions", "1000", "--dim", "4", "--kerple-r1", "1e308"}, {"kerple", "1000"});
}

TEST_F(EncodingCommand, TooManyValuesAreNamedBeforeAnythingIsWritten) {
  place.bad({"encoding", "rope", "--positions", "0:16777216", "--dim", "8192", "-o", "v.npy"},
            {"--positions", "16777217", "12288", "206158442496", "2147483648"});
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
