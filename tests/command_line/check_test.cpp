#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/unit/stored_files.h"
#include "tests/unit/zip_files.h"

namespace ropescope {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

/// A plain ladder: tokens × dim/2 cosines and sines.
struct Table {
  std::int64_t tokens = 40, dim = 32;
  double base = 10000, offset = 0;

  std::vector<double> values(double (*turn)(double)) const {
    std::vector<double> table;
    for (std::int64_t token = 0; token < tokens; ++token) {
      for (std::int64_t pair = 0; pair < dim / 2; ++pair) {
        const double frequency = std::pow(base, -2 * static_cast<double>(pair) / static_cast<double>(dim));
        table.push_back(turn((static_cast<double>(token) + offset) * frequency));
      }
    }
    return table;
  }
  std::vector<double> cosines() const {
    return values([](double angle) { return std::cos(angle); });
  }
  std::vector<double> sines() const {
    return values([](double angle) { return std::sin(angle); });
  }
  std::vector<std::int64_t> shape() const { return {tokens, dim / 2}; }
};

std::string npy(const std::vector<std::int64_t>& shape, const std::vector<double>& values,
                Storage storage = Storage::float32) {
  const std::vector<std::byte> bytes = write_npy({shape, storage, false, values});
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Writes cos.npy and sin.npy.
void write_tables(const Workplace& place, const Table& table, Storage storage = Storage::float32) {
  place.write("cos.npy", npy(table.shape(), table.cosines(), storage));
  place.write("sin.npy", npy(table.shape(), table.sines(), storage));
}

/// check against the plain ladder of 32 channels and base 10000.
Words plain_check(const Words& more) {
  Words words = {"check", "--dim", "32", "--base", "10000"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}
Words tables_of(const Workplace& place) {
  return {"--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")};
}

/// Runs a check that must disagree; standard output.
std::string disagreeing(const Workplace& place, const Words& words) {
  const Outcome outcome = place.run(words);
  EXPECT_EQ(outcome.exit_code, 1) << outcome.errors << outcome.output;
  EXPECT_EQ(outcome.errors, "");
  return outcome.output;
}
json disagreeing_json(const Workplace& place, Words words) {
  words.push_back("--json");
  return json::parse(disagreeing(place, words));
}

TEST(CheckCommand, TablesOfALayoutAgree) {
  const Workplace place;
  const Words layout = {"flux.1", "--grid", "5x7", "--text", "3"};
  Words write = {"layout"};
  write.insert(write.end(), layout.begin(), layout.end());
  write.insert(write.end(),
               {"-o", place.path("ids.npy"), "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")});
  place.good(write);
  Words check = {"check", "--layout"};
  check.insert(check.end(), layout.begin(), layout.end());
  check.insert(check.end(),
               {"--cos", place.path("cos.npy"), "--sin", place.path("sin.npy"), "--ids", place.path("ids.npy")});
  const std::string text = place.good(check);
  EXPECT_THAT(text, StartsWith("agrees"));
  EXPECT_THAT(text, HasSubstr("cos.npy: float32"));
  EXPECT_THAT(text, HasSubstr("how far positions reach"));

  // The image alone: its rows without those of the text.
  write[5] = "0";
  place.good(write);
  check.insert(check.end(), {"--part", "image"});
  EXPECT_THAT(place.good(check), StartsWith("agrees"));
}

TEST(CheckCommand, AWrongBaseIsNamedAndFitted) {
  const Workplace place;
  Table table;
  table.base = 500000;
  write_tables(place, table);
  const std::string text = disagreeing(place, plain_check(tables_of(place)));
  EXPECT_THAT(text, StartsWith("disagrees: base\n"));
  EXPECT_THAT(text, HasSubstr("https://github.com/"));
  const json report = disagreeing_json(place, plain_check(tables_of(place)));
  EXPECT_EQ(report["verdict"], "disagrees");
  ASSERT_EQ(report["causes"].size(), 1u);
  const json& cause = report["causes"][0];
  EXPECT_EQ(cause["name"], "base");
  EXPECT_NEAR(cause["parameters"]["base"].get<double>(), 500000, 500);
  EXPECT_GT(cause["residual_before"].get<double>(), 0.1);
  EXPECT_LT(cause["residual_after"].get<double>(), 1e-5);
}

TEST(CheckCommand, AnOffsetIsNamed) {
  const Workplace place;
  Table table;
  table.offset = 1;
  write_tables(place, table);
  const json report = disagreeing_json(place, plain_check(tables_of(place)));
  EXPECT_EQ(report["causes"][0]["name"], "position-offset");
  EXPECT_THAT(report["causes"][0]["parameters"]["offset"], ElementsAre(1));
  // Told that the positions begin at 1, the same tables agree.
  Words told = plain_check(tables_of(place));
  told.insert(told.end(), {"--positions", "1:40"});
  EXPECT_THAT(place.good(told), StartsWith("agrees"));
  place.write("positions.csv", [] {
    std::string lines = "position\n";
    for (int position = 1; position <= 40; ++position) lines += std::to_string(position) + "\n";
    return lines;
  }());
  told.back() = place.path("positions.csv");
  EXPECT_THAT(place.good(told), StartsWith("agrees"));
}

TEST(CheckCommand, TheOtherPairingIsNamed) {
  const Workplace place;
  const Table table;
  const auto repeated = [&](const std::vector<double>& values, bool by_halves) {
    std::vector<double> wide;
    const auto pairs = static_cast<std::size_t>(table.dim) / 2;
    for (std::size_t row = 0; row < values.size(); row += pairs) {
      for (std::size_t c = 0; c < 2 * pairs; ++c) wide.push_back(values[row + (by_halves ? c % pairs : c / 2)]);
    }
    return wide;
  };
  for (const bool by_halves : {true, false}) {
    const std::vector<std::int64_t> shape = {table.tokens, table.dim};
    place.write("cos.npy", npy(shape, repeated(table.cosines(), by_halves)));
    place.write("sin.npy", npy(shape, repeated(table.sines(), by_halves)));
    const Words check = plain_check(tables_of(place));
    if (by_halves) {
      EXPECT_THAT(place.good(check), StartsWith("agrees"));
    } else {
      EXPECT_THAT(disagreeing(place, check), StartsWith("disagrees: pairing\n"));
    }
  }
}

TEST(CheckCommand, EveryFormatOfFile) {
  const Workplace place;
  const Table table;
  const std::vector<double> cosines = table.cosines(), sines = table.sines();
  const auto agrees = [&](const std::string& cosine, const std::string& sine) {
    EXPECT_THAT(place.good(plain_check({"--cos", place.path(cosine).string(), "--sin", place.path(sine).string()})),
                StartsWith("agrees"))
        << cosine;
  };
  for (const Storage storage : {Storage::float64, Storage::float32, Storage::float16, Storage::bfloat16}) {
    write_tables(place, table, storage);
    agrees("cos.npy", "sin.npy");
  }
  place.write("both.npz", zip_of({{"cos.npy", npy(table.shape(), cosines)}, {"sin.npy", npy(table.shape(), sines)}}));
  agrees("both.npz:cos", "both.npz:sin");
  const std::string bytes = raw(cosines, Storage::bfloat16) + raw(sines, Storage::bfloat16);
  const std::string half = std::to_string(bytes.size() / 2), whole = std::to_string(bytes.size());
  const std::string shape = R"({"dtype":"BF16","shape":[40,16],"data_offsets":[)";
  place.write("both.safetensors", safetensors_file(R"({"rope.cos":)" + shape + "0," + half + R"(]},"rope.sin":)" +
                                                       shape + half + "," + whole + "]}}",
                                                   bytes));
  agrees("both.safetensors:rope.cos", "both.safetensors:rope.sin");
  const auto csv = [&](const std::vector<double>& values, const char* format) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
      char number[40];
      std::snprintf(number, sizeof number, format, values[i]);
      text += number;
      text += (i + 1) % 16 == 0 ? "\n" : ",";
    }
    return text;
  };
  for (const char* format : {"%.17g", "%.9g", "%g", "%.6f"}) {
    place.write("cos.csv", csv(cosines, format));
    place.write("sin.csv", csv(sines, format));
    agrees("cos.csv", "sin.csv");
  }
}

