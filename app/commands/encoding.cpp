// The commands `encoding`, `encodings`, `score` and `attention`: each reads the fields of an encoding (rope_options.h),
// computes with core/encodings or core/attention, and writes a table, JSON or a picture.
//
// Contents: encoding; encodings; score; attention.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "app/commands/answers.h"
#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/commands/rope_options.h"
#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/figure/pages/page.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/views/attention/words.h"
#include "core/attention/attention.h"
#include "core/check/reading/planes.h"
#include "core/encodings/encoding.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/formats/npy.h"
#include "core/message.h"

namespace ropescope {

// --- encoding ------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kMaxEncodingPositions = 16'777'217;
/// Limit on cells: a .npy of 16 GiB.
constexpr std::size_t kMaxEncodingCells = std::size_t{1} << 31;
/// Number of cells whose text is in memory at a time.
constexpr std::size_t kEncodingPiece = std::size_t{1} << 17;

struct EncodingArguments {
  std::string name;
  EncodingOptions encoding;
  std::vector<std::int64_t> positions;
  OutputFile output;
};

/// All parts of an encoding's values, concatenated.
struct Columns {
  std::shared_ptr<const EncodingModel> model;
  std::vector<std::string> parts, names;

  /// Returns these rows. Throws InputError if a value is not finite.
  TokenMatrix rows(std::span<const std::int64_t> places) const {
    TokenMatrix all(static_cast<Eigen::Index>(places.size()), static_cast<Eigen::Index>(names.size()));
    Eigen::Index first = 0;
    for (const std::string& part : parts) {
      const TokenMatrix values = model->values(part, places);
      all.middleCols(first, values.cols()) = values;
      first += values.cols();
    }
    if (!all.allFinite()) reject_row(all, places);
    return all;
  }

 private:
  [[noreturn]] void reject_row(const TokenMatrix& all, std::span<const std::int64_t> places) const {
    Eigen::Index row = 0, column = 0;
    while (all.row(row).allFinite()) ++row;
    while (std::isfinite(all(row, column))) ++column;
    throw InputError(
        std::string(model->encoding().name), "command.large_value",
        {{"value", names[static_cast<std::size_t>(column)]}, {"position", places[static_cast<std::size_t>(row)]}});
  }
};

Columns list_encoding_columns(const std::shared_ptr<const EncodingModel>& model) {
  Columns columns;
  columns.model = model;
  std::set<std::string> known;
  std::vector<std::string> full;
  for (const std::string_view part : model->encoding().value_parts) {
    columns.parts.emplace_back(part);
    for (const std::string& name : model->value_columns(part)) {
      known.insert(name);
      columns.names.push_back(name);
      full.push_back(std::string(part) + " " + name);
    }
  }
  // Parts with equal column names (Shaw's key and value) are distinguished by a prefix.
  if (known.size() < columns.names.size()) columns.names = full;
  return columns;
}

std::vector<std::int64_t> parse_places(const std::string& option, const std::string& text) {
  std::vector<std::int64_t> places;
  for (const double place : parse_list(text, option, kMaxEncodingPositions)) {
    // Avoids formatting and parsing millions of valid numbers.
    const bool good = place == std::floor(place) && std::abs(place) <= kLargestPosition;
    places.push_back(good ? static_cast<std::int64_t>(place) : read_whole(option, shortest_number(place)));
  }
  return places;
}

std::string to_encoding_header(const Columns& columns) {
  std::string header = columns.model->encoding().values_by == ValuesBy::position ? "position" : "distance";
  for (const std::string& name : columns.names) header += "," + name;
  return header + "\n";
}

std::string csv_rows(const Columns& columns, std::span<const std::int64_t> places) {
  const TokenMatrix values = columns.rows(places);
  std::string rows;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    rows += std::to_string(places[static_cast<std::size_t>(i)]);
    // Adding 0 converts −0 to 0.
    for (Eigen::Index c = 0; c < values.cols(); ++c) rows += "," + shortest_number(values(i, c) + 0.0);
    rows += "\n";
  }
  return rows;
}

/// Returns float64 numbers in the byte format of a .npy.
std::string npy_rows(const Columns& columns, std::span<const std::int64_t> places) {
  const TokenMatrix values = columns.rows(places);
  std::string bytes;
  append_npy_numbers({values.data(), static_cast<std::size_t>(values.size())}, bytes);
  return bytes;
}

