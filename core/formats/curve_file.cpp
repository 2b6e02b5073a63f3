// Reads curves.

#include "core/formats/curve_file.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/formats/npy.h"
#include "core/formats/tensor_file.h"
#include "core/words.h"

namespace ropescope {

namespace {

std::string_view characters(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return "[" + joined(shape, ", ", [](std::int64_t size) { return std::to_string(size); }) + "]";
}

StoredTensor open_numbers(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                          const std::string& source, std::size_t most) {
  const bool is_npy = characters(bytes).starts_with("\x93NUMPY") || source.ends_with(".npy");
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

void check_curve(const CurveFile& curve, const std::string& source) {
  for (std::size_t row = 0; row < curve.ys.size(); ++row) {
    for (const double number : {curve.xs[row], curve.ys[row]}) {
      if (!std::isfinite(number)) throw InputError(source, "curve.not_finite", {{"row", row + 1}, {"found", number}});
    }
    if (row == 0 || curve.xs[row - 1] < curve.xs[row]) continue;
    throw InputError(source, "curve.order",
                     {{"row", row + 1}, {"found", curve.xs[row]}, {"before", curve.xs[row - 1]}});
  }
}

}  // namespace

CurveFile parse_curve(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, const std::string& source) {
  const StoredTensor tensor = open_numbers(bytes, std::move(owner), source, 2 * kMostCurveRows);
  const std::vector<std::int64_t>& shape = tensor.shape;
  const bool rows = shape.size() == 1 || (shape.size() == 2 && (shape[1] == 1 || shape[1] == 2));
  if (!rows && !(shape.size() == 2 && shape[0] == 2)) {
    throw InputError(source, "curve.shape", {{"shape", shape_text(shape)}});
  }
  const std::vector<double> numbers = numbers_in(tensor);
  const bool places = shape.size() == 2 && shape[1] != 1;
  const std::size_t count = places ? numbers.size() / 2 : numbers.size();
  if (count == 0) throw InputError(source, "curve.empty", {});
  if (count > kMostCurveRows) throw InputError(source, "curve.rows", {{"rows", count}, {"most", kMostCurveRows}});
  CurveFile curve;
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t x = rows ? 2 * row : row, y = rows ? 2 * row + 1 : count + row;
    curve.xs.push_back(places ? numbers[x] : static_cast<double>(row));
    curve.ys.push_back(places ? numbers[y] : numbers[row]);
  }
  check_curve(curve, source);
  const std::vector<std::string> header = csv_header(characters(bytes));
  if (!header.empty()) curve.title = beginning_of(header.back(), kMaxCurveTitle);
  return curve;
}

CurveFile parse_curve(const std::string& csv, const std::string& source) {
  return parse_curve(std::as_bytes(std::span(csv.data(), csv.size())), nullptr, source + ".csv");
}

std::string curve_csv(const CurveFile& curve) {
  std::string csv;
  for (std::size_t row = 0; row < curve.ys.size(); ++row) {
    csv += (row == 0 ? "" : "\n") + number_text(curve.xs[row]) + "," + number_text(curve.ys[row]);
  }
  return csv;
}

std::vector<double> parse_numbers(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                                  const std::string& source, std::size_t most) {
  return numbers_in(open_numbers(bytes, std::move(owner), source, most));
}

}  // namespace ropescope
