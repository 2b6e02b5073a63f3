#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <numeric>

#include "app/figure/number_text.h"
#include "app/views/attention/figures.h"
#include "app/views/attention/layer_figures.h"
#include "app/views/shared/axes.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/maps.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr int kDirectionsQuerySlot = 1, kDirectionsKeySlot = 2;
/// Arrows that are shorter have no head to be seen; so many of the others are numbered.
constexpr double kShortest = 0.02;
constexpr std::size_t kNumbered = 6;

/// Directions of q and k of one head.
struct Directions {
  Eigen::VectorXcd query, key;
};

Directions directions_of(const LayerMeans& means, std::size_t head) {
  return {means.queries[head].direction(), means.keys_of(head).direction()};
}

void add_circle_directions(Figure& figure, double radius) {
  Path path;
  path.key = "circle";
  path.role = Role::faint;
  for (int i = 0; i <= 120; ++i) {
    const double angle = 2 * std::numbers::pi * i / 120;
    path.xs.push_back(radius * std::cos(angle));
    path.ys.push_back(radius * std::sin(angle));
  }
  figure.paths.push_back(std::move(path));
}

void add_arrows_directions(Figure& figure, const std::string& key, const Eigen::VectorXcd& directions,
                           const LineStyle& style) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(directions.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return std::abs(directions[a]) > std::abs(directions[b]); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::complex<double> tip = directions[order[i]];
    if (std::abs(tip) < kShortest) break;
    Arrow arrow;
    arrow.key = key + "." + std::to_string(order[i]);
    if (i < kNumbered && !style.faint) arrow.label = std::to_string(order[i]);
    arrow.style = style;
    arrow.x1 = tip.real();
    arrow.y1 = tip.imag();
    figure.arrows.push_back(std::move(arrow));
  }
}

/// All pairs' mean directions in one plane: the circle is what a pair reaches that points the same way at every token.
Figure plane_figure(const LayersShown& shown, const std::vector<Directions>& sides) {
  Figure figure;
  figure.name = "plane";
  figure.title = shown.text["view.attention.plane"];
  figure.x = fixed_axis(named_axis("attention", "first_channel", shown.text), {-1.15, 1.15});
  figure.y = fixed_axis(named_axis("attention", "second_channel", shown.text), {-1.15, 1.15});
  figure.x.range_key.clear();
  figure.y.range_key.clear();
  figure.equal_axes = true;
  add_circle_directions(figure, 1);
  add_circle_directions(figure, 0.5);
  for (std::size_t side = sides.size(); side-- > 0;) {
    const std::string prefix = side == 0 ? "" : "against_";
    add_arrows_directions(figure, prefix + "query", sides[side].query, {kDirectionsQuerySlot, side > 0});
    add_arrows_directions(figure, prefix + "key", sides[side].key, {kDirectionsKeySlot, side > 0});
  }
  return figure;
}

Figure length_figure(const LayersShown& shown, const std::vector<Directions>& sides) {
  const Text& text = shown.text;
  Figure figure;
  figure.name = "directions";
  figure.title = text.format("view.attention.directions_title",
                             {{"layer", counted(shown.layer)}, {"head", counted(shown.knobs.head)}});
  figure.x = cell_axis(named_axis("attention", "pair", text), cell_range(shown.pair_count()), shown.knobs.pair_range);
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const auto add = [&](const std::string& name, const Eigen::VectorXcd& values, int slot) {
      std::string label = text["view.attention.direction_" + name];
      if (side > 0) label = text.format("view.attention.of_other", {{"what", label}, {"file", shown.sides[1].name}});
      const Eigen::VectorXd sizes = values.cwiseAbs();
      figure.lines.push_back({(side == 0 ? "" : "against_") + name,
                              label,
                              {side == 0 ? slot : slot + 5, false},
                              make_series(0, 1, std::vector<double>(sizes.begin(), sizes.end()))});
      figure.clocks.push_back(shown.sides[side].frequencies);
    };
    add("query", sides[side].query, kDirectionsQuerySlot);
    add("key", sides[side].key, kDirectionsKeySlot);
  }
  figure.y = fixed_axis(named_axis("attention", "direction", text), {0, 1.05});
  figure.legend = true;
  return figure;
}

/// |mean direction of q| · |that of k| of every head of the layer; of two sides their difference.
Figure heads_figure(const LayersShown& shown, const std::vector<LayerMeans>& sides) {
  const Text& text = shown.text;
  const std::size_t heads = sides.front().queries.size();
  RowMatrixXd numbers = RowMatrixXd::Zero(static_cast<Eigen::Index>(heads), shown.pair_count());
  for (std::size_t side = 0; side < sides.size(); ++side) {
    // The second less the first.
    const double sign = side + 1 == sides.size() ? 1 : -1;
    for (std::size_t head = 0; head < heads; ++head) {
      const Directions of = directions_of(sides[side], head);
      numbers.row(static_cast<Eigen::Index>(head)) +=
          sign * of.query.cwiseAbs().cwiseProduct(of.key.cwiseAbs()).transpose();
    }
  }
  Figure figure;
  figure.name = "direction_heads";
  figure.title = shown.compared()
                     ? text.format("view.attention.minus", {{"a", shown.sides[1].name}, {"b", shown.sides[0].name}})
                     : text["view.attention.direction_product"];
  figure.x = cell_axis(named_axis("attention", "pair", text), cell_range(shown.pair_count()), shown.knobs.pair_range);
  FigureAxis y = named_axis("attention", "head_axis", text);
  y.range_key.clear();
  figure.y = cell_axis(y, cell_range(heads, 1), {});
  figure.y.reversed = true;
  Map map;
  map.key = "direction_heads";
  map.label = text["view.attention.direction_product_label"];
  map.colours = shown.compared() ? MapColours::signed_value : MapColours::magnitude;
  map.cells = cells_of(numbers);
  reach_cells(map, {0, 1, 1});
  const double most = std::max(largest_size(numbers.reshaped()), 1e-3);
  map.range = {shown.compared() ? -most : 0, most};
  map.exact = [numbers](double pair, double head) { return entry_at(numbers, pair, head - 1); };
  figure.maps.push_back(std::move(map));
  return figure;
}

}  // namespace

ViewResult directions_picture(const LayersShown& shown) {
  const auto head = static_cast<std::size_t>(std::llround(shown.knobs.head)) - 1;
  if (head >= static_cast<std::size_t>(shown.shape().heads)) {
    throw InputError(shown.knobs.file, "dump.no_head", {{"head", head + 1}, {"heads", shown.shape().heads}});
  }
  std::vector<LayerMeans> sides;
  std::vector<Directions> directions;
  for (const DumpSide& side : shown.sides) {
    const auto layer = shown.means(side, shown.layer);
    if (!layer) continue;
    sides.push_back(layer->means);
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

}  // namespace ropescope
