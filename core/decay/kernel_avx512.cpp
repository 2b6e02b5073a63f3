// The inner loops of the similarity kernel for processors with AVX-512; empty if the compiler does not support it.

#include "core/decay/kernel_path.h"

#if defined(__AVX512F__)

#include <immintrin.h>

namespace ropescope {

namespace {

// Four registers of eight distances keep their sums in registers while the loop runs over the pairs, which hides the
// latency of the additions; 12 of the 32 registers hold sums.
constexpr int kKernelAvx512Lanes = 8;
constexpr int kKernelAvx512Registers = kBlockDistances / kKernelAvx512Lanes;

/// Returns sum + √(real² + imaginary²). The processor's reciprocal root r is accurate to 14 bits. With s = x·r and e =
/// 1 − s·r the root is s/√(1 − e) = s(1 + e/2 + 3e²/8 + 5e³/16 + …), whose next term is below 2^−53.
__attribute__((always_inline)) inline __m512d add_magnitude(__m512d sum, __m512d real, __m512d imaginary) {
  // The small number keeps r finite if the sum of phasors is zero; it changes the root by at most 1e-18.
  const __m512d x = _mm512_fmadd_pd(real, real, _mm512_fmadd_pd(imaginary, imaginary, _mm512_set1_pd(1e-36)));
  // The masked form is equivalent; GCC 12 warns about an uninitialised value inside the plain form.
  const __m512d r = _mm512_maskz_rsqrt14_pd(0xff, x);
  const __m512d s = _mm512_mul_pd(x, r);
  const __m512d e = _mm512_fnmadd_pd(s, r, _mm512_set1_pd(1));
  __m512d p = _mm512_fmadd_pd(e, _mm512_set1_pd(5.0 / 16), _mm512_set1_pd(3.0 / 8));
  p = _mm512_fmadd_pd(e, p, _mm512_set1_pd(1.0 / 2));
  return _mm512_add_pd(sum, _mm512_fmadd_pd(_mm512_mul_pd(s, e), p, s));
}

void kernel_avx512_score(const KernelBlock& block) {
  __m512d real[kKernelAvx512Registers];
  for (int k = 0; k < kKernelAvx512Registers; ++k) real[k] = _mm512_setzero_pd();
  const double* fine_cosine = block.fine_cosine;
  const double* fine_sine = block.fine_sine;
  for (int pair = 0; pair < block.pair_count; ++pair) {
    const __m512d turn_cosine = _mm512_set1_pd(block.turn_cosine[pair]);
    const __m512d turn_sine = _mm512_set1_pd(block.turn_sine[pair]);
    for (int k = 0; k < kKernelAvx512Registers; ++k) {
      real[k] = _mm512_fmadd_pd(turn_cosine, _mm512_loadu_pd(fine_cosine + k * kKernelAvx512Lanes), real[k]);
      real[k] = _mm512_fnmadd_pd(turn_sine, _mm512_loadu_pd(fine_sine + k * kKernelAvx512Lanes), real[k]);
    }
    fine_cosine += kBlockDistances;
    fine_sine += kBlockDistances;
  }
  for (int k = 0; k < kKernelAvx512Registers; ++k) _mm512_storeu_pd(block.score + k * kKernelAvx512Lanes, real[k]);
}

void kernel_avx512_score_and_bound(const KernelBlock& block) {
  __m512d real[kKernelAvx512Registers], imaginary[kKernelAvx512Registers], magnitudes[kKernelAvx512Registers];
  for (int k = 0; k < kKernelAvx512Registers; ++k) real[k] = imaginary[k] = magnitudes[k] = _mm512_setzero_pd();
  const double* fine_cosine = block.fine_cosine;
  const double* fine_sine = block.fine_sine;
  for (int pair = 0; pair < block.pair_count; ++pair) {
    const __m512d turn_cosine = _mm512_set1_pd(block.turn_cosine[pair]);
    const __m512d turn_sine = _mm512_set1_pd(block.turn_sine[pair]);
    for (int k = 0; k < kKernelAvx512Registers; ++k) {
      const __m512d cosine = _mm512_loadu_pd(fine_cosine + k * kKernelAvx512Lanes);
      const __m512d sine = _mm512_loadu_pd(fine_sine + k * kKernelAvx512Lanes);
      real[k] = _mm512_fnmadd_pd(turn_sine, sine, _mm512_fmadd_pd(turn_cosine, cosine, real[k]));
      imaginary[k] = _mm512_fmadd_pd(turn_sine, cosine, _mm512_fmadd_pd(turn_cosine, sine, imaginary[k]));
      magnitudes[k] = add_magnitude(magnitudes[k], real[k], imaginary[k]);
    }
    fine_cosine += kBlockDistances;
    fine_sine += kBlockDistances;
  }
  for (int k = 0; k < kKernelAvx512Registers; ++k) {
    _mm512_storeu_pd(block.score + k * kKernelAvx512Lanes, real[k]);
    _mm512_storeu_pd(block.magnitudes + k * kKernelAvx512Lanes, magnitudes[k]);
  }
}

}  // namespace

constinit const KernelPath kAvx512Path = {"avx512", kernel_avx512_score, kernel_avx512_score_and_bound};

}  // namespace ropescope

#else

namespace ropescope {
constinit const KernelPath kAvx512Path = {"avx512", nullptr, nullptr};
}

#endif
