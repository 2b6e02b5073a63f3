#include "app/experiment/experiment.h"
#include "tests/command_line/program.h"

namespace ropescope {
namespace {

using Render = InWorkplace;

/// Programs read these strings, and people paste them.
TEST_F(Render, NumbersInDataHaveNoSeparators) {
  std::size_t large = 0;
  for (const char* language : {"en", "ja", "ko"}) {
    place.good({"render", "decay", "--model", "llama-3.1-8b", "--language", language, "-o", "f.json"});
    const json drawn = json::parse(place.read("f.json"));
    for (const json& card : drawn.at("readouts")) {
      const std::string note = card.at("note");
      large += std::regex_search(note, std::regex("[0-9]{5}")) ? 1 : 0;
      EXPECT_FALSE(std::regex_search(note, std::regex("[0-9](,|\u202f)[0-9]{3}"))) << language << ": " << note;
    }
  }
  EXPECT_GT(large, 3u);
}

TEST_F(Render, CsvOfMarksHasTheirRows) {
  for (const std::string show : {"turn", "helix", "forms", "pairing"}) {
    place.good({"render", "rotation", "--set", "rotation.show=" + show, "-o", "f.json"});
    const json view = json::parse(place.read("f.json"));
    for (std::size_t i = 0; i < view["figures"].size(); ++i) {
      place.good(
          {"render", "rotation", "--set", "rotation.show=" + show, "--figure", std::to_string(i + 1), "-o", "f.csv"});
      EXPECT_GT(parse_csv(place.read("f.csv")).size(), 2u) << show << ", " << view["figures"][i]["name"];
    }
  }
  place.good({"render", "rotation", "-o", "f.csv"});
  const auto rows = parse_csv(place.read("f.csv"));
  ASSERT_GT(rows.size(), 2u);
  EXPECT_THAT(rows[0], ElementsAre("mark", "key", "number", testing::_, testing::_, "label"));
  const json arrow = [&] {
    place.good({"render", "rotation", "-o", "f.json"});
    return json::parse(place.read("f.json"))["figures"][0]["arrows"][0];
  }();
  std::size_t found = 0;
  for (const auto& row : rows) {
    if (row[0] != "arrow" || row[1] != arrow["key"].get<std::string>()) continue;
    const json& end = arrow[row[2] == "0" ? "from" : "to"];
    EXPECT_NEAR(std::stod(row[3]), end[0].get<double>(), 1e-12);
    EXPECT_NEAR(std::stod(row[4]), end[1].get<double>(), 1e-12);
    ++found;
  }
  EXPECT_EQ(found, 2u);
}

TEST_F(Render, CsvHoldsTheNumbersOfDecay) {
  place.good({"render", "decay", "--dim", "64", "--base", "500000", "--set", "span=100", "--set",
              "decay.distance_axis=linear", "-o", "f.csv"});
  const auto found = parse_csv(place.read("f.csv"));
  const auto wanted = parse_csv(place.good({"decay", "--dim", "64", "--base", "500000", "--distances", "0:100"}));
  ASSERT_EQ(found.size(), wanted.size());
  EXPECT_EQ(found[0][0], "distance");
  EXPECT_EQ(found[0][1], "similarity");
  for (std::size_t i = 1; i < found.size(); ++i) {
    EXPECT_EQ(found[i][0], wanted[i][0]);
    EXPECT_NEAR(std::stod(found[i][1]), std::stod(wanted[i][1]), 1e-12);
  }
}

TEST_F(Render, SavedExperimentAndSetArgumentsGiveTheSameFigure) {
  Experiment experiment;
  experiment.rope.base = 1234.5;
  experiment.rope.label = "a 'quoted' label";
  experiment.decay.span = 300;
  experiment.decay.show_envelope = true;
  experiment.decay.zooms["decay.distance_range"] = Range{2, 200};
  experiment.decay.marked_pairs = "0:8:4";
  Pin pin;
  pin.rope.base = 500000;
  pin.slot = 3;
  experiment.pins = {pin};
  place.write("e.json", experiment_to_json(experiment));
  place.good({"render", "decay", "--experiment", "e.json", "--size", "600x400", "--theme", "light", "-o", "a.svg"});
  Words arguments = {"render", "decay", "--size", "600x400", "--theme", "light", "-o", "b.svg"};
  for (const std::string& assignment : set_arguments(experiment)) {
    arguments.insert(arguments.end(), {"--set", assignment});
  }
  place.good(arguments);
  EXPECT_EQ(place.read("a.svg"), place.read("b.svg"));
  place.good({"render", "decay", "-o", "c.svg"});
  EXPECT_NE(place.read("a.svg"), place.read("c.svg"));
  // As a window sets it aside that found another one killed.
  place.write("last-experiment.json.1", experiment_to_json(experiment));
  place.good({"render", "last-experiment.json.1", "--size", "600x400", "--theme", "light", "-o", "d.svg"});
  EXPECT_EQ(place.read("a.svg"), place.read("d.svg"));
}

TEST_F(Render, RopeOptionsStartFromTheExperiment) {
  Experiment experiment;
  experiment.rope.rotary_dim = 64;
  experiment.decay.span = 50;
  experiment.decay.distance_axis = AxisScale::linear;
  place.write("e.json", experiment_to_json(experiment));
  place.good({"render", "decay", "--experiment", "e.json", "--base", "100", "-o", "f.csv"});
  const auto found = parse_csv(place.read("f.csv"));
  const auto wanted = parse_csv(place.good({"decay", "--dim", "64", "--base", "100", "--distances", "50"}));
  EXPECT_NEAR(std::stod(found.back()[1]), std::stod(wanted.back()[1]), 1e-12);
}

}  // namespace
}  // namespace ropescope
