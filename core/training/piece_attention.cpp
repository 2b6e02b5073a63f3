#include <algorithm>

#include "core/training/piece.h"

// Attention of a piece, head by head. Queries, keys and values of a token stand side by side, [3·width].

namespace ropescope {

template <class Cell>
void Piece<Cell>::turn(const Way& way, Cell* qkv, Rows rows, bool back) const {
  const CellTables<Cell>& tables = way.tables;
  const int width = shape_.width, head_width = shape_.head_width(), pairs = tables.from.pairs;
  const Cell scale = shape_.linear_attention ? Cell{1} : static_cast<Cell>(tables.from.scale);
  for (std::int64_t row = rows.begin; row < rows.begin + rows.count; ++row) {
    Cell* const query = qkv + row * 3 * width;
    const std::int64_t at = row % length_ * pairs;
    const PairTurn<Cell> of_query{tables.query_cosine.data() + at, tables.query_sine.data() + at, pairs,
                                  tables.from.half_split, back};
    const PairTurn<Cell> of_key{tables.key_cosine.data() + at, tables.key_sine.data() + at, pairs,
                                tables.from.half_split, back};
    if (pairs > 0) {
      turn_heads(of_query, query, shape_.heads, head_width);
      turn_heads(of_key, query + width, shape_.heads, head_width);
    }
    for (int i = 0; i < width; ++i) query[i] *= scale;
  }
}

template <class Cell>
void Piece<Cell>::keep_features(const Way& way, const Layer& layer, Rows rows) const {
  const int width = shape_.width;
  for (std::int64_t row = rows.begin; row < rows.begin + rows.count; ++row) {
    Cell* const query = layer.qkv + row * 3 * width;
    if (shape_.random_features) std::copy_n(query, 2 * width, layer.asked + row * 2 * width);
    take_features(way.tables, shape_, query);
    std::copy_n(query, 2 * width, layer.phi + row * 2 * width);
  }
}

/// Eq. 19: the unrotated denominators, Σ_n φ(q_m)·φ(k_n), of a sequence.
template <class Cell>
void Piece<Cell>::divide_context(const Layer& layer, Rows rows) const {
  const int width = shape_.width, head_width = shape_.head_width();
  Cell* const keys = d_context_;  // free on the way forward
  std::fill_n(keys, width, Cell{0});
  const std::int64_t end = rows.begin + rows.count;
  for (std::int64_t row = rows.begin; !shape_.causal && row < end; ++row) {
    add_cells(layer.phi + row * 2 * width + width, keys, width);
  }
  for (std::int64_t row = rows.begin; row < end; ++row) {
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

/// Queries (0), keys (1) or values (2) of a head of a sequence, or the gradient by them.
template <class Cell>
Cells<Cell> Piece<Cell>::part(Cell* qkv, Head at, int which) const {
  const std::int64_t width = shape_.width, head_width = shape_.head_width();
  return {qkv + at.sequence * length_ * 3 * width + which * width + at.head * head_width, length_, head_width,
          3 * width};
}

/// Scores of some rows become weights; both [rows.count × last_seen(rows)], rows `length` apart.
template <class Cell>
void Piece<Cell>::weigh(const Way& way, Cell* weights, std::int64_t head, Rows rows) const {
  const std::int64_t seen = last_seen(rows);
  if (shape_.linear_attention) {
    for (std::int64_t i = 0; shape_.causal && i < rows.count; ++i) {
      std::fill(weights + i * length_ + rows.begin + i + 1, weights + i * length_ + seen, Cell{0});
    }
    return;
  }
  if (!way.tables.biases.empty()) {
    // By m − n + length − 1: backwards along a row.
    const Cell* const biases = way.tables.biases.data() + head * (2 * std::int64_t{length_} - 1) + length_ - 1;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      for (std::int64_t n = 0; n < seen; ++n) weights[i * length_ + n] += biases[rows.begin + i - n];
    }
  }
  softmax_rows(weights, {rows.count, seen, length_, shape_.causal ? rows.begin + 1 : seen, shape_.causal ? 1 : 0});
}

/// d_weights become d_scores, and what these say of the biases is summed.
template <class Cell>
void Piece<Cell>::weigh_backward(const Way& way, const Cell* weights, std::int64_t head, Rows rows) {
  const std::int64_t seen = last_seen(rows);
  Cell* const d = d_weights_ + rows.begin * length_;
  if (shape_.linear_attention) {
    for (std::int64_t i = 0; shape_.causal && i < rows.count; ++i) {
      std::fill(d + i * length_ + rows.begin + i + 1, d + i * length_ + seen, Cell{0});
    }
    return;
  }
  softmax_rows_backward(weights, d,
                        {rows.count, seen, length_, shape_.causal ? rows.begin + 1 : seen, shape_.causal ? 1 : 0});
  const TrainedPositions trained = way.tables.from.trained;
  if (trained != TrainedPositions::buckets && trained != TrainedPositions::kerple) return;
  Cell* const d_biases = d_biases_ + head * (2 * std::int64_t{length_} - 1) + length_ - 1;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const std::int64_t end = shape_.causal ? rows.begin + i + 1 : length_;
    for (std::int64_t n = 0; n < end; ++n) d_biases[rows.begin + i - n] += d[i * length_ + n];
  }
}

/// Of a causal model nothing is computed above the diagonal but what shares a block with it.
template <class Cell>
bool Piece<Cell>::attend_head(const Way& way, const Layer& layer, Head at) {
  const std::int64_t width = shape_.width, head_width = shape_.head_width(), square = std::int64_t{length_} * length_;
  const Cells<Cell> queries = part(layer.qkv, at, 0);
  const PackedCells<Cell> keys = multiply_.pack_transposed(part(layer.qkv, at, 1), room_);
  const PackedCells<Cell> values = multiply_.pack(part(layer.qkv, at, 2), room_ + multiply_.room(head_width, length_));
  Cell* const all = layer.weights + (at.sequence * shape_.heads + at.head) * square;
  Cell* const context = layer.context + at.sequence * length_ * width + at.head * head_width;
  return for_rows(length_, multiply_.rows_at_once(), 2 * length_ * head_width, way.halt, [&](Rows rows) {
    const Cells<Cell> weights{all + rows.begin * length_, rows.count, last_seen(rows), length_};
    multiply_.by({queries.data + rows.begin * queries.step, rows.count, head_width, queries.step}, keys, weights,
                 false);
    weigh(way, weights.data, at.head, rows);
    multiply_.by(weights, values, {context + rows.begin * width, rows.count, head_width, width}, false);
  });
}

template <class Cell>
bool Piece<Cell>::attend(const Way& way, const Layer& layer) {
  for (std::int64_t sequence = 0; sequence < sequences_; ++sequence) {
    for (std::int64_t head = 0; head < shape_.heads; ++head) {
      if (!attend_head(way, layer, {sequence, head})) return false;
    }
    if (shape_.linear_attention) divide_context(layer, {sequence * length_, length_});
  }
  return true;
}

/// d_context becomes the gradient by the numerators; those by the denominators take the place of the denominators.
template <class Cell>
void Piece<Cell>::divide_backward(const Layer& layer, Rows rows) {
  const int width = shape_.width, head_width = shape_.head_width();
  for (std::int64_t row = rows.begin; row < rows.begin + rows.count; ++row) {
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

/// What the denominators of a sequence say of φ(q) and φ(k), and through φ.
template <class Cell>
void Piece<Cell>::features_backward(const Way& way, const Layer& layer, Rows rows) const {
  const int width = shape_.width, head_width = shape_.head_width();
  const std::int64_t first = rows.begin, end = rows.begin + rows.count;
  Cell* const sums = d_context_ + first * width;  // its own numbers have been used
  const auto add = [&](std::int64_t row, bool query) {
    // Of a query: d · Σ φ(k); of a key: Σ d · φ(q), which the sums hold already.
    Cell* const d = d_wide_ + row * 3 * width + (query ? 0 : width);
    for (int i = 0; i < width; ++i) {
      d[i] += query ? layer.sums[row * shape_.heads + i / head_width] * sums[i] : sums[i];
    }
  };
  const auto sum_key = [&](std::int64_t row) { add_cells(layer.phi + row * 2 * width + width, sums, width); };
  const auto sum_query = [&](std::int64_t row) {
    for (int i = 0; i < width; ++i) {
      sums[i] += layer.sums[row * shape_.heads + i / head_width] * layer.phi[row * 2 * width + i];
    }
  };
  std::fill_n(sums, width, Cell{0});
  for (std::int64_t row = first; !shape_.causal && row < end; ++row) sum_key(row);
  for (std::int64_t row = first; row < end; ++row) {
    if (shape_.causal) sum_key(row);
    add(row, true);
  }
  std::fill_n(sums, width, Cell{0});
  for (std::int64_t row = first; !shape_.causal && row < end; ++row) sum_query(row);
  for (std::int64_t row = end; row-- > first;) {
    if (shape_.causal) sum_query(row);
    add(row, false);
  }
  for (std::int64_t row = first; row < end; ++row) {
    const Cell* const phi = layer.phi + row * 2 * width;
    Cell* const d = d_wide_ + row * 3 * width;
    if (!shape_.random_features) {
      elu_plus_one_backward(phi, d, 2 * width);
      continue;
    }
    const Cell* const asked = layer.asked + row * 2 * width;
    const Cell* const directions = way.tables.directions.data();
    random_features_backward<Cell>({directions, head_width, true}, asked, phi, d, shape_.heads);
    random_features_backward<Cell>({directions, head_width, false}, asked + width, phi + width, d + width,
                                   shape_.heads);
  }
}

template <class Cell>
bool Piece<Cell>::attend_head_backward(const Way& way, const Layer& layer, Head at) {
  const std::int64_t width = shape_.width, head_width = shape_.head_width(), square = std::int64_t{length_} * length_;
  const std::int64_t once = multiply_.rows_at_once(), room = multiply_.room(length_, head_width);
  const Cells<Cell> d{d_context_ + at.sequence * length_ * width + at.head * head_width, length_, head_width, width};
  const Cells<Cell> by_query = part(d_wide_, at, 0), by_key = part(d_wide_, at, 1), by_value = part(d_wide_, at, 2);
  const PackedCells<Cell> packed_d = multiply_.pack(d, room_);
  const PackedCells<Cell> queries = multiply_.pack(part(layer.qkv, at, 0), room_ + room);
  const PackedCells<Cell> keys = multiply_.pack(part(layer.qkv, at, 1), room_ + 2 * room);
  const PackedCells<Cell> values = multiply_.pack_transposed(part(layer.qkv, at, 2), room_ + 3 * room);
  Cell* const weights = layer.weights + (at.sequence * shape_.heads + at.head) * square;
  const std::int64_t of_row = 2 * length_ * head_width;
  const bool went = for_rows(length_, once, of_row, way.halt, [&](Rows rows) {
    const Cells<Cell> d_weights{d_weights_ + rows.begin * length_, rows.count, last_seen(rows), length_};
    multiply_.by({d.data + rows.begin * d.step, rows.count, head_width, d.step}, values, d_weights, false);
    weigh_backward(way, weights + rows.begin * length_, at.head, rows);
    multiply_.by(d_weights, keys, {by_query.data + rows.begin * by_query.step, rows.count, head_width, by_query.step},
                 false);
  });
  if (!went) return false;
  // Some keys at a time, and all rows that see one of them.
  return for_rows(length_, once, of_row, way.halt, [&](Rows some) {
    const std::int64_t first = shape_.causal ? some.begin : 0, corner = first * length_ + some.begin;
    multiply_.across_by({weights + corner, length_ - first, some.count, length_}, packed_d,
                        {by_value.data + some.begin * by_value.step, some.count, head_width, by_value.step}, false,
                        first);
    multiply_.across_by({d_weights_ + corner, length_ - first, some.count, length_}, queries,
                        {by_key.data + some.begin * by_key.step, some.count, head_width, by_key.step}, false, first);
  });
}

/// From d_context to the gradient by queries, keys and values, in d_wide [n × 3·width].
template <class Cell>
bool Piece<Cell>::attend_backward(const Way& way, const Layer& layer) {
  for (std::int64_t sequence = 0; sequence < sequences_; ++sequence) {
    const Rows rows{sequence * length_, length_};
    if (shape_.linear_attention) divide_backward(layer, rows);
    for (std::int64_t head = 0; head < shape_.heads; ++head) {
      if (!attend_head_backward(way, layer, {sequence, head})) return false;
    }
    turn(way, d_wide_, rows, true);
    if (shape_.linear_attention) features_backward(way, layer, rows);
  }
  return true;
}

template class Piece<float>;
template class Piece<double>;

}  // namespace ropescope
