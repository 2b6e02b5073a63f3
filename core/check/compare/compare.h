// Comparison of observed numbers with those of a model, and its tolerances: storage units, tables, vectors, ids,
// frequencies. The third stage of check. Read model/model.h first; then rows.h (threads) and sides.h (display).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/check/model/model.h"
#include "core/check/reading/planes.h"
#include "core/layouts/tables.h"

namespace ropescope {

// --- Comparison ----------------------------------------------------------------------------------------------------

/// The maximum error of a stored number: half a unit in the last place at its size.
struct StorageUnit {
  double scale = 0, least = 0;  ///< the error at 1, and the smallest
  std::optional<Printed> printed;

  /// Returns the error at a value.
  double at(double value) const;
};
StorageUnit find_storage_unit(const StoredTensor& tensor);
StorageUnit find_storage_unit(ShortFormat format);
/// Returns the usual error of a correct number, by which fits are weighted: half a unit (of float32 if the tensor is
/// float64), and half a unit of float32 more because cos and sin of the released code are not rounded correctly.
StorageUnit typical_unit(const StoredTensor& tensor);
StorageUnit typical_unit(ShortFormat format);
/// Returns the maximum error of a correct number: a whole unit, because some programs truncate or round to other
/// formats on the way, and a whole unit of float32 for the value before that.
StorageUnit loosest_unit(const StoredTensor& tensor);
StorageUnit loosest_unit(ShortFormat format);
/// Returns the unit for numbers multiplied by an amplitude in float32. The amplitude and its product with cos or sin
/// are rounded, and the errors of these grow with it: by less than three half units of float32 in total. Nothing is
/// added for an amplitude of 1 or −1, and very little close to it.
StorageUnit with_amplitude(StorageUnit unit, double amplitude);
/// Returns the larger of two units at every number, for a short format in a file of another format: float16 has fewer
/// small numbers than bfloat16.
StorageUnit coarser(const StorageUnit& of_format, const StorageUnit& of_file);

/// The error per radian of an angle that the released code computes in float32, for preselecting candidates. The final
/// tolerance is smaller (compare/sides.h).
inline constexpr double kAngleError = 7e-7;

/// What some numbers leave unexplained: the largest |difference| and tolerance, and by how much any number exceeds its
/// own.
struct Remainder {
  double largest = 0, tolerance = 0;
  double excess = -std::numeric_limits<double>::infinity();  ///< largest |difference| − tolerance anywhere

  bool agrees() const { return !(excess > 0); }
  void add(double difference, double allowed) {
    excess = std::max(excess, difference - allowed);
    largest = std::max(largest, difference);
    tolerance = std::max(tolerance, allowed);
  }
};

/// The difference of an input to report: |difference| and tolerance are those at its place.
struct Difference : Remainder {
  std::int64_t row = -1, pair = -1, head = -1;
  double most = 0;                   ///< largest |difference| anywhere, if another place is reported
  bool computed_in_float32 = false;  ///< a float64 input that agrees only as float32

  /// Returns the largest |difference| anywhere.
  double size() const { return std::max(most, largest); }
  /// Returns whether to report its place before the other's: a tolerated difference never explains a disagreement.
  bool is_worse_than(const Difference& other) const {
    const bool beyond = largest > tolerance, other_beyond = other.largest > other.tolerance;
    return beyond != other_beyond ? beyond : largest > other.largest;
  }
  /// Merges the difference of other numbers. Keeps the place to report, the first of equal ones. A result without rows
  /// (row −1) changes nothing.
  void join(const Difference& other);
};

/// Returns rows first … first + count − 1 of tables, vectors and ids, not of frequencies. Precondition: they exist.
CheckTensors rows_of(const CheckTensors& tensors, std::int64_t first, std::int64_t count);

/// Rows of a model, computed as fast as the changes in it allow. Safe to share between threads.
class ExpectedRows {
 public:
  explicit ExpectedRows(const CheckModel& model);
  /// Computes cos, sin and angle sizes of rows first … first + count − 1, each [count × pairs]. `size` may be null if
  /// knows_reaches().
  void rows(std::int64_t first, std::int64_t count, double* cosine, double* sine, double* size) const;
  /// Returns whether layout tables give the rows and one axis rotates all pairs: sizes then follow from the reaches.
  bool knows_reaches() const { return tables_ != nullptr && evaluator_.only_axis().has_value(); }
  const CheckModel& model() const { return model_; }
  const RowEvaluator& evaluator() const { return evaluator_; }

