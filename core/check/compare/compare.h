// Observed numbers beside those of a model, and what they may differ by: units of storage, tables, vectors, ids,
// frequencies. The third step of check: read model/model.h first; rows.h goes through the rows, sides.h shows them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "core/check/model/model.h"
#include "core/check/reading/planes.h"
#include "core/layouts/tables.h"

namespace ropescope {

// --- Comparison ----------------------------------------------------------------------------------------------------

/// How far storing may have moved a number: half a unit in the last place at its size.
struct StorageUnit {
  double scale = 0, least = 0;  ///< at 1, and the smallest
  std::optional<Printed> printed;

  /// Half a unit at a value.
  double at(double value) const;
};
StorageUnit unit_of(const StoredTensor& tensor);
StorageUnit unit_of(ShortFormat format);
/// What a right number is off by as a rule: half a unit, of float32 where the tensor is float64, and half a unit of
/// float32 more, as cos and sin of the released code are not rounded correctly. Fits are weighed by it.
StorageUnit usual_unit_of(const StoredTensor& tensor);
StorageUnit usual_unit_of(ShortFormat format);
/// What a right number may be off by: a whole unit, as some cut a number to a shorter format or round it to others on
/// the way, and a whole unit of float32 for what it was before that.
StorageUnit loose_unit_of(const StoredTensor& tensor);
StorageUnit loose_unit_of(ShortFormat format);
/// A unit for numbers with an amplitude that were computed in float32: the amplitude is rounded, its product with cos
/// or sin is, and their own errors grow with it, by less than three half units of float32 together. Nothing is added
/// where it is 1 or −1, and next to nothing where it is nearly.
StorageUnit with_amplitude(StorageUnit unit, double amplitude);
/// The larger of two units at every number, for a short format that a file keeps: float16 has fewer small numbers than
/// bfloat16.
StorageUnit coarser(const StorageUnit& of_format, const StorageUnit& of_file);

/// What an angle of the released code errs by per radian, as it computes in float32: candidates are sieved by it. What
/// is allowed in the end is less (compare/sides.h).
inline constexpr double kAngleError = 7e-7;

/// The largest difference of one input.
struct Difference {
  double largest = 0, tolerance = 0;  ///< |difference|, and what is allowed at its place
  std::int64_t row = -1, pair = -1, head = -1;
  double excess = -std::numeric_limits<double>::infinity();  ///< largest |difference| − tolerance anywhere
  bool computed_in_float32 = false;                          ///< a float64 input that agrees as float32 only
  double most = 0;  ///< largest |difference| anywhere, where another place is to be shown

  /// The largest |difference| anywhere.
  double size() const { return std::max(most, largest); }

  bool agrees() const { return !(excess > 0); }
  /// Whether its place is the one to show: what is tolerated is never the reason of a disagreement.
  bool shows_more_than(const Difference& other) const {
    const bool beyond = largest > tolerance, other_beyond = other.largest > other.tolerance;
    return beyond != other_beyond ? beyond : largest > other.largest;
  }
};

/// Rows first … first + count − 1 of tables, vectors and ids, and no frequencies. Precondition: the rows are there.
CheckTensors rows_of(const CheckTensors& tensors, std::int64_t first, std::int64_t count);

/// Rows of a model, as fast as what was changed in it allows. Safe to share between threads.
class ExpectedRows {
 public:
  explicit ExpectedRows(const CheckModel& model);
  /// cos, sin and the sizes of the angles of rows first … first + count − 1, each [count × pairs]. `size` may be null
  /// where knows_reaches().
  void rows(std::int64_t first, std::int64_t count, double* cosine, double* sine, double* size) const;
  /// Whether rows come from short tables and one axis turns all pairs: sizes are then had from the evaluator's reaches.
  bool knows_reaches() const { return tables_ != nullptr && evaluator_.only_axis().has_value(); }
  const CheckModel& model() const { return model_; }
  const RowEvaluator& evaluator() const { return evaluator_; }

 private:
  const CheckModel& model_;
  RowEvaluator evaluator_;
  std::shared_ptr<const LayoutTables> tables_;  ///< null: every row by its formula
};

struct Comparison {
  std::vector<std::pair<std::string, Difference>> inputs;  ///< in the order cos, sin, table, after, ids, frequencies
  bool cancelled = false;

