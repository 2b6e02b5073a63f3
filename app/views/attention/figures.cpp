// Directions of pairs, energy by distance, kernels and costs as figures.
//
// Contents: Directions; Energy; Kernels; Cost.

#include "app/views/attention/figures.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <numeric>

#include "app/figure/figure.h"
#include "app/views/attention/layers.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/ropes.h"
#include "core/decay/analysis.h"
#include "core/message.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Directions ----------------------------------------------------------------------------------------------------

namespace {

constexpr int kDirectionsQuerySlot = 1, kDirectionsKeySlot = 2;
/// Arrows shorter than this have no visible head; `kNumbered` of the longer ones are numbered.
constexpr double kShortest = 0.02;
constexpr std::size_t kNumbered = 6;

/// The directions of q and k of one head.
struct Directions {
  Eigen::VectorXcd query, key;
};

Directions directions_of(const LayerMeans& means, std::size_t head) {
  return {means.queries[head].direction(), means.keys_of(head).direction()};
}

void add_direction_arrows(Figure& figure, const std::string& key, const Eigen::VectorXcd& directions,
                          const LineStyle& style) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(directions.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return std::abs(directions[a]) > std::abs(directions[b]); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::complex<double> tip = directions[order[i]];
    if (std::abs(tip) < kShortest) break;
    const std::string number = std::to_string(order[i]);
    const bool named = i < kNumbered && !style.faint;
    figure.arrows.push_back(
        arrow_to(key + "." + number, {tip.real(), tip.imag()}, named ? number : std::string(), style));
  }
}

/// Draws all pairs' mean directions in one plane; a pair with one direction at all tokens reaches the circle.
Figure plane_figure(const LayersShown& shown, const std::vector<Directions>& sides) {
  Figure figure = named_figure("plane", shown.text["view.attention.plane"]);
  figure.x = fixed_axis(named_axis("attention", "first_channel", shown.text), {-1.15, 1.15});
  figure.y = fixed_axis(named_axis("attention", "second_channel", shown.text), {-1.15, 1.15});
  figure.equal_axes = true;
  for (const double radius : {1.0, 0.5}) {
    figure.paths.push_back(path_of("circle", Role::faint));
    add_arc(figure.paths.back(), {.radius = radius}, 120);
  }
  for (std::size_t side = sides.size(); side-- > 0;) {
    const std::string prefix = side == 0 ? "" : "against_";
    add_direction_arrows(figure, prefix + "query", sides[side].query, {kDirectionsQuerySlot, side > 0});
    add_direction_arrows(figure, prefix + "key", sides[side].key, {kDirectionsKeySlot, side > 0});
  }
  return figure;
}

Figure length_figure(const LayersShown& shown, const std::vector<Directions>& sides) {
  const Text& text = shown.text;
  Figure figure =
      named_figure("directions", text.format("view.attention.directions_title",
                                             {{"layer", counted(shown.layer)}, {"head", counted(shown.fields.head)}}));
  figure.x = cell_axis(named_axis("attention", "pair", text), cell_range(shown.pair_count()), shown.fields.zooms);
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const auto add = [&](const std::string& name, const Eigen::VectorXcd& values, int slot) {
      std::string label = text["view.attention.direction_" + name];
      if (side > 0) label = text.format("view.attention.of_other", {{"what", label}, {"file", shown.sides[1].name}});
      figure.lines.push_back({(side == 0 ? "" : "against_") + name,
                              label,
                              {side == 0 ? slot : slot + 5, false},
                              series_of(values.cwiseAbs())});
      figure.clocks.push_back(shown.sides[side].frequencies);
    };
    add("query", sides[side].query, kDirectionsQuerySlot);
    add("key", sides[side].key, kDirectionsKeySlot);
  }
  figure.y = fixed_axis(named_axis("attention", "direction", text), {0, 1.05});
  figure.legend = true;
  return figure;
}

