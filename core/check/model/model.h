// The model that tensors are judged against: the reference with the causes of an explanation applied to it, evaluated
// row by row, and the orders of tokens. The second step of check, after reading; compare, evidence, causes, search and
// report follow.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check/reading/planes.h"
#include "core/layouts/layout.h"
#include "core/machine.h"

namespace ropescope {

// --- Order of tokens -----------------------------------------------------------------------------------------------

/// The order in which a program traversed the grid of an image or a video. Names of three words list the counters from
/// the slowest to the fastest.
enum class TokenOrder {
  row_major,  ///< frame, row, column: as in every model here
  column_major,
  serpentine,
  row_column_frame,
  column_row_frame,
  row_frame_column,
  column_frame_row,
  bottom_up,
  right_to_left,
  backwards,
  frames_backwards,
  windows,
};

struct NamedOrder {
  TokenOrder order;
  std::string_view name;  ///< in JSON; its text has this name after "check.order."
  bool usual;             ///< common: tried first
};
/// Returns all orders except row_major, likely ones first.
std::span<const NamedOrder> other_orders();
/// Returns whether a block is an image or a reference, whose tokens form rows and columns.
bool is_grid(const TokenBlock& block);
/// Returns whether a block belongs to a part of the rows: "all" or "text", "image", "reference", "audio".
bool is_in_part(const TokenBlock& block, std::string_view part);
/// Returns the side that an axis is named after: row for "row" and "y", column for "column" and "x", else none.
Along side_of_name(std::string_view axis);
/// Returns whether an order can be distinguished from row_major in a block.
bool can_stand_in(TokenOrder order, const TokenBlock& block);

// --- Model ---------------------------------------------------------------------------------------------------------

/// Format to which an intermediate value was rounded; none: not rounded.
enum class ShortFormat { none, bfloat16, float16 };
/// Returns "bfloat16", "float16", or "" for none.
std::string_view format_name(ShortFormat format);
double round_to_format(ShortFormat format, double value);

/// Which rows of the layout the tensors have, and how a program computes their ids. Causes in ids change these and the
/// blocks.
struct TokenNumbering {
  TokenOrder order = TokenOrder::row_major;
  /// Per block: what a token's number is divided by to get row and column, instead of the number of columns; 0: the
  /// number of columns. Empty: 0 for every block.
  std::vector<std::int64_t> strides;
  double id_factor = 1;                                     ///< ids are multiplied by it before anything else
  std::vector<std::pair<std::int64_t, std::int64_t>> rows;  ///< stretches of rows in the tensors
  std::int64_t row_count = 0;                               ///< Σ counts
  std::shared_ptr<const RowMatrixXd> own_ids;               ///< detected ids of every row, instead of the layout's
};

/// What the frequencies are computed from, if it is a single rotary embedding.
struct LadderSource {
  std::optional<RotarySpec> rope;
  std::optional<double> length;
  bool is_extended() const { return rope && extends(rope->extension.method); }
};

/// Which channels are rotated together, and where they are stored.
struct ChannelPlan {
  Pairing repeats = Pairing::interleaved;     ///< how a table of two columns per pair repeats them
  Pairing companions = Pairing::interleaved;  ///< which two channels are rotated together
  /// Adjacent channels are rotated together and stored as halves: channels 2i and 2i + 1 become i and i + pairs. Scores
  /// are those of the interleaved order (transformers' apply_rotary_pos_emb_interleave).
  bool out_by_halves = false;
  std::int64_t still = 0;  ///< channels of a head before the rotated ones
  bool operator==(const ChannelPlan&) const = default;
};

/// What is done to cos and sin after they were computed, in addition to the amplitude.
struct TableSigns {
  double cosine_factor = 1, sine_factor = 1;  ///< additional factors of cos alone and of sin alone
  bool conjugate = false;
  bool exchanged = false;  ///< cos and sin are swapped, with all their factors
  bool operator==(const TableSigns&) const = default;
};

/// Formats to which the numbers before cos and sin were rounded.
struct RoundedFormats {
  ShortFormat id_format = ShortFormat::none, frequency_format = ShortFormat::none, angle_format = ShortFormat::none;
  bool operator==(const RoundedFormats&) const = default;
};

/// Formats of all numbers of the tables and of the rotated vectors, although files store more digits.
struct StoredFormats {
  ShortFormat table_format = ShortFormat::none, vector_format = ShortFormat::none;
  bool operator==(const StoredFormats&) const = default;
};

/// The reference with the causes of an explanation applied to it: a base and what was changed in it. Each group of
/// causes changes its own parts, so any two of them can be combined; copy_change() (search/search.cpp) knows which.
struct CheckModel : TokenNumbering, LadderSource, ChannelPlan, TableSigns, RoundedFormats, StoredFormats {
  TokenLayout tokens;  ///< ids (causes in ids change its blocks), frequencies and their axes
  double amplitude = 1;
  std::vector<std::pair<std::size_t, int>> blocks_of_pairs;  ///< axis and channels, if pairs were assigned differently

