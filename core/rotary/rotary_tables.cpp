// Tables by angle addition in pairs of doubles (double-double), and by polynomials for float32 angles; with loops for
// each kind of processor. Compiled without contraction of products and sums, which would undo the exact error terms.
// Read rotary_tables.h first.
//
// Contents: Pairs of doubles; Exact phasors; Angle addition; Float32 angles; Paths; Tables; Rotation; Phasors of one
// position.

#include "core/rotary/rotary_tables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

#include "core/machine.h"
#include "core/rotary/spec.h"

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define ROPESCOPE_TABLES_AVX2 __attribute__((target("avx2,fma")))
#if defined(__clang__)
#define ROPESCOPE_TABLES_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,fma")))
#else
#define ROPESCOPE_TABLES_AVX512 __attribute__((target("avx512f,fma,prefer-vector-width=512")))
#endif
#else
#define ROPESCOPE_TABLES_AVX2
#define ROPESCOPE_TABLES_AVX512
#endif

// Inputs and outputs of the loops below do not overlap; with this many arrays, compilers do not check it themselves.
#if defined(__clang__)
#define ROPESCOPE_NO_OVERLAP _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ROPESCOPE_NO_OVERLAP _Pragma("GCC ivdep")
#else
#define ROPESCOPE_NO_OVERLAP
#endif

