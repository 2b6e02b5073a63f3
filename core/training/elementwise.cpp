// Elementwise loops of a training step, with sums over a fixed number of lanes. Read elementwise.h first.

#include "core/training/elementwise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/machine.h"
#include "core/training/multiply.h"

// Every loop below is compiled three times: for all processors, for AVX2 and for AVX-512 (core/machine.h).

namespace ropescope {

namespace {

constexpr int kSumLanes = 16;

/// Returns eˣ to 2 units in the last place, without branches (Cody–Waite reduction, polynomial of Cephes' expf).
ROPESCOPE_INLINE float exponential(float x) {
  x = x < kExponentialLimits.least ? kExponentialLimits.least : x;
  x = x > kExponentialLimits.most ? kExponentialLimits.most : x;
  constexpr float kRound = 12582912.0f;  // 1.5 · 2^23: adding it leaves an integer in the last bits
  const float shifted = x * 1.44269504f + kRound;
  const float n = shifted - kRound;
  const float r = x - n * 0.693359375f + n * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  // The last bits of `shifted` are n. For NaN they are arbitrary, and p is NaN.
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kRound) + 127;
  return p * std::bit_cast<float>(exponent << 23);
}
ROPESCOPE_INLINE double exponential(double x) {
  return std::exp(x);
}

template <class Cell>
ROPESCOPE_INLINE Cell sum_of_lanes(const Cell (&lanes)[kSumLanes]) {
  Cell sum = 0;
  for (int i = 0; i < kSumLanes; ++i) sum += lanes[i];
  return sum;
}

/// Returns Σ of(i), summed in lanes.
template <class Cell, class Of>
ROPESCOPE_INLINE Cell sum(std::int64_t count, const Of& of) {
  Cell lanes[kSumLanes] = {};
  std::int64_t i = 0;
  for (; i + kSumLanes <= count; i += kSumLanes) {
    for (int lane = 0; lane < kSumLanes; ++lane) lanes[lane] += of(i + lane);
  }
  for (; i < count; ++i) lanes[i % kSumLanes] += of(i);
  return sum_of_lanes(lanes);
}

template <class Cell>
ROPESCOPE_INLINE Cell largest_cell(const Cell* x, std::int64_t count) {
  Cell lanes[kSumLanes];
  for (Cell& lane : lanes) lane = -std::numeric_limits<Cell>::infinity();
  std::int64_t i = 0;
  for (; i + kSumLanes <= count; i += kSumLanes) {
    for (int lane = 0; lane < kSumLanes; ++lane) lanes[lane] = x[i + lane] > lanes[lane] ? x[i + lane] : lanes[lane];
  }
  for (; i < count; ++i) lanes[0] = x[i] > lanes[0] ? x[i] : lanes[0];
  return *std::max_element(lanes, lanes + kSumLanes);
}

struct Normalize {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const NormRows<Cell>& norm, const Cell* x, Cell* out) {
    const std::int64_t width = norm.width;
    for (std::int64_t row = 0; row < norm.rows; ++row) {
      const Cell* const from = x + row * width;
      Cell* const hat = norm.hat + row * width;
      Cell* const to = out + row * width;
      const Cell mean = sum<Cell>(width, [&](std::int64_t i) { return from[i]; }) / static_cast<Cell>(width);
      const Cell variance = sum<Cell>(width, [&](std::int64_t i) { return (from[i] - mean) * (from[i] - mean); }) /
                            static_cast<Cell>(width);
      const Cell inverse = 1 / std::sqrt(variance + Cell(1e-5));
      norm.inverse[row] = inverse;
      for (std::int64_t i = 0; i < width; ++i) {
        hat[i] = (from[i] - mean) * inverse;
        to[i] = hat[i] * norm.gain[i] + norm.shift[i];
      }
    }
  }
};

