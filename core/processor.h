#pragma once

namespace ropescope {

/// Whether the processor that this runs on has the instructions that the fast paths are compiled for; false on other
/// families of processors. Not those that the environment rules out for tests and benchmarks:
/// ROPESCOPE_PROCESSOR=avx2 (no AVX-512) or =portable (neither).
bool has_avx512();
bool has_avx2();  ///< and fused multiply-add

// The program is compiled for every processor of its family. A loop that is worth it is compiled once more for those
// with 256 bits at a time, or 512, from the same text: mark the wrapper with ROPESCOPE_AVX2 or ROPESCOPE_AVX512, let it
// call the loop, which is ROPESCOPE_INLINE, and ask has_avx2() or has_avx512() which wrapper to take. Fused
// multiply-adds are left out, so that the numbers are the same with both.
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define ROPESCOPE_AVX2 __attribute__((target("avx2")))
#if defined(__clang__)
#define ROPESCOPE_AVX512 __attribute__((target("avx512f")))
#else
#define ROPESCOPE_AVX512 __attribute__((target("avx512f,prefer-vector-width=512")))
#endif
#else
#define ROPESCOPE_AVX2
#define ROPESCOPE_AVX512
#endif

#if defined(__GNUC__)
#define ROPESCOPE_INLINE inline __attribute__((always_inline))
#else
#define ROPESCOPE_INLINE inline
#endif

}  // namespace ropescope
