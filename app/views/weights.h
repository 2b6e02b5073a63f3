// The view Weights: norms of pairs, shares and kernels of a checkpoint's query and key weights. Read
// app/resources/weights.h first.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "app/resources/weights.h"
#include "app/views/view.h"
#include "core/weights/weights.h"

namespace ropescope {

/// The numbers of a whole checkpoint.
struct WeightsOverview {
  std::vector<WeightsLayer> layers;  ///< in ascending order
  double seconds = 0;
  std::size_t bytes() const;
};
/// The key of an overview: it changes with the files.
struct WeightsInput {
  WeightsName name;
  std::vector<FileStamp> files;
  bool operator==(const WeightsInput&) const = default;
};
/// Reads all layers. Throws InputError as load_weights() and row_norms() do.
WeightsOverview weights_overview(const WeightsInput& input, const Work& work);

/// A head of a checkpoint, named as in the fields.
struct WeightsHead {
  WeightsInput input;
  double layer = 0, head = 1;
  bool operator==(const WeightsHead&) const = default;
};
/// Returns the head that the fields name, in the state of its files. Precondition: they have a path.
WeightsHead named_head(const WeightsFields& fields);
/// Reads its content: of the layer as layer_of().
HeadContent read_head(const WeightsHead& named, const Work& work);

inline constexpr std::string_view kWeightsEndings = ".safetensors .gguf .pt .pth";
/// Returns whether a file has one of these endings.
bool may_have_weights(const std::string& path);
/// Ends of the sliders: the largest published models have 126 layers and 128 heads.
inline constexpr double kUsualLayers = 128, kUsualHeads = 128;

/// Returns the layer with this number; if there is none, the nearest earlier one, or the first. Precondition: there is
/// a layer.
const WeightsLayer& layer_of(const WeightsOverview& overview, double number);

}  // namespace ropescope
