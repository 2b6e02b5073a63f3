#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/commands/encoding_options.h"
#include "app/commands/npy_numbers.h"
#include "app/experiment/experiment.h"
#include "app/resources/files.h"
#include "app/resources/mapped_file.h"
#include "app/resources/text.h"
#include "core/check/reading/planes.h"
#include "core/error.h"
#include "core/formats/npy.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

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
    throw InputError(path + ": the shape is " + shape_text(tensor.shape) + "; " + shape_text(flat) +
                     " was expected, as --dim is " + std::to_string(dim));
  }
  std::vector<double> values(static_cast<std::size_t>(dim));
  read_rows(tensor, 0, tensor.shape[0], values.data());
  file->check_unchanged();
  for (const double value : values) {
    if (!std::isfinite(value)) throw InputError(path + ": a number is not finite; finite numbers were expected");
  }
  return values;
}

Eigen::VectorXd read_vector(const std::string& option, const std::string& text, int dim) {
  std::vector<double> values =
      names_npy_file(text) ? read_npy_vector(text, dim) : parse_list(text, option, kMostChannels);
  if (values.size() != static_cast<std::size_t>(dim)) {
    throw InputError(option + " has " + std::to_string(values.size()) + " numbers; " + std::to_string(dim) +
                     " were expected, as --dim is " + std::to_string(dim));
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
  if (!std::isfinite(total)) {
    throw InputError(values.name + ": the score overflows with these numbers; smaller ones were expected");
  }
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

}  // namespace ropescope
