#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/resources/files.h"
#include "app/views/shared/layouts.h"
#include "app/views/shared/patches.h"
#include "core/layouts/similarity.h"
#include "tests/angles_of.h"
#include "tests/figures/layout_parts.h"
#include "tests/said.h"
#include "tests/temporary_folder.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

class LayoutView : public TestOfView<kLayoutView> {
 protected:
  LayoutFields& fields = experiment.layout;

  void click(double x, double y) { react(FigureEvent::Kind::click, "layout", x, y); }
};

const Map& find_layout_map(const ViewResult& result) {
  return image_map(result, "layout");
}

TEST_F(LayoutView, SettlesTheRasterQuestionByDefault) {
  const ViewResult result = draw();
  expect_raster_answer(result);
  EXPECT_EQ(readout(result, "patch.target1").label, "Similarity of 1 and 64");
  EXPECT_THAT(readout(result, "patch.target1").note,
              AllOf(HasSubstr("63 columns right"), HasSubstr("(0, 0, 63)"), HasSubstr("raster: 0.458")));
  EXPECT_EQ(readout(result, "patch.nearer").note,
            text.format("readout.patch.nearer.even", {{"layout", "raster"}, {"target", "65"}}));
  EXPECT_THAT(result.status, HasSubstr("patch 1 · row 0, column 0"));
  EXPECT_THAT(result.status, HasSubstr("base 10\u202f000"));
}

TEST_F(LayoutView, SaysWhichTargetIsNearerByIndex) {
  EXPECT_EQ(value("patch.nearer_index"), "64") << "one token nearer than the patch below";
  EXPECT_TRUE(readout(draw(), "patch.nearer_index").aside);
  experiment.layout.anchor = 100;
  experiment.layout.targets = "99,101";
  EXPECT_EQ(value("patch.nearer_index"), text["readout.patch.nearer.neither"]);
  EXPECT_TRUE(std::holds_alternative<Message>(readout(draw(), "patch.nearer_index").value)) << "null for machines";
  experiment.layout.targets = "99,103,101,98";
  EXPECT_EQ(value("patch.nearer_index"), text["readout.patch.nearer.neither"]);
  experiment.layout.targets = "97,103,101";
  EXPECT_EQ(value("patch.nearer_index"), "102");
}

TEST_F(LayoutView, SaysWhatAPictureLargerThanThoseOfTrainingAsks) {
  EXPECT_EQ(find_readout(draw(), "beyond.unseen"), nullptr) << "as large as in training";
  fields.width = 4096;
  const Readout plain = readout(draw(), "beyond.unseen");
  const auto& unseen = std::get<NamedValues>(plain.value).list;
  ASSERT_EQ(unseen.size(), 2U) << "rows and columns";
  EXPECT_EQ(unseen[0].name, "row");
  EXPECT_EQ(unseen[0].numbers[0].value, 0);
  int pairs = 0;
  for (int pair = 0; pair < 28; ++pair) pairs += 2 * std::numbers::pi * std::pow(1e4, pair / 28.0) > 64 ? 1 : 0;
  EXPECT_EQ(unseen[1].numbers[0].value, pairs);
  EXPECT_THAT(plain.note, HasSubstr("256"));
  EXPECT_NE(find_readout(draw(), "beyond.repeat"), nullptr);
  fields.scaling = "linear";
  EXPECT_EQ(std::get<NamedValues>(readout(draw(), "beyond.unseen").value).list[1].numbers[0].value, 0);
  const auto near = std::get<NamedValues>(readout(draw(), "beyond.neighbours").value);
  fields.scaling = "none";
  fields["scale_x"] = 0.25;
  EXPECT_EQ(std::get<NamedValues>(readout(draw(), "beyond.neighbours").value).list[1].numbers[0].value,
            near.list[1].numbers[0].value);
}