namespace ropescope {

// --- Pairs of doubles ----------------------------------------------------------------------------------------------

namespace {

// The sum of two doubles with |low| ≤ half a unit in the last place of `high`: 106 bits. Dekker (Numerische Mathematik
// 18, 1971); Knuth, The Art of Computer Programming, volume 2, section 4.2.2.
struct Dd {
  double high = 0, low = 0;
};

/// The rounding error of a + b = sum.
ROPESCOPE_INLINE double sum_error(double a, double b, double sum) {
  const double b_part = sum - a;
  return (a - (sum - b_part)) + (b - b_part);
}

/// The rounding error of a·b = product: one fused multiply-add, or Dekker's splitting. Both are exact, so equal.
template <bool kFused>
ROPESCOPE_INLINE double product_error(double a, double b, double product) {
  if constexpr (kFused) {
    return __builtin_fma(a, b, -product);
  } else {
    constexpr double kSplit = 134217729.0;  // 2^27 + 1
    const double a_scaled = kSplit * a, b_scaled = kSplit * b;
    const double a_high = a_scaled - (a_scaled - a), b_high = b_scaled - (b_scaled - b);
    const double a_low = a - a_high, b_low = b - b_high;
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  }
}

Dd renormalised(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}
Dd operator+(const Dd& a, const Dd& b) {
  const double high = a.high + b.high, low = a.low + b.low;
  const Dd first = renormalised(high, sum_error(a.high, b.high, high) + low);
  return renormalised(first.high, first.low + sum_error(a.low, b.low, low));
}
Dd operator-(const Dd& a) {
  return {-a.high, -a.low};
}
Dd operator*(const Dd& a, const Dd& b) {
  const double product = a.high * b.high;
  return renormalised(product, product_error<false>(a.high, b.high, product) + (a.high * b.low + a.low * b.high));
}
Dd operator/(const Dd& a, double b) {
  const double quotient = a.high / b;
  const double product = quotient * b;
  const double rest = (a.high - product) - product_error<false>(quotient, b, product) + a.low;
  return renormalised(quotient, rest / b);
}

// --- Exact phasors -------------------------------------------------------------------------------------------------

/// cos and sin of an angle, each as a pair of doubles.
struct DdPhasor {
  Dd cosine{1, 0}, sine{0, 0};
};

/// Angles from here on, in radians, are not reduced exactly.
constexpr double kMaxExactAngle = 0x1p51;
/// π/2 as a sum of four doubles.
constexpr std::array kQuarterTurn{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110,
                                  0x1.4cf98e804177dp-164};
/// The last power in the series of sin and cos: (π/4)^29/29! < 2^−112.
constexpr int kLastPower = 28;

/// 1/n! for n = 0 … kLastPower.
std::array<Dd, kLastPower + 1> inverse_factorials() {
  std::array<Dd, kLastPower + 1> inverse;
  inverse[0] = {1, 0};
  for (int n = 1; n <= kLastPower; ++n) {
    inverse[static_cast<std::size_t>(n)] = inverse[static_cast<std::size_t>(n - 1)] / n;
  }
  return inverse;
}

/// Returns the phasor of angle + rest, |angle| < kMaxExactAngle and rest at most half a unit of it. Accurate to about
/// 2^−100.
DdPhasor exact_phasor(double angle, double rest, const std::array<Dd, kLastPower + 1>& inverse) {
  const double quarters = std::nearbyint(angle * (2 / std::numbers::pi));
  Dd reduced{angle, 0};
  for (const double part : kQuarterTurn) {
    const double product = quarters * part;
    reduced = reduced + Dd{-product, -product_error<false>(quarters, part, product)};
  }
  reduced = reduced + Dd{rest, 0};
  const Dd square = reduced * reduced;
  // Horner's scheme from the smallest term.
  Dd sine = inverse[kLastPower - 1], cosine = inverse[kLastPower];
  for (int power = kLastPower - 2; power >= 0; power -= 2) {
    cosine = inverse[static_cast<std::size_t>(power)] + -(square * cosine);
    if (power > 0) sine = inverse[static_cast<std::size_t>(power - 1)] + -(square * sine);
  }
  sine = sine * reduced;
  switch (static_cast<std::int64_t>(quarters) & 3) {
    case 0:
      return {cosine, sine};
    case 1:
      return {-sine, cosine};
    case 2:
      return {-cosine, -sine};
    default:
      return {sine, -cosine};
  }
}

// --- Angle addition ------------------------------------------------------------------------------------------------

/// Phasors of one index and all pairs, in four arrays.
template <class Cell>
struct DdCells {
  Cell *cosine, *cosine_low, *sine, *sine_low;
};
using DdRow = DdCells<const double>;
using DdRowOut = DdCells<double>;

/// cos(a + b) = cos a cos b − sin a sin b and sin(a + b) = sin a cos b + cos a sin b, each as sum and rest.
template <bool kFused>
ROPESCOPE_INLINE void add_angles_of_pair(const DdRow& a, const DdRow& b, std::int64_t i, Dd& cosine, Dd& sine) {
  const double ac = a.cosine[i], as = a.sine[i], bc = b.cosine[i], bs = b.sine[i];
  const double cc = ac * bc, ss = as * bs, sc = as * bc, cs = ac * bs;
  const double difference = cc - ss, sum = sc + cs;
  const double cosine_rest =
      (product_error<kFused>(ac, bc, cc) - product_error<kFused>(as, bs, ss)) + sum_error(cc, -ss, difference) +
      ((ac * b.cosine_low[i] + a.cosine_low[i] * bc) - (as * b.sine_low[i] + a.sine_low[i] * bs));
  const double sine_rest = (product_error<kFused>(as, bc, sc) + product_error<kFused>(ac, bs, cs)) +
                           sum_error(sc, cs, sum) +
                           ((as * b.cosine_low[i] + a.sine_low[i] * bc) + (ac * b.sine_low[i] + a.cosine_low[i] * bs));
  cosine = {difference, cosine_rest};
  sine = {sum, sine_rest};
}

/// Writes the rounded phasors of a + b; `sign`: −1 for the angle −(a + b).
template <bool kFused, class Real>
ROPESCOPE_INLINE void write_sum(const DdRow& a, const DdRow& b, std::int64_t pairs, double sign, Real* cosine,
                                Real* sine) {
  ROPESCOPE_NO_OVERLAP
  for (std::int64_t i = 0; i < pairs; ++i) {
    Dd c, s;
    add_angles_of_pair<kFused>(a, b, i, c, s);
    cosine[i] = static_cast<Real>(c.high + c.low);
    sine[i] = static_cast<Real>(sign * (s.high + s.low));
  }
}

/// Writes the phasors of a + b as pairs of doubles.
template <bool kFused>
ROPESCOPE_INLINE void write_exact_sum(const DdRow& a, const DdRow& b, std::int64_t pairs, const DdRowOut& out) {
  ROPESCOPE_NO_OVERLAP
  for (std::int64_t i = 0; i < pairs; ++i) {
    Dd c, s;
    add_angles_of_pair<kFused>(a, b, i, c, s);
    const double cosine = c.high + c.low, sine = s.high + s.low;
    out.cosine[i] = cosine;
    out.cosine_low[i] = c.low - (cosine - c.high);
    out.sine[i] = sine;
    out.sine_low[i] = s.low - (sine - s.high);
  }
}

// --- Float32 angles ------------------------------------------------------------------------------------------------

/// Angles below are reduced by products that double holds exactly: quarters of 24 bits times parts of 28.
constexpr float kMaxFloatAngle = 0x1p24F;

/// Returns cos and sin of an angle below kMaxFloatAngle, times 1 and a small rest added to the reduced angle.
/// The polynomials are those of FreeBSD's msun (k_sin.c, k_cos.c), with an error below 2^−57 on |r| ≤ π/4.
ROPESCOPE_INLINE void cosine_and_sine(double angle, double added, double& cosine, double& sine) {
  constexpr double kShift = 0x1.8p52;
  // π/2 in parts of 28 bits, and the rest.
  constexpr double kPart1 = 0x1.921fb54p+0, kPart2 = 0x1.10b461p-30, kPart3 = 0x1.a62633p-58,
                   kPart4 = 0x1.45c06e0e68948p-86;
  const double shifted = angle * (2 / std::numbers::pi) + kShift;
  const double quarters = shifted - kShift;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double r =
      (((angle - quarters * kPart1) - quarters * kPart2) - quarters * kPart3) - (quarters * kPart4 - added);
  const double z = r * r;
  const double s = r + r * z *
                           (-1.66666666666666324348e-01 +
                            z * (8.33333333332248946124e-03 +
                                 z * (-1.98412698298579493134e-04 +
                                      z * (2.75573137070700676789e-06 +
                                           z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const double half = 0.5 * z, rest = 1 - half;
  const double c = rest + (((1 - rest) - half) +
                           z * z *
                               (4.16666666666666019037e-02 +
                                z * (-1.38888888888741095749e-03 +
                                     z * (2.48015872894767294178e-05 +
                                          z * (-2.75573143513906633035e-07 +
                                               z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  // Odd quarters exchange the two; sin changes its sign in quarters 2 and 3, cos in 1 and 2.
  const std::uint64_t odd = 0 - (quadrant & 1);
  const auto s_bits = std::bit_cast<std::uint64_t>(s), c_bits = std::bit_cast<std::uint64_t>(c);
  const std::uint64_t swap = (s_bits ^ c_bits) & odd;
  const std::uint64_t sine_sign = (quadrant & 2) << 62, cosine_sign = ((quadrant + 1) & 2) << 62;
  sine = std::bit_cast<double>((s_bits ^ swap) ^ sine_sign);
  cosine = std::bit_cast<double>((c_bits ^ swap) ^ cosine_sign);
}

/// Writes cos and sin of position·θ for float32 angles, each rounded to float32, times the amplitude, rounded again.
template <class Real>
ROPESCOPE_INLINE void write_float_angles(const float* frequencies, std::int64_t pairs, float position, double amplitude,
                                         Real* cosine, Real* sine) {
  ROPESCOPE_NO_OVERLAP
  for (std::int64_t i = 0; i < pairs; ++i) {
    double c = 0, s = 0;
    cosine_and_sine(position * frequencies[i], 0, c, s);
    cosine[i] = static_cast<Real>(static_cast<float>(static_cast<float>(c) * amplitude));
    sine[i] = static_cast<Real>(static_cast<float>(static_cast<float>(s) * amplitude));
  }
}

/// Writes cos and sin of position·θ, with the rounding error of the product added to the angle. Returns false if an
/// angle is not below kMaxFloatAngle, and the numbers are of no use.
template <bool kFused>
ROPESCOPE_INLINE bool write_phasors_of(const double* frequencies, std::int64_t pairs, double position, double* cosine,
                                       double* sine) {
  std::uint64_t large = 0;
  ROPESCOPE_NO_OVERLAP
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double angle = position * frequencies[i];
    large |= std::abs(angle) < kMaxFloatAngle ? 0 : 1;
    cosine_and_sine(angle, product_error<kFused>(position, frequencies[i], angle), cosine[i], sine[i]);
  }
  return large == 0;
}
/// As write_phasors_of, without sin.
template <bool kFused>
ROPESCOPE_INLINE bool write_cosines_of(const double* frequencies, std::int64_t pairs, double position, double* cosine) {
  std::uint64_t large = 0;
  ROPESCOPE_NO_OVERLAP
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double angle = position * frequencies[i];
    double sine = 0;
    large |= std::abs(angle) < kMaxFloatAngle ? 0 : 1;
    cosine_and_sine(angle, product_error<kFused>(position, frequencies[i], angle), cosine[i], sine);
  }
  return large == 0;
}

/// Writes position·θ modulo 2π, in [0, 2π). Returns false as write_phasors_of does.
template <bool kFused>
ROPESCOPE_INLINE bool write_wrapped(const double* frequencies, std::int64_t pairs, double position, double* angles) {
  constexpr double kShift = 0x1.8p52;
  // 2π in parts of 28 bits, and the rest.
  constexpr double kPart1 = 0x1.921fb54p+2, kPart2 = 0x1.10b461p-28, kPart3 = 0x1.a62633145c06ep-56;
  std::uint64_t large = 0;
  ROPESCOPE_NO_OVERLAP
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double angle = position * frequencies[i];
    large |= std::abs(angle) < kMaxFloatAngle ? 0 : 1;
    const double turns = (angle * (1 / kTurn) + kShift) - kShift;
    const double within = ((angle - turns * kPart1) - turns * kPart2) +
                          (product_error<kFused>(position, frequencies[i], angle) - turns * kPart3);
    const double positive = within < 0 ? within + kTurn : within;
    angles[i] = positive < kTurn ? positive : 0;
  }
  return large == 0;
}

// --- Paths ---------------------------------------------------------------------------------------------------------

/// The loops of one kind of processor, for float and double.
struct TablesPath {
  const char* name;
  void (*sum_float)(const DdRow&, const DdRow&, std::int64_t, double, float*, float*);
  void (*sum_double)(const DdRow&, const DdRow&, std::int64_t, double, double*, double*);
  void (*exact_sum)(const DdRow&, const DdRow&, std::int64_t, const DdRowOut&);
  void (*angles_float)(const float*, std::int64_t, float, double, float*, float*);
  void (*angles_double)(const float*, std::int64_t, float, double, double*, double*);
  bool (*phasors)(const double*, std::int64_t, double, double*, double*);
  bool (*cosines)(const double*, std::int64_t, double, double*);
  bool (*wrapped)(const double*, std::int64_t, double, double*);
  void (*rotate_float)(const double*, const double*, std::int64_t, bool, const float*, float*);
  void (*rotate_double)(const double*, const double*, std::int64_t, bool, const double*, double*);
};

template <class Real>
ROPESCOPE_INLINE void rotate_pairs(const double* cosine, const double* sine, std::int64_t pairs, bool interleaved,
                                   const Real* from, Real* to) {
  if (interleaved) {
    ROPESCOPE_NO_OVERLAP
    for (std::int64_t i = 0; i < pairs; ++i) {
      const double a = from[2 * i], b = from[2 * i + 1];
      to[2 * i] = static_cast<Real>(a * cosine[i] - b * sine[i]);
      to[2 * i + 1] = static_cast<Real>(a * sine[i] + b * cosine[i]);
    }
    return;
  }
  const Real* const second = from + pairs;
  Real* const to_second = to + pairs;
  ROPESCOPE_NO_OVERLAP
  for (std::int64_t i = 0; i < pairs; ++i) {
    const double a = from[i], b = second[i];
    to[i] = static_cast<Real>(a * cosine[i] - b * sine[i]);
    to_second[i] = static_cast<Real>(a * sine[i] + b * cosine[i]);
  }
}

// Names and attributes of functions cannot be in parentheses: NOLINTBEGIN(bugprone-macro-parentheses).
#define ROPESCOPE_TABLES_LOOPS(NAME, TARGET, FUSED)                                                                    \
  TARGET void sum_float_##NAME(const DdRow& a, const DdRow& b, std::int64_t n, double sign, float* c, float* s) {      \
    write_sum<FUSED>(a, b, n, sign, c, s);                                                                             \
  }                                                                                                                    \
  TARGET void sum_double_##NAME(const DdRow& a, const DdRow& b, std::int64_t n, double sign, double* c, double* s) {   \
    write_sum<FUSED>(a, b, n, sign, c, s);                                                                             \
  }                                                                                                                    \
  TARGET void exact_sum_##NAME(const DdRow& a, const DdRow& b, std::int64_t n, const DdRowOut& out) {                  \
    write_exact_sum<FUSED>(a, b, n, out);                                                                              \
  }                                                                                                                    \
  TARGET void angles_float_##NAME(const float* f, std::int64_t n, float place, double amplitude, float* c, float* s) { \
    write_float_angles(f, n, place, amplitude, c, s);                                                                  \
  }                                                                                                                    \
  TARGET void angles_double_##NAME(const float* f, std::int64_t n, float place, double amplitude, double* c,           \
                                   double* s) {                                                                        \
    write_float_angles(f, n, place, amplitude, c, s);                                                                  \
  }                                                                                                                    \
  TARGET bool phasors_##NAME(const double* f, std::int64_t n, double place, double* c, double* s) {                    \
    return write_phasors_of<FUSED>(f, n, place, c, s);                                                                 \
  }                                                                                                                    \
  TARGET bool cosines_##NAME(const double* f, std::int64_t n, double place, double* c) {                               \
    return write_cosines_of<FUSED>(f, n, place, c);                                                                    \
  }                                                                                                                    \
  TARGET bool wrapped_##NAME(const double* f, std::int64_t n, double place, double* angles) {                          \
    return write_wrapped<FUSED>(f, n, place, angles);                                                                  \
  }                                                                                                                    \
  TARGET void rotate_float_##NAME(const double* c, const double* s, std::int64_t n, bool interleaved, const float* x,  \
                                  float* y) {                                                                          \
    rotate_pairs(c, s, n, interleaved, x, y);                                                                          \
  }                                                                                                                    \
  TARGET void rotate_double_##NAME(const double* c, const double* s, std::int64_t n, bool interleaved,                 \
                                   const double* x, double* y) {                                                       \
    rotate_pairs(c, s, n, interleaved, x, y);                                                                          \
  }                                                                                                                    \
  constexpr TablesPath kTables_##NAME = {#NAME,                                                                        \
                                         sum_float_##NAME,                                                             \
                                         sum_double_##NAME,                                                            \
                                         exact_sum_##NAME,                                                             \
                                         angles_float_##NAME,                                                          \
                                         angles_double_##NAME,                                                         \
                                         phasors_##NAME,                                                               \
                                         cosines_##NAME,                                                               \
                                         wrapped_##NAME,                                                               \
                                         rotate_float_##NAME,                                                          \
                                         rotate_double_##NAME};

