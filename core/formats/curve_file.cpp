// Parsing and writing of curve files. Read curve_file.h first.

#include "core/formats/curve_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "core/formats/npy.h"
#include "core/formats/tensor_file.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return "[" + joined(shape, ", ", [](std::int64_t size) { return std::to_string(size); }) + "]";
}

StoredTensor open_numbers(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                          const std::string& source, std::size_t most) {
  const bool is_npy = characters_of(bytes).starts_with("\x93NUMPY") || source.ends_with(".npy");
  if (!is_npy && !source.ends_with(".csv") && !source.ends_with(".txt")) throw InputError(source, "curve.kind", {});
  StoredTensor tensor = is_npy ? view_npy(bytes, std::move(owner), source, NpyNumbers::plain)
                               : parse_csv(bytes, source, {.numbers = most});
  if (tensor.count() > static_cast<std::int64_t>(most)) {
    throw InputError(source, "curve.numbers", {{"count", tensor.count()}, {"most", most}});
  }
  return tensor;
}

std::vector<double> numbers_in(const StoredTensor& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.count()));
  if (!numbers.empty()) read_rows(tensor, 0, tensor.shape.front(), numbers.data());
  return numbers;
}

void check_numbers(const CurveTable& table, const std::string& source) {
  const auto row_of = [&table](std::size_t i) { return i / table.columns + 1; };
  for (std::size_t i = 0; i < table.numbers.size(); ++i) {
    if (std::isfinite(table.numbers[i])) continue;
    throw InputError(source, "curve.not_finite", {{"row", row_of(i)}, {"found", table.numbers[i]}});
  }
}

/// Checks that the x values ascend: `count` numbers that are `step` apart.
void check_places(const CurveTable& table, std::size_t count, std::size_t step, const std::string& source) {
  for (std::size_t i = 1; i < count; ++i) {
    const double before = table.numbers[(i - 1) * step], x = table.numbers[i * step];
    if (before < x) continue;
    throw InputError(source, "curve.order", {{"row", i + 1}, {"found", x}, {"before", before}});
  }
}

// --- Columns -------------------------------------------------------------------------------------------------------

/// Returns whether a column's name is one of these words, or ends in "_" and one of them.
bool is_named(const std::string& name, std::initializer_list<std::string_view> words) {
  std::string lower;
  for (const char c : name) {
    const bool separates = c == ' ' || c == '-' || c == '.';
    lower += separates ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return std::any_of(words.begin(), words.end(), [&lower](std::string_view word) {
    if (!lower.ends_with(word)) return false;
    return lower.size() == word.size() || lower[lower.size() - word.size() - 1] == '_';
  });
}

bool names_low(const std::string& name) {
  return is_named(name, {"low", "lower", "lo", "min", "minimum", "q05", "q10", "q25", "p05", "p5", "p10", "p25"});
}
bool names_high(const std::string& name) {
  return is_named(name, {"high", "higher", "hi", "upper", "max", "maximum", "q95", "q90", "q75", "p95", "p90", "p75"});
}

/// Returns the meaning of three or four columns by their names; automatic if it is unknown. Four columns without names
/// can only be x, mean, low, high.
CurveColumns find_columns(const std::vector<std::string>& header, std::size_t columns) {
  if (columns == 4 && (header.empty() || (names_low(header[2]) && names_high(header[3])))) {
    return CurveColumns::mean_low_high;
  }
  if (columns != 3 || header.size() != 3) return CurveColumns::automatic;
  if (is_named(header[2],
               {"std", "sd", "stdev", "stddev", "sigma", "se", "sem", "stderr", "err", "error", "yerr", "±"})) {
    return CurveColumns::mean_std;
  }
  return names_low(header[1]) && names_high(header[2]) ? CurveColumns::low_high : CurveColumns::automatic;
}

/// Returns the meaning of three or four columns. Throws InputError if it is unknown or the number of columns differs.
CurveColumns meaning_of(const CurveTable& table, CurveColumns chosen, const std::string& source) {
  const CurveColumns columns = chosen == CurveColumns::automatic ? find_columns(table.header, table.columns) : chosen;
  if (columns == CurveColumns::automatic) throw InputError(source, "curve.columns", {{"columns", table.columns}});
  const std::size_t expected = columns == CurveColumns::mean_low_high ? 4 : 3;
  if (table.columns == expected) return columns;
  throw InputError(source, "curve.column_count", {{"columns", table.columns}, {"expected", expected}});
}

/// Adds the interval of a row: y, then low and high.
void add_interval(CurveFile& curve, double y, double low, double high, const std::string& source) {
  if (!(low <= y && y <= high)) {
    throw InputError(source, "curve.interval",
                     {{"row", curve.ys.size() + 1}, {"low", low}, {"value", y}, {"high", high}});
  }
  curve.ys.push_back(y);
  curve.lows.push_back(low);
  curve.highs.push_back(high);
}

/// Returns the next line of a text and removes it; without the end of the line.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::size_t columns_in(std::string_view line) {
  return line.empty() ? 0 : static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
}

}  // namespace

