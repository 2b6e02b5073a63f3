#include "core/formats/dumps/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/gguf_files.h"
#include "tests/said.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GgufFile read_unit_gguf(const std::string& content) {
  return read_gguf(bytes_of(content), "m.gguf");
}
std::string gguf_refusal(const std::string& content) {
  return refusal_of([&] { read_unit_gguf(content); });
}

GgufWriter small(bool big_endian = false, std::uint32_t version = 3) {
  GgufWriter writer(big_endian, version);
  writer.text("general.architecture", "llama").whole("llama.context_length", 4096).real("llama.rope.freq_base", 1e6);
  writer.texts("tokenizer.ggml.tokens", {"a", "", "ccc"}).wholes("llama.rope.dimension_sections", {16, -1, 24});
  writer.tensor("rope_freqs.weight", {1, 2, 8}).tensor("token_embd.weight", {0.5});
  return writer;
}

TEST(Gguf, ReadsBothVersionsInBothByteOrders) {
  for (const bool big : {false, true}) {
    for (const std::uint32_t version : {2u, 3u}) {
      const std::string content = small(big, version).file();
      const GgufFile file = read_unit_gguf(content);
      EXPECT_EQ(file.version, version);
      EXPECT_EQ(file.big_endian, big);
      ASSERT_EQ(file.entries.size(), 5u);
      EXPECT_EQ(gguf_number(file, *find_entry(file, "llama.context_length")), 4096);
      EXPECT_EQ(gguf_number(file, *find_entry(file, "llama.rope.freq_base")), 1e6);
      const GgufEntry& sections = *find_entry(file, "llama.rope.dimension_sections");
      EXPECT_EQ(sections.count, 3u);
      EXPECT_EQ(gguf_number(file, sections, 1), -1);
      EXPECT_EQ(find_entry(file, "tokenizer.ggml.tokens")->count, 3u);
      const GgufTensor& tensor = *find_tensor(file, "rope_freqs.weight");
      EXPECT_EQ(tensor.end - tensor.begin, 12u);
      EXPECT_EQ(tensor.begin % 32, 0u);
      EXPECT_EQ(find_tensor(file, "token_embd.weight")->begin, tensor.begin + 32);
      EXPECT_EQ(find_tensor(file, "output.weight"), nullptr);
      EXPECT_EQ(find_entry(file, "llama.block_count"), nullptr);
    }
  }
}

TEST(Gguf, ReadsEveryNumberFormat) {
  for (const bool big : {false, true}) {
    GgufWriter writer(big);
    const std::pair<GgufType, double> numbers[] = {
        {GgufType::uint8, 200},    {GgufType::int8, -3},        {GgufType::uint16, 60000}, {GgufType::int16, -300},
        {GgufType::uint32, 4e9},   {GgufType::int32, -70000},   {GgufType::uint64, 1e12},  {GgufType::int64, -1e12},
        {GgufType::float32, 0.25}, {GgufType::float64, 1 / 3.0}};
    for (const auto& [type, value] : numbers) {
      const std::string key(gguf_type_name(type));
      if (is_whole(type)) {
        writer.whole(key, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), type);
      } else {
        writer.real(key, value, type);
      }
    }
    writer.flag("yes", true);
    const std::string content = writer.file();
    const GgufFile file = read_unit_gguf(content);
    for (const auto& [type, value] : numbers) {
      EXPECT_EQ(gguf_number(file, *find_entry(file, gguf_type_name(type))), value) << gguf_type_name(type);
    }
    EXPECT_EQ(gguf_number(file, *find_entry(file, "yes")), 1);
  }
}

TEST(Gguf, PointsIntoTheFile) {
  const std::string content = small().file();
  const GgufFile file = read_unit_gguf(content);
  const auto inside = [&](const void* pointer) {
    return pointer >= content.data() && pointer < content.data() + content.size();
  };
  for (const GgufEntry& entry : file.entries) {
    EXPECT_TRUE(inside(entry.key.data()));
    EXPECT_TRUE(inside(entry.bytes.data()));
  }
  for (const GgufTensor& tensor : file.tensors) EXPECT_TRUE(inside(tensor.name.data()));
}

TEST(Gguf, SaysWhatIsNoGguf) {
  EXPECT_THAT(gguf_refusal(""), HasSubstr("m.gguf: not a .gguf file"));
  EXPECT_THAT(gguf_refusal("GGU"), HasSubstr("not a .gguf file"));
  EXPECT_THAT(gguf_refusal("GGML\3\0\0\0"), HasSubstr("not a .gguf file"));
  EXPECT_THAT(gguf_refusal(GgufWriter(false, 1).file()), HasSubstr("the .gguf has version 1; 2 or 3 was expected"));
  EXPECT_THAT(gguf_refusal(GgufWriter(true, 4).file()), HasSubstr("the .gguf has version 4"));
}

