#include "tests/figures/compare_view_fixture.h"
#include "tests/said.h"

namespace ropescope {
namespace {

TEST_F(CompareView, EveryCurveIsTheScoreOfItsEncoding) {
  fields.encodings = all_names();
  fields.span = 40;
  fields.key_position = 5;
  fields.later_keys = true;
  for (const ContentKind how : {ContentKind::aligned, ContentKind::random}) {
    fields.content = how;
    const auto [q, k] = content();
    for (const bool normalised : {false, true}) {
      fields.normalised = normalised;
      const ViewResult result = draw();
      const Figure& scores = figure(result, "scores");
      ASSERT_EQ(scores.lines.size(), all_encodings().size());
      for (const Encoding& encoding : all_encodings()) {
        const auto of = model(std::string(encoding.name));
        const Series& series = *line(scores, std::string(encoding.name)).series;
        ASSERT_EQ(series.ys.size(), 81u);
        for (std::size_t i = 0; i < series.ys.size(); i += 3) {
          const auto distance = static_cast<std::int64_t>(series.x_at(i));
          const double unit = normalised ? q.norm() * k.norm() * of->scale() : 1;
          if (5 + distance < 0 && encoding.positions) {
            EXPECT_TRUE(std::isnan(series.ys[i])) << encoding.name;
          } else {
            EXPECT_NEAR(series.ys[i], of->score(q, k, 5 + distance, 5) / unit, 1e-9) << encoding.name << distance;
          }
        }
      }
    }
  }
}

// xPos with a scale base of 1 leaves the doubles within some hundred tokens, where keys come later.
TEST_F(CompareView, ScoresBeyondADoubleLeaveAnAxisThatShowsTheOthers) {
  fields.encodings = {"xpos", "rope"};
  fields.span = 1500;
  fields.later_keys = true;
  fields.score_axis = AxisScale::symlog;
  experiment.encoding["xpos_scale_base"] = 1;
  const ViewResult result = draw();
  const FigureAxis& scores = figure(result, "scores").y;
  const Series& xpos = *line(figure(result, "scores"), "xpos").series;
  ASSERT_FALSE(std::isfinite(xpos.ys.front())) << "what this is about";
  ASSERT_GT(std::abs(summarise(xpos, 0, xpos.ys.size()).maximum), 1e290);
  EXPECT_TRUE(std::isfinite(scores.fit.low) && std::isfinite(scores.fit.high));
  EXPECT_EQ(scores.range, scores.fit);
  EXPECT_GT(scores.fit.high, 1) << "it shows all of RoPE";
}

TEST_F(CompareView, ALinearBiasIsAStraightLineOnAnAxisOfItsOwn) {
  fields.encodings = {"sinusoidal", "t5", "rope", "alibi"};
  fields.score_axis = AxisScale::linear;
  const ViewResult result = draw();
  const Figure& scores = figure(result, "scores");
  ASSERT_TRUE(scores.right);
  for (const Line& each : scores.lines) EXPECT_EQ(each.right, each.key == "alibi") << each.key;
  // 0 is at the same height, and the factor between the axes is 1, 2 or 5 times a power of ten: their ticks coincide.
  const double factor = scores.right->range.high / scores.y.range.high;
  EXPECT_NEAR(scores.right->range.low / scores.y.range.low, factor, 1e-9);
  const double leading = factor / std::pow(10, std::floor(std::log10(factor) + 1e-9));
  EXPECT_TRUE(std::abs(leading - 1) < 1e-9 || std::abs(leading - 2) < 1e-9 || std::abs(leading - 5) < 1e-9) << factor;
  for (const Line& each : scores.lines) {
    const Range& range = each.right ? scores.right->range : scores.y.range;
    for (const double score : each.series->ys) {
      EXPECT_TRUE(score >= range.low && score <= range.high) << each.key;
    }
  }
  // Both axes are zoomed together.
  fields.zooms["encodings.score_range"] = Range{-1, 1};
  const ViewResult zoomed = draw();
  EXPECT_NEAR(figure(zoomed, "scores").right->range.high, factor, 1e-9 * factor);
  // One scale is enough for similar scores, and for a logarithmic axis.
  fields.zooms["encodings.score_range"].reset();
  fields.score_axis = AxisScale::symlog;
  EXPECT_FALSE(figure(draw(), "scores").right);
  fields.score_axis = AxisScale::linear;
  fields.encodings = {"sinusoidal", "rope"};
  EXPECT_FALSE(figure(draw(), "scores").right);
}

TEST_F(CompareView, FewCurvesAreNamedNextToThem) {
  fields.encodings = {"learned", "rope", "alibi"};
  const ViewResult result = draw();
  const Figure& scores = figure(result, "scores");
  ASSERT_EQ(scores.labels.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(scores.labels[i].text, scores.lines[i].label);
    EXPECT_TRUE(scores.labels[i].hint) << "on a page the legend names them";
  }
}

TEST_F(CompareView, NormalisedRopeIsTheSimilarityKernel) {
  fields.encodings = {"none", "rope"};
  const ViewResult result = draw();
  const Series& rope = *line(figure(result, "scores"), "rope").series;
  const Series& none = *line(figure(result, "scores"), "none").series;
  EXPECT_NEAR(rope.ys[0], 1, 1e-14);
  EXPECT_NEAR(none.ys[700], 1, 1e-14);
  double kernel = 0;
  for (int pair = 0; pair < 16; ++pair) kernel += std::cos(37 * std::pow(10000.0, -pair / 16.0)) / 16;
  EXPECT_NEAR(rope.ys[37], kernel, 1e-13);
}

TEST_F(CompareView, LearnedTablesEndVisibly) {
  fields.encodings = {"learned", "tupe", "rope"};
  fields.span = 100;
  fields.key_position = 10;
  experiment.encoding["trained_length"] = 60;
  const ViewResult result = draw();
  const Figure& scores = figure(result, "scores");
  for (const char* name : {"learned", "tupe"}) {
    const Series& series = *line(scores, name).series;
    for (std::size_t distance = 0; distance <= 100; ++distance) {
      EXPECT_EQ(std::isnan(series.ys[distance]), distance >= 50) << name << " " << distance;
    }
  }
  EXPECT_FALSE(std::isnan(line(scores, "rope").series->ys[100]));
  ASSERT_EQ(scores.rules.size(), 1u) << "tables of the same length end once";
  EXPECT_EQ(scores.rules[0].at, 50);
  EXPECT_EQ(scores.rules[0].label, "table ends at 60");
  EXPECT_EQ(readout(result, "encodings.defined").text, "1 of 3");
  fields.key_position = 60;
  const ViewResult past = draw();
  EXPECT_TRUE(figure(past, "scores").rules.empty());
  EXPECT_NE(readout(past, "encodings.defined").note.find("key at 60"), std::string::npos);
}

TEST_F(CompareView, SaysWhichAreRelativeAndLearned) {
  fields.encodings = {"sinusoidal", "t5", "rope", "alibi"};
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "encodings.relative").text, "3 of 4");
  EXPECT_EQ(readout(result, "encodings.learned").text, "32");
  EXPECT_EQ(readout(result, "encodings.defined").text, "4 of 4");
  EXPECT_EQ(readout(result, "encodings.formula").text, "Sinusoidal") << "of the first curve";
  const Series& alibi = *line(figure(result, "scores"), "alibi").series;
  experiment.pointer = Pointer{"scores", 300, alibi.ys[300]};
  EXPECT_EQ(readout(draw(), "encodings.formula").text, "ALiBi") << "of the curve under the mouse";
}