/// Throws InputError before anything is written if there are too many values, or non-finite ones. Only the ends are
/// checked because magnitudes increase towards them, if at all.
void check_values(const Columns& columns, const std::vector<std::int64_t>& places) {
  const std::size_t width = columns.names.size();
  if (places.size() > kMaxEncodingCells / width) {
    throw InputError(
        "command.many_values",
        {{"positions", places.size()}, {"values", width}, {"all", places.size() * width}, {"most", kMaxEncodingCells}});
  }
  const auto [least, greatest] = std::minmax_element(places.begin(), places.end());
  columns.rows(std::vector<std::int64_t>{*least, *greatest});
}

/// Throws InputError for the ending of a file that the table cannot be written with.
bool wants_npy(const OutputFile& output) {
  return output.is_file() && require_ending(output, {".csv", ".npy"}) == ".npy";
}

void run_encoding(const EncodingArguments& values) {
  const Encoding& encoding = find_encoding(values.name);
  const bool npy = wants_npy(values.output);
  const std::vector<std::int64_t>& places = values.positions;
  EncodingOptions options = values.encoding;
  const auto farthest =
      std::max_element(places.begin(), places.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); });
  options.requested_length = std::abs(static_cast<double>(*farthest)) + 1;
  const auto model = make_model(encoding, settings_with_dim(options, encoding));
  if (encoding.values_by == ValuesBy::none) throw InputError("command.no_values", {{"encoding", values.name}});
  if (encoding.values_by == ValuesBy::position) {
    for (const std::int64_t place : places) check_position(*model, place);
  }
  const Columns columns = list_encoding_columns(model);
  check_values(columns, places);
  const std::size_t rows = std::max<std::size_t>(1, kEncodingPiece / columns.names.size());
  std::span<const std::int64_t> left = places;
  const std::string header =
      npy ? npy_header_text("<f8", {std::ssize(places), std::ssize(columns.names)}) : to_encoding_header(columns);
  put_result(values.output, header, [&](std::string& piece) {
    if (left.empty()) return;
    const std::size_t count = std::min(left.size(), rows);
    piece = npy ? npy_rows(columns, left.first(count)) : csv_rows(columns, left.first(count));
    left = left.subspan(count);
  });
}

// --- encodings -----------------------------------------------------------------------------------------------------

using nlohmann::ordered_json;

struct EncodingsValues {
  bool json = false;
  OutputFile output;
};

/// Returns the number of trained parameters of one head, with the default fields.
std::int64_t parameter_count(const Encoding& encoding) {
  return encoding.parameters(EncodingValues{});
}

/// Returns whether it is defined past its trained length; only learned tables end.
bool goes_past(const Encoding& encoding) {
  const EncodingValues settings;
  return is_defined_at(encoding, settings, settings.trained_length);
}

std::vector<std::string> list_encodings_with(std::span<const EncodingField> settings) {
  std::vector<std::string> names;
  for (const EncodingField& field : settings) names.emplace_back(field.name);
  return names;
}

std::vector<std::string> row_of(const Encoding& encoding) {
  return {std::string(encoding.name),
          encoding.relative ? "yes" : "no",
          encoding.learned ? "yes" : "no",
          !encoding.positions   ? "any"
          : goes_past(encoding) ? "up to its square"
                                : "not beyond it",
          std::to_string(parameter_count(encoding)),
          std::string(encoding.source)};
}

std::string encodings_table() {
  std::vector<std::vector<std::string>> rows = {
      {"name", "relative", "learned", "trained length", "parameters", "source"}};
  for (const Encoding& encoding : all_encodings()) rows.push_back(row_of(encoding));
  return aligned(rows);
}

std::string encodings_json_text() {
  const Text text = Text::load(find_places().assets);
  ordered_json list = ordered_json::array();
  for (const Encoding& encoding : all_encodings()) {
    list.push_back({{"name", encoding.name},
                    {"title", text.render(title_of(encoding))},
                    {"relative", encoding.relative},
                    {"learned", encoding.learned},
                    {"past_trained_length", goes_past(encoding)},
                    {"parameters", parameter_count(encoding)},
                    {"causal_only", encoding.causal_only},
                    {"linear_attention", encoding.linear_attention},
                    {"takes_ladder", encoding.takes_ladder},
                    {"formula", text.render(formula_of(encoding))},
                    {"scale", text.render(scale_rule_of(encoding))},
                    {"settings", list_encodings_with(encoding.settings)},
                    {"source", encoding.source}});
  }
  return ordered_json{{"encodings", list}}.dump(2) + "\n";
}

