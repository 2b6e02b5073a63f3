#include "core/layouts/sections.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kQwen2VlAxes[] = {{"t", 32, 1e6}, {"row", 48, 1e6}, {"column", 48, 1e6}};
constexpr LayoutSetting kTokensPerSecond{{.key = "layout.tokens_per_second",
                                          .minimum = 1e-3,
                                          .maximum = 1e6,
                                          .lowest = 0,
                                          .highest = 240,
                                          .linear = true,
                                          .symbol = "T"},
                                         &LayoutRequest::tokens_per_second,
                                         {},
                                         kOfModel};
constexpr LayoutSetting kQwen2VlSettings[] = {
    kImage,           kText, kTextAfter, kReferences, kFrames, only_with(kFrameRate, kTokensPerSecond.name),
    kTokensPerSecond, kBase, kPatch,     kSections};

TokenLayout arrange_qwen2_vl(const Layout& layout, const LayoutRequest& request) {
  return arrange_sections(layout, request, Dealing::contiguous);
}

}  // namespace

/// One ladder over the head, dealt in three contiguous sections; tokens are patches of 14 pixels merged 2×2. Qwen2.5-VL
/// is this one with tokens_per_second.
extern constinit const Layout kQwen2VlLayout{
    .name = "qwen2-vl",
    .source =
        "huggingface/transformers modeling_qwen2_vl.py, modeling_qwen2_5_vl.py get_rope_index, "
        "apply_multimodal_rotary_pos_emb",
    .axes = kQwen2VlAxes,
    .pairing = Pairing::half_split,
    .patch = 28,
    .settings = kQwen2VlSettings,
    .arrange = arrange_qwen2_vl};

}  // namespace ropescope
