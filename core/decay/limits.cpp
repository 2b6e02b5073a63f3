#include "core/decay/limits.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>

#include "core/decay/cosine_sums.h"
#include "core/decay/share_work.h"
#include "core/error.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

/// Distances that one thread takes at a time.
constexpr std::int64_t kLimitsPiece = std::int64_t{1} << 16;
/// Distances × pairs below which a second thread costs more than it brings.
constexpr double kLimitsWorthAThread = 1e7;

void require_plain(int rotary_dim, std::span<const double> bases) {
  for (const double base : bases) {
    if (!std::isfinite(base) || base <= 1) {
      throw InputError("rotary.base", {{"base", base}});
    }
  }
  if (rotary_dim < 2 || rotary_dim > kLargestDimension || rotary_dim % 2 != 0) {
    throw InputError("rotary.dimension", {{"dim", rotary_dim}, {"least", 2}, {"most", kLargestDimension}});
  }
}

void require_context(std::int64_t context) {
  if (context < 1) {
    throw InputError("decay.context", {{"positions", context}});
  }
}

}  // namespace

std::optional<std::int64_t> first_negative_distance(const Eigen::VectorXd& frequencies, std::int64_t limit, int threads,
                                                    std::stop_token stop,
                                                    const std::function<void(std::int64_t)>& progress) {
  if (frequencies.size() == 0) throw InputError("decay.no_pair", {});
  if (limit < 1) return std::nullopt;
  std::atomic<std::int64_t> next = 1, found = limit + 1;
  const std::thread::id caller = std::this_thread::get_id();
  const auto search = [&] {
    const bool tells = progress && std::this_thread::get_id() == caller;
    CosineSums sums;
    sums.set_frequencies({frequencies.data(), static_cast<std::size_t>(frequencies.size())});
    for (std::int64_t begin = next.fetch_add(kLimitsPiece); begin < found && !stop.stop_requested();
         begin = next.fetch_add(kLimitsPiece)) {
      if (tells) progress(begin);
      const auto negative = sums.first_negative(begin, std::min(begin + kLimitsPiece - 1, limit), stop);
      std::int64_t known = found;
      while (negative && *negative < known && !found.compare_exchange_weak(known, *negative)) {
      }
    }
  };
  const double work = static_cast<double>(limit) * static_cast<double>(frequencies.size());
  share_work(work < kLimitsWorthAThread ? 1 : threads, search);
  if (stop.stop_requested() || found > limit) return std::nullopt;
  return found;
}

std::vector<LimitPoint> limit_curve(int rotary_dim, std::span<const double> bases, std::int64_t farthest, int threads,
                                    std::stop_token stop) {
  require_plain(rotary_dim, bases);
  require_context(farthest);
  std::vector<LimitPoint> curve(bases.size());
  std::atomic<std::size_t> next = 0;
  share_work(bases.size() < 2 ? 1 : threads, [&] {
    CosineSums sums;
    for (std::size_t i = next++; i < bases.size() && !stop.stop_requested(); i = next++) {
      sums.set_plain(rotary_dim, bases[i]);
      const auto negative = sums.first_negative(1, farthest, stop);
      curve[i] = {bases[i], negative ? *negative - 1 : farthest};
    }
  });
  if (stop.stop_requested()) curve.clear();
  return curve;
}

}  // namespace ropescope
