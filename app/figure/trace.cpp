#include "app/figure/trace.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

namespace {

/// First index whose x lies beyond the value (ys.size() if none).
std::size_t upper_index(const Series& series, double value) {
  std::size_t index = lower_index(series, value);
  while (index < series.ys.size() && series.x_at(index) <= value) ++index;
  return index;
}

/// Collects vertices into pieces: a gap ends a piece, the next vertex begins another.
struct TracePieces {
  std::vector<std::vector<TraceVertex>> all;
  bool open = false;
  bool parted = false;  ///< the column before held a gap

  /// A gap within a column is one between it and the next whole one: a line that goes off to infinity and comes back
  /// from the other side is not joined by what is left of it there.
  void begin_column(bool holds_gap) {
    if (holds_gap != parted) gap();
    parted = holds_gap;
  }
  void add(const TraceVertex& vertex) {
    if (!open) all.emplace_back();
    all.back().push_back(vertex);
    open = true;
  }
  void gap() { open = false; }
  void add_sample(const Series& series, std::size_t index, const AxisMap& x) {
    begin_column(false);
    const double y = series.ys[index];
    const double pixel = x.to_pixel(series.x_at(index));
    if (std::isnan(y) || std::isnan(pixel)) return gap();
    add({pixel, y, y, y});
  }
};

/// A reversed axis shows the same columns in the other direction.
std::vector<std::vector<TraceVertex>> trace_mirrored(std::vector<std::vector<TraceVertex>> pieces, double sum) {
  for (std::vector<TraceVertex>& piece : pieces) {
    for (TraceVertex& vertex : piece) vertex.x = sum - vertex.x;
  }
  return pieces;
}

}  // namespace

std::vector<std::vector<TraceVertex>> trace(const Series& series, const AxisMap& x, double column) {
  if (x.high < x.low) return trace_mirrored(trace(series, {x.range, x.scale, x.high, x.low}, column), x.low + x.high);
  TracePieces pieces;
  const double width = x.high - x.low;
  if (series.ys.empty() || !(x.range.low < x.range.high) || !(width > 0) || !(column > 0)) return {};

  const std::size_t first = lower_index(series, x.range.low);
  const std::size_t last = upper_index(series, x.range.high);
  if (first > 0) pieces.add_sample(series, first - 1, x);

  const auto columns = static_cast<std::size_t>(std::ceil(width / column));
  std::size_t begin = first;
  for (std::size_t i = 0; i < columns && begin < last; ++i) {
    const double left = x.low + static_cast<double>(i) * column;
    const double right = std::min(left + column, x.high);
    // The edges of the range are taken as they are: a value on them must not be lost to rounding.
    const std::size_t end = i + 1 == columns ? last : std::clamp(lower_index(series, x.to_value(right)), begin, last);
    if (end == begin + 1) pieces.add_sample(series, begin, x);
    if (end > begin + 1) {
      const Summary summary = summarise(series, begin, end);
      if (summary.count == 0) {
        pieces.begin_column(false);
        pieces.gap();
      } else {
        pieces.begin_column(summary.count < end - begin);
        pieces.add({(left + right) / 2, summary.minimum, summary.mean, summary.maximum});
      }
    }
    begin = end;
  }
  if (last < series.ys.size()) pieces.add_sample(series, last, x);
  return pieces.all;
}

}  // namespace ropescope
