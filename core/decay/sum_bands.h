#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace ropescope {

struct KernelPath;

/// Where B_m = Σ_i cos(mθ_i) can be small, for one ladder after the other: nearly all distances are proven to be
/// elsewhere without looking at each of them with all pairs.
///
/// Bound. The pairs are dealt to bands: band k holds those with θ·4^k ≤ 1 that no coarser band takes. The sum of the
/// bands from k on, G_k(m), is known at every 4^k-th distance; between two of them it is the straight line through
/// them, to within e = Σ_{bands ≥ k} 16^j/8 · Σ_{θ in band j} θ²: a function g whose second derivative stays below c
/// leaves the line through its ends of h apart by at most ch²/8, |d²/dm² Σ cos mθ| ≤ Σ θ², and the line through the
/// nodes of a coarser band is a line between nodes of a finer one. The finer bands add at least −1 for each pair. So
/// where both ends lie above `below` + e + (number of finer pairs), no B_m between them is below `below`; elsewhere
/// the next finer band is added, down to every distance. Rounding (a product of up to 2^17 unit phasors: 1e-10 a pair)
/// is allowed for by far.
class SumBands {
 public:
  SumBands();

  /// θ_i of the ladder, radians per position, in any order, all finite.
  void set_frequencies(std::span<const double> frequencies);

  /// Calls visit(m) in ascending order for distances m of first … last, first ≥ 0, among them all with B_m < below,
  /// until it returns false. False where stopped (looked at every few thousand distances).
  bool visit_open(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                  const std::function<bool(std::int64_t)>& visit);

 private:
  struct Phasors {
    std::vector<double> cosine, sine;
    void resize(std::size_t size) { cosine.resize(size), sine.resize(size); }
  };
  struct Band {
    std::int64_t stride = 1;
    std::size_t lines = 0;             ///< those through the points of the coarser band, taken for pairs
    std::size_t pairs = 0, calls = 1;  ///< a call: 32 points of this band, `calls` of them in a tile
    double margin = 0;                 ///< e + number of finer pairs
    std::size_t first = 0;             ///< of its pairs, in descending order of all
    Phasors fine;  ///< [lines + pairs][t]: e^{i·t·stride·θ}, t = 0 … 31; before them the lines
    Phasors jump;  ///< [call][pair]: from the beginning of the tile to that of the call
    Phasors tile;  ///< [pair]: at the beginning of the tile
    Phasors turn;  ///< [lines + pairs]: of the call that is looked at
  };
  struct Request;
  void set_levels(std::size_t levels);
  void set_margins();
  void fill(Band& band);
  void begin_tile(std::int64_t distance, bool anew);
  void evaluate(Band& band, std::size_t call, const double* coarser, double* values);
  bool descend(std::size_t level, std::size_t call, const double* coarser, const Request& request);

  const KernelPath* path_;
  std::vector<double> frequencies_;  ///< descending
  std::vector<Band> bands_;          ///< the finest first
};

}  // namespace ropescope