/// Draws |mean direction of q| · |that of k| for every head of the layer, or the difference of two sides.
Figure heads_figure(const LayersShown& shown, const std::vector<LayerMeans>& sides) {
  const Text& text = shown.text;
  const std::size_t heads = sides.front().queries.size();
  RowMatrixXd numbers = RowMatrixXd::Zero(static_cast<Eigen::Index>(heads), shown.pair_count());
  for (std::size_t side = 0; side < sides.size(); ++side) {
    // The second minus the first.
    const double sign = side + 1 == sides.size() ? 1 : -1;
    for (std::size_t head = 0; head < heads; ++head) {
      const Directions of = directions_of(sides[side], head);
      numbers.row(static_cast<Eigen::Index>(head)) +=
          sign * of.query.cwiseAbs().cwiseProduct(of.key.cwiseAbs()).transpose();
    }
  }
  Figure figure = named_figure(
      "direction_heads",
      shown.compared() ? text.format("view.attention.minus", {{"a", shown.sides[1].name}, {"b", shown.sides[0].name}})
                       : text["view.attention.direction_product"]);
  figure.x = cell_axis(named_axis("attention", "pair", text), cell_range(shown.pair_count()), shown.fields.zooms);
  FigureAxis y = named_axis("attention", "head_axis", text);
  y.range_key.clear();
  figure.y = cell_axis(y, cell_range(heads, 1), {});
  figure.y.reversed = true;
  const double most = std::max(largest_size(numbers.reshaped()), 1e-3);
  figure.maps.push_back(matrix_map("direction_heads", text["view.attention.direction_product_label"], numbers,
                                   shown.compared(), most, {0, 1, 1}));
  return figure;
}

// --- Energy --------------------------------------------------------------------------------------------------------

constexpr int kProductSlot = 0, kEnergyQuerySlot = 1, kEnergyKeySlot = 2, kEnergyBoundSlot = 3;

Figure score_figure(const AttentionShown& shown, const AttentionEnergy& energy) {
  const Text& text = shown.text;
  Figure figure =
      named_figure("score", text.format("view.attention.score_title",
                                        {{"encoding", encoding_label(shown.encoding(), shown.experiment.rope, text)}}));
  const double first = energy.mean->x_at(0), last = energy.mean->x_at(energy.mean->ys.size() - 1);
  figure.x =
      cell_axis(named_axis("attention", "distance", text), {first, std::max(last, first + 1)}, shown.fields.zooms);
  const int slot = encoding_slot(shown.encoding().name);
  figure.lines.push_back({"mean", text["view.attention.mean_score"], {slot, false}, energy.mean});
  figure.lines.push_back({"above", text["view.attention.deviation"], {slot, true}, energy.above});
  figure.lines.push_back({"below", text["view.attention.deviation"], {slot, true}, energy.below, false});
  if (energy.bound) {
    const LineStyle style{slot == kEnergyBoundSlot ? kEnergyBoundSlot + 1 : kEnergyBoundSlot, false};
    figure.lines.push_back({"bound", text["view.attention.bound"], style, energy.bound});
    figure.lines.push_back({"lower_bound", text["view.attention.bound"], style, energy.lower_bound, false});
  }
  Range scores = add_margin(widened({0, 0}, figure.lines), kValueMargin);
  // Leaves space for the legend, which would cover the bound.
  if (energy.bound && scores.high > 1) scores.high *= 12;
  // The bound is far larger than the values it bounds.
  const AxisScale scale = energy.bound ? AxisScale::symlog : AxisScale::linear;
  figure.y = fixed_axis(named_axis("attention", "score", text, scale), scores);
  if (energy.bound) figure.y.label = text["view.attention.symlog_score"];
  figure.zero_line = true;
  figure.legend = true;
  return figure;
}

Figure energy_figure(const AttentionShown& shown, const AttentionEnergy& energy, const Eigen::VectorXd& frequencies) {
  const Text& text = shown.text;
  Figure figure = named_figure("energy", text["view.attention.energy_title"]);
  const auto pairs = static_cast<double>(energy.pairs.product.size());
  figure.x = cell_axis(named_axis("attention", "pair", text), cell_range(pairs), shown.fields.zooms);
  const auto add = [&](const std::string& key, const Eigen::VectorXd& values, int slot) {
    figure.lines.push_back({key, text["view.attention.energy." + key], {slot, false}, series_of(values)});
    figure.clocks.emplace_back(frequencies.begin(), frequencies.end());
  };
  add("product", energy.pairs.product, kProductSlot);
  add("query", energy.pairs.query, kEnergyQuerySlot);
  add("key", energy.pairs.key, kEnergyKeySlot);
  figure.y = fixed_axis(named_axis("attention", "energy", text), from_zero(widened({0, 0}, figure.lines).high));
  figure.y.label = text["view.attention.energy_label"];
  figure.legend = true;
  const double tokens = shown.subject.content.tokens;
  const auto shade = [&](Eigen::Index first, Eigen::Index count, const std::string& label) {
    if (count == 0) return;
    const double end = std::min(static_cast<double>(first + count), pairs);
    add_span(figure, {static_cast<double>(first) - 0.5, end - 0.5}, label);
  };
  const SlowPairs slow = slow_pairs(frequencies, tokens);
  const Eigen::Index still = slow.first + slow.count;
  shade(slow.first, slow.count, text.format("view.attention.unfinished", {{"tokens", counted(tokens)}}));
  shade(still, frequencies.size() - still, text["view.frequencies.still"]);
  return figure;
}

