#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kZImageAxes[] = {{"t", 32, 256}, {"row", 48, 256}, {"column", 48, 256}};
constexpr std::int64_t kMultiple = 32;

std::int64_t z_image_padded(std::int64_t count) {
  return (count + kMultiple - 1) / kMultiple * kMultiple;
}

TokenLayout arrange_z_image(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, listed_axes(layout, request));
  const std::int64_t text = z_image_padded(request.text);
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1,
            {fixed_id(static_cast<double>(text + 1)), counted_ids(Along::row), counted_ids(Along::column)});
  const std::int64_t image = arranged.row_count();
  add_line(arranged, "padding", z_image_padded(image) - image, {fixed_id(0), fixed_id(0), fixed_id(0)});
  add_line(arranged, "text", text, {counted_ids(Along::token, 1), fixed_id(0), fixed_id(0)});
  if (text > request.text) {
    arranged.notes.push_back(
        Words("layouts.note.padded_caption", {{"tokens", text - request.text}, {"multiple", kMultiple}}));
  }
  return arranged;
}

}  // namespace

/// The padding of the caption counts on, the padding of the image stands at (0, 0, 0).
extern constinit const Layout kZImageLayout{
    .name = "z-image",
    .source = "huggingface/diffusers transformer_z_image.py patchify_and_embed, RopeEmbedder",
    .axes = kZImageAxes,
    .vae_factor = 8,
    .patch = 2,
    .settings = kImageTextSettings,
    .arrange = arrange_z_image};

}  // namespace ropescope
