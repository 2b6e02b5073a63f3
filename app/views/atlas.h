// The view Atlas: the values of a position encoding as a map over positions and channels. Read view.h and
// app/store/store.h first.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/views/view.h"
#include "core/encodings/encoding.h"
#include "core/encodings/sinusoid.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// The source of an atlas's values: the sinusoids of a ladder, or the rows of a learned table.
struct AtlasSource {
  KeyVector frequencies;  ///< empty: the learned table
  SinusoidPart part = SinusoidPart::sine_cosine;
  double amplitude = 1;  ///< factor on sines and cosines
  EncodingValues table;  ///< for "learned"; initial values otherwise
  bool operator==(const AtlasSource&) const = default;
  bool learned() const { return frequencies.size() == 0; }
  /// Returns the number of channels for sine_cosine and the learned table, or of pairs for other parts.
  std::int64_t columns() const;
  Sinusoids sinusoids() const { return {frequencies, part, amplitude}; }
};

/// The map over positions 0 … positions − 1, and statistics of each pair over these positions.
struct Atlas {
  AtlasSource source;
  std::shared_ptr<const EncodingModel> table;  ///< null unless learned
  /// The cells of the map. For sinusoids they are angles (see MapWave), with one column per pair of sine_cosine if sine
  /// and cosine are drawn separately (apart()). For a learned table they are its values.
  std::shared_ptr<const MapCells> cells;
  std::int64_t positions = 0, columns = 0;
  std::int64_t cell_positions = 1, cell_columns = 1;  ///< positions and columns per cell; the last cell may cover fewer
  std::shared_ptr<const Series> turns;                ///< over the columns; NaN for a static pair; null if learned
  /// Variances by column; for a learned table, over its rows. Null for a function that the part does not contain.
  std::shared_ptr<const Series> variance_cos, variance_sin, variance;
  int pairs = 0, below_turn = 0, below_quarter = 0;  ///< less than 2π or π/2 over all positions
  double moving = 0;                                 ///< Σ (1 − |mean phasor|²)
  double slowest = 0;  ///< largest wavelength in positions; 0: no pairs, ∞: a pair is static
  /// For sinusoids: the largest similarity of row 0 to a row at `slowest` or later; nullopt if there is no such row.
  std::optional<double> most_alike;
  std::int64_t most_alike_at = 0;  ///< the position of that row
  std::vector<Range> quarter;      ///< column ranges, edges included, of pairs that complete less than a quarter turn
  double seconds = 0;

  /// Above this number of columns sines and cosines are drawn as two separate maps: several columns then share a pixel,
  /// and the two functions must not be mixed.
  static constexpr std::int64_t kMaxInterleavedColumns = 256;
  bool apart() const {
    return !source.learned() && source.part == SinusoidPart::sine_cosine && columns > kMaxInterleavedColumns;
  }
  /// Returns one exact row of values, see EncodingModel::values; NaN past the end of a learned table.
  Eigen::VectorXd row(std::int64_t position) const;
  /// Returns the exact value; NaN outside the columns and positions.
  double value(std::int64_t position, std::int64_t column) const;
  std::size_t bytes() const;
};
struct AtlasInput {
  AtlasSource source;
  std::int64_t positions = 1;
  bool operator==(const AtlasInput&) const = default;
  double cost() const { return 4 * static_cast<double>(positions) * static_cast<double>(source.columns()); }
};
/// Computes an atlas. Throws InputError if the fields describe no valid table.
Atlas atlas_of(const AtlasInput& input, const Work& work);

}  // namespace ropescope