/// Returns whether all pairs have the same energy, up to rounding: their figure would be a level line.
bool is_flat(const Eigen::VectorXd& energies) {
  constexpr double kSame = 1e-9;
  return energies.maxCoeff() - energies.minCoeff() <= kSame * std::abs(energies.maxCoeff());
}

/// Returns the frequencies of `count` pairs: those that the encoding rotates by, or the rope's if the encoding does not
/// rotate and the rope has as many.
Eigen::VectorXd frequencies_of(const AttentionShown& shown, Eigen::Index count) {
  if (const auto& ladder = shown.subject.ready.settings.ladder) {
    return Eigen::VectorXd::Map(ladder->frequencies.data(), std::ssize(ladder->frequencies));
  }
  if (!shown.encoding().takes_ladder) {
    const RopeReading rope = read_rope(shown.experiment.rope);
    if (rope.ladder.frequencies.size() == count) return rope.ladder.frequencies;
  }
  return plain_frequencies(static_cast<int>(2 * count), shown.rope.shown_axis().base);
}

// --- Kernels -------------------------------------------------------------------------------------------------------

// Linear attention as formulas: the order of its products, its kernels φ as curves, and the error of random features
// relative to softmax attention.

constexpr int kScoresSlot = 0, kMemorySlot = 1;

/// The dimensions n, d and M of a product's matrices.
struct Sizes {
  double tokens = 0, channels = 0, features = 0;
};

/// Draws matrices as labelled rectangles in proportion to their numbers of rows and columns.
class ProductDrawing {
 public:
  ProductDrawing(const std::string& name, const std::string& title, const Sizes& sizes) : sizes_(sizes) {
    figure.name = name;
    figure.title = title;
    figure.bare = true;
    figure.x.name = name + "_place";
    figure.y.name = "step";
    figure.x.range = figure.x.fit = {0, 10};
    figure.y.range = figure.y.fit = {0, 10};
  }
  Figure figure;

  /// Adds left · right = result in the row of the drawing centred at y, with `said` below it.
  struct Matrix {
    const char* name;
    double rows, columns;
    bool large = false;  ///< the matrix whose size depends on the order
  };
  void step(double y, const Matrix& left, const Matrix& right, const Matrix& result, const std::string& said,
            int slot) {
    constexpr double kPlaces[] = {1.7, 4.9, 8.2}, kSigns[] = {3.3, 6.55};
    const Matrix* const matrices[] = {&left, &right, &result};
    for (int i = 0; i < 3; ++i) matrix(kPlaces[i], y, *matrices[i], slot);
    figure.labels.push_back(label_at(kSigns[0], y, "·", Role::secondary));
    figure.labels.push_back(label_at(kSigns[1], y, "=", Role::secondary));
    figure.labels.push_back(label_at(5, y - 2.3, said, Role::secondary));
  }

 private:
  /// Returns the drawn length of a side, proportional to √count, so that a side 16 times as long still fits.
  double side(double count) const {
    constexpr double kLongest = 2.4, kShortest = 0.55;
    const double most = std::max({sizes_.tokens, sizes_.channels, sizes_.features});
    return std::max(kShortest, kLongest * std::sqrt(count / most));
  }
  void matrix(double x, double y, const Matrix& matrix, int slot) {
    const double width = side(matrix.columns), height = side(matrix.rows);
    Box box{around(x, width / 2), around(y, height / 2), {slot, false}};
    box.role = matrix.large ? Role::curve : Role::secondary;
    box.filled = matrix.large;
    figure.boxes.push_back(box);
    if (matrix.large) {
      box.filled = false;
      figure.boxes.push_back(box);
    }
    figure.labels.push_back(label_at(x, y, matrix.name));
    Label size = label_at(x, y - 1.25, readable_integer(matrix.rows) + " × " + readable_integer(matrix.columns),
                          Role::secondary, 0.5, 0);
    size.size = 0.88;
    figure.labels.push_back(size);
  }