ROPESCOPE_TABLES_LOOPS(portable, , false)
ROPESCOPE_TABLES_LOOPS(avx2, ROPESCOPE_TABLES_AVX2, true)
ROPESCOPE_TABLES_LOOPS(avx512, ROPESCOPE_TABLES_AVX512, true)
#undef ROPESCOPE_TABLES_LOOPS
// NOLINTEND(bugprone-macro-parentheses)

const TablesPath& tables_path() {
  return has_avx512() ? kTables_avx512 : has_avx2() ? kTables_avx2 : kTables_portable;
}

void sum_rows(const DdRow& a, const DdRow& b, std::int64_t pairs, double sign, float* cosine, float* sine) {
  tables_path().sum_float(a, b, pairs, sign, cosine, sine);
}
void sum_rows(const DdRow& a, const DdRow& b, std::int64_t pairs, double sign, double* cosine, double* sine) {
  tables_path().sum_double(a, b, pairs, sign, cosine, sine);
}
void float_angles(const float* f, std::int64_t pairs, float position, double amplitude, float* cosine, float* sine) {
  tables_path().angles_float(f, pairs, position, amplitude, cosine, sine);
}
void float_angles(const float* f, std::int64_t pairs, float position, double amplitude, double* cosine, double* sine) {
  tables_path().angles_double(f, pairs, position, amplitude, cosine, sine);
}

