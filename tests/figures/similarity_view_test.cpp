#include "app/views/similarity.h"

#include "app/figure/palette.h"
#include "app/views/shared/layouts.h"
#include "core/attention/attention.h"
#include "core/layouts/similarity.h"
#include "tests/figures/layout_parts.h"
#include "tests/figures/scene_checks.h"
#include "tests/said.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

class SimilarityView : public TestOfView<kSimilarityView> {
 protected:
  LayoutFields& layout = experiment.layout;
  SimilarityFields& fields = experiment.similarity;

  void click(double x, double y, const std::string& figure = "similarity") {
    react(FigureEvent::Kind::click, figure, x, y);
  }
  void point(double x, double y, const std::string& figure = "similarity") {
    experiment.pointer = Pointer{figure, x, y};
  }
};

const Map& find_similarity_map(const ViewResult& result, const std::string& name = "similarity") {
  return image_map(result, name);
}

/// The exact values of a case of the reference, which is a 64 × 64 image.
void expect_case(const json& entry, const Map& map) {
  for (std::size_t i = 0; i < entry["tokens"].size(); ++i) {
    const int token = entry["tokens"][i];
    const double expected = entry["exact_normalised"][i];
    EXPECT_NEAR(map.exact(token % 64, token / 64), expected, 1e-13) << entry["id"] << " " << token;
    EXPECT_NEAR(map.cells->values[static_cast<std::size_t>(token)], expected, 1e-7);
  }
}

TEST_F(SimilarityView, MeetsTheReference) {
  const json file = read_reference("similarity/flux1_64x64.json");
  const ViewResult result = draw();
  expect_case(file["cases"][0], find_similarity_map(result));
  expect_case(file["cases"][1], find_similarity_map(result, "similarity_against"));
  layout.anchor = 2080;
  expect_case(read_reference("similarity/flux1_64x64_center.json")["cases"][0], find_similarity_map(draw()));
  layout.name = "flux.2";
  layout.anchor = 0;
  expect_case(read_reference("similarity/flux2_64x64.json")["cases"][0], find_similarity_map(draw()));
}

TEST_F(SimilarityView, PartsOfTheAxesSumToTheWhole) {
  const json entry = read_reference("similarity/flux1_64x64_center.json")["cases"][0];
  layout.anchor = 2080;
  const ViewResult whole = draw();
  std::vector<ViewResult> parts;
  for (const char* axis : {"t", "row", "column"}) {
    fields.axis = axis;
    parts.push_back(draw());
    EXPECT_THAT(figure(parts.back(), "similarity").title, HasSubstr(axis));
  }
  for (std::size_t i = 0; i < entry["tokens"].size(); ++i) {
    const int token = entry["tokens"][i], x = token % 64, y = token / 64;
    double sum = 0;
    for (std::size_t axis = 0; axis < parts.size(); ++axis) {
      const double part = find_similarity_map(parts[axis]).exact(x, y);
      EXPECT_NEAR(part, entry["per_axis_sum"][axis][i].get<double>() / 64, 5e-6) << axis << " " << token;
      sum += part;
    }
    EXPECT_NEAR(sum, find_similarity_map(whole).exact(x, y), 1e-14);
  }
  // The raster has one axis, with another name: it stays whole.
  EXPECT_EQ(find_similarity_map(parts.back(), "similarity_against").exact(5, 9),
            find_similarity_map(whole, "similarity_against").exact(5, 9));
}

TEST_F(SimilarityView, AxesThatShareTheirPairsHaveNoPartsOfTheirOwn) {
  layout.name = "vit-mixed";
  layout.width = layout.height = 224;
  const ViewResult whole = draw();
  fields.axis = "x";
  const ViewResult part = draw();
  EXPECT_EQ(find_similarity_map(whole).exact(3, 5), find_similarity_map(part).exact(3, 5));
  EXPECT_EQ(find_similarity_map(whole).words(3, 5).rows.size(), 3u) << "place, difference, the other layout";
}

