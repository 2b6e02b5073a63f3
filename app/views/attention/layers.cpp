#include "app/views/attention/layers.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "app/experiment/ladder.h"
#include "app/views/attention/figures.h"
#include "app/views/shared/counted.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// The shapes of a file; null while it is still being opened.
std::shared_ptr<const DumpShape> shape_of(const FileStamp& file, const std::string& slot, Store& store) {
  const auto answer = store.get(slot, DumpShapeInput{file});
  if (!answer.result || !answer.current) return nullptr;
  if (!answer.result->fault.empty()) throw InputError(answer.result->fault);
  const std::int64_t last = answer.result->layers.back();
  if (last > static_cast<std::int64_t>(kMostAttentionLayer)) {
    throw InputError(file.path, "dump.too_many_layers",
                     {{"last", last}, {"most", static_cast<std::int64_t>(kMostAttentionLayer)}});
  }
  return answer.result;
}

/// A rope narrower than the head turns its first channels alone; a wider one is as wide as the head.
void take_ladder(const RopeKnobs& rope, DumpSide& side) {
  RopeKnobs knobs = rope;
  const auto head_dim = static_cast<double>(side.shape->head_dim);
  knobs.head_dim = head_dim;
  knobs.rotary_dim = std::min(knobs.rotary_dim, head_dim);
  const RopeReading reading = read_rope(knobs);
  side.pairing = reading.spec.pairing;
  side.frequencies.assign(reading.ladder.frequencies.begin(), reading.ladder.frequencies.end());
  side.amplitude = reading.ladder.amplitude;
}

void check_sides(const DumpSide& first, const DumpSide& second) {
  const DumpShape &a = *first.shape, &b = *second.shape;
  if (a.heads == b.heads && a.key_heads == b.key_heads && a.head_dim == b.head_dim) return;
  throw InputError(second.file.path, "dump.two_shapes",
                   {{"heads", b.heads},
                    {"head_dim", b.head_dim},
                    {"key_heads", b.key_heads},
                    {"other", first.file.path},
                    {"other_heads", a.heads},
                    {"other_dim", a.head_dim},
                    {"other_key_heads", a.key_heads}});
}

/// The layers that all sides have.
std::vector<std::int64_t> common_layers(const std::vector<DumpSide>& sides) {
  std::vector<std::int64_t> layers = sides.front().shape->layers;
  for (const DumpSide& side : sides) {
    std::erase_if(layers, [&](std::int64_t layer) {
      return !std::binary_search(side.shape->layers.begin(), side.shape->layers.end(), layer);
    });
  }
  if (layers.empty()) throw InputError(sides[1].file.path, "dump.no_common_layer", {{"other", sides[0].file.path}});
  return layers;
}

/// Files, shapes and ladders. False: a file is still being opened.
bool prepare_layers(LayersShown& shown) {
  const AttentionKnobs& knobs = shown.knobs;
  if (knobs.file.empty()) throw InputError(Words("view.attention.no_file"));
  for (const std::string& path : {knobs.file, knobs.against}) {
    if (path.empty()) continue;
    DumpSide side;
    side.file = stamp_of(path);
    side.name = std::filesystem::path(path).filename().string();
    side.shape = shape_of(side.file, "attention.shape." + std::to_string(shown.sides.size()), shown.store);
    if (!side.shape) return false;
    take_ladder(shown.experiment.rope, side);
    shown.sides.push_back(std::move(side));
  }
  if (shown.compared()) check_sides(shown.sides[0], shown.sides[1]);
  shown.layers = common_layers(shown.sides);
  shown.tokens = std::llround(knobs.tokens);
  for (const DumpSide& side : shown.sides) shown.tokens = std::min(shown.tokens, side.shape->tokens);
  shown.layer = std::llround(knobs.layer);
  if (!shown.shape().numbered) shown.layer = shown.layers.front();
  if (!std::binary_search(shown.layers.begin(), shown.layers.end(), shown.layer)) {
    throw InputError(knobs.file, "dump.no_layer",
                     {{"layer", shown.layer},
                      {"count", shown.layers.size()},
                      {"first", shown.layers.front()},
                      {"last", shown.layers.back()}});
  }
  return true;
}

}  // namespace

LayerOfFile DumpSide::of(std::int64_t layer, std::int64_t tokens) const {
  return {file, shape->numbered ? std::optional(layer) : std::nullopt, tokens};
}

std::shared_ptr<const MeansOfLayer> LayersShown::means(const DumpSide& side, std::int64_t number) const {
  MeansInput input;
  input.of = side.of(number, tokens);
  input.pairing = side.pairing;
  input.pair_count = static_cast<int>(side.frequencies.size());
  input.numbers = static_cast<double>(tokens * (side.shape->heads + side.shape->key_heads) * side.shape->head_dim);
  const auto index = std::to_string(&side - sides.data());
  const auto answer = store.get("attention.means." + index + "." + std::to_string(number), input);
  if (!answer.result || !answer.current) return nullptr;
  if (!answer.result->fault.empty()) throw InputError(answer.result->fault);
  return answer.result;
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

void choose_layer(AttentionKnobs& knobs, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click || !std::isfinite(event.x) || !std::isfinite(event.y)) return;
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), event.figure) != names.end();
  };
  const bool by_head = is({"fixed", "moved"});
  if (by_head || is({"carriers", "against_carriers", "difference"})) {
    knobs.layer = std::clamp(std::round(event.y), 0.0, kMostAttentionLayer);
  }
  if (by_head) knobs.head = std::max(1.0, std::round(event.x));
  if (is({"direction_heads"})) knobs.head = std::max(1.0, std::round(event.y));
  if (event.figure.size() < 5 || event.figure.compare(0, 4, "head") != 0) return;
  const std::string number = event.figure.substr(4);
  if (!std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; })) return;
  knobs.head = std::stod(number);
  knobs.energy_of = "head";
}

ViewResult attention_layers(const Experiment& experiment, const Text& text, Store& store) {
  LayersShown shown{experiment, experiment.attention, text, store, {}, {}, 0, 0};
  if (!prepare_layers(shown)) return attention_message({}, true);
  if (shown.knobs.energy_of == "heads") return heads_picture(shown);
  return shown.knobs.energy_of == "layers" ? layers_picture(shown) : directions_picture(shown);
}

}  // namespace ropescope
