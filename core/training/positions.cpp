#include "core/training/positions.h"

#include <cmath>
#include <numeric>

#include "core/encodings/buckets.h"
#include "core/error.h"

namespace ropescope {

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

}  // namespace ropescope
