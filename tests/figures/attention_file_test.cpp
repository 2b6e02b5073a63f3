#include "tests/figures/attention_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

TEST_F(AttentionView, AFileGivesItsHeads) {
  fields.content = AttentionSource::file;
  fields.file = write_file("qk.npy", {2, 30, 3, 8});
  fields.head = 2;
  const ViewResult result = draw();
  const Figure& shown = figure(result, "weights");
  EXPECT_EQ(shown.maps[0].cells->rows, 30u) << "40 tokens are asked for, 30 there";
  EXPECT_THAT(shown.title, HasSubstr("head 2 of 3, 30 of 30 tokens"));
  const LoadedDump dump = load_attention_dump(fields.file);
  EncodingValues settings;
  settings.dim = 8;
  settings.pairing = Pairing::half_split;
  const auto exact = softmax_attention<double>(*make_model(find_encoding("rope"), settings), dump.head(2, 30, ""), {});
  for (const int key : {0, 7, 29}) {
    EXPECT_NEAR(shown.maps[0].exact(key, 25), exact.weights(25, key), 1e-5);
  }
  fields.head = 3;
  EXPECT_NE(figure(draw(), "weights").maps[0].cells->values, shown.maps[0].cells->values) << "another head";
  fields.tokens = 12;
  EXPECT_THAT(figure(draw(), "weights").title, HasSubstr("12 of 30 tokens"));
  fields.head = 4;
  EXPECT_THAT(message(draw()), Says("view.attention.no_head", {{"head", "4"}, {"heads", "3"}}));
  fields.head = 3;
  for (const AttentionShow show : {AttentionShow::shift, AttentionShow::energy}) {
    fields.show = show;
    EXPECT_TRUE(message(draw()).empty()) << word_of(show);
  }
}

TEST_F(AttentionView, ARopeNarrowerThanTheFilesHeadTurnsItsFirstChannels) {
  fields.content = AttentionSource::file;
  fields.show = AttentionShow::energy;
  fields.file = write_file("qk.npy", {2, 20, 32});
  EXPECT_EQ(figure(draw(), "energy").lines[0].series->ys.size(), 8u);
  experiment.rope.rotary_dim = experiment.rope.head_dim = 128;
  EXPECT_EQ(figure(draw(), "energy").lines[0].series->ys.size(), 16u) << "all channels of the file";
}

TEST_F(AttentionView, AChangedFileIsReadAgain) {
  fields.content = AttentionSource::file;
  fields.file = write_file("qk.npy", {2, 10, 4});
  EXPECT_EQ(figure(draw(), "weights").maps[0].cells->rows, 10u);
  const auto started = store.started();
  draw();
  EXPECT_EQ(store.started(), started);
  const std::vector<FileStamp> before = kAttentionView.files(experiment);
  EXPECT_EQ(before.size(), 1u) << "the window looks whether it has changed";
  write_file("qk.npy", {2, 11, 4});
  EXPECT_NE(kAttentionView.files(experiment), before);
  EXPECT_EQ(figure(draw(), "weights").maps[0].cells->rows, 11u);
}

TEST_F(AttentionView, WhatIsWrongWithAFileIsASentence) {
  fields.content = AttentionSource::file;
  EXPECT_THAT(message(draw()), Says("view.attention.no_file"));
  fields.file = (folder.path / "missing.npz").string();
  EXPECT_THAT(message(draw()), AllOf(HasSubstr("missing.npz: "), Says("error.file.missing")));
  fields.file = write_file("other.npy", {5, 4});
  EXPECT_THAT(message(draw()), AllOf(HasSubstr("other.npy: "), HasSubstr("[5, 4]")));
  fields.file = write_file("odd.npy", {2, 6, 7});
  EXPECT_THAT(message(draw()), HasSubstr("dim is 7"));
  for (const AttentionShow show : {AttentionShow::shift, AttentionShow::energy}) {
    fields.show = show;
    EXPECT_THAT(message(draw()), HasSubstr("dim is 7"));
  }
  fields.show = AttentionShow::cost;
  EXPECT_TRUE(message(draw()).empty()) << "the cost looks at no file";
}

TEST_F(AttentionView, DroppedArraysAreTaken) {
  fields.show = AttentionShow::cost;
  EXPECT_TRUE(kAttentionView.open(experiment, "a/qk.npz"));
  EXPECT_EQ(fields.content, AttentionSource::file);
  EXPECT_EQ(fields.file, "a/qk.npz");
  EXPECT_EQ(fields.show, AttentionShow::weights);
  EXPECT_TRUE(kAttentionView.open(experiment, "b.npy"));
  const Experiment before = experiment;
  EXPECT_FALSE(kAttentionView.open(experiment, "config.json"));
  EXPECT_EQ(experiment, before);
}

}  // namespace
}  // namespace ropescope
