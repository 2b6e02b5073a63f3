// A curve of somebody's own from a file: a .csv or a .npy of values, or of places and values. tensor_file.h and npy.h
// read the numbers; here they become a curve.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// The most rows of a curve: a saved figure holds them all.
inline constexpr std::size_t kMostCurveRows = 10'000;
/// Maximum length of a curve's title in characters; longer ones are cut because titles are drawn.
inline constexpr std::size_t kMaxCurveTitle = 200;
/// How files of curves end.
inline constexpr std::string_view kCurveEndings = ".csv .npy";

struct CurveFile {
  std::string title;           ///< what a CSV's header says of the values; empty: nothing
  std::vector<double> xs, ys;  ///< xs ascend
};

/// The curve of a file: a .csv of one or two columns, with a header or without, or a .npy of shape [N], [N, 2] or
/// [2, N]. Without places the values stand at 0, 1, 2, … Throws InputError that names `source` and the place: another
/// kind of file or shape, more than kMostCurveRows, a number that is not finite, places that do not ascend, and as
/// parse_csv() and view_npy() do.
CurveFile parse_curve(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& source);
/// The same of the text of a CSV.
CurveFile parse_curve(const std::string& csv, const std::string& source);
/// The CSV of a curve, two columns without a header, which reads back to the same numbers.
std::string curve_csv(const CurveFile& curve);

/// All numbers of such a file in their order, whatever its shape, at most `most`. Throws InputError likewise.
std::vector<double> parse_numbers(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                  const std::string& source, std::size_t most);

}  // namespace ropescope
