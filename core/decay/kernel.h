#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace ropescope {

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
/// The same computation forced onto a named path, for tests and benchmarks; InputError if this machine lacks it.
KernelCurves kernel_curves_on(const char* path, const KernelRequest& request);

}  // namespace ropescope