TEST_F(CompareView, AnEncodingKeepsItsLook) {
  std::set<int> slots;
  for (const Encoding& encoding : all_encodings()) {
    // Five colours with five dashes each; the next slot would look like the first.
    EXPECT_GE(encoding_slot(encoding.name), 0) << encoding.name << " declares none";
    EXPECT_LT(encoding_slot(encoding.name), 25) << encoding.name;
    EXPECT_TRUE(slots.insert(encoding_slot(encoding.name)).second) << encoding.name;
  }
  std::set<int> colours;
  for (const std::string& name : CompareFields().encodings) {
    EXPECT_TRUE(colours.insert(encoding_slot(name) % 5).second) << name << " has a colour of its own at first";
  }
  fields.encodings = {"rope"};
  const int alone = figure(draw(), "scores").lines.at(0).style.slot;
  fields.encodings = all_names();
  EXPECT_EQ(line(figure(draw(), "scores"), "rope").style.slot, alone);
}

TEST_F(CompareView, NotesFitTheirCardsAndFormulasAreWholeInTooltips) {
  fields.encodings = all_names();
  const ViewResult result = draw();
  EXPECT_EQ(readout(result, "encodings.learned").note.find("Shaw"), std::string::npos) << "only the largest";
  EXPECT_NE(readout(result, "encodings.learned").note.find("TUPE"), std::string::npos);
  EXPECT_NE(readout(result, "encodings.learned").tooltip.find("Shaw "), std::string::npos);
  for (const Encoding& encoding : all_encodings()) {
    fields.encodings = {std::string(encoding.name)};
    const Readout formula = readout(draw(), "encodings.formula");
    std::size_t letters = 0;
    for (const char c : formula.note) letters += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    EXPECT_LE(letters, 52u) << formula.note;
    const std::string& whole = text["readout.encodings.formula.full." + std::string(encoding.name)];
    EXPECT_NE(formula.tooltip.find(whole), std::string::npos) << encoding.name;
    EXPECT_NE(formula.tooltip.find(said(scale_rule_of(encoding))), std::string::npos) << encoding.name;
    EXPECT_EQ(formula.note.rfind(encoding.scale, 0), 0u) << formula.note;
  }
}

