#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kTorchtuneVisionAxes[] = {{"x", 44, 10000}, {"y", 44, 10000}};

TokenLayout arrange_torchtune(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, equal_axes(layout, request, head_dim_of(layout, request, 88, 4) / 2));
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {counted_ids(Along::column, 1), counted_ids(Along::row, 1)});
  add_line(arranged, "cls", 1, {fixed_id(0), fixed_id(0)});
  if (grid.rows != grid.columns) {
    arranged.notes.emplace_back("layouts.note.square_tiles");
  }
  return arranged;
}

}  // namespace

/// One tile; the defaults are those of Llama 4's vision tower (88 channels a head, patches of 14 pixels).
extern constinit const Layout kTorchtuneVisionLayout{
    .name = "torchtune-vision",
    .source = "pytorch/torchtune torchtune/modules/position_embeddings.py VisionRotaryPositionalEmbeddings",
    .axes = kTorchtuneVisionAxes,
    .patch = 14,
    .settings = kVisionSettings,
    .arrange = arrange_torchtune};

}  // namespace ropescope
