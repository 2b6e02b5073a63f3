#include "core/formats/tensor_file.h"

#include "core/formats/npy.h"
#include "tests/npy_files.h"
#include "tests/unit/format_files.h"
#include "tests/unit/stored_files.h"
#include "tests/unit/zip_files.h"

namespace ropescope {
namespace {

std::string read_corpus_file(const std::string& name) {
  return read_file(fs::path(source_folder()) / "tests" / "fuzz" / "corpus" / name);
}

std::string make_int8_npy() {
  const std::vector<std::byte> bytes = write_npy({{2}, NumberFormat::int8, false, {3, 4}});
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

StoredTensor open_tensor_file(const std::string& content, const std::string& path,
                              const std::optional<std::string>& name = {}) {
  return open_tensor(bytes_of(content), nullptr, path, name);
}

std::string open_error(const std::string& content, const std::string& path,
                       const std::optional<std::string>& name = {}) {
  return refusal_of([&] { open_tensor_file(content, path, name); });
}

TEST(TensorFile, KindsAreToldByTheirBeginningThenByTheirEnding) {
  EXPECT_THAT(numbers_of(open_tensor_file(make_int8_npy(), "a.npy")), ElementsAre(3, 4));
  EXPECT_THAT(numbers_of(open_tensor_file(make_int8_npy(), "a.dump")), ElementsAre(3, 4));
  EXPECT_THAT(open_tensor_file(read_corpus_file("npz/stored.npz"), "a", "q").shape, ElementsAre(3, 2, 4));
  EXPECT_THAT(open_tensor_file(read_corpus_file("safetensors/two.safetensors"), "a", "sin").shape, ElementsAre(2, 3));
  EXPECT_THAT(numbers_of(open_tensor_file("1,2\n", "folder.d/A.CSV")), ElementsAre(1, 2));
  EXPECT_THAT(open_error("1,2\n", "folder.csv/a"),
              AllOf(HasSubstr("folder.csv/a: "), Says("error.tensor_file.unknown")));
  EXPECT_THAT(open_error("1,2\n", "a.npy"), AllOf(HasSubstr("a.npy: "), Says("error.npy.not_npy")));
  EXPECT_THAT(open_error("1,2\n", "a.npz"), AllOf(HasSubstr("a.npz: "), Says("error.npz.not_npz")));
  EXPECT_THAT(open_error("1,2\n", "a.safetensors"),
              AllOf(HasSubstr("a.safetensors: "), Says("error.safetensors.not_safetensors")));
}

TEST(TensorFile, AWrongEndingMattersNot) {
  for (const char* ending : {"bin", "pt", "pth", "ckpt", "npz", "csv", "safetensors", "npy"}) {
    const std::string path = std::string("a.") + ending;
    EXPECT_THAT(numbers_of(open_tensor_file(make_int8_npy(), path)), ElementsAre(3, 4)) << path;
    EXPECT_THAT(open_tensor_file(read_corpus_file("npz/stored.npz"), path, "q").shape, ElementsAre(3, 2, 4)) << path;
    EXPECT_THAT(open_tensor_file(read_corpus_file("safetensors/two.safetensors"), path, "sin").shape, ElementsAre(2, 3))
        << path;
  }
}

TEST(TensorFile, WhatTorchSavesIsToldByItsContent) {
  const std::string saved = read_corpus_file("torch/alone.pt");
  for (const char* path : {"a.pt", "a.bin", "a.npz", "a.npy", "a"}) {
    EXPECT_THAT(open_tensor_file(saved, path).shape, ElementsAre(3, 2)) << path;
    EXPECT_THAT(open_error(read_corpus_file("torch/legacy.pt"), path), Says("error.torch.legacy")) << path;
    EXPECT_THAT(open_error("\x80\x04N.", path), Says("error.tensor_file.pickled")) << path;
  }
  EXPECT_THAT(open_error("PK\3\4", "a.pt"), Says("error.npz.damaged", {{"kind", ".pt"}}));
  EXPECT_THAT(open_error("\1\2\3\4", "a.bin"), AllOf(HasSubstr("a.bin: "), Says("error.tensor_file.unknown")));
  EXPECT_THAT(open_error("PK\3\4" + std::string(26, '\xff'), "a.npz"), Says("error.npz.damaged"));
}

TEST(TensorFile, EndingsAreThoseOfOneList) {
  for (const char* path : {"a.npy", "folder.x/A.PT", "m.gguf", "a.dat"}) EXPECT_TRUE(ends_like_tensors(path)) << path;
  for (const char* path : {"a.json", "a.npyx", "npy", "a.", "folder.npy/a"})
    EXPECT_FALSE(ends_like_tensors(path)) << path;
}

TEST(TensorFile, ListsWhatThereIs) {
  EXPECT_THAT(list_tensors(bytes_of(read_corpus_file("npz/deflated.npz")), "a.npz"), ElementsAre("q", "k", "v"));
  EXPECT_THAT(list_tensors(bytes_of(read_corpus_file("safetensors/two.safetensors")), "a.safetensors"),
              ElementsAre("cos", "sin"));
  EXPECT_THAT(list_tensors(bytes_of(make_int8_npy()), "a.npy"), ElementsAre(""));
}

TEST(TensorFile, ANameIsNeededWhereThereAreSeveral) {
  EXPECT_THAT(open_error(read_corpus_file("npz/stored.npz"), "a.npz"),
              AllOf(HasSubstr("a.npz: "), Says("error.tensor_file.several",
                                               {{"count", "2"}, {"example", "a.npz:q"}, {"names", "\"q\", \"k\""}})));
  EXPECT_THAT(open_error(read_corpus_file("safetensors/two.safetensors"), "a.safetensors"),
              Says("error.tensor_file.several", {{"example", "a.safetensors:cos"}, {"names", "\"cos\", \"sin\""}}));
  EXPECT_THAT(open_error(read_corpus_file("npz/empty.npz"), "a.npz"), Says("error.tensor_file.empty"));
  const std::string one = safetensors_file("{\"x\":{\"dtype\":\"I8\",\"shape\":[1],\"data_offsets\":[0,1]}}", "\5");
  EXPECT_THAT(numbers_of(open_tensor_file(one, "a.safetensors")), ElementsAre(5)) << "the only one needs no name";
}

TEST(TensorFile, ANameForAFileWithoutNames) {
  EXPECT_THAT(open_error(make_int8_npy(), "a.npy", "cos"),
              Says("error.tensor_file.no_names", {{"kind", ".npy"}, {"name", "\"cos\""}}));
  EXPECT_THAT(open_error("1\n", "a.csv", "cos"), Says("error.tensor_file.no_names", {{"kind", ".csv"}}));
}

}  // namespace
}  // namespace ropescope
