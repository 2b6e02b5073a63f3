// Contents: Pieces of rows; Runs of numbers; Rows; Remainders; All rows.

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
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "core/check/compare/compare.h"
#include "core/check/compare/sides.h"
#include "core/machine.h"
#include "core/parallel.h"

namespace ropescope {

// --- Pieces of rows ------------------------------------------------------------------------------------------------

namespace {

constexpr std::int64_t kPiecesPiece = 2048;
/// Pieces that may be done before one in front of them: a thread that was put to sleep stops the others no sooner.
constexpr std::size_t kMostWaiting = 32;

/// The pieces of some rows: handed out in order, joined in order.
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
      next_ = std::min(rows_, first + kPiecesPiece);
    }
    if (options_.progress && std::this_thread::get_id() == caller_) {
      options_.progress(static_cast<double>(first) / static_cast<double>(rows_), Words("check.step.compare"));
    }
    return RowPiece{first, std::min(kPiecesPiece, rows_ - first)};
  }

  void put(const RowPiece& piece, JoinPiece join) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return piece.first == joined_ || waiting_.size() < kMostWaiting || failed_ < rows_; });
    waiting_.emplace(piece.first, std::make_pair(piece.count, std::move(join)));
    for (auto first = waiting_.begin(); first != waiting_.end() && first->first == joined_; first = waiting_.begin()) {
      first->second.second();
      joined_ += first->second.first;
      waiting_.erase(first);
    }
    changed_.notify_all();
  }

  /// Every piece in front of one that fails was handed out before it, and is worked on to its end: whichever fails
  /// first in time, the first in the order of the rows is known at last.
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

}  // namespace

bool share_rows(std::int64_t rows, const CheckOptions& options, const std::function<WorkPiece()>& make_worker) {
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
  // A few rows are done before another thread has started.
  const std::int64_t count = (rows + kPiecesPiece - 1) / kPiecesPiece;
  const std::int64_t threads = std::min<std::int64_t>(count, worker_count(options.threads));
  share_work(static_cast<int>(std::max<std::int64_t>(threads, 1)), work);
  return pieces.finish();
}

// --- Runs of numbers -----------------------------------------------------------------------------------------------

namespace {

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
constexpr std::int64_t kJudgeRunLanes = 4;
using Lanes [[gnu::vector_size(kJudgeRunLanes * sizeof(double))]] = double;
using LaneBits [[gnu::vector_size(kJudgeRunLanes * sizeof(double))]] = std::int64_t;

struct Seen {
  Lanes largest = Lanes{} - 1, excess = Lanes{} + kNothing, sum = {};
};

/// What is the same for all numbers.
struct Quick {
  double scale, least, sign;
};

ROPESCOPE_INLINE void load_judge_run(const std::byte* from, Lanes& to, double) {
  std::memcpy(&to, from, sizeof(to));
}
ROPESCOPE_INLINE void load_judge_run(const std::byte* from, Lanes& to, float) {
  // Written so, it is one instruction.
  std::array<float, kJudgeRunLanes> f;
  std::memcpy(f.data(), from, sizeof(f));
  to =
      Lanes{static_cast<double>(f[0]), static_cast<double>(f[1]), static_cast<double>(f[2]), static_cast<double>(f[3])};
}

ROPESCOPE_INLINE void see_lanes(const Lanes& stored, const Lanes& expected, const Lanes& angle_error, const Quick& rule,
                                Seen& seen) {
  const Lanes e = rule.sign * expected, gap = stored - e;
  // Signs and exponents of four numbers at a time: |gap|, and 2^⌊log2 |e|⌋.
  const Lanes d = (Lanes)((LaneBits)gap & INT64_C(0x7fffffffffffffff));
  const Lanes unit = (Lanes)((LaneBits)e & INT64_C(0x7ff0000000000000)) * rule.scale;
  const Lanes least = Lanes{} + rule.least;
  const Lanes beyond = d - ((unit > least ? unit : least) + angle_error);
  seen.largest = d > seen.largest ? d : seen.largest;
  seen.excess = beyond > seen.excess ? beyond : seen.excess;
  seen.sum += d;  // finite only where all of them are
}

/// A row of a plane; of sizes, either one a pair or the reach of all.
struct RowNumbers {
  const std::byte* stored;
  const double *expected, *size, *angle_errors;
  double reach;
};

/// All numbers of a row, `stored` being of type Cell. Some may be seen twice, which changes nothing.
template <class Cell, bool kByReach>
ROPESCOPE_INLINE void see_row(const RowNumbers& row, std::int64_t pairs, const Quick& rule, Seen& seen) {
  Lanes s = {}, e = {}, a = {}, b = Lanes{} + row.reach;
  constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Cell));
  const auto see_from = [&](std::int64_t i) __attribute__((always_inline)) {
    load_judge_run(row.stored + i * kBytes, s, Cell{});
    std::memcpy(&e, row.expected + i, sizeof(e));
    std::memcpy(&a, row.angle_errors + i, sizeof(a));
    if constexpr (!kByReach) std::memcpy(&b, row.size + i, sizeof(b));
    see_lanes(s, e, a * b, rule, seen);
  };
  if (pairs < kJudgeRunLanes) {
    for (std::int64_t lane = 0; lane < kJudgeRunLanes; ++lane) {
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
  for (; i + kJudgeRunLanes <= pairs; i += kJudgeRunLanes) see_from(i);
  if (i < pairs) see_from(pairs - kJudgeRunLanes);
}

template <class Cell, bool kByReach>
ROPESCOPE_INLINE void see_rows(const RunNumbers& numbers, const std::byte* stored, std::int64_t row_bytes,
                               const Quick& rule, Seen& result) {
  Seen seen;  // of its own, so that it stays in registers
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
  for (std::int64_t lane = 0; lane < kJudgeRunLanes; ++lane) {
    run.largest = std::max(run.largest, seen.largest[lane]);
    run.excess = std::max(run.excess, seen.excess[lane] - kTableNoise);
    run.finite = run.finite && std::isfinite(seen.sum[lane]);
  }
  return run;
}

}  // namespace

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
  return plane.storage == Storage::float32 && native && plane.strides[1] == 1 && !rule.strict && !rule.unit.printed &&
         !(rule.rounding.scale > 0);
}

