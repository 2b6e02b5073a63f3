// Forward and backward pass of part of a batch. Read piece.h first.
//
// Contents: Tables of positions; Piece.

#include "core/training/piece.h"
#include "core/attention/attention.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

// --- Tables of positions -------------------------------------------------------------------------------------------

template <class Cell>
CellTables<Cell>::CellTables(const PositionTables& tables, const ModelShape& shape)
    : from(tables), heads(shape.heads), width(shape.width) {
  const auto cast = [](const std::vector<double>& numbers) {
    std::vector<Cell> cells(numbers.size());
    std::transform(numbers.begin(), numbers.end(), cells.begin(), [](double x) { return static_cast<Cell>(x); });
    return cells;
  };
  vectors = cast(tables.vectors), biases = cast(tables.biases);
  query_cosine = cast(tables.query_cosine), query_sine = cast(tables.query_sine);
  key_cosine = cast(tables.key_cosine), key_sine = cast(tables.key_sine);
  if (shape.random_features) {
    const int channels = shape.head_width();
    const TokenMatrix rows =
        random_directions(channels, channels, 1).transpose() / std::pow(static_cast<double>(channels), 0.25);
    directions = cast({rows.data(), rows.data() + rows.size()});
  }
  if (tables.training == Training::trained_vectors) {
    vectors.resize(static_cast<std::size_t>(tables.length) * static_cast<std::size_t>(width));
  } else if (trains_scores(tables.training)) {
    biases.resize(static_cast<std::size_t>(heads) * static_cast<std::size_t>(2 * tables.length - 1));
  }
}

template <class Cell>
void CellTables<Cell>::take(const ParameterLayout& layout, const Cell* parameters) {
  const Cell* const trained = parameters + layout.positions;
  if (from.training == Training::trained_vectors) {
    const auto factor = static_cast<Cell>(std::sqrt(static_cast<double>(width)));
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = trained[i] * factor;
  }
  if (!trains_scores(from.training)) return;
  const std::int64_t distances = 2 * from.length - 1;
  for (std::int64_t head = 0; head < heads; ++head) {
    const Cell* const numbers = trained + head * from.trained_columns;
    Cell* const to = biases.data() + head * distances;
    for (std::int64_t i = 0; i < distances; ++i) {
      if (from.training == Training::trained_buckets) {
        to[i] = numbers[from.bucket[static_cast<std::size_t>(i)]];
      } else {
        const double distance = std::abs(static_cast<double>(i - from.length + 1));
        const double r1 = std::exp(static_cast<double>(numbers[0])), r2 = std::exp(static_cast<double>(numbers[1]));
        to[i] = static_cast<Cell>(-r1 * std::log1p(r2 * distance));
      }
    }
  }
}

template <class Cell>
void CellTables<Cell>::add_bias_gradient(const ParameterLayout& layout, const Cell* parameters, const Cell* d_biases,
                                         Cell* gradient) const {
  const std::int64_t distances = 2 * from.length - 1;
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::int64_t at = layout.positions + head * from.trained_columns;
    const Cell* const d = d_biases + head * distances;
    if (from.training == Training::trained_buckets) {
      for (std::int64_t i = 0; i < distances; ++i) gradient[at + from.bucket[static_cast<std::size_t>(i)]] += d[i];
    } else if (from.training == Training::trained_kernel) {
      const double r1 = std::exp(static_cast<double>(parameters[at]));
      const double r2 = std::exp(static_cast<double>(parameters[at + 1]));
      double by_r1 = 0, by_r2 = 0;
      for (std::int64_t i = 0; i < distances; ++i) {
        const double reach = r2 * std::abs(static_cast<double>(i - from.length + 1));
        by_r1 -= static_cast<double>(d[i]) * r1 * std::log1p(reach);
        by_r2 -= static_cast<double>(d[i]) * r1 * reach / (1 + reach);
      }
      gradient[at] += static_cast<Cell>(by_r1);
      gradient[at + 1] += static_cast<Cell>(by_r2);
    }
  }
}

template <class Cell>
void take_features(const CellTables<Cell>& tables, const ModelShape& shape, Cell* query) {
  if (!shape.random_features) {
    elu_plus_one(query, 2 * shape.width);
    return;
  }
  take_random_features<Cell>({tables.directions.data(), shape.head_width(), true}, query, shape.heads);
  take_random_features<Cell>({tables.directions.data(), shape.head_width(), false}, query + shape.width, shape.heads);
}