struct Renormalize {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const NormRows<Cell>& norm, Cell* out) {
    for (std::int64_t row = 0; row < norm.rows; ++row) {
      const Cell* const hat = norm.hat + row * norm.width;
      Cell* const to = out + row * norm.width;
      for (std::int64_t i = 0; i < norm.width; ++i) to[i] = hat[i] * norm.gain[i] + norm.shift[i];
    }
  }
};

struct NormalizeBackward {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const NormRows<Cell>& norm, const Cell* d, Cell* dx, Cell* d_gain, Cell* d_shift) {
    const std::int64_t width = norm.width;
    for (std::int64_t row = 0; row < norm.rows; ++row) {
      const Cell* const hat = norm.hat + row * width;
      const Cell* const from = d + row * width;
      Cell* const to = dx + row * width;
      const Cell* const gain = norm.gain;
      const auto by_hat = [&](std::int64_t i) { return from[i] * gain[i]; };
      const Cell mean = sum<Cell>(width, by_hat) / static_cast<Cell>(width);
      const Cell along =
          sum<Cell>(width, [&](std::int64_t i) { return from[i] * gain[i] * hat[i]; }) / static_cast<Cell>(width);
      const Cell inverse = norm.inverse[row];
      for (std::int64_t i = 0; i < width; ++i) to[i] += inverse * (from[i] * gain[i] - mean - hat[i] * along);
      for (std::int64_t i = 0; i < width; ++i) d_gain[i] += from[i] * hat[i];
      for (std::int64_t i = 0; i < width; ++i) d_shift[i] += from[i];
    }
  }
};

// kSlope is 2·√(2/π): x/2 (1 + tanh u) equals x/(1 + e^(−2u)).
constexpr double kSlope = 1.5957691216057308, kCubic = 0.044715;

struct Gelu {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const Cell* x, Cell* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Cell u = Cell(kSlope) * x[i] * (1 + Cell(kCubic) * x[i] * x[i]);
      out[i] = x[i] / (1 + exponential(-u));
    }
  }
};

struct GeluWithSlope {
  template <class Cell>
  ROPESCOPE_INLINE static void run(Cell* x, Cell* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Cell number = x[i], square = number * number;
      const Cell part = 1 / (1 + exponential(-(Cell(kSlope) * number * (1 + Cell(kCubic) * square))));
      const Cell slope = Cell(kSlope) * (1 + Cell(3 * kCubic) * square);
      out[i] = number * part;
      x[i] = part + number * part * (1 - part) * slope;
    }
  }
};

struct Multiply {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const Cell* slope, Cell* d, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) d[i] *= slope[i];
  }
};

struct Softmax {
  template <class Cell>
  ROPESCOPE_INLINE static void run(Cell* x, const SoftmaxRows& shape) {
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      Cell* const to = x + row * shape.apart;
      const std::int64_t limit = std::min(shape.columns, shape.first + row * shape.step);
      const Cell top = largest_cell(to, limit);
      for (std::int64_t i = 0; i < limit; ++i) to[i] = exponential(to[i] - top);
      const Cell share = 1 / sum<Cell>(limit, [&](std::int64_t i) { return to[i]; });
      for (std::int64_t i = 0; i < limit; ++i) to[i] *= share;
      for (std::int64_t i = limit; i < shape.columns; ++i) to[i] = 0;
    }
  }
};

struct SoftmaxBackward {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const Cell* p, Cell* d, const SoftmaxRows& shape) {
    for (std::int64_t row = 0; row < shape.rows; ++row) {
      const Cell* const weight = p + row * shape.apart;
      Cell* const to = d + row * shape.apart;
      const std::int64_t limit = std::min(shape.columns, shape.first + row * shape.step);
      const Cell mean = sum<Cell>(limit, [&](std::int64_t i) { return weight[i] * to[i]; });
      for (std::int64_t i = 0; i < limit; ++i) to[i] = weight[i] * (to[i] - mean);
      for (std::int64_t i = limit; i < shape.columns; ++i) to[i] = 0;
    }
  }
};