TEST_F(SimilarityView, EveryLayoutShowsWhatTheFormulaSays) {
  for (const Layout& each : all_layouts()) {
    layout = {};
    layout.name = each.name;
    layout.size_by = SizeBy::tokens;
    layout.rows = 5;
    layout.columns = 7;
    layout["text"] = 9;
    layout["frames"] = 3;
    layout.frame = 2;
    layout.anchor = 4;
    if (takes(each, "references")) layout.references = "3x4";
    for (const ContentKind how : {ContentKind::aligned, ContentKind::random}) {
      fields.content = how;
      const ViewResult result = draw();
      ASSERT_EQ(result.panels.at(0).figure.empty_message, "") << each.name;
      const auto arranged = computed<arrange_layouts>(LayoutToArrange(layout));
      const TokenLayout& tokens = arranged->tables->layout();
      const Content content =
          fields.content == ContentKind::random ? random_content(static_cast<int>(tokens.pair_count()), 1) : Content{};
      const FrameTiles tiles = main_tiles(layout, tokens);
      const TokenBlock& main = tokens.blocks[main_block(tokens)];
      ASSERT_EQ(static_cast<int>(tiles.frames.size()), main.frames);
      for (std::int64_t token = 0; token < main.count(); ++token) {
        const std::size_t tile = *tiles.tile_of(token);
        const SeenBlock& seen = tiles.frames[tile];
        const CellPlace at = tiles.place(tile);
        const double expected =
            similarity_between(tokens, table_row(tokens, 4), table_row(tokens, token), content).total;
        const double x = at.x + static_cast<double>(seen.column_of(token));
        const double y = at.y + static_cast<double>(seen.row_of(token));
        EXPECT_NEAR(figure(result, "similarity").maps.at(tile).exact(x, y), expected, 1e-10) << each.name << token;
      }
      // Text, references and padding are there, too: the first six of them.
      std::int64_t others = 0;
      int shown = 0;
      for (const TokenBlock& block : tokens.blocks) {
        if (&block != &main && ++shown <= 6) others += block.count() / block.frames;
      }
      EXPECT_EQ(filled_cells(figure(result, "similarity").maps), main.count() + others) << each.name;
    }
  }
}

TEST_F(SimilarityView, BothMapsHaveTheSameColours) {
  for (const SimilarityColours colours : {SimilarityColours::full, SimilarityColours::fitted}) {
    fields.colours = colours;
    const ViewResult result = draw();
    std::size_t bars = 0;
    double low = 1, high = -1;
    for (const Panel& panel : result.panels) {
      for (const Map& map : panel.figure.maps) {
        EXPECT_EQ(map.range, find_similarity_map(result).range) << panel.figure.name;
        bars += map.bar ? 1 : 0;
        for (const float value : map.cells->values) {
          if (std::isnan(value)) continue;
          low = std::min(low, static_cast<double>(value));
          high = std::max(high, static_cast<double>(value));
        }
      }
    }
    EXPECT_EQ(bars, 2u) << "one beside each map: both have the same room";
    const Range expected = fields.colours == SimilarityColours::full ? Range{-1, 1} : Range{low, high};
    EXPECT_NEAR(find_similarity_map(result).range.low, expected.low, 1e-7);
    EXPECT_NEAR(find_similarity_map(result).range.high, expected.high, 1e-7);
  }
}

/// YaRN's amplitude takes similarities beyond 1: no colour stands for more than its number.
TEST_F(SimilarityView, ColoursReachWhatAnAmplitudeMakes) {
  layout.size_by = SizeBy::tokens;
  layout.rows = 5;
  layout.columns = 7;
  layout.scaling = "yarn";
  layout["factor_x"] = layout["factor_y"] = 4;
  const Map map = find_similarity_map(draw());
  EXPECT_GT(map.range.high, 1.05);
  EXPECT_EQ(map.range.low, -map.range.high);
}

TEST_F(SimilarityView, ProfilesRunThroughTheAnchor) {
  layout.size_by = SizeBy::tokens;
  layout.rows = 6;
  layout.columns = 9;
  layout.anchor = 2 * 9 + 4;
  const ViewResult result = draw();
  for (const std::string side : {"", "_against"}) {
    const Figure& profile = figure(result, "profile" + side);
    const Map& map = find_similarity_map(result, "similarity" + side);
    const Series &row = *line(profile, "along_row").series, &column = *line(profile, "down_column").series;
    ASSERT_EQ(row.ys.size(), 9u);
    ASSERT_EQ(column.ys.size(), 6u);
    for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(row.ys[i], map.exact(static_cast<double>(i), 2));
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(column.ys[i], map.exact(4, static_cast<double>(i)));
    EXPECT_EQ(profile.lines.front().key, "down_column") << "the dashes lie over the solid line";
    EXPECT_NEAR(row.ys[4], 1, 1e-14);
    EXPECT_THAT(profile.x.label, Says("view.similarity.profile", {{"row", "2"}, {"column", "4"}}));
    EXPECT_EQ(profile.y.fit, figure(result, "profile").y.fit) << "heights compare";
  }
}

