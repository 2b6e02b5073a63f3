// The commands `encoding`, `encodings`, `score` and `attention`: each reads the fields of an encoding (rope_options.h),
// asks core/encodings or core/attention for numbers, and writes a table, JSON or a picture.
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
#include "core/words.h"

namespace ropescope {

// --- encoding ------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kEncodingMostPositions = 16'777'217;
/// A .npy then has 16 GiB.
constexpr std::size_t kEncodingMostCells = std::size_t{1} << 31;
/// Numbers whose text is held at a time.
constexpr std::size_t kEncodingPiece = std::size_t{1} << 17;

struct EncodingArguments {
  std::string name;
  EncodingOptions encoding;
  std::optional<std::string> positions, output;
};

/// All parts of an encoding's values beside each other.
struct Columns {
  std::shared_ptr<const EncodingModel> model;
  std::vector<std::string> parts, names;

  /// Throws InputError where a value is not finite.
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

Columns columns_of_encoding(const std::shared_ptr<const EncodingModel>& model) {
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
  // Parts with columns of the same names (Shaw's key and value) are told apart by theirs.
  if (known.size() < columns.names.size()) columns.names = full;
  return columns;
}

std::vector<std::int64_t> read_places(const std::string& text) {
  std::vector<std::int64_t> places;
  for (const double place : parse_list(text, "--positions", kEncodingMostPositions)) {
    // Millions of good ones are not written down to be read again.
    const bool good = place == std::floor(place) && std::abs(place) <= kLargestPosition;
    places.push_back(good ? static_cast<std::int64_t>(place) : read_whole("--positions", shortest_number(place)));
  }
  return places;
}

std::string header_of_encoding(const Columns& columns) {
  std::string header = columns.model->encoding().values_by == ValuesBy::position ? "position" : "distance";
  for (const std::string& name : columns.names) header += "," + name;
  return header + "\n";
}

std::string csv_rows(const Columns& columns, std::span<const std::int64_t> places) {
  const TokenMatrix values = columns.rows(places);
  std::string rows;
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    rows += std::to_string(places[static_cast<std::size_t>(i)]);
    // Adding 0 turns −0 into 0.
    for (Eigen::Index c = 0; c < values.cols(); ++c) rows += "," + shortest_number(values(i, c) + 0.0);
    rows += "\n";
  }
  return rows;
}

/// float64 numbers as they stand in a .npy.
std::string npy_rows(const Columns& columns, std::span<const std::int64_t> places) {
  const TokenMatrix values = columns.rows(places);
  std::string bytes;
  append_npy_numbers({values.data(), static_cast<std::size_t>(values.size())}, bytes);
  return bytes;
}

/// Says before anything is written that there are too many values, or some that are not finite: sizes grow towards the
/// ends, if at all.
void check_values(const Columns& columns, const std::vector<std::int64_t>& places) {
  const std::size_t width = columns.names.size();
  if (places.size() > kEncodingMostCells / width) {
    throw InputError("command.many_values", {{"positions", places.size()},
                                             {"values", width},
                                             {"all", places.size() * width},
                                             {"most", kEncodingMostCells}});
  }
  const auto [least, greatest] = std::minmax_element(places.begin(), places.end());
  columns.rows(std::vector<std::int64_t>{*least, *greatest});
}

bool wants_npy(const std::optional<std::string>& output) {
  if (!output || *output == "-") return false;
  const std::string ending = std::filesystem::path(*output).extension().string();
  if (ending != ".csv" && ending != ".npy") reject("-o", *output, ending_in({".csv", ".npy"}));
  return ending == ".npy";
}

void run_encoding(const EncodingArguments& values) {
  const Encoding& encoding = find_encoding(values.name);
  const bool npy = wants_npy(values.output);
  const std::vector<std::int64_t> places = read_places(*values.positions);
  EncodingOptions options = values.encoding;
  const auto farthest =
      std::max_element(places.begin(), places.end(), [](auto a, auto b) { return std::abs(a) < std::abs(b); });
  options.asked_length = std::abs(static_cast<double>(*farthest)) + 1;
  const auto model = make_model(encoding, settings_with_dim(options, encoding));
  if (encoding.values_by == ValuesBy::none) throw InputError("command.no_values", {{"encoding", values.name}});
  if (encoding.values_by == ValuesBy::position) {
    for (const std::int64_t place : places) check_position(*model, place);
  }
  const Columns columns = columns_of_encoding(model);
  check_values(columns, places);
  const std::size_t rows = std::max<std::size_t>(1, kEncodingPiece / columns.names.size());
  std::span<const std::int64_t> left = places;
  const std::string header =
      npy ? npy_header_text("<f8", {std::ssize(places), std::ssize(columns.names)}) : header_of_encoding(columns);
  put_result(values.output, header, [&](std::string& piece) {
    if (left.empty()) return;
    const std::size_t count = std::min(left.size(), rows);
    piece = npy ? npy_rows(columns, left.first(count)) : csv_rows(columns, left.first(count));
    left = left.subspan(count);
  });
}

std::string encoding_footer() {
  return "Encodings: " + encoding_names() +
         "\n"
         "Values stand by position; biases and vectors of a distance (query position - key position) by distance.\n"
         "Learned tables are seeded, smooth-random ones. \"ropescope encodings\" says more about each.\n";
}

}  // namespace

