// Real vectors of several layers: the pictures show what core computes from the file.

#include "core/formats/dumps/dump.h"

#include "app/experiment/rope_spec.h"
#include "tests/figures/attention_view_fixture.h"
#include "tests/layered_files.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class AttentionLayers : public AttentionView {
 protected:
  AttentionLayers() {
    fields.content = AttentionSource::file;
    fields.show = AttentionShow::energy;
    fields.file = write("base.safetensors", random_layers(3, 50, 6, 2, 16));
    experiment.rope.base = 500;
  }

  std::string write(const std::string& name, const std::vector<DumpArray>& arrays) {
    const std::string content = safetensors_of(arrays);
    std::ofstream(folder.path / name, std::ios::binary)
        .write(content.data(), static_cast<std::streamsize>(content.size()));
    return (folder.path / name).string();
  }

  LayerMeans means(const std::string& path, std::int64_t layer) const {
    DumpReading reading;
    reading.layer = layer;
    return layer_means(load_attention_dump(path, reading).dump, 40, Pairing::half_split, 8);
  }
};

TEST_F(AttentionLayers, EveryPictureOfAttentionTakesALayer) {
  fields.energy_of = EnergyOf::head;
  fields.layer = 1;
  for (const AttentionShow show : {AttentionShow::weights, AttentionShow::shift, AttentionShow::energy}) {
    fields.show = show;
    EXPECT_TRUE(message(draw()).empty()) << word_of(show);
  }
  const auto product = figure(draw(), "energy").lines[0].series->ys;
  EXPECT_NEAR(product[3], means(fields.file, 1).product(0)[3], 1e-14);
  fields.layer = 2;
  EXPECT_NE(figure(draw(), "energy").lines[0].series->ys, product);
  fields.layer = 3;
  EXPECT_THAT(message(draw()),
              Says("error.dump.no_layer", {{"layer", "3"}, {"count", "3"}, {"first", "0"}, {"last", "2"}}));
}

TEST_F(AttentionLayers, AllHeadsStandBesideTheirBounds) {
  fields.energy_of = EnergyOf::heads;
  fields.layer = 2;
  const ViewResult result = draw();
  DumpReading reading;
  reading.layer = 2;
  const LoadedDump loaded = load_attention_dump(fields.file, reading);
  const HeadTurns turns = head_turns(read_rope(experiment.rope).ladder.frequencies, 40, Pairing::half_split, 0.25);
  const std::vector<HeadScores> scores = layer_scores(loaded.dump, 0, 6, 40, turns);
  for (std::size_t head = 0; head < 6; ++head) {
    const Figure& shown = figure(result, "head" + std::to_string(head + 1));
    for (const int distance : {0, 7, 39}) {
      const auto at = static_cast<std::size_t>(distance);
      EXPECT_EQ(with_key(shown.lines, "mean").series->ys[at], scores[head].mean[distance]);
      EXPECT_EQ(with_key(shown.lines, "bound").series->ys[at], scores[head].bound[distance]);
      EXPECT_EQ(with_key(shown.lines, "lower_bound").series->ys[at], -scores[head].bound[distance]);
      EXPECT_EQ(with_key(shown.lines, "bias").series->ys[at], scores[head].bias[distance]);
    }
    EXPECT_EQ(shown.y.range, result.panels.front().figure.y.range) << "one axis for all";
    EXPECT_THAT(shown.title, HasSubstr("of bound"));
  }
  EXPECT_THAT(result.status, HasSubstr("heads 1 to 6 of 6 (page 1 of 1)"));
  EXPECT_THAT(result.panels.front().figure.y.label, HasSubstr("symlog")) << "the axis names its scale";
  EXPECT_THAT(readout(result, "attention.nearest_bound").text, HasSubstr("at most "));
  EXPECT_THAT(readout(result, "attention.direction_bias").note, HasSubstr("Head "));
  const auto started = store.started();
  draw();
  EXPECT_EQ(store.started(), started);
  react(FigureEvent::Kind::click, "head5", 3, 0);
  EXPECT_EQ(fields.head, 5);
  EXPECT_EQ(fields.energy_of, EnergyOf::head);
}

