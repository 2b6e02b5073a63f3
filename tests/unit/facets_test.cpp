// Small multiples as values: parsing, rejected input, and stored form.
#include "app/experiment/sweeps.h"

#include "app/experiment/experiment.h"
#include "app/experiment/rope_spec.h"
#include "says.h"

namespace ropescope {
namespace {

Variation read_facet(const std::string& text, std::string_view looks_at = {}) {
  return parse_variation(text, Experiment(), facet_limits("--facet", looks_at));
}

std::string find_facet_error(const std::string& text) {
  return refusal_of([&] { read_facet(text); });
}

TEST(Facets, AreAFieldAndItsValues) {
  const Variation bases = read_facet("base = 1e4, 5e5,1e6");
  EXPECT_EQ(bases.key, "rope.base");
  EXPECT_THAT(bases.words, ElementsAre("1e4", "5e5", "1e6"));
  EXPECT_EQ(format_list(bases.key, bases.words), "rope.base=1e4,5e5,1e6");
  EXPECT_EQ(read_facet(format_list(bases.key, bases.words)), bases);
  EXPECT_EQ(read_facet("model=a,b").key, "model");
  EXPECT_EQ(read_facet("rope.model=a,b").key, "model");
}

TEST(Facets, ValuesWithCommasArePartedBySemicolons) {
  const Variation facet = read_facet("layout.targets=63,64;65,66");
  EXPECT_THAT(facet.words, ElementsAre("63,64", "65,66"));
  EXPECT_EQ(read_facet(format_list(facet.key, facet.words)), facet);
  EXPECT_THAT(read_facet(format_list("layout.targets", {"63,64"})).words, ElementsAre("63,64"));
}

TEST(Facets, TakeRangesAsSweepsDo) {
  const auto values = [](const std::string& text) {
    const Variation facet = read_facet(text);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < facet.values.size(); ++i) words.push_back(facet.word(i));
    return words;
  };
  EXPECT_THAT(values("rope.base=1e3..1e7:5:log"), ElementsAre("1000", "10000", "1e+05", "1e+06", "1e+07"));
  EXPECT_THAT(values("base = 100 .. 400"), SizeIs(kPointsOfFacet));
  EXPECT_THAT(values("decay.seed=1..4:4:linear"), ElementsAre("1", "2", "3", "4"));
  EXPECT_THAT(values("rope.rotary_dim=2..6:24"), ElementsAre("2", "4", "6")) << "equal ones stand once";
  // A name of a file may hold two dots.
  EXPECT_THAT(values("attention.file=../a.npz,../b.npz"), ElementsAre("../a.npz", "../b.npz"));
}

TEST(Facets, AShortKeyIsOfWhatIsLookedAt) {
  EXPECT_EQ(read_facet("base=2,3").key, "rope.base");
  EXPECT_EQ(read_facet("base=2,3", "layout").key, "layout.base");
}

TEST(Facets, SayWhatIsWrong) {
  expect_refusals("facets", 15, find_facet_error);
  expect_refusals("facet_pairs", 3, [](const json& given) {
    Experiment experiment;
    experiment.facet = {given[0], given[1]};
    return refusal_of([&] { facets_of(experiment); });
  });
}

TEST(Facets, AreKeptInFilesCommandLinesAndUndo) {
  Experiment experiment;
  experiment.facet = {"rope.base=1e4,5e5", "model=llama-2-7b"};
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "saved"), experiment);
  EXPECT_THAT(set_arguments(experiment), Contains("facet.across=rope.base=1e4,5e5"));
  Experiment again;
  for (const std::string& argument : set_arguments(experiment)) set_field(again, argument);
  EXPECT_EQ(again, experiment);
  History history;
  history.record(experiment, false);
  history.undo();
  EXPECT_FALSE(has_facets(history.current()));
}

TEST(Facets, OfAFieldBeginWithValuesThatItTakes) {
  for (const FieldInfo& field : list_fields()) {
    Experiment experiment;
    toggle_facet(experiment, field.key);
    if (experiment.facet.across.empty()) continue;
    EXPECT_GE(facets_of(experiment).columns(), 2u) << experiment.facet.across;
    toggle_facet(experiment, field.key);
    EXPECT_EQ(experiment.facet, FacetFields()) << field.key;
  }
}

TEST(Facets, TakeTheFreeDirection) {
  Experiment experiment;
  toggle_facet(experiment, "rope.base");
  EXPECT_THAT(facets_of(experiment).across.words, Contains("10000")) << "its own value is among them";
  toggle_facet(experiment, "decay.content");
  EXPECT_EQ(experiment.facet.down, "decay.content=aligned,random");
  const Experiment both = experiment;
  toggle_facet(experiment, "decay.order");
  EXPECT_EQ(experiment, both) << "there is no third direction";
  toggle_facet(experiment, "rope.base");
  EXPECT_EQ(experiment.facet, (FacetFields{"", "decay.content=aligned,random"}));
}

TEST(Facets, OfAChoiceShowAFileOnlyIfItIsGiven) {
  for (const auto& [key, path] :
       {std::pair("decay.content", "weights.path"), std::pair("attention.content", "attention.file")}) {
    Experiment experiment;
    toggle_facet(experiment, key);
    const std::size_t without = facets_of(experiment).columns();
    toggle_facet(experiment, key);
    set_field(experiment, std::string(path) + "=some.safetensors");
    toggle_facet(experiment, key);
    EXPECT_EQ(facets_of(experiment).columns(), without + 1) << key;
  }
}

TEST(Facets, OfModelsAreThoseAtHand) {
  Experiment experiment;
  facet_models(experiment);
  EXPECT_THAT(facets_of(experiment).across.words, ElementsAre("llama-2-7b", "llama-3.1-8b"));
  EXPECT_TRUE(facets_change_rope(experiment));
  experiment = {};
  experiment.rope.model = "qwen2.5-7b-instruct";
  experiment.pins.resize(1);
  experiment.pins[0].rope.model = "llama-3.1-8b";
  facet_models(experiment);
  EXPECT_THAT(facets_of(experiment).across.words, ElementsAre("qwen2.5-7b-instruct", "llama-3.1-8b"));
}

TEST(Facets, HaveTheSymbolsThatLabelsEndWith) {
  const std::string assets = source_folder() + "/assets";
  std::size_t symbols = 0;
  for (const std::string language : {"en", "ja", "ko"}) {
    const Text text = Text::load(assets, language);
    for (const FieldInfo& field : list_fields()) {
      const std::string symbol = "field." + field.key + ".symbol", label = "field." + field.key + ".label";
      if (!text.has(symbol)) continue;
      ++symbols;
      EXPECT_TRUE(text[label].ends_with(text[symbol])) << language << " " << field.key << ": " << text[label];
    }
  }
  EXPECT_GT(symbols, 30u);
}

TEST(Curves, AreRelativeToARopeThatIsThere) {
  Experiment experiment;
  experiment.curves = {ShownAs::difference, "pin2", {}};
  EXPECT_THROW(check_curves(experiment), InputError);
  EXPECT_THROW(experiment_from_json(experiment_to_json(experiment), "saved"), InputError);
  experiment.pins.resize(1);
  EXPECT_THROW(check_curves(experiment), InputError);
  settle_curves(experiment);
  EXPECT_EQ(experiment.curves, (CurveFields{ShownAs::difference, "current", {}}));
  EXPECT_EQ(experiment_from_json(experiment_to_json(experiment), "saved"), experiment);
  experiment.pins.clear();
  settle_curves(experiment);
  EXPECT_EQ(experiment.curves, CurveFields());
}

}  // namespace
}  // namespace ropescope
