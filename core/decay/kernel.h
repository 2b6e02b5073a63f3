// The similarity kernel of a rope, K(n) = Σ w_i cos(nθ_i), and its bound as functions of distance, computed by the
// fastest available code path (kernel_avx512, kernel_avx2, kernel_portable). Start here for decay; continue with
// analysis.h and limits.h.
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

/// The content of q and k per pair. The score is Re Σ_i a_i e^{i(Δθ_i + φ_i)}, normalised by Σ a_i.
/// Empty vectors mean aligned content (a_i = 1, φ_i = 0).
struct Content {
  Eigen::VectorXd amplitudes, phases_radians;
  bool operator==(const Content& other) const;
};

/// Returns the content of independent standard-normal q and k from a seed. The result is identical on every machine
/// because it uses its own generator, not std::normal_distribution.
Content random_content(int pair_count, std::uint64_t seed);

/// Returns the factor that makes B a bound on |K| for a content: n·max_i |h_{i+1} − h_i|/Σ a_i, where h_i = a_i
/// e^{iφ_i} in the order of the bound, followed by 0 (RoFormer 3.4.3, Abel's transformation). Aligned content gives 1.
/// Throws InputError if the content has the wrong size.
double bound_factor(const Content& content, Eigen::Index pair_count, PairOrder order = PairOrder::fast_first);

/// Returns K(Δ) = Σ a_i cos(Δθ_i + φ_i)/Σ a_i at any real distance; (1/n) Σ cos(Δθ_i) for aligned content.
double similarity(const Eigen::VectorXd& frequencies, double distance, const Content& content = {});

/// Returns B(Δ) = (1/n) Σ_{j=1..n} |S_j|, S_j = Σ_{i<j} e^{iΔθ_i} in the given order (RoFormer 3.4.3, Figure 2). B(0) =
/// (n+1)/2.
double abel_bound(const Eigen::VectorXd& frequencies, double distance, PairOrder order = PairOrder::fast_first);

/// Similarity and bound at the distances first, first+1, …, first+count−1, computed in tiles by angle addition, with
/// run-time selected vector instructions and `threads` threads (0: all cores). Absolute error ≤ 1e-12 (similarity) and
/// ≤ 1e-10 (bound) up to distance 4 096, ≤ 1e-9 and ≤ 1e-8 up to 1 048 576. The bound is empty if !want_bound. Throws
/// InputError if there are no pairs, count < 0, a distance exceeds 2^52 or the content has the wrong size. A request on
/// `stop` ends the computation within a few milliseconds, with both vectors empty.
struct KernelCurves {
  std::vector<double> similarity, bound;
};
struct KernelRequest {
  Eigen::VectorXd frequencies = {};
  Content content = {};
  PairOrder order = PairOrder::fast_first;
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool want_bound = true;
  int threads = 0;
  bool operator==(const KernelRequest& other) const;
};
KernelCurves kernel_curves(const KernelRequest& request, std::stop_token stop = {});

/// Returns the name of the code path that kernel_curves() uses on this machine: "avx512", "avx2" or "portable".
const char* kernel_path();
/// Returns the inner loops of that code path (kernel_path.h).
const KernelPath& best_kernel_path();
/// Runs kernel_curves() on a named path, for tests and benchmarks. Throws InputError if this machine lacks the path.
KernelCurves kernel_curves_on(const char* path, const KernelRequest& request);

// --- Phasors -------------------------------------------------------------------------------------------------------

/// The phasor e^{iΔθ} as cosine and sine.
struct Phasor {
  double cosine, sine;
};

/// Returns e^{iΔθ}, accurate to about one unit in the last place at any distance Δ. The rounding error ε of the double
/// product Δ·θ is corrected by cos(a + ε) = cos a cos ε − sin a sin ε, or cos a − ε sin a for small ε. Without this
/// correction the angle error alone would be 6e-11 at a million radians.
Phasor phasor(double frequency, double distance);

// --- Bounds of contents --------------------------------------------------------------------------------------------

/// Throws InputError if there are no pairs, if a vector of the content is neither empty nor one number per pair, or if
/// the amplitudes do not have a positive finite sum (which normalises the similarity).
void require_pairs_and_content(const Eigen::VectorXd& frequencies, const Content& content);

/// Returns Σ a_i, or n for aligned content.
double content_total(const Content& content, Eigen::Index pair_count);

/// Returns a_i e^{iφ_i}, or 1 for aligned content.
Phasor content_weight(const Content& content, Eigen::Index pair);

// --- Random numbers ------------------------------------------------------------------------------------------------

/// SplitMix64 generator: the state advances by the odd number nearest to 2^64/φ and is then mixed (Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; constants: variant 13 of Stafford's mixers).
struct SplitMix {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Returns a uniform number in (0, 1), the middle of one of 2^53 equal cells, so log() below never receives zero.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
};

/// Returns two independent standard normal numbers as one complex number (Box and Muller, 1958).
inline std::complex<double> normal_pair(SplitMix& generator) {
  const double radius = std::sqrt(-2 * std::log(generator.uniform()));
  const double angle = 2 * std::numbers::pi * generator.uniform();
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Fills `count` numbers with independent normals of mean 0 and standard deviation `level`, two at a time.
inline void fill_normal(double* begin, std::int64_t count, double level, SplitMix& generator) {
  for (std::int64_t i = 0; i < count; i += 2) {
    const std::complex<double> normals = level * normal_pair(generator);
    begin[i] = normals.real();
    if (i + 1 < count) begin[i + 1] = normals.imag();
  }
}

}  // namespace ropescope
