#include <algorithm>

#include "core/training/piece.h"

// Attention of a piece, head by head. Queries, keys and values of a token stand side by side, [3·width].

namespace ropescope {

namespace {

/// Pairs of one head's vector, turned by their angles; `back`: the transpose.
template <class Cell>
void turn_vector(const Cell* cosine, const Cell* sine, int pairs, bool half_split, bool back, Cell* x) {
  const int apart = half_split ? pairs : 1, step = half_split ? 1 : 2;
  for (int pair = 0; pair < pairs; ++pair) {
    Cell& first = x[pair * step];
    Cell& second = x[pair * step + apart];
    const Cell s = back ? -sine[pair] : sine[pair];
    const Cell turned = cosine[pair] * first - s * second;
    second = s * first + cosine[pair] * second;
    first = turned;
  }
}

/// scores += the bias of each distance.
template <class Cell>
void add_biases(const Cell* biases, int length, Cell* scores) {
  for (int m = 0; m < length; ++m) {
    for (int n = 0; n < length; ++n) scores[m * length + n] += biases[m - n + length - 1];
  }
}

template <class Cell>
void add_bias_sums(const Cell* d_scores, int length, bool causal, Cell* d_biases) {
  for (int m = 0; m < length; ++m) {
    const int end = causal ? m + 1 : length;
    for (int n = 0; n < end; ++n) d_biases[m - n + length - 1] += d_scores[m * length + n];
  }
}

template <class Cell>
void hide_later(Cell* cells, int length) {
  for (int m = 0; m < length; ++m) std::fill(cells + m * length + m + 1, cells + (m + 1) * length, Cell{0});
}

}  // namespace

template <class Cell>
void Piece<Cell>::turn(const CellTables<Cell>& tables, Cell* qkv, bool back) const {
  const int width = shape_.width, head_width = shape_.head_width(), pairs = tables.from.pairs;
  const Cell scale = shape_.linear_attention ? Cell{1} : static_cast<Cell>(tables.from.scale);
  for (std::int64_t row = 0; row < rows_; ++row) {
    Cell* const query = qkv + row * 3 * width;
    const std::int64_t at = row % length_ * pairs;
    for (int head = 0; head < shape_.heads && pairs > 0; ++head) {
      Cell* const q = query + head * head_width;
      turn_vector(tables.query_cosine.data() + at, tables.query_sine.data() + at, pairs, tables.from.half_split, back,
                  q);
      turn_vector(tables.key_cosine.data() + at, tables.key_sine.data() + at, pairs, tables.from.half_split, back,
                  q + width);
    }
    for (int i = 0; i < width; ++i) query[i] *= scale;
  }
}

template <class Cell>
void Piece<Cell>::keep_features(const Layer& layer) const {
  const int width = shape_.width;
  for (std::int64_t row = 0; row < rows_; ++row) {
    elu_plus_one(layer.qkv + row * 3 * width, 2 * width);
    std::copy_n(layer.qkv + row * 3 * width, 2 * width, layer.phi + row * 2 * width);
  }
}

/// Eq. 19: the unrotated denominators, Σ_n φ(q_m)·φ(k_n).
template <class Cell>
void Piece<Cell>::divide_context(const Layer& layer) const {
  const int width = shape_.width, head_width = shape_.head_width();
  Cell* const keys = d_context_;  // free on the way forward
  for (int sequence = 0; sequence < sequences_; ++sequence) {
    const std::int64_t first = std::int64_t{sequence} * length_;
    std::fill_n(keys, width, Cell{0});
    if (!shape_.causal) {
      for (int n = 0; n < length_; ++n) add_cells(layer.phi + (first + n) * 2 * width + width, keys, width);
    }
    for (std::int64_t row = first; row < first + length_; ++row) {
      const Cell* const phi = layer.phi + row * 2 * width;
      if (shape_.causal) add_cells(phi + width, keys, width);
      for (int head = 0; head < shape_.heads; ++head) {
        Cell sum = 0;
        for (int i = head * head_width; i < (head + 1) * head_width; ++i) sum += phi[i] * keys[i];
        layer.sums[row * shape_.heads + head] = sum;
        for (int i = head * head_width; i < (head + 1) * head_width; ++i) layer.context[row * width + i] /= sum;
      }
    }
  }
}

template <class Cell>
void Piece<Cell>::attend(const Layer& layer, const CellTables<Cell>& tables) {
  const std::int64_t width = shape_.width, head_width = shape_.head_width(), square = std::int64_t{length_} * length_;
  if (shape_.linear_attention) keep_features(layer);
  turn(tables, layer.qkv, false);
  for (int sequence = 0; sequence < sequences_; ++sequence) {
    for (int head = 0; head < shape_.heads; ++head) {
      const std::int64_t first = std::int64_t{sequence} * length_;
      const Cell* const query = layer.qkv + first * 3 * width + head * head_width;
      const Cells<const Cell> q{query, length_, head_width, 3 * width};
      const Cells<const Cell> k{query + width, length_, head_width, 3 * width};
      const Cells<const Cell> v{query + 2 * width, length_, head_width, 3 * width};
      Cell* const weights = layer.weights + (std::int64_t{sequence} * shape_.heads + head) * square;
      multiply_.by_transposed(q, k, cells(weights, length_, length_), false, room_);
      if (shape_.linear_attention) {
        if (shape_.causal) hide_later(weights, length_);
      } else {
        if (!tables.biases.empty()) {
          add_biases(tables.biases.data() + head * (2 * std::int64_t{length_} - 1), length_, weights);
        }
        softmax_rows(weights, length_, length_, shape_.causal ? 1 : length_, shape_.causal ? 1 : 0);
      }
      multiply_.plain(cells<const Cell>(weights, length_, length_), v,
                      {layer.context + first * width + head * head_width, length_, head_width, width}, false, room_);
    }
  }
  if (shape_.linear_attention) divide_context(layer);
}

/// d_context becomes the gradient by the numerators; those by the denominators take the place of the denominators.
template <class Cell>
void Piece<Cell>::divide_backward(const Layer& layer) {
  const int width = shape_.width, head_width = shape_.head_width();
  for (std::int64_t row = 0; row < rows_; ++row) {
    for (int head = 0; head < shape_.heads; ++head) {
      Cell& sum = layer.sums[row * shape_.heads + head];
      Cell along = 0;
      for (int i = head * head_width; i < (head + 1) * head_width; ++i) {
        along += d_context_[row * width + i] * layer.context[row * width + i];
        d_context_[row * width + i] /= sum;
      }
      sum = -along / sum;
    }
  }
}

/// What the denominators say of φ(q) and φ(k), and through φ.
template <class Cell>
void Piece<Cell>::features_backward(const Layer& layer) const {
  const int width = shape_.width, head_width = shape_.head_width();
  Cell* const sums = d_context_;  // its own numbers have been used
  const auto add = [&](std::int64_t to, std::int64_t from, bool query) {
    // Of a query: d · Σ φ(k); of a key: Σ d · φ(q), which the sums hold already.
    Cell* const d = d_wide_ + to * 3 * width + (query ? 0 : width);
    for (int i = 0; i < width; ++i) {
      d[i] += query ? layer.sums[from * shape_.heads + i / head_width] * sums[i] : sums[i];
    }
  };
  const auto sum_key = [&](std::int64_t row) { add_cells(layer.phi + row * 2 * width + width, sums, width); };
  const auto sum_query = [&](std::int64_t row) {
    for (int i = 0; i < width; ++i) {
      sums[i] += layer.sums[row * shape_.heads + i / head_width] * layer.phi[row * 2 * width + i];
    }
  };
  for (int sequence = 0; sequence < sequences_; ++sequence) {
    const std::int64_t first = std::int64_t{sequence} * length_, end = first + length_;
    std::fill_n(sums, width, Cell{0});
    for (std::int64_t row = first; !shape_.causal && row < end; ++row) sum_key(row);
    for (std::int64_t row = first; row < end; ++row) {
      if (shape_.causal) sum_key(row);
      add(row, row, true);
    }
    std::fill_n(sums, width, Cell{0});
    for (std::int64_t row = first; !shape_.causal && row < end; ++row) sum_query(row);
    for (std::int64_t row = end; row-- > first;) {
      if (shape_.causal) sum_query(row);
      add(row, row, false);
    }
  }
  for (std::int64_t row = 0; row < rows_; ++row) {
    elu_plus_one_backward(layer.phi + row * 2 * width, d_wide_ + row * 3 * width, 2 * width);
  }
}

/// From d_context to the gradient by queries, keys and values, in d_wide [n × 3·width].
template <class Cell>
void Piece<Cell>::attend_backward(const Layer& layer, const CellTables<Cell>& tables) {
  const std::int64_t width = shape_.width, head_width = shape_.head_width(), square = std::int64_t{length_} * length_;
  if (shape_.linear_attention) divide_backward(layer);
  for (int sequence = 0; sequence < sequences_; ++sequence) {
    for (int head = 0; head < shape_.heads; ++head) {
      const std::int64_t first = std::int64_t{sequence} * length_;
      const std::int64_t at = first * 3 * width + head * head_width;
      const auto part = [&](Cell* data, int which) {
        return Cells<Cell>{data + at + which * width, length_, head_width, 3 * width};
      };
      const Cells<const Cell> d{d_context_ + first * width + head * head_width, length_, head_width, width};
      const Cells<const Cell> weights =
          cells<const Cell>(layer.weights + (std::int64_t{sequence} * shape_.heads + head) * square, length_, length_);
      const Cells<Cell> d_weights = cells(d_weights_, length_, length_);
      multiply_.transposed_by(weights, d, part(d_wide_, 2), false, room_);
      multiply_.by_transposed(d, part(layer.qkv, 2), d_weights, false, room_);
      if (shape_.linear_attention) {
        if (shape_.causal) hide_later(d_weights_, length_);
      } else {
        softmax_rows_backward(weights.data, d_weights_, length_, length_);
        if (tables.from.trained == TrainedPositions::buckets || tables.from.trained == TrainedPositions::kerple) {
          add_bias_sums(d_weights_, length_, shape_.causal, d_biases_ + head * (2 * std::int64_t{length_} - 1));
        }
      }
      multiply_.plain(d_weights, part(layer.qkv, 1), part(d_wide_, 0), false, room_);
      multiply_.transposed_by(d_weights, part(layer.qkv, 0), part(d_wide_, 1), false, room_);
    }
  }
  turn(tables, d_wide_, true);
  if (shape_.linear_attention) features_backward(layer);
}

template class Piece<float>;
template class Piece<double>;

}  // namespace ropescope