// A step of the cost is a nanosecond, and what costs more than the store does on the spot goes to its workers.
TEST_F(LayoutView, TheCostGrowsWithTheHead) {
  const double usual = LayoutToArrange(fields).cost(), counterpart = LayoutToArrange(fields, "raster").cost();
  fields["head_dim"] = 8000;
  EXPECT_GT(LayoutToArrange(fields).cost(), 60 * usual);
  EXPECT_GT(LayoutToArrange(fields, "raster").cost(), 60 * counterpart);
  fields["head_dim"] = 0;
  fields.name = "custom";
  fields.axes = "t:8192,row:4096:10000,column:4096";
  EXPECT_NEAR(LayoutToArrange(fields).cost(), 128 * usual, 1e-6 * usual);
}

TEST_F(LayoutView, BothLayoutsAnswerAsTheReferenceDoes) {
  const auto check = [&](const json& data, const TokenLayout& layout) {
    const std::int64_t anchor = data["anchor"];
    for (std::size_t i = 0; i < data["tokens"].size(); ++i) {
      const std::int64_t token = data["tokens"][i];
      const TokenSimilarity found = similarity_between(layout, table_row(layout, anchor), table_row(layout, token));
      EXPECT_NEAR(found.total, data["exact_normalised"][i].get<double>(), 1e-14) << data["id"] << " " << token;
    }
  };
  const json flux = read_reference("similarity/flux1_64x64.json");
  const auto arranged = computed<arrange_layouts>(LayoutToArrange(fields));
  const auto raster = computed<arrange_layouts>(LayoutToArrange(fields, "raster"));
  ASSERT_TRUE(arranged && raster);
  check(flux["cases"][0], arranged->tables->layout());
  // The raster's numbers do not depend on the text before the image.
  check(flux["cases"][1], raster->tables->layout());
}

TEST_F(LayoutView, TheMapHoldsTheExactIds) {
  for (const auto& [name, axis] :
       {std::pair{"flux.1", "column"}, {"qwen-image", "row"}, {"dinov3", "row"}, {"vit-axial", "x"}}) {
    fields = {};
    fields.name = name;
    fields.size_by = SizeBy::tokens;
    fields.rows = 12;
    fields.columns = 20;
    fields.colours = LayoutColours::axis;
    fields.axis = axis;
    const auto arranged = computed<arrange_layouts>(LayoutToArrange(fields));
    ASSERT_TRUE(arranged);
    const TokenLayout& layout = arranged->tables->layout();
    std::size_t index = 0;
    while (layout.axes[index].name != axis) ++index;
    const ViewResult result = draw();
    const Map& map = find_layout_map(result);
    ASSERT_EQ(map.cells->rows, 12u);
    ASSERT_EQ(map.cells->columns, 20u);
    for (std::int64_t token = 0; token < 240; ++token) {
      const double id = ids_of(layout, table_row(layout, token))[index];
      const auto cell = static_cast<double>(map.cells->values[static_cast<std::size_t>(token)]);
      EXPECT_EQ(cell, static_cast<double>(static_cast<float>(id))) << name << " " << token;
      EXPECT_EQ(map.exact(static_cast<double>(token % 20), static_cast<double>(token / 20)), id)
          << name << " " << token;
    }
    EXPECT_TRUE(std::isnan(map.exact(20, 0)));
  }
}

