// The function weights(): a checkpoint's query and key weights as arrays. Read binding.h and
// core/weights/weights.h first.

#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/python/binding.h"
#include "app/resources/weights.h"
#include "core/weights/weights.h"

namespace ropescope::python {

namespace {

constexpr const char* kWeights =
    R"(What a checkpoint's query and key weights say about its positions; nothing is run.

path: a folder with model.safetensors, its index or one .gguf, such a file, a .pt or .pth, or a repository in the local
Hugging Face cache. config: its config.json; None: the one next to the weights, or the .gguf itself. layer: one layer;
None: all. fast: wavelength in positions below which a pair counts as fast. span: the largest distance of the kernels;
None: the trained length. Returns one dict per layer: "layer", "profile", "rotated" (False: the layer has no rotary
embedding), "wavelengths" [pairs], "norms" [heads, pairs] with ||W_q,i||*||W_k,i|| and the weights of the norms folded
in, "fast_share" and "slow_share" [heads] (slow: no complete turn within the trained length, NaN without one; both NaN
if the layer is not rotated or the weights are 0), and "kernels", empty or with "distances" and "biases" or "norms"
[heads, distances]: the score, before 1/sqrt(d), that biases or norm weights give at every distance. Raises InputError for
unusable files, with the tensor's name.)";

/// The numbers of a layer, computed without Python's lock.
struct LayerNumbers : WeightsLayer {
  std::string profile;
  std::vector<double> wavelengths, fast, slow, distances;
  KernelOf of = {};
  std::vector<double> kernels;  ///< [heads × distances]; empty: none
};

LayerNumbers layer_numbers(WeightsLayer read, const std::string& profile, double fast, std::optional<double> span) {
  LayerNumbers layer{std::move(read), profile, {}, {}, {}, {}, {}, {}};
  for (const double frequency : layer.rope.frequencies) layer.wavelengths.push_back(wavelength(frequency));
  for (const HeadShares& head : head_shares(layer.layer, layer.norms, layer.rope, fast)) {
    layer.fast.push_back(head.fast);
    layer.slow.push_back(head.slow);
  }
  layer.distances = kernel_distances(span.value_or(layer.rope.trained_length.value_or(kUnknownLength)));
  for (const std::optional<WeightContent>& content : layer.contents) {
    std::vector<double> values(layer.distances.size());
    if (content) values = weight_kernel(*content, layer.rope, layer.distances).values;
    if (content) layer.of = content->of;
    layer.kernels.insert(layer.kernels.end(), values.begin(), values.end());
  }
  return layer;
}

py::dict dict_of(LayerNumbers layer) {
  const auto heads = std::ssize(layer.fast), distances = std::ssize(layer.distances);
  py::dict result, kernels;
  result["layer"] = layer.layer;
  result["profile"] = layer.profile;
  result["rotated"] = layer.rope.rotates;
  result["wavelengths"] = array_of(std::move(layer.wavelengths), {layer.norms.cols()});
  result["norms"] = matrix_array(layer.norms);
  result["fast_share"] = array_of(std::move(layer.fast), {heads});
  result["slow_share"] = array_of(std::move(layer.slow), {heads});
  if (!layer.kernels.empty()) {
    kernels["distances"] = array_of(std::move(layer.distances), {distances});
    kernels[layer.of == KernelOf::biases ? "biases" : "norms"] = array_of(std::move(layer.kernels), {heads, distances});
  }
  result["kernels"] = kernels;
  return result;
}

py::list read_weights(const py::object& path, const std::optional<std::string>& config, std::optional<int> wanted,
                      double fast, std::optional<double> span, int threads) {
  if (span && !(*span >= 1 && *span <= 1e9)) throw py::value_error("span must be from 1 to 1e9");
  require_threads(threads);
  const WeightsName name{py::str(path), config.value_or("")};
  auto layers = unlocked([&](const std::stop_token& stop) {
    const LoadedWeights weights = load_weights(name);
    std::vector<LayerNumbers> read;
    for (const int layer : wanted ? std::vector<int>{*wanted} : weights.directory.layers) {
      auto numbers = ropescope::read_layer(weights, layer, {threads, stop});
      if (!numbers) break;
      read.push_back(layer_numbers(*std::move(numbers), profile_of(weights.model, layer).name, fast, span));
    }
    return read;
  });
  py::list result;
  for (LayerNumbers& layer : layers) result.append(dict_of(std::move(layer)));
  return result;
}

}  // namespace

void declare_weights(py::module_& module) {
  using py::arg;
  module.def("weights", &read_weights, kWeights, arg("path"), py::kw_only(), arg("config") = py::none(),
             arg("layer") = py::none(), arg("fast") = kFastWavelength, arg("span") = py::none(), arg("threads") = 0);
}

}  // namespace ropescope::python