Action declare_encoding(Arguments& arguments) {
  const auto values = std::make_shared<EncodingArguments>();
  arguments.positional("NAME", values->name, "Which position encoding; the list is below");
  arguments.option("--positions", "LIST", values->positions,
                   "Whole numbers and inclusive ranges a:b or a:b:step, by commas", Arguments::Need::required);
  arguments.option("--dim", "D", values->encoding.settings["dim"],
                   "Channels of q and k, an even number (a model says it itself)");
  add_encoding_options(arguments, values->encoding);
  arguments.option("-o,--output", "F", values->output, "File to write: .csv or .npy (default: CSV to standard output)");
  arguments.footer(encoding_footer);
  return [values] { run_encoding(*values); };
}

// --- encodings -----------------------------------------------------------------------------------------------------

namespace {

using nlohmann::ordered_json;

struct EncodingsValues {
  bool json = false;
  std::optional<std::string> output;
};

/// The number of trained parameters of one head, with the default fields.
std::int64_t parameter_count(const Encoding& encoding) {
  return encoding.parameters(EncodingValues{});
}

/// How far past the length it is trained with; learned tables alone end at all.
bool goes_past(const Encoding& encoding) {
  const EncodingValues settings;
  return is_defined_at(encoding, settings, settings.trained_length);
}

std::vector<std::string> names_of_encodings(std::span<const EncodingField> settings) {
  std::vector<std::string> names;
  for (const EncodingField& field : settings) names.emplace_back(field.name);
  return names;
}

std::vector<std::string> row_of(const Encoding& encoding) {
  return {std::string(encoding.name),
          encoding.relative ? "yes" : "no",
          encoding.learned ? "yes" : "no",
          !encoding.positions   ? "any"
          : goes_past(encoding) ? "to its square"
                                : "not past it",
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
                    {"title", text.say(title_of(encoding))},
                    {"relative", encoding.relative},
                    {"learned", encoding.learned},
                    {"past_trained_length", goes_past(encoding)},
                    {"parameters", parameter_count(encoding)},
                    {"causal_only", encoding.causal_only},
                    {"linear_attention", encoding.linear_attention},
                    {"takes_ladder", encoding.takes_ladder},
                    {"formula", text.say(formula_of(encoding))},
                    {"scale", text.say(scale_rule_of(encoding))},
                    {"settings", names_of_encodings(encoding.settings)},
                    {"source", encoding.source}});
  }
  return ordered_json{{"encodings", list}}.dump(2) + "\n";
}

}  // namespace

Action declare_encodings(Arguments& arguments) {
  const auto values = std::make_shared<EncodingsValues>();
  arguments.flag("--json", values->json, "JSON, with formulas and settings, instead of a table");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  arguments.footer([] {
    return "Parameters: the learned numbers of one head with the default settings, " +
           std::to_string(EncodingValues{}.dim) + " channels.\n";
  });
  return [values] { put_result(values->output, values->json ? encodings_json_text() : encodings_table()); };
}

// --- score ---------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kMostChannels = 8192;

struct ScoreValues {
  std::string name;
  EncodingOptions encoding;
  std::optional<std::string> query, key, query_position, key_position, output;
  bool terms = false;
};

