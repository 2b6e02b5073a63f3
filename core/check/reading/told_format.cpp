#include "core/check/reading/told_format.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

namespace {

/// Bits that are 0 without need: fewer could be chance.
constexpr double kSure = 24;
constexpr std::size_t kFewest = 4;

/// Whether all rows of a tensor bear out what some of them told.
bool holds_everywhere(const StoredTensor& tensor, ShortFormat format) {
  constexpr std::int64_t kRows = 256;
  const std::int64_t rows = tensor.shape[0];
  const std::int64_t width = rows == 0 ? 0 : tensor.count() / rows;
  std::vector<double> numbers(static_cast<std::size_t>(std::min(kRows, rows) * width));
  FormatTeller teller(format, unit_of(tensor));
  for (std::int64_t row = 0; row < rows && !teller.refuted(); row += kRows) {
    const std::int64_t count = std::min(kRows, rows - row);
    read_rows(tensor, row, count, numbers.data());
    teller.add(numbers.data(), count * width);
  }
  return !teller.refuted();
}

}  // namespace

void FormatTeller::add(const double* numbers, Eigen::Index count) {
  for (Eigen::Index i = 0; i < count && !refuted_; ++i) {
    const double number = std::abs(numbers[i]), unit = file_.at(number);
    // Where the file is no finer than the format nothing shows: float16 below its normal numbers.
    if (!(unit > 0 && 2 * unit <= of_format_.at(number))) continue;
    const double off = std::abs(rounded_to(format_, number) - number);
    // A printed number is off by what was not printed; a binary one is the same.
    refuted_ = !(off <= (file_.printed ? unit : 0));
    // 0 and powers of two are numbers of every format.
    int exponent = 0;
    const bool says_much = number > 0 && std::frexp(number, &exponent) != 0.5;
    if (!told() && says_much && seen_.insert(number).second) bits_ += std::log2(of_format_.at(number) / unit);
  }
}

bool FormatTeller::told() const {
  return !refuted_ && bits_ >= kSure && seen_.size() >= kFewest;
}

ShortFormat told_format(const std::vector<const StoredTensor*>& tensors,
                        const std::vector<const RowMatrixXd*>& some_rows) {
  if (tensors.empty()) return ShortFormat::none;
  for (const ShortFormat format : {ShortFormat::bfloat16, ShortFormat::float16}) {
    FormatTeller teller(format, unit_of(*tensors[0]));
    for (const RowMatrixXd* numbers : some_rows) teller.add(numbers->data(), numbers->size());
    const bool everywhere = teller.told() && std::all_of(tensors.begin(), tensors.end(), [&](const StoredTensor* one) {
                              return holds_everywhere(*one, format);
                            });
    if (everywhere) return format;
  }
  return ShortFormat::none;
}

}  // namespace ropescope
