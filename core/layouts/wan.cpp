#include "core/layouts/video.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kWanAxes[] = {{"t", 44, 10000}, {"row", 42, 10000}, {"column", 42, 10000}};

TokenLayout arrange_wan(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  const int head = head_dim_of(layout, request, 128, 2);
  if (head < 6) reject(layout, "layouts.even_head_dim", {{"found", head}, {"least", 6}});
  const int side = 2 * (head / 6);
  std::vector<LayoutAxis> axes = equal_axes(layout, request, side);
  axes[0].rotary_dim = head - 2 * side;
  set_ladders(arranged, std::move(axes));
  add_video(layout, request, arranged);
  return arranged;
}

constexpr LayoutSetting kWanSettings[] = {kImage, kText, kFrames, kHeadDim, kBase, kPatch};

}  // namespace

/// h = w = 2·(head_dim // 6), t the rest.
extern constinit const Layout kWanLayout{.name = "wan",
                                         .source = "huggingface/diffusers transformer_wan.py WanRotaryPosEmbed",
                                         .axes = kWanAxes,
                                         .vae_factor = 8,
                                         .patch = 2,
                                         .frame_factor = 4,
                                         .settings = kWanSettings,
                                         .arrange = arrange_wan};

}  // namespace ropescope