std::vector<double> read_npy_vector(const std::string& path, int dim) {
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

Eigen::VectorXd read_vector(const std::string& option, const std::string& text, int dim) {
  std::vector<double> values =
      names_npy_file(text) ? read_npy_vector(text, dim) : parse_list(text, option, kMostChannels);
  if (values.size() != static_cast<std::size_t>(dim)) {
    throw InputError("command.vector_size", {{"option", option}, {"count", values.size()}, {"dim", dim}});
  }
  return Eigen::Map<const Eigen::VectorXd>(values.data(), dim);
}

void run_score(const ScoreValues& values) {
  const Encoding& encoding = find_encoding(values.name);
  const std::int64_t query_position = read_whole("--query-position", *values.query_position);
  const std::int64_t key_position = read_whole("--key-position", *values.key_position);
  EncodingOptions options = values.encoding;
  options.asked_length = static_cast<double>(std::max(query_position, key_position)) + 1;
  const auto model = make_model(encoding, settings_with_dim(options, encoding));
  const int dim = model->settings().dim;
  const Eigen::VectorXd query = read_vector("--query", *values.query, dim);
  const Eigen::VectorXd key = read_vector("--key", *values.key, dim);
  ordered_json root = {{"total", 0.0}, {"scale", model->scale()}};
  ordered_json list = ordered_json::array();
  const Text text = Text::load(find_places().assets);
  double total = 0;
  for (const ScoreTerm& term : model->terms(query, key, query_position, key_position)) {
    total += term.value;
    list.push_back({{"name", text.say(term_words(term.name))}, {"value", term.value}});
  }
  if (!std::isfinite(total)) throw InputError(values.name, "command.score_overflow", {});
  root["total"] = total;
  if (values.terms) root["terms"] = list;
  put_result(values.output, root.dump(2) + "\n");
}

std::string score_footer() {
  return "Encodings: " + encoding_names() +
         "\n"
         "The vectors are q and k after projection. Where positions are projected too (sinusoidal, learned, deberta),\n"
         "W is the identity unless --seeded-projections is true. The total is the sum of the terms, their scale\n"
         "included.\n";
}

}  // namespace

Action declare_score(Arguments& arguments) {
  const auto values = std::make_shared<ScoreValues>();
  arguments.positional("NAME", values->name, "Which position encoding; the list is below");
  arguments.option("--dim", "D", values->encoding.settings["dim"],
                   "Channels of q and k, an even number (a model says it itself)");
  arguments.option("--query", "LIST|Q.npy", values->query, "q: D numbers by commas, or a file of shape [D]",
                   Arguments::Need::required);
  arguments.option("--key", "LIST|K.npy", values->key, "k, likewise", Arguments::Need::required);
  arguments.option("--query-position", "M", values->query_position, "Where the query stands",
                   Arguments::Need::required);
  arguments.option("--key-position", "K", values->key_position, "Where the key stands", Arguments::Need::required);
  arguments.flag("--terms", values->terms, "List the terms of the score as well");
  add_encoding_options(arguments, values->encoding);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  arguments.footer(score_footer);
  return [values] { run_score(*values); };
}

// --- attention -----------------------------------------------------------------------------------------------------

