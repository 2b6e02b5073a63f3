// Means and scores of layers for the store, their maps and cards.
//
// Contents: Computed; Layers; Cards; Map.

#include "app/views/attention/layers.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <limits>

#include "app/experiment/rope_spec.h"
#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/views/attention/figures.h"
#include "app/views/attention/inputs.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "core/message.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

namespace {

/// Returns the result of `body` for a layer of a file, and checks that the file does not change meanwhile.
template <class Body>
auto visit_layer(const LayerOfFile& of, const std::stop_token& stop, const Body& body) {
  DumpReading reading = make_bounded_reading(of.file.path, stop);
  reading.layer = of.layer;
  reading.values = false;
  const LoadedDump loaded = load_attention_dump(of.file.path, reading);
  auto result = body(loaded.dump);
  loaded.file->check_unchanged();
  return result;
}

/// Input: the means over tokens of a layer's heads.
struct MeansOf {
  LayerOfFile layer;
  Pairing pairing = Pairing::half_split;
  int pair_count = 0;
  bool operator==(const MeansOf&) const = default;
};

DumpShape dump_shape(const FileStamp& file, const Work& work) {
  const auto mapped = map_file(file.path);
  DumpShape shape = parse_dump_shape(mapped->bytes(), mapped, file.path, make_bounded_reading(file.path, work.stop));
  mapped->check_unchanged();
  return shape;
}

LayerMeans compute_layer_means(const MeansOf& of, const Work& work) {
  return visit_layer(of.layer, work.stop, [&](const AttentionDump& dump) {
    return layer_means(dump, of.layer.tokens, of.pairing, of.pair_count, work);
  });
}

// --- Layers --------------------------------------------------------------------------------------------------------

/// Returns the shapes of a file; null while it is being opened.
std::shared_ptr<const DumpShape> shape_of(const FileStamp& file, const std::string& slot, Store& store) {
  auto shape = store.request<dump_shape>({slot, 1e7, true}, file).present();
  if (!shape) return nullptr;
  const std::int64_t last = shape->layers.back();
  if (last > static_cast<std::int64_t>(kMaxAttentionLayer)) {
    throw InputError(file.path, "dump.too_many_layers",
                     {{"last", last}, {"most", static_cast<std::int64_t>(kMaxAttentionLayer)}});
  }
  return shape;
}

/// Sets the ladder: a rope narrower than the head rotates only its first channels; a wider one is cut to the head.
void take_ladder(const RopeFields& rope, DumpSide& side) {
  RopeFields fields = rope;
  const auto head_dim = static_cast<double>(side.shape->head_dim);
  fields.head_dim = head_dim;
  fields.rotary_dim = std::min(fields.rotary_dim, head_dim);
  const RopeReading reading = read_rope(fields);
  side.pairing = reading.spec.pairing;
  side.frequencies.assign(reading.ladder.frequencies.begin(), reading.ladder.frequencies.end());
  side.amplitude = reading.ladder.amplitude;
}

/// Prepares files, shapes and ladders. Returns false while a file is being opened.
bool prepare_layers(LayersShown& shown) {
  const AttentionFields& fields = shown.fields;
  if (fields.file.empty()) throw InputError(Message("view.attention.no_file"));
  for (const std::string& path : {fields.file, fields.against}) {
    if (path.empty()) continue;
    DumpSide side;
    side.file = stamp_of(path);
    side.name = std::filesystem::path(path).filename().string();
    side.shape = shape_of(side.file, "attention.shape." + std::to_string(shown.sides.size()), shown.store);
    if (!side.shape) return false;
    take_ladder(shown.experiment.rope, side);
    shown.sides.push_back(std::move(side));
  }
  const DumpShape &first = *shown.sides.front().shape, &last = *shown.sides.back().shape;
  require_same_heads(first, last);
  shown.layers = common_layers(first, last);
  shown.tokens = std::llround(fields.tokens);
  for (const DumpSide& side : shown.sides) shown.tokens = std::min(shown.tokens, side.shape->tokens);
  shown.layer = std::llround(fields.layer);
  if (!shown.shape().numbered) shown.layer = shown.layers.front();
  require_layer(shown.layers, shown.layer, fields.file);
  return true;
}

// --- Cards ---------------------------------------------------------------------------------------------------------

/// The maximum of many numbers, its position, and their mean.
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

/// The computed means of every layer and side; null for a layer that is not computed yet.
struct KnownLayers {
  std::vector<std::vector<std::shared_ptr<const LayerMeans>>> sides;  ///< [sides][layers]
  std::size_t finished = 0, parts = 0;
};

/// Returns the share of each pair in the energy of one layer, in percent.
Eigen::VectorXd percent_by_pair(const LayerMeans& layer) {
  return 100 * shares(layer.product());
}

/// Returns the pair with the largest share of |q||k|, averaged over the layers.
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
  Readout readout = make_card("attention." + name, Quantity{with_digits(longest.size, 4)}, text);
  readout.note = text.format("readout.attention.direction_note",
                             {{"pair", counted(longest.pair)}, {"angle", readable_number(longest.angle, 4)}});
  return readout;
}

