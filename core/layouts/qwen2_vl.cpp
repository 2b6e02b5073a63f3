#include "core/layouts/sections.h"

namespace ropescope {

namespace {

constexpr AxisDefault kAxes[] = {{"t", 32, 1e6}, {"row", 48, 1e6}, {"column", 48, 1e6}};
constexpr std::string_view kSettings[] = {"image",  "text",       "text_after",        "references",
                                          "frames", "frame_rate", "tokens_per_second", "base",
                                          "patch",  "sections"};

TokenLayout arrange_qwen2_vl(const Layout& layout, const LayoutRequest& request) {
  return arrange_sections(layout, request, Dealing::contiguous);
}

}  // namespace

/// One ladder over the head, dealt in three contiguous sections; tokens are patches of 14 pixels merged 2×2. Qwen2.5-VL
/// is this one with tokens_per_second.
constinit const Layout kQwen2VlLayout{
    .name = "qwen2-vl",
    .title = "Qwen2-VL (M-RoPE)",
    .order = "text, image, more images, text after them",
    .ids =
        "text (p, p, p); image (start + frame, start + row, start + column), in Qwen2.5-VL "
        "start + floor(frame · 2 / frame rate · tokens per second) instead of start + frame; "
        "then from the largest id + 1 on",
    .source =
        "huggingface/transformers modeling_qwen2_vl.py, modeling_qwen2_5_vl.py get_rope_index, "
        "apply_multimodal_rotary_pos_emb",
    .axes = kAxes,
    .pairing = Pairing::half_split,
    .patch = 28,
    .settings = kSettings,
    .arrange = arrange_qwen2_vl};

}  // namespace ropescope
