// Files dropped on the Check view: their roles by name and by shape, and the message if neither determines one.

#include "app/views/check/drop.h"

#include "tests/figures/check_view_fixture.h"
#include "tests/gguf_files.h"
#include "tests/said.h"
#include "tests/store_values.h"

namespace ropescope {
namespace {

/// A .safetensors of float32 tensors of two numbers each.
std::string save_safetensors(const fs::path& path, const std::vector<std::string>& names) {
  std::string header = "{";
  for (std::size_t i = 0; i < names.size(); ++i) {
    header += (i == 0 ? "" : ",") + ("\"" + names[i] + "\"") + R"(:{"dtype":"F32","shape":[1,2],"data_offsets":[)" +
              std::to_string(8 * i) + "," + std::to_string(8 * i + 8) + "]}";
  }
  header += "}";
  std::string content;
  for (int shift = 0; shift < 64; shift += 8) content += static_cast<char>(header.size() >> shift & 0xff);
  content += header + std::string(8 * names.size(), '\0');
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
  return path.string();
}

std::string complaint(Experiment& experiment, const std::string& path) {
  const std::string refusal = refusal_of([&] { open_check(experiment, path); });
  return refusal.empty() ? "nothing" : refusal;
}

TEST(CheckRoles, TheBeginningOfALongTextTellsWhatItIs) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "dump.csv").string();
  std::string content;
  while (content.size() < (std::size_t{5} << 19)) content += "1,2\n3,4\n";
  // Whoever reads all of it, on a worker, says what is wrong at its end.
  std::ofstream(path, std::ios::binary) << content << "no number\n";
  Experiment experiment;
  EXPECT_EQ(complaint(experiment, path), "nothing");
  EXPECT_EQ(experiment.check.files[CheckRole::ids], path);
  std::ofstream(path, std::ios::binary) << "1,2\nno number\n";
  EXPECT_THAT(complaint(experiment, path), HasSubstr("line 2, column 1"));
}

TEST(CheckRoles, AGgufSaysWhichModelTheTablesShouldBeOf) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "model.gguf").string();
  GgufWriter writer;
  add_model(writer, "qwen2", 32768, 3584, 28).real("qwen2.rope.freq_base", 1e6);
  std::ofstream(path, std::ios::binary) << writer.file();
  Experiment experiment;
  EXPECT_FALSE(open_check(experiment, path)) << "another view shows it as a model";
  experiment.view = "check";
  experiment.check.against = CheckAgainst::layout;
  EXPECT_TRUE(open_check(experiment, path));
  EXPECT_EQ(experiment.check.against, CheckAgainst::rope);
  EXPECT_EQ(experiment.rope.base, 1e6);
  EXPECT_EQ(experiment.rope.config, path);
}

TEST(CheckRoles, ANameTellsWhatATensorIs) {
  const std::vector<std::pair<const char*, CheckRole>> names = {
      {"cos", CheckRole::cosine},
      {"my_cos_cached", CheckRole::cosine},
      {"freqs_cos", CheckRole::cosine},
      {"sin", CheckRole::sine},
      {"rope.freqs_sin", CheckRole::sine},
      {"freqs_cis", CheckRole::table},
      {"pe", CheckRole::table},
      {"rope_table", CheckRole::table},
      {"model.layers.0.rotary_emb.inv_freq", CheckRole::frequencies},
      {"frequencies", CheckRole::frequencies},
      {"img_ids", CheckRole::ids},
      {"imgIds", CheckRole::ids},
      {"position_ids", CheckRole::ids},
      {"q_before_rope", CheckRole::before},
      {"q", CheckRole::before},
      {"q_embed", CheckRole::after},
      {"cos_sin_cache", CheckRole::table},
      {"rope_angles", CheckRole::table},
      {"k_after", CheckRole::after},
      {"key_rotated", CheckRole::after},
  };
  for (const auto& [name, role] : names) {
    ASSERT_TRUE(find_role_by_name(name)) << name;
    EXPECT_EQ(*find_role_by_name(name), role) << name;
  }
  for (const char* name : {"dump", "using", "single", "tensor0", ""}) EXPECT_FALSE(find_role_by_name(name)) << name;
}

