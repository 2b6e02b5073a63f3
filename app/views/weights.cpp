// The view Weights: reading, cards and figures. Read weights.h first.
//
// Contents: Numbers; Cards; Figures; View.

#include "app/views/weights.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "app/views/views.h"
#include "core/decay/analysis.h"
#include "core/message.h"

namespace ropescope {

// --- Numbers -------------------------------------------------------------------------------------------------------

namespace {

constexpr double kPercent = 100;

/// The chosen layer and head, with what the figures and cards share.
struct WeightsShown {
  const WeightsFields& fields;
  const Text& text;
  const WeightsOverview& overview;
  const WeightsLayer& layer;
  Eigen::Index head = 0;  ///< counted from 0

  Eigen::VectorXd shares() const { return kPercent * share_of_head(layer, head); }
  const WeightContent* content() const {
    const auto place = static_cast<std::size_t>(head);
    return place < layer.contents.size() && layer.contents[place] ? &*layer.contents[place] : nullptr;
  }
  /// NaN if the layer does not rotate, or the weights are 0.
  static Eigen::VectorXd share_of_head(const WeightsLayer& layer, Eigen::Index head) {
    if (!layer.rope.rotates) return Eigen::VectorXd::Constant(layer.norms.cols(), std::nan(""));
    return layer.norms.row(head).transpose() / layer.norms.row(head).sum();
  }
};

/// Returns the layer with this number, or as layer_of().
template <class Layers, class Number = std::identity>
auto& nearest_layer(const Layers& layers, double number, Number number_of = {}) {
  const auto after = std::ranges::upper_bound(layers, number, {}, number_of);
  return after == layers.begin() ? layers.front() : *std::prev(after);
}

Eigen::Index shown_head(const WeightsLayer& layer, double number) {
  return std::min<Eigen::Index>(std::llround(number), layer.norms.rows()) - 1;
}

// --- Cards ---------------------------------------------------------------------------------------------------------

std::string percent_words(double share) {
  return readable_number(kPercent * share, 3) + " %";
}

Quantity percent_card(double share) {
  return {with_digits(kPercent * share, 3), "percent", "readout.percent"};
}

/// Returns the cards on fast and slow pairs, and on the heads at both ends of the order.
std::vector<Readout> share_readouts(const WeightsShown& shown) {
  const Text& text = shown.text;
  std::vector<HeadShares> all;
  std::vector<double> fast, slow;
  HeadShares chosen;
  for (const WeightsLayer& layer : shown.overview.layers) {
    for (const HeadShares& head : head_shares(layer.layer, layer.norms, layer.rope, shown.fields.fast)) {
      all.push_back(head);
      if (layer.layer != shown.layer.layer) continue;
      fast.push_back(head.fast);
      slow.push_back(head.slow);
      if (head.head == shown.head) chosen = head;
    }
  }
  const std::size_t ranked = sort_positional_first(all);
  Readout of_fast = start_card("weights.fast", text), of_slow = start_card("weights.slow", text),
          ends = start_card("weights.positional", text);
  of_fast.value = of_slow.value = ends.value = no_number();
  if (std::isnan(chosen.fast)) {
    of_slow.note = of_fast.note =
        text[shown.layer.rope.rotates ? "readout.weights.fast.zero" : "readout.weights.fast.unrotated"];
  } else {
    of_fast.value = percent_card(chosen.fast);
    of_fast.note = text.format("readout.weights.fast.note", {{"length", readable_number(shown.fields.fast, 5)},
                                                             {"median", percent_words(quantile(fast, 0.5))}});
    of_slow.note = text["readout.weights.slow.unknown"];
  }
  if (!std::isnan(chosen.slow)) {
    of_slow.value = percent_card(chosen.slow);
    of_slow.note = text.format("readout.weights.slow.note", {{"length", counted(*shown.layer.rope.trained_length)},
                                                             {"median", percent_words(quantile(slow, 0.5))}});
  }
  ends.note = text["readout.weights.positional.none"];
  if (ranked == 0) return {of_fast, of_slow, ends};
  const HeadShares &first = all.front(), &last = all[ranked - 1];
  ends.value = verbatim(text.format("readout.weights.positional.value",
                                    {{"layer", counted(first.layer)}, {"head", counted(first.head + 1)}}));
  ends.note = text.format("readout.weights.positional.note", {{"share", percent_words(first.fast)},
                                                              {"layer", counted(last.layer)},
                                                              {"head", counted(last.head + 1)},
                                                              {"least", percent_words(last.fast)}});
  return {of_fast, of_slow, ends};
}

Readout kernel_readout(const WeightsShown& shown, const WeightKernel& kernel, const std::vector<double>& distances) {
  Readout readout = make_card("weights.kernel", no_number(), shown.text);
  readout.note =
      shown.text[shown.layer.rope.rotates ? "readout.weights.kernel.none" : "readout.weights.fast.unrotated"];
  if (!shown.content()) return readout;
  const auto place = static_cast<std::size_t>(std::ranges::max_element(kernel.values) - kernel.values.begin());
  readout.value = Quantity{with_digits(kernel.values[place], 4)};
  readout.note = shown.text.format("readout.weights.kernel." + word_of(shown.content()->of),
                                   {{"distance", counted(distances[place])}});
  return readout;
}

// --- Figures -------------------------------------------------------------------------------------------------------

/// The map and the profile below it have one axis, on which each pair has a cell.
FigureAxis weights_pair_axis(const WeightsShown& shown, Eigen::Index pairs) {
  return cell_axis(named_axis("weights", "pair", shown.text), cell_range(pairs), shown.fields.zooms);
}

/// The shares of the chosen head over layers and pairs.
Figure weights_map(const WeightsShown& shown) {
  const WeightsOverview& overview = shown.overview;
  const int first = overview.layers.front().layer, last = overview.layers.back().layer;
  Eigen::Index pairs = 0;
  for (const WeightsLayer& layer : overview.layers) pairs = std::max(pairs, layer.norms.cols());
  RowMatrixXd shares = RowMatrixXd::Constant(last - first + 1, pairs, std::nan(""));
  for (const WeightsLayer& layer : overview.layers) {
    const Eigen::Index head = shown_head(layer, shown.fields.head);
    shares.row(layer.layer - first).head(layer.norms.cols()) =
        kPercent * WeightsShown::share_of_head(layer, head).transpose();
  }
  Figure figure = named_figure("map", shown.text.format("view.weights.map", {{"head", counted(shown.head + 1)}}));
  figure.x = weights_pair_axis(shown, pairs);
  figure.y =
      cell_axis(named_axis("weights", "layer", shown.text), cell_range(shares.rows(), first), shown.fields.zooms);
  figure.y.reversed = true;
  const double most = largest_size(shares.reshaped());
  figure.maps.push_back(matrix_map("share", shown.text["view.weights.share"], shares, false, most > 0 ? most : 1,
                                   {0, static_cast<double>(first), 1}));
  if (overview.layers.size() > 1) mark_row(figure, shown.layer.layer);
  return figure;
}

/// The shares of the chosen head and of all heads of its layer by pair, and the wavelengths.
Figure weights_profile(const WeightsShown& shown) {
  const Text& text = shown.text;
  const WeightsLayer& layer = shown.layer;
  Figure figure = named_figure("profile");
  figure.lines.push_back(
      {"head",
       text.format("view.weights.this_head", {{"layer", counted(layer.layer)}, {"head", counted(shown.head + 1)}}),
       {0, false},
       series_of(shown.shares())});
  if (layer.norms.rows() > 1 && layer.rope.rotates) {
    const Eigen::MatrixXd spread = kPercent * share_spread(layer.norms);
    figure.lines.push_back({"median", text["view.weights.median"], {1, false}, series_of(spread.row(2))});
    figure.lines.push_back({"lower", text["view.weights.spread"], {1, true}, series_of(spread.row(1))});
    figure.lines.push_back({"upper", "", {1, true}, series_of(spread.row(3)), false});
  }
  Eigen::VectorXd lengths = layer.rope.frequencies.unaryExpr(&wavelength);
  Range decades_shown = kNoRange;
  for (double& length : lengths) {
    if (!std::isfinite(length)) length = std::nan("");
    include(decades_shown, length);
  }
  figure.x = weights_pair_axis(shown, layer.norms.cols());
  figure.y = value_axis(named_axis("weights", "share", text), from_zero(widened({0, 0}, figure.lines).high),
                        shown.fields.zooms);
  if (decades_shown.low <= decades_shown.high) {
    figure.lines.push_back({"wavelength", text["view.weights.wavelength"], {2, false}, series_of(lengths), false});
    figure.lines.back().right = true;
    figure.right = fixed_axis(named_axis("weights", "lambda", text, AxisScale::log), decades(decades_shown));
  }
  // Pairs at both ends of the ladder, by the plain order of the wavelengths.
  const auto shade = [&](Eigen::Index from, Eigen::Index to, const char* label, int slot) {
    if (from >= to) return;
    add_span(figure, cell_range(to - from, static_cast<double>(from)), text[label], Role::curve, {slot, false});
  };
  Eigen::Index fast = 0;
  while (fast < lengths.size() && lengths[fast] < shown.fields.fast) ++fast;
  shade(0, fast, "view.weights.fast_pairs", 2);
  if (layer.rope.trained_length) {
    for (const PairRange& range : unfinished_ranges(layer.rope.trained, *layer.rope.trained_length)) {
      shade(std::max(range.first, fast), range.last + 1, "view.weights.slow_pairs", 3);
    }
  }
  figure.legend = true;
  return figure;
}

/// The kernel of the biases or norm weights over distance, its bound, and the kernel of equal pairs.
Figure weights_kernel_figure(const WeightsShown& shown, const WeightKernel& kernel,
                             const std::vector<double>& distances) {
  const Text& text = shown.text;
  const WeightContent& content = *shown.content();
  const double most = content.total + std::abs(content.constant);
  // Distance 0 has no place on a logarithmic axis.
  std::vector<double> xs(distances.begin() + 1, distances.end()), values, bounds, below, ideal;
  for (std::size_t i = 1; i < distances.size(); ++i) {
    values.push_back(kernel.values[i] / most);
    bounds.push_back(kernel.bounds[i] / most);
    below.push_back(-bounds.back());
    ideal.push_back(similarity(shown.layer.rope.frequencies, distances[i]));
  }
  Figure figure = named_figure("kernel");
  figure.lines.push_back({"weights", text["view.weights." + word_of(content.of)], {0, false}, make_series(xs, values)});
  figure.lines.push_back({"ideal", text["view.weights.ideal"], {3, false}, make_series(xs, ideal)});
  figure.lines.push_back({"bound", text["view.weights.bound"], {0, true}, make_series(xs, bounds)});
  figure.lines.push_back({"lower_bound", "", {0, true}, make_series(xs, below), false});
  figure.x =
      data_axis(named_axis("weights", "distance", text, AxisScale::log), {1, shown.fields.span}, shown.fields.zooms);
  figure.y = value_axis(named_axis("weights", "kernel", text), {-1.05, 1.05}, shown.fields.zooms);
  figure.zero_line = true;
  figure.legend = true;
  if (const auto length = shown.layer.rope.trained_length; length && *length <= shown.fields.span) {
    add_rule(figure, *length, text.format("view.weights.trained", {{"length", counted(*length)}}));
  }
  return figure;
}

Figure no_weights_map(const Experiment&, const Text&) {
  Figure figure = empty_figure("map", "pair", "layer");
  figure.bare = true;
  return figure;
}

// --- View ----------------------------------------------------------------------------------------------------------

WeightsInput weights_input(const WeightsFields& fields) {
  return {{fields.path, fields.config}, files_of_weights({fields.path, fields.config})};
}

ViewResult weights_figures(const Experiment& experiment, const Text& text, Store& store) {
  const WeightsFields& fields = experiment.weights;
  if (fields.path.empty()) return hint_result(no_weights_map(experiment, text), text["view.weights.no_file"]);
  constexpr double kCost = 1e10;
  const auto answer = store.request<weights_overview>({"weights", kCost, true}, weights_input(fields));
  const auto overview = answer.present();
  if (!overview) {
    ViewResult waiting = make_message_result(no_weights_map(experiment, text), {}, true);
    waiting.progress = answer.progress;
    return waiting;
  }
  const WeightsLayer& layer = layer_of(*overview, fields.layer);
  const WeightsShown shown{fields, text, *overview, layer, shown_head(layer, fields.head)};
  const std::vector<double> distances = kernel_distances(fields.span);
  const bool has_kernel = shown.content() != nullptr;
  const WeightKernel kernel = has_kernel ? weight_kernel(*shown.content(), layer.rope, distances) : WeightKernel{};
  ViewResult result;
  result.panels.push_back({weights_map(shown), has_kernel ? 0.38 : 0.5});
  result.panels.push_back({weights_profile(shown), has_kernel ? 0.31 : 0.5});
  if (has_kernel) result.panels.push_back({weights_kernel_figure(shown, kernel, distances), 0.31});
  result.readouts = share_readouts(shown);
  result.readouts.push_back(kernel_readout(shown, kernel, distances));
  result.status = text.format("view.weights.status", {{"layers", counted(overview->layers.size())},
                                                      {"heads", counted(layer.norms.rows())},
                                                      {"pairs", counted(layer.norms.cols())},
                                                      {"time", readable_number(overview->seconds, 2)}});
  return result;
}

void declare_weights_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.weights, kUsualLayers, kUsualHeads);
}

