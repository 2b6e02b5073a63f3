// The commands `vectors` and `rotate`: statistics of q and k in a model's dump (pairs, directions, scores by distance),
// and the vectors of a .npy file rotated by a rope.
//
// Contents: Tables; vectors; rotate.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "core/check/reading/planes.h"
#include "core/formats/dumps/dump.h"
#include "core/formats/json.h"
#include "core/formats/npy.h"
#include "core/message.h"
#include "core/precision/precision.h"
#include "core/rotary/rotation.h"
#include "core/scaling/scaling.h"

namespace ropescope {

/// A dump of q and k, and the rotation of its pairs.
struct VectorSide {
  DumpShape shape;
  Pairing pairing = Pairing::half_split;
  Eigen::VectorXd frequencies;
  double amplitude = 1;
};

/// The tables: energy and direction of each pair of each head; scores by distance, with bound and bias; a few numbers
/// per head.
enum class VectorNumbers { pairs, scores, heads };
template <>
inline constexpr std::string_view kWordsOf<VectorNumbers>[] = {"pairs", "scores", "heads"};

/// The columns of statistics of measured vectors.
struct VectorTable {
  std::vector<std::string> places;  ///< index columns: "layer", "head", "pair"
  std::vector<std::string> values;
  std::vector<std::string> compared;  ///< only for two sides
};

/// The request.
struct VectorRequest {
  VectorNumbers what = VectorNumbers::pairs;
  std::vector<VectorSide> sides;                       ///< one, or two to compare
  std::vector<std::int64_t> layers;                    ///< the reported layers
  std::int64_t first_head = 0, heads = 0, tokens = 0;  ///< heads are counted from 0
  int threads = 0;
};

// --- Tables --------------------------------------------------------------------------------------------------------

namespace {

/// The statistics of one layer of one side; scores only if requested.
struct LayerNumbers {
  LayerMeans means;
  std::vector<HeadScores> scores;
};

/// Loads a layer of a file, for as long as its numbers are needed.
LoadedDump load_layer(const VectorSide& side, std::int64_t layer, const std::stop_token& stop) {
  DumpReading reading;
  reading.values = false;
  reading.stop = stop;
  if (side.shape.numbered) reading.layer = layer;
  return load_attention_dump(side.shape.source, reading);
}

LayerNumbers numbers_of(const VectorRequest& request, const VectorSide& side, const HeadTurns* turns,
                        std::int64_t layer, const std::stop_token& stop) {
  const LoadedDump loaded = load_layer(side, layer, stop);
  LayerNumbers numbers;
  numbers.means = layer_means(loaded.dump, request.tokens, side.pairing, static_cast<int>(side.frequencies.size()),
                              {request.threads, stop});
  if (turns && !stop.stop_requested()) {
    numbers.scores =
        layer_scores(loaded.dump, request.first_head, request.heads, request.tokens, *turns, {request.threads, stop});
  }
  loaded.file->check_unchanged();
  return numbers;
}

/// Returns the columns of one head of one side, one row per pair.
RowMatrixXd pair_values(const VectorSide& side, const LayerMeans& means, std::size_t head) {
  const PairMeans &query = means.queries[head], &key = means.keys_of(head);
  const Eigen::VectorXcd of_query = query.direction(), of_key = key.direction();
  RowMatrixXd values(side.frequencies.size(), 8);
  values.col(0) = side.frequencies;
  values.col(1) = query.size;
  values.col(2) = key.size;
  values.col(3) = means.product(head);
  values.col(4) = of_query.cwiseAbs();
  values.col(5) = of_query.array().arg();
  values.col(6) = of_key.cwiseAbs();
  values.col(7) = of_key.array().arg();
  return values;
}

RowMatrixXd score_values(const HeadScores& scores) {
  RowMatrixXd values(scores.mean.size(), 3);
  values.col(0) = scores.mean;
  values.col(1) = scores.bound;
  values.col(2) = scores.bias;
  return values;
}

RowMatrixXd head_values(const LayerMeans& means, const HeadScores& scores, std::size_t head) {
  const Eigen::VectorXd product = means.product(head);
  Eigen::Index strongest = 0, nearest = 0, steepest = 0;
  shares(product).maxCoeff(&strongest);
  const Eigen::VectorXd ratio =
      (scores.bound.array() > 0).select(scores.mean.cwiseAbs().cwiseQuotient(scores.bound), 0);
  ratio.maxCoeff(&nearest);
  scores.bias.cwiseAbs().maxCoeff(&steepest);
  RowMatrixXd values(1, 8);
  values << product.sum(), static_cast<double>(strongest), shares(product)[strongest], means.fixed_share(head),
      ratio[nearest], static_cast<double>(nearest), scores.bias[steepest], static_cast<double>(steepest);
  return values;
}

/// Opens a file and reads its shapes. Throws InputError that names it.
VectorSide open_side(const std::string& path) {
  const auto file = map_file(path);
  VectorSide side;
  side.shape = parse_dump_shape(file->bytes(), file, path);
  file->check_unchanged();
  return side;
}

VectorTable vector_table(VectorNumbers of) {
  static const VectorTable kTables[] = {
      {{"layer", "head", "pair"},
       {"frequency", "query", "key", "product", "query_direction", "query_angle", "key_direction", "key_angle"},
       {}},
      {{"layer", "head", "distance"}, {"mean", "bound", "bias"}, {}},
      {{"layer", "head"},
       {"product", "strongest_pair", "strongest_share", "fixed_share", "nearest_bound", "nearest_distance", "bias",
        "bias_distance"},
       {"moved_share"}}};
  return kTables[static_cast<std::size_t>(of)];
}

/// Returns the number of rows per layer.
std::int64_t rows_of_layer(const VectorRequest& request) {
  if (request.what == VectorNumbers::heads) return request.heads;
  return request.heads *
         (request.what == VectorNumbers::scores ? request.tokens : request.sides.front().frequencies.size());
}

/// Returns the rows of one layer: indices, values of the first side, values of the second, comparisons. The layer is
/// loaded and freed again. Empty if cancelled.
RowMatrixXd vector_rows(const VectorRequest& request, std::int64_t layer, const std::stop_token& stop) {
  const VectorTable table = vector_table(request.what);
  const bool compared = request.sides.size() > 1;
  const std::size_t places = table.places.size(), values = table.values.size();
  std::vector<LayerNumbers> sides;
  for (const VectorSide& side : request.sides) {
    HeadTurns turns;
    const bool scored = request.what != VectorNumbers::pairs;
    const double factor = side.amplitude * side.amplitude / std::sqrt(static_cast<double>(side.shape.head_dim));
    if (scored) turns = head_turns(side.frequencies, request.tokens, side.pairing, factor);
    sides.push_back(numbers_of(request, side, scored ? &turns : nullptr, layer, stop));
    if (stop.stop_requested()) return {};
  }
  const std::size_t columns = places + values * sides.size() + (compared ? table.compared.size() : 0);
  RowMatrixXd rows(rows_of_layer(request), static_cast<Eigen::Index>(columns));
  const Eigen::Index of_head = rows.rows() / request.heads;
  for (std::int64_t index = 0; index < request.heads; ++index) {
    const auto head = static_cast<std::size_t>(request.first_head + index);
    auto block = rows.middleRows(index * of_head, of_head);
    block.col(0).setConstant(static_cast<double>(layer));
    block.col(1).setConstant(static_cast<double>(head + 1));
    if (places > 2) block.col(2) = Eigen::VectorXd::LinSpaced(of_head, 0, static_cast<double>(of_head - 1));
    for (std::size_t side = 0; side < sides.size(); ++side) {
      const LayerMeans& means = sides[side].means;
      const auto of = static_cast<std::size_t>(index);
      block.middleCols(static_cast<Eigen::Index>(places + side * values), static_cast<Eigen::Index>(values)) =
          request.what == VectorNumbers::pairs    ? pair_values(request.sides[side], means, head)
          : request.what == VectorNumbers::scores ? score_values(sides[side].scores[of])
                                                  : head_values(means, sides[side].scores[of], head);
    }
    if (compared && !table.compared.empty()) {
      block.rightCols(1).setConstant(
          moved_share(shares(sides[0].means.product(head)), shares(sides[1].means.product(head))));
    }
  }
  return rows;
}

// --- vectors -------------------------------------------------------------------------------------------------------

struct VectorsValues {
  std::string file;
  RopeOptions rope, other_rope;
  std::optional<std::string> against;
  VectorNumbers what = VectorNumbers::pairs;
  std::optional<std::int64_t> layer, head, tokens;
  int threads = 0;
  OutputFile output;
  bool json = false;
};

/// A base without a dimension applies to the whole head.
RopeOptions whole_head(RopeOptions options, const VectorSide& side) {
  if (!names_source(options) && options.base) options.dim = side.shape.head_dim;
  return options;
}

void take_ladder(const RopeOptions& given, VectorSide& side) {
  const RopeOptions options = whole_head(given, side);
  Rope rope = resolve_rope(options);
  ask_length(rope, static_cast<double>(side.shape.tokens));
  const ScaledLadder ladder = ladder_of(options, rope);
  side.pairing = rope.profile.spec.pairing;
  side.frequencies = ladder.frequencies;
  side.amplitude = ladder.amplitude;
  if (2 * side.frequencies.size() <= side.shape.head_dim) return;
  throw InputError(side.shape.source, "dump.too_narrow",
                   {{"channels", 2 * side.frequencies.size()}, {"head_dim", side.shape.head_dim}});
}

void check_sides(const VectorSide& first, const VectorSide& second) {
  require_same_heads(first.shape, second.shape);
  if (first.frequencies.size() == second.frequencies.size()) return;
  throw InputError("command.other_pairs", {{"count", first.frequencies.size()},
                                           {"file", first.shape.source},
                                           {"other_count", second.frequencies.size()},
                                           {"other", second.shape.source}});
}

/// Returns the layers that all sides have, or the requested one.
std::vector<std::int64_t> layers_of(const VectorRequest& request, std::optional<std::int64_t> wanted) {
  const DumpShape& first = request.sides.front().shape;
  const std::vector<std::int64_t> layers = common_layers(first, request.sides.back().shape);
  if (!wanted) return layers;
  require_between("--layer", *wanted, layers.front(), layers.back());
  require_layer(layers, *wanted, first.source);
  return {*wanted};
}

/// Returns "3, 5"; for many, the first ones and the number of all.
Message list_of_layers(const std::vector<std::int64_t>& layers) {
  constexpr std::size_t kSaid = 4;
  const std::span<const std::int64_t> said(layers.data(), std::min(layers.size(), kSaid));
  const std::string names = joined(said, ", ", [](std::int64_t layer) { return std::to_string(layer); });
  if (layers.size() <= kSaid) return verbatim(names);
  return {"list.cut_of", {{"names", names}, {"count", layers.size()}}};
}

/// Reports which layers and tokens are omitted because only one of the compared files has them.
void report_omitted_layers(const VectorRequest& request, bool all_layers, bool all_tokens) {
  if (request.sides.size() < 2) return;
  const DumpShape &a = request.sides[0].shape, &b = request.sides[1].shape;
  for (const bool first : {true, false}) {
    if (!all_layers) break;
    const DumpShape &has = first ? a : b, &lacks = first ? b : a;
    std::vector<std::int64_t> layers;
    std::set_difference(has.layers.begin(), has.layers.end(), lacks.layers.begin(), lacks.layers.end(),
                        std::back_inserter(layers));
    if (layers.empty()) continue;
    print_notice({"notice.layers_omitted",
                  {{"count", layers.size()},
                   {"layers", list_of_layers(layers)},
                   {"file", has.source},
                   {"other", lacks.source}}});
  }
  const DumpShape &longer = a.tokens > b.tokens ? a : b, &shorter = a.tokens > b.tokens ? b : a;
  if (!all_tokens || longer.tokens == shorter.tokens) return;
  print_notice(
      {"notice.tokens_omitted",
       {{"count", shorter.tokens}, {"all", longer.tokens}, {"file", longer.source}, {"other", shorter.source}}});
}

VectorRequest vector_request(const VectorsValues& values) {
  VectorRequest request;
  request.what = values.what;
  request.threads = values.threads;
  request.sides.push_back(open_side(values.file));
  take_ladder(values.rope, request.sides.back());
  const bool other_rope = names_source(values.other_rope);
  if (other_rope && !values.against) throw InputError("command.other_rope", {});
  if (values.against) {
    request.sides.push_back(open_side(*values.against));
    take_ladder(other_rope ? values.other_rope : values.rope, request.sides.back());
    check_sides(request.sides[0], request.sides[1]);
  }
  request.layers = layers_of(request, values.layer);
  request.tokens = request.sides.front().shape.tokens;
  for (const VectorSide& side : request.sides) request.tokens = std::min(request.tokens, side.shape.tokens);
  if (values.tokens) request.tokens = require_between("--tokens", *values.tokens, 1, request.tokens);
  request.heads = request.sides.front().shape.heads;
  if (values.head) {
    request.first_head = require_between("--head", *values.head, 1, request.heads) - 1;
    request.heads = 1;
  }
  return request;
}

/// Returns the column names in order.
std::vector<std::string> list_vector_columns(const VectorRequest& request) {
  const VectorTable table = vector_table(request.what);
  std::vector<std::string> columns = table.places;
  columns.insert(columns.end(), table.values.begin(), table.values.end());
  if (request.sides.size() < 2) return columns;
  for (const std::string& name : table.values) columns.push_back("against_" + name);
  columns.insert(columns.end(), table.compared.begin(), table.compared.end());
  return columns;
}

enum class Form { csv, json, npy };

Form form_of(const VectorsValues& values) {
  const bool npy = values.output.ends_with(".npy");
  if (npy && values.json) throw InputError("command.json_and_npy", {});
  if (npy) return Form::npy;
  return values.json || values.output.ends_with(".json") ? Form::json : Form::csv;
}

void append_vector_rows(const RowMatrixXd& rows, std::string& text) {
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    for (Eigen::Index column = 0; column < rows.cols(); ++column) {
      text += (column > 0 ? "," : "") + shortest_number(rows(row, column));
    }
    text += "\n";
  }
}

/// Appends one object per row, one row per line.
void append_json(const RowMatrixXd& rows, const std::vector<std::string>& columns, bool first, std::string& text) {
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    text += first && row == 0 ? "\n  {" : ",\n  {";
    for (Eigen::Index column = 0; column < rows.cols(); ++column) {
      text += (column > 0 ? ", \"" : "\"") + columns[static_cast<std::size_t>(column)] +
              "\": " + shortest_number(rows(row, column));
    }
    text += "}";
  }
}

