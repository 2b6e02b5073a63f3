#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include "core/decay/cosine_sums.h"

namespace ropescope {

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

  /// Where between the two it changes from one to the other, on the allowed side, to a relative 1e-9.
  double edge_between(double fails, double allowed);
  /// The lower edge of the window of x, known not to have begun before `bound` nor more than a smallest step before x;
  /// on the allowed side, to a relative 1e-9.
  double lower_edge(double x, double bound);
  /// The same in full: where the last of the distances that fail stops failing, to the last place of a long double.
  long double exact_edge(double x, double bound);
  /// The same between a base that fails and an allowed one, however far apart.
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
