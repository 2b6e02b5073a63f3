// Sums of cosines over many positions: exact, in bands with proven bounds, and along a walk over bases. Used by the
// search for the smallest base in limits.h. Read kernel.h first.
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

/// Distances at which B_m = Σ_i cos(mθ_i) can be small, for a series of ladders. Almost all other distances are
/// excluded by proof, without evaluating all pairs at each.
///
/// Bound. The pairs are distributed to bands: band k contains those with θ·4^k ≤ 1 that are not in a coarser band. The
/// sum of the bands from k on, G_k(m), is evaluated at every 4^k-th distance. Linear interpolation between these points
/// has an error of at most e = Σ_{bands ≥ k} 16^j/8 · Σ_{θ in band j} θ²: for a function g with |g''| ≤ c, the error on
/// an interval of length h is at most ch²/8; |d²/dm² Σ cos mθ| ≤ Σ θ²; and nodes of a coarser band are also nodes of a
/// finer one. Each pair in a finer band contributes at least −1. If both ends exceed `below` + e + (number of finer
/// pairs), no B_m between them is below `below`; otherwise the next finer band is added, down to every distance.
/// Rounding (a product of up to 2^17 unit phasors: 1e-10 per pair) is allowed for with a wide margin.
class SumBands {
 public:
  SumBands();

  /// Sets the frequencies θ_i of the ladder, radians per position, in any order, all finite.
  void set_frequencies(std::span<const double> frequencies);

  /// Calls visit(m) in ascending order for distances m of first … last, first ≥ 0, until it returns false. All m with
  /// B_m < below are included. Returns false if cancelled (checked every few thousand distances).
  bool visit_open(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                  const std::function<bool(std::int64_t)>& visit);

 private:
  struct Phasors {
    std::vector<double> cosine, sine;
    void resize(std::size_t size) { cosine.resize(size), sine.resize(size); }
  };
  struct Band {
    std::int64_t stride = 1;
    std::size_t lines = 0;             ///< interpolation lines through the points of the coarser band, treated as pairs
    std::size_t pairs = 0, calls = 1;  ///< a call: 32 points of this band, `calls` of them in a tile
    double margin = 0;                 ///< e + number of finer pairs
    std::size_t first = 0;             ///< index of its first pair, among all in descending order
    Phasors fine;                      ///< [lines + pairs][t]: e^{i·t·stride·θ}, t = 0 … 31; the lines come first
    Phasors jump;                      ///< [call][pair]: from the start of the tile to the start of the call
    Phasors tile;                      ///< [pair]: at the start of the tile
    Phasors turn;                      ///< [lines + pairs]: for the current call
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
  std::vector<Band> bands_;          ///< finest first
};

// --- Sums ----------------------------------------------------------------------------------------------------------

/// The sums B_m = Σ_i cos(mθ_i) at integer distances m, for a series of ladders. One thread keeps the tables and
/// refills them for each ladder, which is cheap even compared with a search that ends early. Results are exact to the
/// rounding of at(); SumBands proves which distances need not be evaluated.
class CosineSums {
 public:
  /// Sets the frequencies θ_i of the ladder, radians per position, all finite.
  void set_frequencies(std::span<const double> frequencies);
  /// Sets θ_i = b^(−2i/d), to one or two units in the last place, much faster than plain_frequencies().
  void set_plain(int rotary_dim, double base);

