// Chunks of rows on several threads, and vectorised comparison of runs of numbers. Read rows.h first.
//
// Contents: Chunks of rows; Runs of numbers.

#include "core/check/compare/rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "core/check/compare/compare.h"
#include "core/check/compare/sides.h"
#include "core/machine.h"
#include "core/parallel.h"

namespace ropescope {

// --- Chunks of rows ------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t kRowsAtATime = 2048;
/// Chunks that may finish before an earlier one: a suspended thread does not block the others sooner.
constexpr std::size_t kMaxWaiting = 32;

/// The chunks of some rows, handed out and joined in row order.
class HandedPieces {
 public:
  HandedPieces(std::int64_t rows, const CheckOptions& options) : rows_(rows), options_(options) {}

  std::optional<RowPiece> take() {
    std::int64_t first = 0;
    {
      const std::lock_guard lock(mutex_);
      if (failed_ < rows_ || options_.stop.stop_requested()) return std::nullopt;
      first = next_;
      if (first >= rows_) return std::nullopt;
      next_ = std::min(rows_, first + kRowsAtATime);
    }
    if (options_.progress && std::this_thread::get_id() == caller_) {
      options_.progress(static_cast<double>(first) / static_cast<double>(rows_), Message("check.step.compare"));
    }
    return RowPiece{first, std::min(kRowsAtATime, rows_ - first)};
  }

  void put(const RowPiece& piece, JoinPiece join) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return piece.first == joined_ || waiting_.size() < kMaxWaiting || failed_ < rows_; });
    waiting_.emplace(piece.first, std::make_pair(piece.count, std::move(join)));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == joined_; first = waiting_.begin()) {
      first->second.second();
      joined_ += first->second.first;
      waiting_.erase(first);
    }
    changed_.notify_all();
  }

  /// Records a failed chunk. All chunks before it were handed out earlier and run to their end, so the first failure in
  /// row order is always the one that is kept.
  void fail(std::int64_t first, std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (first < failed_) failed_ = first, error_ = std::move(error);
    changed_.notify_all();
  }

  bool finish() const {
    if (error_) std::rethrow_exception(error_);
    return joined_ >= rows_;
  }

 private:
  const std::int64_t rows_;
  const CheckOptions& options_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t next_ = 0, joined_ = 0, failed_ = rows_;
  std::map<std::int64_t, std::pair<std::int64_t, JoinPiece>> waiting_;
  std::exception_ptr error_;
};

// --- Runs of numbers -----------------------------------------------------------------------------------------------

constexpr double kNothing = -std::numeric_limits<double>::infinity();

/// Calls see(difference, expected, size, angle error) for every number.
template <class See>
void for_each(const RunNumbers& numbers, const See& see) {
  for (std::int64_t row = 0; row < numbers.rows; ++row) {
    for (std::int64_t pair = 0; pair < numbers.pairs; ++pair) {
      const std::int64_t i = row * numbers.pairs + pair;
      const double expected = numbers.sign * numbers.expected[i];
      see(std::abs(numbers.stored[i] - expected), expected, numbers.size[i], numbers.angle_errors[pair]);
    }
  }
}

/// Four numbers at a time.
constexpr std::int64_t kNumberLanes = 4;
using Lanes [[gnu::vector_size(kNumberLanes * sizeof(double))]] = double;
using LaneBits [[gnu::vector_size(kNumberLanes * sizeof(double))]] = std::int64_t;

struct Seen {
  Lanes largest = Lanes{} - 1, excess = Lanes{} + kNothing, sum = {};
};

/// The parameters shared by all numbers.
struct Quick {
  double scale, least, sign;
};

ROPESCOPE_INLINE void load_lanes(const std::byte* from, Lanes& to, double) {
  std::memcpy(&to, from, sizeof(to));
}
ROPESCOPE_INLINE void load_lanes(const std::byte* from, Lanes& to, float) {
  // In this form it compiles to one instruction.
  std::array<float, kNumberLanes> f;
  std::memcpy(f.data(), from, sizeof(f));
  to =
      Lanes{static_cast<double>(f[0]), static_cast<double>(f[1]), static_cast<double>(f[2]), static_cast<double>(f[3])};
}

