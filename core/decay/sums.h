// Sums of cosines over many positions: exact, in bands with certain bounds, and along a walk over bases. limits.h
// searches with them for the smallest base; read kernel.h first.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace ropescope {

// --- Bands ---------------------------------------------------------------------------------------------------------

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

// --- Sums ----------------------------------------------------------------------------------------------------------

/// B_m = Σ_i cos(mθ_i) at whole distances m, for one ladder after the other: tables that one thread keeps and fills
/// anew for each ladder, cheap enough that a search which ends early is not ruled by them. What is told of a sum is
/// exact to the rounding of `at`; SumBands proves where none need be looked at.
class CosineSums {
 public:
  /// θ_i of the ladder to look at, radians per position, all finite.
  void set_frequencies(std::span<const double> frequencies);
  /// θ_i = b^(−2i/d): plain_frequencies to one or two units in the last place, many times faster.
  void set_plain(int rotary_dim, double base);

  std::span<const double> frequencies() const { return frequencies_; }
  /// B_m, one direct evaluation: absolute error about 1e-15 per pair.
  double at(std::int64_t distance) const;
  /// The smallest m with B_m < 0, first ≤ m ≤ last and first ≥ 0; none, too, where `stop` was requested meanwhile
  /// (looked at every few thousand distances).
  std::optional<std::int64_t> first_negative(std::int64_t first, std::int64_t last, const std::stop_token& stop);
  /// Calls visit(m, B_m) in ascending order for the distances of first … last, first ≥ 0, with B_m < below, until it
  /// returns false. False where stopped.
  bool visit_below(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                   const std::function<bool(std::int64_t, double)>& visit);
  /// Calls visit(m) in ascending order for distances of first … last among which all with B_m < below are, until it
  /// returns false: none is evaluated, see SumBands. False where stopped.
  bool visit_open(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                  const std::function<bool(std::int64_t)>& visit);

 private:
  double against(std::int64_t distance, double level) const;

  std::vector<double> frequencies_;
  double sum_of_frequencies_ = 0;
  SumBands bands_;
  bool bands_set_ = false;
};

// --- Over bases ----------------------------------------------------------------------------------------------------

/// Where no distance fails for longer than this part of a base, the next base that is looked at is so much larger:
/// windows narrower than it can be missed.
inline constexpr double kSmallestStep = 2e-7;
/// A stretch of ln b that one thread searches.
inline constexpr double kSegment = 0.04;

/// D = m·Σ θ_i·2i/d, which |d/dx Σ cos mθ_i| never exceeds from x = ln b on, for the ladder of x. Every m.
double steepest_slope(std::span<const double> frequencies, double distance);

/// One way through the bases of a segment, x = ln b. What it remembers decides where it looks next, and so which
/// windows narrower than the smallest step it meets and where between two looks an edge is put: each segment begins
/// anew, whichever thread takes it, so that the answer does not depend on the number of threads.
///
/// Bound. With θ_i = e^{−2ix/d}, w_i = mθ_i·2i/d,
///   f(x) = Σ cos mθ_i,   f' = Σ w_i sin mθ_i,   |f'| ≤ D = Σ w_i,   |f''| ≤ M = Σ w_i² + w_i·2i/d,
/// and as D and M fall with x, a distance m that fails at x (f < 0) goes on failing up to x + u for u < −f/D and for
/// f + f'u + Mu²/2 < 0, and one that does not goes on so for u ≤ f/D and for f + f'u − Mu²/2 ≥ 0.
class BaseWalk {
 public:
  BaseWalk(int rotary_dim, std::int64_t context, const std::stop_token& stop)
      : rotary_dim_(rotary_dim), context_(context), stop_(stop) {}

  /// Begins another segment: what was remembered is forgotten, the tables stay.
  void forget() { useful_ = 0, taken_ = 0; }
  /// How far the context goes on failing from x on, at least kSmallestStep; none where it is allowed, and where
  /// stopped.
  std::optional<double> failing_from(double x);
  /// Whether no sum up to the context is negative; true where stopped.
  bool allows(double x);
  /// Up to where from an allowed x on, at most to `end`, every base is proven to be allowed, in at most so many steps;
  /// `ends` where nothing more can be proven there: within 1e-12 a sum becomes negative or touches zero.
  struct Held {
    double until;
    bool ends;
  };
  Held held_from(double x, double end, int steps);

  /// The base between a failing and an allowed one where failing ends, on the allowed side, to a relative 1e-9.
  double edge_between(double fails, double allowed);
  /// The lower edge of the window of x, known not to have begun before `bound` nor more than a smallest step before x;
  /// on the allowed side, to a relative 1e-9.
  double lower_edge(double x, double bound);
  /// The edge in full: where the last of the distances that fail stops failing, to the last place of a long double.
  long double exact_edge(double x, double bound);
  /// The edge in full between a base that fails and an allowed one, however far apart.
  long double exact_edge_between(double fails, double allowed);

 private:
  void narrow(double& fails, double& allowed);
  long double last_root(double fails, double allowed);
  void look_for(std::int64_t first, std::int64_t last, double below);

  int rotary_dim_;
  std::int64_t context_;
  std::stop_token stop_;
  CosineSums sums_;
  std::int64_t useful_ = 0;  ///< the distance that was taken last, 0 before there is one
  double taken_ = 0;         ///< its stretch when it was chosen
  int candidates_ = 0;       ///< failing distances seen at this base
  double longest_ = 0;       ///< and the longest stretch among them
};

}  // namespace ropescope
