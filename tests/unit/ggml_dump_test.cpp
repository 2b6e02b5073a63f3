// Tensors of ggml's programs: records and importance matrices without a container, and those in a .gguf.
#include "core/formats/dumps/ggml_dump.h"

#include "core/formats/dumps/dump.h"
#include "core/formats/tensor_file.h"
#include "tests/gguf_files.h"
#include "tests/unit/format_files.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

std::string ggml_seed(const std::string& name) {
  return read_file(fs::path(source_folder()) / "tests" / "fuzz" / "corpus" / "ggml" / name);
}

std::string int32s(const std::vector<std::int64_t>& numbers) {
  return raw(std::vector<double>(numbers.begin(), numbers.end()), Storage::int32);
}

std::string record(const std::string& name, std::int64_t type, const std::vector<std::int64_t>& sides,
                   const std::string& numbers) {
  return int32s({static_cast<std::int64_t>(sides.size()), static_cast<std::int64_t>(name.size()), type}) +
         int32s(sides) + name + numbers;
}

StoredTensor opened_ggml(const std::string& content, const std::optional<std::string>& name = {},
                         const std::string& path = "a.bin") {
  return open_tensor(bytes_of(content), nullptr, path, name);
}
std::string ggml_error(const std::string& content, const std::optional<std::string>& name = {},
                       const std::string& path = "a.bin") {
  return refusal_of([&] { opened_ggml(content, name, path); });
}

TEST(GgmlDump, ReadsRecords) {
  const std::string record_file = ggml_seed("record.bin");
  const StoredTensor one = opened_ggml(record_file);
  EXPECT_THAT(one.shape, ElementsAre(2, 3)) << "ggml says the densest side first";
  EXPECT_THAT(numbers_of(one), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(one.name, "a.bin: pe");
  const std::string several = ggml_seed("records.bin");
  EXPECT_THAT(list_tensors(bytes_of(several), "a.bin"), ElementsAre("cos", "sin", "pos"));
  EXPECT_EQ(opened_ggml(several, "sin").storage, Storage::float16);
  EXPECT_THAT(numbers_of(opened_ggml(several, "sin")), ElementsAre(0, 0.5, 1, 1.5));
  EXPECT_THAT(opened_ggml(several, "pos").shape, ElementsAre(1, 1, 2));
  EXPECT_THAT(numbers_of(opened_ggml(several, "pos")), ElementsAre(7, -1));
  const std::string bfloat = record("", 30, {2}, raw({1, -2}, Storage::bfloat16));
  EXPECT_THAT(numbers_of(opened_ggml(bfloat)), ElementsAre(1, -2)) << "a name may be empty";
  EXPECT_THAT(ggml_error(several), Says("error.tensor_file.several", {{"count", "3"}}));
  EXPECT_THAT(ggml_error(several, "tan"),
              Says("error.ggml.no_tensor", {{"name", "\"tan\""}, {"names", "\"cos\", \"sin\", \"pos\""}}));
}

TEST(GgmlDump, ReadsImportanceMatrices) {
  for (const char* name : {"imatrix.dat", "older.dat"}) {
    const std::string file = ggml_seed(name);
    EXPECT_THAT(list_tensors(bytes_of(file), "a.dat"), ElementsAre("blk.0.attn_q.weight", "output.weight")) << name;
    EXPECT_THAT(numbers_of(opened_ggml(file, "output.weight", "a.dat")), ElementsAre(5, 6)) << name;
  }
  EXPECT_THAT(ggml_error(ggml_seed("imatrix.dat") + "x", {}, "a.dat"), Says("error.ggml.too_long"));
}

TEST(GgmlDump, RefusesWhatIsDamaged) {
  EXPECT_THAT(ggml_error(ggml_seed("cut.bin")), AllOf(HasSubstr("a.bin: "), Says("error.ggml.cut_short")));
  EXPECT_THAT(ggml_error(ggml_seed("quantized.bin")), Says("error.ggml.type", {{"name", "\"w\""}, {"type", "Q4_0"}}));
  EXPECT_THAT(ggml_error(record("a", 99, {1}, "")), Says("error.ggml.type", {{"type", "99"}}));
  EXPECT_THAT(ggml_error(record("a", 0, {2147483647, 2147483647, 2147483647}, "")), Says("gguf.shape_too_large"));
  EXPECT_THAT(ggml_error(record("a", 0, {0}, "")), Says("error.ggml.count", {{"found", "0"}, {"least", "1"}}));
  const std::string one = record("a", 0, {1}, "1234");
  EXPECT_THAT(ggml_error(one + one), Says("error.ggml.twice", {{"name", "\"a\""}}));
  EXPECT_THAT(ggml_error(one + int32s({5, 1, 0})), Says("error.ggml.dimensions", {{"count", "5"}}));
  EXPECT_THAT(ggml_error(std::string(40, '\xff')), Says("error.tensor_file.unknown"));
  EXPECT_THAT(ggml_error(one, {}, "a.raw"), Says("error.tensor_file.unknown"));
}

TEST(GgmlDump, TensorsOfAGguf) {
  for (const bool big_endian : {false, true}) {
    GgufWriter writer(big_endian);
    writer.tensor("rope_freqs.weight", {1, 2, 4}).tensor("w", std::vector<double>(32, 0.0), 8);
    const std::string file = writer.file();
    EXPECT_THAT(list_tensors(bytes_of(file), "a.gguf"), ElementsAre("rope_freqs.weight", "w"));
    EXPECT_THAT(numbers_of(opened_ggml(file, "rope_freqs.weight", "a.gguf")), ElementsAre(1, 2, 4));
    EXPECT_THAT(ggml_error(file, "w", "a.gguf"),
                AllOf(HasSubstr("a.gguf: "), Says("error.ggml.type", {{"name", "\"w\""}, {"type", "Q8_0"}})));
    EXPECT_THAT(ggml_error(file, "v", "a.gguf"),
                AllOf(HasSubstr("a.gguf: "), Says("error.ggml.no_tensor", {{"name", "\"v\""}})));
  }
  EXPECT_THAT(ggml_error(std::string("GGUF\3\0\0\0", 8), {}, "a.gguf"),
              AllOf(HasSubstr("a.gguf: "), Says("error.gguf.cut_short", {{"bytes", "8"}})));
}

TEST(GgmlDump, HoldsQueriesAndKeys) {
  const std::string q = raw({1, 2, 3, 4, 5, 6, 7, 8}, Storage::float32), k = raw({1, 2, 3, 4}, Storage::float32);
  const std::string file = record("q.3", 0, {2, 2, 2}, q) + record("k.3", 0, {2, 1, 2}, k);
  EXPECT_THAT(dump_layers(bytes_of(file), "a.bin"), ElementsAre(3));
  const AttentionDump dump = parse_attention_dump(bytes_of(file), nullptr, "a.bin");
  EXPECT_EQ(dump.heads, 2);
  EXPECT_EQ(dump.key_heads, 1);
  EXPECT_EQ(key_rows(dump, 0, 2)(1, 1), 4);
}

}  // namespace
}  // namespace ropescope
