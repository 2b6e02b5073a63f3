// Layouts of models that make videos, one block each.
//
// Contents: HunyuanVideo; LTX-Video; Wan; All of them.

#include <cmath>
#include <numbers>

#include "core/layouts/parts.h"

namespace ropescope {

// --- HunyuanVideo --------------------------------------------------------------------------------------------------

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

constexpr Layout kHunyuanVideoLayout{
    .name = "hunyuan-video",
    .place = 80,
    .source = "huggingface/diffusers transformer_hunyuan_video.py HunyuanVideoRotaryPosEmbed",
    .axes = kHunyuanVideoAxes,
    .vae_factor = 8,
    .patch = 2,
    .frame_factor = 4,
    .settings = kVideoFields,
    .classes = {{"HunyuanVideoTransformer3DModel"},
                {"HunyuanVideoTransformer3DModelPacked", "config_note.frame_pack_layout"}},
    .config = {.channels = "rope_axes_dim", .base = "rope_theta"},
    .trained = {.rows = 45,
                .columns = 80,
                .frames = 33,
                .source = "huggingface/diffusers pipeline_hunyuan_video.py height, width, num_frames"},
    .arrange = arrange_hunyuan};

// --- LTX-Video -----------------------------------------------------------------------------------------------------

namespace {

constexpr AxisDefault kLtxVideoAxes[] = {{"t", 682, 10000}, {"row", 682, 10000}, {"column", 682, 10000}};
constexpr LayoutField kUnscaled{{.key = "layout.unscaled", .is_switch = true}, &LayoutRequest::unscaled, {}, kNoOption};
constexpr LayoutField kLtxVideoFields[] = {kImage,    kText,    kFrames, not_with(kFrameRate, kUnscaled.name),
                                           kUnscaled, kHeadDim, kBase};

constexpr int kInnerDim = 2048;                ///< 32 heads of 64
constexpr double kTemporalCompression = 8;     ///< frames of the video per frame of tokens
constexpr double kUnits[] = {20, 2048, 2048};  ///< frames and pixels that become 1

AxisIds scaled_counts(Along along, int count, double scale, double unit) {
  AxisIds ids{along, 0, {}};
  for (int i = 0; i < count; ++i) ids.listed.push_back(i * scale / unit);
  return ids;
}

/// One ladder b^(j/(n−1))·π/2, j = 0 … n−1, for all three axes, which take turns pair by pair; before the first pair
/// stand those left over, which never turn.
void set_shared_ladder(TokenLayout& arranged, int dim, double base) {
  const int rungs = dim / 6, left = dim % 6 / 2;
  arranged.frequencies = Eigen::MatrixXd::Zero(3, dim / 2);
  for (int j = 0; j < rungs; ++j) {
    // Rounded in the order of the released code: at angles of 1e5 radians a better rounded frequency would differ from
    // its float64 tables in the eleventh place.
    const double frequency = std::pow(base, rungs > 1 ? j / (rungs - 1.0) : 0.0) * std::numbers::pi / 2;
    for (int axis = 0; axis < 3; ++axis) arranged.frequencies(axis, left + 3 * j + axis) = frequency;
  }
  if (left > 0) arranged.notes.push_back(Words("layouts.note.padding_pairs", {{"pairs", left}}));
}

TokenLayout arrange_ltx(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  const int dim = request.head_dim.value_or(kInnerDim);
  if (dim < 6 || dim > 65536 || dim % 2 != 0) {
    reject(layout, "layouts.all_heads", {{"found", dim}});
  }
  arranged.axes = equal_axes(layout, request, dim / 6 * 2);
  // The model measures from −1 to 1: coordinate = 2·id − 1.
  for (LayoutAxis& axis : arranged.axes) axis.id_scale = 2, axis.id_offset = -1;
  set_shared_ladder(arranged, dim, arranged.axes[0].base);
  const TokenGrid grid = image_grid(layout, request);
  if (request.unscaled) {
    add_block(arranged, "image", grid, request.frames,
              {counted_ids(Along::frame), counted_ids(Along::row), counted_ids(Along::column)});
    return arranged;
  }
  const double pixels = layout.vae_factor;
  const double frame_scale = kTemporalCompression / request.frame_rate.value_or(25);
  add_block(arranged, "image", grid, request.frames,
            {scaled_counts(Along::frame, request.frames, frame_scale, kUnits[0]),
             scaled_counts(Along::row, grid.rows, pixels, kUnits[1]),
             scaled_counts(Along::column, grid.columns, pixels, kUnits[2])});
  return arranged;
}

}  // namespace

/// Turns the channels of all heads at once (head_dim: their sum) before they are split. The angle of rung j on an axis
/// is b^(j/(n−1))·π/2·(2·id − 1).
constexpr Layout kLtxVideoLayout{.name = "ltx-video",
                                 .place = 120,
                                 .source = "huggingface/diffusers transformer_ltx.py LTXVideoRotaryPosEmbed",
                                 .has_quirk = true,
                                 .axes = kLtxVideoAxes,
                                 .vae_factor = 32,
                                 .patch = 1,
                                 .frame_factor = 8,
                                 .identity_at_zero = false,
                                 .axes_fill = false,
                                 .settings = kLtxVideoFields,
                                 .classes = {{"LTXVideoTransformer3DModel"}, {"Transformer3DModel"}},
                                 .config = {.holds = ConfigHolds::all_heads},
                                 .formulas = {{"image", Along::frame, "t * (8 / {frame_rate}) / 20", true},
                                              {"image", Along::row, "row * 32 / 2048", true},
                                              {"image", Along::column, "column * 32 / 2048", true}},
                                 .ladder = R"(n, still = {rungs}, {left}  # rungs of the ladder, pairs that never turn
rungs = {base} ** (numpy.arange(n) / max(n - 1, 1)) * numpy.pi / 2
frequency = numpy.hstack([numpy.zeros((3, still)), numpy.kron(rungs, numpy.eye(3))])
)",
                                 .arrange = arrange_ltx};

// --- Wan -----------------------------------------------------------------------------------------------------------

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

constexpr LayoutField kWanFields[] = {kImage, kText, kFrames, kHeadDim, kBase, kPatch};

}  // namespace

/// h = w = 2·(head_dim // 6), t the rest.
constexpr Layout kWanLayout{.name = "wan",
                            .place = 70,
                            .source = "huggingface/diffusers transformer_wan.py WanRotaryPosEmbed",
                            .axes = kWanAxes,
                            .vae_factor = 8,
                            .patch = 2,
                            .frame_factor = 4,
                            .settings = kWanFields,
                            .classes = {{"WanTransformer3DModel"},
                                        {"WanVACETransformer3DModel"},
                                        {"WanModel"},
                                        {"SkyReelsV2Transformer3DModel"}},
                            .config = {.holds = ConfigHolds::wan, .channels = "attention_head_dim"},
                            .trained = {.rows = 30,
                                        .columns = 52,
                                        .frames = 21,
                                        .source = "huggingface/diffusers pipeline_wan.py height, width, num_frames"},
                            .arrange = arrange_wan};

// --- All of them ---------------------------------------------------------------------------------------------------

constexpr Layout kAllVideoLayouts[] = {kHunyuanVideoLayout, kLtxVideoLayout, kWanLayout};

extern constinit const std::span<const Layout> kVideoLayouts = kAllVideoLayouts;

}  // namespace ropescope
