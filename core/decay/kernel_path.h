#pragma once

// Included by files that are compiled for newer processors than the rest. Nothing inline may be defined or called
// here or there: the linker keeps one copy of an inline function, and it could keep the one an older machine cannot
// run.

namespace ropescope {

/// Distances that a path computes at once: base, base + 1, …, base + 31.
inline constexpr int kBlockDistances = 32;

/// One block of work. Pairs come in the order of the partial sums; all pointers are to doubles of the caller.
struct KernelBlock {
  int pair_count;
  const double* fine_cosine;  ///< [pair][kBlockDistances]: cos(tθ), t = 0 … 31
  const double* fine_sine;
  const double* turn_cosine;  ///< [pair]: e^{i·base·θ}, times the content's weight where a score with content is wanted
  const double* turn_sine;
  double* score;       ///< out, [kBlockDistances]: Re Σ_pair turn·e^{itθ}
  double* magnitudes;  ///< out of score_and_bound, [kBlockDistances]: Σ_j |S_j|
};

/// The inner loops for one kind of processor; null functions where this build has no such path.
struct KernelPath {
  const char* name;
  void (*score)(const KernelBlock&);
  void (*score_and_bound)(const KernelBlock&);
};

extern const KernelPath kAvx512Path;
extern const KernelPath kAvx2Path;
extern const KernelPath kPortablePath;

/// The fastest path that this machine can run.
const KernelPath& best_kernel_path();

}  // namespace ropescope