std::string beginning_of(const VectorRequest& request, Form form, const std::vector<std::string>& columns) {
  if (form == Form::json) return "[";
  if (form == Form::npy) {
    return npy_header_text("<f8", {std::ssize(request.layers) * rows_of_layer(request), std::ssize(columns)});
  }
  return joined(columns, ",") + "\n";
}

int run_vectors(const VectorsValues& values) {
  const Form form = form_of(values);
  const VectorRequest request = vector_request(values);
  const std::vector<std::string> columns = list_vector_columns(request);
  const StopOnInterrupt interrupt;
  ProgressLine progress;
  std::size_t next = 0;
  bool ended = false, stopped = false;
  // One layer at a time, so memory use does not grow with their number.
  const auto append = [&](std::string& piece) {
    if (next == request.layers.size()) {
      if (form == Form::json && !std::exchange(ended, true)) piece = "\n]\n";
      return;
    }
    const RowMatrixXd rows = vector_rows(request, request.layers[next], interrupt.token());
    if (interrupt.token().stop_requested()) throw InputError("command.stopped", {});
    if (form == Form::npy) append_npy_numbers({rows.data(), static_cast<std::size_t>(rows.size())}, piece);
    if (form == Form::csv) append_vector_rows(rows, piece);
    if (form == Form::json) append_json(rows, columns, next == 0, piece);
    ++next;
    progress.show(static_cast<double>(next) / static_cast<double>(request.layers.size()), "layers");
  };
  try {
    put_result(values.output, beginning_of(request, form, columns), append);
  } catch (const InputError&) {
    stopped = interrupt.token().stop_requested();
    if (!stopped) throw;
  }
  if (stopped) return cancelled("layers");
  report_omitted_layers(request, !values.layer, !values.tokens);
  const RopeOptions options = whole_head(values.rope, request.sides.front());
  Rope rope = resolve_rope(options);
  ask_length(rope, static_cast<double>(request.sides.front().shape.tokens));
  notice_axis(values.rope, rope);
  notice_length(options, rope);
  return 0;
}