  Sizes sizes_;
};

double scores_products(const Sizes& sizes) {
  return 2 * sizes.tokens * sizes.tokens * sizes.channels;
}
double memory_products(const Sizes& sizes) {
  return 2 * sizes.tokens * sizes.features * sizes.channels;
}

std::string multiplications(const char* formula, double count, const Text& text) {
  return text.format("view.attention.products.count", {{"formula", formula}, {"count", counted(count)}});
}

Figure draw_scores_first(const Sizes& sizes, const Text& text) {
  const auto& [n, d, m] = sizes;
  ProductDrawing drawing("scores_first", text["view.attention.products.scores"], sizes);
  const std::string said = multiplications("n · n · d", n * n * d, text);
  drawing.step(7.6, {"Q", n, d}, {"Kᵀ", d, n}, {"QKᵀ", n, n, true}, said, kScoresSlot);
  drawing.step(2.6, {"QKᵀ", n, n, true}, {"V", n, d}, {"(QKᵀ)V", n, d}, said, kScoresSlot);
  return drawing.figure;
}

Figure memory_figure(const Sizes& sizes, const Text& text) {
  const auto& [n, d, m] = sizes;
  ProductDrawing drawing("memory_first", text["view.attention.products.memory"], sizes);
  const std::string said = multiplications(m == d ? "n · d · d" : "n · M · d", n * m * d, text);
  drawing.step(7.6, {"φ(K)ᵀ", m, n}, {"V", n, d}, {"φ(K)ᵀV", m, d, true}, said, kMemorySlot);
  drawing.step(2.6, {"φ(Q)", n, m}, {"φ(K)ᵀV", m, d, true}, {"φ(Q)(φ(K)ᵀV)", n, d}, said, kMemorySlot);
  return drawing.figure;
}

/// Draws the multiplications of both orders over the number of tokens.
Figure growth_figure(const Sizes& sizes, const Text& text) {
  Figure figure = named_figure("multiplications", text["view.attention.products.title"]);
  std::vector<double> tokens, scores, memory;
  const double last = std::max(65536.0, 4 * sizes.features);
  for (double n = 16; n <= last; n *= 2) {
    tokens.push_back(n);
    scores.push_back(scores_products({n, sizes.channels, sizes.features}));
    memory.push_back(memory_products({n, sizes.channels, sizes.features}));
  }
  const double lowest = std::min(scores.front(), memory.front());
  const double highest = std::max(scores.back(), memory.back());
  figure.lines.push_back({"scores_first", "(QKᵀ)V: 2n²d", {kScoresSlot, false}, make_series(tokens, scores)});
  figure.lines.push_back({"memory_first",
                          sizes.features == sizes.channels ? "φ(Q)(φ(K)ᵀV): 2nd²" : "φ(Q)(φ(K)ᵀV): 2nMd",
                          {kMemorySlot, false},
                          make_series(tokens, memory)});
  figure.x = fixed_axis(named_axis("attention", "tokens", text, AxisScale::log), {tokens.front(), tokens.back()});
  figure.y = fixed_axis(named_axis("attention", "multiplications", text, AxisScale::log), decades({lowest, highest}));
  add_rule(figure, sizes.tokens, text.format("view.attention.products.chosen", {{"tokens", counted(sizes.tokens)}}));
  figure.legend = true;
  return figure;
}

std::vector<Readout> product_readouts(const Sizes& sizes, const Text& text) {
  Readout scores = start_card("attention.scores_first", text), memory = start_card("attention.memory_first", text),
          ratio = start_card("attention.product_ratio", text);
  scores.value = Quantity{with_digits(scores_products(sizes), 4)};
  scores.note = text.format("readout.attention.scores_first.note", {{"cells", counted(sizes.tokens * sizes.tokens)}});
  memory.value = Quantity{with_digits(memory_products(sizes), 4)};
  memory.note =
      text.format("readout.attention.memory_first.note", {{"cells", counted(sizes.features * sizes.channels)}});
  ratio.value = Quantity{with_digits(sizes.tokens / sizes.features, 3)};
  ratio.note = text.format("readout.attention.product_ratio.note", {{"tokens", counted(sizes.features)}});
  return {scores, memory, ratio};
}

