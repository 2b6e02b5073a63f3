#include "core/formats/tensor_file.h"

#include "says.h"
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

TEST(Safetensors, HeadersThatLieOverlapOrAreDamaged) {
  expect_refusals("safetensors", 22, [](const json& given) {
    return given.is_string() ? header_error(given) : header_error(given[0], given[1].get<std::size_t>());
  });
  EXPECT_THAT(header_error(std::string(8, '\xFF') + "{}"),
              Says("error.safetensors.header_cut", {{"claimed", "18446744073709551615"}, {"there", "2"}}));
}

}  // namespace
}  // namespace ropescope