/// A click on the map selects the layer.
void react_weights(Experiment& experiment, const FigureEvent& event) {
  if (!event.clicks("map")) return;
  experiment.weights.layer = std::clamp(std::round(event.y), 0.0, kMaxWeightsLayer);
}

bool open_weights(Experiment& experiment, const std::string& path) {
  if (!may_have_weights(path) || !kWeightsView.is_shown(experiment)) return false;
  experiment.weights.path = path;
  return true;
}

std::vector<FileStamp> weights_files(const Experiment& experiment) {
  const WeightsFields& fields = experiment.weights;
  return fields.path.empty() ? std::vector<FileStamp>() : weights_input(fields).files;
}

std::string weights_subject(const Experiment& experiment, const Text& text) {
  const std::string& path = experiment.weights.path;
  return path.empty() ? text["view.weights.name"] : std::filesystem::path(path).filename().string();
}

}  // namespace

std::size_t WeightsOverview::bytes() const {
  std::size_t sum = 0;
  for (const WeightsLayer& layer : layers) {
    const auto numbers = static_cast<std::size_t>(layer.norms.size()) +
                         2 * layer.contents.size() * static_cast<std::size_t>(layer.rope.frequencies.size());
    sum += sizeof(layer) + sizeof(double) * numbers;
  }
  return sum;
}

