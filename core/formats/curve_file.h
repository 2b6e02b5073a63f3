// User curves from files: a .csv or .npy with values, with x and y, or with x and an interval. The numbers are read by
// tensor_file.h and npy.h.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/message.h"

namespace ropescope {

/// The maximum number of rows of a curve, all of which are stored in a saved figure.
inline constexpr std::size_t kMaxCurveRows = 10'000;
/// Maximum length of a curve's title in characters; longer ones are cut because titles are drawn.
inline constexpr std::size_t kMaxCurveTitle = 200;
/// File extensions of curve files.
inline constexpr std::string_view kCurveEndings = ".csv .npy";

/// The meaning of three or four columns: x, mean, standard deviation; x, low, high; x, mean, low, high. automatic: as
/// the header of the CSV names them.
enum class CurveColumns { automatic, mean_std, low_high, mean_low_high };

/// The numbers of a file as they are in it, row by row: of shape [rows, columns] with 1 to 4 columns, or [2, columns]
/// with x in the first row.
struct CurveTable {
  std::vector<std::string> header;  ///< names of the columns; empty: none
  std::size_t rows = 0, columns = 0;
  std::vector<double> numbers;
  /// Returns whether x and y are the two rows: more than two columns that are neither named nor chosen.
  bool is_transposed(CurveColumns chosen) const;
  /// Returns whether the meaning of its columns must be chosen, because nothing in it says what they are.
  bool is_unclear(CurveColumns chosen) const;
};

struct CurveFile {
  std::string title;                ///< from the CSV header of the values; empty: no header
  std::vector<double> xs, ys;       ///< xs ascend; ys of x, low, high are the middles
  std::vector<double> lows, highs;  ///< an interval around each y; empty: none
  bool has_values = true;           ///< false: the file has only intervals
};

/// Parses a table of numbers: a .csv with or without a header, or a .npy of shape [N], [N, 1…4] or [2, N]. Throws
/// InputError naming `source` and the place: another file type or shape, more than kMaxCurveRows, a number that is not
/// finite, x values that do not ascend, and as parse_csv() and view_npy() do.
CurveTable parse_curve_table(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                             const std::string& source);
/// Parses a table from the text of a CSV.
CurveTable parse_curve_table(const std::string& csv, const std::string& source);
/// Returns a table as CSV with its header; it parses to the same table.
std::string curve_csv(const CurveTable& table);

/// Returns the curve in a table. Without x values, they are 0, 1, 2, … A standard deviation σ becomes the interval
/// mean ± σ. Throws InputError if the meaning of the columns is unknown, low > high, or σ < 0.
CurveFile curve_in(const CurveTable& table, CurveColumns columns, const std::string& source);

/// Returns whether the text of a table's CSV has three or four columns, without parsing its numbers.
bool has_more_columns(std::string_view csv);
/// Returns what to say about the reading of a table's CSV, without parsing its numbers: x and y are in rows, or could
/// be because there are two rows of two; an empty message for all other tables.
Message describe_reading(std::string_view csv, CurveColumns columns);

/// Returns all numbers of a .csv or .npy, at most `most`, whatever its shape. Throws InputError as parse_curve_table().
std::vector<double> parse_numbers(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                  const std::string& source, std::size_t most);

}  // namespace ropescope