/// Returns the cards: the pair with most energy, the energy in one direction, and the differences between two sides.
std::vector<Readout> layers_readouts(const LayersShown& shown, const KnownLayers& known) {
  std::vector<Readout> readouts{carrier_readout(shown, known)};
  Tally fixed, moved;
  for (std::size_t i = 0; i < shown.layers.size(); ++i) {
    const auto& first = known.sides.front()[i];
    const auto& second = known.sides.back()[i];
    for (std::size_t head = 0; first && head < first->queries.size(); ++head) {
      fixed.add(first->fixed_share(head), shown.layers[i], head);
      if (!shown.compared() || !second) continue;
      moved.add(moved_share(shares(first->product(head)), shares(second->product(head))), shown.layers[i], head);
    }
  }
  if (fixed.count > 0) readouts.push_back(tally_readout("attention.fixed", fixed, shown.text));
  if (moved.count > 0) readouts.push_back(tally_readout("attention.moved", moved, shown.text));
  return readouts;
}

// --- Map -----------------------------------------------------------------------------------------------------------

constexpr double kNoLayerValue = std::numeric_limits<double>::quiet_NaN();

/// Rearranges rows by layer number: layers missing in a file are empty.
RowMatrixXd arrange_by_layer(const LayersShown& shown, const RowMatrixXd& numbers) {
  const std::int64_t first = shown.layers.front();
  RowMatrixXd rows = RowMatrixXd::Constant(shown.layers.back() - first + 1, numbers.cols(), kNoLayerValue);
  for (std::size_t i = 0; i < shown.layers.size(); ++i) {
    rows.row(shown.layers[i] - first) = numbers.row(static_cast<Eigen::Index>(i));
  }
  return rows;
}

/// Returns a number per layer and column of each side; NaN if the layer is not computed yet.
template <class Row>
RowMatrixXd collect_layer_rows(const KnownLayers& known, std::size_t side, Eigen::Index columns, const Row& row) {
  const auto& layers = known.sides[side];
  RowMatrixXd numbers = RowMatrixXd::Constant(std::ssize(layers), columns, kNoLayerValue);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i]) numbers.row(static_cast<Eigen::Index>(i)) = row(*layers[i]).transpose();
  }
  return numbers;
}

Eigen::VectorXd fixed_percent(const LayerMeans& layer) {
  Eigen::VectorXd percent(std::ssize(layer.queries));
  for (std::size_t head = 0; head < layer.queries.size(); ++head) {
    percent[static_cast<Eigen::Index>(head)] = 100 * layer.fixed_share(head);
  }
  return percent;
}