 private:
  const CheckModel& model_;
  RowEvaluator evaluator_;
  std::shared_ptr<const LayoutTables> tables_;  ///< null: every row is computed by its formula
};

struct Comparison {
  std::vector<std::pair<std::string, Difference>> inputs;  ///< in the order cos, sin, table, after, ids, frequencies
  bool cancelled = false;

  const Difference* find(std::string_view which) const;
  bool agrees() const;
};

/// Compares all rows of tables, vectors and ids, and the frequencies. Rows or pairs that only one side has are skipped;
/// the caller reports them. Throws InputError if a tensor contains NaN or infinity.
Comparison compare_all(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options);

/// Returns the frequency of every pair as a program stores it: that of the axis that rotates the pair, rounded as in
/// the model. If several axes rotate a pair, all frequencies of the first axis come first, then those of the next.
std::vector<double> stored_frequencies(const CheckModel& model);

/// Returns the tolerance of an id. For an integer: 0 in a format shorter than float32, else half a unit. For a
/// fraction: half a unit plus the error of computing it in float32.
double id_tolerance(const StorageUnit& unit, double expected);
double frequency_tolerance(const StorageUnit& unit, double expected);

/// Tolerances of the 2·pairs channels of a vector rotated by a row of cos and sin.
struct RotationRule {
  StorageUnit unit, strict_unit;
  bool strict = false;
  double arithmetic = 0;            ///< error of products and sums, relative to the size of the two channels
  std::vector<double> angle_error;  ///< [pairs], per radian
};
RotationRule rotation_rule(const CheckModel& model, const StoredTensor& before, const StoredTensor& after);
struct ModelRowView {
  const double *cosine, *sine, *size;
  std::int64_t pairs;
  std::int64_t channels = 0;  ///< per head; those that are not rotated pass through
};
/// Cos, sin and angle sizes of one row of a model.
struct ModelRow {
  std::vector<double> cosine, sine, size;  ///< [pairs]
  std::int64_t channels = 0;               ///< see ModelRowView