RunResult judge_run(const RunNumbers& numbers, const PlaneRule& rule) {
  RunResult run = judge_quickly(numbers, rule);
  if (!run.finite) return run;
  if (rule.unit.printed) {
    // Digits are no powers of two: the shortcut above knows nothing of them.
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

// --- Rows ----------------------------------------------------------------------------------------------------------

RowJudge::RowJudge(const CheckModel& model, const Evidence& evidence, Judged how)
    : model_(model), evidence_(evidence), evaluator_(model), pairs_(evaluator_.pairs()) {
  const auto size = static_cast<std::size_t>(pairs_);
  cosine_.resize(size), sine_.resize(size), size_.resize(size);
  id_.resize(static_cast<std::size_t>(evaluator_.axes()));
  const bool rounded = how == Judged::as_rounded;
  unit_ = rounded ? evidence.usual_file_unit : evidence.file_unit;
  if (model.table_format != ShortFormat::none) {
    unit_ = coarser(rounded ? usual_unit_of(model.table_format) : loose_unit_of(model.table_format), unit_);
  }
  unit_ = with_amplitude(unit_, model.largest_amplitude());
  if (evidence.has_heads()) {
    const HeadVectors& heads = *evidence.tensors->heads;
    rotation_ = rotation_rule(model, heads.before, heads.after);
  }
  if (evidence.has_ids()) id_unit_ = unit_of(*evidence.tensors->ids);
  if (how == Judged::as_verdict && evidence.has_tables()) {
    angle_error_ = table_errors(model, evaluator_, evidence.tensors->tables);
  } else {
    angle_error_ = angle_errors(model).of_pair;
    for (double& error : angle_error_) error = error * model.largest_amplitude() + kTableNoise;
  }
  for (const double error : angle_error_) largest_size_.push_back(evidence.most_angle_error / error);
}

bool RowJudge::ids_agree(Eigen::Index i) {
  evaluator_.ids(evidence_.rows[static_cast<std::size_t>(i)], id_.data());
  for (Eigen::Index axis = 0; axis < evaluator_.axes(); ++axis) {
    const double expected = id_[static_cast<std::size_t>(axis)];
    if (!(std::abs(evidence_.ids(i, axis) - expected) <= id_tolerance(id_unit_, expected))) return false;
  }
  return true;
}

void RowJudge::add_ids(Eigen::Index i, Remainder& left) {
  evaluator_.ids(evidence_.rows[static_cast<std::size_t>(i)], id_.data());
  for (Eigen::Index axis = 0; axis < evaluator_.axes(); ++axis) {
    const double expected = id_[static_cast<std::size_t>(axis)];
    left.add(std::abs(evidence_.ids(i, axis) - expected), id_tolerance(id_unit_, expected));
  }
}

void RowJudge::compute(Eigen::Index i) {
  evidence_.spend(pairs_);
  evaluator_.row(evidence_.rows[static_cast<std::size_t>(i)], cosine_.data(), sine_.data(), size_.data());
  for (std::size_t pair = 0; pair < size_.size(); ++pair) {
    constexpr double kShowsNothing = 0.5;
    if (model_.too_fast && angle_error_[pair] * size_[pair] > kShowsNothing) size_[pair] = kAnySize;
    if (size_[pair] < kAnySize) size_[pair] = std::min(size_[pair], largest_size_[pair]);
  }
}

double RowJudge::tolerance(Eigen::Index pair, double expected) const {
  const auto p = static_cast<std::size_t>(pair);
  return (1 + model_.slack) * unit_.at(expected) + angle_error_[p] * size_[p] + kTableNoise;
}

bool RowJudge::pair_agrees(Eigen::Index i, Eigen::Index pair) const {
  const auto fits = [&](double stored, double expected) {
    return std::abs(stored - expected) <= tolerance(pair, expected);
  };
  const auto p = static_cast<std::size_t>(pair);
  return fits(evidence_.cosine(i, pair), cosine_[p]) && fits(evidence_.sine(i, pair), sine_[p]);
}

bool RowJudge::tables_agree(Eigen::Index i) const {
  for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
    if (!pair_agrees(i, pair)) return false;
  }
  return true;
}

void RowJudge::add_tables(Eigen::Index i, Remainder& left) const {
  for (Eigen::Index pair = 0; pair < pairs_; ++pair) {
    const auto p = static_cast<std::size_t>(pair);
    // An angle on the middle of two numbers of its format says nothing.
    if (size_[p] >= kAnySize) continue;
    left.add(std::abs(evidence_.cosine(i, pair) - cosine_[p]), tolerance(pair, cosine_[p]));
    left.add(std::abs(evidence_.sine(i, pair) - sine_[p]), tolerance(pair, sine_[p]));
  }
}

HeadJudgement RowJudge::judge_one(Eigen::Index i, std::int64_t head) const {
  const HeadVectors& heads = *evidence_.tensors->heads;
  evidence_.spend(pairs_);
  const std::int64_t at = i * evidence_.before.cols() + head * heads.channels;
  return judge_head(model_, rotation_, {cosine_.data(), sine_.data(), size_.data(), pairs_, heads.channels},
                    evidence_.before.data() + at, evidence_.after.data() + at);
}

bool RowJudge::heads_agree(Eigen::Index i) const {
  for (std::int64_t head = 0; head < evidence_.tensors->heads->heads; ++head) {
    if (judge_one(i, head).excess > 0) return false;
  }
  return true;
}

void RowJudge::add_heads(Eigen::Index i, Remainder& left) const {
  for (std::int64_t head = 0; head < evidence_.tensors->heads->heads; ++head) {
    const HeadJudgement judged = judge_one(i, head);
    left.add(judged.largest, judged.tolerance);
    left.excess = std::max(left.excess, judged.excess);
  }
}

// --- Remainders ----------------------------------------------------------------------------------------------------

namespace {

/// More than a half, as a fit can spread what one number is off by over all of them.
constexpr double kPart = 0.25;
/// What is left of numbers that cannot be compared.
constexpr double kAll = std::numeric_limits<double>::infinity();

constexpr InputBit kInputs[] = {kTables, kHeads, kIds, kFrequencies};

CheckModel without_slack(const CheckModel& model) {
  CheckModel exact = model;
  exact.slack = 0;
  return exact;
}

Remainder of_frequencies(const CheckModel& model, const Evidence& evidence) {
  const DueFrequencies due = due_frequencies(model, evidence.frequencies.size());
  const std::vector<double>& expected = due.values;
  const StorageUnit unit = loose_unit_of(*evidence.tensors->frequencies);
  Remainder left;
  if (!due.counted) left.add(kAll, 0);
  for (std::size_t i = 0; i < due.compared; ++i) {
    left.add(std::abs(evidence.frequencies[i] - expected[i]), frequency_tolerance(unit, expected[i]));
  }
  return left;
}

/// Adds up row by row until `enough` says so.
template <class Enough>
Remainder of_rows(const CheckModel& model, const Evidence& evidence, InputBit input, const Enough& enough) {
  RowJudge judge(model, evidence, Judged::as_verdict);
  Remainder left;
  const auto rows = static_cast<Eigen::Index>(evidence.rows.size());
  for (Eigen::Index i = 0; i < rows && !enough(left); ++i) {
    if (input == kIds) {
      judge.add_ids(i, left);
      continue;
    }
    judge.compute(i);
    if (input == kTables) judge.add_tables(i, left);
    if (input == kHeads) judge.add_heads(i, left);
  }
  return left;
}

}  // namespace

void Remainder::add(double difference, double allowed) {
  excess = std::max(excess, difference - allowed);
  largest = std::max(largest, difference);
  tolerance = std::max(tolerance, allowed);
}

Remainder& Remainders::of(InputBit input) {
  return input == kTables ? tables : input == kHeads ? heads : input == kIds ? ids : frequencies;
}

const Remainder& Remainders::of(InputBit input) const {
  return const_cast<Remainders*>(this)->of(input);
}

Remainders remainders_of(const CheckModel& model, const Evidence& evidence, unsigned inputs) {
  const CheckModel exact = without_slack(model);
  Remainders left;
  for (const InputBit input : kInputs) {
    if ((inputs & input) == 0) continue;
    if (!has_shape(exact, evidence, input)) {
      left.of(input) = {kAll, kAll, 0};
    } else if (input == kFrequencies) {
      left.frequencies = of_frequencies(exact, evidence);
    } else {
      left.of(input) = of_rows(exact, evidence, input, [](const Remainder&) { return false; });
    }
  }
  return left;
}

bool mends(const CheckModel& model, const Remainders& without, const Evidence& evidence, unsigned inputs) {
  const CheckModel exact = without_slack(model);
  bool wrong = false;
  for (const InputBit input : kInputs) {
    const Remainder& before = without.of(input);
    if ((inputs & input) == 0 || !(before.excess > 0)) continue;
    wrong = true;
    // A candidate of huge angles is allowed much: what it leaves has to be small by the other's tolerance as well.
    const double largest = std::max(kPart * before.largest, before.tolerance);
    const auto too_much = [&](const Remainder& left) {
      return left.excess == kAll || left.excess > kPart * before.excess || left.largest > largest;
    };
    const Remainder left =
        input == kFrequencies ? of_frequencies(exact, evidence) : of_rows(exact, evidence, input, too_much);
    if (!too_much(left)) return true;
  }
  return !wrong;
}

// --- All rows ------------------------------------------------------------------------------------------------------

namespace {

bool has_pairs(const CheckModel& model, const Evidence& evidence) {
  const Eigen::Index pairs = model.tokens.pair_count();
  if (evidence.has_tables() && evidence.cosine.cols() != pairs) return false;
  return !evidence.has_heads() || model.still + 2 * pairs <= evidence.tensors->heads->channels;
}

/// Threads do not share what they spend: whoever asks for all rows counts them.
Evidence piece_of(const Evidence& evidence, const RowPiece& piece) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(piece.count));
  std::iota(rows.begin(), rows.end(), piece.first);
  Evidence part = at_rows(evidence, std::move(rows));
  part.effort = std::make_shared<Effort>(std::numeric_limits<std::int64_t>::max());
  return part;
}

}  // namespace

