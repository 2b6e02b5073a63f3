#include "core/formats/tensor_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/said.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string entry(const std::string& name, const std::string& dtype, const std::string& shape, int begin, int end) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

StoredTensor open_unit_safetensors(const std::string& content, const std::string& name) {
  return open_safetensors(bytes_of(content), nullptr, "f.safetensors", name);
}

std::string header_error(const std::string& content) {
  return refusal_of([&] { read_safetensors_header(bytes_of(content), "f.safetensors"); });
}
std::string header_error(const std::string& header, std::size_t bytes) {
  return header_error(safetensors_file(header, std::string(bytes, '\0')));
}

TEST(Safetensors, ReadsEveryNumberFormat) {
  const std::pair<const char*, Storage> formats[] = {
      {"F64", Storage::float64}, {"F32", Storage::float32}, {"F16", Storage::float16}, {"BF16", Storage::bfloat16},
      {"I8", Storage::int8},     {"I16", Storage::int16},   {"I32", Storage::int32},   {"I64", Storage::int64},
      {"U8", Storage::uint8},    {"U16", Storage::uint16},  {"U32", Storage::uint32},  {"U64", Storage::uint64}};
  for (const auto& [dtype, storage] : formats) {
    const std::string numbers = raw({1, 2, 3, 4, 5, 6}, storage);
    const std::string content =
        safetensors_file("{" + entry("cos", dtype, "[3,2]", 0, static_cast<int>(numbers.size())) + "}", numbers);
    const StoredTensor tensor = open_unit_safetensors(content, "cos");
    EXPECT_EQ(tensor.storage, storage);
    EXPECT_THAT(tensor.shape, ElementsAre(3, 2));
    EXPECT_THAT(numbers_of(tensor), ElementsAre(1, 2, 3, 4, 5, 6)) << dtype;
  }
  const std::string complex =
      safetensors_file("{" + entry("z", "C64", "[1]", 0, 8) + "}", raw({0.5, -1}, Storage::complex64));
  EXPECT_THAT(numbers_of(open_unit_safetensors(complex, "z")), ElementsAre(0.5, -1));
}

TEST(Safetensors, TensorsInTheOrderOfTheirNumbers) {
  const std::string numbers = raw({7}, Storage::float64) + raw({1, 2}, Storage::float32);
  const std::string content =
      safetensors_file("{\"__metadata__\":{\"format\":\"pt\"}," + entry("a", "F32", "[2]", 8, 16) + "," +
                           entry("scalar", "F64", "[]", 0, 8) + "," + entry("none", "F32", "[0,3]", 16, 16) + "}  ",
                       numbers);
  std::vector<std::string> names;
  for (const SafetensorsEntry& found : read_safetensors_header(bytes_of(content), "")) names.push_back(found.name);
  EXPECT_THAT(names, ElementsAre("scalar", "a", "none"));
  EXPECT_THAT(numbers_of(open_unit_safetensors(content, "a")), ElementsAre(1, 2));
  EXPECT_THAT(numbers_of(open_unit_safetensors(content, "scalar")), ElementsAre(7));
  EXPECT_EQ(open_unit_safetensors(content, "none").count(), 0);
  EXPECT_EQ(open_unit_safetensors(content, "a").name, "f.safetensors: a");
  const auto* begin = reinterpret_cast<const std::byte*>(content.data());
  EXPECT_EQ(open_unit_safetensors(content, "a").bytes.data(), begin + content.size() - 8) << "nothing is copied";
}

TEST(Safetensors, AMissingNameListsThoseThereAre) {
  const std::string content =
      safetensors_file("{" + entry("cos", "I8", "[1]", 0, 1) + "," + entry("sin", "I8", "[1]", 1, 2) + "}", "ab");
  EXPECT_THAT(refusal_of([&] { open_unit_safetensors(content, "tan"); }),
              HasSubstr("f.safetensors: the .safetensors has no tensor named \"tan\"; it holds \"cos\", \"sin\""));
}