TEST(CheckCommand, TwoDumpsWithoutAModel) {
  const Workplace place;
  const Table table;
  write_tables(place, table);
  place.write("right_cos.npy", npy(table.shape(), table.cosines()));
  place.write("right_sin.npy", npy(table.shape(), table.sines()));
  Words words = {"check", "--against-cos", place.path("right_cos.npy"), "--against-sin", place.path("right_sin.npy")};
  for (const std::string& word : tables_of(place)) words.push_back(word);
  EXPECT_THAT(place.good(words), StartsWith("agrees"));
  Table other;
  other.base = 20000;
  write_tables(place, other);
  EXPECT_THAT(disagreeing(place, words), StartsWith("disagrees"));
  words.insert(words.end(), {"--dim", "32", "--base", "10000"});
  place.bad(words, {"--against-cos", "rotary embedding"});
}

TEST(CheckCommand, JsonSaysEverything) {
  const Workplace place;
  Table table;
  table.base = 20000;
  write_tables(place, table);
  const json report = disagreeing_json(place, plain_check(tables_of(place)));
  for (const char* key : {"verdict", "causes", "notes", "inputs", "reach"}) EXPECT_TRUE(report.contains(key)) << key;
  const json& cause = report["causes"][0];
  for (const char* key :
       {"name", "also", "confidence", "parameters", "residual_before", "residual_after", "evidence", "harmless"}) {
    EXPECT_TRUE(cause.contains(key)) << key;
  }
  EXPECT_EQ(cause["harmless"], false);
  EXPECT_TRUE(cause["parameters"].is_object());
  const double confidence = cause["confidence"];
  EXPECT_TRUE(confidence > 0 && confidence <= 1);
  ASSERT_EQ(report["inputs"].size(), 2u);
  const json& input = report["inputs"][0];
  EXPECT_EQ(input["input"], "cos");
  EXPECT_EQ(input["storage"], "float32");
  EXPECT_EQ(input["agrees"], false);
  EXPECT_GT(input["largest_difference"].get<double>(), input["tolerance"].get<double>());
  EXPECT_GE(input["token"].get<int>(), 1);
  EXPECT_GE(input["pair"].get<int>(), 1);
}

