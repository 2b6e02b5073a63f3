// Layout and initial values of parameters, and tables of positions. Read parameters.h first.
//
// Contents: Parameters; Positions.

#include "core/training/parameters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/encodings/biases.h"
#include "core/message.h"

namespace ropescope {

// --- Parameters ----------------------------------------------------------------------------------------------------

namespace {

class Builder {
 public:
  explicit Builder(ParameterLayout& layout) : layout_(layout) {}

  std::int64_t weights(const std::string& name, std::int64_t rows, std::int64_t columns, double spread) {
    return add({name, 0, rows, columns, spread, 0, true});
  }
  std::int64_t vector(const std::string& name, std::int64_t count, double middle) {
    return add({name, 0, 1, count, 0, middle, false});
  }
  std::int64_t add(ParameterBlock block) {
    block.offset = layout_.total;
    layout_.total += block.count();
    layout_.blocks.push_back(std::move(block));
    return layout_.blocks.back().offset;
  }

 private:
  ParameterLayout& layout_;
};

// --- Positions -----------------------------------------------------------------------------------------------------

void check_size(const char* name, int value, int least, int most) {
  if (value >= least && value <= most) return;
  throw InputError(
      "training.size",
      {{"name", Message(std::string("training.size.") + name)}, {"found", value}, {"least", least}, {"most", most}});
}

[[noreturn]] void refuse(const Encoding& encoding, std::string_view reason) {
  throw InputError("training.refused", {{"encoding", encoding.name},
                                        {"reason", Message(std::string("training.refused.") + std::string(reason))}});
}

std::vector<std::int64_t> count_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

void append(std::vector<double>& to, const TokenMatrix& values) {
  to.insert(to.end(), values.data(), values.data() + values.size());
}

void put_rotation(PositionTables& tables, const Encoding& encoding, const EncodingValues& settings, int length) {
  const auto model = make_model(encoding, settings);
  const std::vector<std::int64_t> rows = count_from(0, length);
  const TokenMatrix cosine = model->values("cos", rows), sine = model->values("sin", rows);
  TokenMatrix query = TokenMatrix::Ones(cosine.rows(), cosine.cols());
  const auto& parts = encoding.value_parts;
  if (std::find(parts.begin(), parts.end(), "scale") != parts.end()) query = model->values("scale", rows);
  const TokenMatrix key = query.cwiseInverse();
  append(tables.query_cosine, cosine.cwiseProduct(query));
  append(tables.query_sine, sine.cwiseProduct(query));
  append(tables.key_cosine, cosine.cwiseProduct(key));
  append(tables.key_sine, sine.cwiseProduct(key));
  tables.pairs = static_cast<int>(cosine.cols());
  tables.half_split = settings.pairing == Pairing::half_split;
}

void put_fixed_biases(PositionTables& tables, const Encoding& encoding, EncodingValues settings, int heads) {
  const std::vector<std::int64_t> distances = count_from(1 - tables.length, 2 * tables.length - 1);
  for (int head = 1; head <= heads; ++head) {
    settings.head = head;
    append(tables.biases, make_model(encoding, settings)->values("bias", distances));
  }
}

void put_trained(PositionTables& tables, std::int64_t rows, std::int64_t columns) {
  tables.trained_rows = rows, tables.trained_columns = columns;
}

}  // namespace

ParameterLayout parameter_layout(const ModelShape& shape, const PositionTables& tables) {
  ParameterLayout layout;
  Builder builder(layout);
  const std::int64_t width = shape.width, wide = 4 * width;
  const double spread = 1 / std::sqrt(static_cast<double>(width));
  const double last = 1 / std::sqrt(2.0 * shape.layers);
  layout.tokens = builder.weights("tokens.weight", shape.vocabulary, width, spread);
  const bool vectors = tables.training == Training::trained_vectors;
  layout.positions =
      builder.add({"positions", 0, tables.trained_rows, tables.trained_columns, vectors ? spread : 0, 0, false});
  for (int i = 0; i < shape.layers; ++i) {
    const std::string name = "layers." + std::to_string(i) + ".";
    LayerOffsets at{};
    at.norm_gain = builder.vector(name + "attention_norm.weight", width, 1);
    at.norm_shift = builder.vector(name + "attention_norm.bias", width, 0);
    at.qkv = builder.weights(name + "qkv.weight", width, 3 * width, spread);
    at.qkv_bias = builder.vector(name + "qkv.bias", 3 * width, 0);
    at.out = builder.weights(name + "out.weight", width, width, spread * last);
    at.out_bias = builder.vector(name + "out.bias", width, 0);
    at.mlp_gain = builder.vector(name + "mlp_norm.weight", width, 1);
    at.mlp_shift = builder.vector(name + "mlp_norm.bias", width, 0);
    at.up = builder.weights(name + "up.weight", width, wide, spread);
    at.up_bias = builder.vector(name + "up.bias", wide, 0);
    at.down = builder.weights(name + "down.weight", wide, width, spread / 2 * last);
    at.down_bias = builder.vector(name + "down.bias", width, 0);
    layout.layers.push_back(at);
  }
  layout.gain = builder.vector("norm.weight", width, 1);
  layout.shift = builder.vector("norm.bias", width, 0);
  return layout;
}

template <class Cell>
void put_initial(const ParameterLayout& layout, const ModelShape& shape, const PositionTables& tables,
                 std::uint64_t seed, Cell* parameters) {
  for (const ParameterBlock& block : layout.blocks) {
    // Blocks with equal names have equal initial values in every model.
    RandomStream random{seed, fnv1a(block.name)};
    Cell* const to = parameters + block.offset;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      to[i] = static_cast<Cell>(block.middle + (block.spread > 0 ? block.spread * random.normal() : 0));
    }
  }
  // Without a scale the initial scores would be √d times as wide.
  if (tables.scale < 1) return;
  const auto factor = static_cast<Cell>(1 / std::sqrt(static_cast<double>(shape.head_width())));
  for (const LayerOffsets& layer : layout.layers) {
    for (std::int64_t row = 0; row < shape.width; ++row) {
      Cell* const query = parameters + layer.qkv + row * 3 * shape.width;
      for (int i = 0; i < shape.width; ++i) query[i] *= factor;
    }
  }
}

