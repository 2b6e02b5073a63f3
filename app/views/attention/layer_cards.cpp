#include <cmath>
#include <complex>

#include "app/figure/number_text.h"
#include "app/views/attention/layer_figures.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"

namespace ropescope {

namespace {

/// The largest of many numbers, where it stands, and their mean.
struct Tally {
  double most = -1, sum = 0;
  std::int64_t layer = 0;
  std::size_t head = 0, count = 0;

  void add(double value, std::int64_t of_layer, std::size_t of_head) {
    if (value > most) most = value, layer = of_layer, head = of_head;
    sum += value;
    ++count;
  }
};

Readout tally_readout(const std::string& name, const Tally& tally, const Text& text) {
  Readout readout = start_card(name, text);
  readout.value =
      Quantity{with_digits(100 * tally.sum / static_cast<double>(tally.count), 3), "percent", "readout.percent"};
  readout.note = text.format("readout.attention.most_in", {{"percent", readable_number(100 * tally.most, 3)},
                                                           {"layer", counted(tally.layer)},
                                                           {"head", counted(tally.head + 1)}});
  return readout;
}

/// The pair that holds most of |q||k|, on the average over the layers.
Readout carrier_readout(const LayersShown& shown, const KnownLayers& known) {
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(shown.pair_count());
  double count = 0;
  for (const auto& layer : known.sides.front()) {
    if (layer) sum += percent_by_pair(*layer), ++count;
  }
  Readout readout = start_card("attention.carrier", shown.text);
  if (count == 0) {
    readout.value = no_number();
    return readout;
  }
  Eigen::Index pair = 0;
  const double most = sum.maxCoeff(&pair) / count;
  readout.value = Quantity{as_whole(pair)};
  readout.note = shown.text.format("readout.attention.carrier.note", {{"percent", readable_number(most, 3)}});
  return readout;
}

struct Longest {
  double size = -1;
  Eigen::Index pair = 0;
  double angle = 0;
};

Longest longest_of(const Eigen::VectorXcd& directions) {
  Longest longest;
  for (Eigen::Index pair = 0; pair < directions.size(); ++pair) {
    const double size = std::abs(directions[pair]);
    if (size > longest.size) longest = {size, pair, std::arg(directions[pair])};
  }
  return longest;
}

Readout longest_readout(const std::string& name, const Longest& longest, const Text& text) {
  Readout readout = start_card("attention." + name, text);
  readout.value = Quantity{with_digits(longest.size, 4)};
  readout.note = text.format("readout.attention.direction_note",
                             {{"pair", counted(longest.pair)}, {"angle", readable_number(longest.angle, 4)}});
  return readout;
}

}  // namespace

std::vector<Readout> layers_readouts(const LayersShown& shown, const KnownLayers& known) {
  std::vector<Readout> readouts{carrier_readout(shown, known)};
  Tally fixed, moved;
  for (std::size_t i = 0; i < shown.layers.size(); ++i) {
    const auto& first = known.sides.front()[i];
    const auto& second = known.sides.back()[i];
    for (std::size_t head = 0; first && head < first->means.queries.size(); ++head) {
      fixed.add(first->means.fixed_share(head), shown.layers[i], head);
      if (!shown.compared() || !second) continue;
      moved.add(moved_share(shares(first->means.product(head)), shares(second->means.product(head))), shown.layers[i],
                head);
    }
  }
  if (fixed.count > 0) readouts.push_back(tally_readout("attention.fixed", fixed, shown.text));
  if (moved.count > 0) readouts.push_back(tally_readout("attention.moved", moved, shown.text));
  return readouts;
}

std::vector<Readout> directions_readouts(const LayersShown& shown, const std::vector<LayerMeans>& sides,
                                         std::size_t head) {
  const LayerMeans& first = sides.front();
  const Eigen::VectorXcd query = first.queries[head].direction(), key = first.keys_of(head).direction();
  std::vector<Readout> readouts{longest_readout("query_direction", longest_of(query), shown.text),
                                longest_readout("key_direction", longest_of(key), shown.text)};
  Readout fixed = start_card("attention.fixed_head", shown.text);
  fixed.value = Quantity{with_digits(100 * first.fixed_share(head), 3), "percent", "readout.percent"};
  readouts.push_back(fixed);
  if (sides.size() < 2) return readouts;
  const Longest of_query = longest_of(sides[1].queries[head].direction() - query);
  const Longest of_key = longest_of(sides[1].keys_of(head).direction() - key);
  const bool queries = of_query.size >= of_key.size;
  Readout turned = start_card("attention.direction_change", shown.text);
  const Longest& most = queries ? of_query : of_key;
  turned.value = Quantity{with_digits(most.size, 4)};
  turned.note = shown.text.format("readout.attention.direction_change.note",
                                  {{"vector", queries ? "q" : "k"}, {"pair", counted(most.pair)}});
  readouts.push_back(turned);
  return readouts;
}

}  // namespace ropescope