TEST(Safetensors, OtherDtypesAreRefusedByNameAndDoNotHideTheRest) {
  const std::string content =
      safetensors_file("{" + entry("mask", "BOOL", "[2]", 0, 2) + "," + entry("odd", "F4", "[4]", 2, 4) + "," +
                           entry("ids", "I8", "[2]", 4, 6) + "}",
                       std::string("\1\1\0\0\5\6", 6));
  EXPECT_THAT(numbers_of(open_unit_safetensors(content, "ids")), ElementsAre(5, 6));
  EXPECT_THAT(refusal_of([&] { open_unit_safetensors(content, "mask"); }),
              HasSubstr("\"mask\": the dtype is \"BOOL\""));
  EXPECT_THAT(refusal_of([&] { open_unit_safetensors(content, "odd"); }), HasSubstr("\"odd\": the dtype is \"F4\""));
}

TEST(Safetensors, LengthsThatLie) {
  EXPECT_THAT(header_error("short"), HasSubstr("not a .safetensors file (it has 5 bytes"));
  EXPECT_THAT(header_error(std::string(8, '\xFF') + "{}"),
              HasSubstr("header claims 18446744073709551615 bytes, but only 2 follow"));
  EXPECT_THAT(header_error("{" + entry("a", "F32", "[2]", 0, 8) + "}", 7),
              HasSubstr("\"a\": its numbers end at byte 8, but only 7 follow the header; the file is cut short"));
  EXPECT_THAT(header_error("{" + entry("a", "F32", "[2]", 0, 8) + "}", 9), HasSubstr("1 bytes after its last tensor"));
  EXPECT_THAT(header_error("{" + entry("a", "F32", "[3]", 0, 8) + "}", 8),
              HasSubstr("\"a\": dtype and shape ask for 12 bytes, but data_offsets give it 8"));
  EXPECT_THAT(header_error("{" + entry("a", "F32", "[9223372036854775807,2]", 0, 8) + "}", 8),
              HasSubstr("more numbers than any file can hold"));
  EXPECT_EQ(header_error("{}", 0), "");
}

TEST(Safetensors, OverlapsAndGaps) {
  EXPECT_THAT(header_error("{" + entry("a", "F16", "[4]", 0, 8) + "," + entry("b", "F16", "[2]", 6, 10) + "}", 10),
              HasSubstr("\"b\": its numbers overlap those of \"a\""));
  EXPECT_THAT(header_error("{" + entry("a", "F16", "[4]", 0, 8) + "," + entry("b", "F16", "[4]", 0, 8) + "}", 8),
              HasSubstr("overlap"));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[2]", 0, 2) + "," + entry("b", "I8", "[2]", 4, 6) + "}", 6),
              HasSubstr("\"b\": its numbers begin at byte 4, where byte 2 was expected"));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[2]", 2, 4) + "}", 4), HasSubstr("begin at byte 2"));
}

TEST(Safetensors, DamagedHeaders) {
  EXPECT_THAT(header_error("{\"a\":", 0), HasSubstr("f.safetensors: the header: not valid JSON at line 1"));
  EXPECT_THAT(header_error("[]", 0), HasSubstr("an object in braces"));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[1]", 0, 1) + "," + entry("a", "I8", "[1]", 1, 2) + "}", 2),
              HasSubstr("the key \"a\" stands there twice"));
  EXPECT_THAT(header_error("{\"a\":{\"dtype\":\"I8\",\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1),
              HasSubstr("the key \"dtype\" stands there twice"));
  // The same key in two objects is none twice.
  EXPECT_EQ(header_error("{" + entry("a", "I8", "[1]", 0, 1) + "," + entry("b", "I8", "[1]", 1, 2) + "}", 2), "");
  EXPECT_THAT(header_error("{\"a\":3}", 0), HasSubstr("\"a\" is 3; an object with dtype"));
  EXPECT_THAT(header_error("{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1), HasSubstr("\"a\".dtype is missing"));
  EXPECT_THAT(header_error("{\"a\":{\"dtype\":\"I8\",\"data_offsets\":[0,1]}}", 1),
              HasSubstr("\"a\".shape is missing"));
  EXPECT_THAT(header_error("{\"a\":{\"dtype\":\"I8\",\"shape\":[1]}}", 1), HasSubstr("\"a\".data_offsets is missing"));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[-1]", 0, 1) + "}", 1), HasSubstr("shape has -1; whole numbers"));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[1.5]", 0, 1) + "}", 1), HasSubstr("shape has 1.5; whole numbers"));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[1]", 1, 0) + "}", 1), HasSubstr("data_offsets is a list of 2"));
}

}  // namespace
}  // namespace ropescope