struct Entropy {
  template <class Cell>
  ROPESCOPE_INLINE static double run(Cell* logits, std::int64_t count, std::int64_t target, Cell weight) {
    const Cell top = largest_cell(logits, count);
    const Cell wanted = logits[target] - top;
    for (std::int64_t i = 0; i < count; ++i) logits[i] = exponential(logits[i] - top);
    const Cell total = sum<Cell>(count, [&](std::int64_t i) { return logits[i]; });
    const Cell share = weight / total;
    for (std::int64_t i = 0; i < count; ++i) logits[i] *= share;
    logits[target] -= weight;
    return std::log(static_cast<double>(total)) - static_cast<double>(wanted);
  }
};

struct Adam {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const AdamStep& step, const Cell* gradient, Cell* first, Cell* second, Cell* x,
                                   std::int64_t count) {
    const auto b1 = static_cast<Cell>(step.first_decay), b2 = static_cast<Cell>(step.second_decay);
    const auto c1 = static_cast<Cell>(1 - step.first_decay), c2 = static_cast<Cell>(1 - step.second_decay);
    const auto scale = static_cast<Cell>(step.gradient_scale), epsilon = static_cast<Cell>(step.epsilon);
    const auto keep = static_cast<Cell>(1 - step.rate * step.weight_decay);
    const auto rate = static_cast<Cell>(step.rate / step.first_correction);
    const auto spread = static_cast<Cell>(1 / step.second_correction);
    for (std::int64_t i = 0; i < count; ++i) {
      const Cell g = gradient[i] * scale;
      first[i] = b1 * first[i] + c1 * g;
      second[i] = b2 * second[i] + c2 * g * g;
      x[i] = keep * x[i] - rate * first[i] / (std::sqrt(second[i] * spread) + epsilon);
    }
  }
};

struct AddRows {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const Cell* x, std::int64_t x_step, Cell* to, std::int64_t to_step,
                                   std::int64_t rows, std::int64_t columns) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < columns; ++i) to[row * to_step + i] += x[row * x_step + i];
    }
  }
};

struct Turn {
  /// Rotates all pairs: kStep cells from pair to pair, `apart` between the channels of a pair.
  template <int kStep, class Cell>
  ROPESCOPE_INLINE static void pairs(const PairTurn<Cell>& turn, Cell sign, Cell* x, std::int64_t apart) {
    const Cell* __restrict const cosine = turn.cosine;
    const Cell* __restrict const sine = turn.sine;
    Cell* __restrict const first = x;
    for (std::int64_t pair = 0; pair < turn.pairs; ++pair) {
      const Cell a = first[pair * kStep], b = first[pair * kStep + apart], s = sign * sine[pair];
      first[pair * kStep] = cosine[pair] * a - s * b;
      first[pair * kStep + apart] = s * a + cosine[pair] * b;
    }
  }
  template <class Cell>
  ROPESCOPE_INLINE static void run(const PairTurn<Cell>& turn, Cell* x, std::int64_t heads, std::int64_t head_width) {
    const Cell sign = turn.back ? Cell{-1} : Cell{1};
    for (std::int64_t head = 0; head < heads; ++head) {
      if (turn.half_split) {
        pairs<1>(turn, sign, x + head * head_width, turn.pairs);
      } else {
        pairs<2>(turn, sign, x + head * head_width, 1);
      }
    }
  }
};

constexpr std::int64_t kMaxHeadWidth = 256;  // the limit of validate(ModelShape)
constexpr double kMinFeature = 1e-6;

