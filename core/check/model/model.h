// The model that tensors are judged against: the reference with the causes of an explanation applied to it, evaluated
// row by row, and the orders of tokens. The second step of check, after reading; compare, evidence, causes, search and
// report follow.
#pragma once

#include <Eigen/Core>
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

/// The order in which a program walked through the grid of an image or a video. Three words name the counters from the
/// slowest to the fastest.
enum class TokenOrder {
  row_major,  ///< frame, row, column: as every model here
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
  std::string_view name;  ///< in JSON; after "check.order." the key of what shows it
  bool usual;             ///< seen often: looked at first
};
/// All but row_major, likely ones first.
std::span<const NamedOrder> other_orders();
/// Whether a block is an image or a reference, whose tokens stand in rows and columns.
bool is_grid(const TokenBlock& block);
/// Whether a block can stand in an order so that it differs from row_major.
bool can_stand_in(TokenOrder order, const TokenBlock& block);

// --- Model ---------------------------------------------------------------------------------------------------------

/// A format that something was rounded to on the way; none: not rounded.
enum class ShortFormat { none, bfloat16, float16 };
/// "bfloat16", "float16"; "" for none.
std::string_view format_name(ShortFormat format);
double rounded_to(ShortFormat format, double value);

/// The reference with the causes of an explanation applied to it: each group of causes turns its own screws, so that
/// any two of them compose.
struct CheckModel {
  TokenLayout tokens;  ///< ids (causes about ids change its blocks), frequencies and what they belong to
  double amplitude = 1;
  double cosine_factor = 1, sine_factor = 1;  ///< by which cos alone and sin alone are multiplied besides

  TokenOrder order = TokenOrder::row_major;
  /// What the number of a token is divided by into row and column, block by block, in place of the columns there are;
  /// 0: by these. Empty: by these in every block.
  std::vector<std::int64_t> strides;
  double id_factor = 1;                                     ///< ids are multiplied by it before anything else
  std::vector<std::pair<std::int64_t, std::int64_t>> rows;  ///< stretches of rows that the tensors hold
  std::int64_t row_count = 0;                               ///< Σ counts
  std::shared_ptr<const RowMatrixXd> own_ids;               ///< ids of every row as found, in place of the layout's

  std::vector<std::pair<std::size_t, int>> blocks_of_pairs;  ///< axis and channels, where pairs were dealt otherwise
  std::optional<RotarySpec> rope;                            ///< what the frequencies were computed from
  std::optional<double> length;

  Pairing repeats = Pairing::interleaved;     ///< how a table of two columns a pair repeats them
  Pairing companions = Pairing::interleaved;  ///< which two channels are turned together
  /// Neighbours are turned together and come out as halves: channels 2i and 2i + 1 as i and i + pairs. Scores are those
  /// of the interleaved order (transformers' apply_rotary_pos_emb_interleave).
  bool out_by_halves = false;
  std::int64_t still = 0;  ///< channels of a head before those that turn

  bool conjugate = false;
  bool exchanged = false;  ///< cos and sin, with all that is in them, stand in each other's place
  ShortFormat id_format = ShortFormat::none, frequency_format = ShortFormat::none, angle_format = ShortFormat::none;
  ShortFormat table_format = ShortFormat::none;   ///< of cos and sin
  ShortFormat vector_format = ShortFormat::none;  ///< of rotated vectors

  /// Tables that are right whatever made them, in place of ids and frequencies.
  std::shared_ptr<const TablePlanes> given_tables;

  /// The list of frequencies has so many numbers, whatever is due: the first ones are those of the model; 0: all of
  /// them.
  std::int64_t listed = 0;

  double slack = 0;  ///< part of a unit that is allowed more where a parameter was fitted
  /// Angles may have been computed by ggml's recurrence in float32: a way of computing, so that nothing changes but
  /// what they may err by (compare/sides.h).
  bool recurrence = false;
  /// Frequencies are so fast that float32 shows nothing of the farther angles: these may be any.
  bool too_fast = false;

