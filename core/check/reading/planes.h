// How single inputs become planes of cos and sin, vectors or ids: shapes, cuts, pairs of channels. The first step of
// check, which knows no model; read check.h and stored_tensor.h first. compare/tensors.h takes all inputs together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/check/check.h"
#include "core/words.h"

namespace ropescope {

/// What the numbers of a plane are.
enum class Holds { cosine, sine, minus_sine };

/// One number for each row and pair, as a strided view of an input.
struct TablePlane {
  std::string which;  ///< "cos", "sin", "table": the input it lies in
  Holds holds = Holds::cosine;
  StoredTensor numbers;  ///< [rows, pairs], real
};

/// How an input gives each pair's number twice.
enum class Repeats { once, adjacent, by_halves };

/// The tables of the inputs taken apart.
struct TablePlanes {
  std::vector<TablePlane> planes;  ///< empty where the inputs hold no tables
  Repeats repeats = Repeats::once;
  bool repeats_known = true;  ///< false: the columns repeat either way, as far as they differ at all
  /// Repeated sines hold the signs of the rotation: −sin for the first channel of a pair, sin for the second.
  bool signs_baked = false;
  bool transposed = false;  ///< the inputs hold [pairs, tokens]: the planes were turned
  std::int64_t rows = 0, pairs = 0;
  std::vector<std::pair<std::string, Words::List>> understood;  ///< for each input
};

/// What is known about shapes before the tensors are looked at.
struct ExpectedShape {
  std::optional<std::int64_t> tokens;     ///< rows
  std::int64_t pairs = 0;                 ///< as the reference has them
  std::vector<std::int64_t> other_pairs;  ///< what a fault could make of them
  bool sines_first = false;               ///< one table may have sin before cos
  bool any_pairs = false;                 ///< cosines and sines of any number of pairs are understood
  Pairing pairing = Pairing::interleaved;
  std::vector<Eigen::Index> owners;  ///< of several axes the one that turns each pair; empty where that is not one
};

/// Element `index` along an axis.
StoredTensor slice_of(const StoredTensor& tensor, std::size_t axis, std::int64_t index);
/// Every `step`-th of the last axis from `first` on, `count` of them.
StoredTensor columns_of(const StoredTensor& tensor, std::int64_t first, std::int64_t step, std::int64_t count);

/// How a list of numbers, [count], gives each of them twice: once where it does not, or where one cannot tell how.
Repeats repeats_of(const StoredTensor& list);
/// Tables of the inputs seen as [pairs, tokens], where they have as many rows as the reference could have columns; none
/// where they have not.
std::optional<CheckInputs> turned_tables(const CheckInputs& inputs, const ExpectedShape& expected);

/// Takes cos and sin, or a table, apart. Throws InputError that names the tensor where its shape is not understood.
TablePlanes read_planes(const CheckInputs& inputs, const ExpectedShape& expected);

/// The tables of the first pairs only.
TablePlanes first_pairs(const TablePlanes& tables, Eigen::Index pairs);
/// The first number of the pairs from one on that turns, or is no (1, 0) as what stands still.
struct MovingPair {
  std::int64_t row = 0, pair = 0;
  Holds holds = Holds::cosine;
  double number = 0;
};
std::optional<MovingPair> first_moving(const TablePlanes& tables, Eigen::Index from);

/// q or k before and after as [rows, heads, channels].
struct HeadVectors {
  StoredTensor before, after;
  std::int64_t rows = 0, heads = 0, channels = 0;
  /// Grouped queries: after has so many heads in a row of each head before, which is there as often.
  std::int64_t repeats = 1;
  Words understood;
};
/// Vectors [rows, heads, channels] as copies of others: number i of a row, all heads side by side, is number from[i] of
/// theirs.
StoredTensor with_channels_from(const StoredTensor& vectors, std::int64_t heads, const std::vector<std::int64_t>& from);
/// Throws InputError where the shapes differ (after may have several heads for each of before), do not hold the rotated
/// channels, or the order of heads and tokens is ambiguous.
std::optional<HeadVectors> read_heads(const CheckInputs& inputs, const ExpectedShape& expected);

/// Ids as [rows, axes]. Throws InputError.
std::optional<StoredTensor> read_ids(const CheckInputs& inputs, std::size_t axes, std::optional<std::int64_t> tokens);

/// "[2, 3]".
std::string shape_text(const std::vector<std::int64_t>& shape);

// --- Shapes --------------------------------------------------------------------------------------------------------

/// What is compared with a model.
struct CheckTensors {
  TablePlanes tables;
  std::optional<HeadVectors> heads;
  std::optional<StoredTensor> ids;  ///< [rows, axes]
  /// [pairs] or [pairs of the first axis that turns them, …], each once.
  std::optional<StoredTensor> frequencies;
  Repeats frequency_repeats = Repeats::once;  ///< how the list gave them
  std::int64_t rows = 0;                      ///< of tables, heads and ids; 0 where there is none of them
  std::int64_t first_row = 0;                 ///< row of the files that is the first one here
  std::int64_t still_behind = 0;  ///< pairs of the tables behind those of the reference that stand still: left out
};

}  // namespace ropescope
