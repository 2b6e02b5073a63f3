// The view Atlas: the values of a position encoding as a map over positions and channels; kAtlasView is what
// view.cpp lists. Read view.h and app/store/store.h before.
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

/// Where the numbers of an atlas come from: sinusoids of a ladder, or the rows of a learned table.
struct AtlasSource {
  KeyVector frequencies;  ///< empty: the learned table
  SinusoidPart part = SinusoidPart::sine_cosine;
  double amplitude = 1;  ///< what sines and cosines are multiplied by
  EncodingValues table;  ///< of "learned"; initial values elsewhere
  bool operator==(const AtlasSource&) const = default;
  bool learned() const { return frequencies.size() == 0; }
  /// Channels for sine_cosine and the learned table, else pairs.
  std::int64_t columns() const;
  Sinusoids sinusoids() const { return {frequencies, part, amplitude}; }
};

/// The map over positions 0 … positions − 1, and what every pair does over them.
struct Atlas {
  AtlasSource source;
  std::shared_ptr<const EncodingModel> table;  ///< null: not learned
  /// The cells of the map: of sinusoids their angles (see MapWave), one column for a pair of sine_cosine where the two
  /// are drawn apart; of a learned table its values.
  std::shared_ptr<const MapCells> cells;
  std::int64_t positions = 0, columns = 0;
  std::int64_t cell_positions = 1, cell_columns = 1;  ///< what falls into a cell; the last one may hold less
  std::shared_ptr<const Series> turns;  ///< over the columns; NaN where a pair stands still; none: learned
  /// By column; of a learned table over the rows that it has. Empty where the part does not hold them.
  std::shared_ptr<const Series> variance_cos, variance_sin, variance;
  int pairs = 0, below_turn = 0, below_quarter = 0;  ///< 2π and π/2 over all positions
  double moving = 0;                                 ///< Σ (1 − |mean phasor|²)
  double slowest = 0;  ///< largest wavelength, positions; 0: none, ∞: a pair stands still
  /// For sinusoids: the largest likeness of row 0 with a row at `slowest` or beyond; none where there is no such row.
  std::optional<double> most_alike;
  std::int64_t most_alike_at = 0;  ///< that row
  std::vector<Range> quarter;  ///< stretches of columns, edges included, of pairs that move less than a quarter turn
  double seconds = 0;

  /// Whether sines and cosines are drawn beside each other: of more columns than this several share a pixel, and
  /// neither is to be mixed with the other.
  static constexpr std::int64_t kMostInTurn = 256;
  bool apart() const { return !source.learned() && source.part == SinusoidPart::sine_cosine && columns > kMostInTurn; }
  /// One row of the values, exact: see EncodingModel::values. NaN past a learned table.
  Eigen::VectorXd row(std::int64_t position) const;
  /// The exact value; NaN outside the columns and positions.
  double value(std::int64_t position, std::int64_t column) const;
  std::size_t bytes() const;
};
struct AtlasInput {
  AtlasSource source;
  std::int64_t positions = 1;
  bool operator==(const AtlasInput&) const = default;
  double cost() const { return 4 * static_cast<double>(positions) * static_cast<double>(source.columns()); }
};
/// Throws InputError for fields that make no table.
Atlas atlas_of(const AtlasInput& input, const Work& work);

// --- View ----------------------------------------------------------------------------------------------------------

/// The values of an encoding as a map, positions downwards: sinusoidal vectors (rope.base, rope.rotary_dim), RoPE's
/// cos, sin and angle modulo 2π on the rope's ladder (its extension and axis included, without its amplitude), or a
/// learned table for contrast. Under it the values of a kept row and of the one that is pointed at, and what every
/// dimension does over the shown positions; cards say how many of them move. The positions can be a sentence's words.
/// A click into the map keeps the row under the mouse.
extern const View kAtlasView;

}  // namespace ropescope
