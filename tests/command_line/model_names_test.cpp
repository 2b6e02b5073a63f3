// Models by name: presets and repositories in a Hugging Face cache made for the test, wherever a file is accepted.

#include "tests/command_line/program.h"
#include "tests/json.h"
#include "tests/said.h"

namespace ropescope {
namespace {

constexpr const char* kId = "someone/Tiny-0.5B";

class ModelNames : public testing::Test {
 protected:
  ModelNames() {
    place_.set_environment("HF_HUB_CACHE=" + (place_.path("hub")).string());
    fs::create_directories(place_.path("hub"));
  }

  fs::path repository() const { return place_.path("hub/models--someone--Tiny-0.5B"); }
  void write(const std::string& name, const std::string& content) const {
    fs::create_directories((repository() / name).parent_path());
    place_.write("hub/models--someone--Tiny-0.5B/" + name, content);
  }
  /// A snapshot as huggingface_hub makes it: its config.json is a link to a blob.
  void add_snapshot(const std::string& revision, const std::string& base) const {
    write("blobs/" + base, R"({"model_type": "llama", "head_dim": 8, "rope_theta": )" + base + "}");
    fs::create_directories(repository() / "snapshots" / revision);
    fs::create_symlink("../../blobs/" + base, repository() / "snapshots" / revision / "config.json");
  }
  void set_age(const std::string& revision, int hours) const {
    fs::last_write_time(repository() / "snapshots" / revision,
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  /// The base that `config` finds.
  double base_of(const std::string& name) const {
    return json::parse(place_.good({"config", name, "--json"}))["profiles"][0]["axes"][0]["base"].get<double>();
  }
  std::string refused(const std::string& name) const { return place_.run({"config", name}).errors; }

  Workplace place_;
};

TEST_F(ModelNames, APresetIsAcceptedLikeAFile) {
  EXPECT_EQ(base_of("llama-3.1-8b"), 500000);
  const Words line = {"frequencies", "--model", "flux.1-dev"};
  EXPECT_EQ(place_.good({"frequencies", "--config", "flux.1-dev"}), place_.good(line));
  EXPECT_THAT(place_.good({"layout", "flux.1", "--grid", "2x2", "--config", "flux.1-dev"}), HasSubstr("3,image,0,1,1"));
  EXPECT_THAT(place_.good({"compare", "llama-3.1-8b", source_folder() + "/assets/models/llama-3.1-8b.json"}),
              HasSubstr("agrees"));
}

TEST_F(ModelNames, AFileWinsOverAName) {
  place_.write("llama-3.1-8b", R"({"model_type": "llama", "head_dim": 8, "rope_theta": 4321})");
  EXPECT_EQ(base_of("llama-3.1-8b"), 4321);
  EXPECT_EQ(base_of(place_.path("llama-3.1-8b").string()), 4321);
}

TEST_F(ModelNames, ACachedRepositoryIsItsMainSnapshot) {
  add_snapshot("aaaa", "1111");
  add_snapshot("bbbb", "2222");
  write("refs/main", "aaaa");
  set_age("aaaa", 48);
  EXPECT_EQ(base_of(kId), 1111);
  EXPECT_EQ(place_.good({"decay", "--model", kId, "--distances", "7"}),
            place_.good({"decay", "--config", (repository() / "snapshots/aaaa").string(), "--distances", "7"}));
  EXPECT_EQ(place_.good({"models", "--cached"}), std::string(kId) + "\n");
}

TEST_F(ModelNames, WithoutMainTheNewestSnapshotCounts) {
  add_snapshot("aaaa", "1111");
  add_snapshot("bbbb", "2222");
  set_age("aaaa", 1);
  set_age("bbbb", 2);
  EXPECT_EQ(base_of(kId), 1111);
  set_age("aaaa", 3);
  EXPECT_EQ(base_of(kId), 2222);
}

TEST_F(ModelNames, AMissingRepositoryNamesTheFolderAndTheCommand) {
  const std::string command = "hf download someone/Tiny-0.5B config.json";
  EXPECT_THAT(refused(kId), AllOf(Says("error.hub.missing"), HasSubstr(place_.path("hub").string()),
                                  Says("error.hub.remedy", {{"command", command}})));
  for (const char* on : {"1", "True", "yes"}) {
    place_.set_environment(std::string("HF_HUB_OFFLINE=") + on);
    EXPECT_THAT(refused(kId),
                AllOf(Says("error.hub.missing"), Says("error.hub.remedy_offline", {{"command", command}})));
  }
}

TEST_F(ModelNames, ATildeIsTheHomeFolder) {
  add_snapshot("aaaa", "1111");
  place_.set_environment("HF_HUB_CACHE=~/hub");
  place_.set_environment("HOME=" + place_.path("").string());
  EXPECT_EQ(base_of(kId), 1111);
}

TEST_F(ModelNames, AConfigThatCannotBeReadIsNoUnknownName) {
  write("snapshots/aaaa/config.json", R"({"model_type": "llama", "head_dim": 8, "rope_theta": "x"})");
  const std::string said = place_.run({"compare", kId, "llama-3.1-8b"}).errors;
  EXPECT_THAT(said, AllOf(HasSubstr("rope_theta"), Not(Says("error.command.no_preset"))));
}

TEST_F(ModelNames, APartWithALongNameIsMissing) {
  const std::string part = std::string(5000, 'x') + ".safetensors";
  write("snapshots/aaaa/config.json", R"({"model_type": "llama", "head_dim": 8})");
  write("snapshots/aaaa/model.safetensors.index.json", R"({"weight_map": {"rotary_emb.inv_freq": ")" + part + R"("}})");
  EXPECT_THAT(refused(kId), Says("error.folder.part_missing"));
}

TEST_F(ModelNames, AnIncompleteSnapshotSaysSo) {
  fs::create_directories(repository() / "snapshots/aaaa");
  fs::create_symlink("../../blobs/gone", repository() / "snapshots/aaaa/config.json");
  write("refs/main", "aaaa");
  EXPECT_THAT(refused(kId), Says("error.hub.incomplete"));
  EXPECT_EQ(place_.good({"models", "--cached"}), "");
  write(".no_exist/aaaa/config.json", "");
  EXPECT_THAT(refused(kId), Says("error.hub.refused"));
}

TEST_F(ModelNames, APublishedRepositoryIsItsPresetUnlessCached) {
  EXPECT_EQ(base_of("meta-llama/Meta-Llama-3.1-8B"), 500000);
}

TEST_F(ModelNames, MisspeltFilesAreNotRepositories) {
  EXPECT_THAT(refused("models/config.json"), Not(HasSubstr("hf download")));
  place_.bad({"frequencies", "--model", "llama-3.1-8bb"}, {"llama-3.1-8b"});
}

}  // namespace
}  // namespace ropescope