/// One of the curves φ(x).
struct KernelCurve {
  const char* name;  ///< kernel name
  const char* label;
  double (*value)(double x);
};
constexpr KernelCurve kCurves[] = {
    {"elu", "elu(x) + 1", [](double x) { return x > 0 ? x + 1 : std::exp(x); }},
    {"exp", "eˣ", [](double x) { return std::exp(x); }},
    {"performer", "exp(ωx − x²/2)", [](double x) { return std::exp(x - x * x / 2); }},
};

Figure curves_figure(const AttentionShown& shown) {
  constexpr double kReach = 4, kStep = 1.0 / 32, kHighest = 5.2;
  const Text& text = shown.text;
  Figure figure = named_figure("kernel", text["view.attention.kernels"]);
  int slot = 0;
  for (const KernelCurve& curve : kCurves) {
    std::vector<double> xs, ys;
    for (double x = -kReach; x <= kReach; x += kStep) xs.push_back(x), ys.push_back(curve.value(x));
    const std::string key = std::string("view.attention.kernel.") + curve.name;
    figure.lines.push_back({curve.name, text[key], {slot++, false}, make_series(std::move(xs), std::move(ys))});
  }
  figure.x = fixed_axis(named_axis("attention", "kernel_input", text), {-kReach, kReach});
  figure.y = fixed_axis(named_axis("attention", "kernel_value", text), {-0.2, kHighest});
  add_rule(figure, 0, {});
  figure.zero_line = true;
  figure.legend = true;
  return figure;
}

Figure errors_figure(const AttentionShown& shown, const Store::Answer<FeatureErrors>& answer) {
  const Text& text = shown.text;
  Figure figure = named_figure(
      "feature_error",
      text.format("view.attention.feature_errors", {{"encoding", text.render(title_of(shown.encoding()))},
                                                    {"dimension", counted(shown.subject.ready.settings.dim)}}));
  figure.x = fixed_axis(named_axis("attention", "features", text, AxisScale::log), {8, 1024});
  figure.y = fixed_axis(named_axis("attention", "feature_error", text, AxisScale::log), {0.01, 10});
  if (!answer.fault.empty()) figure.empty_message = text.render(answer.fault);
  const auto& errors = answer.result;
  if (!errors) return figure;
  Range range = kNoRange;
  for (const std::vector<double>& of_scale : errors->errors) {
    for (const double error : of_scale) include(range, error);
  }
  if (!(range.low > 0)) {
    figure.empty_message =
        text.format("view.attention.all_past_table", {{"encoding", text.render(title_of(shown.encoding()))},
                                                      {"rows", counted(shown.subject.ready.settings.trained_length)}});
    return figure;
  }
  for (std::size_t i = 0; i < errors->errors.size(); ++i) {
    const double scale = FeatureErrors::kScales[i];
    figure.lines.push_back({"scale" + std::to_string(i),
                            scale == 1
                                ? text["view.attention.feature_whole"]
                                : text.format("view.attention.feature_scale", {{"scale", readable_number(scale)}}),
                            {static_cast<int>(i), false},
                            make_series(errors->features, errors->errors[i])});
  }
  // The line of 1/√M through the last point of the shortest vectors.
  std::vector<double> guide;
  for (const double features : errors->features) {
    guide.push_back(errors->errors.back().back() * std::sqrt(errors->features.back() / features));
  }
  include(range, guide.front());
  figure.lines.push_back({"root", "∝ 1/√M", {2, true}, make_series(errors->features, std::move(guide))});
  figure.x = fixed_axis(figure.x, {errors->features.front() / 1.2, errors->features.back() * 1.2});
  figure.y = fixed_axis(figure.y, {range.low / 1.3, range.high * 1.3});
  figure.legend = true;
  return figure;
}

/// Returns d ln(error) / d ln(M) over the larger numbers of features, for the shortest vectors.
std::optional<double> error_slope(const FeatureErrors& errors) {
  const std::size_t count = errors.features.size(), first = count / 2;
  if (count < 2 || first + 1 >= count) return std::nullopt;
  const std::vector<double>& ys = errors.errors.back();
  return std::log(ys.back() / ys[first]) / std::log(errors.features.back() / errors.features[first]);
}