TEST_F(CompareView, SeveralTermsLeaveRoomForTheNamesOfTheirCurves) {
  fields.show = CompareShow::matrix;
  for (const char* name : {"sinusoidal", "learned", "transformer-xl", "rope", "shaw"}) {
    fields.encoding = name;
    const ViewResult result = draw();
    for (std::size_t i = 0; i < result.panels.size(); ++i) {
      const Panel& panel = result.panels[i];
      EXPECT_EQ(panel.figure.equal_axes, panel.figure.name != "row") << "cells are square";
      if (panel.figure.name != "row" || panel.figure.lines.size() < 4) continue;
      EXPECT_EQ(i, 1u) << "beside the total";
      EXPECT_GE(panel.width_share, 2);
    }
  }
}

TEST_F(CompareView, WhatCannotBeComputedIsLeftOutAndSaysWhy) {
  experiment.rope.rotary_dim = experiment.rope.head_dim = 4096;
  fields.encodings = {"tupe", "alibi"};
  fields.span = 16;
  const ViewResult result = draw();
  EXPECT_EQ(figure(result, "scores").lines.size(), 1u);
  const auto too_wide = Says("error.encodings.setting", {{"encoding", "tupe"}, {"setting", "dim"}, {"found", "4096"}});
  EXPECT_THAT(readout(result, "encodings.fault").note, too_wide);
  fields.encodings = {"tupe"};
  EXPECT_THAT(draw().panels.at(0).figure.empty_message, too_wide);
  fields.encodings.clear();
  EXPECT_FALSE(draw().panels.at(0).figure.empty_message.empty());
  fields.show = CompareShow::matrix;
  fields.encoding = "tupe";
  EXPECT_THAT(draw().panels.at(0).figure.empty_message, too_wide);
}

TEST_F(CompareView, ASecondCallComputesNothing) {
  for (const CompareShow show : {CompareShow::distance, CompareShow::matrix, CompareShow::phrase}) {
    fields.show = show;
    draw();
    const auto started = store.started();
    EXPECT_GT(started, 0);
    draw();
    // Fields that no shown encoding looks at, and what is only drawn differently.
    experiment.encoding["kerple_r1"] += 1;
    fields.score_axis = fields.score_axis == AxisScale::linear ? AxisScale::symlog : AxisScale::linear;
    fields.normalised = !fields.normalised;
    fields.query += 1;
    experiment.pointer = Pointer{"total", 3, 3};
    draw();
    EXPECT_EQ(store.started(), started) << word_of(show);
  }
}