  explicit ModelRow(Eigen::Index pairs, std::int64_t of_head = 0)
      : cosine(static_cast<std::size_t>(pairs)), sine(cosine), size(cosine), channels(of_head) {}
  void compute(const RowEvaluator& evaluator, std::int64_t row) {
    evaluator.row(row, cosine.data(), sine.data(), size.data());
  }
  ModelRowView view() const {
    return {cosine.data(), sine.data(), size.data(), static_cast<std::int64_t>(cosine.size()), channels};
  }
};
/// Judges the channels of one head of `after`. The result has no row and no head.
Difference judge_head(const CheckModel& model, const RotationRule& rule, const ModelRowView& row, const double* before,
                      const double* after);

/// The angle of a rotated channel and its two source channels, from the model's repeats and companions. Channels are
/// counted from the first rotated one.
struct ChannelRole {
  Eigen::Index pair = 0;       ///< the pair whose cos and sin it uses
  Eigen::Index source = 0;     ///< its channel before the rotation
  Eigen::Index companion = 0;  ///< the channel rotated together with it
  double sign = 1;             ///< sign of the companion
};
ChannelRole role_of(const CheckModel& model, Eigen::Index channel, Eigen::Index pairs);
/// Returns the two channels that contain a pair after the rotation.
std::pair<std::int64_t, std::int64_t> channels_of(const CheckModel& model, std::int64_t pair, std::int64_t pairs);

/// Returns the |difference| and the tolerance of a model at the place of a difference of tables or vectors, whatever
/// format the model detects in them. Returns the difference itself if it has no place.
Difference difference_there(const CheckModel& model, const CheckTensors& tensors, std::string_view which,
                            const Difference& place);

// --- Tolerances ----------------------------------------------------------------------------------------------------

/// The difference between two float64 computations of cos and sin, per radian of the angle.
inline constexpr double kTableNoise = 4e-16;

/// Returns whether a tolerance allows only the identical number: it is below the smallest normal float32.
inline bool asks_for_equality(double tolerance) {
  return tolerance < static_cast<double>(std::numeric_limits<float>::min());
}

/// The maximum error, in addition to the noise, of a number in a float64 file that was computed in float64.
inline constexpr double kStrict = 1e-12;

/// The tolerance of numbers in a table plane: unit.at(expected) + angle error of the pair · size + kTableNoise.
struct PlaneRule {
  StorageUnit unit, strict_unit;
  bool strict = false;   ///< float64: also test for more than float32 precision
  StorageUnit rounding;  ///< of the format to which the model rounds its tables; 0: none
};
PlaneRule rule_of(const TablePlane& plane, const CheckModel& model);

/// Returns the effect of the angle errors on cos and sin of a model's tables, [pairs]: multiplied by the amplitude,
/// plus the noise of float64.
std::vector<double> table_errors(const CheckModel& model, const RowEvaluator& evaluator, const TablePlanes& tables);

/// The content of a list of frequencies.
enum class ListOf {
  all_pairs,      ///< stored_frequencies()
  turning_pairs,  ///< stored_frequencies() without trailing zeros (a proportional ladder)
  shared_ladder,  ///< the ladder shared by all axes
};
/// The expected values of a list of `count` frequencies, compared number by number from the first.
struct ExpectedFrequencies {
  std::vector<double> values;
  ListOf of = ListOf::all_pairs;
  std::size_t compared = 0;  ///< how many both sides have
  bool counted = false;      ///< the list has the expected number, or the number set in the model
};
ExpectedFrequencies find_expected_frequencies(const CheckModel& model, std::size_t count);

/// The comparison of one channel of a rotated vector with its expected value.
struct ChannelJudgement {
  Eigen::Index pair = 0;
  double expected = 0, difference = 0, tolerance = 0;
  double length = 0;  ///< |x| + |y| of its two source channels
};
ChannelJudgement judge_channel(const CheckModel& model, const RotationRule& rule, const ModelRowView& row,
                               const double* before, const double* after, Eigen::Index channel);
/// Judges any channel of a whole head. A channel that is not rotated must be unchanged and belongs to no pair (−1).
ChannelJudgement judge_head_channel(const CheckModel& model, const RotationRule& rule, const ModelRowView& row,
                                    const double* before, const double* after, Eigen::Index channel);

/// Judges all channels of rows of vectors, one by one.
class HeadsJudge {
 public:
  HeadsJudge(const CheckModel& model, const HeadVectors& heads)
      : model_(model),
        evaluator_(model),
        rule_(rotation_rule(model, heads.before, heads.after)),
        row_(evaluator_.pairs(), heads.channels),
        heads_(heads.heads) {}

  /// Calls see(head, channel, judgement) for the channels of a row, whose numbers are `before` and `after`, as long as
  /// it returns true. Returns whether it did for all.
  template <class See>
  bool look(std::int64_t row, const double* before, const double* after, const See& see) {
    row_.compute(evaluator_, row);
    const ModelRowView view = row_.view();
    for (std::int64_t head = 0; head < heads_; ++head) {
      const std::int64_t at = head * row_.channels;
      for (std::int64_t channel = 0; channel < row_.channels; ++channel) {
        if (!see(head, channel, judge_head_channel(model_, rule_, view, before + at, after + at, channel)))
          return false;
      }
    }
    return true;
  }

 private:
  const CheckModel& model_;
  RowEvaluator evaluator_;
  RotationRule rule_;
  ModelRow row_;
  std::int64_t heads_;
};

}  // namespace ropescope
