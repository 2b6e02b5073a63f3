// Loops over cells between the products of a training step: norms, GELU, softmax, features. piece.h puts them between
// the products of multiply.h. Compiled without fused multiplication (core/flags.cmake), so that numbers do not depend
// on the processor.
#pragma once

#include <cstdint>

namespace ropescope {

// Loops over cells between the products. Sums run over a fixed number of lanes in a fixed order, and nothing is fused:
// the numbers are the same with registers of any width. Cell: float or double.

/// x̂ = (x − mean)/√(variance + 1e-5) and x̂·gain + shift, row by row; `inverse` [rows] keeps 1/√….
template <class Cell>
struct NormRows {
  std::int64_t rows, width;
  const Cell* gain;
  const Cell* shift;
  Cell* hat;
  Cell* inverse;
};
template <class Cell>
void normalize_rows(const NormRows<Cell>& norm, const Cell* x, Cell* out);
/// out = x̂·gain + shift again.
template <class Cell>
void renormalize_rows(const NormRows<Cell>& norm, Cell* out);
/// dx += the gradient by x of what normalize_rows wrote, d being that by its result; d_gain and d_shift are added to.
template <class Cell>
void normalize_rows_backward(const NormRows<Cell>& norm, const Cell* d, Cell* dx, Cell* d_gain, Cell* d_shift);

/// GELU by tanh, as BERT's own code computes it: x/2 (1 + tanh(√(2/π)(x + 0.044715 x³))).
template <class Cell>
void gelu(const Cell* x, Cell* out, std::int64_t count);
/// GELU of x into `out`; x becomes GELU'(x), so that the way back computes no exponential again.
template <class Cell>
void gelu_with_slope(Cell* x, Cell* out, std::int64_t count);
/// d *= slope
template <class Cell>
void multiply_cells(const Cell* slope, Cell* d, std::int64_t count);

/// Rows of scores `apart` cells apart, `columns` wide; of row i only the first limit(i) = first + i·step cells count
/// (at most `columns`), the rest is 0.
struct SoftmaxRows {
  std::int64_t rows, columns, apart, first, step;
};
/// Every row becomes its softmax.
template <class Cell>
void softmax_rows(Cell* x, const SoftmaxRows& shape);
template <class Cell>
void softmax_rows(Cell* x, std::int64_t rows, std::int64_t columns, std::int64_t first, std::int64_t step) {
  softmax_rows(x, SoftmaxRows{rows, columns, columns, first, step});
}
/// d becomes p∘(d − Σ p∘d), row by row: the gradient by what p is the softmax of, with the same limits.
template <class Cell>
void softmax_rows_backward(const Cell* p, Cell* d, const SoftmaxRows& shape);

/// Cross entropy of one row of logits against `target` in nats; the row becomes (softmax − one hot)·weight.
template <class Cell>
double cross_entropy(Cell* logits, std::int64_t count, std::int64_t target, Cell weight);

/// to += from
template <class Cell>
void add_cells(const Cell* from, Cell* to, std::int64_t count);
/// Every row gets `bias` [columns].
template <class Cell>
void add_to_rows(const Cell* bias, Cell* x, std::int64_t rows, std::int64_t columns);
/// bias += the sum of the rows.
template <class Cell>
void add_rows(const Cell* x, Cell* bias, std::int64_t rows, std::int64_t columns);
/// How the pairs of a head's vector turn by angles: c₀ = x₀ cos − x₁ sin, c₁ = x₀ sin + x₁ cos; `back`: the transpose.
template <class Cell>
struct PairTurn {
  const Cell* cosine;
  const Cell* sine;
  std::int64_t pairs;
  bool half_split, back;
};
/// Turns the first 2·pairs numbers of every head, x [heads × head_width].
template <class Cell>
void turn_heads(const PairTurn<Cell>& turn, Cell* x, std::int64_t heads, std::int64_t head_width);
/// elu(x) + 1: x + 1 above 0, eˣ below (RoFormer section 3.3, after Katharopoulos et al. 2020).
template <class Cell>
void elu_plus_one(Cell* x, std::int64_t count);
/// d · its derivative, from its value φ: 1 above 1, φ below.
template <class Cell>
void elu_plus_one_backward(const Cell* phi, Cell* d, std::int64_t count);

/// Performer's positive random features (FAVOR+, Choromanski et al., arXiv 2009.14794, lemma 1), as many as a head has
/// channels. `directions` [channels × features]: ω/d^¼, transposed. With e_j = ω_j·y − |y|²/2, y = x/d^¼: of a query
/// exp(e_j − max e), whose factor cancels with the denominator; of a key exp(e_j) + 1e-6, so that no denominator is 0
/// and no key changes what others say.
template <class Cell>
struct RandomFeatures {
  const Cell* directions;
  std::int64_t head_width;
  bool of_query;
};
/// φ takes the place of x [heads × head_width].
template <class Cell>
void take_random_features(const RandomFeatures<Cell>& features, Cell* x, std::int64_t heads);
/// d, the gradient by φ, becomes that by x.
template <class Cell>
void random_features_backward(const RandomFeatures<Cell>& features, const Cell* x, const Cell* phi, Cell* d,
                              std::int64_t heads);

/// A step of AdamW (Loshchilov and Hutter 2019, algorithm 2) on some cells.
struct AdamStep {
  double rate = 1e-3, first_decay = 0.9, second_decay = 0.99, epsilon = 1e-8, weight_decay = 0;
  double gradient_scale = 1;                           ///< of clipping
  double first_correction = 1, second_correction = 1;  ///< 1 − βᵗ
};
template <class Cell>
void adam_step(const AdamStep& step, const Cell* gradient, Cell* first, Cell* second, Cell* x, std::int64_t count);

}  // namespace ropescope
