#include "app/resources/models.h"

#include "tests/gguf_files.h"
#include "tests/said.h"
#include "tests/temporary_folder.h"

namespace ropescope {
namespace {

struct Folder : TemporaryFolder {
  std::string write(const std::string& name, const std::string& content) const {
    const fs::path file = path / name;
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
  }
};

GgufWriter part(std::uint64_t number, std::uint64_t count) {
  GgufWriter writer;
  if (number == 0) add_model(writer, "qwen2", 32768, 3584, 28).real("qwen2.rope.freq_base", 1e6);
  return writer.whole("split.no", number, GgufType::uint16).whole("split.count", count, GgufType::uint16);
}

TEST(GgufModel, IsToldByItsBytesNotByItsName) {
  const Folder folder;
  GgufWriter writer;
  const std::string model = add_model(writer, "qwen2", 32768, 3584, 28).file();
  const std::string named_otherwise = folder.write("model.bin", model);
  EXPECT_TRUE(is_gguf(named_otherwise));
  EXPECT_EQ(load_model_config(named_otherwise).profiles.front().spec.head_dim, 128);
  EXPECT_FALSE(is_gguf(folder.write("config.gguf", R"({"model_type": "llama"})")));
  EXPECT_FALSE(is_gguf(folder.path / "nothing.gguf"));
  EXPECT_EQ(load_model_config(folder.path / "config.gguf").model_type, "llama");
  const std::string damaged = folder.write("damaged.gguf", "gGUF" + model.substr(4));
  EXPECT_REFUSED(load_model_config(damaged), AllOf(HasSubstr("damaged.gguf: "), Says("error.gguf.not_gguf")));
}

TEST(GgufModel, AnyPartNamesTheModel) {
  const Folder folder;
  const std::string first = folder.write("m-00001-of-00003.gguf", part(0, 3).file());
  folder.write("m-00002-of-00003.gguf", part(1, 3).file());
  const std::string third = folder.write("m-00003-of-00003.gguf", part(2, 3).file());
  for (const std::string& path : {first, third}) {
    EXPECT_EQ(load_gguf_config(path).profiles.front().spec.axes.front().base, 1e6) << path;
  }
}

TEST(GgufModel, AMissingPartIsNamed) {
  const Folder folder;
  const std::string first = folder.write("m-00001-of-00003.gguf", part(0, 3).file());
  folder.write("m-00003-of-00003.gguf", part(2, 3).file());
  const std::string missing = (folder.path / "m-00002-of-00003.gguf").string();
  EXPECT_EQ(refusal_of([&] { load_gguf_config(first); }),
            first + ": " + said(Message("error.gguf.part_missing", {{"number", 2}, {"count", 3}, {"path", missing}})));
  folder.write("m-00002-of-00003.gguf", part(2, 3).file());
  EXPECT_REFUSED(
      load_gguf_config(first),
      AllOf(HasSubstr(missing + ": "),
            Says("error.gguf.other_part", {{"number", "3"}, {"count", "3"}, {"expected", "2"}, {"of", "3"}})));
}

TEST(GgufModel, ATruncatedFileIsNamed) {
  const Folder folder;
  const std::string whole = part(0, 1).tensor("rope_freqs.weight", {1, 2, 3}).file();
  const std::string cut = folder.write("cut.gguf", whole.substr(0, whole.size() - 24));
  EXPECT_REFUSED(load_gguf_config(cut), Says("gguf.tensor_cut"));
}

}  // namespace
}  // namespace ropescope