TEST_F(SimilarityView, TheAnchorFollowsTheMouseOrStaysWhereItWasClicked) {
  point(41, 17);
  EXPECT_NEAR(find_similarity_map(draw()).exact(41, 17), 1, 1e-14);
  EXPECT_NEAR(find_similarity_map(draw(), "similarity_against").exact(41, 17), 1, 1e-14) << "in both maps";
  point(3, 2, "similarity_against");
  EXPECT_NEAR(find_similarity_map(draw()).exact(3, 2), 1, 1e-14) << "from either map";
  EXPECT_EQ(layout.anchor, 0) << "to look is no edit";
  experiment.pointer.reset();
  EXPECT_NEAR(find_similarity_map(draw()).exact(0, 0), 1, 1e-14);
  click(5, 6);
  EXPECT_EQ(fields.anchor_mode, AnchorMode::fixed);
  EXPECT_EQ(layout.anchor, 6 * 64 + 5);
  EXPECT_EQ(layout.targets, "");
  point(41, 17);
  const ViewResult fixed = draw();
  EXPECT_NEAR(find_similarity_map(fixed).exact(5, 6), 1, 1e-14);
  // Frames around the anchor and the patch under the mouse, two each.
  EXPECT_EQ(figure(fixed, "similarity").boxes.size(), 4u);
  EXPECT_EQ(figure(fixed, "similarity_against").boxes.size(), 4u);
  click(5, 7, "similarity_against");
  EXPECT_EQ(layout.targets, "453");
  EXPECT_EQ(readout(draw(), "patch.target1").label, "Similarity of 390 and 454");
  click(200, 0);
  EXPECT_EQ(layout.targets, "453") << "beside the image";
}

TEST_F(SimilarityView, TheQuestionIsSettledInWords) {
  layout.width = 512;
  layout.anchor = 40;
  fields.content = ContentKind::random;
  fields.against = "wan";
  const Controls controls(fields_of(kSimilarityView, experiment));
  EXPECT_TRUE(controls.twice.empty());
  press_ask(kSimilarityView, experiment);
  EXPECT_EQ(fields.anchor_mode, AnchorMode::fixed);
  point(41, 17);
  const ViewResult result = draw();
  expect_raster_answer(result);
  // Another layout is called by its name.
  fields.against = "wan";
  EXPECT_THAT(readout(draw(), "patch.target2").note, HasSubstr("Wan: 0."));
}

TEST_F(SimilarityView, TheCardSaysWhatEachAxisAdds) {
  const PlaceWords words = find_similarity_map(draw()).words(41, 17);
  EXPECT_EQ(words.head, "patch 1\u202f130");
  EXPECT_EQ(said(words, text["view.layout.card.place"]), "row 17, column 41");
  EXPECT_EQ(said(words, text.format("view.layout.card.difference", {{"anchor", "patch 1"}})), "(0, 17, 41)");
  const auto part_of = [this](const char* axis) { return text.format("view.similarity.part_of", {{"axis", axis}}); };
  EXPECT_EQ(said(words, part_of("t")), "0.1250");
  const TokenSimilarity exact =
      similarity_between(computed<arrange_layouts>(LayoutToArrange(layout))->tables->layout(), 512, 512 + 17 * 64 + 41);
  EXPECT_NEAR(std::stod(said(words, part_of("column"))), exact.per_axis[2], 5e-5);
  EXPECT_EQ(said(words, "Raster: one line").substr(0, 5), "0.131");
  const ViewResult result = draw();
  const Map& of_text = with_key(figure(result, "similarity").maps, "text");
  EXPECT_EQ(of_text.words(of_text.x.low + 1e-9, of_text.y.low + 1e-9).head, "Text: token 1");
}

TEST_F(SimilarityView, WhatCannotBeDrawnSaysWhy) {
  layout.width = 1000;
  EXPECT_THAT(draw().panels.at(0).figure.empty_message, HasSubstr("992x1024 or 1008x1024"));
  EXPECT_THAT(draw().fault, HasSubstr("992x1024 or 1008x1024")) << "or a file of it would be written";
  layout = {};
  fields.against = "text";
  const ViewResult beside = draw();
  EXPECT_THAT(figure(beside, "similarity_against").empty_message, HasSubstr("no image"));
  EXPECT_EQ(find_similarity_map(beside).bar, true) << "the map that is there says the colours";
  layout.size_by = SizeBy::tokens;
  layout.rows = layout.columns = 8192;
  EXPECT_THAT(draw().panels.at(0).figure.empty_message, HasSubstr("tokens"));
  layout = {};
  fields.against = "none";
  std::vector<std::string> names;
  const ViewResult alone = draw();
  for (const Panel& panel : alone.panels) names.push_back(panel.figure.name);
  EXPECT_THAT(names, Not(Contains("similarity_against")));
}

TEST_F(SimilarityView, ATextAloneIsOnePicture) {
  layout.name = "text";
  const ViewResult result = draw();
  for (const Panel& panel : result.panels) EXPECT_EQ(panel.figure.empty_message, "") << panel.figure.name;
  EXPECT_EQ(result.panels.size(), 2u);
}