/// Phasors of indices 0 … count − 1 and all pairs.
struct DdTable {
  std::int64_t pairs = 0;
  std::array<std::vector<double>, 4> parts;  ///< cos, its rest, sin, its rest: [index × pairs]

  DdTable() = default;
  DdTable(std::int64_t count, std::int64_t width) : pairs(width) {
    for (std::vector<double>& part : parts) part.resize(static_cast<std::size_t>(count * width));
  }
  DdRow row(std::int64_t index) const {
    const std::int64_t at = index * pairs;
    return {parts[0].data() + at, parts[1].data() + at, parts[2].data() + at, parts[3].data() + at};
  }
  DdRowOut row_out(std::int64_t index) {
    const std::int64_t at = index * pairs;
    return {parts[0].data() + at, parts[1].data() + at, parts[2].data() + at, parts[3].data() + at};
  }
  void set(std::int64_t index, std::int64_t pair, const DdPhasor& phasor) {
    const auto at = static_cast<std::size_t>(index * pairs + pair);
    parts[0][at] = phasor.cosine.high, parts[1][at] = phasor.cosine.low;
    parts[2][at] = phasor.sine.high, parts[3][at] = phasor.sine.low;
  }
};

/// Squarings between two powers that are computed from the angle: each doubles the error.
constexpr int kSquarings = 6;

