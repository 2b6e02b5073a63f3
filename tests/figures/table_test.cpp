#include "app/figure/table.h"

#include <charconv>

#include "tests/test.h"

namespace ropescope {
namespace {

Figure figure_with(std::vector<Line> lines) {
  Figure figure;
  figure.name = "similarity";
  figure.x.name = "distance";
  figure.x.label = "relative distance";
  figure.x.range = {1, 3};
  figure.x.whole = true;
  figure.y.name = "similarity";
  figure.lines = std::move(lines);
  return figure;
}

Line line_of(const std::string& key, std::shared_ptr<const Series> series) {
  return {key, key, {}, series, true};
}

TEST(Table, OneLineTakesTheNameOfItsAxis) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Figure figure = figure_with({line_of("current", make_series(0, 1, {9, 0.1, nan, -1e-9, 9}))});
  EXPECT_EQ(table_csv(figure), "distance,similarity\n1,0.1\n2,nan\n3,-1e-09\n");
}

TEST(Table, LinesShareTheirRows) {
  const Figure figure = figure_with({line_of("current", make_series(0, 1, {1, 2, 3, 4, 5})),
                                     line_of("pin1", make_series({0.5, 2, 2.5, 3}, {10, 20, 30, 40})),
                                     line_of("odd, \"key\"", make_series({3}, {7}))});
  EXPECT_EQ(table_csv(figure),
            "distance,current,pin1,\"odd, \"\"key\"\"\"\n"
            "1,2,,\n"
            "2,3,20,\n"
            "2.5,,30,\n"
            "3,4,40,7\n");
}

TEST(Table, EmptyFiguresHaveTheirHeader) {
  EXPECT_EQ(table_csv(figure_with({})), "distance\n");
  EXPECT_EQ(table_csv(figure_with({line_of("current", nullptr)})), "distance,similarity\n");
}

TEST(Table, WholeDistancesArePlainDigits) {
  Figure figure = figure_with({line_of("current", make_series(99999, 1, {1, 100000, 3}))});
  figure.x.range = {100000, 100000};
  EXPECT_EQ(table_csv(figure), "distance,similarity\n100000,1e+05\n");
}

TEST(Table, NumbersReadBackToTheSameDoubles) {
  std::vector<double> ys(2000);
  for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = std::sin(static_cast<double>(i)) * std::pow(10, i % 40 - 20.0);
  Figure figure = figure_with({line_of("current", make_series(0, 0.1, ys))});
  figure.x.whole = false;
  figure.x.range = {0, 1e9};
  std::istringstream csv(table_csv(figure));
  std::string row;
  std::getline(csv, row);
  for (std::size_t i = 0; i < ys.size(); ++i) {
    ASSERT_TRUE(std::getline(csv, row));
    double x = 0, y = 0;
    const char* end = row.data() + row.size();
    const char* comma = std::from_chars(row.data(), end, x).ptr;
    ASSERT_EQ(*comma, ',');
    ASSERT_EQ(std::from_chars(comma + 1, end, y).ptr, end);
    EXPECT_EQ(x, figure.lines[0].series->x_at(i));
    EXPECT_EQ(y, ys[i]);
  }
  EXPECT_FALSE(std::getline(csv, row));
}

TEST(Table, JsonHoldsFiguresAndReadouts) {
  const double infinity = std::numeric_limits<double>::infinity();
  ViewResult view;
  view.panels.push_back({figure_with({line_of("current", make_series(0, 1, {9, 0.1, infinity, 0.3, 9}))}), 1});
  Rule rule;
  rule.at = 2;
  rule.label = "trained 2";
  view.panels[0].figure.rules.push_back(rule);
  Quantity found{as_whole(1707), "tokens"}, unseen{as_whole(18), "pairs", "form", with_digits(64, 3)};
  view.readouts.push_back({"decay.first_negative", "First negative", found, "1 707", "A sentence.", "formula"});
  view.readouts.push_back({"decay.unfinished", "Unseen", unseen, "18 of 64", "", ""});
  view.readouts.push_back({"patch.text", "Text", Position{{0, 1.5}}, "(0, 1.5)", "", ""});
  view.readouts.push_back({"check.verdict", "Verdict", Message("key"), "Agrees", "", ""});
  const auto json = nlohmann::ordered_json::parse(table_json(view));
  const auto& figure = json.at("figures").at(0);
  EXPECT_EQ(figure.at("name"), "similarity");
  EXPECT_EQ(figure.at("x").at("name"), "distance");
  EXPECT_EQ(figure.at("x").at("scale"), "linear");
  EXPECT_EQ(figure.at("x").at("range").dump(), "[1.0,3.0]");
  EXPECT_EQ(figure.at("lines").at(0).at("key"), "current");
  EXPECT_EQ(figure.at("lines").at(0).at("x").dump(), "[1,2,3]");
  EXPECT_EQ(figure.at("lines").at(0).at("y").dump(), "[0.1,null,0.3]");
  EXPECT_EQ(figure.at("rules").at(0).dump(), R"({"axis":"x","at":2,"label":"trained 2"})");
  const auto& readouts = json.at("readouts");
  EXPECT_EQ(readouts.at(0).dump(), R"({"name":"decay.first_negative","label":"First negative","number":1707,)"
                                   R"("unit":"tokens","value":"1 707","note":"A sentence."})");
  EXPECT_EQ(readouts.at(1).at("number").dump(), "18");
  EXPECT_EQ(readouts.at(1).at("other").dump(), "64.0");
  EXPECT_EQ(readouts.at(2).at("number").dump(), "[0.0,1.5]");
  EXPECT_TRUE(readouts.at(3).at("number").is_null()) << "a word";
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"figures", "readouts"}));
}