  const Difference* find(std::string_view which) const;
  bool agrees() const;
};

/// Compares all rows of tables, vectors and ids, and the frequencies. Rows or pairs that only one side has are left
/// out: the caller knows of them. Throws InputError where a tensor holds NaN or infinity.
Comparison compare_all(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options);

/// The frequency of every pair as a program stores them: of the axis that turns it, rounded as the model says; where
/// several axes turn a pair, those of the first axis, then those of the next.
std::vector<double> stored_frequencies(const CheckModel& model);

/// What an id may differ by: nothing where it is a whole number and the format too short for it, else half a unit and
/// what computing a fraction in float32 costs.
double id_tolerance(const StorageUnit& unit, double expected);
double frequency_tolerance(const StorageUnit& unit, double expected);

/// One vector rotated by a row of cos and sin, and for each of its 2·pairs channels what is allowed.
struct RotationRule {
  StorageUnit unit, strict_unit;
  bool strict = false;
  double arithmetic = 0;            ///< error of products and sums, relative to the size of the two channels
  std::vector<double> angle_error;  ///< of each pair, per radian
};
RotationRule rotation_rule(const CheckModel& model, const StoredTensor& before, const StoredTensor& after);
/// Largest excess of one head of `after` over what is allowed; `largest` and `channel` say where the largest
/// |difference| is.
struct HeadJudgement {
  double largest = 0, excess = -std::numeric_limits<double>::infinity(), strict_excess = excess, tolerance = 0;
  Eigen::Index pair = 0;
  double most = 0;  ///< largest |difference| anywhere, where another place is to be shown
};
struct TableRowView {
  const double *cosine, *sine, *size;
  std::int64_t pairs;
  std::int64_t channels = 0;  ///< how many a head has: those that do not turn pass through
};
HeadJudgement judge_head(const CheckModel& model, const RotationRule& rule, const TableRowView& row,
                         const double* before, const double* after);

/// Which angle a rotated channel takes and from which two channels it comes: repeats and companions of the model.
/// Channels are counted from the first that turns.
struct ChannelRole {
  Eigen::Index pair = 0;       ///< whose cos and sin it takes
  Eigen::Index source = 0;     ///< the channel before the rotation
  Eigen::Index companion = 0;  ///< the other one
  double sign = 1;             ///< of the companion
};
ChannelRole role_of(const CheckModel& model, Eigen::Index channel, Eigen::Index pairs);
/// The two channels in which a pair comes out.
std::pair<std::int64_t, std::int64_t> channels_of(const CheckModel& model, std::int64_t pair, std::int64_t pairs);

/// What a model tolerates at the place of a difference of tables or vectors, and how far these are off there, whatever
/// the format that it detects in them. The difference itself if it has no place.
Difference difference_there(const CheckModel& model, const CheckTensors& tensors, std::string_view which,
                            const Difference& place);

// --- Tolerances ----------------------------------------------------------------------------------------------------

/// What two ways of computing cos and sin in float64 differ by, per radian of the angle.
inline constexpr double kTableNoise = 4e-16;

/// Whether a tolerance allows nothing but the very same number: below the smallest normal float32 nothing is stored.
inline bool asks_for_equality(double tolerance) {
  return tolerance < static_cast<double>(std::numeric_limits<float>::min());
}

/// Up to here a number of a float64 file beside its noise was computed in float64.
inline constexpr double kStrict = 1e-12;

/// What a number of a plane of a table may differ by: unit.at(expected) + angle error of the pair · size + kTableNoise.
struct PlaneRule {
  StorageUnit unit, strict_unit;
  bool strict = false;   ///< float64: also look whether it holds more than float32 gives
  StorageUnit rounding;  ///< of the format that the model rounds its tables to; 0: not rounded
};
PlaneRule rule_of(const TablePlane& plane, const CheckModel& model);

/// Angle errors of all pairs as they move cos and sin of the tables of a model: times its amplitude, and with the noise
/// of float64. [pairs]
std::vector<double> table_errors(const CheckModel& model, const RowEvaluator& evaluator, const TablePlanes& tables);

/// What a list of frequencies holds for a model.
enum class ListOf {
  all_pairs,      ///< stored_frequencies()
  turning_pairs,  ///< stored_frequencies() without the zeros at their end (a proportional ladder)
  shared_ladder,  ///< the one ladder that every axis has
};
/// What a list of `count` frequencies is held against, number by number: the first of those that there are.
struct DueFrequencies {
  std::vector<double> values;
  ListOf of = ListOf::all_pairs;
  std::size_t compared = 0;  ///< as many as both have
  bool counted = false;      ///< the list has as many as are due, or as the model says that it has
};
DueFrequencies due_frequencies(const CheckModel& model, std::size_t count);

/// One channel of a rotated vector beside what was expected.
struct ChannelJudgement {
  Eigen::Index pair = 0;
  double expected = 0, difference = 0, tolerance = 0;
  double length = 0;  ///< |x| + |y| of the two channels that make it
};
ChannelJudgement judge_channel(const CheckModel& model, const RotationRule& rule, const TableRowView& row,
                               const double* before, const double* after, Eigen::Index channel);
/// Judges any channel of a whole head: those that do not turn must stay, and belong to no pair (−1).
ChannelJudgement judge_of_head(const CheckModel& model, const RotationRule& rule, const TableRowView& row,
                               const double* before, const double* after, Eigen::Index channel);

}  // namespace ropescope
