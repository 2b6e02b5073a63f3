#include "core/formats/npy.h"
#include "tests/command_line/program.h"
#include "tests/npy_files.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

using Rotate = InWorkplace;

std::string to_npy_bytes(const Tensor& tensor) {
  const std::vector<std::byte> bytes = write_npy(tensor);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Tensor read_npy(const Workplace& place, const std::string& name) {
  const std::string content = place.read(name);
  return parse_npy(std::as_bytes(std::span(content)), name);
}

/// A list of rows as [rows, columns].
Tensor tensor_of(const json& rows, NumberFormat format = NumberFormat::float64) {
  Tensor tensor;
  tensor.format = format;
  tensor.shape = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())};
  for (const json& row : rows) {
    for (const json& value : row) tensor.values.push_back(value.get<double>());
  }
  return tensor;
}

std::string to_rotate_list(const json& numbers) {
  std::string list;
  for (const json& number : numbers) list += (list.empty() ? "" : ",") + number.dump();
  return list;
}

struct Example {
  std::string file, output;  ///< of tests/reference/apply, and which of its outputs
  Words rope;
  double tolerance;
};

void expect_rotated(const Workplace& place, const Example& example, const std::string& side) {
  SCOPED_TRACE(example.file + " " + example.output + " " + side);
  const json data = read_reference("apply/" + example.file);
  const json& expected = data["outputs"][example.output][side];
  place.write("x.npy", to_npy_bytes(tensor_of(data[side])));
  Words arguments = {"rotate", "--input", "x.npy", "--positions", to_rotate_list(data["positions"]), "-o", "y.npy"};
  arguments.insert(arguments.end(), example.rope.begin(), example.rope.end());
  EXPECT_EQ(place.good(arguments), "");
  const Tensor found = read_npy(place, "y.npy");
  const Tensor wanted = tensor_of(expected);
  ASSERT_EQ(found.shape, wanted.shape);
  EXPECT_EQ(found.format, NumberFormat::float64);
  for (std::size_t i = 0; i < wanted.values.size(); ++i) {
    ASSERT_NEAR(found.values[i], wanted.values[i], example.tolerance) << "element " << i;
  }
}

TEST_F(Rotate, ManyTokensAreRotatedAPieceAtATime) {
  constexpr std::int64_t kTokens = 5003, kHeads = 2, kChannels = 64, kTurns = 7;
  Tensor x, positions;
  x.shape = {kTokens, kHeads, kChannels};
  x.format = NumberFormat::float32;
  positions.shape = {kTokens};
  for (std::int64_t token = 0; token < kTokens; ++token) {
    positions.values.push_back(static_cast<double>(token % kTurns));
    for (std::int64_t i = 0; i < kHeads * kChannels; ++i) x.values.push_back(static_cast<double>(i % 11) / 8);
  }
  place.write("x.npy", to_npy_bytes(x));
  place.write("p.npy", to_npy_bytes(positions));
  const Words command = {"rotate", "--dim",       "64",    "--base", "10000", "--input",
                         "x.npy",  "--positions", "p.npy", "-o",     "y.npy"};
  EXPECT_EQ(place.good(command), "");
  const Tensor y = read_npy(place, "y.npy");
  ASSERT_EQ(y.shape, x.shape);
  constexpr std::int64_t kRow = kHeads * kChannels;
  for (std::int64_t token = 0; token < kTokens; ++token) {
    const auto row = y.values.begin() + token * kRow, same = y.values.begin() + token % kTurns * kRow;
    ASSERT_TRUE(std::equal(row, row + kRow, same)) << "token " << token;
  }
  EXPECT_FALSE(std::equal(y.values.begin(), y.values.begin() + kRow, y.values.begin() + kRow));
  // Nothing is written where the last position is none.
  positions.values.back() = std::nan("");
  place.write("p.npy", to_npy_bytes(positions));
  Words other = command;
  other.back() = "z.npy";
  place.bad(other, {"p.npy: a position is not finite"});
}

TEST_F(Rotate, ReferenceValues) {
  const std::vector<Example> examples = {
      {"half_split_d64.json", "hf_float64", {"--dim", "64", "--base", "10000"}, 2e-11},
      {"half_split_d128.json", "hf_float64", {"--dim", "128", "--base", "500000", "--pairing", "half"}, 2e-11},
      {"interleaved_d64.json", "all_float64", {"--dim", "64", "--base", "10000", "--pairing", "interleaved"}, 2e-11},
      {"interleaved_d128.json",
       "flux_ids_float64",
       {"--dim", "128", "--base", "10000", "--pairing", "interleaved"},
       1e-6},
      {"partial_d64_p05.json", "phi3_half_split", {"--dim", "64", "--base", "10000", "--rotary-fraction", "0.5"}, 1e-3},
      {"partial_d64_p05.json", "phi3_half_split", {"--dim", "32", "--base", "10000", "--head-dim", "64"}, 1e-3},
      {"partial_d64_p05.json",
       "glm_interleaved",
       {"--dim", "64", "--base", "10000", "--rotary-fraction", "0.5", "--pairing", "interleaved"},
       1e-3},
      {"partial_d128_p025.json",
       "phi3_half_split",
       {"--dim", "128", "--base", "1000000", "--rotary-fraction", "0.25"},
       1e-3},
  };
  for (const Example& example : examples) {
    expect_rotated(place, example, "q");
    expect_rotated(place, example, "k");
  }
}