TEST(Gguf, EveryCutIsNamed) {
  const std::string content = small().file();
  for (std::size_t length = 0; length < content.size(); ++length) {
    const std::string error = gguf_refusal(content.substr(0, length));
    // What is cut off at the end may be the padding after the last tensor.
    if (length + 28 >= content.size()) continue;
    EXPECT_THAT(error, HasSubstr("m.gguf: ")) << length;
  }
  EXPECT_THAT(gguf_refusal(content.substr(0, 110)), HasSubstr("the file is cut short"));
  EXPECT_THAT(gguf_refusal(content.substr(0, content.size() - 32)),
              HasSubstr("the tensor \"token_embd.weight\": its numbers go beyond the end of the file"));
}

TEST(Gguf, CountsThatLieAreRefusedBeforeAnythingIsRead) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 60;
  EXPECT_THAT(gguf_refusal(small().file(kMany, 5)), HasSubstr("claims 1152921504606846976 of tensors, but only"));
  EXPECT_THAT(gguf_refusal(small().file(2, kMany)), HasSubstr("claims 1152921504606846976 of values, but only"));
  GgufWriter array;
  array.add("a", GgufType::array, array.number(6, 4) + array.number(kMany, 8) + "1234");
  EXPECT_THAT(gguf_refusal(array.file()), HasSubstr("claims 1152921504606846976 of the value \"a\", but only 4 bytes"));
  GgufWriter text;
  text.add("t", GgufType::text, text.number(std::numeric_limits<std::uint64_t>::max(), 8) + "abc");
  EXPECT_THAT(gguf_refusal(text.file()), HasSubstr("within the value \"t\""));
}

TEST(Gguf, NestedArraysAreReadToADepth) {
  const auto nested = [](int depth) {
    GgufWriter writer;
    std::string inner = writer.number(4, 4) + writer.number(1, 8) + writer.number(7, 4);
    for (int i = 1; i < depth; ++i) inner = writer.number(9, 4) + writer.number(1, 8) + inner;
    return writer.add("deep", GgufType::array, inner).whole("after", 3).file();
  };
  for (const int depth : {1, 2, 4}) {
    const std::string content = nested(depth);
    const GgufFile file = read_unit_gguf(content);
    EXPECT_EQ(gguf_number(file, *find_entry(file, "after")), 3) << depth;
  }
  EXPECT_THAT(gguf_refusal(nested(6)), HasSubstr("the value \"deep\" has arrays within arrays, more than 4 deep"));
}

TEST(Gguf, SaysWhatIsWrongInTheHeader) {
  GgufWriter type;
  EXPECT_THAT(gguf_refusal(type.add("k", static_cast<GgufType>(13), "1234").file()),
              HasSubstr("the value \"k\" has the type 13; 0 to 12 were expected"));
  GgufWriter empty;
  EXPECT_THAT(gguf_refusal(empty.whole("", 1).file()), HasSubstr("a value without a name"));
  GgufWriter twice;
  EXPECT_THAT(gguf_refusal(twice.whole("k", 1).whole("k", 2).file()), HasSubstr("the .gguf has \"k\" twice"));
  GgufWriter tensors;
  EXPECT_THAT(gguf_refusal(tensors.tensor("t", {1}).tensor("t", {2}).file()), HasSubstr("the .gguf has \"t\" twice"));
  GgufWriter odd;
  EXPECT_THAT(gguf_refusal(odd.whole("general.alignment", 24).tensor("t", {1}).file()),
              HasSubstr("general.alignment is 24; a power of 2 was expected"));
  GgufWriter wrong;
  EXPECT_THAT(gguf_refusal(wrong.text("general.alignment", "32").tensor("t", {1}).file()),
              HasSubstr("general.alignment has the type text; uint32 was expected"));
  GgufWriter blocks;  // Q4_0
  EXPECT_THAT(gguf_refusal(blocks.tensor("t", {1, 2, 3}, 2).file()),
              HasSubstr("its rows have 3 numbers, which are no whole blocks of 32 (Q4_0)"));
}

TEST(Gguf, TensorsOfTypesThatAreNotKnownDoNotHideTheRest) {
  GgufWriter writer;
  const std::string content = writer.tensor("new", {1, 2}, 99).tensor("old", {3}).file();
  const GgufFile file = read_unit_gguf(content);
  EXPECT_EQ(find_tensor(file, "new")->begin, find_tensor(file, "new")->end);
  EXPECT_EQ(find_tensor(file, "old")->end - find_tensor(file, "old")->begin, 4u);
}

TEST(Gguf, ShapesThatNoFileCanHold) {
  GgufWriter writer;
  std::string tensor = writer.counted("t") + writer.number(4, 4);
  for (int side = 0; side < 4; ++side) tensor += writer.number(std::uint64_t{1} << 40, 8);
  tensor += writer.number(0, 4) + writer.number(0, 8);
  const std::string head = "GGUF" + writer.number(3, 4) + writer.number(1, 8) + writer.number(0, 8);
  EXPECT_THAT(gguf_refusal(head + tensor), HasSubstr("its shape has more numbers than any file can hold"));
  std::string many = writer.counted("t") + writer.number(5, 4) + std::string(64, '\0');
  EXPECT_THAT(gguf_refusal(head + many), HasSubstr("the tensor \"t\" has 5 dimensions; at most 4 were expected"));
}

}  // namespace
}  // namespace ropescope