  /// The amplitude of cos or of sin, whichever is larger: what moves an angle moves them by no more than this times as
  /// much.
  double largest_amplitude() const;
};

/// The reference for tensors of `tokens` rows of `part`. Precondition: the reference is not one of tables.
CheckModel model_of(const CheckReference& reference, const CheckInputs& inputs, std::int64_t tokens);

/// Row of the reference for a row of the tensors. Precondition: 0 ≤ row < row_count.
std::int64_t reference_row(const CheckModel& model, std::int64_t row);
/// Row of the reference, and how many rows follow it there as they do in the tensors, itself counted.
std::pair<std::int64_t, std::int64_t> rest_of_stretch(const CheckModel& model, std::int64_t row);
/// Where a row of the tensors is in the layout.
TokenPlace place_in(const CheckModel& model, std::int64_t row);

/// The size of an angle that may be any other: it was rounded, and stood so near the middle of two numbers that nobody
/// can say to which.
inline constexpr double kAnySize = 1e30;

/// Evaluates rows of a model straight from the formula.
class RowEvaluator {
 public:
  explicit RowEvaluator(const CheckModel& model);

  Eigen::Index pairs() const { return frequencies_.cols(); }
  Eigen::Index axes() const { return frequencies_.rows(); }
  /// The ids of a row as a program would have stored them. Safe to share between threads, as everything here.
  void ids(std::int64_t row, double* out) const;
  /// Angle of every pair, and Σ |frequency|·(|scaled id| + |offset|): what rounding in float32 is measured by.
  void angles(const double* ids, double* angle, double* size) const;
  /// cos, sin (amplitude and sign in them) and the sizes of the angles of a row.
  void row(std::int64_t row, double* cosine, double* sine, double* size) const;
  /// The sizes alone, of rows first … first + count − 1: [count × pairs].
  void sizes(std::int64_t first, std::int64_t count, double* size) const;
  /// Where one axis alone turns pairs, their sizes are speeds()[pair] · its reach in the row.
  std::optional<Eigen::Index> only_axis() const;
  const std::vector<double>& speeds() const { return speed_; }
  /// By what the axis that turns a pair multiplies cos and sin (LayoutAxis::amplitude).
  double amplitude_of(std::size_t pair) const { return amplitude_[pair]; }
  /// The reaches of an axis in rows first … first + count − 1.
  void reaches_of(Eigen::Index axis, std::int64_t first, std::int64_t count, double* reach) const;

 private:
  const CheckModel& model_;
  Eigen::MatrixXd frequencies_;      ///< rounded as the model says
  std::vector<Eigen::Index> owner_;  ///< the axis that turns a pair, −1: several, −2: none
  struct PairRun {
    Eigen::Index axis, first, count;
  };
  std::vector<PairRun> runs_;      ///< neighbours that one axis turns
  std::vector<double> speed_;      ///< |frequency| of each pair that one axis turns
  std::vector<double> amplitude_;  ///< of each pair
  bool several_ = false;           ///< some pair is turned by several axes
  std::vector<double> least_id_;   ///< of each axis: ids below it in size were computed from numbers of this size

  /// Calls act(i, ids) for row first + i.
  template <class Act>
  void walk(std::int64_t first, std::int64_t count, const Act& act) const;
  void ids_at(TokenPlace place, double* out) const;
  void strided_ids_at(TokenPlace place, std::int64_t stride, double* out) const;
  void sizes_of(const double* ids, double* size) const;
  void reaches(const double* ids, double* reach) const;
  void read_given(std::int64_t row, double* cosine, double* sine, double* size) const;
};

/// Sees whether interleaved vectors come out as halves, by the lengths of their pairs, whatever these are turned by:
/// then the model takes that order. Returns whether it did.
bool take_channel_order(const HeadVectors& heads, CheckModel& model);

}  // namespace ropescope