Figure map_of_two_by_three() {
  Figure figure;
  figure.x.name = "key";
  figure.y.name = "query";
  figure.x.whole = figure.y.whole = true;
  Map map;
  map.key = "score";
  map.label = "score";
  map.x = {-0.5, 1.5};
  map.y = {9.5, 12.5};
  auto cells = std::make_shared<MapCells>();
  cells->columns = 2;
  cells->rows = 3;
  cells->values = {0.1f, 2, -3, std::numeric_limits<float>::quiet_NaN(), 5, 1e-9f};
  map.cells = cells;
  figure.maps.push_back(map);
  return figure;
}

TEST(Table, JsonHasTheNamesOfAPlottingLibrary) {
  Line dashed = line_of("current", make_series(0, 1, {9, 0.1}));
  dashed.label = "Llama 3.1";
  dashed.style.slot = 6;
  dashed.low = make_series(0, 1, {8, 0});
  dashed.high = make_series(0, 1, {10, 1});
  ViewResult view;
  view.panels.push_back({figure_with({dashed, line_of("own", make_series(0, 1, {1, 2}))})});
  Figure& figure = view.panels[0].figure;
  figure.lines[1].marks = LineMarks::markers;
  figure.x.scale = AxisScale::log;
  figure.x.range = {0, 3};
  figure.y.reversed = true;
  figure.y.range = {0, 10};
  const json written = json::parse(table_json(view))["figures"][0];
  EXPECT_EQ(written["plot"]["xlabel"], "relative distance");
  EXPECT_EQ(written["plot"]["xscale"], "log");
  EXPECT_EQ(written["plot"]["xlim"], json({0.0, 3.0}));
  EXPECT_EQ(written["plot"]["ylim"], json({10.0, 0.0}));
  const json& line = written["lines"][0];
  EXPECT_EQ(line["plot"]["label"], "Llama 3.1");
  EXPECT_EQ(line["plot"]["linestyle"], ":");
  EXPECT_EQ(line["plot"]["color"].get<std::string>().size(), 7u);
  EXPECT_EQ(line["low"], json({8.0, 0.0}));
  EXPECT_EQ(written["lines"][1]["plot"]["linestyle"], "none");
  EXPECT_EQ(written["lines"][1]["plot"]["marker"], "o");
}

TEST(Table, AMapHasARowForEachCell) {
  Figure figure = map_of_two_by_three();
  EXPECT_EQ(table_csv(figure), "key,query,score\n0,10,0.1\n1,10,2\n0,11,-3\n1,11,nan\n0,12,5\n1,12,1e-09\n");
  figure.maps[0].exact = [](double x, double y) { return x + y / 3; };
  EXPECT_EQ(table_csv(figure).substr(0, 39), "key,query,score\n0,10,3.3333333333333335");
}

TEST(Table, AReducedMapListsAllRowsWhereTheyCanBeHad) {
  Figure figure = map_of_two_by_three();
  auto cells = std::make_shared<MapCells>(*figure.maps[0].cells);
  cells->reduction = {1, 2, 2, 5};  // the last of three cells holds one row
  figure.maps[0].cells = cells;
  figure.maps[0].y = {9.5, 15.5};
  figure.maps[0].exact = [](double x, double y) { return 100 * x + y; };
  const std::string all =
      "key,query,score\n0,10,10\n1,10,110\n0,11,11\n1,11,111\n0,12,12\n1,12,112\n0,13,13\n1,13,113\n"
      "0,14,14\n1,14,114\n";
  EXPECT_EQ(table_csv(figure), all);
  figure.maps[0].exact_row = [](double y) { return std::vector<double>{y, 100 + y}; };
  EXPECT_EQ(table_csv(figure), all);
  ViewResult view;
  view.panels.push_back({figure});
  const auto map = nlohmann::ordered_json::parse(table_json(view)).at("figures").at(0).at("maps").at(0);
  EXPECT_EQ(map.at("rows"), 5);
  EXPECT_EQ(map.at("values").dump(), "[10.0,110.0,11.0,111.0,12.0,112.0,13.0,113.0,14.0,114.0]");
  EXPECT_FALSE(map.contains("row_members"));
}