TEST_F(LayoutView, TheAngleIsThatOfTheRotation) {
  for (const Layout& layout : all_layouts()) {
    fields = {};
    fields.name = layout.name;
    fields.size_by = SizeBy::tokens;
    fields.rows = 5;
    fields.columns = 7;
    fields["text"] = 9;
    fields.colours = LayoutColours::angle;
    fields.pair = 11;
    const ViewResult result = draw();
    const auto arranged = computed<arrange_layouts>(LayoutToArrange(fields));
    ASSERT_TRUE(arranged) << layout.name;
    const TokenLayout& tokens = arranged->tables->layout();
    const std::size_t main = main_block(tokens);
    const SeenBlock seen = main_seen(fields, tokens);
    const Map& map = with_key(figure(result, "layout").maps, tokens.blocks[main].part);
    EXPECT_EQ(map.colours, MapColours::angle);
    for (std::int64_t token = 0; token < tokens.blocks[main].count(); ++token) {
      const double angle = angles_of(tokens, table_row(tokens, token))[11];
      const double found =
          map.exact(static_cast<double>(seen.column_of(token)), static_cast<double>(seen.row_of(token)));
      EXPECT_NEAR(std::cos(found), std::cos(angle), 1e-12) << layout.name << " " << token;
      EXPECT_NEAR(std::sin(found), std::sin(angle), 1e-12) << layout.name << " " << token;
      EXPECT_GE(found, 0);
      EXPECT_LT(found, 2 * std::numbers::pi);
    }
  }
}

TEST_F(LayoutView, TheCardSaysWhereATokenStands) {
  const ViewResult result = draw();
  const PlaceWords image = find_layout_map(result).words(41, 17);
  EXPECT_EQ(image.head, "patch 1\u202f130");
  EXPECT_EQ(said(image, text["view.layout.card.place"]), "row 17, column 41");
  EXPECT_EQ(said(image, text["view.layout.card.token"]), "1\u202f641");
  EXPECT_EQ(said(image, "position (t, row, column)"), "(0, 17, 41)");
  EXPECT_EQ(said(image, text.format("view.layout.card.difference", {{"anchor", "patch 1"}})), "(0, 17, 41)");
  const Map& words = with_key(figure(result, "parts").maps, "text");
  const auto middle = [](const Range& range) { return (range.low + range.high) / 2; };
  EXPECT_EQ(words.words(middle(words.x), middle(words.y)).head, "Text");
}

TEST_F(LayoutView, SimilaritiesThatDifferDoNotLookAlike) {
  fields.name = "qwen2-vl";
  fields.size_by = SizeBy::tokens;
  fields["text"] = 1;
  const ViewResult result = draw();
  const std::string one = readout(result, "patch.target1").text, other = readout(result, "patch.target2").text;
  EXPECT_NE(one, other);
  EXPECT_LE(one.size(), 8u) << one;
  EXPECT_EQ(readout(result, "patch.text").note, text.format("readout.patch.text.shared", {{"count", counted(1)}}));
}

TEST_F(LayoutView, ALongTextDoesNotTakeTheColoursOfTheImage) {
  fields.name = "qwen-image";
  fields.colours = LayoutColours::axis;
  fields.axis = "row";
  const Range range = find_layout_map(draw()).range;
  EXPECT_EQ(range, (Range{-32, 31}));
  fields.name = "flux.2";
  fields.axis = "l";
  EXPECT_EQ(find_layout_map(draw()).range, (Range{0, 511})) << "only the text differs there";
}

TEST_F(LayoutView, ManyReferencesLeaveTheImageItsRoom) {
  fields.name = "flux.2";
  for (int i = 0; i < 40; ++i) fields.references += (i == 0 ? "" : ",") + std::string("512x512");
  const ViewResult result = draw();
  const Figure& parts = figure(result, "parts");
  EXPECT_EQ(parts.maps.size(), 12u);
  EXPECT_THAT(parts.title, HasSubstr("+ 29 more"));
  EXPECT_EQ(parts.labels.back().text, "R11");
}

TEST_F(LayoutView, TheControlSaysTheModelsOwnBase) {
  for (const Layout& layout : all_layouts()) {
    if (layout.axes.empty()) continue;
    fields.name = layout.name;
    const FieldList list = fields_of(kLayoutView, experiment);
    const Field* base = find_field(list, "layout.base");
    ASSERT_NE(base, nullptr);
    EXPECT_EQ(base->zero, "unit.own_base") << layout.name;
    EXPECT_EQ(base->zero_value, layout.axes[0].base) << layout.name;
  }
}

