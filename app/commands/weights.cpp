// The command `weights`: what the query and key weights of a checkpoint say about its positions, or the order of their
// rows relative to another checkpoint.
//
// Contents: Numbers; Comparison; The command.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/figure/figure.h"
#include "app/resources/files.h"
#include "app/resources/weights.h"
#include "app/views/check/report.h"
#include "core/formats/families/config_parts.h"
#include "core/message.h"

namespace ropescope {

namespace {

using nlohmann::ordered_json;

struct WeightsValues {
  std::string path;
  std::optional<std::string> config, against, against_config;
  std::optional<std::int64_t> layer;
  std::optional<double> fast;
  int threads = 0;
  OutputFile output;
  bool json = false;
};

// --- Numbers -------------------------------------------------------------------------------------------------------

ordered_json number_json(double number) {
  return std::isfinite(number) ? ordered_json(number) : ordered_json(nullptr);
}

ordered_json share_json(const HeadShares& head) {
  return {{"layer", head.layer},
          {"head", head.head + 1},
          {"fast_share", number_json(head.fast)},
          {"slow_share", number_json(head.slow)}};
}

/// Returns the kernels of all heads, an empty object if the layer has none.
ordered_json kernels_json(const WeightsLayer& layer) {
  ordered_json kernels = ordered_json::object();
  const std::vector<double> distances = kernel_distances(layer.rope.trained_length.value_or(kUnknownLength));
  int head = 0;
  for (const std::optional<WeightContent>& content : layer.contents) {
    ++head;
    if (!content) continue;
    const WeightKernel kernel = weight_kernel(*content, layer.rope, distances);
    kernels[word_of(content->of)].push_back({{"head", head},
                                             {"constant", content->constant},
                                             {"total", content->total},
                                             {"values", kernel.values},
                                             {"bounds", kernel.bounds}});
  }
  if (!kernels.empty()) kernels["distances"] = distances;
  return kernels;
}

/// Everything about the requested layers, in every form.
struct WeightsReport {
  ordered_json layers = ordered_json::array();
  std::vector<HeadShares> heads;
  std::size_t ranked = 0;  ///< heads with a share, which come first
  std::vector<std::vector<std::string>> lines;
  std::string csv = "layer,head,pair,wavelength,norm,share\n";
};

/// Returns minimum, median and maximum of the shares that are not NaN.
std::string percent_range(const std::vector<double>& shares) {
  if (std::isnan(quantile(shares, 0))) return "-";
  constexpr double kShown[] = {0, 0.5, 1};
  return joined(kShown, " | ",
                [&](double share) { return std::to_string(std::lround(100 * quantile(shares, share))); });
}

void add_layer(const LoadedWeights& model, const WeightsLayer& layer, double fast, bool kernels,
               WeightsReport& report) {
  const Eigen::MatrixXd& products = layer.norms;
  const std::vector<HeadShares> shares = head_shares(layer.layer, products, layer.rope, fast);
  const Profile& profile = profile_of(model.model, layer.layer);
  const bool rotates = layer.rope.rotates;
  ordered_json json{{"layer", layer.layer},
                    {"profile", profile.name},
                    {"rotated", rotates},
                    {"heads", products.rows()},
                    {"key_heads", layer.key_heads},
                    {"pairing", word_of(layer.rope.pairing)},
                    {"trained_length", or_null(layer.rope.trained_length)}};
  const Eigen::VectorXd lengths = layer.rope.frequencies.unaryExpr(&wavelength);
  json["wavelengths"] = listed(lengths, number_json);
  json["norms"] = listed(products.rowwise(), [](const auto& row) { return listed(row, number_json); });
  const Eigen::MatrixXd spread =
      share_spread(rotates ? products : Eigen::MatrixXd::Zero(products.rows(), products.cols()));
  Eigen::Index quantile = 0;
  for (const char* name : {"minimum", "lower_quartile", "median", "upper_quartile", "maximum"}) {
    json["spread"][name] = listed(spread.row(quantile++), number_json);
  }
  if (kernels) json["kernels"] = kernels_json(layer);
  report.layers.push_back(std::move(json));
  std::vector<double> fast_shares, slow_shares;
  for (const HeadShares& head : shares) {
    fast_shares.push_back(head.fast);
    slow_shares.push_back(head.slow);
  }
  const bool has_kernel = !layer.contents.empty() && layer.contents.front();
  report.lines.push_back({std::to_string(layer.layer), rotates ? profile.name : "not rotated",
                          percent_range(fast_shares), percent_range(slow_shares),
                          has_kernel ? word_of(layer.contents.front()->of) : "none"});
  report.heads.insert(report.heads.end(), shares.begin(), shares.end());
  for (Eigen::Index head = 0; head < products.rows(); ++head) {
    const double sum = rotates ? products.row(head).sum() : 0;
    for (Eigen::Index pair = 0; pair < products.cols(); ++pair) {
      const double norm = products(head, pair), share = sum > 0 ? norm / sum : std::nan("");
      const auto whole = [](auto number) { return static_cast<double>(number); };
      const double row[] = {whole(layer.layer), whole(head + 1), whole(pair), lengths[pair], norm, share};
      report.csv +=
          joined(row, ",", [](double number) { return std::isnan(number) ? "" : shortest_number(number); }) + "\n";
    }
  }
}

/// Returns "layer 3 head 5 (61 %), …" of some heads.
std::string heads_text(std::span<const HeadShares> heads) {
  return joined(heads, ", ", [](const HeadShares& head) {
    return "layer " + std::to_string(head.layer) + " head " + std::to_string(head.head + 1) + " (" +
           std::to_string(std::lround(100 * head.fast)) + " %)";
  });
}

std::string weights_text(const LoadedWeights& model, const WeightsReport& report, double fast) {
  ReportForms forms;
  const Profile& profile = model.model.profiles.front();
  const double length = profile.spec.trained_length.value_or(0);
  forms.line("model", model.name);
  forms.line("layers", std::to_string(report.lines.size()));
  if (const auto& incomplete = model.directory.incomplete; !incomplete.empty()) {
    forms.line("incomplete", "no q or no k: " + to_english(numbers_of_layers(incomplete)));
  }
  forms.line("fast pairs", "wavelength below " + shortest_number(fast) + " positions");
  forms.line("slow pairs", length > 0 ? "no complete turn within the trained length " + shortest_number(length)
                                      : "none: the config has no trained length");
  std::vector<std::vector<std::string>> rows = {{"layer", "profile", "fast %", "slow %", "kernel"},
                                                {"", "", "min | median | max", "min | median | max", ""}};
  rows.insert(rows.end(), report.lines.begin(), report.lines.end());
  constexpr std::size_t kNamed = 4;
  const std::span<const HeadShares> ranked = std::span(report.heads).first(report.ranked);
  const std::size_t named = std::min(kNamed, ranked.size());
  forms.text += "\n" + aligned(rows) + "\n";
  forms.line("positional", named > 0 ? heads_text(ranked.first(named)) : "-");
  forms.line("semantic", named > 0 ? heads_text(ranked.last(named)) : "-");
  return forms.text;
}

// --- Comparison ----------------------------------------------------------------------------------------------------

ordered_json rows_comparison(const RowComparison& rows) {
  ordered_json json{{"order", row_order_word(rows.order)}, {"difference", number_json(rows.difference)}};
  if (rows.heads_moved()) json["heads"] = listed(rows.heads, [](int head) { return head + 1; });
  if (rows.bias_difference) json["bias_difference"] = *rows.bias_difference;
  if (rows.norm_difference) json["norm_difference"] = *rows.norm_difference;
  return json;
}

std::string rows_words(const RowComparison& rows) {
  std::string words(row_order_word(rows.order));
  if (rows.heads_moved()) words += ", heads permuted";
  if (!rows.bias_fits()) words += ", bias differs";
  if (!rows.norm_fits()) words += ", norm differs";
  return words;
}

/// Returns the order that the pairings of the two configs require.
RowOrder expected_order(Pairing of, Pairing other) {
  if (of == other) return RowOrder::same;
  return of == Pairing::interleaved ? RowOrder::to_adjacent : RowOrder::to_halves;
}

/// Returns whether rows, biases and norm weights have the expected order. An order with another word but the same
/// permutation becomes the expected one.
bool settle_order(RowComparison& rows, RowOrder expected, int channels, int pairs) {
  const bool is_expected = is_same_order(rows.order, expected, channels, pairs);
  if (is_expected) rows.order = expected;
  return is_expected && !rows.heads_moved() && rows.bias_fits() && rows.norm_fits();
}

/// Returns the layers of one checkpoint that another lacks.
std::vector<int> find_missing_layers(const LoadedWeights& of, const LoadedWeights& in) {
  std::vector<int> missing;
  std::ranges::set_difference(of.directory.layers, in.directory.layers, std::back_inserter(missing));
  return missing;
}

// --- The command ---------------------------------------------------------------------------------------------------

std::vector<int> requested_layers(const LoadedWeights& model, std::optional<std::int64_t> wanted) {
  const std::vector<int>& all = model.directory.layers;
  if (!wanted) return all;
  return {static_cast<int>(require_between("--layer", *wanted, 0, all.back()))};
}

/// Reports the layers of one checkpoint. Returns false if cancelled.
bool report_weights(const LoadedWeights& model, const WeightsValues& values, const Work& work) {
  const double fast = values.fast.value_or(kFastWavelength);
  const std::vector<int> layers = requested_layers(model, values.layer);
  WeightsReport report;
  ProgressLine progress;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto layer = read_layer(model, layers[i], work);
    if (!layer) return false;
    add_layer(model, *layer, fast, values.layer.has_value(), report);
    progress.show(static_cast<double>(i + 1) / static_cast<double>(layers.size()), "layers");
  }
  report.ranked = sort_positional_first(report.heads);
  if (values.output.ends_with(".csv")) {
    put_text(values.output, report.csv);
  } else if (values.json || values.output.ends_with(".json")) {
    put_text(values.output, json_text({{"model", model.name},
                                       {"fast_wavelength", fast},
                                       {"layers", report.layers},
                                       {"incomplete_layers", model.directory.incomplete},
                                       {"heads", listed(report.heads, share_json)}}));
  } else {
    put_text(values.output, weights_text(model, report, fast));
  }
  return true;
}

/// The result of a comparison of two checkpoints.
struct WeightsComparison {
  bool agrees = true;
  std::vector<int> only_a, only_b;
  ordered_json layers = ordered_json::array();
  std::vector<std::pair<std::string, std::vector<int>>> groups = {};  ///< consecutive layers with the same result
};

void put_comparison(const WeightsComparison& found, const LoadedWeights& a, const LoadedWeights& b,
                    const WeightsValues& values) {
  if (values.json || values.output.ends_with(".json")) {
    put_text(values.output, json_text({{"agrees", found.agrees},
                                       {"only_in_path", found.only_a},
                                       {"only_in_against", found.only_b},
                                       {"layers", found.layers}}));
    return;
  }
  ReportForms forms;
  forms.line("verdict", found.agrees ? "agrees" : "disagrees");
  for (const auto& [numbers, model] : {std::pair(&found.only_a, &a), std::pair(&found.only_b, &b)}) {
    if (numbers->empty()) continue;
    forms.line("missing", (numbers->size() > 1 ? "layers " : "layer ") + to_english(numbers_of_layers(*numbers)) +
                              " only in " + model->name);
  }
  for (const auto& [words, numbers] : found.groups) {
    forms.line(numbers.size() > 1 ? "layers" : "layer", to_english(numbers_of_layers(numbers)) + ": " + words);
  }
  put_text(values.output, forms.text);
}

/// Compares the rows of two checkpoints. Returns the exit code; nullopt if cancelled.
std::optional<int> compare_weights(const LoadedWeights& a, const LoadedWeights& b, const WeightsValues& values,
                                   const Work& work) {
  std::vector<int> layers = requested_layers(a, values.layer);
  std::erase_if(layers, [&](int layer) { return std::ranges::count(b.directory.layers, layer) == 0; });
  if (layers.empty()) throw InputError("weights.no_common_layer", {{"file", a.name}, {"other", b.name}});
  WeightsComparison found;
  // With --layer, only that layer is compared.
  if (!values.layer) found.only_a = find_missing_layers(a, b), found.only_b = find_missing_layers(b, a);
  found.agrees = found.only_a.empty() && found.only_b.empty();
  ProgressLine progress;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LoadedLayer of_a = a.open(layers[i]), of_b = b.open(layers[i]);
    const int channels = of_a.weights.channels, pairs = static_cast<int>(of_a.rope.frequencies.size());
    if (channels != of_b.weights.channels || pairs != of_b.rope.frequencies.size()) {
      throw InputError("weights.other_head", {{"file", a.name}, {"other", b.name}});
    }
    RowComparison query = compare_rows(of_a.weights.query, of_b.weights.query, channels, pairs, work);
    RowComparison key = compare_rows(of_a.weights.key, of_b.weights.key, channels, pairs, work);
    of_a.check_unchanged();
    of_b.check_unchanged();
    if (work.stopped()) return std::nullopt;
    RowOrder expected = expected_order(of_a.rope.pairing, of_b.rope.pairing);
    // Without rotation any order is right that q and k share.
    if (!of_a.rope.rotates && !query.heads.empty()) expected = query.order;
    const bool query_agrees = settle_order(query, expected, channels, pairs);
    const bool agrees = settle_order(key, expected, channels, pairs) && query_agrees;
    found.agrees = found.agrees && agrees;
    found.layers.push_back({{"layer", layers[i]},
                            {"agrees", agrees},
                            {"expected", row_order_word(expected)},
                            {"query", rows_comparison(query)},
                            {"key", rows_comparison(key)}});
    std::string words = "q " + rows_words(query) + "; k " + rows_words(key);
    if (!agrees) {
      words += "; expected ";
      words += of_a.rope.rotates ? row_order_word(expected) : "one named order for both, as the layer is not rotated";
    }
    if (found.groups.empty() || found.groups.back().first != words) found.groups.push_back({words, {}});
    found.groups.back().second.push_back(layers[i]);
    progress.show(static_cast<double>(i + 1) / static_cast<double>(layers.size()), "layers");
  }
  put_comparison(found, a, b, values);
  return found.agrees ? 0 : 1;
}