struct TakeFeatures {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const RandomFeatures<Cell>& features, Cell* x, std::int64_t heads) {
    const std::int64_t width = features.head_width;
    const Cell half = Cell(0.5) / std::sqrt(static_cast<Cell>(width));
    for (Cell* head = x; head < x + heads * width; head += width) {
      Cell exponents[kMaxHeadWidth] = {};
      for (std::int64_t i = 0; i < width; ++i) {
        const Cell* const row = features.directions + i * width;
        for (std::int64_t j = 0; j < width; ++j) exponents[j] += head[i] * row[j];
      }
      // For a query, |y|²/2 would cancel with the denominator; the largest exponent is subtracted instead.
      const Cell off = features.of_query ? largest_cell(exponents, width)
                                         : half * sum<Cell>(width, [&](std::int64_t i) { return head[i] * head[i]; });
      const Cell least = features.of_query ? Cell{0} : static_cast<Cell>(kMinFeature);
      for (std::int64_t j = 0; j < width; ++j) head[j] = exponential(exponents[j] - off) + least;
    }
  }
};

struct FeaturesBackward {
  template <class Cell>
  ROPESCOPE_INLINE static void run(const RandomFeatures<Cell>& features, const Cell* x, const Cell* phi, Cell* d,
                                   std::int64_t heads) {
    const std::int64_t width = features.head_width;
    const Cell shrink = 1 / std::sqrt(static_cast<Cell>(width));
    const Cell least = features.of_query ? Cell{0} : static_cast<Cell>(kMinFeature);
    for (std::int64_t at = 0; at < heads * width; at += width) {
      Cell by_exponent[kMaxHeadWidth];
      for (std::int64_t j = 0; j < width; ++j) by_exponent[j] = d[at + j] * (phi[at + j] - least);
      // A query's subtracted maximum is a factor that cancels with the denominator, as |y|²/2 would.
      const Cell along =
          features.of_query ? Cell{0} : shrink * sum<Cell>(width, [&](std::int64_t j) { return by_exponent[j]; });
      for (std::int64_t i = 0; i < width; ++i) {
        const Cell* const row = features.directions + i * width;
        d[at + i] = sum<Cell>(width, [&](std::int64_t j) { return by_exponent[j] * row[j]; }) - along * x[at + i];
      }
    }
  }
};

template <class Loop, class... Values>
ROPESCOPE_AVX512 auto run_avx512(Values... values) {
  return Loop::run(values...);
}
template <class Loop, class... Values>
ROPESCOPE_AVX2 auto run_avx2(Values... values) {
  return Loop::run(values...);
}
template <class Loop, class... Values>
auto run_plain(Values... values) {
  return Loop::run(values...);
}
template <class Loop, class... Values>
auto on_this_machine(Values... values) {
  if (has_avx512()) return run_avx512<Loop>(values...);
  return has_avx2() ? run_avx2<Loop>(values...) : run_plain<Loop>(values...);
}

}  // namespace

template <class Cell>
void normalize_rows(const NormRows<Cell>& norm, const Cell* x, Cell* out) {
  on_this_machine<Normalize>(norm, x, out);
}
template <class Cell>
void renormalize_rows(const NormRows<Cell>& norm, Cell* out) {
  on_this_machine<Renormalize>(norm, out);
}
template <class Cell>
void normalize_rows_backward(const NormRows<Cell>& norm, const Cell* d, Cell* dx, Cell* d_gain, Cell* d_shift) {
  on_this_machine<NormalizeBackward>(norm, d, dx, d_gain, d_shift);
}
template <class Cell>
void gelu(const Cell* x, Cell* out, std::int64_t count) {
  on_this_machine<Gelu>(x, out, count);
}
template <class Cell>
void gelu_with_slope(Cell* x, Cell* out, std::int64_t count) {
  on_this_machine<GeluWithSlope>(x, out, count);
}
template <class Cell>
void multiply_cells(const Cell* slope, Cell* d, std::int64_t count) {
  on_this_machine<Multiply>(slope, d, count);
}
template <class Cell>
void softmax_rows(Cell* x, const SoftmaxRows& shape) {
  on_this_machine<Softmax>(x, shape);
}
template <class Cell>
void softmax_rows_backward(const Cell* p, Cell* d, const SoftmaxRows& shape) {
  on_this_machine<SoftmaxBackward>(p, d, shape);
}
template <class Cell>
double cross_entropy(Cell* logits, std::int64_t count, std::int64_t target, Cell weight) {
  return on_this_machine<Entropy>(logits, count, target, weight);
}
template <class Cell>
void adam_step(const AdamStep& step, const Cell* gradient, Cell* first, Cell* second, Cell* x, std::int64_t count) {
  on_this_machine<Adam>(step, gradient, first, second, x, count);
}

