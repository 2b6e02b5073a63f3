#include "tests/unit/layouts_reference.h"

namespace ropescope {
namespace {

using SetRequest = void (*)(LayoutRequest& request, const json& config);

void take_head(LayoutRequest& request, const json& config) {
  for (const char* name : {"head_dim", "attention_head_dim", "dim"}) {
    if (!config.contains(name)) continue;
    request.head_dim = config[name].get<int>();
    return;
  }
}
void take_kontext(LayoutRequest& request, const json& config) {
  const json& pixels = config["cond_image_px"];
  request.references = {ImageSize::pixels(pixels[1].get<int>(), pixels[0].get<int>())};
}
void take_qwen_image(LayoutRequest& request, const json& config) {
  request.text = config["txt_len"].get<int>();
  for (const json& shape : config["img_shapes_fhw"])
    request.references.push_back(ImageSize::tokens(shape[1].get<int>(), shape[2].get<int>()));
  request.image = request.references.front();
  request.references.erase(request.references.begin());
}
void take_layered(LayoutRequest& request, const json& config) {
  take_qwen_image(request, config);
  request.references.clear();
  request.frames = config["layers"].get<int>() + 1;
}
void take_hunyuan_image(LayoutRequest& request, const json& config) {
  const json& image = config["image_slices"][0];
  request.image = ImageSize::tokens(image["h"].get<int>(), image["w"].get<int>());
  request.text = image["start"].get<int>();
  request.text_after = config["seq_len"].get<int>() - image["stop"].get<int>();
}
void take_hidream(LayoutRequest& request, const json& config) {
  const json& most = config["max_resolution"];
  if (most[0] != 128) request.numbers["padded_to"] = most[0].get<double>() * most[1].get<double>() / 4;
}
void take_wan(LayoutRequest& request, const json& config) {
  take_head(request, config);
  request.text = 7;  // not in the sequence
}
void take_cogvideo(LayoutRequest& request, const json&) {
  request.text = 226;
}
void take_ltx(LayoutRequest& request, const json& config) {
  take_head(request, config);
  const json& scale = config["rope_interpolation_scale"];
  request.unscaled = scale.is_null();
  if (!request.unscaled) request.frame_rate = 8 / scale[0].get<double>();
}
void take_kandinsky(LayoutRequest& request, const json& config) {
  request.axis_dims = config["axes_dims"].get<std::vector<int>>();
  // Pipelines choose it by the size, which is too small here.
  if (request.frames == 3) request.numbers["grid_scale"] = config["scale_factor"][1].get<double>();
}
void take_longcat_video(LayoutRequest& request, const json& config) {
  if (!config.contains("num_ref_latents")) return;
  request.references = {*request.image};
  --request.frames;
}
void take_vit_axial(LayoutRequest& request, const json& config) {
  take_head(request, config);
  request.image = ImageSize::tokens(config["end_y"].get<int>(), config["end_x"].get<int>());
  request.base = config["theta"].get<double>();
}
void take_torchtune(LayoutRequest& request, const json& config) {
  take_head(request, config);
  request.image = ImageSize::pixels(config["tile_size"].get<int>(), config["tile_size"].get<int>());
  request.patch = config["patch_size"].get<int>();
  request.base = config["base"].get<double>();
}
void take_lucidrains(LayoutRequest& request, const json& config) {
  request.image = grid_in(config["grid"]);
  request.head_dim = 2 * config["dim_per_axis"].get<int>();
  if (config["freqs_for"] == "lang") {
    request.base = config["theta"].get<double>();
  } else {
    request.max_frequency = config["max_freq"].get<double>();
  }
}
void take_qwen_tower(LayoutRequest& request, const json& config) {
  take_head(request, config);
  request.numbers["merge_size"] = config["merge"].get<int>();
  request.numbers["window"] = config.value("window", 0) / 14.0;
}
void take_frames(LayoutRequest& request, const json& config) {
  request.frames = config["frames"].get<int>();
}
void take_multimodal(LayoutRequest& request, const json& config) {
  request.text = config["text"].get<int>();
  request.text_after = config["text_after"].get<int>();
  request.frames = config.value("frames", 1);
  request.base = config["rope_theta"].get<double>();
  if (config.contains("tokens_per_second")) request.tokens_per_second = config["tokens_per_second"].get<double>();
  if (!config.contains("frame_rate")) return;
  if (!config["frame_rate"].is_null()) {
    request.frame_rate = config["frame_rate"].get<double>();
    return;
  }
  // GLM: an end token, a second of two tokens, a start token. Of these three after a frame the file ends in one.
  request.numbers["text_between"] = 4;
  request.text_after -= 2;
}
void take_omni(LayoutRequest& request, const json& config) {
  request.image = ImageSize::tokens(config["rows"].get<int>(), config["columns"].get<int>());
  request.frames = config.value("frames", 1);
  if (config.contains("seconds")) request.frame_rate = 2 / config["seconds"].get<double>();
  // The file counts the tokens that begin and end a video or its sound apart.
  const int marks = config.contains("audio") ? 2 : 1;
  request.text = config["text"].get<int>() + marks;
  request.text_after = config["after"].get<int>() + marks;
  request.numbers["audio"] = config.value("audio", 0);
  request.base = config["rope_theta"].get<double>();
}

const std::map<std::string, SetRequest> kRequests = {
    {"flux.1-kontext", take_kontext},
    {"qwen-image", take_qwen_image},
    {"qwen-image-layered", take_layered},
    {"hunyuan-image-3", take_hunyuan_image},
    {"hidream-i1", take_hidream},
    {"wan", take_wan},
    {"cogvideox-1.5", take_cogvideo},
    {"ltx-video", take_ltx},
    {"kandinsky-5", take_kandinsky},
    {"longcat-video", take_longcat_video},
    {"vit-axial", take_vit_axial},
    {"torchtune-vision", take_torchtune},
    {"lucidrains-axial", take_lucidrains},
    {"qwen-vision", take_qwen_tower},
    {"moonvit", take_head},
    {"dinov3", take_head},
    {"pixtral", take_head},
    {"v-jepa-2", take_frames},
    {"qwen3-vl", take_multimodal},
    {"qwen2-vl", take_multimodal},
    {"glm-4v", take_multimodal},
    {"ernie-4.5-vl", take_multimodal},
    {"qwen2.5-omni", take_omni},
    {"qwen3-omni", take_omni},
};

}  // namespace

LayoutRequest request_of(const std::string& layout, const json& config) {
  LayoutRequest request;
  if (config.contains("grid_h")) {
    request.image = ImageSize::tokens(config["grid_h"].get<int>(), config["grid_w"].get<int>());
    request.text = config.value("txt_len", config.value("cap_len", 0));
  }
  if (config.contains("grid_fhw")) {
    const json& grid = config["grid_fhw"];
    request.frames = grid[0].get<int>();
    request.image = ImageSize::tokens(grid[1].get<int>(), grid[2].get<int>());
  }
  for (const json& grid : config.value("reference_grids", json::array())) request.references.push_back(grid_in(grid));
  if (const auto found = kRequests.find(layout); found != kRequests.end()) found->second(request, config);
  return request;
}

}  // namespace ropescope
