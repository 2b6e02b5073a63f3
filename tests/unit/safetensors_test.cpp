#include "core/formats/tensor_file.h"

#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

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
  EXPECT_REFUSED(open_unit_safetensors(content, "tan"),
                 AllOf(HasSubstr("f.safetensors: "),
                       Says("error.safetensors.no_tensor", {{"name", "\"tan\""}, {"names", "\"cos\", \"sin\""}})));
}

TEST(Safetensors, OtherDtypesAreRefusedByNameAndDoNotHideTheRest) {
  const std::string content =
      safetensors_file("{" + entry("mask", "BOOL", "[2]", 0, 2) + "," + entry("odd", "F4", "[4]", 2, 4) + "," +
                           entry("ids", "I8", "[2]", 4, 6) + "}",
                       std::string("\1\1\0\0\5\6", 6));
  EXPECT_THAT(numbers_of(open_unit_safetensors(content, "ids")), ElementsAre(5, 6));
  EXPECT_REFUSED(open_unit_safetensors(content, "mask"),
                 AllOf(HasSubstr("\"mask\": "), Says("safetensors.dtype", {{"dtype", "\"BOOL\""}})));
  EXPECT_REFUSED(open_unit_safetensors(content, "odd"),
                 AllOf(HasSubstr("\"odd\": "), Says("safetensors.dtype", {{"dtype", "\"F4\""}})));
}

TEST(Safetensors, LengthsThatLie) {
  EXPECT_THAT(header_error("short"), Says("error.safetensors.not_safetensors", {{"bytes", "5"}}));
  EXPECT_THAT(header_error(std::string(8, '\xFF') + "{}"),
              Says("error.safetensors.header_cut", {{"claimed", "18446744073709551615"}, {"there", "2"}}));
  EXPECT_THAT(header_error("{" + entry("a", "F32", "[2]", 0, 8) + "}", 7),
              AllOf(HasSubstr("\"a\": "), Says("safetensors.cut_short", {{"end", "8"}, {"there", "7"}})));
  EXPECT_THAT(header_error("{" + entry("a", "F32", "[2]", 0, 8) + "}", 9),
              Says("error.safetensors.too_long", {{"bytes", "1"}}));
  EXPECT_THAT(header_error("{" + entry("a", "F32", "[3]", 0, 8) + "}", 8),
              AllOf(HasSubstr("\"a\": "), Says("safetensors.length", {{"asked", "12"}, {"given", "8"}})));
  EXPECT_THAT(header_error("{" + entry("a", "F32", "[9223372036854775807,2]", 0, 8) + "}", 8),
              Says("safetensors.shape_too_large"));
  EXPECT_EQ(header_error("{}", 0), "");
}

TEST(Safetensors, OverlapsAndGaps) {
  EXPECT_THAT(header_error("{" + entry("a", "F16", "[4]", 0, 8) + "," + entry("b", "F16", "[2]", 6, 10) + "}", 10),
              AllOf(HasSubstr("\"b\": "), Says("safetensors.overlap", {{"other", "\"a\""}})));
  EXPECT_THAT(header_error("{" + entry("a", "F16", "[4]", 0, 8) + "," + entry("b", "F16", "[4]", 0, 8) + "}", 8),
              Says("safetensors.overlap"));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[2]", 0, 2) + "," + entry("b", "I8", "[2]", 4, 6) + "}", 6),
              AllOf(HasSubstr("\"b\": "), Says("safetensors.gap", {{"begin", "4"}, {"expected", "2"}})));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[2]", 2, 4) + "}", 4), Says("safetensors.gap", {{"begin", "2"}}));
}

TEST(Safetensors, DamagedHeaders) {
  EXPECT_THAT(header_error("{\"a\":", 0),
              AllOf(HasSubstr("f.safetensors: the header: "), Says("error.json.not_valid"), HasSubstr("line 1")));
  EXPECT_THAT(header_error("[]", 0), Says("error.json.no_object"));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[1]", 0, 1) + "," + entry("a", "I8", "[1]", 1, 2) + "}", 2),
              Says("error.json.twice", {{"key", "\"a\""}}));
  EXPECT_THAT(header_error("{\"a\":{\"dtype\":\"I8\",\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1),
              Says("error.json.twice", {{"key", "\"dtype\""}}));
  // The same key in two objects is none twice.
  EXPECT_EQ(header_error("{" + entry("a", "I8", "[1]", 0, 1) + "," + entry("b", "I8", "[1]", 1, 2) + "}", 2), "");
  EXPECT_THAT(header_error("{\"a\":3}", 0), Says("error.safetensors.no_object", {{"name", "\"a\""}, {"found", "3"}}));
  EXPECT_THAT(header_error("{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1),
              Says("error.json.missing", {{"field", "\"a\".dtype"}}));
  EXPECT_THAT(header_error("{\"a\":{\"dtype\":\"I8\",\"data_offsets\":[0,1]}}", 1),
              Says("error.json.missing", {{"field", "\"a\".shape"}}));
  EXPECT_THAT(header_error("{\"a\":{\"dtype\":\"I8\",\"shape\":[1]}}", 1),
              Says("error.json.missing", {{"field", "\"a\".data_offsets"}}));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[-1]", 0, 1) + "}", 1),
              Says("error.safetensors.size", {{"field", "\"a\".shape"}, {"found", "-1"}}));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[1.5]", 0, 1) + "}", 1),
              Says("error.safetensors.size", {{"field", "\"a\".shape"}, {"found", "1.5"}}));
  EXPECT_THAT(header_error("{" + entry("a", "I8", "[1]", 1, 0) + "}", 1), HasSubstr("data_offsets is a list of 2"));
}

}  // namespace
}  // namespace ropescope