template <class Cell>
void add_cells(const Cell* from, Cell* to, std::int64_t count) {
  on_this_machine<AddRows>(from, std::int64_t{0}, to, std::int64_t{0}, std::int64_t{1}, count);
}
template <class Cell>
void add_to_rows(const Cell* bias, Cell* x, std::int64_t rows, std::int64_t columns) {
  on_this_machine<AddRows>(bias, std::int64_t{0}, x, columns, rows, columns);
}
template <class Cell>
void add_rows(const Cell* x, Cell* bias, std::int64_t rows, std::int64_t columns) {
  on_this_machine<AddRows>(x, columns, bias, std::int64_t{0}, rows, columns);
}
template <class Cell>
void turn_heads(const PairTurn<Cell>& turn, Cell* x, std::int64_t heads, std::int64_t head_width) {
  on_this_machine<Turn>(turn, x, heads, head_width);
}
template <class Cell>
void elu_plus_one(Cell* x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) x[i] = x[i] > 0 ? x[i] + 1 : exponential(x[i]);
}
template <class Cell>
void elu_plus_one_backward(const Cell* phi, Cell* d, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) d[i] *= phi[i] > 1 ? Cell{1} : phi[i];
}

template <class Cell>
void take_random_features(const RandomFeatures<Cell>& features, Cell* x, std::int64_t heads) {
  on_this_machine<TakeFeatures>(features, x, heads);
}
template <class Cell>
void random_features_backward(const RandomFeatures<Cell>& features, const Cell* x, const Cell* phi, Cell* d,
                              std::int64_t heads) {
  on_this_machine<FeaturesBackward>(features, x, phi, d, heads);
}

#define ROPESCOPE_CELL(Cell)                                                                      \
  template void normalize_rows(const NormRows<Cell>&, const Cell*, Cell*);                        \
  template void renormalize_rows(const NormRows<Cell>&, Cell*);                                   \
  template void normalize_rows_backward(const NormRows<Cell>&, const Cell*, Cell*, Cell*, Cell*); \
  template void gelu(const Cell*, Cell*, std::int64_t);                                           \
  template void gelu_with_slope(Cell*, Cell*, std::int64_t);                                      \
  template void multiply_cells(const Cell*, Cell*, std::int64_t);                                 \
  template void softmax_rows(Cell*, const SoftmaxRows&);                                          \
  template void softmax_rows_backward(const Cell*, Cell*, const SoftmaxRows&);                    \
  template double cross_entropy(Cell*, std::int64_t, std::int64_t, Cell);                         \
  template void adam_step(const AdamStep&, const Cell*, Cell*, Cell*, Cell*, std::int64_t);       \
  template void add_cells(const Cell*, Cell*, std::int64_t);                                      \
  template void add_to_rows(const Cell*, Cell*, std::int64_t, std::int64_t);                      \
  template void add_rows(const Cell*, Cell*, std::int64_t, std::int64_t);                         \
  template void turn_heads(const PairTurn<Cell>&, Cell*, std::int64_t, std::int64_t);             \
  template void elu_plus_one(Cell*, std::int64_t);                                                \
  template void elu_plus_one_backward(const Cell*, Cell*, std::int64_t);                          \
  template void take_random_features(const RandomFeatures<Cell>&, Cell*, std::int64_t);           \
  template void random_features_backward(const RandomFeatures<Cell>&, const Cell*, const Cell*, Cell*, std::int64_t);
ROPESCOPE_CELL(float)
ROPESCOPE_CELL(double)
#undef ROPESCOPE_CELL

}  // namespace ropescope
