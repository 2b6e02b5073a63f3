// Self-describing dumps dropped on the window.

#include "app/views/check/drop.h"
#include "tests/figures/check_view_fixture.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

class SelfDescribingDumps : public CheckView {
 protected:
  /// out.safetensors with these tensors of two axes and metadata.
  void write(const json& notes, const MadeTables& tables, const std::string& cosine = "cos",
             const std::string& sine = "sin") {
    json header;
    header["__metadata__"] = notes;
    std::string numbers;
    const auto add = [&](const std::string& name, const std::vector<std::int64_t>& shape,
                         const std::vector<double>& values) {
      const std::string bytes = raw(values, Storage::float32);
      header[name] = {
          {"dtype", "F32"}, {"shape", shape}, {"data_offsets", {numbers.size(), numbers.size() + bytes.size()}}};
      numbers += bytes;
    };
    add(cosine, {tables.tokens, tables.pairs}, tables.cosine);
    add(sine, {tables.tokens, tables.pairs}, tables.sine);
    std::vector<double> positions;
    for (std::int64_t i = 0; i < tables.tokens; ++i) positions.push_back(static_cast<double>(first_position_ + i));
    add("positions", {tables.tokens}, positions);
    std::ofstream(path(), std::ios::binary) << safetensors_file(header.dump(), numbers);
  }
  std::string path() const { return (folder.path / "out.safetensors").string(); }
  bool drop() { return open_check(experiment, path()); }

  std::int64_t first_position_ = 0;
};

TEST_F(SelfDescribingDumps, BringTheirLayoutAndItsSize) {
  const TokenLayout tokens = layout();
  experiment.layout = {};
  experiment.layout["text"] = 99;
  write({{"ropescope.layout", "flux.1"}, {"ropescope.options", R"({"grid": "4x6", "text": 3})"}}, tables_of(tokens));
  ASSERT_TRUE(drop());
  EXPECT_EQ(fields.against, CheckAgainst::layout);
  EXPECT_EQ(experiment.layout.size_by, SizeBy::tokens);
  EXPECT_EQ(experiment.layout.rows, 4);
  EXPECT_EQ(experiment.layout.columns, 6);
  EXPECT_EQ(experiment.layout["text"], 3);
  EXPECT_THAT(fields.files[CheckRole::cosine], EndsWith("out.safetensors:cos"));
}

TEST_F(SelfDescribingDumps, BringTheirConfigRolesAndPositions) {
  first_position_ = 40;
  fields.files[CheckRole::table] = "another.npy";
  write(
      {{"ropescope.config",
        R"({"model_type": "llama", "head_dim": 16, "hidden_size": 32, "num_attention_heads": 2, "rope_theta": 500.0})"},
       {"ropescope.options", R"({"length": 8192})"},
       {"ropescope.roles", R"({"cos": "first", "sin": "second", "positions": "positions"})"}},
      rope_tables(500, 8, 64, 40), "first", "second");
  ASSERT_TRUE(drop());
  EXPECT_EQ(fields.against, CheckAgainst::rope);
  EXPECT_EQ(experiment.rope.base, 500);
  EXPECT_EQ(experiment.rope.label, "out.safetensors");
  EXPECT_EQ(experiment.rope.scaling.length, 8192);
  EXPECT_EQ(fields.files[CheckRole::table], "") << "a dump is all that is checked";
  EXPECT_THAT(fields.positions, EndsWith("out.safetensors:positions"));
  EXPECT_EQ(value("check.verdict"), "Agrees");
  EXPECT_EQ(kCheckView.files(experiment).size(), 1u);
}

TEST_F(SelfDescribingDumps, ANumberedLadderIsARope) {
  write({{"ropescope.options",
          R"({"dim": 16, "base": 10000, "scaling": "linear", "factor": 4, "pairing": "interleaved"})"}},
        rope_tables(10'000, 8, 64));
  ASSERT_TRUE(drop());
  EXPECT_EQ(experiment.rope.rotary_dim, 16);
  EXPECT_EQ(experiment.rope.scaling.method, "linear");
  EXPECT_EQ(experiment.rope.pairing, Pairing::interleaved);
  EXPECT_THAT(value("check.verdict"), Says("view.check.cause.scaling-missing"));
}

TEST_F(SelfDescribingDumps, WithoutNotesTheNamesTell) {
  fields.against = CheckAgainst::rope;
  write(json::object(), rope_tables(10'000, 8, 64));
  ASSERT_TRUE(drop());
  EXPECT_EQ(fields.against, CheckAgainst::rope);
  EXPECT_THAT(fields.files[CheckRole::cosine], EndsWith("out.safetensors:cos"));
  EXPECT_EQ(fields.positions, "") << "as before";
}

TEST_F(SelfDescribingDumps, WhatTheWindowCannotTakeIsNamedAndChangesNothing) {
  const Experiment before = experiment;
  for (const auto& [options, culprit] :
       {std::pair(R"({"dim": 16, "base": 10000, "colour": "red"})", "\"colour\""),
        std::pair(R"({"dim": 16, "base": "ten"})", "rope.base"), std::pair(R"({"dim": 17.5, "base": 10})", "17.5")}) {
    write({{"ropescope.options", options}}, rope_tables(10'000, 8, 64));
    EXPECT_REFUSED(drop(), AllOf(HasSubstr("out.safetensors"), HasSubstr(culprit))) << options;
    EXPECT_EQ(experiment, before);
  }
}

}  // namespace
}  // namespace ropescope