ROPESCOPE_INLINE void see_lanes(const Lanes& stored, const Lanes& expected, const Lanes& angle_error, const Quick& rule,
                                Seen& seen) {
  const Lanes e = rule.sign * expected, gap = stored - e;
  // The numbers |gap| and 2^⌊log2 |e|⌋, four at a time, from their sign and exponent bits.
  const Lanes d = (Lanes)((LaneBits)gap & INT64_C(0x7fffffffffffffff));
  const Lanes unit = (Lanes)((LaneBits)e & INT64_C(0x7ff0000000000000)) * rule.scale;
  const Lanes least = Lanes{} + rule.least;
  const Lanes beyond = d - ((unit > least ? unit : least) + angle_error);
  seen.largest = d > seen.largest ? d : seen.largest;
  seen.excess = beyond > seen.excess ? beyond : seen.excess;
  seen.sum += d;  // finite only if all of them are
}

/// A row of a plane, with either the size of each pair or the reach of the whole row.
struct RowNumbers {
  const std::byte* stored;
  const double *expected, *size, *angle_errors;
  double reach;
};

/// Processes all numbers of a row, stored as Cell. Some may be processed twice, which does not change the result.
template <class Cell, bool kByReach>
ROPESCOPE_INLINE void see_row(const RowNumbers& row, std::int64_t pairs, const Quick& rule, Seen& seen) {
  Lanes s = {}, e = {}, a = {}, b = Lanes{} + row.reach;
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Cell));
  const auto see_from = [&](std::int64_t i) __attribute__((always_inline)) {
    load_lanes(row.stored + i * kBytes, s, Cell{});
    std::memcpy(&e, row.expected + i, sizeof(e));
    std::memcpy(&a, row.angle_errors + i, sizeof(a));
    if constexpr (!kByReach) std::memcpy(&b, row.size + i, sizeof(b));
    see_lanes(s, e, a * b, rule, seen);
  };
  if (pairs < kNumberLanes) {
    for (std::int64_t lane = 0; lane < kNumberLanes; ++lane) {
      const std::int64_t i = std::min(lane, pairs - 1);
      Cell cell;
      std::memcpy(&cell, row.stored + i * kBytes, sizeof(Cell));
      s[lane] = static_cast<double>(cell);
      e[lane] = row.expected[i];
      a[lane] = row.angle_errors[i] * (kByReach ? row.reach : row.size[i]);
    }
    see_lanes(s, e, a, rule, seen);
    return;
  }
  std::int64_t i = 0;
  for (; i + kNumberLanes <= pairs; i += kNumberLanes) see_from(i);
  if (i < pairs) see_from(pairs - kNumberLanes);
}

template <class Cell, bool kByReach>
ROPESCOPE_INLINE void see_rows(const RunNumbers& numbers, const std::byte* stored, std::int64_t row_bytes,
                               const Quick& rule, Seen& result) {
  Seen seen;  // a local copy stays in registers
  for (std::int64_t row = 0; row < numbers.rows; ++row) {
    const std::int64_t begin = row * numbers.pairs;
    const RowNumbers of_row{stored + row * row_bytes, numbers.expected + begin,
                            kByReach ? nullptr : numbers.size + begin, numbers.angle_errors,
                            kByReach ? numbers.reach[row] : 0};
    see_row<Cell, kByReach>(of_row, numbers.pairs, rule, seen);
  }
  result = seen;
}

ROPESCOPE_INLINE void see_all(const RunNumbers& numbers, const Quick& rule, Seen& seen) {
  if (!numbers.floats) {
    const auto row_bytes = numbers.pairs * static_cast<std::int64_t>(sizeof(double));
    see_rows<double, false>(numbers, reinterpret_cast<const std::byte*>(numbers.stored), row_bytes, rule, seen);
  } else if (numbers.reach) {
    see_rows<float, true>(numbers, numbers.floats, numbers.row_bytes, rule, seen);
  } else {
    see_rows<float, false>(numbers, numbers.floats, numbers.row_bytes, rule, seen);
  }
}

