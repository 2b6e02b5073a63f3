// Small multiples: every cell is the figure of its value alone, on shared axes.
#include "app/views/shared/facets.h"

#include "app/figure/pages/page.h"
#include "app/figure/table.h"
#include "core/attention/attention.h"
#include "tests/figures/view_parts.h"
#include "tests/said.h"

namespace ropescope {
namespace {

class Facets : public ViewTest {
 protected:
  Facets() { experiment = small_experiment(); }

  static std::vector<const Figure*> cells(const ViewResult& result, const std::string& name) {
    std::vector<const Figure*> found;
    for (const Panel& panel : result.panels) {
      if (figure_of_cell(panel.figure.name) == name) found.push_back(&panel.figure);
    }
    return found;
  }
  static std::vector<const Figure*> cells(ViewResult&&, const std::string&) = delete;  ///< its figures would be gone
  /// As a picture of this size shows it.
  static ViewResult laid_out(ViewResult result, double width = 1200, double height = 800) {
    result.panels = panels_on(result.panels, page_of_cells(result.panels, {width, height, 13, 10, 0}));
    return result;
  }
  static std::vector<std::string> titles(const std::vector<const Figure*>& figures) {
    std::vector<std::string> titles;
    for (const Figure* figure : figures) titles.push_back(figure->title);
    return titles;
  }
};

TEST_F(Facets, AreTheFiguresOfTheirValuesOnSharedAxes) {
  experiment.facet.across = "rope.base=100,1e4,1e6";
  store.enter_scope("next.");
  const ViewResult all = draw();
  EXPECT_EQ(store.scope(), "next.") << "the cells have scopes within it";
  for (const std::string name : {"similarity", "bound"}) {
    const auto figures = cells(all, name);
    ASSERT_EQ(figures.size(), 3u);
    Range fit = figures[0]->y.fit;
    for (std::size_t i = 0; i < 3; ++i) {
      Experiment alone = experiment;
      alone.facet = {};
      assign(alone, std::string("rope.base=") + (i == 0 ? "100" : i == 1 ? "1e4" : "1e6"));
      (name == "bound" ? alone.decay.zooms["decay.bound_range"] : alone.decay.zooms["decay.similarity_range"]) =
          figures[0]->y.range;
      const ViewResult drawn = draw_view(find_view("decay"), alone, text, store);
      const Figure& own = figure(drawn, name);
      ASSERT_EQ(figures[i]->lines.size(), own.lines.size());
      for (std::size_t k = 0; k < own.lines.size(); ++k) {
        EXPECT_EQ(figures[i]->lines[k].series->ys, own.lines[k].series->ys);
        EXPECT_EQ(figures[i]->lines[k].key, own.lines[k].key);
      }
      EXPECT_EQ(figures[i]->y.range, own.y.range);
      EXPECT_EQ(figures[i]->x.range, own.x.range);
      EXPECT_EQ(figures[i]->y.fit, fit);
      EXPECT_LE(fit.low, own.y.fit.low);
      EXPECT_GE(fit.high, own.y.fit.high);
    }
  }
  const std::vector<std::string> captions = {"b = 100", "b = 10\u202F000", "b = 1\u202F000\u202F000"};
  EXPECT_EQ(titles(cells(all, "similarity")), captions);
  EXPECT_EQ(titles(cells(all, "bound")), captions) << "shown alone, it needs them too";
  const ViewResult shown = laid_out(all);
  EXPECT_EQ(titles(cells(shown, "similarity")), captions);
  EXPECT_THAT(titles(cells(shown, "bound")), ElementsAre("", "", "")) << "the caption stands above the cell, once";
  EXPECT_EQ(cells(all, "similarity")[1]->cell, "rope.base=1e4");
}

TEST_F(Facets, NameTheirAxesAndCurvesOnce) {
  experiment.facet = {"rope.base=100,1e4", "decay.content=aligned,random"};
  const ViewResult all = laid_out(draw());
  ASSERT_EQ(all.panels.size(), 8u) << "two figures in four cells";
  for (std::size_t i = 0; i < all.panels.size(); ++i) {
    EXPECT_EQ(all.panels[i].beside, i % 2 == 1);
    EXPECT_EQ(all.panels[i].inner_y, i % 2 == 1);
    EXPECT_EQ(all.panels[i].inner_x, i < 6);
  }
  std::multiset<std::string> named;
  for (const Figure* figure : cells(all, "similarity")) {
    for (const Line& line : figure->lines) {
      if (!line.in_legend) continue;
      named.insert(line.key);
      EXPECT_THAT(line.label, HasSubstr(text["view.facets.own"]));
    }
  }
  EXPECT_EQ(named, (std::multiset<std::string>{"current", "current.trend"}));
  // Scores of random content are another quantity: each row has its own axis.
  const auto scores = cells(all, "similarity");
  EXPECT_EQ(scores[0]->y.range, scores[1]->y.range);
  EXPECT_EQ(scores[2]->y.range, scores[3]->y.range);
}

TEST_F(Facets, OfModelsHaveTheirRopes) {
  experiment.facet.across = "model=llama-2-7b,llama-3.1-8b";
  const ViewResult all = draw();
  EXPECT_THAT(titles(cells(all, "similarity")), ElementsAre("Llama 2 7B", "Llama 3.1 8B"));
  const auto figures = cells(all, "similarity");
  EXPECT_NE(figures[0]->lines[0].series->ys, figures[1]->lines[0].series->ys);
  EXPECT_THAT(figures[1]->lines[0].origin, HasSubstr("llama3"));
}

TEST_F(Facets, MapsShareTheirColours) {
  experiment.view = "similarity";
  experiment.similarity.against = "none";
  experiment.similarity.anchor_mode = AnchorMode::fixed;
  experiment.similarity.colours = SimilarityColours::fitted;
  experiment.facet.across = "layout.name=flux.1,qwen-image";
  const ViewResult all = laid_out(draw());
  std::vector<const Map*> maps;
  for (const Panel& panel : all.panels) {
    for (const Map& map : panel.figure.maps) maps.push_back(&map);
  }
  ASSERT_GE(maps.size(), 2u);
  for (const Map* map : maps) EXPECT_EQ(map->range, maps[0]->range);
  const auto has_bar = [](const Panel& panel) {
    return std::any_of(panel.figure.maps.begin(), panel.figure.maps.end(), [](const Map& map) { return map.bar; });
  };
  std::vector<bool> bars;
  for (const Panel& panel : all.panels) {
    if (!panel.figure.maps.empty()) bars.push_back(has_bar(panel));
  }
  EXPECT_EQ(bars, (std::vector<bool>{false, true})) << "one bar, at the right";
}

TEST_F(Facets, CardsAreThoseOfTheFirstCellAndAllAreInFiles) {
  experiment.facet.across = "rope.base=100,1e4";
  const ViewResult all = draw();
  std::size_t shown = 0, aside = 0;
  for (const Readout& one : all.readouts) {
    if (one.name != "decay.first_negative") continue;
    ++(one.aside ? aside : shown);
    EXPECT_THAT(one.note, HasSubstr(one.aside ? "= 10" : "= 100"));
  }
  EXPECT_EQ(shown, 1u);
  EXPECT_EQ(aside, 1u);
  EXPECT_THAT(table_json(all), HasSubstr("\"cell\": \"rope.base=1e4\""));
}

TEST_F(Facets, ACellThatCannotBeDrawnSaysWhy) {
  experiment.rope.axes = "t:16,row:56,column:56";
  experiment.facet.across = "rope.axes=t:16,row:56;nonsense";
  const ViewResult all = draw();
  EXPECT_THAT(all.fault, HasSubstr("nonsense"));
  EXPECT_FALSE(cells(all, "similarity")[0]->lines.empty());
}

TEST_F(Facets, APictureWithoutCurvesAndMapsIsShownOnce) {
  experiment.view = "rotation";
  experiment.facet.across = "rotation.pair=0,8";
  const ViewResult result = draw();
  EXPECT_EQ(result.undone, text["view.facets.none"]);
  for (const Panel& panel : result.panels) EXPECT_EQ(panel.figure.cell, "");
}

TEST_F(Facets, AWorkerFindsAllCells) {
  experiment.decay.span = 262144;
  experiment.facet.across = "rope.base=100,1e4,1e6";
  Store worker(Store::Mode::asynchronous);
  ViewResult result;
  for (int pass = 0; pass < 4; ++pass) {
    worker.begin_pass();
    result = draw_view(find_view("decay"), experiment, text, worker);
    worker.end_pass();
    worker.wait();
  }
  EXPECT_FALSE(result.stale);
  EXPECT_EQ(worker.started(), 3) << "each cell once";
  EXPECT_NE(cells(result, "similarity")[0]->lines[0].series->ys, cells(result, "similarity")[1]->lines[0].series->ys);
}

TEST_F(Facets, OneFigureOfAllCellsIsAPage) {
  experiment.decay.content = DecayContent::random;
  experiment.facet = {"rope.base=100,1e4", "decay.seed=1,2"};
  ViewResult one = draw();
  one.panels = panels_of_cells(one.panels, "bound");
  const std::vector<Panel> panels = laid_out(one).panels;
  ASSERT_EQ(panels.size(), 4u);
  EXPECT_THAT(panels[0].figure.title, HasSubstr("b = 100"));
  EXPECT_TRUE(panels[0].inner_x && !panels[2].inner_x);
  EXPECT_TRUE(!panels[2].beside && panels[3].beside);
  EXPECT_TRUE(panels_of_cells(draw().panels, "nothing").empty());
}

TEST_F(Facets, CaptionsSayEachThingOnce) {
  const auto captions = [this](const std::string& view, const FacetFields& facet, const std::string& name) {
    experiment.view = view;
    experiment.facet = facet;
    const ViewResult result = draw();
    return titles(cells(result, name));
  };
  const FacetFields encodings{"attention.encoding=rope,alibi", ""};
  EXPECT_THAT(captions("attention", encodings, "weights"), ElementsAre("RoPE", "ALiBi"));
  EXPECT_THAT(captions("attention", encodings, "sums"), ElementsAre()) << "sums of 1 are not drawn";
  EXPECT_THAT(captions("similarity", {"layout.name=flux.1,qwen-image", ""}, "similarity"),
              ElementsAre("FLUX.1", "Qwen-Image"));
  EXPECT_THAT(captions("decay", {"rope.rotary_dim=64,128", "decay.content=aligned,random"}, "similarity"),
              ElementsAre("d = 64 · Aligned", "d = 128 · Aligned", "d = 64 · Random", "d = 128 · Random"));
}

TEST_F(Facets, ManyValuesOfOneFieldAreSeveralRows) {
  experiment.decay.show_bound = false;
  experiment.facet.across = "rope.base=2e3..2e6:11:log";
  const ViewResult all = draw();
  ASSERT_EQ(all.panels.size(), 11u) << "the last row is one short";
  EXPECT_EQ(std::count_if(all.panels.begin(), all.panels.end(), [](const Panel& panel) { return !panel.beside; }), 2);
  const ViewResult shown = laid_out(all);
  ASSERT_EQ(shown.panels.size(), 12u);
  EXPECT_TRUE(is_gap(shown.panels[11].figure));
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(shown.panels[i].beside, i % 6 != 0) << i;
  // Above the gap nothing else names the axis.
  EXPECT_FALSE(shown.panels[0].inner_x);
  EXPECT_EQ(shown.panels[0].figure.x.label, " ");
  EXPECT_EQ(shown.panels[5].figure.x.label, all.panels[5].figure.x.label);
  EXPECT_EQ(shown.panels[6].figure.x.label, all.panels[6].figure.x.label);
  EXPECT_FALSE(paint_page(all, PageFormat::svg, {1200, 800, false}, ThemeName::dark).empty());
}

TEST_F(Facets, WordsAtMarksAreSaidOnceWhereTheyAreTheSame) {
  experiment.rope.trained_length = 100;
  experiment.decay.show_bound = false;
  const auto labelled = [&] {
    std::vector<bool> each;
    const ViewResult shown = laid_out(draw());
    for (const Figure* figure : cells(shown, "similarity")) {
      each.push_back(std::any_of(figure->rules.begin(), figure->rules.end(),
                                 [](const Rule& rule) { return rule.label.find("100") != std::string::npos; }));
    }
    return each;
  };
  experiment.facet.across = "rope.base=500,1e4,1e6";
  EXPECT_EQ(labelled(), (std::vector<bool>{true, false, false}));
  experiment.facet.across = "rope.trained_length=64,100,100";
  EXPECT_EQ(labelled(), (std::vector<bool>{false, true, false}));
}

TEST_F(Facets, OfAFieldThatTheViewDoesNotLookAtAreTold) {
  experiment.view = "similarity";
  experiment.facet.across = "rope.base=500,1e4";
  ViewResult result = draw();
  EXPECT_THAT(result.undone, Says("view.facets.counterpart", {{"key", "rope.base"}, {"other", "layout.base"}}));
  EXPECT_EQ(result.fault, "");
  EXPECT_EQ(cells(result, "similarity")[0]->cell, "") << "shown once";
  experiment.facet.across = "base=500,1e4";
  result = draw();
  EXPECT_EQ(result.undone, "");
  ASSERT_EQ(cells(result, "similarity").size(), 2u) << "the short key is the layout's";
  EXPECT_EQ(cells(result, "similarity")[0]->cell, "layout.base=500");
  experiment.facet = {"layout.base=500,1e4", "model=llama-2-7b,llama-3.1-8b"};
  result = draw();
  EXPECT_THAT(result.undone, Says("view.facets.idle", {{"key", "model"}}));
  EXPECT_EQ(cells(result, "similarity").size(), 2u) << "the other direction is left";
  // What a view looks at may change nothing all the same.
  experiment.view = "decay";
  assign(experiment, "rope.factor=1");
  experiment.facet = {"rope.scaling=none,linear", ""};
  EXPECT_EQ(draw().undone, "");
  // An axis with a base of its own takes no other.
  experiment.rope.axes = "t:64:500,row:64:500";
  experiment.facet = {"rope.base=500,1e4", ""};
  EXPECT_THAT(draw().undone, Says("view.facets.idle", {{"key", "rope.base"}}));
}

class FacetLaws : public testing::TestWithParam<const View*> {};

TEST_P(FacetLaws, HoldForEveryView) {
  const Text text = Text::load(kAssets);
  Store store(Store::Mode::synchronous);
  Experiment experiment = small_experiment();
  experiment.view = GetParam()->id;
  experiment.facet = {"rope.base=500,1e4", "rope.rotary_dim=32,64"};
  const ViewResult result = draw_view(*GetParam(), experiment, text, store);
  EXPECT_EQ(result.fault, "");
  EXPECT_FALSE(result.panels.empty());
  std::set<std::string> names;
  for (const Panel& panel : result.panels) EXPECT_TRUE(names.insert(panel.figure.name).second) << panel.figure.name;
  const auto started = store.started();
  draw_view(*GetParam(), experiment, text, store);
  EXPECT_EQ(store.started(), started) << "the same experiment was computed again";
}

INSTANTIATE_TEST_SUITE_P(Views, FacetLaws, testing::ValuesIn(all_views().begin(), all_views().end()),
                         [](const auto& each) { return std::string(each.param->id); });

}  // namespace
}  // namespace ropescope