template struct CellTables<float>;
template struct CellTables<double>;
template void take_features(const CellTables<float>&, const ModelShape&, float*);
template void take_features(const CellTables<double>&, const ModelShape&, double*);

// --- Piece ---------------------------------------------------------------------------------------------------------

namespace {

/// Number of rows per step through products with weights: intermediate results stay in the second-level cache. A
/// multiple of the row blocks of every processor.
constexpr std::int64_t kRowsAtOnce = 60;
/// Number of rows whose weight gradients are summed in registers before they are added to those of other rows.
constexpr std::int64_t kRowsOfSum = 256;

/// Allocates from a given block of memory; only counts if there is none.
template <class Cell>
class Workspaces {
 public:
  explicit Workspaces(Cell* begin) : begin_(begin) {}
  Cell* operator()(std::int64_t count) {
    Cell* const room = begin_ ? begin_ + used_ : nullptr;
    used_ += (count + 15) / 16 * 16;  // whole cache lines
    return room;
  }
  std::int64_t used() const { return used_; }

 private:
  Cell* begin_;
  std::int64_t used_ = 0;
};

}  // namespace

template <class Cell>
std::int64_t Piece<Cell>::cells_required(const ModelShape& shape, int sequences, int length) {
  const Multiplier<Cell> multiply;
  const std::int64_t rows = std::int64_t{sequences} * length, width = shape.width;
  const std::int64_t square = std::int64_t{length} * length;
  const std::int64_t linear =
      shape.linear_attention ? rows * ((shape.random_features ? 4 : 2) * width + shape.heads) : 0;
  const std::int64_t layer = rows * (2 + 14 * width) + linear + sequences * shape.heads * square;
  const std::int64_t widest = std::max<std::int64_t>(4 * width, shape.vocabulary);
  return shape.layers * (layer + 256) + rows * (10 * width + shape.vocabulary + 1) + kRowsOfSum * width + square +
         2 * length * shape.heads + multiply.room(kRowsOfSum, widest) + multiply.room(shape.head_width(), length) +
         3 * multiply.room(length, shape.head_width()) + 1024;
}

template <class Cell>
Piece<Cell>::Piece(const ModelShape& shape, const ParameterLayout& layout, int sequences, int length,
                   const PackedWeights<Cell>* packed)
    : shape_(shape),
      layout_(layout),
      own_(packed ? nullptr : std::make_unique<PackedWeights<Cell>>(shape, layout)),
      packed_(packed ? packed : own_.get()),
      sequences_(sequences),
      length_(length),
      rows_(std::int64_t{sequences} * length),
      layers_(static_cast<std::size_t>(shape.layers)),
      losses_(static_cast<std::size_t>(rows_)) {
  chosen_.reserve(static_cast<std::size_t>(rows_));
  const std::int64_t width = shape.width, square = std::int64_t{length} * length;
  const auto share = [&](Workspaces<Cell>& rooms) {
    for (Layer& layer : layers_) {
      layer = {rooms(rows_ * width),
               rooms(rows_),
               rooms(rows_ * 3 * width),
               rooms(sequences * shape.heads * square),
               rooms(rows_ * width),
               rooms(rows_ * width),
               rooms(rows_),
               rooms(rows_ * 4 * width),
               rooms(rows_ * 4 * width),
               shape.linear_attention ? rooms(rows_ * 2 * width) : nullptr,
               shape.linear_attention ? rooms(rows_ * shape.heads) : nullptr,
               shape.random_features ? rooms(rows_ * 2 * width) : nullptr};
    }
    x_ = rooms(rows_ * width), normed_ = rooms(kRowsOfSum * width), hat_ = rooms(rows_ * width);
    inverse_ = rooms(rows_), picked_ = rooms(rows_ * width), logits_ = rooms(rows_ * shape.vocabulary);
    d_x_ = rooms(rows_ * width), d_normed_ = rooms(rows_ * width), d_wide_ = rooms(rows_ * 4 * width);
    d_context_ = rooms(rows_ * width), d_weights_ = rooms(square);
    d_biases_ = rooms(shape.heads * (2 * std::int64_t{length} - 1));
    const std::int64_t widest = std::max<std::int64_t>(4 * width, shape.vocabulary);
    room_ = rooms(std::max(multiply_.room(kRowsOfSum, widest), multiply_.room(shape.head_width(), length) +
                                                                   3 * multiply_.room(length, shape.head_width())));
  };
  Workspaces<Cell> count(nullptr);
  share(count);
  cells_.resize(static_cast<std::size_t>(count.used()));
  Workspaces<Cell> rooms(cells_.data());
  share(rooms);
}