// --- rotate --------------------------------------------------------------------------------------------------------

struct RotateValues {
  RopeOptions rope;
  std::string input, positions;
  OutputFile output;
};

/// A .npy of plain numbers, memory-mapped.
struct NpyFile {
  std::shared_ptr<const MappedFile> file;
  StoredTensor tensor;
};

NpyFile open_npy(const std::string& path) {
  NpyFile opened;
  opened.file = map_file(path);
  opened.tensor = view_npy(opened.file->bytes(), opened.file, path, NpyNumbers::plain);
  opened.file->check_unchanged();
  return opened;
}

void check_input(const StoredTensor& tensor, const RotarySpec& spec, const std::string& path) {
  const std::vector<std::int64_t>& shape = tensor.shape;
  if ((shape.size() != 2 && shape.size() != 3) || shape.back() != spec.head_dim) {
    throw InputError(path, "command.input_shape", {{"shape", shape_text(shape)}, {"head_dim", spec.head_dim}});
  }
  // A token is converted to doubles.
  constexpr std::int64_t kMaxValuesPerToken = std::int64_t{1} << 22;
  if (shape.size() == 3 && shape[1] > kMaxValuesPerToken / spec.head_dim) {
    throw InputError(
        path, "command.input_heads",
        {{"shape", shape_text(shape)}, {"most", kMaxValuesPerToken / spec.head_dim}, {"head_dim", spec.head_dim}});
  }
  if (is_integer(tensor.storage)) throw InputError(path, "dump.integers", {});
}