TEST(CheckCommand, FilesThatCannotBeUsed) {
  const Workplace place;
  const Table table;
  write_tables(place, table);
  const std::string cosine = place.path("cos.npy"), sine = place.path("sin.npy");
  const auto bad = [&](const std::string& c, const std::string& s, const Words& culprits) {
    place.bad(plain_check({"--cos", c, "--sin", s}), culprits);
  };
  bad(place.path("none.npy"), sine, {"none.npy", "there is no such file"});
  bad(cosine + ":cos", sine, {"cos.npy", "no named tensors"});
  place.write("short.npy", place.read("cos.npy").substr(0, 1000));
  bad(place.path("short.npy"), sine, {"short.npy", "cut short"});
  place.write("both.npz", zip_of({{"a.npy", place.read("cos.npy")}, {"b.npy", place.read("sin.npy")}}));
  bad(place.path("both.npz"), sine, {"both.npz", "\"a\", \"b\""});
  bad(place.path("both.npz:c"), sine, {"both.npz", "no array named \"c\"", "\"a\", \"b\""});
  place.write("text.csv", "1,2\n3,four\n");
  bad(place.path("text.csv"), sine, {"text.csv", "line 2, column 2", "four"});
  place.write("lie.safetensors", std::string(8, '\x7F') + "{}");
  bad(place.path("lie.safetensors:a"), sine, {"lie.safetensors", "header claims"});
  Table longer;
  longer.tokens = 41;
  place.write("longer.npy", npy(longer.shape(), longer.sines()));
  bad(cosine, place.path("longer.npy"), {"longer.npy"});
  std::vector<double> holed = table.cosines();
  holed[37] = std::nan("");
  place.write("nan.npy", npy(table.shape(), holed));
  bad(place.path("nan.npy"), sine, {"nan.npy", "NaN"});
  holed[37] = INFINITY;
  place.write("infinite.npy", npy(table.shape(), holed));
  bad(place.path("infinite.npy"), sine, {"infinite.npy", "infinit"});
}