template <class Cell>
NormRows<Cell> Piece<Cell>::norm(const Way& way, const Norm& norm, Rows rows) const {
  return {rows.count,
          shape_.width,
          way.parameters + norm.gain,
          way.parameters + norm.shift,
          norm.hat + rows.begin * shape_.width,
          norm.inverse + rows.begin};
}

template <class Cell>
double Piece<Cell>::forward(const Cell* parameters, const CellTables<Cell>& tables,
                            std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets, Cell weight,
                            const Halt& halt) {
  sequences_ = static_cast<int>(tokens.size()) / length_;
  rows_ = std::int64_t{sequences_} * length_;
  for (std::int64_t job = 0; own_ && job < own_->jobs(); ++job) own_->pack(job, parameters);
  const Way way{parameters, tables, halt, nullptr};
  if (!embed(way, tokens)) return 0;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (!forward_layer(way, i)) return 0;
  }
  return compare(way, targets, weight);
}

template <class Cell>
bool Piece<Cell>::embed(const Way& way, std::span<const std::int32_t> tokens) {
  const std::int64_t width = shape_.width;
  const auto factor = static_cast<Cell>(std::sqrt(static_cast<double>(width)));
  return for_rows(rows_, length_, width, way.halt, [&](Rows rows) {
    for (std::int64_t row = rows.begin; row < rows.begin + rows.count; ++row) {
      const Cell* const token = way.parameters + layout_.tokens + tokens[static_cast<std::size_t>(row)] * width;
      Cell* const x = x_ + row * width;
      for (std::int64_t i = 0; i < width; ++i) x[i] = token[i] * factor;
      if (!way.tables.vectors.empty()) add_cells(way.tables.vectors.data() + row % length_ * width, x, width);
    }
  });
}

template <class Cell>
bool Piece<Cell>::forward_layer(const Way& way, std::size_t index) {
  const Layer& layer = layers_[index];
  const LayerOffsets& at = layout_.layers[index];
  const std::int64_t width = shape_.width;
  const PackedCells<Cell> weights = packed_->forward(static_cast<int>(index)).qkv;
  const auto look = [&](Rows rows) {
    Cell* const qkv = layer.qkv + rows.begin * 3 * width;
    normalize_rows(norm(way, {at.norm_gain, at.norm_shift, layer.hat, layer.inverse}, rows), x_ + rows.begin * width,
                   normed_);
    multiply_.by(cells<const Cell>(normed_, rows.count, width), weights, cells(qkv, rows.count, 3 * width), false);
    add_to_rows(way.parameters + at.qkv_bias, qkv, rows.count, 3 * width);
    if (shape_.linear_attention) keep_features(way, layer, rows);
    turn(way, layer.qkv, rows, false);
  };
  return for_rows(rows_, kRowsAtOnce, 3 * width * width, way.halt, look) && attend(way, layer) && bend(way, index);
}

/// Computes the part of a layer after attention, which acts on each token separately.
template <class Cell>
bool Piece<Cell>::bend(const Way& way, std::size_t index) {
  const Layer& layer = layers_[index];
  const LayerOffsets& at = layout_.layers[index];
  const auto weights = packed_->forward(static_cast<int>(index));
  const std::int64_t width = shape_.width, wide = 4 * width;
  return for_rows(rows_, kRowsAtOnce, (width + 2 * wide) * width, way.halt, [&](Rows rows) {
    const Cells<Cell> x = cells(x_ + rows.begin * width, rows.count, width);
    multiply_.by(cells<const Cell>(layer.context + rows.begin * width, rows.count, width), weights.out, x, true);
    add_to_rows(way.parameters + at.out_bias, x.data, rows.count, width);
    normalize_rows(norm(way, {at.mlp_gain, at.mlp_shift, layer.mlp_hat, layer.mlp_inverse}, rows), x.data, normed_);
    const Cells<Cell> raised = cells(layer.raised + rows.begin * wide, rows.count, wide);
    const Cells<Cell> bent = cells(layer.bent + rows.begin * wide, rows.count, wide);
    multiply_.by(cells<const Cell>(normed_, rows.count, width), weights.up, raised, false);
    add_to_rows(way.parameters + at.up_bias, raised.data, rows.count, wide);
    gelu_with_slope(raised.data, bent.data, rows.count * wide);
    multiply_.by(bent, weights.down, x, true);
    add_to_rows(way.parameters + at.down_bias, x.data, rows.count, width);
  });
}

