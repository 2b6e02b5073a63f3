#include <algorithm>
#include <cmath>
#include <limits>

#include "app/views/attention/layer_figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/maps.h"

namespace ropescope {

namespace {

constexpr double kLayerMapNothing = std::numeric_limits<double>::quiet_NaN();

/// Rows by the numbers of the layers: those that a file leaves out are empty.
RowMatrixXd by_number(const LayersShown& shown, const RowMatrixXd& numbers) {
  const std::int64_t first = shown.layers.front();
  RowMatrixXd rows = RowMatrixXd::Constant(shown.layers.back() - first + 1, numbers.cols(), kLayerMapNothing);
  for (std::size_t i = 0; i < shown.layers.size(); ++i) {
    rows.row(shown.layers[i] - first) = numbers.row(static_cast<Eigen::Index>(i));
  }
  return rows;
}

/// A number for each layer and column of each side; NaN where the layer is not known.
template <class Row>
RowMatrixXd rows_of_layer_map(const KnownLayers& known, std::size_t side, Eigen::Index columns, const Row& row) {
  const auto& layers = known.sides[side];
  RowMatrixXd numbers = RowMatrixXd::Constant(std::ssize(layers), columns, kLayerMapNothing);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i]) numbers.row(static_cast<Eigen::Index>(i)) = row(*layers[i]).transpose();
  }
  return numbers;
}

Eigen::VectorXd fixed_percent(const MeansOfLayer& layer) {
  Eigen::VectorXd percent(std::ssize(layer.means.queries));
  for (std::size_t head = 0; head < layer.means.queries.size(); ++head) {
    percent[static_cast<Eigen::Index>(head)] = 100 * layer.means.fixed_share(head);
  }
  return percent;
}

/// How much of each head's energy lies in other pairs on the second side.
RowMatrixXd moved_percent(const LayersShown& shown, const KnownLayers& known) {
  const auto& layers = known.sides;
  RowMatrixXd numbers = RowMatrixXd::Constant(std::ssize(shown.layers), shown.shape().heads, kLayerMapNothing);
  for (std::size_t i = 0; i < shown.layers.size(); ++i) {
    if (!layers[0][i] || !layers[1][i]) continue;
    for (std::size_t head = 0; head < layers[0][i]->means.queries.size(); ++head) {
      numbers(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(head)) =
          100 * moved_share(shares(layers[0][i]->means.product(head)), shares(layers[1][i]->means.product(head)));
    }
  }
  return numbers;
}

/// The layer that is chosen, and the mean of all that are known.
Figure line_figure(const LayersShown& shown, const KnownLayers& known) {
  const Text& text = shown.text;
  Figure figure;
  figure.name = "shares";
  figure.title = text.format("view.attention.layer_shares", {{"layer", counted(shown.layer)}});
  figure.x = cell_axis(named_axis("attention", "pair", text), cell_range(shown.pair_count()), shown.knobs.pair_range);
  const auto at = std::lower_bound(shown.layers.begin(), shown.layers.end(), shown.layer) - shown.layers.begin();
  for (std::size_t side = 0; side < shown.sides.size(); ++side) {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(shown.pair_count());
    double count = 0;
    for (const auto& layer : known.sides[side]) {
      if (layer) sum += percent_by_pair(*layer), ++count;
    }
    if (count == 0) continue;
    const std::string key = side == 0 ? "" : "against_";
    const auto add = [&](const char* name, const Eigen::VectorXd& values, int slot) {
      std::string label = text.format(std::string("view.attention.share_") + name, {{"layer", counted(shown.layer)}});
      if (side > 0) {
        label = text.format("view.attention.of_other", {{"what", label}, {"file", shown.sides[1].name}});
      }
      figure.lines.push_back({key + name,
                              label,
                              {side == 0 ? slot : slot + 5, false},
                              make_series(0, 1, std::vector<double>(values.begin(), values.end()))});
      figure.clocks.push_back(shown.sides[side].frequencies);
    };
    if (known.sides[side][static_cast<std::size_t>(at)]) {
      add("chosen", percent_by_pair(*known.sides[side][static_cast<std::size_t>(at)]), 0);
    }
    add("all", sum / count, 1);
  }
  figure.y = fixed_axis(named_axis("attention", "share", text), from_zero(widened({0, 0}, figure.lines).high));
  figure.legend = true;
  return figure;
}

}  // namespace

