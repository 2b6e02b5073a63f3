#include "core/formats/csv.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/json_text.h"

namespace ropescope {

namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// No number is written with more: the longest exact double has 1 078 characters.
constexpr std::size_t kLongestCell = 4096;
/// Of a double: the smallest has 1074.
constexpr int kMostDecimals = 1100;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Cuts the text up to the separator off its front; all of it where there is none.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view piece = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return piece;
}

/// from_chars without the plus sign that it does not know.
std::from_chars_result read_number(std::string_view cell, double& number) {
  if (cell.size() > 1 && cell[0] == '+' && cell[1] != '-') cell.remove_prefix(1);
  return std::from_chars(cell.data(), cell.data() + cell.size(), number);
}

bool begins_a_number(std::string_view cell) {
  double number = 0;
  return read_number(cell, number).ec != std::errc::invalid_argument;
}

/// Whether a line names its columns: it has cells, and none of them is empty or begins as a number.
bool is_header(std::string_view line) {
  bool any = false;
  while (!line.empty()) {
    const std::string_view cell = trimmed(take_until(line, ','));
    if (cell.empty() || begins_a_number(cell)) return false;
    any = true;
  }
  return any;
}

/// Widens `printed` by a number that is known to be one: digits after the point and digits from the first that is not
/// 0.
void look_at_digits(std::string_view cell, Printed& printed) {
  int decimals = 0, digits = 0;
  bool point = false;
  for (const char c : cell) {
    if (c == 'e' || c == 'E') break;
    if (c == '.') point = true;
    if (c < '0' || c > '9') continue;
    if (point) ++decimals;
    if (digits > 0 || c != '0') ++digits;
  }
  const std::size_t exponent = cell.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    int power = 0;
    std::string_view text = cell.substr(exponent + 1);
    if (!text.empty() && text[0] == '+') text.remove_prefix(1);
    // One beyond int has made the number itself infinite or zero.
    std::from_chars(text.data(), text.data() + text.size(), power);
    decimals = std::clamp(decimals - std::clamp(power, -kMostDecimals, kMostDecimals), 0, kMostDecimals);
  }
  printed.decimals = std::max(printed.decimals, std::min(decimals, kMostDecimals));
  printed.digits = std::max(printed.digits, digits);
}

/// Walks through the lines and keeps the numbers.
class Reader {
 public:
  Reader(std::string_view text, const std::string& source, const CsvLimits& limits)
      : text_(text), source_(source), limits_(limits) {}

  StoredTensor read() {
    if (text_.substr(0, kByteOrderMark.size()) == kByteOrderMark) text_.remove_prefix(kByteOrderMark.size());
    const std::size_t last = text_.find_last_not_of(" \t\r\n");
    text_ = text_.substr(0, last == std::string_view::npos ? 0 : last + 1);
    require_bytes_of_text();
    // Room for as many as there can be, once: a vector that grows holds three times what it keeps.
    const auto ends = [](char c) { return c == ',' || c == '\n'; };
    const auto numbers = static_cast<std::size_t>(std::count_if(text_.begin(), text_.end(), ends)) + 1;
    values_.reserve(std::min(numbers, limits_.numbers));
    for (line_ = 1; !text_.empty(); ++line_) {
      if (limits_.stop.stop_requested()) throw InputError(source_, "csv.stopped", {});
      const std::string_view line = take_until(text_, '\n');
      if (line_ > 1 || !is_header(line)) read_row(line);
    }
    if (rows_ == 0) throw InputError(source_, "csv.empty", {});
    const auto owned = std::make_shared<const std::vector<double>>(std::move(values_));
    StoredTensor tensor;
    tensor.name = source_;
    tensor.storage = Storage::float64;
    tensor.big_endian = std::endian::native == std::endian::big;
    tensor.shape = {rows_, columns_};
    tensor.strides = row_major_strides(tensor.shape);
    tensor.bytes = std::as_bytes(std::span(*owned));
    tensor.owner = owned;
    // Whole numbers are meant exactly.
    if (printed_.decimals > 0) tensor.printed = printed_;
    return tensor;
  }

 private:
  [[noreturn]] void refuse_cell(std::int64_t column, const Words& problem) const {
    throw InputError(source_, "csv.cell", {{"line", line_}, {"column", column}, {"problem", problem}});
  }

  /// UTF-16 as spreadsheets write it would be a header without numbers.
  void require_bytes_of_text() const {
    const std::string_view begin = text_.substr(0, 2);
    if (begin != "\xFF\xFE" && begin != "\xFE\xFF") return;
    throw InputError(source_, "csv.utf16", {});
  }

  void require_utf8(std::string_view cell, std::int64_t column) const {
    const auto at = find_not_utf8(cell);
    if (at) refuse_cell(column, {"csv.not_utf8", {{"byte", static_cast<unsigned char>(cell[*at])}}});
  }

  double read_cell(std::string_view cell, std::int64_t column) {
    if (cell.empty()) refuse_cell(column, Words("csv.empty_cell"));
    if (cell.size() > kLongestCell) refuse_cell(column, {"csv.long_cell", {{"characters", cell.size()}}});
    double number = 0;
    const auto [end, error] = read_number(cell, number);
    if (error == std::errc::invalid_argument || end != cell.data() + cell.size()) {
      require_utf8(cell, column);
      refuse_cell(column, {"csv.no_number", {{"found", in_quotes(cell)}}});
    }
    if (error == std::errc::result_out_of_range || !std::isfinite(number)) {
      refuse_cell(column, {"csv.not_finite", {{"found", in_quotes(cell)}}});
    }
    look_at_digits(cell, printed_);
    return number;
  }

  void read_row(std::string_view line) {
    std::int64_t column = 0;
    for (bool more = true; more;) {
      more = line.find(',') != std::string_view::npos;
      const double number = read_cell(trimmed(take_until(line, ',')), ++column);
      if (values_.size() == limits_.numbers) throw InputError(source_, "csv.too_many", {{"most", limits_.numbers}});
      values_.push_back(number);
    }
    if (rows_ > 0 && column != columns_) {
      throw InputError(source_, "csv.length", {{"line", line_}, {"numbers", column}, {"before", columns_}});
    }
    columns_ = column;
    ++rows_;
  }

  std::string_view text_;
  const std::string& source_;
  const CsvLimits& limits_;
  std::vector<double> values_;
  std::int64_t line_ = 0, rows_ = 0, columns_ = 0;
  Printed printed_{0, 0};
};

}  // namespace

StoredTensor parse_csv(std::span<const std::byte> bytes, const std::string& source, const CsvLimits& limits) {
  return Reader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, source, limits).read();
}

}  // namespace ropescope