/// Returns e^{i·2^j·θ} for j = 0 … bits − 1.
DdTable powers_of_two(const Eigen::VectorXd& frequencies, int bits, const std::array<Dd, kLastPower + 1>& inverse) {
  DdTable powers(bits, frequencies.size());
  for (int bit = 0; bit < bits; ++bit) {
    if (bit % kSquarings != 0) {
      tables_path().exact_sum(powers.row(bit - 1), powers.row(bit - 1), powers.pairs, powers.row_out(bit));
      continue;
    }
    for (Eigen::Index pair = 0; pair < frequencies.size(); ++pair) {
      powers.set(bit, pair, exact_phasor(std::ldexp(frequencies[pair], bit), 0, inverse));
    }
  }
  return powers;
}

/// Returns the phasors of 0, 1, …, count − 1 times 2^first: each is a smaller one times a power of two. `amplitude`
/// multiplies all of them.
DdTable multiples(const DdTable& powers, int first, std::int64_t count, double amplitude) {
  DdTable table(count, powers.pairs);
  for (std::int64_t pair = 0; pair < powers.pairs; ++pair) table.set(0, pair, {{amplitude, 0}, {0, 0}});
  for (std::int64_t index = 1; index < count; ++index) {
    const int bit = std::bit_width(static_cast<std::uint64_t>(index)) - 1;
    tables_path().exact_sum(table.row(index - (std::int64_t{1} << bit)), powers.row(first + bit), powers.pairs,
                            table.row_out(index));
  }
  return table;
}

