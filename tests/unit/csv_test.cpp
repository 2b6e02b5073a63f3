#include "core/formats/tensor_file.h"

#include "says.h"
#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

StoredTensor csv(const std::string& content, const CsvLimits& limits = {}) {
  return parse_csv(bytes_of(content), "f.csv", limits);
}

std::string csv_error(const std::string& content, const CsvLimits& limits = {}) {
  return refusal_of([&] { csv(content, limits); });
}

TEST(Csv, RowsOfNumbers) {
  const StoredTensor table = csv("1,2.5,-3e-2\n 0.125 ,\t7,+8\n");
  EXPECT_EQ(table.name, "f.csv");
  EXPECT_EQ(table.storage, Storage::float64);
  EXPECT_THAT(table.shape, ElementsAre(2, 3));
  EXPECT_THAT(numbers_of(table), ElementsAre(1, 2.5, -0.03, 0.125, 7, 8));
  EXPECT_THAT(csv("5").shape, ElementsAre(1, 1));
  EXPECT_THAT(csv("1\n2\n3").shape, ElementsAre(3, 1));
}

TEST(Csv, HeaderByteOrderMarkAndWindowsLines) {
  const StoredTensor table = csv("\xEF\xBB\xBFtoken, row ,x\r\n0,1,2\r\n3,4,5\r\n\r\n  \n");
  EXPECT_THAT(table.shape, ElementsAre(2, 3));
  EXPECT_THAT(numbers_of(table), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Csv, FaultsNameLineAndColumn) {
  expect_refusals("csv", 18, [](const std::string& content) { return csv_error(content); });
}

TEST(Csv, BytesThatAreNotUtf8HaveAPlace) {
  EXPECT_THAT(csv_error("1,2\n3,\xE4\n"),
              AllOf(HasSubstr("f.csv: "), Says("error.csv.cell", {{"line", "2"}, {"column", "2"}}),
                    Says("csv.not_utf8", {{"byte", "228"}})));
  EXPECT_THAT(csv_error(std::string("\xFF\xFE") + std::string("1\0,\0"
                                                              "2\0\n\0",
                                                              8)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(csv("L\xE4nge,x\n1,2\n").shape, ElementsAre(1, 2)) << "a name of a column is nobody's number";
}

TEST(Csv, ReadingIsStopped) {
  std::stop_source source;
  source.request_stop();
  CsvLimits limits;
  limits.stop = source.get_token();
  EXPECT_THAT(csv_error("1\n", limits), Says("error.csv.stopped"));
}

TEST(Csv, LimitsHold) {
  EXPECT_THAT(csv("1,2\n3,4\n", {4}).shape, ElementsAre(2, 2));
  EXPECT_THAT(csv_error("1,2\n3,4\n5,6\n", {4}), Says("error.csv.too_many", {{"most", "4"}}));
  EXPECT_THAT(
      csv_error("1,2\n" + std::string(5000, '\0')),
      AllOf(Says("error.csv.cell", {{"line", "2"}, {"column", "1"}}), Says("csv.long_cell", {{"characters", "5000"}})));
}

TEST(Csv, KnowsHowExactlyItWasPrinted) {
  EXPECT_FALSE(csv("0,1\n2,-3\n").printed) << "whole numbers are exact";
  const auto six = csv("1.000000,0.000000\n0.540302,0.841471\n").printed;
  ASSERT_TRUE(six);
  EXPECT_EQ(six->decimals, 6);
  EXPECT_EQ(six->digits, 7);
  const auto scientific = csv("1,0\n5.40302e-01,-8.41471e-05\n").printed;
  ASSERT_TRUE(scientific);
  EXPECT_EQ(scientific->decimals, 10);
  EXPECT_EQ(scientific->digits, 6);
  const auto large = csv("1.5e3,2\n").printed;
  EXPECT_FALSE(large) << "1500 is whole";
}

}  // namespace
}  // namespace ropescope