Eigen::VectorXd percent_by_pair(const MeansOfLayer& layer) {
  return 100 * shares(layer.means.product());
}

KnownLayers known_layers(const LayersShown& shown) {
  KnownLayers known;
  for (const DumpSide& side : shown.sides) {
    auto& layers = known.sides.emplace_back();
    for (const std::int64_t layer : shown.layers) {
      layers.push_back(shown.means(side, layer));
      known.finished += layers.back() ? 1 : 0;
      ++known.parts;
    }
  }
  return known;
}

Figure layer_map_figure(const LayersShown& shown, const LayerMap& of) {
  const Text& text = shown.text;
  const RowMatrixXd numbers = by_number(shown, of.numbers);
  const bool heads = of.across == "head";
  const double first = static_cast<double>(shown.layers.front()), left = heads ? 1 : 0;
  Figure figure;
  figure.name = of.name;
  figure.title = of.title;
  FigureAxis across =
      named_axis("attention", heads ? "head_axis" : "pair", text, AxisScale::linear, heads ? "head" : "");
  if (heads) across.range_key.clear();
  figure.x = cell_axis(across, cell_range(numbers.cols(), left), heads ? std::nullopt : shown.knobs.pair_range);
  figure.y =
      cell_axis(named_axis("attention", "layer", text), cell_range(numbers.rows(), first), shown.knobs.layer_range);
  figure.y.reversed = true;
  Map map;
  map.key = of.name;
  map.label = of.label;
  map.colours = of.is_signed ? MapColours::signed_value : MapColours::magnitude;
  map.cells = cells_of(numbers);
  reach_cells(map, {left, first, 1});
  const double most = of.most.value_or(largest_size(numbers.reshaped()));
  const double end = most > 0 ? most : 1;
  map.range = {of.is_signed ? -end : 0, end};
  map.exact = [numbers, first, left](double x, double y) { return entry_at(numbers, x - left, y - first); };
  figure.maps.push_back(std::move(map));
  return figure;
}

ViewResult layers_picture(const LayersShown& shown) {
  const Text& text = shown.text;
  const KnownLayers known = known_layers(shown);
  const int pairs = shown.pair_count();
  std::vector<LayerMap> above, below;
  double most = 0;
  for (std::size_t side = 0; side < shown.sides.size(); ++side) {
    LayerMap map;
    map.name = side == 0 ? "carriers" : "against_carriers";
    map.title = shown.compared() ? shown.sides[side].name : text["view.attention.carriers"];
    map.label = text["view.attention.share"];
    map.numbers = rows_of_layer_map(known, side, pairs, percent_by_pair);
    most = std::max(most, largest_size(map.numbers.reshaped()));
    above.push_back(std::move(map));
  }
  for (LayerMap& map : above) map.most = most;
  LayerMap heads;
  heads.across = "head";
  if (shown.compared()) {
    LayerMap difference;
    difference.name = "difference";
    difference.title = text.format("view.attention.minus", {{"a", above[1].title}, {"b", above[0].title}});
    difference.label = text["view.attention.share_difference"];
    difference.numbers = above[1].numbers - above[0].numbers;
    difference.is_signed = true;
    above.push_back(std::move(difference));
    heads.name = "moved";
    heads.title = text["view.attention.moved"];
    heads.label = text["view.attention.share"];
    heads.numbers = moved_percent(shown, known);
  } else {
    heads.name = "fixed";
    heads.title = text["view.attention.fixed"];
    heads.label = text["view.attention.share"];
    heads.numbers = rows_of_layer_map(known, 0, shown.shape().heads, fixed_percent);
  }
  ViewResult result;
  for (const LayerMap& map : above) {
    result.panels.push_back({layer_map_figure(shown, map), 0.6, !result.panels.empty(), 1});
  }
  if (shown.compared()) {
    result.panels.push_back({line_figure(shown, known), 0.4, false, 1.3});
    result.panels.push_back({layer_map_figure(shown, heads), 0.4, true, 1});
  } else {
    result.panels.push_back({layer_map_figure(shown, heads), 0.6, true, 0.7});
    result.panels.push_back({line_figure(shown, known), 0.4});
  }
  if (known.finished > 0) result.readouts = layers_readouts(shown, known);
  say_progress(shown, known.finished, known.parts, result);
  return result;
}

}  // namespace ropescope
