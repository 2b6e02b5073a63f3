// A figure of one column, 85 × 60 mm, with three ropes: one short name per rope, readable text and panels, and the
// place and font of the names.

#include "app/experiment/rope_spec.h"
#include "app/figure/pages/page.h"
#include "app/figure/pages/page_canvas.h"
#include "app/resources/models.h"
#include "core/scaling/scaling.h"
#include "scene_checks.h"
#include "tests/said.h"
#include "view_parts.h"

namespace ropescope {
namespace {

constexpr double kColumnPointsPerMm = 72 / 25.4;
const PageSize kColumnPage{85, 60, true};

RopeFields column_rope(double base, double dim, const std::string& method = "none", double factor = 4) {
  Experiment experiment;
  assign(experiment, "rope.base=" + shortest_number(base));
  assign(experiment, "rope.rotary_dim=" + shortest_number(dim));
  assign(experiment, "rope.scaling=" + method);
  if (method != "none") assign(experiment, "rope.factor=" + shortest_number(factor));
  return experiment.rope;
}

class ColumnFigure : public ViewTest {
 protected:
  ShortNames named(const std::vector<RopeFields>& ropes, std::vector<std::string> given = {}) const {
    std::vector<const RopeFields*> all;
    for (const RopeFields& rope : ropes) all.push_back(&rope);
    given.resize(ropes.size());
    return short_names(all, given, text);
  }
  void three_bases() {
    experiment.rope = column_rope(10000, 64, "yarn");
    experiment.pins = {{column_rope(500000, 64, "yarn"), 1}, {column_rope(1000000, 64, "yarn"), 2}};
  }
  struct Page {
    Scene scene;
    std::vector<Rect> panels;  ///< in points
    MeasureText measure;
    std::shared_ptr<PageCanvas> canvas;
    std::vector<TextItem> texts() const { return items_of<TextItem>(scene); }
    std::optional<Rect> place_of(const std::string& words) const {
      for (const TextItem& item : texts()) {
        if (item.text == words) return box_of(item, measure);
      }
      return std::nullopt;
    }
  };
  static Page on_page(const ViewResult& view, const PageStyle& style = {}, const PageSize& size = kColumnPage) {
    Page page;
    page.canvas = std::make_shared<PageCanvas>(
        PageFormat::pdf, size,
        PageWriting{view.language, view.font, view.formulas, palette(style.theme), true, style.font});
    page.measure = page.canvas->measure();
    page.panels = add_page(page.scene, view, {PageFormat::pdf, size, style},
                           {page.canvas->width(), page.canvas->height()}, page.measure);
    return page;
  }
};

// --- Names ---------------------------------------------------------------------------------------------------------

TEST_F(ColumnFigure, NamesSayWhatDiffersAndWhatIsSharedOnce) {
  const ShortNames bases =
      named({column_rope(10000, 64, "yarn"), column_rope(5e5, 64, "yarn"), column_rope(1e6, 64, "yarn")});
  EXPECT_THAT(bases.names, ElementsAre("base 10\u202f000", "base 500\u202f000", "base 1\u202f000\u202f000"));
  EXPECT_EQ(bases.shared, "yarn ×4 · d 64");
  const ShortNames methods = named({column_rope(1e4, 64), column_rope(1e4, 64, "yarn"), column_rope(1e4, 128, "yarn")});
  EXPECT_THAT(methods.names, ElementsAre("no extension · d 64", "yarn ×4 · d 64", "yarn ×4 · d 128"));
  EXPECT_EQ(methods.shared, "base 10\u202f000");
  const ShortNames by_hand =
      named({column_rope(1e4, 64), column_rope(5e5, 64), column_rope(1e6, 64)}, {"", "ours", ""});
  EXPECT_THAT(by_hand.names, ElementsAre("base 10\u202f000", "ours", "base 1\u202f000\u202f000"));
  EXPECT_EQ(by_hand.shared, "d 64");
}

TEST_F(ColumnFigure, ModelsAreCalledByTheirNames) {
  std::vector<RopeFields> ropes;
  for (const char* id : {"llama-2-7b", "llama-3.1-8b", "qwen2.5-7b-instruct"}) {
    Experiment opened;
    opened.rope = load_preset_rope(id);
    ropes.push_back(opened.rope);
  }
  const ShortNames models = named(ropes);
  for (std::size_t i = 0; i < ropes.size(); ++i) EXPECT_EQ(models.names[i], ropes[i].label);
  EXPECT_EQ(models.shared, "");
  ropes = {ropes[1], ropes[1], ropes[1]};
  ropes[1].base = 1e6;
  ropes[2].base = 1e7;
  const ShortNames changed = named(ropes);
  EXPECT_THAT(changed.names, ElementsAre("base 500\u202f000", "base 1\u202f000\u202f000", "base 10\u202f000\u202f000"));
  EXPECT_THAT(changed.shared, HasSubstr(ropes[0].label));
}

TEST_F(ColumnFigure, NoTwoRopesOfATripleHaveOneName) {
  std::mt19937 random(11);
  const auto pick = [&random](const auto& from) { return from[random() % std::size(from)]; };
  const double kBases[] = {1e4, 5e5, 1e6, 1e6 + 0.25}, kDims[] = {64, 128}, kFactors[] = {2, 4};
  const std::string kMethods[] = {"none", "linear", "ntk-aware", "yarn"};
  const std::string kModels[] = {"llama-2-7b", "llama-3.1-8b", "qwen2.5-7b-instruct"};
  const std::string kMoves[] = {"rope.beta_fast=16", "rope.trained_length=8192", "rope.pairing=interleaved",
                                "rope.base=700"};
  int alike = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<RopeFields> ropes;
    for (int i = 0; i < 3; ++i) {
      Experiment one;
      one.rope = column_rope(pick(kBases), pick(kDims), pick(kMethods), pick(kFactors));
      if (random() % 4 == 0) one.rope = load_preset_rope(pick(kModels));
      if (random() % 3 == 0) assign(one, pick(kMoves));
      ropes.push_back(one.rope);
    }
    const ShortNames names = named(ropes);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NE(names.names[i], "");
      for (std::size_t k = 0; k < i; ++k) {
        if (turning(ropes[i]) == turning(ropes[k])) continue;
        ++alike;
        EXPECT_NE(names.names[i], names.names[k]) << names.shared;
      }
    }
    // What is said of all is true of all.
    const std::string base = "base " + readable_number(ropes[0].base, 7);
    if ((names.shared + " ·").find(base + " ·") != std::string::npos) {
      for (const RopeFields& rope : ropes) EXPECT_EQ(readable_number(rope.base, 7), readable_number(ropes[0].base, 7));
    }
  }
  EXPECT_GT(alike, 900);
}