TEST(CheckRoles, ElseItsShapeMay) {
  const auto role = [](const std::vector<std::int64_t>& shape, Storage storage, double each) {
    std::int64_t count = is_complex(storage) ? 2 : 1;
    for (const std::int64_t length : shape) count *= length;
    return find_role_by_shape(
        store_values("x", shape, std::vector<double>(static_cast<std::size_t>(count), each), storage));
  };
  EXPECT_EQ(role({5, 8}, Storage::complex64, 0.5), CheckRole::table);
  EXPECT_EQ(role({1, 5, 8, 2, 2}, Storage::float32, 0.5), CheckRole::table);
  EXPECT_EQ(role({5, 3}, Storage::int64, 4), CheckRole::ids);
  EXPECT_EQ(role({1, 5, 3}, Storage::float32, 4), CheckRole::ids);
  EXPECT_EQ(role({12}, Storage::int32, 4), CheckRole::ids);
  EXPECT_EQ(role({12}, Storage::float32, 0.25), CheckRole::frequencies);
  EXPECT_FALSE(role({5, 64}, Storage::float32, 0.5)) << "cos or sin";
  EXPECT_FALSE(role({5, 4, 64}, Storage::float32, 0.5)) << "before or after";
}

TEST_F(CheckView, DroppedFilesAreTakenByTheirNames) {
  const MadeTables tables = rope_tables(10'000, 8, 20);
  save_tables(folder.path, tables);
  for (const char* name : {"cos.npy", "sin.npy"}) {
    EXPECT_TRUE(open_check(experiment, (folder.path / name).string()));
  }
  EXPECT_EQ(fields.files[CheckRole::cosine], (folder.path / "cos.npy").string());
  EXPECT_EQ(fields.files[CheckRole::sine], (folder.path / "sin.npy").string());
  fields.against = CheckAgainst::rope;
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees");
  fields.applied = "base";
  fields.token = 5;
  const std::string ids = save_npy(folder.path / "position_ids.npy", {20}, std::vector<double>(20, 3));
  EXPECT_TRUE(open_check(experiment, ids));
  EXPECT_EQ(fields.files[CheckRole::ids], ids);
  EXPECT_FALSE(fields.files[CheckRole::cosine].empty()) << "the others stay";
  EXPECT_TRUE(fields.applied.empty()) << "it belongs to another report";
  EXPECT_EQ(fields.token, 0);
}

TEST_F(CheckView, AFileOfSeveralTensorsFillsEveryRoleThatItNames) {
  const std::string path = save_safetensors(folder.path / "dump.safetensors", {"other", "rope.cos", "rope.sin", "ids"});
  EXPECT_TRUE(open_check(experiment, path));
  EXPECT_EQ(fields.files[CheckRole::cosine], path + ":rope.cos");
  EXPECT_EQ(fields.files[CheckRole::sine], path + ":rope.sin");
  EXPECT_EQ(fields.files[CheckRole::ids], path + ":ids");
  EXPECT_TRUE(fields.files[CheckRole::table].empty());
  const std::string nameless = save_safetensors(folder.path / "nameless.safetensors", {"a", "b"});
  const Experiment before = experiment;
  EXPECT_THAT(complaint(experiment, nameless), Says("error.check.names_of_tensors", {{"path", nameless}}));
  EXPECT_EQ(experiment, before);
}

TEST_F(CheckView, ATableTakesThePlaceOfCosAndSin) {
  save_tables(folder.path, rope_tables(10'000, 8, 20));
  open_check(experiment, (folder.path / "cos.npy").string());
  const std::string table = save_npy(folder.path / "dump.npy", {3, 8, 2, 2}, std::vector<double>(96, 1));
  EXPECT_TRUE(open_check(experiment, table)) << "by its shape";
  EXPECT_EQ(fields.files[CheckRole::table], table);
  EXPECT_TRUE(fields.files[CheckRole::cosine].empty());
  open_check(experiment, (folder.path / "sin.npy").string());
  EXPECT_TRUE(fields.files[CheckRole::table].empty());
}

TEST_F(CheckView, OfTwoDumpsTheFirstIsOnesOwn) {
  fields.against = CheckAgainst::dump;
  const auto at = [this](const char* name) { return (folder.path / name).string(); };
  for (const char* name : {"mine", "other"}) {
    fs::create_directory(folder.path / name);
    save_tables(folder.path / name, rope_tables(10'000, 8, 20));
  }
  // All four at once: a window system may give them in any order.
  for (const char* name : {"mine/cos.npy", "other/cos.npy", "other/sin.npy", "mine/sin.npy"}) {
    EXPECT_TRUE(open_check(experiment, at(name)));
  }
  EXPECT_EQ(fields.files[CheckRole::cosine], at("mine/cos.npy"));
  EXPECT_EQ(fields.files[CheckRole::sine], at("mine/sin.npy"));
  EXPECT_EQ(fields.files[CheckRole::against_cosine], at("other/cos.npy"));
  EXPECT_EQ(fields.files[CheckRole::against_sine], at("other/sin.npy"));
  EXPECT_EQ(readout(draw(), "check.verdict").text, "Agrees");
  EXPECT_TRUE(open_check(experiment, save_npy(folder.path / "mine/cos_new.npy", {20, 8}, std::vector<double>(160))));
  EXPECT_EQ(fields.files[CheckRole::cosine], at("mine/cos_new.npy")) << "it lies beside its own sin";
  const std::string both = save_safetensors(folder.path / "both.safetensors", {"cos", "sin", "ids"});
  EXPECT_TRUE(open_check(experiment, both));
  EXPECT_EQ(fields.files[CheckRole::against_cosine], both + ":cos");
  EXPECT_EQ(fields.files[CheckRole::against_sine], both + ":sin");
  EXPECT_EQ(fields.files[CheckRole::cosine], at("mine/cos_new.npy"));
  EXPECT_TRUE(fields.files[CheckRole::ids].empty());
  const Experiment before = experiment;
  const std::string ids = save_npy(folder.path / "ids.npy", {20}, std::vector<double>(20, 3));
  EXPECT_THAT(complaint(experiment, ids), AllOf(HasSubstr("ids.npy: "), Says("error.check.no_tables_of_dump")));
  EXPECT_EQ(experiment, before);
  fields.against = CheckAgainst::rope;
  EXPECT_TRUE(open_check(experiment, both));
  EXPECT_EQ(fields.files[CheckRole::cosine], both + ":cos") << "of a model there is one dump";
}

TEST_F(CheckView, WhatHasAnotherEndingIsTakenForWhatItIs) {
  const std::string path = save_npy(folder.path / "cos.bin", {5, 8}, std::vector<double>(40, 1));
  EXPECT_TRUE(open_check(experiment, path));
  EXPECT_EQ(fields.files[CheckRole::cosine], path);
  std::ofstream(folder.path / "sin.pt") << "\x80\x02";
  EXPECT_THAT(complaint(experiment, (folder.path / "sin.pt").string()), HasSubstr("torch.save"));
  experiment.view = "decay";
  EXPECT_FALSE(open_check(experiment, path)) << "elsewhere it is anything";
}

TEST_F(CheckView, WhatNothingTellsIsAskedFor) {
  const std::string path = save_npy(folder.path / "dump.npy", {5, 64}, std::vector<double>(320, 0.5));
  const Experiment before = experiment;
  EXPECT_THAT(complaint(experiment, path), Says("error.check.name_of_tensor"));
  EXPECT_EQ(experiment, before);
  EXPECT_FALSE(open_check(experiment, (folder.path / "picture.png").string()));
}

TEST_F(CheckView, ADroppedConfigIsTheReference) {
  const auto path = folder.path / "config.json";
  const auto write = [&path](const std::string& json) { std::ofstream(path) << json; };
  write(R"({"model_type": "llama", "rope_theta": 500000, "hidden_size": 256, "num_attention_heads": 4,
            "max_position_embeddings": 8192})");
  experiment.view = "decay";
  EXPECT_FALSE(open_check(experiment, path.string())) << "elsewhere it is no tensor";
  experiment.view = "check";
  EXPECT_TRUE(open_check(experiment, path.string()));
  EXPECT_EQ(fields.against, CheckAgainst::rope);
  EXPECT_EQ(experiment.rope.base, 500'000);
  EXPECT_EQ(experiment.rope.rotary_dim, 64);
  EXPECT_EQ(experiment.rope.config, path.string());
  write(R"({"_class_name": "FluxTransformer2DModel", "axes_dims_rope": [16, 56, 56]})");
  experiment.layout.name = "raster";
  EXPECT_TRUE(open_check(experiment, path.string()));
  EXPECT_EQ(fields.against, CheckAgainst::layout);
  EXPECT_EQ(experiment.layout.name, "flux.1");
  write(R"({"ropescope": 1})");
  EXPECT_FALSE(open_check(experiment, path.string())) << "an experiment";
}

}  // namespace
}  // namespace ropescope
