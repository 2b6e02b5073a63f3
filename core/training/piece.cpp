#include "core/training/piece.h"

#include <algorithm>
#include <cmath>

namespace ropescope {

namespace {

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
  const std::int64_t rows = std::int64_t{sequences} * length, width = shape.width;
  const std::int64_t square = std::int64_t{length} * length;
  const std::int64_t layer = rows * (2 + 14 * width + shape.heads + 2 * width) + sequences * shape.heads * square;
  const std::int64_t widest = std::max<std::int64_t>({4 * width, shape.vocabulary, length}) + 64;
  return shape.layers * (layer + 256) + rows * (9 * width + shape.vocabulary + 4 * width + 1) + square +
         2 * length * shape.heads + std::max(rows, widest) * 2 * widest + 1024;
}

template <class Cell>
Piece<Cell>::Piece(const ModelShape& shape, const ParameterLayout& layout, int sequences, int length)
    : shape_(shape),
      layout_(layout),
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
               shape.linear_attention ? rooms(rows_ * shape.heads) : nullptr};
    }
    x_ = rooms(rows_ * width), normed_ = rooms(rows_ * width), hat_ = rooms(rows_ * width), inverse_ = rooms(rows_);
    picked_ = rooms(rows_ * width), logits_ = rooms(rows_ * shape.vocabulary), d_x_ = rooms(rows_ * width);
    d_normed_ = rooms(rows_ * width), d_wide_ = rooms(rows_ * 4 * width), d_context_ = rooms(rows_ * width);
    d_weights_ = rooms(square), d_biases_ = rooms(shape.heads * (2 * std::int64_t{length} - 1));
    const std::int64_t wide = std::max<std::int64_t>({4 * width, shape.vocabulary, length});
    room_ = rooms(
        std::max({multiply_.room(wide, rows_, width), multiply_.room(width, rows_, wide),
                  multiply_.room(rows_, width, wide) - width * rows_, multiply_.room(rows_, wide, width) - wide * rows_,
                  multiply_.room(length, length, length), multiply_.room(length, length, width)}));
  };
  Rooms<Cell> count(nullptr);
  share(count);
  cells_.resize(static_cast<std::size_t>(count.used()));
  Rooms<Cell> rooms(cells_.data());
  share(rooms);
}

template <class Cell>
double Piece<Cell>::forward(const Cell* parameters, const CellTables<Cell>& tables,
                            std::span<const std::int32_t> tokens, std::span<const std::int32_t> targets, Cell weight) {
  sequences_ = static_cast<int>(tokens.size()) / length_;
  rows_ = std::int64_t{sequences_} * length_;
  const std::int64_t width = shape_.width, wide = 4 * width;
  const auto factor = static_cast<Cell>(std::sqrt(static_cast<double>(width)));
  for (std::int64_t row = 0; row < rows_; ++row) {
    const Cell* const token = parameters + layout_.tokens + tokens[static_cast<std::size_t>(row)] * width;
    for (std::int64_t i = 0; i < width; ++i) x_[row * width + i] = token[i] * factor;
    if (!tables.vectors.empty()) add_cells(tables.vectors.data() + row % length_ * width, x_ + row * width, width);
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const Layer& layer = layers_[i];
    const LayerOffsets& at = layout_.layers[i];
    normalize_rows(norm(parameters, at.norm_gain, at.norm_shift, layer.hat, layer.inverse), x_, normed_);
    multiply_.plain(cells<const Cell>(normed_, rows_, width), cells(parameters + at.qkv, width, 3 * width),
                    cells(layer.qkv, rows_, 3 * width), false, room_);
    add_to_rows(parameters + at.qkv_bias, layer.qkv, rows_, 3 * width);
    attend(layer, tables);
    multiply_.plain(cells<const Cell>(layer.context, rows_, width), cells(parameters + at.out, width, width),
                    cells(x_, rows_, width), true, room_);
    add_to_rows(parameters + at.out_bias, x_, rows_, width);
    normalize_rows(norm(parameters, at.mlp_gain, at.mlp_shift, layer.mlp_hat, layer.mlp_inverse), x_, normed_);
    multiply_.plain(cells<const Cell>(normed_, rows_, width), cells(parameters + at.up, width, wide),
                    cells(layer.raised, rows_, wide), false, room_);
    add_to_rows(parameters + at.up_bias, layer.raised, rows_, wide);
    gelu(layer.raised, layer.bent, rows_ * wide);
    multiply_.plain(cells<const Cell>(layer.bent, rows_, wide), cells(parameters + at.down, wide, width),
                    cells(x_, rows_, width), true, room_);
    add_to_rows(parameters + at.down_bias, x_, rows_, width);
  }
  normalize_rows(norm(parameters, layout_.gain, layout_.shift, hat_, inverse_), x_, normed_);
  chosen_.clear();
  for (std::int64_t row = 0; row < rows_; ++row) {
    if (targets[static_cast<std::size_t>(row)] >= 0) chosen_.push_back(row);
  }
  predicted_ = static_cast<std::int64_t>(chosen_.size());
  for (std::int64_t i = 0; i < predicted_; ++i) {
    std::copy_n(normed_ + chosen_[static_cast<std::size_t>(i)] * width, width, picked_ + i * width);
  }
  const auto logits = cells(logits_, predicted_, shape_.vocabulary);
  if (predicted_ > 0) {
    multiply_.by_transposed(cells<const Cell>(picked_, predicted_, width),
                            cells(parameters + layout_.tokens, shape_.vocabulary, width), logits, false, room_);
  }
  std::fill(losses_.begin(), losses_.end(), 0.0);
  double sum = 0;
  for (std::int64_t i = 0; i < predicted_; ++i) {
    const auto row = static_cast<std::size_t>(chosen_[static_cast<std::size_t>(i)]);
    losses_[row] = cross_entropy(logits_ + i * shape_.vocabulary, shape_.vocabulary, targets[row], weight);
    sum += losses_[row];
  }
  return sum;
}