TEST_F(SimilarityView, NoTextStandsBesideALayoutThatTakesNone) {
  layout.name = "vit-mixed";
  layout.width = layout.height = 224;
  const ViewResult result = draw();
  EXPECT_EQ(figure(result, "similarity_against").maps.size(), 1u);
  EXPECT_EQ(figure(result, "similarity").y.fit, (Range{-0.5, 13.5}));
}

TEST_F(SimilarityView, NamesOfPartsAreShortWhereThereAreMany) {
  layout.name = "flux.2";
  layout.references = "512x512,512x512";
  const auto names = [this] {
    std::vector<std::string> found;
    const ViewResult result = draw();
    for (const Label& label : figure(result, "similarity").labels) found.push_back(label.text);
    return found;
  };
  EXPECT_THAT(names(), ElementsAre("Text", "R1", "R2"));
  for (int i = 0; i < 38; ++i) layout.references += ",512x512";
  const ViewResult many = draw();
  EXPECT_THAT(names().back(), HasSubstr("+35"));
  const Figure& map = figure(many, "similarity");
  EXPECT_LT(map.y.fit.high - map.y.fit.low, 2 * 64) << "the image keeps at least half";
  for (const Map& part : map.maps) EXPECT_LT(part.x.high, 64);
}

TEST_F(SimilarityView, CellsAreEquallyLargeInBothMaps) {
  struct Room {
    double width, height, text_scale;
  };
  // Of figures in windows of 1280×720, 1600×1000, 1280×720 and 3840×2160, the last two with text of 200 %.
  const std::vector<Room> rooms{{728, 450, 1}, {1050, 740, 1}, {540, 380, 2}, {2900, 1700, 2}};
  for (const char* name : {"flux.1", "flux.2", "vit-mixed"}) {
    layout.name = name;
    const ViewResult result = draw();
    for (const Room& room : rooms) {
      FigureOptions options;
      options.text_size = 13 * room.text_scale;
      const double padding = 16 * room.text_scale;
      const auto places =
          stack_panels(result.panels, {{0, 0, room.width, room.height}, 12, padding}, options, even_measure);
      std::vector<double> cells;
      for (std::size_t i = 0; i < 2; ++i) {
        const Rect& outer = places[i].rect;
        const Rect inner{outer.left + padding, outer.top + padding, outer.width - 2 * padding,
                         outer.height - 2 * padding};
        const FigureLayout drawn = lay_out(result.panels[i].figure, inner, Palette{}, places[i].options, even_measure);
        cells.push_back(drawn.x.to_pixel(20) - drawn.x.to_pixel(0));
        EXPECT_NEAR(drawn.y.to_pixel(20) - drawn.y.to_pixel(0), cells.back(), 1) << name << " " << room.width;
      }
      EXPECT_NEAR(cells[0], cells[1], 0.5) << name << " " << room.width;
    }
  }
}

TEST_F(SimilarityView, FollowingTheMouseNeedsNoNewTables) {
  layout.width = layout.height = 8192;
  draw();
  const std::int64_t started = store.started();
  draw();
  EXPECT_EQ(store.started(), started) << "a second call computes nothing";
  point(41, 17);
  draw();
  EXPECT_EQ(store.started(), started + 2) << "the two maps";
  // What is followed is never waited for: the map under the mouse is that of the mouse, also in the window.
  SimilarityInput input;
  input.arranged = computed<arrange_layouts>(LayoutToArrange(layout));
  EXPECT_LE(input.cost(), 1e6);
}

TEST_F(SimilarityView, ALargeImageWhoseAxesShareTheirPairsIsLeftToTheWorker) {
  layout.name = "vit-mixed";
  layout.size_by = SizeBy::tokens;
  const auto cost = [this](int rows, int columns, int heads) {
    layout.rows = rows;
    layout.columns = columns;
    layout["heads"] = heads;
    SimilarityInput input;
    input.arranged = computed<arrange_layouts>(LayoutToArrange(layout));
    EXPECT_EQ(input.arranged->tables->layout().pair_count(), 32 * heads);
    return input.cost();
  };
  EXPECT_LE(cost(14, 14, 12), 1e6);
  EXPECT_LE(cost(64, 64, 12), 1e6) << "of short axes a product of matrices";
  EXPECT_GT(cost(128, 128, 12), 1e6);
  EXPECT_LE(cost(160, 160, 1), 1e6);
  EXPECT_GT(cost(176, 176, 1), 1e6);
  EXPECT_GT(cost(2419, 64, 1), 1e6) << "of long ones every row goes through all its pairs: some 24 ms";
  EXPECT_LT(cost(2040, 75, 1), cost(2419, 64, 1) / 5) << "nearly as many rows, but one product";
}

}  // namespace
}  // namespace ropescope