namespace {

/// A head's weights then take 2 GiB of a .npy; but for pictures (floats, 1 GiB) they are never held all at once.
constexpr std::int64_t kMostTokens = 16'384;
/// A .npy then has 16 GiB.
constexpr std::int64_t kAttentionMostCells = std::int64_t{1} << 31;
/// Weights that are held at a time: 128 MiB.
constexpr std::int64_t kHeldCells = std::int64_t{1} << 24;
/// Maps on one page.
constexpr std::int64_t kMostMaps = 16;
/// Rows of a head whose bytes are held at a time.
constexpr Eigen::Index kRows = 64;

struct AttentionValues {
  std::optional<std::string> encoding, kind, kernel, content, input, layer, tokens, first_position, size, theme, output,
      threads, features;
  EncodingOptions encoding_options;
  bool causal = false, turn_vectors = false;
};

/// The heads' vectors: of a file, or made up.
struct CommandsAttentionContent {
  std::int64_t tokens = 0, heads = 1;
  int dim = 128;
  std::function<AttentionInput(std::int64_t head)> head;  ///< counted from 1
};

void require_room(std::int64_t heads, std::int64_t tokens) {
  if (heads <= kAttentionMostCells / (tokens * tokens)) return;
  throw InputError(
      "command.many_weights",
      {{"heads", heads}, {"tokens", tokens}, {"all", heads * tokens * tokens}, {"most", kAttentionMostCells}});
}

/// What the file is to be, before anything of it is read but its shapes.
void check_shapes(const AttentionValues& values, const std::string& path, const AttentionDump& dump) {
  const auto require_equal = [&path](const std::string& option, const std::string* text, std::int64_t found) {
    if (!text || read_whole(option, *text) == found) return;
    throw InputError("command.other_number",
                     {{"option", option}, {"found", in_quotes(*text)}, {"file", path}, {"count", found}});
  };
  require_equal("--dim", values.encoding_options.settings.find("dim"), dump.head_dim);
  require_equal("--heads", values.encoding_options.settings.find("heads"), dump.heads);
  if (dump.tokens > kMostTokens) {
    throw InputError(path, "layouts.too_many_tokens", {{"tokens", dump.tokens}, {"most", kMostTokens}});
  }
  if (dump.head_dim > std::numeric_limits<int>::max()) throw InputError(path, "command.large_head", {});
  const std::string* head = values.encoding_options.settings.find("head");
  if (head) read_whole("--head", *head, 1, dump.heads);
  require_room(head ? 1 : dump.heads, dump.tokens);
}

CommandsAttentionContent content_of_file(const AttentionValues& values) {
  const std::string& path = *values.input;
  for (const auto& [name, text] : {std::pair("--tokens", &values.tokens), std::pair("--content", &values.content)}) {
    if (*text) refuse_both("--input", name);
  }
  DumpReading reading;
  reading.values = false;
  if (values.layer) {
    reading.layer = read_whole("--layer", *values.layer);
    if (*reading.layer < 0) reject("--layer", *values.layer, Words("expected.layer"));
  }
  reading.accept = [&](const AttentionDump& dump) { check_shapes(values, path, dump); };
  const auto loaded = std::make_shared<const LoadedDump>(load_attention_dump(path, reading));
  const AttentionDump& dump = loaded->dump;
  return {dump.tokens, dump.heads, static_cast<int>(dump.head_dim),
          [loaded, path](std::int64_t head) { return loaded->head(head, kMostTokens, path); }};
}

/// One token too, and more than the window's maps have.
std::int64_t read_token_count(const std::string& text) {
  return read_whole(with_range(window_field("attention.tokens"), 1, kMostTokens), "--tokens", text);
}

CommandsAttentionContent made_up_content(const AttentionValues& values, const EncodingValues& settings) {
  if (values.layer) throw InputError("command.layer_alone", {});
  if (!values.tokens) throw InputError("command.no_content", {});
  CommandsAttentionContent content;
  content.tokens = read_token_count(*values.tokens);
  if (const std::string* heads = values.encoding_options.settings.find("heads")) {
    content.heads = read_whole(window_field("encoding.heads"), "--heads", *heads);
  }
  content.dim = settings.dim;
  const ContentKind kind = read_choice<ContentKind>("--content", values.content.value_or("random"));
  content.head = [kind, tokens = static_cast<int>(content.tokens), settings](std::int64_t head) {
    AttentionInput input =
        make_content(kind, tokens, settings.dim, 1, settings.seed + static_cast<std::uint64_t>(head - 1));
    input.values.resize(0, 0);
    return input;
  };
  return content;
}

LinearKernel read_kernel(const std::optional<std::string>& name, AttentionKind kind) {
  if (name && kind != AttentionKind::linear) throw InputError("command.softmax", {{"option", "--kernel"}});
  return name ? read_choice<LinearKernel>("--kernel", *name) : LinearKernel::elu_plus_one;
}

/// A head, ready to compute.
struct Head {
  std::shared_ptr<const EncodingModel> model;
  AttentionInput input;
};

/// Everything that is asked for, checked.
struct Request {
  const Encoding* encoding = nullptr;
  EncodingValues settings;
  CommandsAttentionContent content;
  AttentionKind kind = AttentionKind::softmax;
  AttentionOptions options;
  std::int64_t first_head = 1, heads = 1;  ///< those that are written