/// Positions whose phasors are correctly rounded: up to 2^24, with at most so many bits after the point.
constexpr double kMaxExactPosition = 0x1p24;
constexpr int kMaxScaleBits = 8;

/// Precondition: the position is at most kMaxExactPosition. A conversion is faster than std::floor, which is a call.
bool is_multiple(double position, int scale_bits) {
  const double scaled = position * static_cast<double>(1 << scale_bits);
  return scaled == static_cast<double>(static_cast<std::int64_t>(scaled));
}
bool is_exact_position(double position) {
  return std::abs(position) <= kMaxExactPosition && is_multiple(position, kMaxScaleBits);
}

// --- Rotation ------------------------------------------------------------------------------------------------------

void rotate_row(const double* cosine, const double* sine, const RowRotation& rotation, const float* from, float* to) {
  tables_path().rotate_float(cosine, sine, rotation.pairs, rotation.interleaved, from, to);
}
void rotate_row(const double* cosine, const double* sine, const RowRotation& rotation, const double* from, double* to) {
  tables_path().rotate_double(cosine, sine, rotation.pairs, rotation.interleaved, from, to);
}

}  // namespace

// --- Tables --------------------------------------------------------------------------------------------------------

/// An axis, prepared for its positions.
struct RotaryTables::Axis {
  TableLadder ladder;
  std::vector<float> float_frequencies;
  std::array<Dd, kLastPower + 1> inverse = inverse_factorials();
  double largest_frequency = 0;
  /// Positions times `scale` are integers high·2^low_bits + low. −1: each phasor is computed by itself.
  int low_bits = -1, scale_bits = 0;
  DdTable low, high;
  std::int64_t limit = 0;  ///< scaled positions from here on are not in the tables

  std::int64_t pairs() const { return ladder.frequencies.size(); }
  void prepare(std::int64_t farthest, std::int64_t count);
};

void RotaryTables::Axis::prepare(std::int64_t farthest, std::int64_t count) {
  const int bits = std::bit_width(static_cast<std::uint64_t>(farthest));
  const int half = (bits + 1) / 2;
  // A phasor of its own takes about as long as 40 entries of a table.
  constexpr std::int64_t kEntriesOfOne = 40;
  if (count * kEntriesOfOne < std::int64_t{2} << half) return;
  if (std::ldexp(static_cast<double>(farthest), -scale_bits) * largest_frequency >= kMaxExactAngle) return;
  const DdTable powers = powers_of_two(ladder.frequencies * std::ldexp(1.0, -scale_bits), std::max(1, bits), inverse);
  low_bits = half;
  low = multiples(powers, 0, std::int64_t{1} << half, 1);
  high = multiples(powers, half, (farthest >> half) + 1, ladder.amplitude);
  limit = farthest + 1;
}

