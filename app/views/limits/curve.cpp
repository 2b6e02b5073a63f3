#include "app/views/limits/curve.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

namespace {

constexpr double kFewestBases = 4096;
/// Bases then differ by the last digits of a double.
constexpr int kFinestLevel = 36;

int level_of(const Range& range) {
  const double width = std::log(range.high / range.low);
  int level = 0;
  while (level < kFinestLevel && width / level_step(level) < kFewestBases) ++level;
  return level;
}

/// The chunks of a level that a range touches.
struct Chunks {
  int level;
  std::int64_t first, last;
};
Chunks chunks_of(const Range& range, int level) {
  const double width = level_step(level) * static_cast<double>(kChunkBases);
  return {level, static_cast<std::int64_t>(std::floor(std::log(range.low) / width)),
          static_cast<std::int64_t>(std::floor(std::log(range.high) / width))};
}

Store::Answer<LimitChunk> chunk_of(const LimitCurveRequest& request, int level, std::int64_t index, Store& store) {
  LimitChunkInput input;
  input.rotary_dim = request.rotary_dim;
  input.level = level;
  input.index = index;
  input.farthest = request.farthest;
  const std::string slot = request.slot + "." + std::to_string(level) + "." + std::to_string(index);
  return store.get(slot, input);
}

/// Points from `from` on and below `to`.
void append_between(const std::vector<LimitPoint>& all, double from, double to, std::vector<LimitPoint>& points) {
  for (const LimitPoint& point : all) {
    if (point.base >= from && point.base < to) points.push_back(point);
  }
}

}  // namespace

LimitCurve limit_curve_of(const LimitCurveRequest& request, Store& store) {
  const int fit_level = level_of(request.fit), level = std::max(fit_level, level_of(request.shown));
  std::vector<LimitPoint> coarse;
  if (level > fit_level) {
    const Chunks whole = chunks_of(request.fit, fit_level);
    for (std::int64_t index = whole.first; index <= whole.last; ++index) {
      const auto answer = chunk_of(request, fit_level, index, store);
      if (answer.result) coarse.insert(coarse.end(), answer.result->points.begin(), answer.result->points.end());
    }
  }
  LimitCurve curve;
  const Chunks shown = chunks_of(request.shown, level);
  const double width = level_step(level) * static_cast<double>(kChunkBases);
  for (std::int64_t index = shown.first; index <= shown.last; ++index) {
    const auto answer = chunk_of(request, level, index, store);
    ++curve.chunks;
    curve.finished += answer.current ? 1 : 0;
    if (answer.result) {
      curve.points.insert(curve.points.end(), answer.result->points.begin(), answer.result->points.end());
    } else {
      const double from = std::exp(static_cast<double>(index) * width);
      append_between(coarse, from, std::exp(static_cast<double>(index + 1) * width), curve.points);
    }
  }
  return curve;
}

void add_points(LimitCurve& curve, const std::vector<LimitPoint>& points) {
  const auto middle = static_cast<std::ptrdiff_t>(curve.points.size());
  curve.points.insert(curve.points.end(), points.begin(), points.end());
  std::inplace_merge(curve.points.begin(), curve.points.begin() + middle, curve.points.end(),
                     [](const LimitPoint& a, const LimitPoint& b) { return a.base < b.base; });
}

std::shared_ptr<const Series> series_of(const LimitCurve& curve) {
  std::vector<double> bases, contexts;
  for (const LimitPoint& point : curve.points) {
    bases.push_back(point.base);
    contexts.push_back(static_cast<double>(point.largest_context));
  }
  return make_series(std::move(bases), std::move(contexts));
}

std::vector<Range> admissible_windows(const std::vector<LimitPoint>& points, double context) {
  const auto half_way = [&points](std::size_t i) { return std::sqrt(points[i].base * points[i + 1].base); };
  std::vector<Range> windows;
  bool open = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool allowed = static_cast<double>(points[i].largest_context) >= context;
    if (allowed && !open) windows.push_back({i > 0 ? half_way(i - 1) : points[i].base, points[i].base});
    if (allowed) windows.back().high = i + 1 < points.size() ? half_way(i) : points[i].base;
    open = allowed;
  }
  return windows;
}

}  // namespace ropescope