bool CurveTable::is_transposed(CurveColumns chosen) const {
  return rows == 2 && columns > 2 && header.empty() && chosen == CurveColumns::automatic;
}

bool CurveTable::is_unclear(CurveColumns chosen) const {
  return columns > 2 && chosen == CurveColumns::automatic && !is_transposed(chosen) &&
         find_columns(header, columns) == CurveColumns::automatic;
}

CurveTable parse_curve_table(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                             const std::string& source) {
  constexpr std::size_t kMaxColumns = 4;
  const StoredTensor tensor = open_numbers(bytes, std::move(owner), source, kMaxColumns * kMaxCurveRows);
  const std::vector<std::int64_t>& shape = tensor.shape;
  const bool flat = shape.size() == 1;
  const auto side = [](std::int64_t size) { return static_cast<std::size_t>(size); };
  CurveTable table;
  if (flat || shape.size() == 2) {
    table.rows = side(shape[0]);
    table.columns = flat ? 1 : side(shape[1]);
  }
  const bool lines = table.columns >= 1 && table.columns <= kMaxColumns;
  if (!flat && !lines && !(table.rows == 2 && table.columns > 0)) {
    throw InputError(source, "curve.shape", {{"shape", shape_text(shape)}});
  }
  table.numbers = numbers_in(tensor);
  if (table.numbers.empty()) throw InputError(source, "curve.empty", {});
  for (const std::string& name : csv_header(characters_of(bytes))) {
    table.header.push_back(beginning_of(name, kMaxCurveTitle));
  }
  const bool transposed = table.is_transposed(CurveColumns::automatic);
  const std::size_t count = transposed ? table.columns : table.rows;
  if (count > kMaxCurveRows) throw InputError(source, "curve.rows", {{"rows", count}, {"most", kMaxCurveRows}});
  check_numbers(table, source);
  // Two rows of three or four numbers may be either: curve_in() decides.
  const bool either = transposed && lines;
  if (table.columns > 1 && !either) check_places(table, count, transposed ? 1 : table.columns, source);
  return table;
}

CurveTable parse_curve_table(const std::string& csv, const std::string& source) {
  return parse_curve_table(std::as_bytes(std::span(csv.data(), csv.size())), nullptr, source + ".csv");
}

std::string curve_csv(const CurveTable& table) {
  std::string csv;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    std::string name = table.header[i];
    std::replace(name.begin(), name.end(), '"', '\'');
    csv += (i == 0 ? "\"" : ",\"") + name + "\"";
  }
  if (!csv.empty()) csv += "\n";
  for (std::size_t i = 0; i < table.numbers.size(); ++i) {
    if (i > 0) csv += i % table.columns == 0 ? "\n" : ",";
    csv += number_text(table.numbers[i]);
  }
  return csv;
}

CurveFile curve_in(const CurveTable& table, CurveColumns chosen, const std::string& source) {
  CurveFile curve;
  const std::vector<double>& numbers = table.numbers;
  if (table.is_transposed(chosen)) {
    check_places(table, table.columns, 1, source);
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(table.columns);
    curve.xs.assign(numbers.begin(), middle);
    curve.ys.assign(middle, numbers.end());
    return curve;
  }
  const CurveColumns columns = table.columns > 2 ? meaning_of(table, chosen, source) : CurveColumns::automatic;
  check_places(table, table.columns > 1 ? table.rows : 0, table.columns, source);
  if (!table.header.empty() && columns != CurveColumns::low_high) {
    curve.title =
        table.columns < 3 ? table.header.back() : table.header[std::min<std::size_t>(table.header.size(), 2) - 1];
  }
  curve.has_values = columns != CurveColumns::low_high;
  for (std::size_t row = 0; row < table.rows; ++row) {
    const double* at = &numbers[row * table.columns];
    curve.xs.push_back(table.columns > 1 ? at[0] : static_cast<double>(row));
    if (table.columns < 3) {
      curve.ys.push_back(at[table.columns - 1]);
    } else if (columns == CurveColumns::mean_std) {
      add_interval(curve, at[1], at[1] - at[2], at[1] + at[2], source);
    } else if (columns == CurveColumns::low_high) {
      add_interval(curve, at[1] + (at[2] - at[1]) / 2, at[1], at[2], source);
    } else {
      add_interval(curve, at[1], at[2], at[3], source);
    }
  }
  return curve;
}

bool has_more_columns(std::string_view csv) {
  const std::size_t names = csv_header(csv).size(), columns = names > 0 ? names : columns_in(take_line(csv));
  return columns == 3 || columns == 4;
}

Message describe_reading(std::string_view csv, CurveColumns columns) {
  if (columns != CurveColumns::automatic || !csv_header(csv).empty()) return {};
  const std::size_t first = columns_in(take_line(csv)), second = columns_in(take_line(csv));
  if (first < 2 || first != second || !csv.empty()) return {};
  if (first == 2) return Message("curve_reading.square");
  return {"curve_reading.rows", {{"columns", first}}};
}

std::vector<double> parse_numbers(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                  const std::string& source, std::size_t most) {
  return numbers_in(open_numbers(bytes, std::move(owner), source, most));
}

}  // namespace ropescope