std::vector<Readout> kernel_readouts(const FeatureErrors& errors, const Text& text) {
  Readout few = start_card("attention.feature_error", text), slope = start_card("attention.feature_slope", text),
          size = start_card("attention.vector_size", text);
  const bool some = !errors.features.empty();
  few.value = some ? Quantity{with_digits(errors.errors.front().back(), 3)} : no_number();
  if (some) {
    few.note = text.format(
        "readout.attention.feature_error.note",
        {{"features", counted(errors.features.back())}, {"quarter", readable_number(errors.errors.back().back(), 3)}});
  }
  const std::optional<double> fall = error_slope(errors);
  slope.value = fall ? Quantity{with_decimals(*fall, 2), "", "readout.attention.feature_slope.value"} : no_number();
  slope.note = text["readout.attention.feature_slope.note"];
  size.value = some ? Quantity{with_digits(errors.size, 3)} : no_number();
  size.note = text["readout.attention.vector_size.note"];
  return {few, slope, size};
}

// --- Cost ----------------------------------------------------------------------------------------------------------

constexpr int kSoftmaxSlot = 0, kLinearSlot = 1;

void add_measured(Figure& figure, const std::string& key, const std::string& label, const MeasuredCost& cost,
                  int slot) {
  if (cost.tokens.empty()) return;
  std::vector<double> milliseconds;
  for (const double seconds : cost.seconds) milliseconds.push_back(1e3 * seconds);
  figure.points.push_back({key + ".points", {}, {slot, false}, cost.tokens, milliseconds, {}});
  figure.lines.push_back({key, label, {slot, false}, make_series(cost.tokens, std::move(milliseconds))});
}

/// Adds the line of n² or n through the last measured point.
void add_guide(Figure& figure, const std::string& key, const std::string& label, const MeasuredCost& cost, double power,
               int slot) {
  if (cost.tokens.empty()) return;
  std::vector<double> xs, ys;
  for (const double tokens : cost.tokens) {
    xs.push_back(tokens);
    ys.push_back(1e3 * cost.seconds.back() * std::pow(tokens / cost.tokens.back(), power));
  }
  figure.lines.push_back({key, label, {slot, true}, make_series(std::move(xs), std::move(ys))});
}

Figure cost_figure(const AttentionShown& shown, const AttentionCost& cost) {
  const Text& text = shown.text;
  Figure figure = named_figure(
      "cost", text.format("view.attention.cost_of", {{"encoding", shown.text.render(title_of(shown.encoding()))},
                                                     {"dimension", counted(shown.subject.ready.settings.dim)}}));
  add_measured(figure, "softmax", text["view.attention.softmax"], cost.softmax, kSoftmaxSlot);
  add_measured(figure, "linear", text["view.attention.linear"], cost.linear, kLinearSlot);
  add_guide(figure, "square", text["view.attention.square"], cost.softmax, 2, kSoftmaxSlot);
  add_guide(figure, "proportional", text["view.attention.proportional"], cost.linear, 1, kLinearSlot);
  Range times = kNoRange;
  for (const Points& points : figure.points) {
    for (const double time : points.ys) include(times, time);
  }
  const Range lengths = {cost.softmax.tokens.front() / 1.2, cost.softmax.tokens.back() * 1.2};
  figure.x = cell_axis(named_axis("attention", "tokens", text, AxisScale::log, "length"), lengths, shown.fields.zooms);
  figure.y =
      fixed_axis(named_axis("attention", "milliseconds", text, AxisScale::log), {decades(times).low, 2 * times.high});
  figure.legend = true;
  return figure;
}

}  // namespace

ViewResult directions_picture(const LayersShown& shown) {
  const auto head = static_cast<std::size_t>(std::llround(shown.fields.head)) - 1;
  if (head >= static_cast<std::size_t>(shown.shape().heads)) {
    throw InputError(shown.fields.file, "dump.no_head", {{"head", head + 1}, {"heads", shown.shape().heads}});
  }
  std::vector<LayerMeans> sides;
  std::vector<Directions> directions;
  for (const DumpSide& side : shown.sides) {
    const auto layer = shown.means(side, shown.layer);
    if (!layer) continue;
    sides.push_back(*layer);
    directions.push_back(directions_of(sides.back(), head));
  }
  ViewResult result;
  if (sides.size() < shown.sides.size()) {
    result = attention_message({}, true);
    say_progress(shown, sides.size(), shown.sides.size(), result);
    return result;
  }
  result.panels.push_back({plane_figure(shown, directions), 0.5, false, 0.8});
  result.panels.push_back({length_figure(shown, directions), 0.5, true, 1.2});
  result.panels.push_back({heads_figure(shown, sides), 0.5});
  result.readouts = directions_readouts(shown, sides, head);
  say_progress(shown, sides.size(), sides.size(), result);
  return result;
}