// --- Sizes ---------------------------------------------------------------------------------------------------------

/// Every picture of a view, as its controls offer them.
std::vector<Experiment> column_pictures_of(const View& view, const Experiment& experiment) {
  Experiment own = experiment;
  own.view = view.id;
  std::vector<Experiment> pictures{own};
  const std::string key = std::string(view.id) + ".show";
  const auto field = find_field(std::as_const(own), key);
  for (const std::string& option : field ? field->options : std::vector<std::string>()) {
    Experiment shown = own;
    assign(shown, key + "=" + option);
    pictures.push_back(shown);
  }
  return pictures;
}

TEST_F(ColumnFigure, TypeAndPanelsAreLargeEnoughInEveryView) {
  three_bases();
  experiment.attention.longest = 256;
  double least_type = 1e9, least_panel = 1e9;
  int drawn = 0;
  for (const View* view : all_views()) {
    for (const Experiment& shown : column_pictures_of(*view, experiment)) {
      const ViewResult result = draw_view(*view, shown, text, store);
      if (!result.fault.empty() || !result.undone.empty()) continue;
      const std::string what = text_of(*find_field(shown, "view"));
      try {
        paint_page(result, PageFormat::pdf, kColumnPage, {});
      } catch (const InputError& error) {
        // It says so, and one of its figures alone has room.
        EXPECT_FALSE(view->compares_ropes) << view->id;
        EXPECT_THAT(text.render(error.words()), HasSubstr(result.panels.front().figure.name)) << what;
        ViewResult one = result;
        one.panels.resize(1);
        EXPECT_NO_THROW(paint_page(one, PageFormat::pdf, kColumnPage, {})) << what;
        continue;
      }
      ++drawn;
      const Page page = on_page(result);
      for (const TextItem& item : page.texts()) {
        EXPECT_GE(item.style.size, 6 - 1e-9) << what << ": " << item.text;
        least_type = std::min(least_type, item.style.size);
      }
      for (const Rect& panel : page.panels) {
        const double side = std::min(panel.width, panel.height) / kColumnPointsPerMm;
        EXPECT_GE(side, 20 - 1e-6) << what;
        least_panel = std::min(least_panel, side);
      }
    }
  }
  RecordProperty("least_type_pt", std::to_string(least_type));
  RecordProperty("least_panel_mm", std::to_string(least_panel));
  EXPECT_GE(drawn, 14);
}

TEST_F(ColumnFigure, HasOneEntryForEachRope) {
  three_bases();
  for (const char* setting : {"view=decay", "decay.show_envelope=true", "decay.show_similarity=false",
                              "view=frequencies", "limits.show=information", "limits.show=dropped"}) {
    Experiment shown = experiment;
    if (std::string(setting).starts_with("limits")) shown.view = "limits";
    assign(shown, setting);
    const ViewResult result = draw_view(find_view(shown.view), shown, text, store);
    std::vector<std::string> names;
    for (const LegendEntry& entry : legend_entries(result)) names.push_back(entry.label);
    EXPECT_THAT(names,
                ElementsAre("yarn ×4 · d 64", "base 10\u202f000", "base 500\u202f000", "base 1\u202f000\u202f000"))
        << setting;
    const Page page = on_page(result);
    for (const std::string& name : names) EXPECT_TRUE(page.place_of(name)) << setting << ": " << name;
  }
}

