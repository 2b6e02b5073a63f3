#include "tests/command_line/program.h"
#include "tests/unit/reference_data.h"

namespace ropescope {
namespace {

using Decay = InWorkplace;

using Rows = std::vector<Words>;

/// Tolerances of the README, by distance.
double similarity_tolerance(double distance) {
  return std::abs(distance) <= 4096 ? 1e-12 : 1e-9;
}
double bound_tolerance(double distance) {
  return std::abs(distance) <= 4096 ? 1e-10 : 1e-8;
}

TEST_F(Decay, ReferenceValuesOneByOne) {
  const json data = read_reference("decay/main.json");
  for (const json& example : data["cases"]) {
    std::string list;
    for (const json& distance : example["distances"]) list += (list.empty() ? "" : ",") + distance.dump();
    const Rows rows = parse_csv(place.good({"decay", "--dim", example["config"]["d"].dump(), "--base",
                                            example["config"]["base"].dump(), "--distances", list}));
    ASSERT_EQ(rows.size(), example["distances"].size() + 1);
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
      const double distance = example["distances"][i].get<double>();
      EXPECT_EQ(std::stod(rows[i + 1][0]), distance);
      EXPECT_NEAR(std::stod(rows[i + 1][1]), example["ones_similarity"][i].get<double>(),
                  similarity_tolerance(distance));
      EXPECT_NEAR(std::stod(rows[i + 1][2]), example["relative_upper_bound"][i].get<double>(),
                  bound_tolerance(distance));
    }
  }
}

TEST_F(Decay, ReferenceValuesInALongRun) {
  const json data = read_reference("decay/main.json");
  const json& example = data["cases"][0];
  const Rows rows = parse_csv(place.good({"decay", "--dim", example["config"]["d"].dump(), "--base",
                                          example["config"]["base"].dump(), "--distances", "0:65536"}));
  ASSERT_EQ(rows.size(), 65538u);
  int compared = 0;
  for (std::size_t i = 0; i < example["distances"].size(); ++i) {
    const auto distance = example["distances"][i].get<std::size_t>();
    if (distance > 65536) continue;
    const auto& row = rows[distance + 1];
    EXPECT_EQ(row[0], std::to_string(distance));
    EXPECT_NEAR(std::stod(row[1]), example["ones_similarity"][i].get<double>(),
                similarity_tolerance(static_cast<double>(distance)));
    EXPECT_NEAR(std::stod(row[2]), example["relative_upper_bound"][i].get<double>(),
                bound_tolerance(static_cast<double>(distance)));
    ++compared;
  }
  EXPECT_GE(compared, 100);
}

TEST_F(Decay, NegativeDistancesMirror) {
  const Rows rows = parse_csv(place.good({"decay", "--dim", "64", "--base", "10000", "--distances", "-600:600"}));
  ASSERT_EQ(rows.size(), 1202u);
  for (std::size_t i = 1; i <= 600; ++i) {
    const auto &left = rows[601 - i], &right = rows[601 + i];
    EXPECT_EQ(left[0], "-" + right[0]);
    EXPECT_NEAR(std::stod(left[1]), std::stod(right[1]), 1e-12);
    EXPECT_NEAR(std::stod(left[2]), std::stod(right[2]), 1e-10);
  }
  EXPECT_THAT(rows[601], ElementsAre("0", "1", "16.5"));
}

TEST_F(Decay, ListsOfNumbersRangesAndSteps) {
  const Rows rows =
      parse_csv(place.good({"decay", "--dim", "64", "--base", "100", "--distances", "5,-3:-1,0:10:5,0.5"}));
  Words distances;
  for (const auto& row : rows) distances.push_back(row[0]);
  EXPECT_THAT(distances, ElementsAre("distance", "5", "-3", "-2", "-1", "0", "5", "10", "0.5"));
  EXPECT_EQ(rows[1], rows[6]);
}

TEST_F(Decay, NumbersReadBackExactly) {
  for (const auto& row : parse_csv(place.good({"decay", "--dim", "64", "--base", "10000", "--distances", "1:5"}))) {
    for (const std::string& cell : row) {
      if (row[0] == "distance") continue;
      const json number = std::stod(cell);
      EXPECT_EQ(std::stod(number.dump()), std::stod(cell));
      EXPECT_LE(cell.size(), 20u);
    }
  }
}

TEST_F(Decay, LongListsAreTheSameInPiecesAsInOne) {
  const auto rows = [&](const std::string& list) {
    return parse_csv(place.good({"decay", "--dim", "8", "--base", "100", "--distances", list}));
  };
  const Rows all = rows("0:300000,-300000:0");
  ASSERT_EQ(all.size(), 600003u);
  for (std::size_t i = 0; i <= 300000; ++i) {
    ASSERT_EQ(std::stod(all[1 + i][0]), static_cast<double>(i));
    ASSERT_EQ(std::abs(std::stod(all[300002 + i][0])), static_cast<double>(300000 - i));
  }
  const Rows part = rows("131060:131080,262135:262150");
  for (std::size_t i = 1; i < part.size(); ++i) {
    const auto distance = static_cast<std::size_t>(std::stod(part[i][0]));
    for (const auto& row : {all[1 + distance], all[600002 - distance]}) {
      EXPECT_NEAR(std::stod(row[1]), std::stod(part[i][1]), 1e-12);
      EXPECT_NEAR(std::stod(row[2]), std::stod(part[i][2]), 1e-11);
    }
  }
}

}  // namespace
}  // namespace ropescope