TEST_F(CompareView, SurvivesSaveAndLoad) {
  fields.show = CompareShow::phrase;
  fields.encodings = {"none", "p-rope"};
  fields.encoding = "kerple";
  fields.sentence = "Wörter, \"so\"";
  fields.zooms["encodings.score_range"] = Range{-3, 4};
  experiment.encoding["kerple_r2"] = 0.25;
  experiment.encoding.settings.toggle("bidirectional") = false;
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "x"), experiment);
}

TEST_F(CompareView, AnUnknownEncodingIsNamed) {
  std::string saved = experiment_to_json(experiment);
  const std::size_t at = saved.find("\"alibi\"");
  ASSERT_NE(at, std::string::npos);
  saved.replace(at, 7, "\"alibo\"");
  EXPECT_REFUSED(experiment_from_json(saved, "saved.json"), HasSubstr("\"alibo\""));
}

TEST_F(CompareView, OnlyFieldsOfTheShownEncodingsHaveControls) {
  fields.encodings = {"alibi"};
  const Controls alibi(fields_of(kCompareView, experiment));
  EXPECT_TRUE(alibi.keys.contains("encoding.heads"));
  EXPECT_TRUE(alibi.keys.contains("rope.rotary_dim"));
  for (const char* key : {"rope.base", "rope.pairing", "rope.scaling", "encoding.kerple_r1", "encoding.seed",
                          "encoding.table_length", "encodings.size", "encodings.move"}) {
    EXPECT_FALSE(alibi.keys.contains(key)) << key;
  }
  fields.encodings = {"rope", "learned", "t5"};
  const Controls others(fields_of(kCompareView, experiment));
  for (const char* key : {"rope.base", "rope.pairing", "encoding.table_length", "encoding.buckets", "encoding.seed",
                          "encoding.bidirectional", "encoding.seeded_projections"}) {
    EXPECT_TRUE(others.keys.contains(key)) << key;
  }
  EXPECT_FALSE(others.keys.contains("encoding.heads"));
  for (const CompareShow show : {CompareShow::distance, CompareShow::matrix, CompareShow::phrase}) {
    fields.show = show;
    const Controls controls(fields_of(kCompareView, experiment));
    for (const std::string& key : controls.keys) {
      EXPECT_TRUE(text.has("field." + key + ".label")) << key;
      EXPECT_TRUE(text.has("field." + key + ".help")) << key;
    }
  }
}

TEST_F(CompareView, TheQuerysControlSaysWhatThePictureShows) {
  fields.show = CompareShow::matrix;
  fields.first_position = 480;
  NumberControl query(kCompareView, experiment, "encodings.query");
  EXPECT_EQ(query.minimum, 480);
  EXPECT_EQ(query.maximum, 543);
  EXPECT_EQ(query.value, 480);
  EXPECT_TRUE(query.unit.empty()) << "a place is no count";
  EXPECT_NE(figure(draw(), "row").title.find("at 480"), std::string::npos);
  EXPECT_EQ(fields.query, 24) << "looking changes nothing";
}

TEST_F(CompareView, FieldsComeFromTheAxisThatIsLookedAt) {
  experiment.rope.axes = "t:16,row:56:2000";
  experiment.rope.axis = "row";
  experiment.rope.head_dim = 72;
  experiment.rope.pairing = Pairing::interleaved;
  experiment.encoding["heads"] = 4;
  experiment.encoding["head"] = 8;
  const EncodingValues rope = collect_encoding_settings(experiment.rope, experiment.encoding, find_encoding("rope"));
  EXPECT_EQ(rope.dim, 56);
  EXPECT_EQ(rope.base, 2000);
  EXPECT_EQ(rope.pairing, Pairing::interleaved);
  EXPECT_EQ(rope.heads, EncodingValues().heads) << "RoPE does not look at them";
  const EncodingValues alibi = collect_encoding_settings(experiment.rope, experiment.encoding, find_encoding("alibi"));
  EXPECT_EQ(alibi.heads, 4);
  EXPECT_EQ(alibi.head, 4) << "there is no head 8 of 4";
  EXPECT_EQ(alibi.base, EncodingValues().base);
}

}  // namespace
}  // namespace ropescope