// --- score ---------------------------------------------------------------------------------------------------------

constexpr std::size_t kMaxChannels = 8192;

struct ScoreValues {
  std::string name;
  EncodingOptions encoding;
  std::string query, key;
  std::int64_t query_position = 0, key_position = 0;
  std::string language;
  OutputFile output;
  bool terms = false, json = false;
};

std::vector<double> load_npy_vector(const std::string& path, int dim) {
  const std::shared_ptr<const MappedFile> file = map_file(path);
  const StoredTensor tensor = view_npy(file->bytes(), file, path, NpyNumbers::plain);
  const std::vector<std::int64_t> flat = {dim}, row = {1, dim};
  if (tensor.shape != flat && tensor.shape != row) {
    throw InputError(path, "command.vector_shape",
                     {{"shape", shape_text(tensor.shape)}, {"expected", shape_text(flat)}, {"dim", dim}});
  }
  std::vector<double> values(static_cast<std::size_t>(dim));
  read_rows(tensor, 0, tensor.shape[0], values.data());
  file->check_unchanged();
  for (const double value : values) {
    if (!std::isfinite(value)) throw InputError(path, "command.not_finite", {});
  }
  return values;
}

Eigen::VectorXd load_vector(const std::string& option, const std::string& text, int dim) {
  std::vector<double> values = is_npy_path(text) ? load_npy_vector(text, dim) : parse_list(text, option, kMaxChannels);
  if (values.size() != static_cast<std::size_t>(dim)) {
    throw InputError("command.vector_size", {{"option", option}, {"count", values.size()}, {"dim", dim}});
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), dim);
}

/// Returns the question: the encoding with its channels and base, and the two positions.
RequestSummary describe_score_request(const ScoreValues& values, const EncodingModel& model, const Text& text) {
  const EncodingValues& settings = model.settings();
  const RopeOptions& rope = values.encoding.rope;
  RequestSummary question(text);
  question.add("encoding", values.name, text.render(title_of(model.encoding())));
  if (const auto& source = rope.config ? rope.config : rope.model) question.add("model", *source, *source);
  question.add("dim", settings.dim, std::to_string(settings.dim));
  if (takes(model.encoding(), "base") && !settings.ladder) {
    question.add("base", settings.base, readable_number(settings.base, 17));
  }
  for (const auto& [key, position] :
       {std::pair("query_position", values.query_position), std::pair("key_position", values.key_position)}) {
    question.add(key, position, std::to_string(position));
  }
  return question;
}

void run_score(const ScoreValues& values) {
  const Encoding& encoding = find_encoding(values.name);
  EncodingOptions options = values.encoding;
  options.requested_length = static_cast<double>(std::max(values.query_position, values.key_position)) + 1;
  const auto model = make_model(encoding, settings_with_dim(options, encoding));
  const int dim = model->settings().dim;
  const Eigen::VectorXd query = load_vector("--query", values.query, dim);
  const Eigen::VectorXd key = load_vector("--key", values.key, dim);
  const Text text = load_text(values.language);
  ordered_json list = ordered_json::array();
  std::string rows;
  double total = 0;
  for (const ScoreTerm& term : model->terms(query, key, values.query_position, values.key_position)) {
    const std::string name = text.render(term_words(term.name));
    total += term.value;
    list.push_back({{"name", name}, {"value", term.value}});
    rows += name + "," + shortest_number(term.value) + "\n";
  }
  if (!std::isfinite(total)) throw InputError(values.name, "command.score_overflow", {});
  const RequestSummary question = describe_score_request(values, *model, text);
  if (is_read_on_terminal(values.output, values.json)) {
    rows += text["answer.score.total"] + "," + shortest_number(total) + "\n";
    const std::string scale = text.format("answer.score.scale", {{"scale", readable_number(model->scale(), 6)}});
    return put_table(values.output, {question, {{"term"}, {"value"}}, {scale}},
                     [&rows](std::string& piece) { piece = std::exchange(rows, {}); });
  }
  ordered_json root = {{"total", total}, {"scale", model->scale()}};
  if (values.json) root["question"] = question.json();
  if (values.terms || values.json) root["terms"] = list;
  put_result(values.output, root.dump(2) + "\n");
}