  std::span<const double> frequencies() const { return frequencies_; }
  /// Returns B_m by direct evaluation, with an absolute error of about 1e-15 per pair.
  double at(std::int64_t distance) const;
  /// Returns the smallest m with B_m < 0, first ≤ m ≤ last and first ≥ 0; nullopt if there is none or if cancelled
  /// (checked every few thousand distances).
  std::optional<std::int64_t> first_negative(std::int64_t first, std::int64_t last, const std::stop_token& stop);
  /// Calls visit(m, B_m) in ascending order for the distances of first … last, first ≥ 0, with B_m < below, until it
  /// returns false. Returns false if cancelled.
  bool visit_below(std::int64_t first, std::int64_t last, double below, const std::stop_token& stop,
                   const std::function<bool(std::int64_t, double)>& visit);
  /// Calls visit(m) in ascending order for distances of first … last, including all with B_m < below, until it returns
  /// false, without evaluating them (see SumBands). Returns false if cancelled.
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

/// The smallest step between tested bases, as a fraction of the base: used if no distance is proven to fail for longer.
/// Narrower windows can be missed.
inline constexpr double kSmallestStep = 2e-7;
/// A stretch of ln b that one thread searches.
inline constexpr double kSegment = 0.04;

/// Returns D = m·Σ θ_i·2i/d, an upper bound on |d/dx Σ cos mθ_i| from x = ln b on, for the ladder of x and every m.
double steepest_slope(std::span<const double> frequencies, double distance);

/// A walk over the bases of a segment, x = ln b. Its state decides which bases it tests next, and so which windows
/// narrower than the smallest step it finds and where it places an edge. Each segment starts with a cleared state, on
/// whichever thread it runs, so the result does not depend on the number of threads.
///
/// Bound. With θ_i = e^{−2ix/d}, w_i = mθ_i·2i/d,
///   f(x) = Σ cos mθ_i,   f' = Σ w_i sin mθ_i,   |f'| ≤ D = Σ w_i,   |f''| ≤ M = Σ w_i² + w_i·2i/d,
/// and because D and M fall with x, a distance m that fails at x (f < 0) keeps failing up to x + u for u < −f/D and for
/// f + f'u + Mu²/2 < 0. One that does not fail at x does not fail either for u ≤ f/D and for f + f'u − Mu²/2 ≥ 0.
class BaseWalk {
 public:
  BaseWalk(int rotary_dim, std::int64_t context, const std::stop_token& stop)
      : rotary_dim_(rotary_dim), context_(context), stop_(stop) {}

  /// Starts another segment: clears the state but keeps the tables.
  void forget() { useful_ = 0, taken_ = 0; }
  /// Returns how far from x on the context keeps failing, at least kSmallestStep; nullopt if it is allowed or if
  /// cancelled.
  std::optional<double> failing_from(double x);
  /// Returns whether no sum up to the context is negative; true if cancelled.
  bool allows(double x);
  /// The result of held_from(): the end of the range, from an allowed x to at most `end`, in which a limited number of
  /// steps proves every base to be allowed. `ends` if a sum becomes negative or touches zero within 1e-12.
  struct Held {
    double until;
    bool ends;
  };
  Held held_from(double x, double end, int steps);

  /// Returns the base, between a failing and an allowed one, at which failing ends: on the allowed side, to a relative
  /// 1e-9.
  double edge_between(double fails, double allowed);
  /// Returns the lower edge of the window that contains x, on the allowed side, to a relative 1e-9. The edge must be
  /// neither before `bound` nor more than a smallest step before x.
  double lower_edge(double x, double bound);
  /// Returns the edge to long double precision: the point at which the last failing distance stops failing.
  long double exact_edge(double x, double bound);
  /// Returns the exact edge between a failing and an allowed base at any distance from each other.
  long double exact_edge_between(double fails, double allowed);

 private:
  void narrow(double& fails, double& allowed);
  long double last_root(double fails, double allowed);
  void look_for(std::int64_t first, std::int64_t last, double below);

  int rotary_dim_;
  std::int64_t context_;
  std::stop_token stop_;
  CosineSums sums_;
  std::int64_t useful_ = 0;  ///< the distance used last, 0 initially
  double taken_ = 0;         ///< range of that distance when it was chosen
  int candidates_ = 0;       ///< failing distances seen at this base
  double longest_ = 0;       ///< the longest range among them
};

}  // namespace ropescope