std::vector<std::int64_t> all_wrong_rows(const CheckModel& model, const Evidence& evidence) {
  std::vector<std::int64_t> wrong;
  if (evidence.tensors->rows != model.row_count || !has_pairs(model, evidence)) return wrong;
  const auto make_worker = [&]() -> WorkPiece {
    return [&](const RowPiece& piece) -> JoinPiece {
      return [&wrong, found = wrong_rows(model, piece_of(evidence, piece))] {
        wrong.insert(wrong.end(), found.begin(), found.end());
      };
    };
  };
  if (!share_rows(model.row_count, evidence.options, make_worker)) wrong.clear();
  return wrong;
}

bool reproduces_all(const CheckModel& model, const Evidence& evidence, unsigned inputs) {
  if (!reproduces(model, evidence, inputs)) return false;
  if (model.row_count != evidence.tensors->rows) return true;
  evidence.spend(model.row_count * model.tokens.pair_count());
  const Comparison all = compare_all(model, rows_of(*evidence.tensors, 0, model.row_count), evidence.options);
  return !all.cancelled && std::all_of(all.inputs.begin(), all.inputs.end(), [inputs](const auto& input) {
    const unsigned bit = input.first == "ids" ? kIds : input.first == "after" ? kHeads : kTables;
    return (inputs & bit) == 0 || input.second.agrees();
  });
}

void look_at_wrong_rows(const CheckModel& model, Evidence& evidence) {
  const auto seen = static_cast<std::int64_t>(evidence.rows.size());
  if (seen == 0 || seen >= evidence.tensors->rows) return;
  constexpr std::size_t kEnough = 256;
  // Where those that are looked at hold enough, so do all: nothing more is read.
  if (has_pairs(model, evidence) && wrong_rows(model, evidence).size() >= kEnough) return;
  const std::vector<std::int64_t> wrong = all_wrong_rows(model, evidence);
  std::vector<std::int64_t> rows = evidence.rows;
  const std::size_t count = std::min(wrong.size(), kEnough);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(wrong[i * wrong.size() / count]);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  evidence = at_rows(evidence, std::move(rows));
}

}  // namespace ropescope