TEST_F(ColumnFigure, TooManyPanelsSayWhatHasRoom) {
  experiment.facet.down = "rope.base=1e3..1e9:16";
  experiment.decay.show_bound = false;
  const ViewResult result = draw();
  const std::string words = refusal_of([&] { paint_page(result, PageFormat::pdf, kColumnPage, {}); });
  ASSERT_NE(words, "") << "sixteen panels in 60 mm";
  const std::size_t at = words.find_first_of("0123456789", words.find("; "));
  const PageSize size = parse_page_size(words.substr(at, words.find("mm", at) + 2 - at));
  EXPECT_NO_THROW(paint_page(result, PageFormat::pdf, size, {}));
  EXPECT_LE(size.height, 400);
}

// --- Choices -------------------------------------------------------------------------------------------------------

TEST_F(ColumnFigure, NamesStandWhereTheyAreWanted) {
  three_bases();
  const ViewResult result = draw();
  const std::string name = "base 500\u202f000";
  const auto at = [&](LegendPlace place) {
    PageStyle style;
    style.legend = place;
    Page page = on_page(result, style);
    expect_tidy(page.scene, {0, 0, page.canvas->width(), page.canvas->height()}, page.measure);
    return page;
  };
  EXPECT_LT(at(LegendPlace::above).place_of(name)->bottom(), at(LegendPlace::above).panels.front().top);
  EXPECT_GT(at(LegendPlace::below).place_of(name)->top, at(LegendPlace::below).panels.back().bottom());
  EXPECT_GT(at(LegendPlace::right).place_of(name)->left, at(LegendPlace::right).panels.front().right());
  EXPECT_FALSE(at(LegendPlace::none).place_of(name));
  const auto middle = [&](LegendPlace place) {
    const Page page = at(place);
    const Rect& panel = page.panels.front();
    const Rect box = page.place_of(name).value();
    EXPECT_TRUE(inside(box, panel)) << word_of(place);
    return Vec2{(box.left + box.width / 2 - panel.left) / panel.width,
                (box.top + box.height / 2 - panel.top) / panel.height};
  };
  EXPECT_LT(middle(LegendPlace::top_left).x, middle(LegendPlace::top_right).x);
  EXPECT_LT(middle(LegendPlace::bottom_left).x, middle(LegendPlace::bottom_right).x);
  EXPECT_LT(middle(LegendPlace::top_left).y, middle(LegendPlace::bottom_left).y);
  EXPECT_LT(middle(LegendPlace::top_right).y, middle(LegendPlace::bottom_right).y);
}

TEST_F(ColumnFigure, IsWrittenInTheFontThatIsWanted) {
  const ViewResult result = draw();
  const auto svg = [&result](const std::string& font) {
    PageStyle style;
    style.outlines = false;
    style.font = font;
    return paint_page(result, PageFormat::svg, kColumnPage, style);
  };
  EXPECT_THAT(svg("sans"), HasSubstr("font-family=\"Inter, "));
  EXPECT_THAT(svg("serif"), HasSubstr("Serif"));
  EXPECT_NE(svg("serif"), svg("sans"));
  EXPECT_THAT(svg("dejavu sans mono"), HasSubstr("font-family=\"'DejaVu Sans Mono', Inter, "));
  EXPECT_REFUSED(svg("DejaVu Sanz"), HasSubstr("DejaVu Sans"));
}

// --- The current curve ---------------------------------------------------------------------------------------------

TEST_F(ColumnFigure, TheCurrentCurveHasANameAndAStrokeOfItsOwn) {
  three_bases();
  assign(experiment, "curves.name=ours");
  assign(experiment, "curves.slot=3");
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "saved"), experiment);
  const ViewResult result = draw();
  const Line& line = result.panels.front().figure.lines.front();
  EXPECT_EQ(line.label, "ours");
  EXPECT_EQ(line.style.slot, 3);
  EXPECT_EQ(legend_entries(result).at(1).label, "ours");
  const std::vector<std::string> arguments = arguments_of(experiment);
  EXPECT_THAT(arguments, testing::IsSupersetOf({"curves.name=ours", "curves.slot=3"}));
  // They are no choice among pins that goes with the last one.
  experiment.pins.clear();
  settle_curves(experiment);
  EXPECT_EQ(experiment.curves.name, "ours");
}

}  // namespace
}  // namespace ropescope