template void put_initial(const ParameterLayout&, const ModelShape&, const PositionTables&, std::uint64_t, float*);
template void put_initial(const ParameterLayout&, const ModelShape&, const PositionTables&, std::uint64_t, double*);

void validate(const ModelShape& shape) {
  check_size("vocabulary", shape.vocabulary, 2, 65536);
  check_size("layers", shape.layers, 1, 4);
  check_size("width", shape.width, 32, 256);
  check_size("heads", shape.heads, 1, 32);
  check_size("length", shape.length, 2, 4096);
  if (shape.width % (2 * shape.heads) != 0) {
    throw InputError("training.heads", {{"width", shape.width}, {"heads", shape.heads}});
  }
}

PositionTables position_tables(const Encoding& encoding, EncodingValues settings, const ModelShape& shape, int length) {
  validate(shape);
  if (shape.linear_attention && !encoding.linear_attention) refuse(encoding, "linear");
  if (encoding.causal_only && !shape.causal) refuse(encoding, "causal");
  PositionTables tables;
  tables.encoding = encoding.name;
  tables.length = length;
  settings.dim = shape.head_width();
  settings.heads = shape.heads;
  settings.bidirectional = !shape.causal;
  if (encoding.training == Training::none) refuse(encoding, encoding.untrained);
  tables.training = encoding.training;
  tables.scale = make_model(encoding, settings)->scale();
  switch (encoding.training) {
    case Training::rotation:
      put_rotation(tables, encoding, settings, length);
      break;
    case Training::vectors:
      settings.dim = shape.width;
      append(tables.vectors, make_model(encoding, settings)->values("p", count_from(0, length)));
      break;
    case Training::trained_vectors:
      if (length > shape.length) refuse(encoding, "table");
      put_trained(tables, shape.length, shape.width);
      break;
    case Training::bias:
      put_fixed_biases(tables, encoding, settings, shape.heads);
      break;
    case Training::trained_buckets:
      put_trained(tables, shape.heads, settings.buckets);
      for (const std::int64_t distance : count_from(1 - length, 2 * length - 1)) {
        tables.bucket.push_back(t5_bucket(distance, settings));
      }
      break;
    case Training::trained_kernel:
      put_trained(tables, shape.heads, 2);
      break;
    case Training::nothing:
    case Training::none:
      break;
  }
  return tables;
}

}  // namespace ropescope