  /// The given one of them.
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

/// Names the file where its vectors are not what the encoding takes.
void check_dim(const Encoding& encoding, EncodingValues settings, const std::string& path) {
  settings.heads = settings.head = 1;
  try {
    validate(encoding, settings);
  } catch (const InputError& error) {
    throw InputError::within(path, error);
  }
}

Request request_of_attention(const AttentionValues& values) {
  Request request;
  request.encoding = &find_encoding(*values.encoding);
  request.kind = read_choice<AttentionKind>("--kind", values.kind.value_or("softmax"));
  request.options.kernel = read_kernel(values.kernel, request.kind);
  request.options.turned_vectors = values.turn_vectors;
  request.options.causal = values.causal;
  request.options.threads = read_threads(values.threads);
  if (values.first_position) request.options.first_position = read_whole("--first-position", *values.first_position);
  EncodingOptions options = values.encoding_options;
  const auto ask = [&](std::int64_t tokens) {
    options.asked_length = static_cast<double>(request.options.first_position + tokens);
  };
  if (values.input) {
    request.content = content_of_file(values);
    ask(request.content.tokens);
    request.settings = fields_of(options, *request.encoding, request.content.dim);
  } else {
    if (values.tokens) ask(read_token_count(*values.tokens));
    request.settings = fields_of(options, *request.encoding);
    request.content = made_up_content(values, request.settings);
  }
  if (values.features && request.options.kernel != LinearKernel::random_features) {
    throw InputError("command.features", {});
  }
  if (values.turn_vectors && request.kind != AttentionKind::linear) {
    throw InputError("command.softmax", {{"option", "--turn-vectors"}});
  }
  if (request.options.kernel == LinearKernel::random_features) {
    const std::int64_t features =
        values.features ? read_whole(window_field("attention.features"), "--features", *values.features) : 1;
    request.options.random_features = static_cast<int>(features) * request.content.dim;
  }
  if (values.input) check_dim(*request.encoding, request.settings, *values.input);
  request.heads = request.content.heads;
  if (const std::string* head = values.encoding_options.settings.find("head")) {
    request.first_head = read_whole("--head", *head, 1, request.content.heads);
    request.heads = 1;
  }
  require_room(request.heads, request.content.tokens);
  return request;
}

/// The rows of all heads one after the other, without a whole matrix in memory.
class RowReader {
 public:
  explicit RowReader(const Request& request) : request_(request) {}

  struct Rows {
    std::int64_t head = 0;   ///< counted from 1
    Eigen::Index first = 0;  ///< query of the first row
    Eigen::Ref<const RowMatrix<double>> weights;
  };

  /// The next few; none after the last.
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
    // What was held goes before its successor is made.
    held_.resize(0, tokens);
    const Eigen::Index count = std::min<Eigen::Index>(std::max<Eigen::Index>(1, kHeldCells / tokens), tokens - row_);
    held_ = attention_weights(request_.kind, *head_.model, head_.input, begin_, count, request_.options);
    request_.require_finite(held_);
    return true;
  }