/// Positions [tokens × axes], row by row: from a list, or from a file a few at a time.
class Positions {
 public:
  Positions(const std::string& text, std::int64_t tokens, std::int64_t axes) : text_(text), axes_(axes) {
    if (is_npy_path(text)) {
      open(tokens);
    } else {
      read_list(tokens);
    }
  }

  void read(std::int64_t first, std::int64_t count, double* out) const {
    if (stored_.file) return read_rows(stored_.tensor, first, count, out);
    std::copy_n(list_.begin() + first, count, out);
  }
  double farthest() const { return farthest_; }
  void check_unchanged() const {
    if (stored_.file) stored_.file->check_unchanged();
  }

 private:
  void read_list(std::int64_t tokens) {
    if (axes_ > 1) throw InputError("command.list_of_axes", {{"axes", axes_}});
    list_ = parse_list(text_, "--positions");
    if (static_cast<std::int64_t>(list_.size()) != tokens) {
      throw InputError("command.position_count", {{"count", list_.size()}, {"tokens", tokens}});
    }
    look_at(list_);
  }

  void open(std::int64_t tokens) {
    stored_ = open_npy(text_);
    const std::vector<std::int64_t>& shape = stored_.tensor.shape;
    const bool fits =
        shape == std::vector<std::int64_t>{tokens, axes_} || (axes_ == 1 && shape == std::vector<std::int64_t>{tokens});
    if (!fits) {
      throw InputError(text_, "command.shape",
                       {{"shape", shape_text(shape)},
                        {"expected", shape_text(axes_ == 1 ? std::vector{tokens} : std::vector{tokens, axes_})}});
    }
    // All of them are checked before anything is written.
    std::vector<double> piece(static_cast<std::size_t>(kTokens * axes_));
    for (std::int64_t first = 0; first < tokens; first += kTokens) {
      const std::int64_t count = std::min(kTokens, tokens - first);
      read_rows(stored_.tensor, first, count, piece.data());
      const bool finite = std::all_of(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count * axes_),
                                      [](double position) { return std::isfinite(position); });
      if (!finite) throw InputError(text_, "check.odd_position", {});
      look_at(std::span(piece).first(static_cast<std::size_t>(count * axes_)));
    }
  }

  void look_at(std::span<const double> positions) {
    for (const double position : positions) farthest_ = std::max(farthest_, position);
  }

  static constexpr std::int64_t kTokens = 4096;
  std::string text_;
  double farthest_ = 0;
  std::int64_t axes_;
  std::vector<double> list_;
  NpyFile stored_;
};