TEST_F(LayoutView, ADroppedPictureIsOpenedByItsHeaderAndDecodedByWhoeverDraws) {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "cut.png").string();
  Figure plain;
  plain.name = "plain";
  ViewResult page;
  page.panels.push_back({plain, 1});
  const std::string whole = paint_page(page, PageFormat::png, {640, 320, false}, ThemeName::dark);
  write_file(path, whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(kLayoutView.open(experiment, path)) << "only its first bytes are looked at";
  EXPECT_EQ(fields.width, 640);
  EXPECT_EQ(fields.height, 320);
  EXPECT_THAT(draw().panels.at(0).figure.empty_message, AllOf(HasSubstr("cut.png: "), Says("error.picture.png")));
  write_file(path, whole);
  EXPECT_EQ(draw().panels.at(0).figure.empty_message, "");
  write_file(path, "GIF89a");
  EXPECT_THROW(kLayoutView.open(experiment, path), InputError);
  std::stop_source stopped;
  stopped.request_stop();
  write_file(path, whole);
  EXPECT_EQ(computed<photograph_of>(stamp_of(path), {1, stopped.get_token()}), nullptr);
}

TEST_F(LayoutView, TargetsBesideTheImageAreAnErrorOfAFile) {
  fields.targets = "999999";
  EXPECT_EQ(draw().panels.at(0).figure.empty_message, "") << "a smaller image keeps them for later";
  EXPECT_THROW(check_layout(experiment), InputError);
  fields.targets = "4095";
  check_layout(experiment);
}

TEST_F(LayoutView, ClicksSetAnchorAndTargetInTurn) {
  draw();
  click(3, 2);
  EXPECT_EQ(fields.anchor, 131);
  EXPECT_EQ(fields.targets, "");
  EXPECT_EQ(readout(draw(), "patch.waiting").text, "patch 132");
  click(3, 3);
  EXPECT_EQ(fields.targets, "195");
  const ViewResult answered = draw();
  EXPECT_EQ(readout(answered, "patch.target1").label, "Similarity of 132 and 196");
  EXPECT_EQ(readout(answered, "patch.target1").note.rfind("one row below", 0), 0u);
  EXPECT_EQ(readout(answered, "patch.target1").text, "0.985");
  EXPECT_EQ(readout(answered, "patch.other").text, "0.477");
  EXPECT_EQ(figure(answered, "layout").boxes.size(), 4u);  // two frames each, so that one stands out
  click(0, 0);
  EXPECT_EQ(fields.anchor, 0);
  EXPECT_EQ(fields.targets, "");
  click(-4, 0);
  EXPECT_EQ(fields.targets, "") << "beside the image";
}

TEST_F(LayoutView, MoreTargetsAreAddedAndTakenAway) {
  fields.click = LayoutClick::extra;
  click(5, 0);
  EXPECT_EQ(fields.targets, "63,64,5");
  click(63, 0);
  EXPECT_EQ(fields.targets, "64,5");
  EXPECT_EQ(fields.anchor, 0);
}

TEST_F(LayoutView, SaysTheNearestSizesThatDivide) {
  fields.width = 1000;
  EXPECT_THAT(draw().panels.at(0).figure.empty_message, HasSubstr("992x1024 or 1008x1024"));
  EXPECT_THROW(check_layout(experiment), InputError);
  fields = {};
  fields.name = "flux.1-kontext";
  fields.references = "12";
  EXPECT_THAT(draw().panels.at(0).figure.empty_message,
              Says("error.layout.sizes_in_pixels", {{"field", "layout.references"}, {"text", "12"}}));
  fields.references = "1000x300";
  EXPECT_EQ(draw().panels.at(0).figure.empty_message, "") << "Kontext snaps its reference";
}

