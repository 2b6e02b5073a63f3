// Layers of real vectors: what a dump of several layers says of its pairs and heads, for the picture "energy" of the
// view Attention. heads.h and figures.h draw two of its pictures. Read inputs.h and core/formats/dumps/dump.h before.
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
#include "core/words.h"

namespace ropescope {

// --- Layers --------------------------------------------------------------------------------------------------------

// The layers of a dump are computed one after the other, each for itself: its q and k are read (or unpacked) and let go
// again, and what stays is a few numbers for each pair and head. InputError where the file cannot be used.

/// Which numbers of a file are looked at.
struct LayerOfFile {
  FileStamp file;
  std::optional<std::int64_t> layer;  ///< none: the file gives its only one no number
  std::int64_t tokens = 0;            ///< the first ones
  bool operator==(const LayerOfFile&) const = default;
};

std::size_t bytes_of(const PairMeans& means);
std::size_t bytes_of(const LayerMeans& means);

/// Scores by distance of some of its heads.
struct ScoresOf {
  LayerOfFile layer;
  Pairing pairing = Pairing::half_split;
  std::vector<double> frequencies;
  double factor = 1;                  ///< amplitude² / √head_dim
  std::int64_t first = 0, count = 0;  ///< heads, counted from 0
  bool operator==(const ScoresOf&) const = default;
  double cost() const;
};
std::vector<HeadScores> scores_of_layer(const ScoresOf& of, const Work& work);
std::size_t bytes_of(const HeadScores& scores);

/// A dump that is looked at, and how its pairs turn.
struct DumpSide {
  FileStamp file;
  std::string name;  ///< of the file, without its folder
  std::shared_ptr<const DumpShape> shape;
  Pairing pairing = Pairing::half_split;
  std::vector<double> frequencies;
  double amplitude = 1;

  LayerOfFile of(std::int64_t layer, std::int64_t tokens) const;
};

/// What the pictures of all layers and heads look at.
struct LayersShown {
  const Experiment& experiment;
  const AttentionFields& fields;
  const Text& text;
  Store& store;
  std::vector<DumpSide> sides;       ///< one, or two that are compared
  std::vector<std::int64_t> layers;  ///< those that all sides have
  std::int64_t tokens = 0;           ///< looked at in each
  std::int64_t layer = 0;            ///< the chosen one

  const DumpShape& shape() const { return *sides.front().shape; }
  int pair_count() const { return static_cast<int>(sides.front().frequencies.size()); }
  bool compared() const { return sides.size() > 1; }
  /// What is known of a layer; null: it is still to be computed. Throws InputError as the file is at fault.
  std::shared_ptr<const LayerMeans> means(const DumpSide& side, std::int64_t number) const;
};

/// AttentionFields::energy_of but one head alone.
ViewResult attention_layers(const Experiment& experiment, const Text& text, Store& store);
/// A click on a map chooses its layer and head; on one of all heads it shows that one alone.
void choose_layer(AttentionFields& fields, const FigureEvent& event);
/// How far the layers are: ViewResult::progress, status and stale.
void say_progress(const LayersShown& shown, std::size_t finished, std::size_t parts, ViewResult& result);

// --- Figures -------------------------------------------------------------------------------------------------------

std::vector<Readout> directions_readouts(const LayersShown& shown, const std::vector<LayerMeans>& sides,
                                         std::size_t head);

}  // namespace ropescope