double round_as_stored(Storage storage, double value) {
  if (storage == Storage::float16) return round_to_float16(value);
  return storage == Storage::float32 ? round_to_float32(value) : value;
}

/// The rotated vectors as the bytes of a .npy: its header, then a few tokens at a time.
class Rotation {
 public:
  Rotation(NpyFile input, Positions positions, const RotarySpec& spec, const HeadLadder& ladder)
      : input_(std::move(input)), positions_(std::move(positions)), spec_(spec), ladder_(ladder) {
    spec_.amplitude = ladder.amplitude;
    const std::vector<std::int64_t>& shape = input_.tensor.shape;
    heads_ = shape.size() == 3 ? shape[1] : 1;
    // If another axis has no elements, this axis may have any length.
    tokens_ = heads_ == 0 ? 0 : shape[0];
    pieces_ = std::max<std::int64_t>(1, kNumbers / std::max<std::int64_t>(1, heads_ * shape.back()));
  }

  std::string header() const { return to_npy_header(input_.tensor); }
  /// Writes the bytes of the next tokens; empty after the last.
  void next(std::string& bytes) {
    const std::int64_t count = std::min(pieces_, tokens_ - done_);
    if (count == 0) return;
    rotate_next(count, bytes);
    done_ += count;
  }

  /// Reports infinite or NaN output: from such input, or from overflow of the format.
  void notice_infinite(const std::string& output) const {
    if (infinite_ == 0) return;
    const std::int64_t channels = spec_.head_dim, vector = first_infinite_ / channels;
    const char* place = input_.tensor.shape.size() == 3 ? "notice.infinite_at_head" : "notice.infinite_at";
    print_notice({given_infinite_ ? "notice.infinite_input" : "notice.infinite_format",
                  {{"file", output},
                   {"count", infinite_},
                   {"all", tokens_ * heads_ * channels},
                   {"place", Message(place, {{"token", vector / heads_},
                                             {"head", vector % heads_},
                                             {"channel", first_infinite_ % channels}})},
                   {"format", storage_name(input_.tensor.storage)}}});
  }

