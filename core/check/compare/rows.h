// All rows of a plane judged at once, on any number of threads with the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "core/check/check.h"
#include "core/check/compare/compare.h"
#include "core/check/reading/evidence.h"

namespace ropescope {

// --- Pieces of rows ------------------------------------------------------------------------------------------------

/// Rows that a thread takes at a time.
struct RowPiece {
  std::int64_t first = 0, count = 0;
};
/// Puts what was found in a piece to what was found before it.
using JoinPiece = std::function<void()>;
/// What one thread does with a piece; it owns its buffers.
using WorkPiece = std::function<JoinPiece(const RowPiece&)>;

/// Works through all rows on as many threads as the options say: each asks `make_worker` for its own worker and takes
/// pieces in the order of the rows until there are none. What the worker returns is called in that order too, one at a
/// time, so that sums and first places are the same for any number of threads. Throws what the first piece that failed
/// threw. False: it was stopped, and not all rows were seen.
bool share_rows(std::int64_t rows, const CheckOptions& options, const std::function<WorkPiece()>& make_worker);

// --- Runs of numbers -----------------------------------------------------------------------------------------------

/// What some rows of a plane of a table show. As it is made it is the neutral element of `join`: nothing was seen.
struct RunResult {
  double largest = -1;  ///< |difference|, beyond what rounding explains
  double excess = -std::numeric_limits<double>::infinity(), strict_excess = excess;  ///< largest, beyond the tolerance
  bool finite = true;               ///< false: something was no finite number, and nothing else counts
  std::int64_t row = -1;            ///< first of the rows among which the largest difference lies; −1: none was seen
  std::int64_t row_of_excess = -1;  ///< the same of the largest excess

  /// Both together; of equal differences the place of the smaller row counts, whichever was joined first.
  void join(const RunResult& other);
};

/// Neighbouring rows of a plane beside what is expected of them, each [rows × pairs].
struct RunNumbers {
  const double *stored, *expected, *size;
  std::int64_t rows = 0, pairs = 0;
  double sign = 1;             ///< of what is expected
  const double* angle_errors;  ///< [pairs]
  /// In place of `size`: it is reach[row], and angle_errors are per unit of it.
  const double* reach = nullptr;
  /// In place of `stored`: float32 numbers as they lie in a file, and the bytes from row to row.
  const std::byte* floats = nullptr;
  std::int64_t row_bytes = 0;
};
/// `row` is left at −1. Precondition: at least one number; `floats` and `reach` only where reads_floats().
RunResult judge_run(const RunNumbers& numbers, const PlaneRule& rule);

/// Whether nothing but the largest difference and the tolerance is asked of a plane of float32 numbers whose rows lie
/// as this machine has them.
bool reads_floats(const StoredTensor& plane, const PlaneRule& rule);

/// What is left of a difference once rounding has explained its part.
double beyond_rounding(const PlaneRule& rule, double difference, double expected);

// --- Remainders ----------------------------------------------------------------------------------------------------

/// What a model leaves unexplained of an input, judged as the verdict judges it: without the slack of fitted numbers,
/// and with angle errors estimated from the rows.
struct Remainder {
  double excess = -std::numeric_limits<double>::infinity();  ///< largest |difference| − tolerance
  double largest = 0, tolerance = 0;                         ///< largest |difference|, and largest tolerance, anywhere
  void add(double difference, double allowed);
};

/// Of the rows that are looked at, input by input.
struct Remainders {
  Remainder tables, heads, ids, frequencies;
  Remainder& of(InputBit input);
  const Remainder& of(InputBit input) const;
};

/// Of the inputs asked for. A model that has not their shape leaves infinity.
Remainders remainders_of(const CheckModel& model, const Evidence& evidence, unsigned inputs);

/// Whether a model that reproduces() the inputs owes that to what was changed in it and not to the kinder judgement of
/// candidates: of some input that the model without the change gets wrong, it leaves a quarter at most. True where that
/// model gets nothing wrong on the rows that are looked at.
bool mends(const CheckModel& model, const Remainders& without, const Evidence& evidence, unsigned inputs);

// --- Rows ----------------------------------------------------------------------------------------------------------

/// One row of a model against what was read, input by input. Preconditions: the model has the rows and pairs of what is
/// asked for, and outlives the judge; tables and vectors are asked about after compute() of their row.
class RowJudge {
 public:
  RowJudge(const CheckModel& model, const Evidence& evidence, Judged how = Judged::as_candidate);

  /// Row i of the evidence.
  bool ids_agree(Eigen::Index i);
  void compute(Eigen::Index i);
  bool pair_agrees(Eigen::Index i, Eigen::Index pair) const;
  bool tables_agree(Eigen::Index i) const;
  bool heads_agree(Eigen::Index i) const;
  /// What the row leaves unexplained is added to `left`.
  void add_ids(Eigen::Index i, Remainder& left);
  void add_tables(Eigen::Index i, Remainder& left) const;
  void add_heads(Eigen::Index i, Remainder& left) const;
  Eigen::Index pairs() const { return pairs_; }

 private:
  HeadJudgement judge_one(Eigen::Index i, std::int64_t head) const;
  double tolerance(Eigen::Index pair, double expected) const;

  const CheckModel& model_;
  const Evidence& evidence_;
  RowEvaluator evaluator_;
  Eigen::Index pairs_;
  std::vector<double> cosine_, sine_, size_, id_;
  StorageUnit unit_, id_unit_;
  RotationRule rotation_;
  std::vector<double> angle_error_;   ///< [pairs]
  std::vector<double> largest_size_;  ///< of an angle, beyond which nothing more is allowed; [pairs]
};

// --- All rows ------------------------------------------------------------------------------------------------------

/// Every row of the tensors that a model does not give, in order; empty where it has other rows or pairs than they, or
/// it was stopped.
std::vector<std::int64_t> all_wrong_rows(const CheckModel& model, const Evidence& evidence);

/// Whether a model gives what was read, those rows too that the reference has not: they are not among those that are
/// looked at.
bool reproduces_all(const CheckModel& model, const Evidence& evidence, unsigned inputs);

/// Looks at some of the rows that a model does not give as well, where the rows that were spread over the tensors hold
/// few of them: what is wrong in few rows of many would be seen by nobody.
void look_at_wrong_rows(const CheckModel& model, Evidence& evidence);

}  // namespace ropescope