TEST_F(AttentionLayers, ManyHeadsAreTakenPageByPage) {
  fields.file = write("many.safetensors", random_layers(1, 10, 20, 4, 16));
  fields.energy_of = EnergyOf::heads;
  EXPECT_EQ(draw().panels.size(), 16u);
  fields.page = 2;
  EXPECT_EQ(draw().panels.front().figure.name, "head17");
  EXPECT_EQ(draw().panels.size(), 4u);
  fields.page = 9;
  EXPECT_THAT(draw().status, HasSubstr("page 2 of 2")) << "the last one";
}

TEST_F(AttentionLayers, TheMapHoldsTheShareOfEveryPairAndLayer) {
  fields.energy_of = EnergyOf::layers;
  fields.layer = 1;
  const ViewResult result = draw();
  const Figure& map = figure(result, "carriers");
  const Figure& fixed = figure(result, "fixed");
  for (std::int64_t layer = 0; layer < 3; ++layer) {
    const LayerMeans expected = means(fields.file, layer);
    for (const int pair : {0, 5, 7}) {
      EXPECT_NEAR(map.maps[0].exact(pair, static_cast<double>(layer)), 100 * shares(expected.product())[pair], 1e-12);
    }
    EXPECT_NEAR(fixed.maps[0].exact(6, static_cast<double>(layer)), 100 * expected.fixed_share(5), 1e-12);
  }
  const Figure& lines = figure(result, "shares");
  EXPECT_NEAR(with_key(lines.lines, "chosen").series->ys[4], map.maps[0].exact(4, 1), 1e-12);
  EXPECT_NE(with_key(lines.lines, "all").series->ys[4], map.maps[0].exact(4, 1));
  EXPECT_NE(readout(result, "attention.carrier").text, "");
  EXPECT_THAT(readout(result, "attention.fixed").note, HasSubstr("layer "));
  react(FigureEvent::Kind::click, "carriers", 3, 2.2);
  EXPECT_EQ(fields.layer, 2);
  react(FigureEvent::Kind::click, "fixed", 4, 0);
  EXPECT_EQ(fields.head, 4);
  EXPECT_EQ(fields.layer, 0);
}

TEST_F(AttentionLayers, DirectionsPointWhereTheTokensDo) {
  // Pair 3 of every q and k points the same way.
  std::vector<DumpArray> arrays = random_layers(1, 40, 2, 1, 16);
  for (DumpArray& array : arrays) {
    for (std::size_t token = 0; 16 * token < array.values.size(); ++token) {
      array.values[16 * token + 3] = array.name[0] == 'q' ? 2 : 0;
      array.values[16 * token + 11] = array.name[0] == 'q' ? 0 : 3;
    }
  }
  fields.file = write("fixed.safetensors", arrays);
  fields.energy_of = EnergyOf::directions;
  const ViewResult result = draw();
  const Figure& lines = figure(result, "directions");
  EXPECT_NEAR(with_key(lines.lines, "query").series->ys[3], 1, 1e-12);
  EXPECT_NEAR(with_key(lines.lines, "key").series->ys[3], 1, 1e-12);
  EXPECT_LT(with_key(lines.lines, "key").series->ys[2], 0.6);
  const Arrow& arrow = with_key(figure(result, "plane").arrows, "key.3");
  EXPECT_NEAR(arrow.x1, 0, 1e-12);
  EXPECT_NEAR(arrow.y1, 1, 1e-12);
  EXPECT_EQ(arrow.label, "3");
  EXPECT_NEAR(figure(result, "direction_heads").maps[0].exact(3, 2), 1, 1e-12);
  EXPECT_EQ(readout(result, "attention.query_direction").text, "1");
  EXPECT_EQ(readout(result, "attention.key_direction").note, "Pair 3, at 1.571 radians.");
  react(FigureEvent::Kind::click, "direction_heads", 3, 2);
  EXPECT_EQ(fields.head, 2);
  fields.head = 3;
  EXPECT_THAT(message(draw()), Says("error.dump.no_head", {{"head", "3"}, {"heads", "2"}}));
}