 private:
  void rotate_next(std::int64_t count, std::string& bytes) {
    const std::size_t axes = spec_.axes.size();
    const std::int64_t channels = spec_.head_dim;
    std::vector<double> numbers(static_cast<std::size_t>(count * heads_ * channels));
    std::vector<double> ids(static_cast<std::size_t>(count) * axes);
    read_rows(input_.tensor, done_, count, numbers.data());
    positions_.read(done_, count, ids.data());
    input_.file->check_unchanged();
    positions_.check_unchanged();
    const auto is_finite = [](double number) { return std::isfinite(number); };
    given_infinite_ = given_infinite_ || !std::all_of(numbers.begin(), numbers.end(), is_finite);
    for (std::int64_t token = 0; token < count; ++token) {
      const auto first = ids.begin() + static_cast<std::ptrdiff_t>(token * static_cast<std::int64_t>(axes));
      const TableRow row =
          head_table_row(spec_, ladder_.frequencies, {first, first + static_cast<std::ptrdiff_t>(axes)});
      for (std::int64_t head = 0; head < heads_; ++head) {
        Eigen::Map<Eigen::VectorXd> x(numbers.data() + (token * heads_ + head) * channels, spec_.head_dim);
        x = rotate_by_row(spec_, row, x);
      }
    }
    count_infinite(numbers);
    const std::vector<std::byte> stored = store_numbers(numbers, input_.tensor.storage, input_.tensor.big_endian);
    bytes.assign(reinterpret_cast<const char*>(stored.data()), stored.size());
  }

