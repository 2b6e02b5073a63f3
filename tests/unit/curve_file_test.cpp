// Files of user curves: every supported shape, and the messages about all others.
#include "core/formats/curve_file.h"

#include "says.h"
#include "tests/npy_files.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

CurveFile csv_curve(const std::string& text, CurveColumns columns = CurveColumns::automatic) {
  return curve_in(parse_curve_table(bytes_of(text), nullptr, "f.csv"), columns, "f.csv");
}
CurveFile npy_curve(std::vector<std::int64_t> shape, std::vector<double> values) {
  const std::vector<std::byte> bytes = write_npy({std::move(shape), NumberFormat::float64, false, std::move(values)});
  return curve_in(parse_curve_table(bytes, nullptr, "f.npy"), CurveColumns::automatic, "f.npy");
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
  const CurveTable table{{"x", "its \"name\""}, 3, 2, {0, -0.1, 1.0 / 3, 2e-308, 1e300, 1e15}};
  const CurveTable back = parse_curve_table(curve_csv(table), "own.data");
  EXPECT_EQ(back.numbers, table.numbers);
  EXPECT_THAT(back.header, ElementsAre("x", "its 'name'"));
  const CurveTable rows{{}, 2, 3, {1, 2, 3, 5, 6, 7}};
  EXPECT_EQ(curve_in(parse_curve_table(curve_csv(rows), "own.data"), {}, "own.data").ys,
            (std::vector<double>{5, 6, 7}));
}

TEST(CurveFile, ReadsIntervalsByTheirNames) {
  const CurveFile deviations = csv_curve("context,loss,loss_std\n1,5,0.5\n10,4,0\n");
  EXPECT_EQ(deviations.title, "loss");
  EXPECT_THAT(deviations.lows, ElementsAre(4.5, 4));
  EXPECT_THAT(deviations.highs, ElementsAre(5.5, 4));
  const CurveFile interval = csv_curve("x,Lower,Upper\n1,2,4\n3,5,9\n");
  EXPECT_FALSE(interval.has_values);
  EXPECT_THAT(interval.ys, ElementsAre(3, 7));
  EXPECT_THAT(interval.lows, ElementsAre(2, 5));
  for (const char* header : {"", "x,y,y min,y max\n"}) {
    const CurveFile both = csv_curve(std::string(header) + "1,3,2,4\n3,6,5,9\n5,6,5,9\n");
    EXPECT_THAT(both.ys, ElementsAre(3, 6, 6));
    EXPECT_THAT(both.highs, ElementsAre(4, 9, 9));
  }
  EXPECT_THAT(csv_curve("1,5,1\n2,6,1\n3,7,1\n", CurveColumns::mean_std).lows, ElementsAre(4, 5, 6));
  EXPECT_THAT(csv_curve("1,5,9\n2,6,9\n", CurveColumns::low_high).ys, ElementsAre(7, 7.5)) << "two rows, if chosen";
  EXPECT_REFUSED(csv_curve("1,5,9\n2,6,9\n3,6,9\n", CurveColumns::mean_low_high),
                 Says("error.curve.column_count", {{"columns", "3"}, {"expected", "4"}}));
}

TEST(CurveFile, ReadsCommasBetweenQuotes) {
  EXPECT_EQ(csv_curve("x,\"loss, train\"\n1,2\n3,4\n").title, "loss, train");
  EXPECT_EQ(csv_curve("x,\"2,5 nats\",std\n1,2,1\n3,4,1\n").title, "2,5 nats");
  EXPECT_EQ(csv_curve("x,y\" in\n1,2\n3,4\n").title, "y\" in") << "a single quote";
  EXPECT_FALSE(has_more_columns("\"x\",\"loss, train\"\n1,2"));
  EXPECT_TRUE(has_more_columns("\"x\",\"loss, train\",\"std\"\n1,2,3"));
}

TEST(CurveFile, SaysHowRowsAreRead) {
  const auto reading = [](const char* csv, CurveColumns columns = CurveColumns::automatic) {
    return describe_reading(csv, columns).key;
  };
  EXPECT_EQ(reading("1,2,3\n4,5,6"), "curve_reading.rows");
  EXPECT_EQ(reading("1,2\n4,5"), "curve_reading.square");
  EXPECT_EQ(reading("1,2\n4,5\n6,7"), "");
  EXPECT_EQ(reading("1,2,3\n4,5,6\n7,8,9"), "");
  EXPECT_EQ(reading("\"x\",\"y\"\n1,2"), "") << "named";
  EXPECT_EQ(reading("1,2,3\n4,5,6", CurveColumns::mean_std), "") << "chosen";
  EXPECT_EQ(reading("1,2,3,4,5\n4,5,6,7,8"), "curve_reading.rows");
  EXPECT_EQ(reading(""), "");
}

TEST(CurveFile, SaysWhatIsWrongAndWhere) {
  expect_refusals("curve_file", 11, refused_csv);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refused_npy({3}, {1, nan, 3}),
              AllOf(HasSubstr("f.npy: "), Says("error.curve.not_finite", {{"row", "2"}, {"found", "nan"}})));
  EXPECT_THAT(refused_npy({0}, {}), Says("error.curve.empty"));
  EXPECT_THAT(refused_npy({1, 2, 1}, {1, 2}), Says("error.curve.shape", {{"shape", "[1, 2, 1]"}}));
  EXPECT_THAT(refused_npy({10001}, std::vector<double>(10001)),
              Says("error.curve.rows", {{"rows", "10001"}, {"most", "10000"}}));
  EXPECT_THAT(refused_npy({40001}, std::vector<double>(40001)),
              Says("error.curve.numbers", {{"count", "40001"}, {"most", "40000"}}));
  EXPECT_REFUSED(parse_curve_table(bytes_of("PK"), nullptr, "f.zip"), Says("error.curve.kind"));
  EXPECT_REFUSED(parse_curve_table(bytes_of("\x93NUMPY"), nullptr, "f.npy"), HasSubstr("f.npy"));
}

}  // namespace
}  // namespace ropescope
