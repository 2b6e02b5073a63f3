// Tables of cos and sin for many positions, correctly rounded, or from float32 angles as released code computes them.
// For the Python package. Read spec.h first.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace ropescope {

/// The columns of a table of n pairs: each pair once; twice by halves, c_0 … c_{n−1} c_0 … c_{n−1}; or twice side by
/// side, c_0 c_0 c_1 c_1 ….
enum class TableColumns { once, halves, adjacent };

/// How the angles of a table are computed. exact: position·θ without rounding. float32: position, θ and their product
/// are rounded to float32, then cos and sin, then cos and sin times the amplitude, as in the rotary modules of
/// transformers (modeling_llama.py, LlamaRotaryEmbedding).
enum class TableAngles { exact, float32 };

/// The frequencies of one position axis, in radians per position, and the factor on its cos and sin.
struct TableLadder {
  Eigen::VectorXd frequencies;
  double amplitude = 1;
};

/// A table's rows, one per token; the pairs of the axes are concatenated. Immutable and safe to share between threads.
class RotaryTables {
 public:
  /// `positions`: [tokens × axes], finite; they must outlive this object.
  RotaryTables(std::vector<TableLadder> ladders, TableAngles angles, std::span<const double> positions);
  ~RotaryTables();
  RotaryTables(RotaryTables&&) noexcept;

  std::int64_t pair_count() const { return pairs_; }
  std::int64_t row_count() const { return rows_; }
  /// Returns the number of columns.
  std::int64_t width(TableColumns columns) const { return columns == TableColumns::once ? pairs_ : 2 * pairs_; }

  /// Writes rows begin … begin + count − 1 of cos and sin, [count × width]. Exact: each number times the amplitude is
  /// rounded once from about 30 digits, so its error is at most half a unit in the last place, at positions up to 2^24
  /// that are multiples of 1/256; about one unit of float64 at others. float32: every rounding is to the nearest.
  /// Real: float or double.
  template <class Real>
  void rows(std::int64_t begin, std::int64_t count, TableColumns columns, Real* cosine, Real* sine) const;

 private:
  struct Axis;
  template <class Real>
  void row_of_axis(const Axis& axis, double position, Real* cosine, Real* sine) const;

  std::vector<Axis> axes_;
  TableAngles angles_;
  std::span<const double> positions_;
  std::int64_t pairs_ = 0, rows_ = 0;
};

/// The rotation of vectors of `channels` channels, of which the first 2·pairs are rotated: half split or adjacent
/// pairs.
struct RowRotation {
  std::span<const double> cosine, sine;  ///< [table rows × pairs]
  std::int64_t pairs = 0, channels = 0;
  bool interleaved = false;
};
/// Rotates vectors [rows × channels], each by the table row at its index in `table_rows`: computed in double, rounded
/// once. `from` may be `to`. Real: float or double.
template <class Real>
void rotate_rows(const RowRotation& rotation, std::span<const std::int64_t> table_rows, const Real* from, Real* to);

/// Writes cos and sin of position·θ_i, whose product is not rounded: each is accurate to about one unit in the last
/// place, in a tenth of the time of std::cos and std::sin, and the same on every processor if all angles are below
/// 2^24 rad. Beyond that the C library computes them. NaN if θ_i is.
void write_phasors(std::span<const double> frequencies, double position, double* cosine, double* sine);
/// Writes position·θ_i modulo 2π, in [0, 2π), to within 1.2e-15.
void write_wrapped_angles(std::span<const double> frequencies, double position, double* angles);

/// Returns Σ_i cos(position·θ_i), each cosine accurate to about one unit in the last place, summed in order. Faster
/// than one cosine after another.
double sum_of_cosines(const Eigen::VectorXd& frequencies, double position);

/// Names the instructions that rows() uses on this machine: "avx512", "avx2" or "portable". The numbers are the same
/// for angles below 2^24 rad.
const char* rotary_tables_path();

}  // namespace ropescope
