#include "tests/gguf_files.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

GgufFile read_unit_gguf(const std::string& content) {
  return read_gguf(bytes_of(content), "m.gguf");
}
std::string find_gguf_error(const std::string& content) {
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
  EXPECT_THAT(find_gguf_error(""), AllOf(HasSubstr("m.gguf: "), Says("error.gguf.not_gguf")));
  EXPECT_THAT(find_gguf_error("GGU"), Says("error.gguf.not_gguf"));
  EXPECT_THAT(find_gguf_error("GGML\3\0\0\0"), Says("error.gguf.not_gguf"));
  EXPECT_THAT(find_gguf_error(GgufWriter(false, 1).file()), Says("error.gguf.version", {{"version", "1"}}));
  EXPECT_THAT(find_gguf_error(GgufWriter(true, 4).file()), Says("error.gguf.version", {{"version", "4"}}));
}

TEST(Gguf, EveryCutIsNamed) {
  const std::string content = small().file();
  for (std::size_t length = 0; length < content.size(); ++length) {
    const std::string error = find_gguf_error(content.substr(0, length));
    // What is cut off at the end may be the padding after the last tensor.
    if (length + 28 >= content.size()) continue;
    EXPECT_THAT(error, HasSubstr("m.gguf: ")) << length;
  }
  EXPECT_THAT(find_gguf_error(content.substr(0, 110)), Says("error.gguf.cut_short", {{"bytes", "110"}}));
  EXPECT_THAT(find_gguf_error(content.substr(0, content.size() - 32)),
              AllOf(Says("error.gguf.tensor", {{"name", "\"token_embd.weight\""}}), Says("gguf.tensor_cut")));
}

std::string the_value(const std::string& name) {
  return said(Message("gguf.the_value", {{"name", "\"" + name + "\""}}));
}

TEST(Gguf, CountsThatLieAreRefusedBeforeAnythingIsRead) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 60;
  EXPECT_THAT(find_gguf_error(small().file(kMany, 5)),
              Says("error.gguf.count", {{"claimed", "1152921504606846976"}, {"what", said(Message("gguf.tensors"))}}));
  EXPECT_THAT(find_gguf_error(small().file(2, kMany)),
              Says("error.gguf.count", {{"claimed", "1152921504606846976"}, {"what", said(Message("gguf.values"))}}));
  GgufWriter array;
  array.add("a", GgufType::array, array.number(6, 4) + array.number(kMany, 8) + "1234");
  EXPECT_THAT(
      find_gguf_error(array.file()),
      Says("error.gguf.array_count", {{"claimed", "1152921504606846976"}, {"what", the_value("a")}, {"there", "4"}}));
  GgufWriter text;
  text.add("t", GgufType::text, text.number(std::numeric_limits<std::uint64_t>::max(), 8) + "abc");
  EXPECT_THAT(find_gguf_error(text.file()), Says("error.gguf.cut_short", {{"what", the_value("t")}}));
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
  EXPECT_THAT(find_gguf_error(nested(6)), Says("error.gguf.nested", {{"what", the_value("deep")}, {"most", "4"}}));
}

TEST(Gguf, SaysWhatIsWrongInTheHeader) {
  GgufWriter type;
  EXPECT_THAT(find_gguf_error(type.add("k", static_cast<GgufType>(13), "1234").file()),
              Says("error.gguf.type", {{"what", the_value("k")}, {"type", "13"}}));
  GgufWriter empty;
  EXPECT_THAT(find_gguf_error(empty.whole("", 1).file()), Says("error.gguf.empty_key"));
  GgufWriter twice;
  EXPECT_THAT(find_gguf_error(twice.whole("k", 1).whole("k", 2).file()), Says("error.gguf.twice", {{"name", "\"k\""}}));
  GgufWriter tensors;
  EXPECT_THAT(find_gguf_error(tensors.tensor("t", {1}).tensor("t", {2}).file()),
              Says("error.gguf.twice", {{"name", "\"t\""}}));
  GgufWriter odd;
  EXPECT_THAT(find_gguf_error(odd.whole("general.alignment", 24).tensor("t", {1}).file()),
              Says("error.gguf.alignment", {{"found", "24"}}));
  GgufWriter wrong;
  EXPECT_THAT(find_gguf_error(wrong.text("general.alignment", "32").tensor("t", {1}).file()),
              Says("error.gguf.wrong_type", {{"key", "general.alignment"}, {"found", "text"}, {"expected", "uint32"}}));
  GgufWriter blocks;  // Q4_0
  EXPECT_THAT(find_gguf_error(blocks.tensor("t", {1, 2, 3}, 2).file()),
              Says("gguf.blocks", {{"side", "3"}, {"block", "32"}, {"type", "Q4_0"}}));
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
  EXPECT_THAT(find_gguf_error(head + tensor), Says("gguf.shape_too_large"));
  std::string many = writer.counted("t") + writer.number(5, 4) + std::string(64, '\0');
  EXPECT_THAT(find_gguf_error(head + many), Says("error.gguf.dimensions", {{"name", "\"t\""}, {"count", "5"}}));
}

}  // namespace
}  // namespace ropescope
