// The interface between the similarity kernel and its inner loops: one block of work, and the functions that do it on
// one kind of processor. Read kernel.h first. Included by files that are compiled for newer processors than the rest:
// nothing inline may be defined or called here, or the linker could keep a copy that this machine cannot run.
#pragma once

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

}  // namespace ropescope