  void count_infinite(const std::vector<double>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(round_as_stored(input_.tensor.storage, numbers[i]))) continue;
      if (infinite_++ == 0) first_infinite_ = done_ * heads_ * spec_.head_dim + static_cast<std::int64_t>(i);
    }
  }

  /// Number of elements in memory at a time.
  static constexpr std::int64_t kNumbers = std::int64_t{1} << 18;
  NpyFile input_;
  Positions positions_;
  RotarySpec spec_;
  HeadLadder ladder_;
  std::int64_t heads_ = 1, tokens_ = 0, pieces_ = 1, done_ = 0;
  std::int64_t infinite_ = 0, first_infinite_ = 0;
  bool given_infinite_ = false;
};

void run_rotate(const RotateValues& values) {
  Rope rope = resolve_rope(values.rope);
  const RotarySpec& spec = rope.profile.spec;
  NpyFile input = open_npy(values.input);
  check_input(input.tensor, spec, values.input);
  Positions positions(values.positions, input.tensor.shape.front(), static_cast<std::int64_t>(spec.axes.size()));
  ask_length(rope, positions.farthest() + 1);
  Rotation rotation(std::move(input), std::move(positions), spec, head_ladder(spec, rope.length));
  put_result(values.output, rotation.header(), [&](std::string& bytes) { rotation.next(bytes); });
  rotation.notice_infinite(values.output.is_file() ? values.output.path() : "standard output");
  notice_length(values.rope, rope);
}

}  // namespace

Action declare_vectors(Arguments& arguments) {
  const auto values = std::make_shared<VectorsValues>();
  arguments.positional("QK", values->file);
  arguments.option("--against", "QK2", values->against);
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  arguments.option("--against-config", "FILE", values->other_rope.config);
  arguments.option("--against-model", "PRESET", values->other_rope.model);
  arguments.option("--what", "pairs|scores|heads", choice_into(values->what));
  arguments.option("--layer", "N", whole_into(values->layer));
  arguments.option("--head", "N", whole_into(values->head));
  arguments.option("--tokens", "N", whole_into(values->tokens));
  arguments.flag("--json", values->json);
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output);
  arguments.footer(Message("help.vectors.footer"));
  return [values] { return run_vectors(*values); };
}

Action declare_rotate(Arguments& arguments) {
  const auto values = std::make_shared<RotateValues>();
  add_rope_options(arguments, values->rope);
  arguments.option("--input", "X.npy", values->input, Arguments::Need::required);
  arguments.option("--positions", "LIST|P.npy", values->positions, Arguments::Need::required);
  arguments.option("-o,--output", "Y.npy", values->output, Arguments::Need::required);
  return [values] { run_rotate(*values); };
}

}  // namespace ropescope
