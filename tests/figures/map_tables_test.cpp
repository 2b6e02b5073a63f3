// CSV and JSON of every map that a view draws, reduced maps included, line by line against values computed here from
// the formula, or by the view for a single place.

#include "app/figure/figure.h"
#include "app/figure/table.h"
#include "app/views/atlas.h"
#include "core/rotary/spec.h"
#include "tests/figures/view_parts.h"

namespace ropescope {
namespace {

struct Csv {
  std::vector<std::string> names;
  std::vector<std::vector<double>> lines;
};

Csv read(const std::string& text) {
  Csv csv;
  std::istringstream in(text);
  std::string line, cell;
  const auto cells = [&](auto&& take) {
    std::istringstream parts(line);
    while (std::getline(parts, cell, ',')) take(cell);
  };
  std::getline(in, line);
  cells([&](const std::string& name) { csv.names.push_back(name); });
  while (std::getline(in, line)) {
    csv.lines.emplace_back();
    cells([&](const std::string& number) {
      csv.lines.back().push_back(number.empty() ? std::nan("") : std::stod(number));
    });
  }
  return csv;
}

/// Of one figure as the program writes it.
json json_of(const Figure& figure) {
  ViewResult view;
  view.panels.push_back({figure});
  return json::parse(table_json(view)).at("figures").at(0);
}

class MapTables : public ViewTest {
 protected:
  ViewResult draw(const std::string& view) {
    experiment.view = view;
    return ViewTest::draw();
  }
};

TEST_F(MapTables, OfTheAtlasHoldEveryPositionExactlyBeyondFourThousand) {
  experiment.rope.rotary_dim = 4;
  experiment.atlas.positions = 8191;
  const Eigen::VectorXd frequencies = plain_frequencies(4, 10000);
  for (const AtlasValues values :
       {AtlasValues::sinusoidal, AtlasValues::rope_cos, AtlasValues::rope_sin, AtlasValues::rope_angle}) {
    experiment.atlas.values = values;
    const ViewResult result = draw("atlas");
    ASSERT_EQ(figure(result, "atlas").maps.at(0).cells->rows, 4096u) << "reduced";
    const Csv csv = read(table_csv(figure(result, "atlas")));
    const bool channels = values == AtlasValues::sinusoidal;
    EXPECT_EQ(csv.names, (std::vector<std::string>{channels ? "dimension" : "pair", "position", "values"}));
    const std::size_t columns = channels ? 4 : 2;
    ASSERT_EQ(csv.lines.size(), 8191 * columns);
    const auto json = json_of(figure(result, "atlas")).at("maps").at(0);
    EXPECT_EQ(json.at("rows"), 8191);
    ASSERT_EQ(json.at("values").size(), csv.lines.size());
    for (std::size_t i = 0; i < csv.lines.size(); ++i) {
      const double column = static_cast<double>(i % columns), position = static_cast<double>(i / columns);
      ASSERT_EQ(csv.lines[i][0], column);
      ASSERT_EQ(csv.lines[i][1], position);
      const double angle = position * frequencies[static_cast<Eigen::Index>(channels ? i % 4 / 2 : i % 2)];
      const bool cosine = values == AtlasValues::rope_cos || (channels && i % 2 == 1);
      double expected = cosine ? std::cos(angle) : std::sin(angle);
      if (values == AtlasValues::rope_angle)
        expected = angle - 2 * std::numbers::pi * std::floor(angle / (2 * std::numbers::pi));
      ASSERT_NEAR(csv.lines[i][2], expected, 2e-12) << word_of(values) << " " << column << " " << position;
      ASSERT_EQ(json.at("values").at(i).get<double>(), csv.lines[i][2]);
    }
  }
}

TEST_F(MapTables, OfMapsThatAreDrawnApartHoldAllDimensionsInTheirOrder) {
  experiment.rope.rotary_dim = 258;
  experiment.atlas.positions = 5;
  const ViewResult result = draw("atlas");
  const Csv all = read(table_csv(figure(result, "atlas")));
  const Csv cosines = read(table_csv(figure(result, "atlas_cosine")));
  ASSERT_EQ(all.lines.size(), 5u * 258);
  ASSERT_EQ(cosines.lines.size(), 5u * 129);
  const Eigen::VectorXd frequencies = plain_frequencies(258, 10000);
  for (std::size_t i = 0; i < all.lines.size(); ++i) {
    const double angle = static_cast<double>(i / 258) * frequencies[static_cast<Eigen::Index>(i % 258 / 2)];
    ASSERT_EQ(all.lines[i][0], static_cast<double>(i % 258));
    ASSERT_NEAR(all.lines[i][2], i % 2 == 0 ? std::sin(angle) : std::cos(angle), 1e-14);
  }
  for (std::size_t i = 0; i < cosines.lines.size(); ++i) {
    ASSERT_EQ(cosines.lines[i][0], static_cast<double>(2 * (i % 129) + 1));
    ASSERT_EQ(cosines.lines[i][2], all.lines[2 * i + 1][2]);
  }
  EXPECT_EQ(json_of(figure(result, "atlas")).at("maps").at(0).at("columns"), 258);
  EXPECT_EQ(json_of(figure(result, "atlas_cosine")).at("maps").at(0).at("columns"), 129);
}

TEST_F(MapTables, OfALearnedTableAreItsRows) {
  experiment.atlas.values = AtlasValues::learned;
  experiment.atlas.positions = 6000;
  experiment.rope.rotary_dim = 4;
  experiment.encoding["trained_length"] = 5001;
  const Csv csv = read(table_csv(figure(draw("atlas"), "atlas")));
  ASSERT_EQ(csv.lines.size(), 24000u);
  EncodingValues settings;
  settings.dim = 4;
  settings.trained_length = 5001;
  const TokenMatrix table = make_model(find_encoding("learned"), settings)->tables().at(0).values;
  for (std::size_t i = 0; i < csv.lines.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i / 4), column = static_cast<Eigen::Index>(i % 4);
    if (row >= 5001) {
      ASSERT_TRUE(std::isnan(csv.lines[i][2])) << i;
    } else {
      ASSERT_EQ(csv.lines[i][2], table(row, column)) << i;
    }
  }
}

/// Every place that a table lists has the value that the map's own rule gives there; each exactly once.
void expect_exact(const Figure& figure) {
  const Csv csv = read(table_csv(figure));
  const auto json = json_of(figure).at("maps");
  const auto& maps = figure.tables.empty() ? figure.maps : figure.tables;
  ASSERT_EQ(csv.names.size(), 2 + maps.size()) << figure.name;
  std::vector<std::size_t> counted(maps.size(), 0);
  for (const std::vector<double>& line : csv.lines) {
    for (std::size_t k = 0; k < maps.size() && 2 + k < line.size(); ++k) {
      if (std::isnan(line[2 + k])) continue;
      ++counted[k];
      const double expected = maps[k].exact ? maps[k].exact(line[0], line[1]) : std::nan("");
      if (maps[k].exact) ASSERT_EQ(line[2 + k], expected) << figure.name << " " << line[0] << " " << line[1];
    }
  }
  for (std::size_t k = 0; k < maps.size(); ++k) {
    std::size_t numbers = 0;
    for (const auto& value : json.at(k).at("values")) numbers += value.is_null() ? 0 : 1;
    EXPECT_EQ(numbers, counted[k]) << figure.name << " " << maps[k].key;
    EXPECT_GT(numbers, 0u) << figure.name << " " << maps[k].key;
  }
}

void expect_exact_maps(const ViewResult& result, int maps) {
  int found = 0;
  for (const Panel& panel : result.panels) {
    if (panel.figure.maps.empty() || !panel.figure.lines.empty()) continue;
    found += static_cast<int>(panel.figure.maps.size());
    expect_exact(panel.figure);
  }
  EXPECT_GE(found, maps);
}

TEST_F(MapTables, OfTheOtherViewsHoldTheirExactValues) {
  experiment.attention.tokens = 64;
  expect_exact_maps(draw("attention"), 1);
  experiment.compare.show = CompareShow::matrix;
  experiment.compare.size = 40;
  expect_exact_maps(draw("encodings"), 1);
  experiment.compare.show = CompareShow::phrase;
  expect_exact_maps(draw("encodings"), 2);
  experiment.rotation.show = RotationShow::forms;
  expect_exact_maps(draw("rotation"), 1);
  for (const LayoutColours colours : {LayoutColours::index, LayoutColours::axis, LayoutColours::angle}) {
    experiment.layout.colours = colours;
    expect_exact_maps(draw("layout"), 2);
  }
  expect_exact_maps(draw("similarity"), 2);
}

TEST_F(MapTables, OfLayoutsOfMoreThanFourThousandTokensASideHoldEveryToken) {
  experiment.layout.size_by = SizeBy::tokens;
  experiment.layout.rows = 3;
  experiment.layout.columns = 4099;  // an odd number: the last of its cells holds one token
  experiment.layout["text"] = 0;
  for (const char* view : {"layout", "similarity"}) {
    const ViewResult result = draw(view);
    const Figure& shown = result.panels.front().figure;
    const Map& map = shown.maps.at(0);
    ASSERT_EQ(map.cells->columns, 2050u) << view;
    EXPECT_EQ(map.x.high, 4099.5) << "the last cell reaches as far as the others";
    const Csv csv = read(table_csv(shown));
    std::size_t count = 0;
    for (const std::vector<double>& line : csv.lines) {
      if (std::isnan(line[2])) continue;
      ASSERT_EQ(line[0], static_cast<double>(count % 4099)) << view;
      ASSERT_EQ(line[1], static_cast<double>(count / 4099)) << view;
      ++count;
    }
    EXPECT_EQ(count, 3u * 4099) << view;
  }
}

}  // namespace
}  // namespace ropescope
