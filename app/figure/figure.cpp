// Number formats for display and for machines, and series with their blocks.
//
// Contents: Numbers; Series.

#include "app/figure/figure.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/message.h"

namespace ropescope {

// --- Numbers -------------------------------------------------------------------------------------------------------

std::string power_of_ten(int exponent) {
  return ten_to_the(exponent);
}

std::string readable_number(double value, int digits, bool keep_zeros) {
  return number_for_people(value, digits, keep_zeros);
}

std::string readable_fixed(double value, int decimals) {
  return decimals_for_people(value, decimals);
}

std::string readable_integer(double value) {
  return std::abs(value) < kLargestPlainNumber ? readable_fixed(std::round(value), 0) : readable_number(value, 4);
}

std::string ids_text(const std::vector<double>& ids) {
  const std::string words = joined(ids, ", ", [](double id) { return readable_number(id, 5); });
  return ids.size() == 1 ? words : "(" + words + ")";
}

std::string readable(const ShownNumber& number) {
  if (number.as == ShownNumber::As::digits) return readable_number(number.value, number.digits);
  return number.as == ShownNumber::As::fixed ? readable_fixed(number.value, number.digits)
                                             : readable_integer(number.value);
}

std::string shortest_number(double value) {
  if (std::isnan(value)) return "nan";  // of either sign: to_chars distinguishes them
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

// --- Series --------------------------------------------------------------------------------------------------------

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void add_values(Series::Block& sum, const double* begin, const double* end) {
  for (const double* y = begin; y != end; ++y) {
    // Comparisons with NaN are false, so that a gap never becomes an extreme.
    sum.minimum = *y < sum.minimum ? *y : sum.minimum;
    sum.maximum = *y > sum.maximum ? *y : sum.maximum;
    const bool present = *y == *y;
    sum.sum += present ? *y : 0;
    sum.count += present ? 1 : 0;
  }
}

void add_block(Series::Block& sum, const Series::Block& block) {
  sum.minimum = std::min(sum.minimum, block.minimum);
  sum.maximum = std::max(sum.maximum, block.maximum);
  sum.sum += block.sum;
  sum.count += block.count;
}

std::shared_ptr<const Series> finish(Series series) {
  const double* ys = series.ys.data();
  series.blocks.reserve((series.ys.size() + Series::kBlock - 1) / Series::kBlock);
  for (std::size_t begin = 0; begin < series.ys.size(); begin += Series::kBlock) {
    const std::size_t end = std::min(begin + Series::kBlock, series.ys.size());
    Series::Block block{kInfinity, -kInfinity, 0, 0};
    add_values(block, ys + begin, ys + end);
    series.blocks.push_back(block);
  }
  return std::make_shared<const Series>(std::move(series));
}

}  // namespace

double Series::x_at(std::size_t index) const {
  return xs.empty() ? first_x + static_cast<double>(index) * step : xs[index];
}

std::shared_ptr<const Series> make_series(double first_x, double step, std::vector<double> ys) {
  if (!std::isfinite(first_x) || !std::isfinite(step) || step <= 0) {
    throw std::invalid_argument("make_series: a uniform series needs a finite first x and a positive step");
  }
  Series series;
  series.first_x = first_x;
  series.step = step;
  series.ys = std::move(ys);
  return finish(std::move(series));
}

std::shared_ptr<const Series> make_series(std::vector<double> xs, std::vector<double> ys) {
  if (xs.size() != ys.size()) throw std::invalid_argument("make_series: xs and ys differ in length");
  // Written so that a NaN among the xs fails as well.
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (!std::isfinite(xs[i]) || (i > 0 && !(xs[i - 1] <= xs[i]))) {
      throw std::invalid_argument("make_series: xs must be finite and ascending");
    }
  }
  Series series;
  series.xs = std::move(xs);
  series.ys = std::move(ys);
  return finish(std::move(series));
}

Summary summarise(const Series& series, std::size_t begin, std::size_t end) {
  end = std::min(end, series.ys.size());
  if (begin >= end) return {};
  Series::Block sum{kInfinity, -kInfinity, 0, 0};
  const double* ys = series.ys.data();
  const std::size_t first_block = (begin + Series::kBlock - 1) / Series::kBlock;
  const std::size_t last_block = end / Series::kBlock;
  if (first_block >= last_block) {
    add_values(sum, ys + begin, ys + end);
  } else {
    add_values(sum, ys + begin, ys + first_block * Series::kBlock);
    for (std::size_t block = first_block; block < last_block; ++block) add_block(sum, series.blocks[block]);
    add_values(sum, ys + last_block * Series::kBlock, ys + end);
  }
  if (sum.count == 0) return {};
  return {sum.minimum, sum.maximum, sum.sum / static_cast<double>(sum.count), sum.count};
}

std::size_t lower_index(const Series& series, double value) {
  const std::size_t size = series.ys.size();
  if (!series.xs.empty()) {
    return static_cast<std::size_t>(std::lower_bound(series.xs.begin(), series.xs.end(), value) - series.xs.begin());
  }
  const double position = (value - series.first_x) / series.step;
  if (position <= 0) return 0;
  if (!(position <= static_cast<double>(size))) return size;
  // The division may round across a sample: correct it with the numbers that x_at returns.
  auto index = static_cast<std::size_t>(std::ceil(position));
  while (index > 0 && series.x_at(index - 1) >= value) --index;
  while (index < size && series.x_at(index) < value) ++index;
  return std::min(index, size);
}

std::size_t nearest_index(const Series& series, double value) {
  const std::size_t above = lower_index(series, value);
  if (above == 0) return 0;
  if (above >= series.ys.size()) return series.ys.size() - 1;
  return series.x_at(above) - value < value - series.x_at(above - 1) ? above : above - 1;
}

}  // namespace ropescope