TEST(Table, AReducedMapWithoutExactValuesSaysWhichRowsACellIsOf) {
  Figure figure = map_of_two_by_three();
  auto cells = std::make_shared<MapCells>(*figure.maps[0].cells);
  cells->reduction = {1, 2, 2, 5, "worst"};
  figure.maps[0].cells = cells;
  figure.maps[0].y = {9.5, 15.5};
  EXPECT_EQ(table_csv(figure),
            "key,query_first,query_last,score_worst\n0,10,11,0.1\n1,10,11,2\n0,12,13,-3\n1,12,13,nan\n0,14,14,5\n"
            "1,14,14,1e-09\n");
  ViewResult view;
  view.panels.push_back({figure});
  const auto map = nlohmann::ordered_json::parse(table_json(view)).at("figures").at(0).at("maps").at(0);
  EXPECT_EQ(map.at("reduced_by"), "worst");
  EXPECT_EQ(map.at("row_members").dump(), "[[10,11],[12,13],[14,14]]");
  EXPECT_EQ(map.at("column_members").dump(), "[[0,0],[1,1]]");
  // Of two maps of which only one is reduced every line still says its rows.
  figure.maps.push_back(map_of_two_by_three().maps[0]);
  figure.maps[1].key = "whole";
  const std::string both = table_csv(figure);
  EXPECT_EQ(both.substr(0, both.find('\n')), "key,query_first,query_last,score_worst,whole");
  EXPECT_NE(both.find("\n1,11,11,,nan\n"), std::string::npos) << both;
}

TEST(Table, TablesStandInForMapsThatAreDrawnOtherwise) {
  Figure figure = map_of_two_by_three();
  Map all = figure.maps[0];
  all.cells = std::make_shared<MapCells>(MapCells{2, 3, {}});
  all.key = "all";
  all.exact = [](double x, double y) { return x - y; };
  figure.tables.push_back(all);
  EXPECT_EQ(table_csv(figure), "key,query,all\n0,10,-10\n1,10,-9\n0,11,-11\n1,11,-10\n0,12,-12\n1,12,-11\n");
  ViewResult view;
  view.panels.push_back({figure});
  const auto maps = nlohmann::ordered_json::parse(table_json(view)).at("figures").at(0).at("maps");
  ASSERT_EQ(maps.size(), 1u);
  EXPECT_EQ(maps.at(0).at("key"), "all");
}

TEST(Table, MapsOfOtherCellsLeaveTheirColumnEmpty) {
  Figure figure = map_of_two_by_three();
  figure.maps.push_back(figure.maps[0]);
  figure.maps[1].key = "weight, again";
  figure.maps.push_back(figure.maps[0]);
  figure.maps[2].key = "coarse";
  auto one = std::make_shared<MapCells>();
  one->columns = one->rows = 1;
  one->values = {7};
  figure.maps[2].cells = one;
  const std::string csv = table_csv(figure);
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "key,query,score,\"weight, again\",coarse");
  EXPECT_NE(csv.find("\n0,10,0.1,0.1,\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n0.5,11,,,7\n"), std::string::npos) << csv;
}

TEST(Table, JsonHoldsMapsAndMarks) {
  Figure figure = map_of_two_by_three();
  figure.x.names = {"the", "fox"};
  figure.y.reversed = true;
  Arrow arrow;
  arrow.key = "q";
  arrow.x1 = 3;
  arrow.y1 = 4;
  figure.arrows.push_back(arrow);
  Path path;
  path.xs = {0, std::numeric_limits<double>::quiet_NaN()};
  path.ys = {1, 2};
  figure.paths.push_back(path);
  Label label;
  label.text = "here";
  label.x = 1.5;
  figure.labels.push_back(label);
  figure.boxes.push_back({{0, 1}, {2, 3}, {}, Role::text, false});
  ViewResult view;
  view.panels.push_back({figure});
  const auto json = nlohmann::ordered_json::parse(table_json(view)).at("figures").at(0);
  EXPECT_EQ(json.at("maps").dump(),
            R"([{"key":"score","label":"score","x":[-0.5,1.5],"y":[9.5,12.5],"columns":2,"rows":3,)"
            R"("values":[0.1,2.0,-3.0,null,5.0,1e-09]}])");
  EXPECT_EQ(json.at("arrows").dump(), R"([{"key":"q","label":"","from":[0,0],"to":[3,4]}])");
  EXPECT_EQ(json.at("paths").dump(), R"([{"key":"","x":[0,null],"y":[1,2]}])");
  EXPECT_EQ(json.at("labels").dump(), R"([{"text":"here","x":1.5,"y":0}])");
  EXPECT_EQ(json.at("boxes").dump(), R"([{"x":[0.0,1.0],"y":[2.0,3.0]}])");
  EXPECT_EQ(json.at("x").at("names").dump(), R"(["the","fox"])");
  EXPECT_EQ(json.at("y").at("reversed"), true);
}

TEST(Table, JsonSurvivesTextThatIsNoUtf8) {
  ViewResult view;
  view.readouts.push_back({"name", "\xff\xfe", {}, "", "", ""});
  EXPECT_TRUE(json::accept(table_json(view)));
}

}  // namespace
}  // namespace ropescope