ROPESCOPE_AVX2 void see_all_avx2(const RunNumbers& numbers, const Quick& rule, Seen& seen) {
  see_all(numbers, rule, seen);
}
void see_all_portable(const RunNumbers& numbers, const Quick& rule, Seen& seen) {
  see_all(numbers, rule, seen);
}

RunResult judge_quickly(const RunNumbers& numbers, const PlaneRule& rule) {
  Seen seen;
  (has_avx2() ? see_all_avx2 : see_all_portable)(numbers, {rule.unit.scale, rule.unit.least, numbers.sign}, seen);
  RunResult run;
  for (std::int64_t lane = 0; lane < kNumberLanes; ++lane) {
    run.largest = std::max(run.largest, seen.largest[lane]);
    run.excess = std::max(run.excess, seen.excess[lane] - kTableNoise);
    run.finite = run.finite && std::isfinite(seen.sum[lane]);
  }
  return run;
}

}  // namespace

bool parallel_for_rows(std::int64_t rows, const CheckOptions& options, const std::function<WorkPiece()>& make_worker) {
  HandedPieces pieces(rows, options);
  const auto work = [&] {
    std::int64_t at = -1;
    try {
      const WorkPiece worker = make_worker();
      while (const auto piece = pieces.take()) {
        at = piece->first;
        pieces.put(*piece, worker(*piece));
      }
    } catch (...) {
      pieces.fail(at, std::current_exception());
    }
  };
  // No more threads than chunks: a few rows are finished before a second thread has started.
  const std::int64_t count = (rows + kRowsAtATime - 1) / kRowsAtATime;
  const std::int64_t threads = std::min<std::int64_t>(count, worker_count(options.threads));
  run_on_threads(static_cast<int>(std::max<std::int64_t>(threads, 1)), work);
  return pieces.finish();
}

void RunResult::join(const RunResult& other) {
  const bool farther = other.excess > excess || (other.excess == excess && other.row_of_excess < row_of_excess);
  if (other.row_of_excess >= 0 && (row_of_excess < 0 || farther)) row_of_excess = other.row_of_excess;
  excess = std::max(excess, other.excess);
  strict_excess = std::max(strict_excess, other.strict_excess);
  finite = finite && other.finite;
  if (other.row < 0) return;
  const bool better = row < 0 || other.largest > largest || (other.largest == largest && other.row < row);
  if (better) largest = other.largest, row = other.row;
}

double beyond_rounding(const PlaneRule& rule, double difference, double expected) {
  return rule.rounding.scale > 0 ? std::max(difference - rule.rounding.at(expected), 0.0) : difference;
}

bool reads_floats(const StoredTensor& plane, const PlaneRule& rule) {
  const bool native = plane.big_endian == (std::endian::native == std::endian::big);
  return plane.storage == Storage::float32 && !plane.of_angles && native && plane.strides[1] == 1 && !rule.strict &&
         !rule.unit.printed && !(rule.rounding.scale > 0);
}

RunResult judge_run(const RunNumbers& numbers, const PlaneRule& rule) {
  RunResult run = judge_quickly(numbers, rule);
  if (!run.finite) return run;
  if (rule.unit.printed) {
    // Decimal digits are not powers of two, so the fast path above does not apply.
    run.excess = kNothing;
    for_each(numbers, [&](double difference, double expected, double size, double angle_error) {
      run.excess = std::max(run.excess, difference - (rule.unit.at(expected) + angle_error * size + kTableNoise));
    });
  }
  if (rule.rounding.scale > 0) {
    run.largest = 0;
    for_each(numbers, [&](double difference, double expected, double, double) {
      run.largest = std::max(run.largest, beyond_rounding(rule, difference, expected));
    });
  }
  if (!rule.strict) return run;
  for_each(numbers, [&](double difference, double expected, double size, double) {
    const double unit = rule.strict_unit.printed ? rule.strict_unit.at(expected) : 0;
    run.strict_excess = std::max(run.strict_excess, difference - (kStrict + kTableNoise * size + unit));
  });
  return run;
}

}  // namespace ropescope
