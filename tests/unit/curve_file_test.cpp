// Files of curves of somebody's own: every shape that is taken, and what is said of all others.
#include "core/formats/curve_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/npy_files.h"
#include "tests/said.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CurveFile csv_curve(const std::string& text) {
  return parse_curve(bytes_of(text), nullptr, "f.csv");
}
CurveFile npy_curve(std::vector<std::int64_t> shape, std::vector<double> values) {
  const std::vector<std::byte> bytes = write_npy({std::move(shape), NumberFormat::float64, false, std::move(values)});
  return parse_curve(bytes, nullptr, "f.npy");
}
std::string refused_csv(const std::string& text) {
  return refusal_of([&] { csv_curve(text); });
}
std::string refused_npy(std::vector<std::int64_t> shape, std::vector<double> values) {
  return refusal_of([&] { npy_curve(std::move(shape), std::move(values)); });
}

TEST(CurveFile, TakesValuesOrPlacesAndValues) {
  EXPECT_THAT(csv_curve("3\n2\n1\n").xs, ElementsAre(0, 1, 2));
  EXPECT_THAT(csv_curve("3\n2\n1\n").ys, ElementsAre(3, 2, 1));
  const CurveFile named = csv_curve("distance, \"perplexity (nats)\"\r\n1,5.5\r\n10,6\r\n");
  EXPECT_EQ(named.title, "perplexity (nats)");
  EXPECT_THAT(named.xs, ElementsAre(1, 10));
  EXPECT_THAT(named.ys, ElementsAre(5.5, 6));
  EXPECT_THAT(npy_curve({3}, {3, 2, 1}).ys, ElementsAre(3, 2, 1));
  for (const CurveFile& curve : {npy_curve({3, 2}, {0, 5, 2, 6, 4, 7}), npy_curve({2, 3}, {0, 2, 4, 5, 6, 7})}) {
    EXPECT_THAT(curve.xs, ElementsAre(0, 2, 4));
    EXPECT_THAT(curve.ys, ElementsAre(5, 6, 7));
    EXPECT_EQ(curve.title, "");
  }
  EXPECT_THAT(npy_curve({2, 2}, {0, 5, 1, 6}).ys, ElementsAre(5, 6)) << "rows";
}

TEST(CurveFile, ItsCsvReadsBackToTheSameBits) {
  const CurveFile curve{"", {0, 1.0 / 3, 1e300}, {-0.1, 2e-308, 1e15}};
  const CurveFile back = parse_curve(curve_csv(curve), "own.data");
  EXPECT_EQ(back.xs, curve.xs);
  EXPECT_EQ(back.ys, curve.ys);
}

TEST(CurveFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refused_csv("1,2\n3,four\n"), "f.csv: line 2, column 2: found \"four\"; a number was expected");
  EXPECT_THAT(refused_csv("1,2\n3\n"), HasSubstr("line 2 has 1 numbers, the lines before 2"));
  EXPECT_THAT(refused_csv("1,nan\n"), HasSubstr("line 1, column 2: found \"nan\"; a finite number"));
  EXPECT_EQ(refused_csv("1,2,3\n4,5,6\n7,8,9\n"),
            "f.csv: the shape is [3, 3]; [N], [N, 2] or [2, N] (values, or places and values) was expected");
  EXPECT_THAT(refused_csv("1,2\n1,3\n"), HasSubstr("row 2 stands at 1, the one before at 1; ascending places"));
  EXPECT_THAT(refused_csv("x,y\n"), HasSubstr("no numbers"));
  EXPECT_THAT(refused_csv(""), HasSubstr("no numbers"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refused_npy({3}, {1, nan, 3}), HasSubstr("f.npy: row 2 holds nan; finite numbers were expected"));
  EXPECT_THAT(refused_npy({0}, {}), HasSubstr("there are no numbers"));
  EXPECT_THAT(refused_npy({1, 2, 1}, {1, 2}), HasSubstr("the shape is [1, 2, 1]"));
  EXPECT_THAT(refused_npy({10001}, std::vector<double>(10001)), HasSubstr("there are 10001 rows; at most 10000"));
  EXPECT_THAT(refused_npy({20001}, std::vector<double>(20001)), HasSubstr("there are 20001 numbers; at most 20000"));
  EXPECT_THAT(refusal_of([] { parse_curve(bytes_of("PK"), nullptr, "f.zip"); }),
              HasSubstr("a .csv or .npy was expected"));
  EXPECT_THAT(refusal_of([] { parse_curve(bytes_of("\x93NUMPY"), nullptr, "f.npy"); }), HasSubstr("f.npy"));
}

}  // namespace
}  // namespace ropescope
