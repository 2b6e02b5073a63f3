// Linear attention as it is written down: the order of its products, its kernels φ as curves, and how near random
// features come to softmax attention.

#include <algorithm>
#include <cmath>

#include "app/views/attention/figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/encodings.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

constexpr int kScoresSlot = 0, kMemorySlot = 1;

/// n, d and M of a product's sides.
struct Sizes {
  double tokens = 0, channels = 0, features = 0;
};

/// Rectangles as high and wide as matrices have rows and columns, with what they are called.
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

  /// left · right = result in a row of the drawing whose middle is at y; `said` stands under it.
  struct Matrix {
    const char* name;
    double rows, columns;
    bool large = false;  ///< what the order is about
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
  /// Longer sides are longer, by their square root: a side that is 16 times as long is still drawn beside the other.
  double side(double count) const {
    constexpr double kLongest = 2.4, kShortest = 0.55;
    const double most = std::max({sizes_.tokens, sizes_.channels, sizes_.features});
    return std::max(kShortest, kLongest * std::sqrt(count / most));
  }
  void matrix(double x, double y, const Matrix& matrix, int slot) {
    const double width = side(matrix.columns), height = side(matrix.rows);
    Box box;
    box.x = {x - width / 2, x + width / 2};
    box.y = {y - height / 2, y + height / 2};
    box.style.slot = slot;
    box.role = matrix.large ? Role::curve : Role::secondary;
    box.filled = matrix.large;
    figure.boxes.push_back(box);
    if (matrix.large) {
      box.filled = false;
      figure.boxes.push_back(box);
    }
    figure.labels.push_back(label_at(x, y, matrix.name));
    Label size = label_at(x, y - 1.25, readable_integer(matrix.rows) + " × " + readable_integer(matrix.columns),
                          Role::secondary);
    size.anchor_y = 0;
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

Figure kernels_scores_figure(const Sizes& sizes, const Text& text) {
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

/// Both over the number of tokens.
Figure growth_figure(const Sizes& sizes, const Text& text) {
  Figure figure;
  figure.name = "multiplications";
  figure.title = text["view.attention.products.title"];
  std::vector<double> tokens, scores, memory;
  const double last = std::max(65536.0, 4 * sizes.features);
  for (double n = 16; n <= last; n *= 2) {
    tokens.push_back(n);
    scores.push_back(scores_products({n, sizes.channels, sizes.features}));
    memory.push_back(memory_products({n, sizes.channels, sizes.features}));
  }
  const double lowest = std::min(scores.front(), memory.front());
  const double highest = std::max(scores.back(), memory.back());
  figure.lines.push_back({"scores_first", "(QKᵀ)V: 2n²d", {kScoresSlot, false}, make_series(tokens, scores), true});
  figure.lines.push_back({"memory_first",
                          sizes.features == sizes.channels ? "φ(Q)(φ(K)ᵀV): 2nd²" : "φ(Q)(φ(K)ᵀV): 2nMd",
                          {kMemorySlot, false},
                          make_series(tokens, memory),
                          true});
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
  const char* name;  ///< of the kernel
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
  Figure figure;
  figure.name = "kernel";
  figure.title = text["view.attention.kernels"];
  int slot = 0;
  for (const KernelCurve& curve : kCurves) {
    std::vector<double> xs, ys;
    for (double x = -kReach; x <= kReach; x += kStep) xs.push_back(x), ys.push_back(curve.value(x));
    const std::string key = std::string("view.attention.kernel.") + curve.name;
    figure.lines.push_back({curve.name, text[key], {slot++, false}, make_series(std::move(xs), std::move(ys)), true});
  }
  figure.x = fixed_axis(named_axis("attention", "kernel_input", text), {-kReach, kReach});
  figure.y = fixed_axis(named_axis("attention", "kernel_value", text), {-0.2, kHighest});
  add_rule(figure, 0, {});
  figure.zero_line = true;
  figure.legend = true;
  return figure;
}

Figure errors_figure(const AttentionShown& shown, const FeatureErrors* errors) {
  const Text& text = shown.text;
  Figure figure;
  figure.name = "feature_error";
  figure.title = text.format("view.attention.feature_errors", {{"encoding", text.say(title_of(*shown.encoding))},
                                                               {"dimension", counted(shown.subject.settings.dim)}});
  figure.x = fixed_axis(named_axis("attention", "features", text, AxisScale::log), {8, 1024});
  figure.y = fixed_axis(named_axis("attention", "feature_error", text, AxisScale::log), {0.01, 10});
  if (!errors) return figure;
  Range range = kNoRange;
  for (const std::vector<double>& of_scale : errors->errors) {
    for (const double error : of_scale) include(range, error);
  }
  if (!errors->fault.empty() || !(range.low > 0)) {
    figure.empty_message =
        errors->fault.empty()
            ? text.format("view.attention.all_past_table", {{"encoding", text.say(title_of(*shown.encoding))},
                                                            {"rows", counted(shown.subject.settings.trained_length)}})
            : text.say(errors->fault);
    return figure;
  }
  for (std::size_t i = 0; i < errors->errors.size(); ++i) {
    const double scale = FeatureErrors::kScales[i];
    figure.lines.push_back({"scale" + std::to_string(i),
                            scale == 1
                                ? text["view.attention.feature_whole"]
                                : text.format("view.attention.feature_scale", {{"scale", readable_number(scale)}}),
                            {static_cast<int>(i), false},
                            make_series(errors->features, errors->errors[i]),
                            true});
  }
  // What 1/√M through the last point of the shortest vectors looks like.
  std::vector<double> guide;
  for (const double features : errors->features) {
    guide.push_back(errors->errors.back().back() * std::sqrt(errors->features.back() / features));
  }
  include(range, guide.front());
  figure.lines.push_back({"root", "∝ 1/√M", {2, true}, make_series(errors->features, std::move(guide)), true});
  figure.x = fixed_axis(figure.x, {errors->features.front() / 1.2, errors->features.back() * 1.2});
  figure.y = fixed_axis(figure.y, {range.low / 1.3, range.high * 1.3});
  figure.legend = true;
  return figure;
}

/// d ln(error) / d ln(M) over the more features, of the shortest vectors.
std::optional<double> error_slope(const FeatureErrors& errors) {
  const std::size_t count = errors.features.size(), first = count / 2;
  if (!errors.fault.empty() || count < 2 || first + 1 >= count) return std::nullopt;
  const std::vector<double>& ys = errors.errors.back();
  return std::log(ys.back() / ys[first]) / std::log(errors.features.back() / errors.features[first]);
}

std::vector<Readout> kernel_readouts(const FeatureErrors& errors, const Text& text) {
  Readout few = start_card("attention.feature_error", text), slope = start_card("attention.feature_slope", text),
          size = start_card("attention.vector_size", text);
  const bool some = errors.fault.empty() && !errors.features.empty();
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

}  // namespace

ViewResult attention_products(const AttentionShown& shown) {
  Sizes sizes{shown.knobs.tokens, static_cast<double>(shown.subject.settings.dim), 0};
  sizes.features = shown.subject.random_features > 0 ? shown.subject.random_features : sizes.channels;
  ViewResult result;
  result.panels.push_back({kernels_scores_figure(sizes, shown.text), 0.58});
  result.panels.push_back({memory_figure(sizes, shown.text), 0.58, true});
  result.panels.push_back({growth_figure(sizes, shown.text), 0.42});
  result.readouts = product_readouts(sizes, shown.text);
  return result;
}

ViewResult attention_kernel(const AttentionShown& shown) {
  const auto answer = shown.store.get("attention.feature_error", FeatureErrorInput{shown.subject});
  ViewResult result;
  result.stale = !answer.current;
  result.panels.push_back({curves_figure(shown), 1, false, 0.9});
  result.panels.push_back({errors_figure(shown, answer.result.get()), 1, true, 1.1});
  result.panels.back().figure.stale = result.stale;
  if (answer.result) result.readouts = kernel_readouts(*answer.result, shown.text);
  if (!result.stale) {
    result.status =
        shown.text.format("view.attention.status_kernel",
                          {{"tokens", counted(std::min(shown.subject.content.tokens, FeatureErrors::kTokens))},
                           {"seeds", std::to_string(FeatureErrors::kSeeds)}});
  }
  return result;
}

}  // namespace ropescope