WeightsOverview weights_overview(const WeightsInput& input, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const LoadedWeights weights = load_weights(input.name);
  WeightsOverview overview;
  for (const int number : weights.directory.layers) {
    auto layer = read_layer(weights, number, {work.threads, work.stop});
    if (!layer) return {};
    overview.layers.push_back(*std::move(layer));
    work.tell(static_cast<double>(overview.layers.size()) / static_cast<double>(weights.directory.layers.size()));
  }
  overview.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return overview;
}

WeightsHead named_head(const WeightsFields& fields) {
  return {weights_input(fields), fields.layer, fields.head};
}

HeadContent read_head(const WeightsHead& named, const Work& /*work*/) {
  const LoadedWeights weights = load_weights(named.input.name);
  return head_content(weights, nearest_layer(weights.directory.layers, named.layer), named.head);
}

bool may_have_weights(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return !ending.empty() && std::ranges::count(split(std::string(kWeightsEndings), ' '), ending) > 0;
}

const WeightsLayer& layer_of(const WeightsOverview& overview, double number) {
  return nearest_layer(overview.layers, number, &WeightsLayer::layer);
}

constinit const View kWeightsView{.id = "weights",
                                  .group = "engineer",
                                  .declare_fields = declare_weights_fields,
                                  .figures = weights_figures,
                                  .empty = no_weights_map,
                                  .react = react_weights,
                                  .open = open_weights,
                                  .opens = kWeightsEndings,
                                  .compares_ropes = false,
                                  .subject = weights_subject,
                                  .files = weights_files};

}  // namespace ropescope
