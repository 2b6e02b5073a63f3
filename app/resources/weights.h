// Checkpoints on disk: finds the files of a model's weights and maps those of one layer at a time. Read
// core/formats/weights.h first.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/resources/files.h"
#include "core/formats/weights.h"
#include "core/weights/weights.h"

namespace ropescope {

/// The weights of one layer and the mapped files that contain them.
struct LoadedLayer {
  LayerWeights weights;
  WeightRope rope;
  std::vector<std::shared_ptr<const MappedFile>> files;

  /// Throws InputError if a file changed since it was opened: call it after the numbers were used.
  void check_unchanged() const;
};

/// A model's weights: the files, their tensors, and the config. Nothing stays mapped.
struct LoadedWeights {
  std::string name;  ///< as the user named it
  std::vector<FileStamp> files;
  WeightDirectory directory;
  WeightModel model;

  /// Opens a layer. Throws InputError as open_layer() does, and if a file changed since the tensors were listed.
  LoadedLayer open(int layer) const;
};

/// The input of load_weights().
struct WeightsName {
  std::string path;    ///< a folder, a repository of the local cache, or a file
  std::string config;  ///< empty: the config.json next to the weights, or what the file itself contains
  bool operator==(const WeightsName&) const = default;
};
/// Finds and lists a model's weights. A folder has an index (model.safetensors.index.json,
/// pytorch_model.bin.index.json), one checkpoint, or one GGUF; a file is one of these or any .safetensors, .gguf, .pt
/// or .pth. All headers are read, no numbers. Throws InputError: nothing found, a missing shard (names it and the
/// index), no config, and as list_weights(), make_directory() and parse_weight_model() do.
LoadedWeights load_weights(const WeightsName& named);

/// The numbers of one layer.
struct WeightsLayer {
  int layer = 0;
  WeightRope rope;
  Eigen::MatrixXd norms;                               ///< [heads × pairs] pair_norms()
  std::vector<std::optional<WeightContent>> contents;  ///< weight_contents()
  std::size_t key_heads = 0;
};
/// Reads a layer; nullopt if cancelled. Throws InputError as LoadedWeights::open() and row_norms() do.
std::optional<WeightsLayer> read_layer(const LoadedWeights& weights, int layer, const Work& work);

/// The content that the biases or norm weights of a head give, and the checkpoint's rotation.
struct HeadContent {
  WeightContent content;
  WeightRope rope;
  int layer = 0, head = 1;  ///< counted from 0, and from 1
};
/// Opens one layer and reads no matrix; of a head after the last one, the last. Throws InputError as
/// LoadedWeights::open(), and if there is no such content.
HeadContent head_content(const LoadedWeights& weights, int layer, double head);
/// Returns the files that load_weights() can read for this name, sorted, to detect changes: the file and its config, or
/// all model files of the folder. No file is opened.
std::vector<FileStamp> files_of_weights(const WeightsName& named);

}  // namespace ropescope
