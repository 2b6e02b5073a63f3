#include "core/training/piece.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

namespace {

/// Rows that go through products with weights at a time: what they become stays in the second cache between two
/// products. A multiple of what any processor takes at once.
constexpr std::int64_t kRowsAtOnce = 60;
/// Rows whose gradients by weights are summed in registers before they are added to those of others.
constexpr std::int64_t kRowsOfSum = 256;

/// Hands out room; counts only, where there is none.
template <class Cell>
class Rooms {
 public:
  explicit Rooms(Cell* begin) : begin_(begin) {}
  Cell* operator()(std::int64_t count) {
    Cell* const room = begin_ ? begin_ + used_ : nullptr;
    used_ += (count + 15) / 16 * 16;  // whole lines of the cache
    return room;
  }
  std::int64_t used() const { return used_; }

 private:
  Cell* begin_;
  std::int64_t used_ = 0;
};

}  // namespace

template <class Cell>
std::int64_t Piece<Cell>::cells_wanted(const ModelShape& shape, int sequences, int length) {
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
  const auto share = [&](Rooms<Cell>& rooms) {
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
  Rooms<Cell> count(nullptr);
  share(count);
  cells_.resize(static_cast<std::size_t>(count.used()));
  Rooms<Cell> rooms(cells_.data());
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

/// What a layer does to a token alone, after it has looked around.
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

/// Rows of x and of d, at most kRowsOfSum.
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
      if (way.tables.from.trained != TrainedPositions::vectors) continue;
      add_cells(d, way.gradient + layout_.positions + row % length_ * width, width);
    }
  });
}

template class Piece<float>;
template class Piece<double>;

}  // namespace ropescope
