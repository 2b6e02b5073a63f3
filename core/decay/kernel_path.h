// The interface between the similarity kernel and its inner loops: a block of work, and its functions for each kind of
// processor. Read kernel.h first. Files compiled for newer processors include this header: do not define or call inline
// functions here, or the linker could keep a copy that this machine cannot run.
#pragma once

namespace ropescope {

/// Number of distances that a path computes at once: base, base + 1, …, base + 31.
inline constexpr int kBlockDistances = 32;

/// One block of work. Pairs are in the order of the partial sums; all pointers refer to the caller's doubles.
struct KernelBlock {
  int pair_count;
  const double* fine_cosine;  ///< [pair][kBlockDistances]: cos(tθ), t = 0 … 31
  const double* fine_sine;
  const double* turn_cosine;  ///< [pair]: e^{i·base·θ}, times the content's weight if a score with content is requested
  const double* turn_sine;
  double* score;       ///< out, [kBlockDistances]: Re Σ_pair turn·e^{itθ}
  double* magnitudes;  ///< out, from score_and_bound only, [kBlockDistances]: Σ_j |S_j|
};

/// The inner loops for one kind of processor. The functions are null if this build lacks the path.
struct KernelPath {
  const char* name;
  void (*score)(const KernelBlock&);
  void (*score_and_bound)(const KernelBlock&);
};

extern const KernelPath kAvx512Path;
extern const KernelPath kAvx2Path;
extern const KernelPath kPortablePath;

}  // namespace ropescope
