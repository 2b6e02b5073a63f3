#include "core/layouts/parts.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kPixtralAxes[] = {{"row", 32, 10000}, {"column", 32, 10000}};

TokenLayout arrange_pixtral(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  const int dim = head_dim_of(layout, request, 64, 4);
  arranged.axes = equal_axes(layout, request, dim / 2);
  const Eigen::VectorXd ladder = plain_frequencies(dim, arranged.axes[0].base);
  arranged.frequencies = Eigen::MatrixXd::Zero(2, dim / 2);
  for (int i = 0; i < dim / 4; ++i) {
    arranged.frequencies(0, i) = ladder[2 * i];
    arranged.frequencies(1, dim / 4 + i) = ladder[2 * i + 1];
  }
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {counted_ids(Along::row), counted_ids(Along::column)});
  return arranged;
}

}  // namespace

/// One ladder over the head: its even entries turn with the row, the odd ones with the column, rows first.
extern constinit const Layout kPixtralLayout{
    .name = "pixtral",
    .source = "huggingface/transformers modeling_pixtral.py PixtralRotaryEmbedding",
    .axes = kPixtralAxes,
    .pairing = Pairing::half_split,
    .patch = 16,
    .settings = kVisionSettings,
    .arrange = arrange_pixtral};

}  // namespace ropescope
