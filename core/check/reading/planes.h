// Decoding of single inputs into planes of cos and sin, vectors or ids: shapes, slices, channel pairs. The first step
// of check, without a model. Read types.h and stored_tensor.h first; compare/tensors.h decodes all inputs together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/check/types.h"
#include "core/message.h"

namespace ropescope {

/// The content of a table plane.
enum class Holds { cosine, sine, minus_sine };

/// A table plane: one number per row and pair, as a strided view of an input.
struct TablePlane {
  std::string which;  ///< "cos", "sin", "table": the input that contains it
  Holds holds = Holds::cosine;
  StoredTensor numbers;  ///< [rows, pairs], real
};

/// How an input repeats the number of each pair.
enum class Repeats { once, adjacent, by_halves };

/// The decoded tables of the inputs.
struct TablePlanes {
  std::vector<TablePlane> planes;  ///< empty if the inputs contain no tables
  Repeats repeats = Repeats::once;
  bool repeats_known = true;  ///< false: the columns fit both kinds of repetition
  /// Repeated sines contain the signs of the rotation: −sin for the first channel of a pair, sin for the second.
  bool signs_baked = false;
  bool transposed = false;  ///< the inputs are [pairs, tokens], and the planes transposed
  std::int64_t rows = 0, pairs = 0;
  std::vector<std::pair<std::string, Message::List>> understood;  ///< how each input was interpreted
};

/// The expected shapes, known before the tensors are read.
struct ExpectedShape {
  std::optional<std::int64_t> tokens;     ///< rows
  std::int64_t pairs = 0;                 ///< in the reference
  std::vector<std::int64_t> other_pairs;  ///< pair counts that an error could cause
  bool sines_first = false;               ///< one table may have sin before cos
  bool any_pairs = false;                 ///< tables with any number of pairs are accepted
  Pairing pairing = Pairing::interleaved;
  std::vector<Eigen::Index> owners;  ///< axis that rotates each pair; empty for one axis or mixed pairs
};

/// Returns element `index` along an axis.
StoredTensor select_slice(const StoredTensor& tensor, std::size_t axis, std::int64_t index);
/// Returns `count` elements of the last axis, every `step`-th from `first` on.
StoredTensor columns_of(const StoredTensor& tensor, std::int64_t first, std::int64_t step, std::int64_t count);

/// Returns how a list [count] repeats its numbers; `once` if it does not, or if this is ambiguous.
Repeats repeats_of(const StoredTensor& list);
/// Returns the tables of the inputs read as [pairs, tokens] and transposed, if they have as many rows as the reference
/// could have columns; else nullopt.
std::optional<CheckInputs> transpose_tables(const CheckInputs& inputs, const ExpectedShape& expected);

/// Decodes cos and sin, or a table. Throws InputError naming the tensor if its shape is not supported.
TablePlanes read_planes(const CheckInputs& inputs, const ExpectedShape& expected);

/// Returns the tables with their first pairs only.
TablePlanes first_pairs(const TablePlanes& tables, Eigen::Index pairs);
/// The first number, from a given pair on, that differs from that of a static pair (cos 1, sin 0).
struct MovingPair {
  std::int64_t row = 0, pair = 0;
  Holds holds = Holds::cosine;
  double number = 0;
};
std::optional<MovingPair> first_moving(const TablePlanes& tables, Eigen::Index from);

/// Vectors q or k before and after the rotation, [rows, heads, channels].
struct HeadVectors {
  StoredTensor before, after;
  std::int64_t rows = 0, heads = 0, channels = 0;
  /// Grouped queries: number of consecutive heads in `after` per original head of `before`, which is repeated to match.
  std::int64_t repeats = 1;
  Message understood;
};
/// Returns a copy of vectors with rearranged channels, [rows, heads, channels]: entry i of a row, counted over all
/// heads, is entry from[i] of the original row.
StoredTensor select_channels(const StoredTensor& vectors, std::int64_t heads, const std::vector<std::int64_t>& from);
/// Decodes before and after; nullopt if there are none. Throws InputError if the shapes differ (`after` may have
/// several heads per head of `before`), lack the rotated channels, or leave the order of heads and tokens ambiguous.
std::optional<HeadVectors> read_heads(const CheckInputs& inputs, const ExpectedShape& expected);

/// Decodes ids as [rows, axes]; nullopt if there are none. Throws InputError if their shape is not supported.
std::optional<StoredTensor> read_ids(const CheckInputs& inputs, std::size_t axes, std::optional<std::int64_t> tokens);

/// Returns a shape as text: "[2, 3]".
std::string shape_text(const std::vector<std::int64_t>& shape);

// --- Shapes --------------------------------------------------------------------------------------------------------

/// All decoded inputs, as they are compared with a model.
struct CheckTensors {
  TablePlanes tables;
  std::optional<HeadVectors> heads;
  std::optional<StoredTensor> ids;  ///< [rows, axes]
  /// [pairs], or concatenated over the axes if several rotate one pair; each number once.
  std::optional<StoredTensor> frequencies;
  Repeats frequency_repeats = Repeats::once;  ///< how the list repeated them
  std::int64_t rows = 0;                      ///< of tables, heads and ids; 0 if there are none
  std::int64_t first_row = 0;                 ///< row of the files at which the tensors start
  std::int64_t still_behind = 0;              ///< static pairs of the tables after the reference's: omitted
};

}  // namespace ropescope
