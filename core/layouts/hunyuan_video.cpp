#include "core/layouts/video.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kHunyuanVideoAxes[] = {{"t", 16, 256}, {"row", 56, 256}, {"column", 56, 256}};

TokenLayout arrange_hunyuan(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, listed_axes(layout, request));
  add_video(layout, request, arranged);
  return arranged;
}

}  // namespace

extern constinit const Layout kHunyuanVideoLayout{
    .name = "hunyuan-video",
    .source = "huggingface/diffusers transformer_hunyuan_video.py HunyuanVideoRotaryPosEmbed",
    .axes = kHunyuanVideoAxes,
    .vae_factor = 8,
    .patch = 2,
    .frame_factor = 4,
    .settings = kVideoSettings,
    .arrange = arrange_hunyuan};

}  // namespace ropescope