template <class Cell>
double Piece<Cell>::compare(const Way& way, std::span<const std::int32_t> targets, Cell weight) {
  const std::int64_t width = shape_.width, vocabulary = shape_.vocabulary;
  chosen_.clear();
  const auto pick = [&](Rows rows) {
    normalize_rows(norm(way, {layout_.gain, layout_.shift, hat_, inverse_}, rows), x_ + rows.begin * width, normed_);
    for (std::int64_t i = 0; i < rows.count; ++i) {
      if (targets[static_cast<std::size_t>(rows.begin + i)] < 0) continue;
      std::copy_n(normed_ + i * width, width, picked_ + static_cast<std::int64_t>(chosen_.size()) * width);
      chosen_.push_back(rows.begin + i);
    }
  };
  if (!for_rows(rows_, kRowsOfSum, 8 * width, way.halt, pick)) return 0;
  predicted_ = static_cast<std::int64_t>(chosen_.size());
  std::fill(losses_.begin(), losses_.end(), 0.0);
  double sum = 0;
  for_rows(predicted_, kRowsAtOnce, vocabulary * width, way.halt, [&](Rows rows) {
    Cell* const logits = logits_ + rows.begin * vocabulary;
    multiply_.by(cells<const Cell>(picked_ + rows.begin * width, rows.count, width), packed_->tokens_transposed(),
                 cells(logits, rows.count, vocabulary), false);
    for (std::int64_t i = 0; i < rows.count; ++i) {
      const auto row = static_cast<std::size_t>(chosen_[static_cast<std::size_t>(rows.begin + i)]);
      losses_[row] = cross_entropy(logits + i * vocabulary, vocabulary, targets[row], weight);
      sum += losses_[row];
    }
  });
  return sum;
}

template <class Cell>
std::span<const Cell> Piece<Cell>::queries_keys_values(int layer) const {
  return {layers_[static_cast<std::size_t>(layer)].qkv, static_cast<std::size_t>(rows_ * 3 * shape_.width)};
}

template <class Cell>
void Piece<Cell>::backward(const Cell* parameters, const CellTables<Cell>& tables, std::span<const std::int32_t> tokens,
                           Cell* gradient, const Halt& halt) {
  const Way way{parameters, tables, halt, gradient};
  std::fill_n(gradient, layout_.total, Cell{0});
  std::fill_n(d_biases_, shape_.heads * (2 * std::int64_t{length_} - 1), Cell{0});
  if (!compare_backward(way)) return;
  for (std::size_t i = layers_.size(); i-- > 0;) {
    if (!backward_layer(way, i)) return;
  }
  embed_backward(way, tokens);
  tables.add_bias_gradient(layout_, parameters, d_biases_, gradient);
}

template <class Cell>
void Piece<Cell>::norm_backward(const Way& way, const Norm& at, Rows rows) {
  normalize_rows_backward(norm(way, at, rows), d_normed_ + rows.begin * shape_.width, d_x_ + rows.begin * shape_.width,
                          way.gradient + at.gain, way.gradient + at.shift);
}

template <class Cell>
bool Piece<Cell>::compare_backward(const Way& way) {
  const std::int64_t width = shape_.width, vocabulary = shape_.vocabulary;
  const auto by_picked = [&](Rows rows) {
    const auto d_logits = cells<const Cell>(logits_ + rows.begin * vocabulary, rows.count, vocabulary);
    const Cells<Cell> picked = cells(picked_ + rows.begin * width, rows.count, width);
    multiply_.across_by(d_logits, multiply_.pack(picked, room_),
                        cells(way.gradient + layout_.tokens, vocabulary, width), true);
    multiply_.by(d_logits, packed_->tokens(), picked, false);
  };
  if (!for_rows(predicted_, kRowsOfSum, 2 * vocabulary * width, way.halt, by_picked)) return false;
  std::size_t next = 0;
  return for_rows(rows_, kRowsOfSum, 8 * width, way.halt, [&](Rows rows) {
    std::fill_n(d_x_ + rows.begin * width, rows.count * width, Cell{0});
    std::fill_n(d_normed_ + rows.begin * width, rows.count * width, Cell{0});
    for (; next < chosen_.size() && chosen_[next] < rows.begin + rows.count; ++next) {
      std::copy_n(picked_ + static_cast<std::int64_t>(next) * width, width, d_normed_ + chosen_[next] * width);
    }
    norm_backward(way, {layout_.gain, layout_.shift, hat_, inverse_}, rows);
  });
}

