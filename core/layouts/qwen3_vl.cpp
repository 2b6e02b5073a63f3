#include "core/layouts/sections.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kQwen3VlAxes[] = {{"t", 48, 5e6}, {"row", 40, 5e6}, {"column", 40, 5e6}};
constexpr LayoutSetting kQwen3VlSettings[] = {kImage, kText, kTextAfter, kReferences, kBase, kPatch, kSections};

TokenLayout arrange_qwen3_vl(const Layout& layout, const LayoutRequest& request) {
  return arrange_sections(layout, request, Dealing::interleaved);
}

}  // namespace

/// One ladder over the head, dealt by turns; tokens are patches of 16 pixels merged 2×2. A video is a series of images
/// with the time of each as text between them, so that t does not count frames.
extern constinit const Layout kQwen3VlLayout{
    .name = "qwen3-vl",
    .source = "huggingface/transformers modeling_qwen3_vl.py get_rope_index, apply_interleaved_mrope",
    .axes = kQwen3VlAxes,
    .pairing = Pairing::half_split,
    .patch = 32,
    .settings = kQwen3VlSettings,
    .arrange = arrange_qwen3_vl};

}  // namespace ropescope