TEST_F(LayoutView, EveryLayoutShowsAllItsTokens) {
  for (const Layout& layout : all_layouts()) {
    fields = {};
    fields.name = layout.name;
    fields.size_by = SizeBy::tokens;
    fields.rows = 6;
    fields.columns = 9;
    fields["text"] = 40;
    fields["frames"] = 3;
    fields.frame = 2;
    if (takes(layout, "references")) fields.references = "4x6";
    const ViewResult result = draw();
    ASSERT_EQ(result.panels.at(0).figure.empty_message, "") << layout.name;
    const auto arranged = computed<arrange_layouts>(LayoutToArrange(fields));
    const TokenLayout& tokens = arranged->tables->layout();
    std::int64_t seen = 0;
    for (const Panel& panel : result.panels) seen += filled_cells(panel.figure.maps);
    EXPECT_EQ(seen, tokens_at_once(tokens)) << layout.name;
    const Figure& image = figure(result, "layout");
    EXPECT_TRUE(image.equal_axes);
    EXPECT_TRUE(image.y.reversed);
  }
}

TEST_F(LayoutView, ASecondCallComputesNothingAndColoursNeedNoNewTables) {
  draw();
  const std::int64_t started = store.started();
  draw();
  fields.anchor = 7;
  draw();
  EXPECT_EQ(store.started(), started);
  fields.colours = LayoutColours::axis;
  draw();
  EXPECT_EQ(store.started(), started + 1) << "only the cells";
}

TEST_F(LayoutView, TheLargestImageIsShownWhole) {
  fields.width = fields.height = 8192;
  const ViewResult result = draw();
  EXPECT_EQ(find_layout_map(result).cells->values.size(), 262'144u);
  EXPECT_EQ(find_layout_map(result).exact(511, 511), 262'144 + 512 - 1);
  fields.size_by = SizeBy::tokens;
  fields.rows = 8192;
  fields.columns = 5;
  EXPECT_LE(find_layout_map(draw()).cells->rows, MapCells::kMax);
}

TEST_F(LayoutView, TheQuestionIsOneButton) {
  fields.width = 512;
  fields.anchor = 40;
  fields.targets = "7";
  press_ask(kLayoutView, experiment);
  EXPECT_EQ(readout(draw(), "patch.nearer").text, "65");
}

TEST_F(LayoutView, ControlsOfferWhatDivides) {
  fields.name = "qwen2-vl";
  NumberControl width(kLayoutView, experiment, "layout.width", 1000.0);
  EXPECT_TRUE(width.control);
  EXPECT_EQ(std::fmod(fields.width, 28), 0);
  EXPECT_NEAR(fields.width, 1000, 14);
  const Controls controls(fields_of(kLayoutView, experiment));
  EXPECT_TRUE(controls.twice.empty());
  EXPECT_TRUE(controls.keys.contains("layout.text_after"));
  EXPECT_FALSE(controls.keys.contains("layout.frame_rate"));
}

TEST_F(LayoutView, KeepsHowAConfigCountsSeconds) {
  const LayoutConfig config = parse_layout_config(
      R"({"model_type": "qwen2_5_vl", "vision_config": {"tokens_per_second": 2, "patch_size": 14,
          "spatial_merge_size": 2}})",
      "vl.json");
  take_layout_config(config, "vl.json", fields);
  EXPECT_EQ(request_of(fields).tokens_per_second, 2);
  EXPECT_FALSE(request_of(fields).frame_rate) << "the model's own two frames a second";
  const Controls controls(fields_of(kLayoutView, experiment));
  EXPECT_TRUE(controls.keys.contains("layout.frame_rate"));
  fields["frame_rate"] = 4;
  EXPECT_EQ(request_of(fields).frame_rate, 4);
  fields.name = "vit-mixed";
  fields["heads"] = 6;
  EXPECT_EQ(request_of(fields).heads, 6);
}

}  // namespace
}  // namespace ropescope