// --- attention -----------------------------------------------------------------------------------------------------

constexpr auto kMaxTokens = static_cast<std::int64_t>(kMaxCommandTokens);
/// Limit on cells: a .npy of 16 GiB.
constexpr std::int64_t kMaxAttentionCells = std::int64_t{1} << 31;
/// Number of weights in memory at a time: 128 MiB.
constexpr std::int64_t kHeldCells = std::int64_t{1} << 24;
/// Maximum number of maps on one page.
constexpr std::int64_t kMaxMaps = 16;
/// Number of rows of a head whose bytes are in memory at a time.
constexpr Eigen::Index kRows = 64;

struct AttentionValues {
  PageOptions page;
  AttentionFields fields;
  FieldOptions given;  ///< the options that set them
  const Encoding* encoding = nullptr;
  std::optional<std::string> input;
  std::optional<std::int64_t> layer;
  std::int64_t first_position = 0;
  int threads = 0;
  OutputFile output;
  EncodingOptions encoding_options;
  bool causal = false, turn_vectors = false;
};

/// The heads' vectors, from a file or synthetic.
struct CommandsAttentionContent {
  std::int64_t tokens = 0, heads = 1;
  int dim = 128;
  std::function<AttentionInput(std::int64_t head)> head;  ///< counted from 1
};

void require_free_space(std::int64_t heads, std::int64_t tokens) {
  if (heads <= kMaxAttentionCells / (tokens * tokens)) return;
  throw InputError(
      "command.many_weights",
      {{"heads", heads}, {"tokens", tokens}, {"all", heads * tokens * tokens}, {"most", kMaxAttentionCells}});
}

/// Returns the fields as options set them: content is only synthetic, because a file has an option of its own.
FieldList attention_fields_of(AttentionFields& fields) {
  FieldList list = fields_of(fields);
  find_field(list, "attention.content")->options = {"aligned", "random"};
  return list;
}

/// Checks the shapes in the file, before any data is read.
void check_shapes(const AttentionValues& values, const std::string& path, const AttentionDump& dump) {
  const EncodingOptions& options = values.encoding_options;
  for (const auto& [name, value, found] :
       {std::tuple("dim", options.values.dim, dump.head_dim), {"heads", options.values.heads, dump.heads}}) {
    if (!options.given.contains(name) || value == found) continue;
    throw InputError("command.other_number", {{"option", "--" + std::string(name)},
                                              {"found", in_quotes(std::to_string(value))},
                                              {"file", path},
                                              {"count", found}});
  }
  if (dump.tokens > kMaxTokens) {
    throw InputError(path, "layouts.too_many_tokens", {{"tokens", dump.tokens}, {"most", kMaxTokens}});
  }
  if (dump.head_dim > std::numeric_limits<int>::max()) throw InputError(path, "command.large_head", {});
  const bool head = options.given.contains("head");
  if (head) require_between("--head", options.values.head, 1, dump.heads);
  require_free_space(head ? 1 : dump.heads, dump.tokens);
}

CommandsAttentionContent load_content(const AttentionValues& values) {
  const std::string& path = *values.input;
  for (const char* key : {"attention.tokens", "attention.content"}) {
    if (values.given.has(key)) refuse_both("--input", "--" + std::string(key).substr(10));
  }
  DumpReading reading;
  reading.values = false;
  if (values.layer && *values.layer < 0) {
    reject("--layer", std::to_string(*values.layer), Message("expected.layer"));
  }
  reading.layer = values.layer;
  reading.accept = [&](const AttentionDump& dump) { check_shapes(values, path, dump); };
  const auto loaded = std::make_shared<const LoadedDump>(load_attention_dump(path, reading));
  const AttentionDump& dump = loaded->dump;
  return {dump.tokens, dump.heads, static_cast<int>(dump.head_dim),
          [loaded, path](std::int64_t head) { return loaded->head(head, kMaxTokens, path); }};
}

