// The similarity kernel of a rope over distances: K(n) = Σ w_i cos(nθ_i), its bound and its parts, computed by the
// fastest loop the processor has (kernel_avx512, kernel_avx2, kernel_portable). Begin here for decay; analysis.h and
// limits.h follow.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <span>
#include <stop_token>
#include <vector>

namespace ropescope {

struct KernelPath;

// --- Kernel --------------------------------------------------------------------------------------------------------

/// Which end of the ladder the partial sums of the Abel bound start from.
enum class PairOrder { fast_first, slow_first };

/// What q and k hold in each pair: the score is Re Σ_i a_i e^{i(Δθ_i + φ_i)}, normalised by Σ a_i.
/// Empty vectors stand for aligned content (a_i = 1, φ_i = 0).
struct Content {
  Eigen::VectorXd amplitudes, phases_radians;
  bool operator==(const Content& other) const;
};

/// Independent standard-normal q and k from a seed; the same on every machine (own generator, not
/// std::normal_distribution).
Content random_content(int pair_count, std::uint64_t seed);

/// What the bound B is multiplied by so that it bounds |K| for a content: n·max_i |h_{i+1} − h_i|/Σ a_i with h_i =
/// a_i e^{iφ_i} in the order of the bound and 0 after the last one (RoFormer 3.4.3, Abel's transformation). 1 for
/// aligned content. Throws InputError where the content does not fit.
double bound_factor(const Content& content, Eigen::Index pair_count, PairOrder order = PairOrder::fast_first);

/// K(Δ) = Σ a_i cos(Δθ_i + φ_i)/Σ a_i; for aligned content (1/n) Σ cos(Δθ_i). One direct evaluation, any real distance.
double similarity(const Eigen::VectorXd& frequencies, double distance, const Content& content = {});

/// B(Δ) = (1/n) Σ_{j=1..n} |S_j|, S_j = Σ_{i<j} e^{iΔθ_i} in the given order (RoFormer 3.4.3, Figure 2). B(0) =
/// (n+1)/2.
double abel_bound(const Eigen::VectorXd& frequencies, double distance, PairOrder order = PairOrder::fast_first);

/// Similarity and bound at distances first, first+1, …, first+count−1, the fast way: tiles of distances, angle
/// addition, vector instructions chosen when the program runs, `threads` threads (0: all cores). Absolute error ≤ 1e-12
/// (similarity) and ≤ 1e-10 (bound) up to distance 4 096, ≤ 1e-9 and ≤ 1e-8 up to 1 048 576. bound is left empty if
/// !want_bound. Throws InputError without a pair, with a count below 0 or a distance beyond 2^52, or where the content
/// does not fit. Stops early, with both vectors empty, when `stop` is requested (looked at at least every few
/// milliseconds).
struct KernelCurves {
  std::vector<double> similarity, bound;
};
struct KernelRequest {
  Eigen::VectorXd frequencies;
  Content content;
  PairOrder order = PairOrder::fast_first;
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool want_bound = true;
  int threads = 0;
};
KernelCurves kernel_curves(const KernelRequest& request, std::stop_token stop = {});

/// Name of the code path that kernel_curves takes on this machine: "avx512", "avx2" or "portable".
const char* kernel_path();
/// The loops of that path (kernel_path.h).
const KernelPath& best_kernel_path();
/// kernel_curves() forced onto a named path, for tests and benchmarks; InputError if this machine lacks it.
KernelCurves kernel_curves_on(const char* path, const KernelRequest& request);

// --- Phasors -------------------------------------------------------------------------------------------------------

/// e^{iΔθ} as cosine and sine.
struct Phasor {
  double cosine, sine;
};

/// e^{iΔθ} correct to about one unit in the last place for any distance Δ: the part of Δ·θ that a double cannot hold is
/// put back by cos(a + ε) = cos a cos ε − sin a sin ε, for small ε cos a − ε sin a. Without it the angle alone would be
/// off by 6e-11 at a million radians.
Phasor phasor(double frequency, double distance);

// --- Bounds of contents --------------------------------------------------------------------------------------------

/// Throws InputError where there is no pair, where a vector of the content is neither empty nor one number per pair, or
/// where the amplitudes do not sum to a positive finite number (the similarity is a quotient by that sum).
void require_pairs_and_content(const Eigen::VectorXd& frequencies, const Content& content);

/// Σ a_i, n for aligned content.
double content_total(const Content& content, Eigen::Index pair_count);

/// a_i e^{iφ_i}, 1 for aligned content.
Phasor content_weight(const Content& content, Eigen::Index pair);

// --- Random numbers ------------------------------------------------------------------------------------------------

/// SplitMix64: the state advances by the odd number nearest to 2^64/φ and is then mixed (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014; the constants are variant 13 of Stafford's mixers).
struct SplitMix {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Uniform in (0, 1): the middles of 2^53 equal cells, so that the logarithm below never sees zero.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
};

/// Two independent standard normals as one complex number (Box and Muller, 1958).
inline std::complex<double> normal_pair(SplitMix& generator) {
  const double radius = std::sqrt(-2 * std::log(generator.uniform()));
  const double angle = 2 * std::numbers::pi * generator.uniform();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Fills a row of numbers with independent normals of mean 0 and standard deviation `level`, two at a time.
inline void fill_normal(double* begin, std::int64_t count, double level, SplitMix& generator) {
  for (std::int64_t i = 0; i < count; i += 2) {
    const std::complex<double> normals = level * normal_pair(generator);
    begin[i] = normals.real();
    if (i + 1 < count) begin[i + 1] = normals.imag();
  }
}

}  // namespace ropescope