/// Adds the gradient from rows of x and d, at most kRowsOfSum.
template <class Cell>
bool Piece<Cell>::weight_gradient(const Way& way, Rows rows, const Cell* x, std::int64_t in, const Cell* d,
                                  std::int64_t out, std::int64_t weights, std::int64_t bias) {
  if (way.halt.before(rows.count * in * out)) return false;
  multiply_.across_by(cells(x, rows.count, in), multiply_.pack(cells(d, rows.count, out), room_),
                      cells(way.gradient + weights, in, out), true);
  add_rows(d, way.gradient + bias, rows.count, out);
  return true;
}

template <class Cell>
bool Piece<Cell>::bend_backward(const Way& way, std::size_t index) {
  const Layer& layer = layers_[index];
  const LayerOffsets& at = layout_.layers[index];
  const auto weights = packed_->backward(static_cast<int>(index));
  const std::int64_t width = shape_.width, wide = 4 * width;
  const Norm mlp{at.mlp_gain, at.mlp_shift, layer.mlp_hat, layer.mlp_inverse};
  for (std::int64_t begin = 0; begin < rows_; begin += kRowsOfSum) {
    const Rows rows{begin, std::min(kRowsOfSum, rows_ - begin)};
    Cell* const d_x = d_x_ + begin * width;
    Cell* const d_wide = d_wide_ + begin * wide;
    if (!weight_gradient(way, rows, layer.bent + begin * wide, wide, d_x, width, at.down, at.down_bias)) return false;
    const bool went = for_rows(rows.count, kRowsAtOnce, 2 * width * wide, way.halt, [&](Rows some) {
      const Cells<Cell> d = cells(d_wide + some.begin * wide, some.count, wide);
      multiply_.by(cells<const Cell>(d_x + some.begin * width, some.count, width), weights.down, d, false);
      multiply_cells(layer.raised + (begin + some.begin) * wide, d.data, some.count * wide);
      multiply_.by(d, weights.up, cells(d_normed_ + (begin + some.begin) * width, some.count, width), false);
    });
    if (!went) return false;
    renormalize_rows(norm(way, mlp, rows), normed_);
    if (!weight_gradient(way, rows, normed_, width, d_wide, wide, at.up, at.up_bias)) return false;
    norm_backward(way, mlp, rows);

    if (!weight_gradient(way, rows, layer.context + begin * width, width, d_x, width, at.out, at.out_bias)) {
      return false;
    }
    if (way.halt.before(rows.count * width * width)) return false;
    multiply_.by(cells<const Cell>(d_x, rows.count, width), weights.out,
                 cells(d_context_ + begin * width, rows.count, width), false);
  }
  return true;
}

template <class Cell>
bool Piece<Cell>::backward_layer(const Way& way, std::size_t index) {
  const Layer& layer = layers_[index];
  const LayerOffsets& at = layout_.layers[index];
  const std::int64_t width = shape_.width;
  if (!bend_backward(way, index) || !attend_backward(way, layer)) return false;
  const PackedCells<Cell> weights = packed_->backward(static_cast<int>(index)).qkv;
  const Norm attention{at.norm_gain, at.norm_shift, layer.hat, layer.inverse};
  for (std::int64_t begin = 0; begin < rows_; begin += kRowsOfSum) {
    const Rows rows{begin, std::min(kRowsOfSum, rows_ - begin)};
    const Cells<const Cell> d = cells<const Cell>(d_wide_ + begin * 3 * width, rows.count, 3 * width);
    renormalize_rows(norm(way, attention, rows), normed_);
    if (!weight_gradient(way, rows, normed_, width, d.data, 3 * width, at.qkv, at.qkv_bias)) return false;
    if (way.halt.before(3 * rows.count * width * width)) return false;
    multiply_.by(d, weights, cells(d_normed_ + begin * width, rows.count, width), false);
    norm_backward(way, attention, rows);
  }
  return true;
}