/// Returns the share of each head's energy that is in different pairs on the second side.
RowMatrixXd moved_percent(const LayersShown& shown, const KnownLayers& known) {
  const auto& layers = known.sides;
  RowMatrixXd numbers = RowMatrixXd::Constant(std::ssize(shown.layers), shown.shape().heads, kNoLayerValue);
  for (std::size_t i = 0; i < shown.layers.size(); ++i) {
    if (!layers[0][i] || !layers[1][i]) continue;
    for (std::size_t head = 0; head < layers[0][i]->queries.size(); ++head) {
      numbers(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(head)) =
          100 * moved_share(shares(layers[0][i]->product(head)), shares(layers[1][i]->product(head)));
    }
  }
  return numbers;
}

/// Draws the selected layer, and the mean of all computed ones.
Figure line_figure(const LayersShown& shown, const KnownLayers& known) {
  const Text& text = shown.text;
  Figure figure = named_figure("shares", text.format("view.attention.layer_shares", {{"layer", counted(shown.layer)}}));
  figure.x = cell_axis(named_axis("attention", "pair", text), cell_range(shown.pair_count()), shown.fields.zooms);
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
      figure.lines.push_back({key + name, label, {side == 0 ? slot : slot + 5, false}, series_of(values)});
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

/// A map over layers (downwards, by their numbers) and pairs or heads.
struct LayerMap {
  std::string name;                 ///< of the figure
  std::string title, label;         ///< above the map, and next to the colour bar
  bool heads = false;               ///< columns are heads, counted from 1, else pairs, counted from 0
  RowMatrixXd numbers;              ///< [shown.layers × columns], NaN if not computed
  bool is_signed = false;           ///< a difference: colours on both sides of 0
  std::optional<double> most = {};  ///< end of the colour scale; nullopt: the largest size
};

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
  const RowMatrixXd numbers = arrange_by_layer(shown, of.numbers);
  const bool heads = of.heads;
  const double first = static_cast<double>(shown.layers.front()), left = heads ? 1 : 0;
  Figure figure = named_figure(of.name, of.title);
  FigureAxis across =
      named_axis("attention", heads ? "head_axis" : "pair", text, AxisScale::linear, heads ? "head" : "");
  if (heads) across.range_key.clear();
  figure.x = cell_axis(across, cell_range(numbers.cols(), left), shown.fields.zooms);
  figure.y = cell_axis(named_axis("attention", "layer", text), cell_range(numbers.rows(), first), shown.fields.zooms);
  figure.y.reversed = true;
  const double most = of.most.value_or(largest_size(numbers.reshaped()));
  figure.maps.push_back(matrix_map(of.name, of.label, numbers, of.is_signed, most > 0 ? most : 1, {left, first, 1}));
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
    map.numbers = collect_layer_rows(known, side, pairs, percent_by_pair);
    most = std::max(most, largest_size(map.numbers.reshaped()));
    above.push_back(std::move(map));
  }
  for (LayerMap& map : above) map.most = most;
  LayerMap heads;
  heads.heads = true;
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
    heads.numbers = collect_layer_rows(known, 0, shown.shape().heads, fixed_percent);
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

}  // namespace

std::size_t count_bytes(const PairMeans& means) {
  return static_cast<std::size_t>(means.size.size()) * 3 * sizeof(double);
}

std::size_t count_bytes(const LayerMeans& means) {
  return bytes_in(means.queries, means.keys);
}

double ScoresOf::cost() const {
  const auto tokens = static_cast<double>(layer.tokens), pairs = static_cast<double>(frequencies.size());
  return 1e6 + static_cast<double>(count) * pairs * tokens * (60 + 6 * std::log2(tokens + 1));
}