RotaryTables::RotaryTables(std::vector<TableLadder> ladders, TableAngles angles, std::span<const double> positions)
    : angles_(angles), positions_(positions), rows_(static_cast<std::int64_t>(positions.size() / ladders.size())) {
  for (std::size_t index = 0; index < ladders.size(); ++index) {
    Axis axis;
    axis.ladder = std::move(ladders[index]);
    pairs_ += axis.pairs();
    if (axis.pairs() > 0) axis.largest_frequency = axis.ladder.frequencies.cwiseAbs().maxCoeff();
    for (const double frequency : axis.ladder.frequencies) {
      axis.float_frequencies.push_back(static_cast<float>(frequency));
    }
    axes_.push_back(std::move(axis));
  }
  if (angles == TableAngles::float32) return;
  for (std::size_t index = 0; index < axes_.size(); ++index) {
    double farthest = 0;
    std::int64_t count = 0;
    int& scale_bits = axes_[index].scale_bits;
    for (std::size_t at = index; at < positions.size(); at += axes_.size()) {
      if (!is_exact_position(positions[at])) continue;
      while (!is_multiple(positions[at], scale_bits)) ++scale_bits;
      farthest = std::max(farthest, std::abs(positions[at]));
      ++count;
    }
    farthest = std::min(std::ldexp(farthest, scale_bits), kMaxExactPosition);
    axes_[index].prepare(static_cast<std::int64_t>(farthest), count);
  }
}

RotaryTables::~RotaryTables() = default;
RotaryTables::RotaryTables(RotaryTables&&) noexcept = default;

template <class Real>
void RotaryTables::row_of_axis(const Axis& axis, double position, Real* cosine, Real* sine) const {
  const Eigen::VectorXd& frequencies = axis.ladder.frequencies;
  const double amplitude = axis.ladder.amplitude;
  if (angles_ == TableAngles::float32) {
    const auto rounded = static_cast<float>(position);
    if (std::abs(static_cast<double>(rounded) * axis.largest_frequency) < kMaxFloatAngle) {
      return float_angles(axis.float_frequencies.data(), axis.pairs(), rounded, amplitude, cosine, sine);
    }
    for (std::int64_t pair = 0; pair < axis.pairs(); ++pair) {
      const double angle = rounded * axis.float_frequencies[static_cast<std::size_t>(pair)];
      const auto found_cosine = static_cast<float>(std::cos(angle)), found_sine = static_cast<float>(std::sin(angle));
      cosine[pair] = static_cast<Real>(static_cast<float>(found_cosine * amplitude));
      sine[pair] = static_cast<Real>(static_cast<float>(found_sine * amplitude));
    }
    return;
  }
  const double distance = std::abs(position), sign = position < 0 ? -1 : 1;
  const double scaled = distance * static_cast<double>(1 << axis.scale_bits);
  const std::int64_t index = scaled < static_cast<double>(axis.limit) ? static_cast<std::int64_t>(scaled) : -1;
  if (axis.low_bits >= 0 && scaled == static_cast<double>(index)) {
    const std::int64_t low = index & ((std::int64_t{1} << axis.low_bits) - 1);
    return sum_rows(axis.high.row(index >> axis.low_bits), axis.low.row(low), axis.pairs(), sign, cosine, sine);
  }
  const bool exact = is_exact_position(position);
  for (std::int64_t pair = 0; pair < axis.pairs(); ++pair) {
    const double angle = frequencies[pair] * distance;
    const double rest = product_error<false>(frequencies[pair], distance, angle);
    DdPhasor found;
    if (exact && angle < kMaxExactAngle) {
      found = exact_phasor(angle, rest, axis.inverse);
    } else {
      const double c = std::cos(angle), s = std::sin(angle);
      found.cosine = {c * std::cos(rest) - s * std::sin(rest), 0};
      found.sine = {s * std::cos(rest) + c * std::sin(rest), 0};
    }
    const Dd c = found.cosine * Dd{amplitude, 0}, s = found.sine * Dd{amplitude, 0};
    cosine[pair] = static_cast<Real>(c.high + c.low);
    sine[pair] = static_cast<Real>(sign * (s.high + s.low));
  }
}