CommandsAttentionContent make_random_content(const AttentionValues& values, const EncodingValues& settings) {
  if (values.layer) throw InputError("command.layer_alone", {});
  if (!values.given.has("attention.tokens")) throw InputError("command.no_content", {});
  CommandsAttentionContent content;
  content.tokens = static_cast<std::int64_t>(values.fields.tokens);
  if (values.encoding_options.given.contains("heads")) {
    content.heads = read_whole(window_field("encoding.heads"), "--heads", std::to_string(settings.heads));
  }
  content.dim = settings.dim;
  const ContentKind kind =
      values.fields.content == AttentionSource::aligned ? ContentKind::aligned : ContentKind::random;
  content.head = [kind, tokens = static_cast<int>(content.tokens), settings](std::int64_t head) {
    AttentionInput input =
        make_content(kind, tokens, settings.dim, 1, settings.seed + static_cast<std::uint64_t>(head - 1));
    input.values.resize(0, 0);
    return input;
  };
  return content;
}

/// Throws InputError if an option has no effect on this kind of attention.
void check_fields(const AttentionValues& values) {
  if (values.fields.kind != AttentionKind::linear) {
    const bool kernel = values.given.has("attention.kernel");
    if (kernel || values.turn_vectors) {
      throw InputError("command.softmax", {{"option", kernel ? "--kernel" : "--turn-vectors"}});
    }
  }
  if (values.given.has("attention.features") && values.fields.kernel != LinearKernel::random_features) {
    throw InputError("command.features", {});
  }
}

/// A head, ready to compute.
struct Head {
  std::shared_ptr<const EncodingModel> model;
  AttentionInput input;
};

/// The whole request, validated.
struct Request {
  const Encoding* encoding = nullptr;
  EncodingValues settings;
  CommandsAttentionContent content;
  AttentionKind kind = AttentionKind::softmax;
  AttentionOptions options;
  std::int64_t first_head = 1, heads = 1;  ///< the heads to write

  /// Returns the head with this index.
  Head head(std::int64_t index) const {
    EncodingValues of_head = settings;
    of_head.heads = static_cast<int>(content.heads);
    of_head.head = static_cast<int>(first_head + index);
    const auto model = make_model(*encoding, of_head);
    check_position(*model, options.first_position);
    check_position(*model, options.first_position + content.tokens - 1);
    return {model, content.head(first_head + index)};
  }

  template <class Cell>
  void require_finite(const RowMatrix<Cell>& weights) const {
    if (weights.allFinite()) return;
    throw InputError(
        std::string(encoding->name),
        encoding->causal_only && !options.causal ? "command.weights_overflow_causal" : "command.weights_overflow", {});
  }
};

/// Throws InputError that names the file if its vectors do not match the encoding.
void check_dim(const Encoding& encoding, EncodingValues settings, const std::string& path) {
  settings.heads = settings.head = 1;
  try {
    validate(encoding, settings);
  } catch (const InputError& error) {
    throw InputError::within(path, error);
  }
}

Request attention_request(const AttentionValues& values) {
  Request request;
  request.encoding = values.encoding;
  check_fields(values);
  const AttentionFields& fields = values.fields;
  request.kind = fields.kind;
  request.options.kernel = fields.kernel;
  request.options.turned_vectors = values.turn_vectors;
  request.options.causal = values.causal;
  request.options.threads = values.threads;
  request.options.first_position = values.first_position;
  EncodingOptions options = values.encoding_options;
  const auto ask = [&](std::int64_t tokens) {
    options.requested_length = static_cast<double>(request.options.first_position + tokens);
  };
  if (values.input) {
    request.content = load_content(values);
    ask(request.content.tokens);
    request.settings = settings_of(options, *request.encoding, request.content.dim);
  } else {
    if (values.given.has("attention.tokens")) ask(static_cast<std::int64_t>(fields.tokens));
    request.settings = settings_of(options, *request.encoding);
    request.content = make_random_content(values, request.settings);
  }
  if (request.options.kernel == LinearKernel::random_features) {
    request.options.random_features = static_cast<int>(fields.features) * request.content.dim;
  }
  if (values.input) check_dim(*request.encoding, request.settings, *values.input);
  request.heads = request.content.heads;
  if (options.given.contains("head")) {
    request.first_head = require_between("--head", options.values.head, 1, request.content.heads);
    request.heads = 1;
  }
  require_free_space(request.heads, request.content.tokens);
  return request;
}

/// Returns the rows of all heads in sequence, without a whole matrix in memory.
class RowReader {
 public:
  explicit RowReader(const Request& request) : request_(request) {}

  struct Rows {
    std::int64_t head = 0;   ///< counted from 1
    Eigen::Index first = 0;  ///< query of the first row
    Eigen::Ref<const RowMatrix<double>> weights;
  };

