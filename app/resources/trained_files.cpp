#include "app/resources/trained_files.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "core/little_endian.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

/// A .safetensors of float32 tensors in the order in which they are put.
class Tensors {
 public:
  void put(const std::string& name, const std::vector<std::int64_t>& shape, std::span<const float> cells) {
    const std::size_t begin = numbers_.size();
    append_little_endian(cells, numbers_);
    header_[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, numbers_.size()}}};
  }
  void say(const std::string& key, const std::string& value) { header_["__metadata__"][key] = value; }
  std::string bytes() const {
    std::string head = header_.dump();
    head.resize((head.size() + 7) / 8 * 8, ' ');
    const auto length = static_cast<std::uint64_t>(head.size());
    std::string bytes;
    bytes.reserve(sizeof length + head.size() + numbers_.size());
    append_little_endian(std::span(&length, 1), bytes);
    return bytes.append(head).append(numbers_);
  }

 private:
  nlohmann::ordered_json header_ = nlohmann::ordered_json::object();
  std::string numbers_;
};

}  // namespace

std::string safetensors_of(const Trainer<float>& trainer) {
  Tensors tensors;
  for (const ParameterBlock& block : trainer.layout().blocks) {
    if (block.count() == 0) continue;
    std::vector<std::int64_t> shape;
    if (block.rows > 1) shape.push_back(block.rows);
    shape.push_back(block.columns);
    tensors.put(
        block.name, shape,
        trainer.parameters().subspan(static_cast<std::size_t>(block.offset), static_cast<std::size_t>(block.count())));
  }
  return tensors.bytes();
}

std::string dump_of(const TrainedHeads& heads) {
  Tensors tensors;
  tensors.say("encoding", heads.encoding);
  tensors.say("attention", !heads.linear_attention ? "softmax" : heads.random_features ? "performer" : "linear");
  tensors.say("causal", heads.causal ? "yes" : "no");
  tensors.say("base", number_text(heads.settings.front().base));
  tensors.say("pairing", heads.settings.front().pairing == Pairing::half_split ? "half" : "interleaved");
  for (const EncodingSettings& settings : heads.settings) {
    if (heads.encoding != "kerple") break;
    const std::string head = "head " + std::to_string(settings.head);
    tensors.say(head + " r1", number_text(settings.kerple_r1));
    tensors.say(head + " r2", number_text(settings.kerple_r2));
  }
  const std::vector<std::int64_t> shape{heads.tokens, heads.heads, heads.channels};
  for (std::size_t i = 0; i < heads.layers.size(); ++i) {
    const std::string layer = "." + std::to_string(i);
    tensors.put("q" + layer, shape, heads.layers[i].q);
    tensors.put("k" + layer, shape, heads.layers[i].k);
    tensors.put("v" + layer, shape, heads.layers[i].v);
  }
  if (!heads.trained_biases.empty()) {
    tensors.put("bias", {heads.heads, 2 * heads.tokens - 1}, heads.trained_biases);
  }
  return tensors.bytes();
}

}  // namespace ropescope
