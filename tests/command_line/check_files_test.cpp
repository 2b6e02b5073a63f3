// Input files of `check`: their formats, and the messages about files that cannot be used.

#include "tests/command_line/check_tables.h"
#include "tests/unit/stored_files.h"
#include "tests/unit/zip_files.h"

namespace ropescope {
namespace {

using CheckFiles = InWorkplace;

TEST_F(CheckFiles, EveryFormatOfFile) {
  const PlainTable table;
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

TEST_F(CheckFiles, FilesThatCannotBeUsed) {
  const PlainTable table;
  write_tables(place, table);
  const std::string cosine = place.path("cos.npy"), sine = place.path("sin.npy");
  const auto bad = [&](const std::string& c, const std::string& s, const Words& culprits) {
    place.bad(plain_check({"--cos", c, "--sin", s}), culprits);
  };
  bad(place.path("none.npy"), sine, {"none.npy", part_of("error.file.missing")});
  bad(cosine + ":cos", sine, {"cos.npy", "no named tensors"});
  place.write("short.npy", place.read("cos.npy").substr(0, 1000));
  bad(place.path("short.npy"), sine, {"short.npy", part_of("error.npy.cut_short")});
  place.write("both.npz", zip_of({{"a.npy", place.read("cos.npy")}, {"b.npy", place.read("sin.npy")}}));
  bad(place.path("both.npz"), sine, {"both.npz", "\"a\", \"b\""});
  bad(place.path("both.npz:c"), sine, {"both.npz", "no array named \"c\"", "\"a\", \"b\""});
  place.write("text.csv", "1,2\n3,four\n");
  bad(place.path("text.csv"), sine, {"text.csv", "line 2, column 2", "four"});
  place.write("lie.safetensors", std::string(8, '\x7F') + "{}");
  bad(place.path("lie.safetensors:a"), sine, {"lie.safetensors", part_of("error.safetensors.header_cut")});
  PlainTable longer;
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

TEST_F(CheckFiles, NumbersThatAreNotFiniteAreNamedWithTheirRow) {
  write_tables(place, PlainTable());
  const double nothing = std::nan("");
  const auto count = [](std::size_t at, double odd) {
    std::vector<double> positions(40);
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<double>(i);
    positions[at] = odd;
    return positions;
  };
  for (const auto& [odd, word] : {std::pair(nothing, "NaN"), std::pair(-HUGE_VAL, "infinity")}) {
    place.write("p.npy", npy({40}, count(17, odd)));
    place.bad(plain_check(tables_of(place)) + Words{"--positions", place.path("p.npy")},
              {"p.npy", "--positions", "row 17", word});
    place.write("ids.npy", npy({40}, count(23, odd)));
    place.bad(plain_check({"--ids", place.path("ids.npy")}), {"ids.npy", "row 23", word});
    place.bad(
        plain_check({"--ids", place.path("p.npy"), "--cos", place.path("cos.npy"), "--sin", place.path("sin.npy")}),
        {"p.npy", "row 17", word});
    place.write("f.npy", npy({16}, std::vector<double>(16, odd)));
    place.bad(plain_check({"--frequencies", place.path("f.npy")}), {"f.npy", "frequency", word});
  }
  place.write("p.csv", "0\n1\nnan\n");
  place.bad(plain_check(tables_of(place)) + Words{"--positions", place.path("p.csv")}, {"p.csv"});
}

TEST_F(CheckFiles, WhatAFileIsIsSeenByItsContent) {
  write_tables(place, PlainTable());
  place.write("cos.bin", place.read("cos.npy"));
  place.write("both.pt", zip_of({{"cos.npy", place.read("cos.npy")}, {"sin.npy", place.read("sin.npy")}}));
  EXPECT_THAT(place.good(plain_check({"--cos", place.path("cos.bin"), "--sin", place.path("both.pt:sin")})),
              StartsWith("agrees"));
  place.write("torch.npz", zip_of({{"archive/data.pkl", "x"}, {"archive/data/0", "y"}}));
  place.bad(plain_check({"--cos", place.path("torch.npz:cos"), "--sin", place.path("sin.npy")}),
            {"torch.npz", "torch.save", ".safetensors"});
}

}  // namespace
}  // namespace ropescope