SlowPairs slow_pairs(const Eigen::VectorXd& frequencies, double tokens) {
  const auto turning = (frequencies.array() != 0).count();
  const Eigen::Index count = unfinished_pairs(frequencies, tokens);
  return {turning - count, count};
}

ViewResult attention_energy(const AttentionShown& shown) {
  const double cost = 4 * shown.subject.content.matrix_cost();
  const auto answer = shown.store.request<compute_subject_energy>({"attention.energy", cost, true},
                                                                  {shown.subject, shown.rope.spec.pairing});
  if (!answer.result) return message_of(answer, shown.text);
  const AttentionEnergy& energy = *answer.result;
  const Eigen::VectorXd frequencies = frequencies_of(shown, energy.pairs.product.size());
  ViewResult result;
  result.stale = !answer.current;
  const bool flat = is_flat(energy.pairs.product) && is_flat(energy.pairs.query) && is_flat(energy.pairs.key);
  result.panels.push_back({score_figure(shown, energy), flat ? 1.0 : 0.52});
  if (!flat) result.panels.push_back({energy_figure(shown, energy, frequencies), 0.48});
  for (Panel& panel : result.panels) panel.figure.stale = result.stale;
  result.readouts = energy_readouts(shown, energy, frequencies);
  if (!result.stale) {
    result.status =
        shown.text.format("view.attention.status_energy",
                          {{"tokens", counted(shown.subject.content.tokens)}, {"pairs", counted(frequencies.size())}});
    if (flat) result.status += " · " + shown.text["view.attention.flat_energy"];
  }
  return result;
}

ViewResult attention_products(const AttentionShown& shown) {
  Sizes sizes{shown.fields.tokens, static_cast<double>(shown.subject.ready.settings.dim), 0};
  sizes.features = shown.subject.options.random_features > 0 ? shown.subject.options.random_features : sizes.channels;
  ViewResult result;
  result.panels.push_back({draw_scores_first(sizes, shown.text), 0.58});
  result.panels.push_back({memory_figure(sizes, shown.text), 0.58, true});
  result.panels.push_back({growth_figure(sizes, shown.text), 0.42});
  result.readouts = product_readouts(sizes, shown.text);
  return result;
}

ViewResult attention_kernel(const AttentionShown& shown) {
  const auto answer = shown.store.request<feature_errors>({"attention.feature_error", 2e9, true}, shown.subject);
  ViewResult result;
  result.stale = !answer.current;
  result.panels.push_back({curves_figure(shown), 1, false, 0.9});
  result.panels.push_back({errors_figure(shown, answer), 1, true, 1.1});
  result.panels.back().figure.stale = result.stale;
  if (!answer.nothing()) {
    result.readouts = kernel_readouts(answer.result ? *answer.result : FeatureErrors(), shown.text);
  }
  if (!result.stale) {
    result.status =
        shown.text.format("view.attention.status_kernel",
                          {{"tokens", counted(std::min(shown.subject.content.tokens, FeatureErrors::kTokens))},
                           {"seeds", std::to_string(FeatureErrors::kSeeds)}});
  }
  return result;
}

ViewResult attention_cost(const AttentionShown& shown) {
  MeasuredSubject input{shown.subject, static_cast<int>(shown.fields.longest)};
  input.subject.content = {};
  const auto answer = shown.store.request<measure_cost>({"attention.cost", 1e9, true}, input);
  if (!answer.current) {
    // The times of a previous input would appear under this title.
    ViewResult waiting = attention_message({}, true);
    waiting.status = shown.text["view.attention.measuring"];
    return waiting;
  }
  if (!answer.result) return message_of(answer, shown.text);
  const AttentionCost& cost = *answer.result;
  ViewResult result;
  result.panels.push_back({cost_figure(shown, cost), 1});
  result.readouts = cost_readouts(shown, cost);
  result.status = shown.text.format("view.attention.status_cost", {{"runs", std::to_string(cost.softmax.runs)}});
  return result;
}

}  // namespace ropescope
