// The inner loops of the similarity kernel for processors with AVX2; empty if the compiler does not support it.

#include "core/decay/kernel_path.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

namespace ropescope {

namespace {

// Two registers of four distances each: six of the sixteen registers contain sums, the rest serve the square root.
constexpr int kKernelAvx2Lanes = 4;
constexpr int kKernelAvx2Registers = 2;
constexpr int kAtOnce = kKernelAvx2Lanes * kKernelAvx2Registers;

/// Returns sum + √(real² + imaginary²). The reciprocal root exists only for floats, accurate to 11.4 bits. With s = x·r
/// and e = 1 − s·r the root is s/√(1 − e) = s(1 + e/2 + 3e²/8 + 5e³/16 + 35e⁴/128 + …), next term below 2^−53.
__attribute__((always_inline)) inline __m256d add_magnitude(__m256d sum, __m256d real, __m256d imaginary) {
  // The small number is still a normal float. It keeps r finite at zero and changes the root by at most 1e-18.
  const __m256d x = _mm256_fmadd_pd(real, real, _mm256_fmadd_pd(imaginary, imaginary, _mm256_set1_pd(1e-36)));
  const __m256d r = _mm256_cvtps_pd(_mm_rsqrt_ps(_mm256_cvtpd_ps(x)));
  const __m256d s = _mm256_mul_pd(x, r);
  const __m256d e = _mm256_fnmadd_pd(s, r, _mm256_set1_pd(1));
  __m256d p = _mm256_fmadd_pd(e, _mm256_set1_pd(35.0 / 128), _mm256_set1_pd(5.0 / 16));
  p = _mm256_fmadd_pd(e, p, _mm256_set1_pd(3.0 / 8));
  p = _mm256_fmadd_pd(e, p, _mm256_set1_pd(1.0 / 2));
  return _mm256_add_pd(sum, _mm256_fmadd_pd(_mm256_mul_pd(s, e), p, s));
}

void kernel_avx2_score(const KernelBlock& block) {
  for (int begin = 0; begin < kBlockDistances; begin += kAtOnce) {
    __m256d real[kKernelAvx2Registers];
    for (int k = 0; k < kKernelAvx2Registers; ++k) real[k] = _mm256_setzero_pd();
    const double* fine_cosine = block.fine_cosine + begin;
    const double* fine_sine = block.fine_sine + begin;
    for (int pair = 0; pair < block.pair_count; ++pair) {
      const __m256d turn_cosine = _mm256_set1_pd(block.turn_cosine[pair]);
      const __m256d turn_sine = _mm256_set1_pd(block.turn_sine[pair]);
      for (int k = 0; k < kKernelAvx2Registers; ++k) {
        real[k] = _mm256_fmadd_pd(turn_cosine, _mm256_loadu_pd(fine_cosine + k * kKernelAvx2Lanes), real[k]);
        real[k] = _mm256_fnmadd_pd(turn_sine, _mm256_loadu_pd(fine_sine + k * kKernelAvx2Lanes), real[k]);
      }
      fine_cosine += kBlockDistances;
      fine_sine += kBlockDistances;
    }
    for (int k = 0; k < kKernelAvx2Registers; ++k)
      _mm256_storeu_pd(block.score + begin + k * kKernelAvx2Lanes, real[k]);
  }
}

void kernel_avx2_score_and_bound(const KernelBlock& block) {
  for (int begin = 0; begin < kBlockDistances; begin += kAtOnce) {
    __m256d real[kKernelAvx2Registers], imaginary[kKernelAvx2Registers], magnitudes[kKernelAvx2Registers];
    for (int k = 0; k < kKernelAvx2Registers; ++k) real[k] = imaginary[k] = magnitudes[k] = _mm256_setzero_pd();
    const double* fine_cosine = block.fine_cosine + begin;
    const double* fine_sine = block.fine_sine + begin;
    for (int pair = 0; pair < block.pair_count; ++pair) {
      const __m256d turn_cosine = _mm256_set1_pd(block.turn_cosine[pair]);
      const __m256d turn_sine = _mm256_set1_pd(block.turn_sine[pair]);
      for (int k = 0; k < kKernelAvx2Registers; ++k) {
        const __m256d cosine = _mm256_loadu_pd(fine_cosine + k * kKernelAvx2Lanes);
        const __m256d sine = _mm256_loadu_pd(fine_sine + k * kKernelAvx2Lanes);
        real[k] = _mm256_fnmadd_pd(turn_sine, sine, _mm256_fmadd_pd(turn_cosine, cosine, real[k]));
        imaginary[k] = _mm256_fmadd_pd(turn_sine, cosine, _mm256_fmadd_pd(turn_cosine, sine, imaginary[k]));
        magnitudes[k] = add_magnitude(magnitudes[k], real[k], imaginary[k]);
      }
      fine_cosine += kBlockDistances;
      fine_sine += kBlockDistances;
    }
    for (int k = 0; k < kKernelAvx2Registers; ++k) {
      _mm256_storeu_pd(block.score + begin + k * kKernelAvx2Lanes, real[k]);
      _mm256_storeu_pd(block.magnitudes + begin + k * kKernelAvx2Lanes, magnitudes[k]);
    }
  }
}

}  // namespace

constinit const KernelPath kAvx2Path = {"avx2", kernel_avx2_score, kernel_avx2_score_and_bound};

}  // namespace ropescope

#else

namespace ropescope {
constinit const KernelPath kAvx2Path = {"avx2", nullptr, nullptr};
}

#endif
