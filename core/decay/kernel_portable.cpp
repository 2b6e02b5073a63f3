// The inner loops of the similarity kernel for any processor.

#include <cmath>

#include "core/decay/kernel_path.h"

namespace ropescope {

namespace {

void kernel_portable_score(const KernelBlock& block) {
  double real[kBlockDistances] = {};
  for (int pair = 0; pair < block.pair_count; ++pair) {
    const double* fine_cosine = block.fine_cosine + static_cast<long>(pair) * kBlockDistances;
    const double* fine_sine = block.fine_sine + static_cast<long>(pair) * kBlockDistances;
    const double turn_cosine = block.turn_cosine[pair], turn_sine = block.turn_sine[pair];
    for (int t = 0; t < kBlockDistances; ++t) real[t] += turn_cosine * fine_cosine[t] - turn_sine * fine_sine[t];
  }
  for (int t = 0; t < kBlockDistances; ++t) block.score[t] = real[t];
}

void kernel_portable_score_and_bound(const KernelBlock& block) {
  double real[kBlockDistances] = {}, imaginary[kBlockDistances] = {}, magnitudes[kBlockDistances] = {};
  for (int pair = 0; pair < block.pair_count; ++pair) {
    const double* fine_cosine = block.fine_cosine + static_cast<long>(pair) * kBlockDistances;
    const double* fine_sine = block.fine_sine + static_cast<long>(pair) * kBlockDistances;
    const double turn_cosine = block.turn_cosine[pair], turn_sine = block.turn_sine[pair];
    for (int t = 0; t < kBlockDistances; ++t) {
      real[t] += turn_cosine * fine_cosine[t] - turn_sine * fine_sine[t];
      imaginary[t] += turn_cosine * fine_sine[t] + turn_sine * fine_cosine[t];
      magnitudes[t] += std::sqrt(real[t] * real[t] + imaginary[t] * imaginary[t]);
    }
  }
  for (int t = 0; t < kBlockDistances; ++t) block.score[t] = real[t];
  for (int t = 0; t < kBlockDistances; ++t) block.magnitudes[t] = magnitudes[t];
}

}  // namespace

constinit const KernelPath kPortablePath = {"portable", kernel_portable_score, kernel_portable_score_and_bound};

}  // namespace ropescope
