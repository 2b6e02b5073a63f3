#include "core/formats/model_index.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

using nlohmann::json;

constexpr std::size_t kMostHalvings = 10;  ///< 1024 pixels a latent

/// A list of the section; null where it is not there.
const json* list_of(const Section& section, const char* key) {
  const json* list = section.find(key);
  if (list && (!list->is_array() || list->empty() || list->size() > kMostHalvings)) {
    section.reject(key, Words("config.short_list"));
  }
  return list;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == std::string::npos &&
         name.find('\0') == std::string::npos;
}

}  // namespace

std::string pipeline_transformer(std::string_view text, const std::string& source) {
  const json root_json = parse_json_object(text, source, kPublishedJson);
  const Section root{&root_json, {}, as_it_is(source)};
  const char* key = "transformer";
  const json* component = root.find(key);
  // [null, null]: an optional part that this pipeline does without.
  const bool there = component && component->is_array() && component->size() == 2 && (*component)[1].is_string();
  if (there) return key;
  if (component && !component->is_array()) root.reject(key, Words("config.component"));
  throw InputError(source, "config.no_transformer", {});
}

std::optional<int> vae_stride(std::string_view text, const std::string& source) {
  const json root_json = parse_json_object(text, source, kPublishedJson);
  const Section root{&root_json, {}, as_it_is(source)};
  for (const char* key : {"scale_factor_spatial", "spatial_compression_ratio"}) {
    const auto stride = root.whole(key);
    if (!stride) continue;
    if (stride->value > (1 << kMostHalvings)) root.reject(key, {"expected.whole", {{"least", 1}, {"most", 1024}}});
    return stride->value;
  }
  if (const json* halvings = list_of(root, "temperal_downsample")) return 1 << halvings->size();
  if (const json* scaling = list_of(root, "spatio_temporal_scaling")) {
    const auto patch = root.whole("patch_size");
    const auto halves = std::count(scaling->begin(), scaling->end(), json(true));
    return patch && patch->value <= 64 ? std::optional(patch->value << halves) : std::nullopt;
  }
  // LTX-Video's blocks do not say which of them halve.
  const auto type = root.text("_class_name");
  if (type && type->value.find("LTX") != std::string::npos) return std::nullopt;
  for (const char* key : {"encoder_block_out_channels", "block_out_channels"}) {
    if (const json* blocks = list_of(root, key)) return 1 << (blocks->size() - 1);
  }
  return std::nullopt;
}

std::map<std::string, std::string> parse_weight_map(std::string_view text, const std::string& source,
                                                    const std::function<bool(std::string_view)>& wanted) {
  std::map<std::string, std::string> tensors;
  const auto take = [&](const std::string& tensor, const json& file) {
    if (!file.is_string() || !is_plain_name(file.get_ref<const std::string&>())) {
      throw InputError(source, "config.no_plain_name", {{"tensor", in_quotes(tensor)}, {"found", describe(file)}});
    }
    if (wanted(tensor)) tensors.insert_or_assign(tensor, file.get<std::string>());
  };
  if (!for_each_member(text, as_it_is(source), {}, "weight_map", take)) {
    throw InputError(source, "config.no_weight_map", {});
  }
  return tensors;
}

bool is_inverse_frequencies(std::string_view tensor) {
  constexpr std::string_view kEnd = "rotary_emb.inv_freq";
  const bool vision = tensor.find("vis") != std::string_view::npos;
  return !vision && tensor.ends_with(kEnd);
}

}  // namespace ropescope
