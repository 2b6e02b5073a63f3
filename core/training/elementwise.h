// Elementwise loops of a training step: norms, GELU, softmax, features. piece.h calls them between the products of
// multiply.h. Compiled without fused multiplication (core/flags.cmake), so results do not depend on the processor.
#pragma once

#include <cstdint>

namespace ropescope {

// Sums run over a fixed number of lanes in a fixed order, and no operations are fused: results are identical for
// registers of any width. Cell: float or double.

/// Computes x̂ = (x − mean)/√(variance + 1e-5) and x̂·gain + shift per row; `inverse` [rows] receives 1/√….
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
/// Recomputes out = x̂·gain + shift.
template <class Cell>
void renormalize_rows(const NormRows<Cell>& norm, Cell* out);
/// Adds the gradients of normalize_rows, given the gradient d of its result, to dx, d_gain and d_shift.
template <class Cell>
void normalize_rows_backward(const NormRows<Cell>& norm, const Cell* d, Cell* dx, Cell* d_gain, Cell* d_shift);

/// Computes GELU by tanh, as in BERT's code: x/2 (1 + tanh(√(2/π)(x + 0.044715 x³))).
template <class Cell>
void gelu(const Cell* x, Cell* out, std::int64_t count);
/// Writes GELU(x) to `out` and replaces x by GELU'(x), so the backward pass computes no exponential.
template <class Cell>
void gelu_with_slope(Cell* x, Cell* out, std::int64_t count);
/// Computes d *= slope.
template <class Cell>
void multiply_cells(const Cell* slope, Cell* d, std::int64_t count);

/// Rows of scores, `apart` cells from row to row and `columns` wide. Only the first limit(i) = first + i·step cells of
/// row i count (at most `columns`); the others become 0.
struct SoftmaxRows {
  std::int64_t rows, columns, apart, first, step;
};
/// Replaces every row by its softmax.
template <class Cell>
void softmax_rows(Cell* x, const SoftmaxRows& shape);
template <class Cell>
void softmax_rows(Cell* x, std::int64_t rows, std::int64_t columns, std::int64_t first, std::int64_t step) {
  softmax_rows(x, SoftmaxRows{rows, columns, columns, first, step});
}
/// Replaces d by p∘(d − Σ p∘d) per row, the gradient with respect to the arguments of softmax, with the same limits.
template <class Cell>
void softmax_rows_backward(const Cell* p, Cell* d, const SoftmaxRows& shape);

/// Returns the cross entropy of a row of logits against `target` in nats; the row becomes (softmax − one hot)·weight.
template <class Cell>
double cross_entropy(Cell* logits, std::int64_t count, std::int64_t target, Cell weight);

/// Computes to += from.
template <class Cell>
void add_cells(const Cell* from, Cell* to, std::int64_t count);
/// Adds `bias` [columns] to every row.
template <class Cell>
void add_to_rows(const Cell* bias, Cell* x, std::int64_t rows, std::int64_t columns);
/// Adds the sum of the rows to `bias`.
template <class Cell>
void add_rows(const Cell* x, Cell* bias, std::int64_t rows, std::int64_t columns);
/// Rotation of the pairs of a head's vector by angles: c₀ = x₀ cos − x₁ sin, c₁ = x₀ sin + x₁ cos; `back`: transposed.
template <class Cell>
struct PairTurn {
  const Cell* cosine;
  const Cell* sine;
  std::int64_t pairs;
  bool half_split, back;
};
/// Rotates the first 2·pairs channels of every head, x [heads × head_width].
template <class Cell>
void turn_heads(const PairTurn<Cell>& turn, Cell* x, std::int64_t heads, std::int64_t head_width);
/// Computes elu(x) + 1: x + 1 above 0, eˣ below (RoFormer section 3.3, after Katharopoulos et al. 2020).
template <class Cell>
void elu_plus_one(Cell* x, std::int64_t count);
/// Multiplies d by the derivative, computed from the value φ: 1 above 1, φ below.
template <class Cell>
void elu_plus_one_backward(const Cell* phi, Cell* d, std::int64_t count);

/// Performer's positive random features (FAVOR+, Choromanski et al., arXiv 2009.14794, lemma 1), as many as a head has
/// channels. `directions` [channels × features]: ω/d^¼, transposed. With e_j = ω_j·y − |y|²/2, y = x/d^¼, the query's
/// feature is exp(e_j − max e), whose factor cancels with the denominator. The key's feature is exp(e_j) + 1e-6, so no
/// denominator is 0 and features of keys are independent of each other.
template <class Cell>
struct RandomFeatures {
  const Cell* directions;
  std::int64_t head_width;
  bool of_query;
};
/// Replaces x [heads × head_width] by φ.
template <class Cell>
void take_random_features(const RandomFeatures<Cell>& features, Cell* x, std::int64_t heads);
/// Replaces d, the gradient with respect to φ, by that with respect to x.
template <class Cell>
void random_features_backward(const RandomFeatures<Cell>& features, const Cell* x, const Cell* phi, Cell* d,
                              std::int64_t heads);

/// One step of AdamW (Loshchilov and Hutter 2019, algorithm 2) on a range of cells.
struct AdamStep {
  double rate = 1e-3, first_decay = 0.9, second_decay = 0.99, epsilon = 1e-8, weight_decay = 0;
  double gradient_scale = 1;                           ///< factor from clipping
  double first_correction = 1, second_correction = 1;  ///< 1 − βᵗ
};
template <class Cell>
void adam_step(const AdamStep& step, const Cell* gradient, Cell* first, Cell* second, Cell* x, std::int64_t count);

}  // namespace ropescope
