// Contents: Parameters; Positions; Tables of positions.

#include "core/training/parameters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/attention/attention.h"
#include "core/encodings/biases.h"
#include "core/training/piece.h"
#include "core/words.h"

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

/// The same name has the same numbers in every model: FNV-1a.
std::uint64_t key_of(const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

ParameterLayout parameter_layout(const ModelShape& shape, const PositionTables& tables) {
  ParameterLayout layout;
  Builder builder(layout);
  const std::int64_t width = shape.width, wide = 4 * width;
  const double spread = 1 / std::sqrt(static_cast<double>(width));
  const double last = 1 / std::sqrt(2.0 * shape.layers);
  layout.tokens = builder.weights("tokens.weight", shape.vocabulary, width, spread);
  const bool vectors = tables.trained == TrainedPositions::vectors;
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
    RandomStream random{seed, key_of(block.name)};
    Cell* const to = parameters + block.offset;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      to[i] = static_cast<Cell>(block.middle + (block.spread > 0 ? block.spread * random.normal() : 0));
    }
  }
  // Without a scale the scores would begin √d times as wide.
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

// --- Positions -----------------------------------------------------------------------------------------------------

namespace {

void check_size(const char* name, int value, int least, int most) {
  if (value >= least && value <= most) return;
  throw InputError(
      "training.size",
      {{"name", Words(std::string("training.size.") + name)}, {"found", value}, {"least", least}, {"most", most}});
}

[[noreturn]] void refuse(const Encoding& encoding, const char* reason) {
  throw InputError("training.refused",
                   {{"encoding", encoding.name}, {"reason", Words(std::string("training.refused.") + reason)}});
}

std::vector<std::int64_t> count_from(std::int64_t first, std::int64_t count) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

void append(std::vector<double>& to, const TokenMatrix& values) {
  to.insert(to.end(), values.data(), values.data() + values.size());
}

void put_rotation(PositionTables& tables, const Encoding& encoding, const EncodingSettings& settings, int length) {
  const auto model = make_model(encoding, settings);
  const std::vector<std::int64_t> rows = count_from(0, length);
  const TokenMatrix cosine = model->values("cos", rows), sine = model->values("sin", rows);
  TokenMatrix query = TokenMatrix::Ones(cosine.rows(), cosine.cols());
  if (encoding.name == "xpos") query = model->values("scale", rows);
  const TokenMatrix key = query.cwiseInverse();
  append(tables.query_cosine, cosine.cwiseProduct(query));
  append(tables.query_sine, sine.cwiseProduct(query));
  append(tables.key_cosine, cosine.cwiseProduct(key));
  append(tables.key_sine, sine.cwiseProduct(key));
  tables.pairs = static_cast<int>(cosine.cols());
  tables.half_split = settings.pairing == Pairing::half_split;
}

void put_fixed_biases(PositionTables& tables, const Encoding& encoding, EncodingSettings settings, int heads) {
  const std::vector<std::int64_t> distances = count_from(1 - tables.length, 2 * tables.length - 1);
  for (int head = 1; head <= heads; ++head) {
    settings.head = head;
    append(tables.biases, make_model(encoding, settings)->values("bias", distances));
  }
}

void put_trained(PositionTables& tables, TrainedPositions trained, std::int64_t rows, std::int64_t columns) {
  tables.trained = trained, tables.trained_rows = rows, tables.trained_columns = columns;
}

}  // namespace

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

PositionTables position_tables(const Encoding& encoding, EncodingSettings settings, const ModelShape& shape,
                               int length) {
  validate(shape);
  if (shape.linear_attention && !encoding.linear_attention) refuse(encoding, "linear");
  if (encoding.causal_only && !shape.causal) refuse(encoding, "causal");
  PositionTables tables;
  tables.encoding = encoding.name;
  tables.length = length;
  settings.dim = shape.head_width();
  settings.heads = shape.heads;
  settings.bidirectional = !shape.causal;
  tables.scale = encoding.name == "none" ? 1 / std::sqrt(settings.dim) : make_model(encoding, settings)->scale();
  const std::string_view name = encoding.name;
  if (name == "none") return tables;
  if (name == "rope" || name == "p-rope" || name == "xpos") {
    put_rotation(tables, encoding, settings, length);
  } else if (name == "alibi" || name == "sandwich") {
    put_fixed_biases(tables, encoding, settings, shape.heads);
  } else if (name == "t5") {
    put_trained(tables, TrainedPositions::buckets, shape.heads, settings.buckets);
    for (const std::int64_t distance : count_from(1 - length, 2 * length - 1)) {
      tables.bucket.push_back(t5_bucket(distance, settings));
    }
  } else if (name == "kerple") {
    put_trained(tables, TrainedPositions::kerple, shape.heads, 2);
  } else if (name == "sinusoidal") {
    settings.dim = shape.width;
    append(tables.vectors, make_model(encoding, settings)->values("p", count_from(0, length)));
  } else if (name == "learned") {
    if (length > shape.length) refuse(encoding, "table");
    put_trained(tables, TrainedPositions::vectors, shape.length, shape.width);
  } else if (name == "hierarchical") {
    refuse(encoding, "hierarchical");
  } else {
    refuse(encoding, "inside");
  }
  return tables;
}

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
  if (tables.trained == TrainedPositions::vectors) {
    vectors.resize(static_cast<std::size_t>(tables.length) * static_cast<std::size_t>(width));
  } else if (tables.trained != TrainedPositions::none) {
    biases.resize(static_cast<std::size_t>(heads) * static_cast<std::size_t>(2 * tables.length - 1));
  }
}

template <class Cell>
void CellTables<Cell>::take(const ParameterLayout& layout, const Cell* parameters) {
  const Cell* const trained = parameters + layout.positions;
  if (from.trained == TrainedPositions::vectors) {
    const auto factor = static_cast<Cell>(std::sqrt(static_cast<double>(width)));
    for (std::size_t i = 0; i < vectors.size(); ++i) vectors[i] = trained[i] * factor;
  }
  if (from.trained != TrainedPositions::buckets && from.trained != TrainedPositions::kerple) return;
  const std::int64_t distances = 2 * from.length - 1;
  for (std::int64_t head = 0; head < heads; ++head) {
    const Cell* const numbers = trained + head * from.trained_columns;
    Cell* const to = biases.data() + head * distances;
    for (std::int64_t i = 0; i < distances; ++i) {
      if (from.trained == TrainedPositions::buckets) {
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
    if (from.trained == TrainedPositions::buckets) {
      for (std::int64_t i = 0; i < distances; ++i) gradient[at + from.bucket[static_cast<std::size_t>(i)]] += d[i];
    } else if (from.trained == TrainedPositions::kerple) {
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

}  // namespace ropescope
