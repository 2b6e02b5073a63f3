// Statistics of real vectors: pairs and heads of a dump of several layers, for the picture "energy" of the view
// Attention. figures.h draws two of its pictures. Read inputs.h and core/formats/dumps/dump.h first.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/view.h"
#include "core/formats/dumps/dump.h"
#include "core/machine.h"
#include "core/message.h"

namespace ropescope {

// --- Layers --------------------------------------------------------------------------------------------------------

// The layers of a dump are computed one at a time: q and k of a layer are read (or unpacked) and released again, and
// only a few numbers per pair and head remain. Throws InputError if the file cannot be used.

/// The part of a file to use: one layer and the first tokens.
struct LayerOfFile {
  FileStamp file;
  std::optional<std::int64_t> layer;  ///< nullopt: the file's only layer has no number
  std::int64_t tokens = 0;            ///< the first `tokens` tokens
  bool operator==(const LayerOfFile&) const = default;
};

std::size_t count_bytes(const PairMeans& means);
std::size_t count_bytes(const LayerMeans& means);

/// The input for scores by distance of some of a layer's heads.
struct ScoresOf {
  LayerOfFile layer;
  Pairing pairing = Pairing::half_split;
  std::vector<double> frequencies;
  double factor = 1;                  ///< amplitude² / √head_dim
  std::int64_t first = 0, count = 0;  ///< range of heads, counted from 0
  bool operator==(const ScoresOf&) const = default;
  double cost() const;
};
std::vector<HeadScores> compute_layer_scores(const ScoresOf& of, const Work& work);
std::size_t count_bytes(const HeadScores& scores);

/// A dump on screen, and the rotation of its pairs.
struct DumpSide {
  FileStamp file;
  std::string name;  ///< file name without its folder
  std::shared_ptr<const DumpShape> shape;
  Pairing pairing = Pairing::half_split;
  std::vector<double> frequencies;
  double amplitude = 1;

  LayerOfFile of(std::int64_t layer, std::int64_t tokens) const;
};

/// The state that all pictures of layers and heads share.
struct LayersShown {
  const Experiment& experiment;
  const AttentionFields& fields;
  const Text& text;
  Store& store;
  std::vector<DumpSide> sides;       ///< one, or two to compare
  std::vector<std::int64_t> layers;  ///< layers that all sides have
  std::int64_t tokens = 0;           ///< number used of each side
  std::int64_t layer = 0;            ///< the selected one

  const DumpShape& shape() const { return *sides.front().shape; }
  int pair_count() const { return static_cast<int>(sides.front().frequencies.size()); }
  bool compared() const { return sides.size() > 1; }
  /// Returns the means of a layer; null if not computed yet. Throws InputError if the file is invalid.
  std::shared_ptr<const LayerMeans> means(const DumpSide& side, std::int64_t number) const;
};

/// Draws the picture "energy" for all values of AttentionFields::energy_of except a single head.
ViewResult attention_layers(const Experiment& experiment, const Text& text, Store& store);
/// Handles a click on a map: selects its layer and head; on a map of all heads it shows only that head.
void choose_layer(AttentionFields& fields, const FigureEvent& event);
/// Sets the progress of the layers: ViewResult::progress, status and stale.
void say_progress(const LayersShown& shown, std::size_t finished, std::size_t parts, ViewResult& result);

// --- Figures -------------------------------------------------------------------------------------------------------

std::vector<Readout> directions_readouts(const LayersShown& shown, const std::vector<LayerMeans>& sides,
                                         std::size_t head);

}  // namespace ropescope
