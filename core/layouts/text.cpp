#include "core/layouts/parts.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kTextAxes[] = {{"position", 128, 10000}};
constexpr LayoutSetting kTextSettings[] = {kText, kHeadDim, kBase, kPairing};

TokenLayout arrange_text(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  arranged.pairing = request.pairing.value_or(layout.pairing);
  set_ladders(arranged, equal_axes(layout, request, head_dim_of(layout, request, 128, 2)));
  add_line(arranged, "text", request.text, {counted_ids(Along::token)});
  return arranged;
}

}  // namespace

/// Tokens of a text, one after the other.
extern constinit const Layout kTextLayout{.name = "text",
                                          .source = "RoFormer, arXiv 2104.09864, section 3.2",
                                          .axes = kTextAxes,
                                          .settings = kTextSettings,
                                          .arrange = arrange_text};

}  // namespace ropescope