TEST(CheckCommand, NumbersThatAreNotFiniteAreNamedWithTheirRow) {
  const Workplace place;
  write_tables(place, Table());
  const double nothing = std::nan("");
  const auto count = [](std::size_t at, double odd) {
    std::vector<double> positions(40);
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<double>(i);
    positions[at] = odd;
    return positions;
  };
  for (const auto& [odd, word] : {std::pair(nothing, "NaN"), std::pair(-HUGE_VAL, "infinity")}) {
    place.write("p.npy", npy({40}, count(17, odd)));
    Words words = plain_check(tables_of(place));
    words.insert(words.end(), {"--positions", place.path("p.npy")});
    place.bad(words, {"p.npy", "--positions", "row 17", word});
    place.write("ids.npy", npy({40}, count(23, odd)));
    place.bad(plain_check({"--ids", place.path("ids.npy")}), {"ids.npy", "row 23", word});
    place.bad(
        plain_check({"--ids", place.path("p.npy"), "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")}),
        {"p.npy", "row 17", word});
    place.write("f.npy", npy({16}, std::vector<double>(16, odd)));
    place.bad(plain_check({"--frequencies", place.path("f.npy")}), {"f.npy", "frequency", word});
  }
  place.write("p.csv", "0\n1\nnan\n");
  Words words = plain_check(tables_of(place));
  words.insert(words.end(), {"--positions", place.path("p.csv")});
  place.bad(words, {"p.csv"});
}

TEST(CheckCommand, WhatAFileIsIsSeenByItsContent) {
  const Workplace place;
  write_tables(place, Table());
  place.write("cos.bin", place.read("cos.npy"));
  place.write("both.pt", zip_of({{"cos.npy", place.read("cos.npy")}, {"sin.npy", place.read("sin.npy")}}));
  EXPECT_THAT(place.good(plain_check({"--cos", place.path("cos.bin"), "--sin", place.path("both.pt:sin")})),
              StartsWith("agrees"));
  place.write("torch.npz", zip_of({{"archive/data.pkl", "x"}, {"archive/data/0", "y"}}));
  place.bad(plain_check({"--cos", place.path("torch.npz:cos"), "--sin", place.path("sin.npy")}),
            {"torch.npz", "torch.save", ".safetensors"});
}

TEST(CheckCommand, IdsThatMustBeEqualAreSaidToBe) {
  const Workplace place;
  place.good({"layout", "flux.1", "--grid", "2x3", "--text", "1", "-o", place.path("ids.npy")});
  const std::string text =
      place.good({"check", "--layout", "flux.1", "--grid", "2x3", "--text", "1", "--ids", place.path("ids.npy")});
  EXPECT_THAT(text, HasSubstr("; ids must be equal there"));
  EXPECT_THAT(text, Not(HasSubstr("is tolerated there")));
  write_tables(place, Table());
  EXPECT_THAT(place.good(plain_check(tables_of(place))), HasSubstr("is tolerated there"));
}