TEST_F(Rotate, SeveralAxesTakeAFileOfPositions) {
  const json data = read_reference("apply/flux1_axes.json");
  place.write("q.npy", to_npy_bytes(tensor_of(data["q"])));
  place.write("ids.npy", to_npy_bytes(tensor_of(data["ids"], NumberFormat::int64)));
  place.good({"rotate", "--model", "flux.1-dev", "--input", "q.npy", "--positions", "ids.npy", "-o", "y.npy"});
  const Tensor found = read_npy(place, "y.npy"), wanted = tensor_of(data["outputs_ids64"]["q"]);
  ASSERT_EQ(found.shape, wanted.shape);
  for (std::size_t i = 0; i < wanted.values.size(); ++i) EXPECT_NEAR(found.values[i], wanted.values[i], 1e-6);
  place.bad({"rotate", "--model", "flux.1-dev", "--input", "q.npy", "--positions", "0:5", "-o", "z.npy"},
            {"--positions", "[tokens, 3]"});
}

Tensor ramp(std::vector<std::int64_t> shape, NumberFormat format) {
  Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.format = format;
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= size;
  for (std::int64_t i = 0; i < count; ++i) tensor.values.push_back(static_cast<double>(i % 17) / 16);
  return tensor;
}

TEST_F(Rotate, ShapeAndFormatAreKept) {
  place.write("positions.npy", to_npy_bytes(ramp({3}, NumberFormat::float32)));
  place.write("column.npy", to_npy_bytes(ramp({3, 1}, NumberFormat::float32)));
  for (const NumberFormat format : {NumberFormat::float64, NumberFormat::float32, NumberFormat::float16}) {
    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{3, 16}, {3, 5, 16}}) {
      const Tensor input = ramp(shape, format);
      place.write("x.npy", to_npy_bytes(input));
      Words outputs;
      for (const std::string positions : {"0,0.0625,0.125", "positions.npy", "column.npy"}) {
        place.good({"rotate", "--dim", "8", "--head-dim", "16", "--base", "100", "--input", "x.npy", "--positions",
                    positions, "-o", "y.npy"});
        const Tensor found = read_npy(place, "y.npy");
        EXPECT_EQ(found.shape, shape);
        EXPECT_EQ(found.format, format);
        // Position 0 is the identity, and the last eight channels do not turn.
        const std::size_t row = found.values.size() / 3;
        for (std::size_t i = 0; i < found.values.size(); ++i) {
          const bool still = i < row || i % 16 >= 8;
          EXPECT_TRUE(!still || found.values[i] == input.values[i]) << i;
        }
        EXPECT_NE(found.values, input.values);
        outputs.push_back(place.read("y.npy"));
      }
      EXPECT_EQ(outputs[0], outputs[1]);
      EXPECT_EQ(outputs[0], outputs[2]);
    }
  }
}

TEST_F(Rotate, EveryHeadOfATokenTurnsAlike) {
  Tensor tensor = ramp({2, 3, 8}, NumberFormat::float64);
  for (std::size_t i = 0; i < tensor.values.size(); ++i) tensor.values[i] = static_cast<double>(i % 8);
  place.write("x.npy", to_npy_bytes(tensor));
  place.good({"rotate", "--dim", "8", "--base", "100", "--input", "x.npy", "--positions", "3,4", "-o", "y.npy"});
  const Tensor found = read_npy(place, "y.npy");
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(found.values[i], found.values[i % 8]);
  EXPECT_NE(found.values[0], found.values[24]);
}

TEST_F(Rotate, SaysWhatTheFormatCannotHold) {
  Tensor tensor{{3, 2, 4}, NumberFormat::float16, false, std::vector<double>(24, 1.0)};
  // (60 000, 60 000) turned by 1 radian is (−18 069, 82 906): token 1, head 1, channels 0 and 2.
  tensor.values[12] = tensor.values[14] = 60000;
  place.write("x.npy", to_npy_bytes(tensor));
  const Words rotate = {"rotate", "--dim",   "4",     "--base", "10000", "--pairing",
                        "half",   "--input", "x.npy", "-o",     "y.npy", "--positions"};
  const auto at = [&](const std::string& positions) {
    Words words = rotate;
    words.push_back(positions);
    return place.run(words);
  };
  const Outcome outcome = at("0,1,2");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.errors,
            "ropescope: y.npy: 1 of 24 numbers are infinite or NaN, first at token 1, head 1, channel 2; float16 "
            "cannot represent "
            "larger ones\n");
  EXPECT_TRUE(std::isinf(read_npy(place, "y.npy").values[14]));
  EXPECT_EQ(at("0,0,0").errors, "");
  tensor.values[12] = std::numeric_limits<double>::infinity();
  place.write("x.npy", to_npy_bytes(tensor));
  EXPECT_NE(at("0,0,0").errors.find("the input contains some\n"), std::string::npos);
}

TEST_F(Rotate, AListIsNoFileWhateverFilesAreCalled) {
  place.write("x.npy", to_npy_bytes({{2, 4}, NumberFormat::float64, false, std::vector<double>(8, 1.0)}));
  const Words rotate = {"rotate", "--dim", "4", "--base", "10000", "--input", "x.npy", "-o", "y.npy", "--positions"};
  const auto at = [&](const std::string& positions) {
    Words words = rotate;
    words.push_back(positions);
    place.good(words);
    return read_npy(place, "y.npy").values;
  };
  const std::vector<double> listed = at("5:6"), others = at("7,9");
  place.write("5", to_npy_bytes({{2}, NumberFormat::float64, false, {7, 9}}));
  place.write("5:6", to_npy_bytes({{2}, NumberFormat::float64, false, {7, 9}}));
  EXPECT_EQ(at("5:6"), listed);
  EXPECT_EQ(at("./5"), others);
  EXPECT_EQ(at("./5:6"), others);
}

}  // namespace
}  // namespace ropescope