  /// Returns the next few rows; nullopt after the last.
  std::optional<Rows> next() {
    if (row_ == begin_ + held_.rows() && !read_more()) return {};
    const Eigen::Index first = row_, count = std::min(kRows, begin_ + held_.rows() - row_);
    row_ += count;
    return Rows{request_.first_head + index_, first, held_.middleRows(first - begin_, count)};
  }

 private:
  bool read_more() {
    const Eigen::Index tokens = request_.content.tokens;
    if (index_ < 0 || row_ == tokens) {
      if (++index_ == request_.heads) return false;
      head_ = request_.head(index_);
      row_ = 0;
    }
    begin_ = row_;
    // Frees the previous rows before the next ones are computed.
    held_.resize(0, tokens);
    const Eigen::Index count = std::min<Eigen::Index>(std::max<Eigen::Index>(1, kHeldCells / tokens), tokens - row_);
    held_ = attention_weights(request_.kind, *head_.model, head_.input, begin_, count, request_.options);
    request_.require_finite(held_);
    return true;
  }

  const Request& request_;
  Head head_;
  std::int64_t index_ = -1;
  Eigen::Index begin_ = 0, row_ = 0;  ///< query of the first row in memory, and of the next row to return
  RowMatrix<double> held_;
};

/// Writes the rows; `text` appends the output for a block of rows.
void write_rows(const Request& request, const OutputFile& output, const std::string& header,
                const std::function<void(const RowReader::Rows&, std::string&)>& text) {
  RowReader reader(request);
  put_result(output, header, [&](std::string& piece) {
    if (const auto rows = reader.next()) text(*rows, piece);
  });
}

void write_npy_file(const Request& request, const OutputFile& output) {
  const std::int64_t tokens = request.content.tokens;
  write_rows(request, output, npy_header_text("<f8", {request.heads, tokens, tokens}),
             [](const RowReader::Rows& rows, std::string& piece) {
               append_npy_numbers({rows.weights.data(), static_cast<std::size_t>(rows.weights.size())}, piece);
             });
}

void write_csv_file(const Request& request, const OutputFile& output) {
  write_rows(request, output, "head,query,key,weight\n", [](const RowReader::Rows& rows, std::string& piece) {
    for (Eigen::Index i = 0; i < rows.weights.rows(); ++i) {
      const std::string place = std::to_string(rows.head) + "," + std::to_string(rows.first + i) + ",";
      for (Eigen::Index key = 0; key < rows.weights.cols(); ++key) {
        piece += place + std::to_string(key) + "," + shortest_number(rows.weights(i, key)) + "\n";
      }
    }
  });
}

WeightsPicture head_picture(const Request& request, std::int64_t index) {
  const Head head = request.head(index);
  Attention<float> attention = request.kind == AttentionKind::linear
                                   ? linear_attention<float>(*head.model, head.input, request.options)
                                   : softmax_attention<float>(*head.model, head.input, request.options);
  request.require_finite(attention.weights);
  return picture_of(std::make_shared<const RowMatrix<float>>(std::move(attention.weights)), request.options.causal);
}

void write_weights_picture(const Request& request, const AttentionValues& values, PageFormat format,
                           const PageFields& page) {
  if (request.heads > kMaxMaps) {
    throw InputError("command.many_heads", {{"heads", request.heads}, {"most", kMaxMaps}});
  }
  const Text text = Text::load(find_places().assets);
  const PageSize size = parse_page_size(page.size);
  const std::int64_t columns = map_columns(request.heads, size);
  ViewResult result;
  for (std::int64_t index = 0; index < request.heads; ++index) {
    const std::string number = std::to_string(request.first_head + index);
    Panel panel{weights_figure(head_picture(request, index), "head" + number, text)};
    panel.figure.equal_axes = true;
    // This closure would keep all weights, which are not needed here.
    panel.figure.maps.front().exact = nullptr;
    if (request.content.heads > 1) panel.figure.title = text.format("view.attention.head", {{"head", number}});
    panel.beside = index % columns != 0;
    result.panels.push_back(std::move(panel));
  }
  share_colours(result.panels);
  // Empty panels fill the last row, so all maps have one size.
  for (std::int64_t index = request.heads; index % columns != 0; ++index) {
    Panel gap;
    gap.figure.bare = true;
    gap.beside = true;
    result.panels.push_back(std::move(gap));
  }
  put_result(values.output, paint_page(result, format, size, style_of(page)));
}