template <class Cell>
void Piece<Cell>::weight_gradient(const Cell* x, std::int64_t in, const Cell* d, std::int64_t out, Cell* weights,
                                  Cell* bias) {
  multiply_.transposed_by(cells(x, rows_, in), cells(d, rows_, out), cells(weights, in, out), true, room_);
  add_rows(d, bias, rows_, out);
}

template <class Cell>
void Piece<Cell>::backward(const Cell* parameters, const CellTables<Cell>& tables, std::span<const std::int32_t> tokens,
                           Cell* gradient) {
  const std::int64_t width = shape_.width, wide = 4 * width;
  std::fill_n(gradient, layout_.total, Cell{0});
  std::fill_n(d_x_, rows_ * width, Cell{0});
  std::fill_n(d_normed_, rows_ * width, Cell{0});
  std::fill_n(d_biases_, shape_.heads * (2 * std::int64_t{length_} - 1), Cell{0});
  if (predicted_ > 0) {
    const auto d_logits = cells<const Cell>(logits_, predicted_, shape_.vocabulary);
    multiply_.transposed_by(d_logits, cells<const Cell>(picked_, predicted_, width),
                            cells(gradient + layout_.tokens, shape_.vocabulary, width), true, room_);
    multiply_.plain(d_logits, cells(parameters + layout_.tokens, shape_.vocabulary, width),
                    cells(picked_, predicted_, width), false, room_);
  }
  for (std::int64_t i = 0; i < predicted_; ++i) {
    std::copy_n(picked_ + i * width, width, d_normed_ + chosen_[static_cast<std::size_t>(i)] * width);
  }
  normalize_rows_backward(norm(parameters, layout_.gain, layout_.shift, hat_, inverse_), d_normed_, d_x_,
                          gradient + layout_.gain, gradient + layout_.shift);
  for (std::size_t i = layers_.size(); i-- > 0;) {
    const Layer& layer = layers_[i];
    const LayerOffsets& at = layout_.layers[i];
    weight_gradient(layer.bent, wide, d_x_, width, gradient + at.down, gradient + at.down_bias);
    multiply_.by_transposed(cells<const Cell>(d_x_, rows_, width), cells(parameters + at.down, wide, width),
                            cells(d_wide_, rows_, wide), false, room_);
    gelu_backward(layer.raised, d_wide_, rows_ * wide);
    const auto mlp = norm(parameters, at.mlp_gain, at.mlp_shift, layer.mlp_hat, layer.mlp_inverse);
    renormalize_rows(mlp, normed_);
    weight_gradient(normed_, width, d_wide_, wide, gradient + at.up, gradient + at.up_bias);
    multiply_.by_transposed(cells<const Cell>(d_wide_, rows_, wide), cells(parameters + at.up, width, wide),
                            cells(d_normed_, rows_, width), false, room_);
    normalize_rows_backward(mlp, d_normed_, d_x_, gradient + at.mlp_gain, gradient + at.mlp_shift);

    weight_gradient(layer.context, width, d_x_, width, gradient + at.out, gradient + at.out_bias);
    multiply_.by_transposed(cells<const Cell>(d_x_, rows_, width), cells(parameters + at.out, width, width),
                            cells(d_context_, rows_, width), false, room_);
    attend_backward(layer, tables);
    const auto attention = norm(parameters, at.norm_gain, at.norm_shift, layer.hat, layer.inverse);
    renormalize_rows(attention, normed_);
    weight_gradient(normed_, width, d_wide_, 3 * width, gradient + at.qkv, gradient + at.qkv_bias);
    multiply_.by_transposed(cells<const Cell>(d_wide_, rows_, 3 * width), cells(parameters + at.qkv, width, 3 * width),
                            cells(d_normed_, rows_, width), false, room_);
    normalize_rows_backward(attention, d_normed_, d_x_, gradient + at.norm_gain, gradient + at.norm_shift);
  }
  const auto factor = static_cast<Cell>(std::sqrt(static_cast<double>(width)));
  for (std::int64_t row = 0; row < rows_; ++row) {
    Cell* const token = gradient + layout_.tokens + tokens[static_cast<std::size_t>(row)] * width;
    const Cell* const d = d_x_ + row * width;
    for (std::int64_t i = 0; i < width; ++i) token[i] += d[i] * factor;
    if (tables.from.trained != TrainedPositions::vectors) continue;
    Cell* const vector = gradient + layout_.positions + row % length_ * width;
    for (std::int64_t i = 0; i < width; ++i) vector[i] += d[i] * factor;
  }
  tables.add_bias_gradient(layout_, parameters, d_biases_, gradient);
}

template <class Cell>
std::span<const Cell> Piece<Cell>::queries_keys_values(int layer) const {
  return {layers_[static_cast<std::size_t>(layer)].qkv, static_cast<std::size_t>(rows_ * 3 * shape_.width)};
}

template class Piece<float>;
template class Piece<double>;

}  // namespace ropescope