template <class Real>
void RotaryTables::rows(std::int64_t begin, std::int64_t count, TableColumns columns, Real* cosine, Real* sine) const {
  const auto bytes = static_cast<std::size_t>(pairs_) * sizeof(Real);
  std::vector<Real> once(columns == TableColumns::adjacent ? static_cast<std::size_t>(2 * pairs_) : 0);
  for (std::int64_t row = begin; row < begin + count; ++row) {
    Real* const to_cosine = once.empty() ? cosine : once.data();
    Real* const to_sine = once.empty() ? sine : once.data() + pairs_;
    std::int64_t first = 0;
    for (std::size_t index = 0; index < axes_.size(); ++index) {
      const Axis& axis = axes_[index];
      const double position = positions_[static_cast<std::size_t>(row) * axes_.size() + index];
      row_of_axis(axis, position, to_cosine + first, to_sine + first);
      first += axis.pairs();
    }
    if (columns == TableColumns::halves) {
      std::memcpy(cosine + pairs_, cosine, bytes);
      std::memcpy(sine + pairs_, sine, bytes);
    } else if (columns == TableColumns::adjacent) {
      for (std::int64_t pair = 0; pair < pairs_; ++pair) {
        cosine[2 * pair] = cosine[2 * pair + 1] = to_cosine[pair];
        sine[2 * pair] = sine[2 * pair + 1] = to_sine[pair];
      }
    }
    cosine += width(columns);
    sine += width(columns);
  }
}

template void RotaryTables::rows(std::int64_t, std::int64_t, TableColumns, float*, float*) const;
template void RotaryTables::rows(std::int64_t, std::int64_t, TableColumns, double*, double*) const;

const char* rotary_tables_path() {
  return tables_path().name;
}

template <class Real>
void rotate_rows(const RowRotation& rotation, std::span<const std::int64_t> table_rows, const Real* from, Real* to) {
  const std::int64_t still = rotation.channels - 2 * rotation.pairs;
  for (const std::int64_t row : table_rows) {
    rotate_row(rotation.cosine.data() + row * rotation.pairs, rotation.sine.data() + row * rotation.pairs, rotation,
               from, to);
    std::memmove(to + 2 * rotation.pairs, from + 2 * rotation.pairs, static_cast<std::size_t>(still) * sizeof(Real));
    from += rotation.channels;
    to += rotation.channels;
  }
}

template void rotate_rows(const RowRotation&, std::span<const std::int64_t>, const float*, float*);
template void rotate_rows(const RowRotation&, std::span<const std::int64_t>, const double*, double*);

// --- Phasors of one position ---------------------------------------------------------------------------------------

void write_phasors(std::span<const double> frequencies, double position, double* cosine, double* sine) {
  if (tables_path().phasors(frequencies.data(), std::ssize(frequencies), position, cosine, sine)) return;
  for (const double frequency : frequencies) {
    const double angle = frequency * position, c = std::cos(angle), s = std::sin(angle);
    const double rest = std::fma(frequency, position, -angle);
    const double rest_cosine = std::cos(rest), rest_sine = std::sin(rest);
    *cosine++ = c * rest_cosine - s * rest_sine;
    *sine++ = s * rest_cosine + c * rest_sine;
  }
}

void write_wrapped_angles(std::span<const double> frequencies, double position, double* angles) {
  if (tables_path().wrapped(frequencies.data(), std::ssize(frequencies), position, angles)) return;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    double cosine = 0, sine = 0;
    write_phasors(frequencies.subspan(i, 1), position, &cosine, &sine);
    const double angle = std::atan2(sine, cosine);
    const double positive = angle < 0 ? angle + kTurn : angle;
    angles[i] = positive < kTurn ? positive : 0;
  }
}

double sum_of_cosines(const Eigen::VectorXd& frequencies, double position) {
  constexpr std::size_t kAtOnce = 64, kSums = 8;
  const std::span<const double> all(frequencies.data(), static_cast<std::size_t>(frequencies.size()));
  std::array<double, kSums> sums{};
  for (std::size_t first = 0; first < all.size(); first += kAtOnce) {
    std::array<double, kAtOnce> cosine{};
    const auto some = all.subspan(first, std::min(kAtOnce, all.size() - first));
    if (!tables_path().cosines(some.data(), std::ssize(some), position, cosine.data())) {
      std::array<double, kAtOnce> sine{};
      write_phasors(some, position, cosine.data(), sine.data());
    }
    for (std::size_t i = 0; i < kAtOnce; i += kSums) {
      for (std::size_t k = 0; k < kSums; ++k) sums[k] += cosine[i + k];
    }
  }
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace ropescope