int run_weights(const WeightsValues& values) {
  const bool csv = values.output.ends_with(".csv");
  if (csv && values.json) refuse_both("--json", "-o " + values.output.path());
  if (csv && values.against) refuse_both("--against", "-o " + values.output.path());
  if (values.fast && values.against) refuse_both("--against", "--fast");
  const LoadedWeights model = load_weights({values.path, values.config.value_or("")});
  if (values.against_config && !values.against) {
    throw InputError("command.both_needed", {{"given", "--against-config"}, {"missing", "--against"}});
  }
  const StopOnInterrupt interrupt;
  const Work work{values.threads, interrupt.token()};
  if (!values.against) return report_weights(model, values, work) ? 0 : cancelled("layers");
  const LoadedWeights other = load_weights({*values.against, values.against_config.value_or("")});
  const std::optional<int> code = compare_weights(model, other, values, work);
  return code ? *code : cancelled("layers");
}

}  // namespace

Action declare_weights(Arguments& arguments) {
  const auto values = std::make_shared<WeightsValues>();
  arguments.positional("PATH", values->path);
  arguments.option("--layer", "N", whole_into(values->layer));
  arguments.option("--fast", "POSITIONS", number_into(values->fast, set_range(window_field("weights.fast"), 1, 1e9)));
  arguments.option("--config", "FILE", values->config);
  arguments.option("--against", "PATH", values->against);
  arguments.option("--against-config", "FILE", values->against_config);
  arguments.flag("--json", values->json);
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output);
  arguments.footer(Message("help.weights.footer"));
  return [values] { return run_weights(*values); };
}

}  // namespace ropescope