template <class Cell>
void Piece<Cell>::embed_backward(const Way& way, std::span<const std::int32_t> tokens) {
  const std::int64_t width = shape_.width;
  const auto factor = static_cast<Cell>(std::sqrt(static_cast<double>(width)));
  for_rows(rows_, length_, width, way.halt, [&](Rows rows) {
    for (std::int64_t row = rows.begin; row < rows.begin + rows.count; ++row) {
      Cell* const d = d_x_ + row * width;
      for (std::int64_t i = 0; i < width; ++i) d[i] *= factor;
      add_cells(d, way.gradient + layout_.tokens + tokens[static_cast<std::size_t>(row)] * width, width);
      if (way.tables.from.training != Training::trained_vectors) continue;
      add_cells(d, way.gradient + layout_.positions + row % length_ * width, width);
    }
  });
}

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

/// Divides the context of a sequence by eq. 19's unrotated denominators, Σ_n φ(q_m)·φ(k_n).
template <class Cell>
void Piece<Cell>::divide_context(const Layer& layer, Rows rows) const {
  const int width = shape_.width, head_width = shape_.head_width();
  Cell* const keys = d_context_;  // unused in the forward pass
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

/// Returns queries (0), keys (1) or values (2) of a head of a sequence, or the gradient by them.
template <class Cell>
Cells<Cell> Piece<Cell>::part(Cell* qkv, Head at, int which) const {
  const std::int64_t width = shape_.width, head_width = shape_.head_width();
  return {qkv + at.sequence * length_ * 3 * width + which * width + at.head * head_width, length_, head_width,
          3 * width};
}

/// Converts the scores of some rows to weights, in place; [rows.count × last_seen(rows)], rows `length` apart.
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
    // Indexed by m − n + length − 1, which decreases along a row.
    const Cell* const biases = way.tables.biases.data() + head * (2 * std::int64_t{length_} - 1) + length_ - 1;
    for (std::int64_t i = 0; i < rows.count; ++i) {
      for (std::int64_t n = 0; n < seen; ++n) weights[i * length_ + n] += biases[rows.begin + i - n];
    }
  }
  softmax_rows(weights, {rows.count, seen, length_, shape_.causal ? rows.begin + 1 : seen, shape_.causal ? 1 : 0});
}

/// Converts d_weights to d_scores, in place, and sums their gradients by the biases.
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
  if (!trains_scores(way.tables.from.training)) return;
  Cell* const d_biases = d_biases_ + head * (2 * std::int64_t{length_} - 1) + length_ - 1;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const std::int64_t end = shape_.causal ? rows.begin + i + 1 : length_;
    for (std::int64_t n = 0; n < end; ++n) d_biases[rows.begin + i - n] += d[i * length_ + n];
  }
}

/// For a causal model, cells above the diagonal are computed only in blocks on the diagonal.
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

/// Converts d_context to the gradient by the numerators, and replaces the denominators by their gradients.
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

/// Adds the gradients of a sequence's denominators by φ(q) and φ(k), and continues through φ.
template <class Cell>
void Piece<Cell>::features_backward(const Way& way, const Layer& layer, Rows rows) const {
  const int width = shape_.width, head_width = shape_.head_width();
  const std::int64_t first = rows.begin, end = rows.begin + rows.count;
  Cell* const sums = d_context_ + first * width;  // its previous content is no longer needed
  const auto add = [&](std::int64_t row, bool query) {
    // For a query: d · Σ φ(k); for a key: Σ d · φ(q), which is already in `sums`.
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
  // A block of keys at a time, with all rows that attend to one of them.
  return for_rows(length_, once, of_row, way.halt, [&](Rows some) {
    const std::int64_t first = shape_.causal ? some.begin : 0, corner = first * length_ + some.begin;
    multiply_.across_by({weights + corner, length_ - first, some.count, length_}, packed_d,
                        {by_value.data + some.begin * by_value.step, some.count, head_width, by_value.step}, false,
                        first);
    multiply_.across_by({d_weights_ + corner, length_ - first, some.count, length_}, queries,
                        {by_key.data + some.begin * by_key.step, some.count, head_width, by_key.step}, false, first);
  });
}

/// Computes the gradient by queries, keys and values, in d_wide [n × 3·width], from d_context.
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