TEST(CheckCommand, OptionsThatDoNotFitTogether) {
  const Workplace place;
  write_tables(place, Table());
  const Words tables = tables_of(place);
  const auto bad = [&](Words words, const Words& culprits) {
    words.insert(words.begin(), "check");
    place.bad(words, culprits);
  };
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Words rope = {"--dim", "32", "--base", "10000"};
  bad(tables, {"--config", "--model", "--dim"});
  bad(rope, {"nothing to check", "--ids", "--cos"});
  bad(with(rope, {"--cos", place.path("cos.npy")}), {"--cos", "--sin"});
  bad(with(rope, {"--after", place.path("cos.npy")}), {"--after", "--before"});
  bad(with(with(rope, tables), {"--size", "64x64"}), {"--size", "--layout"});
  bad(with(with(rope, tables), {"--q-layout", "dht"}), {"--q-layout", "dht", "thd"});
  bad(with(with(rope, tables), {"--positions", "1,two"}), {"--positions", "two"});
  bad(with({"--layout", "flux.1", "--grid", "4x4", "--model", "llama-3.1-8b"}, tables), {"--model", "flux.1"});
  bad(with({"--layout", "flux.1", "--grid", "4x4", "--positions", "1,2"}, tables), {"--positions", "flux.1"});
  bad(with({"--layout", "flux.1", "--grid", "4x4", "--factor", "2"}, tables), {"context extension", "flux.1"});
  bad(with({"--layout", "flux.9", "--grid", "4x4"}, tables), {"flux.9", "flux.1"});
  bad(with({"--layout", "flux.1", "--grid", "4x4", "--part", "middle"}, tables), {"middle", "image"});
  bad(with({"--against-cos", place.path("cos.npy")}, tables), {"--against-cos", "--against-sin"});
}

TEST(CheckCommand, AConfigNamesItsLayoutWhereASizeIsGiven) {
  const Workplace place;
  place.write("config.json", R"({"_class_name": "FluxTransformer2DModel", "num_attention_heads": 24,
    "attention_head_dim": 128, "axes_dims_rope": [16, 56, 56]})");
  place.good({"layout", "flux.1", "--grid", "3x5", "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")});
  Words words = {"check", "--config", place.path("config.json"), "--grid", "3x5"};
  for (const std::string& word : tables_of(place)) words.push_back(word);
  EXPECT_THAT(place.good(words), StartsWith("agrees"));
}

TEST(CheckCommand, TheVerdictSaysWhichSizeFits) {
  const Workplace place;
  place.good({"layout", "flux.1", "--size", "256x256", "--text", "7", "--cos", place.path("cos.npy"), "--sin",
              place.path("sin.npy")});
  Words words = {"check", "--layout", "flux.1", "--size", "448x256", "--text", "7"};
  for (const std::string& word : tables_of(place)) words.push_back(word);
  EXPECT_THAT(disagreeing(place, words), StartsWith("disagrees: length (size 256x256)\n"));
}

TEST(CheckCommand, AnImageModelWithoutASizeIsNotTakenForText) {
  const Workplace place;
  place.write("flux.json", R"({"_class_name": "FluxTransformer2DModel", "num_attention_heads": 24,
    "attention_head_dim": 128, "axes_dims_rope": [16, 56, 56]})");
  place.write("dino.json", R"({"model_type": "dinov3_vit", "hidden_size": 384, "num_attention_heads": 6,
    "rope_theta": 100, "patch_size": 16})");
  place.good({"layout", "flux.1", "--grid", "3x5", "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")});
  const Words tables = tables_of(place);
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  for (const char* config : {"flux.json", "dino.json"}) {
    place.bad(with({"check", "--config", place.path(config)}, tables), {config, "nothing says their size", "--size"});
  }
  place.bad(with({"check", "--model", "flux.1-dev"}, tables), {"flux.1-dev", "--layout", "--size"});
  // A model of text that sees images too has texts without any.
  place.write("vl.json", R"({"model_type": "qwen2_vl", "hidden_size": 3584, "num_attention_heads": 28,
    "rope_theta": 1000000.0, "max_position_embeddings": 32768,
    "rope_scaling": {"type": "mrope", "mrope_section": [16, 24, 24]}})");
  place.good({"layout", "text", "--text", "7", "--head-dim", "128", "--base", "1000000", "--cos", place.path("c.npy"),
              "--sin", place.path("s.npy")});
  EXPECT_THAT(place.good({"check", "--config", place.path("vl.json"), "--cos", place.path("c.npy"), "--sin",
                          place.path("s.npy")}),
              StartsWith("agrees"));
}

}  // namespace
}  // namespace ropescope