  const Request& request_;
  Head head_;
  std::int64_t index_ = -1;
  Eigen::Index begin_ = 0, row_ = 0;  ///< query of the first row that is held, and of the next to give
  RowMatrix<double> held_;
};

/// `text` appends what is written of some rows.
void write_rows(const Request& request, const std::optional<std::string>& output, const std::string& header,
                const std::function<void(const RowReader::Rows&, std::string&)>& text) {
  RowReader reader(request);
  put_result(output, header, [&](std::string& piece) {
    if (const auto rows = reader.next()) text(*rows, piece);
  });
}

void write_npy_file(const Request& request, const std::optional<std::string>& output) {
  const std::int64_t tokens = request.content.tokens;
  write_rows(request, output, npy_header_text("<f8", {request.heads, tokens, tokens}),
             [](const RowReader::Rows& rows, std::string& piece) {
               append_npy_numbers({rows.weights.data(), static_cast<std::size_t>(rows.weights.size())}, piece);
             });
}

void write_csv_file(const Request& request, const std::optional<std::string>& output) {
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

void write_picture_attention(const Request& request, const AttentionValues& values, PageFormat format,
                             const PageSize& size) {
  if (request.heads > kMostMaps) {
    throw InputError("command.many_heads", {{"heads", request.heads}, {"most", kMostMaps}});
  }
  const Text text = Text::load(find_places().assets);
  const ThemeName theme = parse_theme(values.theme.value_or("dark"));
  const std::int64_t columns = map_columns(request.heads, size);
  ViewResult result;
  for (std::int64_t index = 0; index < request.heads; ++index) {
    const std::string number = std::to_string(request.first_head + index);
    Panel panel{weights_figure(head_picture(request, index), "head" + number, text)};
    panel.figure.equal_axes = true;
    // Keeps all weights, which nobody asks for here.
    panel.figure.maps.front().exact = nullptr;
    if (request.content.heads > 1) panel.figure.title = text.format("view.attention.head", {{"head", number}});
    panel.beside = index % columns != 0;
    result.panels.push_back(std::move(panel));
  }
  share_colours(result.panels);
  // Nothing takes the places that are left in the last row, so that all maps are of one size.
  for (std::int64_t index = request.heads; index % columns != 0; ++index) {
    Panel gap;
    gap.figure.bare = true;
    gap.beside = true;
    result.panels.push_back(std::move(gap));
  }
  put_result(values.output, paint_page(result, format, size, theme));
}

void run_attention(const AttentionValues& values) {
  const std::string ending = std::filesystem::path(*values.output).extension().string();
  if (ending == ".npy" || ending == ".csv") {
    refuse_picture_options({{"--size", &values.size}, {"--theme", &values.theme}});
  }
  if (ending == ".npy") return write_npy_file(request_of_attention(values), values.output);
  if (ending == ".csv") return write_csv_file(request_of_attention(values), values.output);
  const std::optional<PageFormat> format = picture_format(ending);
  if (!format) reject("-o", *values.output, ending_in({".npy", ".csv", ".png", ".svg", ".pdf"}));
  // Wrong options are said before anything is computed.
  if (values.theme) parse_theme(*values.theme);
  const PageSize size = read_picture_size("--size", values.size, {800, 700}, *format);
  write_picture_attention(request_of_attention(values), values, *format, size);
}

std::string attention_footer() {
  return "Encodings: " + encoding_names() +
         "\n"
         "QK.npz holds q and k, each [tokens, heads, head_dim] or [tokens, head_dim], before any position encoding; a\n"
         ".npy holds them stacked: [2, tokens, heads, head_dim]. Keys may have fewer heads (grouped-query attention).\n"
         "The .npy written is float64 [heads, tokens, tokens]: how much of each key's value goes into each query's\n"
         "output, 0 for keys that are left out (--causal). Linear attention with rotation may have negative weights.\n"
         "Without --input there is one head unless --heads says more.\n";
}

}  // namespace

Action declare_attention(Arguments& arguments) {
  const auto values = std::make_shared<AttentionValues>();
  arguments.option("--encoding", "NAME", values->encoding, "Which position encoding; the list is below",
                   Arguments::Need::required);
  arguments.option("--kind", "softmax|linear", values->kind, "Kind of attention (default: softmax)");
  arguments.option("--kernel", "elu|exp|softmax|performer", values->kernel,
                   "linear: elu(x) + 1, e^x, softmax of q and e^k, or Performer's positive random features (default: "
                   "elu)");
  arguments.option("--features", "N", values->features, "performer: random features for each channel, 1 to 16 (1)");
  arguments.flag("--turn-vectors", values->turn_vectors,
                 "linear: q and k turn before the kernel, as performer-pytorch has it, not the features after it");
  arguments.flag("--causal", values->causal, "Keys after the query are left out");
  arguments.option("--input", "QK.npz", values->input, "q and k of a model, see below");
  arguments.option("--layer", "N", values->layer,
                   "Of a file of several layers, q.0, k.0, q.1, …: which (the first one)");
  arguments.option("--tokens", "N", values->tokens, "Without --input: how many tokens");
  arguments.option("--content", "aligned|random", values->content, "Without --input: what they hold (random)");
  arguments.option("--dim", "D", values->encoding_options.settings["dim"],
                   "Without --input: channels of q and k (128)");
  arguments.option("--first-position", "M", values->first_position, "Position of the first token (0)");
  add_encoding_options(arguments, values->encoding_options);
  add_threads_option(arguments, values->threads);
  arguments.option("--size", "800x700", values->size, "Of a picture: pixels, or 170x110mm for SVG and PDF");
  arguments.option("--theme", "dark|light", values->theme, "Of a picture (default: dark)");
  arguments.option("-o,--output", "F", values->output, "File to write: .npy, .csv, .png, .svg or .pdf",
                   Arguments::Need::required);
  arguments.footer(attention_footer);
  return [values] { run_attention(*values); };
}

}  // namespace ropescope