std::vector<HeadScores> compute_layer_scores(const ScoresOf& of, const Work& work) {
  return visit_layer(of.layer, work.stop, [&](const AttentionDump& dump) {
    const Eigen::Map<const Eigen::VectorXd> ladder(of.frequencies.data(), std::ssize(of.frequencies));
    const HeadTurns turns = head_turns(ladder, std::min(of.layer.tokens, dump.tokens), of.pairing, of.factor);
    return layer_scores(dump, of.first, of.count, of.layer.tokens, turns, work);
  });
}

std::size_t count_bytes(const HeadScores& scores) {
  return bytes_in(scores.mean, scores.bound, scores.bias);
}

LayerOfFile DumpSide::of(std::int64_t layer, std::int64_t tokens) const {
  return {file, shape->numbered ? std::optional(layer) : std::nullopt, tokens};
}

std::shared_ptr<const LayerMeans> LayersShown::means(const DumpSide& side, std::int64_t number) const {
  const double numbers =
      static_cast<double>(tokens * (side.shape->heads + side.shape->key_heads) * side.shape->head_dim);
  const std::string slot = "attention.means." + std::to_string(&side - sides.data()) + "." + std::to_string(number);
  const MeansOf of{side.of(number, tokens), side.pairing, static_cast<int>(side.frequencies.size())};
  return store.request<compute_layer_means>({slot, 1e6 + 4 * numbers, true}, of).present();
}

void say_progress(const LayersShown& shown, std::size_t finished, std::size_t parts, ViewResult& result) {
  const Text& text = shown.text;
  result.stale = finished < parts;
  for (Panel& panel : result.panels) panel.figure.stale |= result.stale;
  if (result.stale) {
    result.progress = static_cast<double>(finished) / static_cast<double>(parts);
    result.status =
        text.format("view.attention.layers_progress", {{"finished", counted(finished)}, {"parts", counted(parts)}});
    return;
  }
  result.status = text.format("view.attention.status_layers", {{"layers", counted(shown.layers.size())},
                                                               {"heads", counted(shown.shape().heads)},
                                                               {"tokens", counted(shown.tokens)},
                                                               {"pairs", counted(shown.pair_count())}});
}

void choose_layer(AttentionFields& fields, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click || !std::isfinite(event.x) || !std::isfinite(event.y)) return;
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), event.figure) != names.end();
  };
  const bool by_head = is({"fixed", "moved"});
  if (by_head || is({"carriers", "against_carriers", "difference"})) {
    fields.layer = std::clamp(std::round(event.y), 0.0, kMaxAttentionLayer);
  }
  if (by_head) fields.head = std::max(1.0, std::round(event.x));
  if (is({"direction_heads"})) fields.head = std::max(1.0, std::round(event.y));
  if (event.figure.size() < 5 || event.figure.compare(0, 4, "head") != 0) return;
  const std::string number = event.figure.substr(4);
  if (!std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; })) return;
  fields.head = std::stod(number);
  fields.energy_of = EnergyOf::head;
}

std::vector<Readout> directions_readouts(const LayersShown& shown, const std::vector<LayerMeans>& sides,
                                         std::size_t head) {
  const LayerMeans& first = sides.front();
  const Eigen::VectorXcd query = first.queries[head].direction(), key = first.keys_of(head).direction();
  std::vector<Readout> readouts{longest_readout("query_direction", longest_of(query), shown.text),
                                longest_readout("key_direction", longest_of(key), shown.text)};
  Readout fixed =
      make_card("attention.fixed_head",
                Quantity{with_digits(100 * first.fixed_share(head), 3), "percent", "readout.percent"}, shown.text);
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

ViewResult attention_layers(const Experiment& experiment, const Text& text, Store& store) {
  LayersShown shown{experiment, experiment.attention, text, store, {}, {}, 0, 0};
  if (!prepare_layers(shown)) return attention_message({}, true);
  if (shown.fields.energy_of == EnergyOf::heads) return heads_picture(shown);
  return shown.fields.energy_of == EnergyOf::layers ? layers_picture(shown) : directions_picture(shown);
}

}  // namespace ropescope