  /// Tables that are taken as correct, instead of ids and frequencies.
  std::shared_ptr<const TablePlanes> given_tables;

  /// Accepted length of the frequency list, whatever the model's is: the entries in common are compared; 0: only the
  /// model's length.
  std::int64_t listed = 0;

  double slack = 0;  ///< extra tolerance for a fitted parameter, as a fraction of a unit
  /// Angles may have been computed by ggml's recurrence in float32. This changes only their tolerance
  /// (compare/sides.h).
  bool recurrence = false;
  /// Frequencies are so fast that float32 does not determine the angles of large ids: these may have any value.
  bool too_fast = false;

  /// Returns a part of the model, to copy or to compare all of it.
  template <class Part>
  Part& part() {
    return *this;
  }
  template <class Part>
  const Part& part() const {
    return *this;
  }
  /// Returns the larger of the amplitudes of cos and sin. If an angle changes, cos and sin change by at most this
  /// factor times as much.
  double largest_amplitude() const;
};

/// What a cause changes, in whatever model.
using Change = std::function<void(CheckModel&)>;
/// Returns a model with a change.
CheckModel with_change(CheckModel model, const Change& change);

/// Builds the model for `tokens` rows of the selected part. The tables of a reference become given_tables.
CheckModel model_of(const CheckReference& reference, const CheckInputs& inputs, std::int64_t tokens);

/// Returns the row of the reference for a row of the tensors. Precondition: 0 ≤ row < row_count.
std::int64_t reference_row(const CheckModel& model, std::int64_t row);
/// Returns the row of the reference and the number of rows, itself included, that are consecutive in both.
std::pair<std::int64_t, std::int64_t> remaining_range(const CheckModel& model, std::int64_t row);
/// Returns the place of a tensor row in the layout.
TokenPlace place_in(const CheckModel& model, std::int64_t row);

/// Size of an angle that may be either of two numbers: it was rounded, and was too near their midpoint to decide which.
inline constexpr double kAnySize = 1e30;

/// Evaluates rows of a model straight from the formula.
class RowEvaluator {
 public:
  explicit RowEvaluator(const CheckModel& model);

  Eigen::Index pairs() const { return frequencies_.cols(); }
  Eigen::Index axes() const { return frequencies_.rows(); }
  /// Computes the ids of a row as a program would have stored them. Thread-safe, like all members.
  void ids(std::int64_t row, double* out) const;
  /// Computes each pair's angle and its size Σ |frequency|·(|scaled id| + |offset|), the scale of float32 rounding.
  void angles(const double* ids, double* angle, double* size) const;
  /// Computes cos and sin of a row, with amplitude and sign, and the sizes of its angles.
  void row(std::int64_t row, double* cosine, double* sine, double* size) const;
  /// Computes only the sizes, for rows first … first + count − 1: [count × pairs].
  void sizes(std::int64_t first, std::int64_t count, double* size) const;
  /// Returns the axis if only one rotates pairs: then their sizes are speeds()[pair] · its reach in the row.
  std::optional<Eigen::Index> only_axis() const;
  const std::vector<double>& speeds() const { return speed_; }
  /// Returns the factor of cos and sin of the axis that rotates a pair (LayoutAxis::amplitude).
  double amplitude_of(std::size_t pair) const { return amplitude_[pair]; }
  /// Computes the reaches of an axis in rows first … first + count − 1.
  void reaches_of(Eigen::Index axis, std::int64_t first, std::int64_t count, double* reach) const;

 private:
  const CheckModel& model_;
  Eigen::MatrixXd frequencies_;      ///< rounded to the model's format
  std::vector<Eigen::Index> owner_;  ///< the axis that rotates a pair, −1: several, −2: none
  struct PairRun {
    Eigen::Index axis, first, count;
  };
  std::vector<PairRun> runs_;      ///< adjacent pairs that one axis rotates
  std::vector<double> speed_;      ///< |frequency| of each pair that one axis rotates
  std::vector<double> amplitude_;  ///< of each pair
  bool several_ = false;           ///< some pair is rotated by several axes
  std::vector<double> least_id_;   ///< per axis: ids of smaller size were computed from numbers of this size

  /// Calls act(i, ids) for row first + i.
  template <class Act>
  void walk(std::int64_t first, std::int64_t count, const Act& act) const;
  void ids_at(TokenPlace place, double* out) const;
  void strided_ids_at(TokenPlace place, std::int64_t stride, double* out) const;
  void sizes_of(const double* ids, double* size) const;
  void reaches(const double* ids, double* reach) const;
  void read_given(std::int64_t row, double* cosine, double* sine, double* size) const;
};

/// Detects from pair lengths, independently of the rotation, whether interleaved vectors are stored as halves, and if
/// so sets that order in the model. Returns whether it did.
bool take_channel_order(const HeadVectors& heads, CheckModel& model);

}  // namespace ropescope
