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
