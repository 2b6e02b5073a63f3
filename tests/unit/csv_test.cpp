#include "core/formats/tensor_file.h"

#include "tests/unit/stored_files.h"

namespace ropescope {
namespace {

StoredTensor csv(const std::string& content, const CsvLimits& limits = {}) {
  return parse_csv(bytes_of(content), "f.csv", limits);
}

std::string csv_error(const std::string& content, const CsvLimits& limits = {}) {
  return refusal_of([&] { csv(content, limits); });
}

/// What is wrong with a cell, by the key of its text.
auto SaysOfCell(const std::string& line, const std::string& column, const std::string& key,
                const TextValues& values = {}) {
  return AllOf(Says("error.csv.cell", {{"line", line}, {"column", column}}), Says(key, values));
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
  EXPECT_THAT(csv_error("1,2\n3,four\n"),
              AllOf(HasSubstr("f.csv: "), SaysOfCell("2", "2", "csv.no_number", {{"found", "\"four\""}})));
  EXPECT_THAT(csv_error("a,b\n1,2\nc,d\n"), SaysOfCell("3", "1", "csv.no_number", {{"found", "\"c\""}}));
  EXPECT_THAT(csv_error("a,2\n1,2\n"), SaysOfCell("1", "1", "csv.no_number", {{"found", "\"a\""}}))
      << "no header: it has a number";
  EXPECT_THAT(csv_error("1,nan\n"), SaysOfCell("1", "2", "csv.not_finite", {{"found", "\"nan\""}}));
  EXPECT_THAT(csv_error("NaN,NaN\n1,2\n"), SaysOfCell("1", "1", "csv.not_finite", {{"found", "\"NaN\""}}));
  EXPECT_THAT(csv_error("1\n-inf\n"), SaysOfCell("2", "1", "csv.not_finite", {{"found", "\"-inf\""}}));
  EXPECT_THAT(csv_error("1e999\n"), Says("csv.not_finite", {{"found", "\"1e999\""}}));
  EXPECT_THAT(csv_error("1,,2\n"), SaysOfCell("1", "2", "csv.empty_cell"));
  EXPECT_THAT(csv_error("1,2,\n"), SaysOfCell("1", "3", "csv.empty_cell"));
  EXPECT_THAT(csv_error("1\n\n2\n"), SaysOfCell("2", "1", "csv.empty_cell"));
  EXPECT_THAT(csv_error("1 2\n"), Says("csv.no_number", {{"found", "\"1 2\""}}));
  EXPECT_THAT(csv_error("1;2\n"), Says("csv.no_number", {{"found", "\"1;2\""}}));
  EXPECT_THAT(csv_error("0x10\n1\n"), SaysOfCell("1", "1", "csv.no_number", {{"found", "\"0x10\""}}));
}

TEST(Csv, RowsOfOneLengthOnly) {
  EXPECT_THAT(
      csv_error("1,2\n3\n"),
      AllOf(HasSubstr("f.csv: "), Says("error.csv.length", {{"line", "2"}, {"numbers", "1"}, {"before", "2"}})));
  EXPECT_THAT(csv_error("1,2\n3,4,5\n"), Says("error.csv.length", {{"line", "2"}, {"numbers", "3"}}));
}

TEST(Csv, BytesThatAreNotUtf8HaveAPlace) {
  EXPECT_THAT(csv_error("1,2\n3,\xE4\n"),
              AllOf(HasSubstr("f.csv: "), SaysOfCell("2", "2", "csv.not_utf8", {{"byte", "228"}})));
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

TEST(Csv, NothingInIt) {
  EXPECT_THAT(csv_error(""), AllOf(HasSubstr("f.csv: "), Says("error.csv.empty")));
  EXPECT_THAT(csv_error(" \n\n"), Says("error.csv.empty"));
  EXPECT_THAT(csv_error("a,b\n"), Says("error.csv.empty"));
}

TEST(Csv, LimitsHold) {
  EXPECT_THAT(csv("1,2\n3,4\n", {4}).shape, ElementsAre(2, 2));
  EXPECT_THAT(csv_error("1,2\n3,4\n5,6\n", {4}), Says("error.csv.too_many", {{"most", "4"}}));
  EXPECT_THAT(csv_error("1,2\n" + std::string(5000, '\0')),
              SaysOfCell("2", "1", "csv.long_cell", {{"characters", "5000"}}));
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