TEST_F(AttentionLayers, TwoDumpsStandInTheSamePictures) {
  fields.against = write("child.safetensors", random_layers(3, 45, 6, 2, 16, 100));
  fields.energy_of = EnergyOf::heads;
  ViewResult result = draw();
  const Figure& head = figure(result, "head2");
  const double apart = with_key(head.lines, "against_mean").series->ys[5] - with_key(head.lines, "mean").series->ys[5];
  EXPECT_NE(apart, 0);
  EXPECT_THAT(with_key(head.lines, "against_bias").label, HasSubstr("child.safetensors"));
  EXPECT_NE(readout(result, "attention.mean_apart").text, "");
  fields.energy_of = EnergyOf::layers;
  result = draw();
  EXPECT_EQ(figure(result, "difference").maps[0].exact(2, 1),
            figure(result, "against_carriers").maps[0].exact(2, 1) - figure(result, "carriers").maps[0].exact(2, 1));
  const LayerMeans a = means(fields.file, 2), b = means(fields.against, 2);
  EXPECT_NEAR(figure(result, "moved").maps[0].exact(3, 2),
              100 * moved_share(shares(a.product(2)), shares(b.product(2))), 1e-12);
  EXPECT_NE(readout(result, "attention.moved").text, "");
  fields.energy_of = EnergyOf::directions;
  result = draw();
  EXPECT_FALSE(with_key(figure(result, "directions").lines, "against_query").series->ys.empty());
  EXPECT_NE(readout(result, "attention.direction_change").text, "");
  EXPECT_EQ(kAttentionView.files(experiment).size(), 2u) << "the window looks whether either has changed";
  // The same file twice differs by nothing.
  fields.against = fields.file;
  EXPECT_EQ(readout(draw(), "attention.direction_change").text, "0");
}

TEST_F(AttentionLayers, WhatDoesNotFitIsASentence) {
  fields.energy_of = EnergyOf::layers;
  fields.against = write("wide.safetensors", random_layers(3, 45, 6, 3, 16));
  EXPECT_THAT(message(draw()),
              AllOf(HasSubstr("wide.safetensors: "), Says("error.dump.two_shapes", {{"heads", "6"},
                                                                                    {"head_dim", "16"},
                                                                                    {"key_heads", "3"},
                                                                                    {"other_heads", "6"},
                                                                                    {"other_dim", "16"},
                                                                                    {"other_key_heads", "2"}})));
  std::vector<DumpArray> others = random_layers(1, 45, 6, 2, 16);
  others[0].name = "q.7", others[1].name = "k.7";
  fields.against = write("others.safetensors", others);
  EXPECT_THAT(message(draw()), Says("error.dump.no_common_layer"));
  fields.against.clear();
  std::vector<DumpArray> holed = random_layers(2, 45, 6, 2, 16);
  holed[2].values[8] = std::nan("");
  fields.file = write("holed.safetensors", holed);
  EXPECT_THAT(message(draw()), AllOf(HasSubstr("q.1: "), Says("error.dump.nan", {{"place", "[0, 0, 8]"}})));
  holed.pop_back();
  fields.file = write("half.safetensors", holed);
  EXPECT_THAT(message(draw()), Says("error.dump.half_layer", {{"other", "q"}, {"layer", "1"}, {"missing", "k"}}));
  fields.file.clear();
  EXPECT_THAT(message(draw()), Says("view.attention.no_file"));
}

TEST_F(AttentionLayers, TensorsAreTakenWhereAttentionIsShown) {
  fields.file.clear();
  EXPECT_TRUE(kAttentionView.open(experiment, "a/qk.safetensors"));
  EXPECT_EQ(fields.file, "a/qk.safetensors");
  experiment.view = "decay";
  EXPECT_FALSE(kAttentionView.open(experiment, "a/tables.safetensors")) << "that is for Check";
}

/// The window shows what is there, and says how far it is.
TEST_F(AttentionLayers, LayersFillInWhileOneLooks) {
  Store asynchronous(Store::Mode::asynchronous, 2);
  fields.energy_of = EnergyOf::layers;
  fields.file = write("long.safetensors", random_layers(4, 256, 4, 4, 64));
  fields.tokens = 256;
  experiment.rope.rotary_dim = experiment.rope.head_dim = 64;
  bool progressed = false;
  ViewResult result;
  for (int pass = 0; pass < 20'000; ++pass) {
    asynchronous.begin_pass();
    result = draw_view(kAttentionView, experiment, text, asynchronous);
    asynchronous.end_pass();
    progressed |= result.stale && result.progress && *result.progress < 1;
    if (!result.stale) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_TRUE(progressed);
  EXPECT_FALSE(result.stale);
  EXPECT_FALSE(std::isnan(figure(result, "carriers").maps[0].exact(0, 3)));
  EXPECT_THAT(result.status, HasSubstr("4 layers"));
}

}  // namespace
}  // namespace ropescope
