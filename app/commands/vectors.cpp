#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/encoding_options.h"
#include "app/commands/interrupt.h"
#include "app/commands/npy_numbers.h"
#include "app/commands/progress_line.h"
#include "app/commands/rope_options.h"
#include "app/commands/threads_option.h"
#include "app/commands/vector_tables.h"
#include "app/figure/number_text.h"
#include "core/error.h"
#include "core/formats/json_reader.h"
#include "core/formats/npy_header.h"

namespace ropescope {

namespace {

struct VectorsValues {
  std::string file;
  RopeOptions rope, other_rope;
  std::optional<std::string> against, what, layer, head, tokens, threads, output;
  bool json = false;
};

/// A base alone turns the whole head.
RopeOptions whole_head(RopeOptions options, const VectorSide& side) {
  if (!names_source(options) && options.base) options.dim = std::to_string(side.head_dim);
  return options;
}

void take_ladder(const RopeOptions& given, VectorSide& side) {
  const RopeOptions options = whole_head(given, side);
  Rope rope = resolve_rope(options);
  ask_length(rope, static_cast<double>(side.tokens));
  const ScaledLadder ladder = ladder_of(options, rope);
  side.pairing = rope.profile.spec.pairing;
  side.frequencies = ladder.frequencies;
  side.amplitude = ladder.amplitude;
  if (2 * side.frequencies.size() <= side.head_dim) return;
  throw InputError(side.path, "dump.too_narrow",
                   {{"channels", 2 * side.frequencies.size()}, {"head_dim", side.head_dim}});
}

void check_sides(const VectorSide& first, const VectorSide& second) {
  if (second.heads != first.heads || second.key_heads != first.key_heads || second.head_dim != first.head_dim) {
    throw InputError(second.path, "dump.two_shapes",
                     {{"heads", second.heads},
                      {"head_dim", second.head_dim},
                      {"key_heads", second.key_heads},
                      {"other", first.path},
                      {"other_heads", first.heads},
                      {"other_dim", first.head_dim},
                      {"other_key_heads", first.key_heads}});
  }
  if (first.frequencies.size() == second.frequencies.size()) return;
  throw InputError("there are " + std::to_string(first.frequencies.size()) + " pairs in " + first.path + " and " +
                   std::to_string(second.frequencies.size()) + " in " + second.path + "; as many were expected");
}

std::int64_t read_place(const std::string& option, const std::string& text, std::int64_t least, std::int64_t most) {
  const std::int64_t place = read_whole(option, text);
  if (place >= least && place <= most) return place;
  reject(option, text, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

/// The layers that all sides have, or the one that is asked for.
std::vector<std::int64_t> layers_of(const VectorRequest& request, const std::optional<std::string>& wanted) {
  std::vector<std::int64_t> layers = request.sides.front().layers;
  for (const VectorSide& side : request.sides) {
    std::erase_if(
        layers, [&](std::int64_t layer) { return !std::binary_search(side.layers.begin(), side.layers.end(), layer); });
  }
  if (layers.empty()) {
    throw InputError(request.sides[1].path, "dump.no_common_layer", {{"other", request.sides[0].path}});
  }
  if (!wanted) return layers;
  const std::int64_t layer = read_place("--layer", *wanted, layers.front(), layers.back());
  if (std::binary_search(layers.begin(), layers.end(), layer)) return {layer};
  throw InputError(request.sides.front().path, "dump.no_layer",
                   {{"layer", layer}, {"count", layers.size()}, {"first", layers.front()}, {"last", layers.back()}});
}

/// "3 and 5", of many the first ones and how many more.
std::string list_of_vectors(const std::vector<std::int64_t>& layers) {
  constexpr std::size_t kSaid = 4;
  std::string list;
  for (std::size_t i = 0; i < std::min(layers.size(), kSaid); ++i) {
    const bool last = i + 1 == layers.size();
    list += (i == 0 ? "" : last ? " and " : ", ") + std::to_string(layers[i]);
  }
  return list + (layers.size() > kSaid ? " and " + std::to_string(layers.size() - kSaid) + " more" : "");
}

/// Rows compare layers and tokens that both files have: which are left out is said, as nobody would miss them.
void notice_left_out_vectors(const VectorRequest& request, bool all_layers, bool all_tokens) {
  if (request.sides.size() < 2) return;
  for (const bool first : {true, false}) {
    if (!all_layers) break;
    const VectorSide &has = request.sides[first ? 0 : 1], &lacks = request.sides[first ? 1 : 0];
    std::vector<std::int64_t> layers;
    std::set_difference(has.layers.begin(), has.layers.end(), lacks.layers.begin(), lacks.layers.end(),
                        std::back_inserter(layers));
    if (layers.empty()) continue;
    put_notice((layers.size() == 1 ? "layer " : "layers ") + list_of_vectors(layers) +
               (layers.size() == 1 ? " is" : " are") + " in " + has.path + " alone and left out, as " + lacks.path +
               " has none to compare with");
  }
  const VectorSide &a = request.sides[0], &b = request.sides[1];
  const VectorSide &longer = a.tokens > b.tokens ? a : b, &shorter = a.tokens > b.tokens ? b : a;
  if (!all_tokens || longer.tokens == shorter.tokens) return;
  put_notice("the first " + std::to_string(shorter.tokens) + " of " + std::to_string(longer.tokens) + " tokens in " +
             longer.path + " are looked at, as " + shorter.path + " has no more to compare with");
}

VectorRequest request_of_vectors(const VectorsValues& values) {
  VectorRequest request;
  request.what = values.what.value_or("pairs");
  vector_table(request.what);
  request.threads = read_threads(values.threads);
  request.sides.push_back(open_side(values.file));
  take_ladder(values.rope, request.sides.back());
  const bool other_rope = names_source(values.other_rope);
  if (other_rope && !values.against) {
    throw InputError("another embedding is given for no other file; --against FILE was expected with it");
  }
  if (values.against) {
    request.sides.push_back(open_side(*values.against));
    take_ladder(other_rope ? values.other_rope : values.rope, request.sides.back());
    check_sides(request.sides[0], request.sides[1]);
  }
  request.layers = layers_of(request, values.layer);
  request.tokens = request.sides.front().tokens;
  for (const VectorSide& side : request.sides) request.tokens = std::min(request.tokens, side.tokens);
  if (values.tokens) request.tokens = read_place("--tokens", *values.tokens, 1, request.tokens);
  request.heads = request.sides.front().heads;
  if (values.head) {
    request.first_head = read_place("--head", *values.head, 1, request.heads) - 1;
    request.heads = 1;
  }
  return request;
}

/// Names of the columns in their order.
std::vector<std::string> columns_of_vectors(const VectorRequest& request) {
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
  const bool npy = values.output && values.output->ends_with(".npy");
  if (npy && values.json) throw InputError("--json is given, but -o ends in .npy; one of them was expected");
  if (npy) return Form::npy;
  return values.json || (values.output && values.output->ends_with(".json")) ? Form::json : Form::csv;
}

void append_csv_vectors(const RowMatrixXd& rows, std::string& text) {
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    for (Eigen::Index column = 0; column < rows.cols(); ++column) {
      text += (column > 0 ? "," : "") + shortest_number(rows(row, column));
    }
    text += "\n";
  }
}

/// One object a row, one row a line.
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
  std::string header;
  for (const std::string& column : columns) header += (header.empty() ? "" : ",") + column;
  return header + "\n";
}

int run_vectors(const VectorsValues& values) {
  const Form form = form_of(values);
  const VectorRequest request = request_of_vectors(values);
  const std::vector<std::string> columns = columns_of_vectors(request);
  const StopOnInterrupt interrupt;
  ProgressLine progress;
  std::size_t next = 0;
  bool begun = false, ended = false, stopped = false;
  std::string piece;
  // A layer at a time, so that what is held does not grow with their number.
  const auto make = [&]() -> std::string_view {
    if (!std::exchange(begun, true)) {
      piece = beginning_of(request, form, columns);
      return piece;
    }
    piece.clear();
    if (next == request.layers.size()) {
      if (form == Form::json && !std::exchange(ended, true)) piece = "\n]\n";
      return piece;
    }
    const RowMatrixXd rows = vector_rows(request, request.layers[next], interrupt.token());
    if (interrupt.token().stop_requested()) throw InputError("stopped");
    if (form == Form::npy) append_npy_numbers({rows.data(), static_cast<std::size_t>(rows.size())}, piece);
    if (form == Form::csv) append_csv_vectors(rows, piece);
    if (form == Form::json) append_json(rows, columns, next == 0, piece);
    ++next;
    progress.show(static_cast<double>(next) / static_cast<double>(request.layers.size()), "layers");
    return piece;
  };
  try {
    put_result(values.output, make);
  } catch (const InputError&) {
    stopped = interrupt.token().stop_requested();
    if (!stopped) throw;
  }
  if (stopped) return cancelled("before all layers were written");
  notice_left_out_vectors(request, !values.layer, !values.tokens);
  const RopeOptions options = whole_head(values.rope, request.sides.front());
  Rope rope = resolve_rope(options);
  ask_length(rope, static_cast<double>(request.sides.front().tokens));
  notice_axis(values.rope, rope);
  notice_length(options, rope);
  return 0;
}

std::string vectors_footer() {
  return "QK holds q and k of a model before any position encoding, each [tokens, heads, head_dim]: a .npz or\n"
         ".safetensors with arrays q and k, or of several layers q.0, k.0, q.1, k.1, ...; or a .npy with both "
         "stacked.\n"
         "A .safetensors is looked at where it lies; of a .npz one layer is unpacked at a time.\n"
         "pairs   mean |q| and |k| of each pair of channels, their product, and the mean direction: the mean of the\n"
         "        pair as a complex number over its mean size, as length (0 to 1) and angle (radians)\n"
         "scores  by distance query - key: the mean score, its Abel bound, and what the mean directions alone give\n"
         "heads   for each head: all of |q||k|, the strongest pair and its share, the share that points one way, the\n"
         "        largest |mean score| beside its bound, the largest bias of the mean directions; with --against the\n"
         "        share of |q||k| that lies in other pairs\n"
         "Which pairs turn how fast say the options of the rope; --base B alone turns the whole head.\n"
         "The .npy written is float64 [rows, columns], the columns those of the CSV. Heads are counted from 1.\n";
}

}  // namespace

Action declare_vectors(Arguments& arguments) {
  const auto values = std::make_shared<VectorsValues>();
  arguments.positional("QK", values->file, "q and k of a model, see below");
  arguments.option("--against", "QK2", values->against,
                   "q and k of another one with the same heads, to compare with, in the layers that both have");
  add_rope_options(arguments, values->rope);
  add_axis_option(arguments, values->rope);
  arguments.option("--against-config", "FILE", values->other_rope.config,
                   "The other's config (default: the same rope)");
  arguments.option("--against-model", "PRESET", values->other_rope.model, "The other's preset");
  arguments.option("--what", "pairs|scores|heads", values->what, "What is told of each head (default: pairs)");
  arguments.option("--layer", "N", values->layer, "One layer, by its number (default: all)");
  arguments.option("--head", "N", values->head, "One head, counted from 1 (default: all)");
  arguments.option("--tokens", "N", values->tokens, "How many of the tokens, from the first on (default: all)");
  arguments.flag("--json", values->json, "JSON instead of CSV: one object a row");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write: .csv, .json or .npy (default: standard output)");
  arguments.footer(vectors_footer);
  return [values] { return run_vectors(*values); };
}

}  // namespace ropescope