void run_attention(const AttentionValues& values) {
  const std::string ending = require_ending(values.output, {".npy", ".csv", ".png", ".svg", ".pdf"});
  const std::optional<PageFormat> format = picture_format(ending);
  const std::pair<std::string, void (*)(const Request&, const OutputFile&)> tables[] = {{".npy", write_npy_file},
                                                                                        {".csv", write_csv_file}};
  const auto table = std::ranges::find(tables, ending, [](const auto& each) { return each.first; });
  const PageFields page = to_page(values.page, format.has_value());
  if (table != std::end(tables)) return table->second(attention_request(values), values.output);
  to_picture_size(page, *format);
  write_weights_picture(attention_request(values), values, *format, page);
}

}  // namespace

Action declare_encoding(Arguments& arguments) {
  const auto values = std::make_shared<EncodingArguments>();
  arguments.positional("NAME", values->name);
  arguments.option("--positions", "LIST", parsed_into(values->positions, parse_places), Arguments::Need::required);
  arguments.option("--dim", "D", field_into(values->encoding, "dim"));
  add_encoding_options(arguments, values->encoding);
  arguments.option("-o,--output", "F", values->output);
  arguments.footer({"help.encoding.footer", {{"encodings", encoding_names()}}});
  return [values] { run_encoding(*values); };
}

Action declare_encodings(Arguments& arguments) {
  const auto values = std::make_shared<EncodingsValues>();
  arguments.flag("--json", values->json);
  arguments.option("-o,--output", "F", values->output);
  arguments.footer({"help.encodings.footer", {{"channels", EncodingValues{}.dim}}});
  return [values] { put_result(values->output, values->json ? encodings_json_text() : encodings_table()); };
}

Action declare_score(Arguments& arguments) {
  const auto values = std::make_shared<ScoreValues>();
  arguments.positional("NAME", values->name);
  arguments.option("--dim", "D", field_into(values->encoding, "dim"), Message("help.encoding.dim"));
  arguments.option("--query", "LIST|Q.npy", values->query, Arguments::Need::required);
  arguments.option("--key", "LIST|K.npy", values->key, Arguments::Need::required);
  arguments.option("--query-position", "M", whole_into(values->query_position), Arguments::Need::required);
  arguments.option("--key-position", "K", whole_into(values->key_position), Arguments::Need::required);
  arguments.flag("--terms", values->terms);
  add_encoding_options(arguments, values->encoding);
  arguments.flag("--json", values->json);
  add_language_option(arguments, values->language);
  arguments.option("-o,--output", "F", values->output);
  arguments.footer({"help.score.footer", {{"encodings", encoding_names()}}});
  return [values] { run_score(*values); };
}

Action declare_attention(Arguments& arguments) {
  const auto values = std::make_shared<AttentionValues>();
  const auto find = [](const std::string& text) { return &find_encoding(text); };
  arguments.option("--encoding", "NAME", parsed_into(values->encoding, find), Arguments::Need::required);
  values->fields.content = AttentionSource::random;
  const FieldList list = attention_fields_of(values->fields);
  const auto add = [&](std::string_view key, const std::string& placeholder) {
    values->given.add(arguments, *find_field(list, key), placeholder);
  };
  add("attention.kind", "softmax|linear");
  add("attention.kernel", "elu|exp|softmax|performer");
  add("attention.features", "N");
  arguments.flag("--turn-vectors", values->turn_vectors);
  arguments.flag("--causal", values->causal);
  arguments.option("--input", "QK.npz", values->input);
  arguments.option("--layer", "N", whole_into(values->layer));
  add("attention.tokens", "N");
  add("attention.content", "aligned|random");
  arguments.option("--dim", "D", field_into(values->encoding_options, "dim"));
  arguments.option("--first-position", "M", whole_into(values->first_position));
  add_encoding_options(arguments, values->encoding_options);
  add_threads_option(arguments, values->threads);
  add_picture_options(arguments, values->page, "800x700");
  arguments.option("-o,--output", "F", values->output, Arguments::Need::required);
  arguments.footer({"help.attention.footer", {{"encodings", encoding_names()}}});
  return [values] { run_attention(*values); };
}

}  // namespace ropescope
