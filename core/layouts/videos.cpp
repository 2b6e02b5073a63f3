// Layouts of video models, written as those of images.cpp. Read parts.h first.
//
// Contents: HunyuanVideo; LTX-Video; LTX-2; Wan; CogVideoX; Kandinsky 5; Cosmos-Predict2.5; LongCat-Video; Allegro; All
// layouts.

#include <cmath>
#include <numbers>

#include "core/layouts/parts.h"

namespace ropescope {

// --- HunyuanVideo --------------------------------------------------------------------------------------------------

using namespace layout_settings;

namespace {

constexpr AxisDefault kHunyuanVideoAxes[] = {{"t", 16, 256}, {"row", 56, 256}, {"column", 56, 256}};

// --- LTX-Video -----------------------------------------------------------------------------------------------------

constexpr AxisDefault kLtxVideoAxes[] = {{"t", 682, 10000}, {"row", 682, 10000}, {"column", 682, 10000}};
constexpr LayoutField kUnscaled{{.key = "layout.unscaled", .is_switch = true}, &LayoutRequest::unscaled, {}, kNoOption};
constexpr LayoutField kLtxVideoFields[] = {kImage,    kText,    kFrames, not_with(kFrameRate, kUnscaled.name),
                                           kUnscaled, kHeadDim, kBase};

constexpr int kInnerDim = 2048;                ///< 32 heads of 64
constexpr double kTemporalCompression = 8;     ///< frames of the video per frame of tokens
constexpr double kUnits[] = {20, 2048, 2048};  ///< frames and pixels that are scaled to 1

AxisIds scale_counts(Along along, int count, double scale, double unit, double first = 0) {
  AxisIds ids{along, 0, {}};
  for (int i = 0; i < count; ++i) ids.listed.push_back((first + i) * scale / unit);
  return ids;
}

/// Sets pairs [first, first + count) of those of all heads, which have `dim` channels. One ladder b^(j/(n−1))·π/2, j =
/// 0 … n−1, serves all three axes, which alternate pair by pair. The remaining pairs precede it and are never rotated.
void set_shared_ladder(TokenLayout& arranged, int dim, Eigen::Index first, Eigen::Index count) {
  const int rungs = dim / 6, left = dim % 6 / 2;
  Eigen::VectorXd ladder = Eigen::VectorXd::Zero(dim / 2);
  for (int j = 0; j < rungs; ++j) {
    // Rounded in the order of the released code: at angles of 1e5 radians, a more exact frequency would differ from its
    // float64 tables in the eleventh digit.
    const double exponent = rungs > 1 ? j / (rungs - 1.0) : 0.0;
    ladder.segment(left + 3 * j, 3).setConstant(std::pow(arranged.axes[0].base, exponent) * std::numbers::pi / 2);
  }
  deal_by_turns(arranged, ladder.segment(first, count), first + 3 - left);
  const auto still = (arranged.frequencies.array() == 0).colwise().all().count();
  if (still > 0) arranged.notes.push_back(Message("layouts.note.padding_pairs", {{"pairs", still}}));
}

/// Returns axes with coordinates from −1 to 1: coordinate = 2·id − 1.
std::vector<LayoutAxis> measured_axes(const Layout& layout, const LayoutRequest& request) {
  std::vector<LayoutAxis> axes = equal_axes(layout, request, 0);
  for (LayoutAxis& axis : axes) axis.id_scale = 2, axis.id_offset = -1;
  return axes;
}

TokenLayout arrange_ltx(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request);
  const int dim = request.head_dim.value_or(kInnerDim);
  if (dim < 6 || dim > 65536 || dim % 2 != 0) {
    reject(layout, "layouts.all_heads", {{"found", dim}});
  }
  arranged.axes = measured_axes(layout, request);
  set_shared_ladder(arranged, dim, 0, dim / 2);
  const TokenGrid grid = image_grid(layout, request);
  if (request.unscaled) {
    add_block(arranged, "image", grid, request.frames,
              {counted_ids(Along::frame), counted_ids(Along::row), counted_ids(Along::column)});
    return arranged;
  }
  const double pixels = layout.vae_factor;
  const double frame_scale = kTemporalCompression / request.frame_rate.value_or(layout.frame_rate);
  add_block(arranged, "image", grid, request.frames,
            {scale_counts(Along::frame, request.frames, frame_scale, kUnits[0]),
             scale_counts(Along::row, grid.rows, pixels, kUnits[1]),
             scale_counts(Along::column, grid.columns, pixels, kUnits[2])});
  return arranged;
}

// --- LTX-2 ---------------------------------------------------------------------------------------------------------

constexpr AxisDefault kLtx2Axes[] = {{"t", 42, 10000}, {"row", 42, 10000}, {"column", 40, 10000}};
constexpr LayoutField kLtx2Fields[] = {kImage, kText, kFrames, kFrameRate, kHeadDim, kBase, kHead};

constexpr int kLtx2Heads = 32;

/// Returns the middles of the frames in seconds. The first frame of tokens is one video frame, each other one is eight.
AxisIds middles_of_frames(int count, double frame_rate) {
  AxisIds ids{Along::frame, 0, {}};
  for (int frame = 0; frame < count; ++frame) {
    ids.listed.push_back(std::max(kTemporalCompression * frame - 3, 0.5) / frame_rate / kUnits[0]);
  }
  return ids;
}

TokenLayout arrange_ltx2(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request);
  const int dim = read_head_dim(layout, request, 4096, 2 * kLtx2Heads), pairs = dim / 2 / kLtx2Heads;
  if (request.head >= kLtx2Heads) {
    reject(layout, "layouts.value",
           {{"what", Message("layouts.value.head")},
            {"found", request.head},
            {"expected", Message("expected.from_to", {{"least", 0}, {"most", kLtx2Heads - 1}})}});
  }
  arranged.axes = measured_axes(layout, request);
  set_shared_ladder(arranged, dim, request.head * pairs, pairs);
  const TokenGrid grid = image_grid(layout, request);
  const double pixels = layout.vae_factor;
  add_block(arranged, "image", grid, request.frames,
            {middles_of_frames(request.frames, request.frame_rate.value_or(layout.frame_rate)),
             scale_counts(Along::row, grid.rows, pixels, kUnits[1], 0.5),
             scale_counts(Along::column, grid.columns, pixels, kUnits[2], 0.5)});
  return arranged;
}

// --- Wan -----------------------------------------------------------------------------------------------------------

constexpr AxisDefault kWanAxes[] = {{"t", 44, 10000}, {"row", 42, 10000}, {"column", 42, 10000}};

/// Returns the axes h = w = 2·(head_dim // 6), t the rest.
template <int kLeastHead>
std::vector<LayoutAxis> thirds(const Layout& layout, const LayoutRequest& request) {
  const int head = read_head_dim(layout, request, 128, 2);
  if (head < kLeastHead) reject(layout, "layouts.even_head_dim", {{"found", head}, {"least", kLeastHead}});
  const int side = 2 * (head / 6);
  std::vector<LayoutAxis> axes = equal_axes(layout, request, side);
  axes[0].rotary_dim = head - 2 * side;
  return axes;
}

constexpr LayoutField kWanFields[] = {kImage, kText, kFrames, kHeadDim, kBase, kPatch};

// --- CogVideoX -----------------------------------------------------------------------------------------------------

constexpr AxisDefault kCogVideoXAxes[] = {{"t", 16, 10000}, {"row", 24, 10000}, {"column", 24, 10000}};
constexpr LayoutField kVideoHeadFields[] = {kImage, kText, kFrames, kHeadDim, kBase};

TokenLayout arrange_cogvideox(const Layout& layout, const LayoutRequest& request) {
  const int head = read_head_dim(layout, request, 64, 16);
  std::vector<LayoutAxis> axes = equal_axes(layout, request, head / 8 * 3);
  axes[0].rotary_dim = head / 4;
  TokenLayout arranged = arrange_parts(layout, request, std::move(axes), kVideoParts);
  shift_tokens(arranged, request.text);
  return arranged;
}

// --- Kandinsky 5 ---------------------------------------------------------------------------------------------------

constexpr LayoutField kGridScale{{.key = "layout.grid_scale",
                                  .maximum = 1e6,
                                  .highest = 64,
                                  .linear = true,
                                  .zero = "unit.own",
                                  .symbol = "S",
                                  .order = 12}};
constexpr LayoutField kKandinsky5Fields[] = {kImage, kText, kFrames, kSumOfAxes, kAxisDims, kBase, kGridScale};

/// Returns the scale as the pipelines choose it: 1 for an image; by the pixels of both sides for a video.
double scale_of_size(const Layout& layout, const TokenGrid& grid, int frames) {
  if (frames == 1) return 1;
  const auto is_small = [&](int tokens) {
    const int side = tokens * layout.vae_factor * layout.patch;
    return side >= 480 && side <= 854;
  };
  return is_small(grid.rows) && is_small(grid.columns) ? 2 : 3.16;
}

std::vector<LayoutAxis> kandinsky5_axes(const Layout& layout, const LayoutRequest& request) {
  std::vector<LayoutAxis> axes = listed_axes(layout, request);
  const double asked = *value_of(request, kGridScale);
  const double scale = asked > 0 ? asked : scale_of_size(layout, image_grid(layout, request), request.frames);
  axes[1].id_scale = axes[2].id_scale = 1 / scale;
  return axes;
}

// --- Cosmos-Predict2.5 ---------------------------------------------------------------------------------------------

std::vector<LayoutAxis> cosmos_axes(const Layout& layout, const LayoutRequest& request) {
  constexpr double kRopeScale = 3;
  std::vector<LayoutAxis> axes = thirds<12>(layout, request);
  for (std::size_t i = 1; i < axes.size(); ++i) {
    const double channels = axes[i].rotary_dim;
    axes[i].base *= std::pow(kRopeScale, channels / (channels - 2));
  }
  return axes;
}

// --- LongCat-Video -------------------------------------------------------------------------------------------------

constexpr LayoutField kLongCatVideoFields[] = {kImage, kText, kReferences, kFrames, kHeadDim, kBase};
constexpr PlainPart kLongCatVideoParts[] = {{PlainPart::references, {{.first = 10}, kAtRow, kAtColumn}, true},
                                            {PlainPart::image, {kAtFrame, kAtRow, kAtColumn}}};

// --- Allegro -------------------------------------------------------------------------------------------------------

constexpr AxisDefault kAllegroAxes[] = {{"t", 32, 10000}, {"row", 32, 10000}, {"column", 32, 10000}};
/// Returns the field of an axis's divisor of ids, as in a config.
constexpr LayoutField make_divisor(std::string_view name, double initial) {
  return {
      {.name = name, .maximum = 1e6, .initial = initial, .exclusive = true, .has_control = false}, {}, {}, kNoOption};
}
constexpr LayoutField kScaleOfFrames = make_divisor("interpolation_scale_t", 2.2);
constexpr LayoutField kScaleOfRows = make_divisor("interpolation_scale_h", 2);
constexpr LayoutField kScaleOfColumns = make_divisor("interpolation_scale_w", 2);
constexpr LayoutField kAllegroFields[] = {kImage, kText,          kFrames,      kHeadDim,
                                          kBase,  kScaleOfFrames, kScaleOfRows, kScaleOfColumns};

std::vector<LayoutAxis> allegro_axes(const Layout& layout, const LayoutRequest& request) {
  std::vector<LayoutAxis> axes = shared_axes(layout, request);
  axes[0].id_scale = 1 / *value_of(request, kScaleOfFrames);
  axes[1].id_scale = 1 / *value_of(request, kScaleOfRows);
  axes[2].id_scale = 1 / *value_of(request, kScaleOfColumns);
  return axes;
}

// --- All layouts ---------------------------------------------------------------------------------------------------

// clang-format off
constexpr Layout kAllVideoLayouts[] = {
  {.name = "hunyuan-video", .place = 80,
   .source = "huggingface/diffusers transformer_hunyuan_video.py HunyuanVideoRotaryPosEmbed", .axes = kHunyuanVideoAxes,
   .vae_factor = 8, .patch = 2, .frame_factor = 4, .unrotated_tokens = true, .settings = kVideoFields,
   .sizes = {.source = "pipelines/hunyuan_video/pipeline_hunyuan_video.py", .multiple = 16},
   .classes = {{"HunyuanVideoTransformer3DModel"},
    {"HunyuanVideoTransformer3DModelPacked", "config_note.frame_pack_layout"}},
   .config = {.channels = "rope_axes_dim", .base = "rope_theta"},
   .trained = {.rows = 45, .columns = 80, .frames = 33,
    .source = "huggingface/diffusers pipeline_hunyuan_video.py height, width, num_frames"},
   .arrange = arrange_plain<kVideoParts>},
  // Rotates the channels of all heads at once (head_dim: their sum) before they are split. The angle of frequency j on
  // an axis is b^(j/(n−1))·π/2·(2·id − 1).
  {.name = "ltx-video", .place = 120, .source = "huggingface/diffusers transformer_ltx.py LTXVideoRotaryPosEmbed",
   .has_quirk = true, .axes = kLtxVideoAxes, .vae_factor = 32, .patch = 1, .frame_factor = 8, .frame_rate = 25,
   .identity_at_zero = false, .axes_fill = false, .settings = kLtxVideoFields,
   .sizes = {.source = "pipelines/ltx/pipeline_ltx.py", .multiple = 32},
   .classes = {{"LTXVideoTransformer3DModel"}, {"Transformer3DModel"}}, .config = {.holds = ConfigHolds::all_heads},
   .formulas = {{"image", Along::frame, "t * (8 / {frame_rate}) / 20", true},
    {"image", Along::row, "row * 32 / 2048", true}, {"image", Along::column, "column * 32 / 2048", true}},
   .ladder = R"(n, still = {rungs}, {left}  # rungs of the ladder, pairs that never turn
rungs = {base} ** (numpy.arange(n) / max(n - 1, 1)) * numpy.pi / 2
frequency = numpy.hstack([numpy.zeros((3, still)), numpy.kron(rungs, numpy.eye(3))])
)", .arrange = arrange_ltx},
  // Self-attention of the video. One ladder covers the channels of all heads (head_dim: their sum), which are split
  // before the rotation: a head is rotated by its part of the ladder. Ids are centres of patches, not edges.
  {.name = "ltx-2", .place = 125,
   .source = "huggingface/diffusers transformer_ltx2.py LTX2AudioVideoRotaryPosEmbed (rope_type split)",
   .has_quirk = true, .axes = kLtx2Axes, .pairing = Pairing::half_split, .vae_factor = 32, .patch = 1,
   .frame_factor = 8, .frame_rate = 24, .identity_at_zero = false, .axes_fill = false, .settings = kLtx2Fields,
   .classes = {{"LTX2VideoTransformer3DModel"}, {"AVTransformer3DModel"}}, .config = {.holds = ConfigHolds::all_heads},
   .formulas = {{"image", Along::frame, "numpy.maximum(8 * t - 3, 0.5) / {frame_rate} / 20", true},
    {"image", Along::row, "(row + 0.5) * 32 / 2048", true},
    {"image", Along::column, "(column + 0.5) * 32 / 2048", true}},
   .ladder = R"(n = 32 * {pairs}  # pairs of all heads
rungs = {base} ** (numpy.arange(n // 3) / (n // 3 - 1)) * numpy.pi / 2
whole = numpy.hstack([numpy.zeros((3, n % 3)), numpy.kron(rungs, numpy.eye(3))])
frequency = whole[:, {first}:{first} + {pairs}]  # of one head
)", .arrange = arrange_ltx2},
  {.name = "wan", .place = 70, .source = "huggingface/diffusers transformer_wan.py WanRotaryPosEmbed", .axes = kWanAxes,
   .vae_factor = 8, .patch = 2, .frame_factor = 4, .settings = kWanFields,
   .sizes = {.source = "pipelines/wan/pipeline_wan.py", .multiple = 16},
   .classes = {{"WanTransformer3DModel"}, {"WanVACETransformer3DModel"}, {"WanModel"},
    {"SkyReelsV2Transformer3DModel"}}, .config = {.holds = ConfigHolds::wan, .channels = "attention_head_dim"},
   .trained = {.rows = 30, .columns = 52, .frames = 21,
    .source = "huggingface/diffusers pipeline_wan.py height, width, num_frames"}, .arrange = arrange_plain<kVideoParts,
   thirds<6>>},
  // Version 1.5, whose patches take two latent frames: plain counts. 1.0 fits rows and columns into a 30 × 45 grid.
  {.name = "cogvideox-1.5", .place = 82,
   .source = "huggingface/diffusers pipeline_cogvideox.py, embeddings.py get_3d_rotary_pos_embed (grid_type slice)",
   .axes = kCogVideoXAxes, .vae_factor = 8, .patch = 2, .frame_factor = 8, .unrotated_tokens = true,
   .settings = kVideoHeadFields,
   .classes = {{"CogVideoXTransformer3DModel", {}, "patch_size_t"}}, .arrange = arrange_cogvideox},
  // The Lite model; the Pro model and the image model have 32 + 48 + 48 channels. Ids are plain; the angles of rows and
  // columns are divided.
  {.name = "kandinsky-5", .place = 76,
   .source = "huggingface/diffusers transformer_kandinsky.py Kandinsky5RoPE3D, pipeline_kandinsky.py",
   .axes = kCogVideoXAxes, .vae_factor = 8, .patch = 2, .frame_factor = 4, .settings = kKandinsky5Fields,
   .classes = {{"Kandinsky5Transformer3DModel"}}, .config = {.channels = "axes_dims"},
   .arrange = arrange_plain<kVideoParts, kandinsky5_axes>},
  // Version 2.5: Wan's axes; the base of rows and columns, each of d channels, is stretched by 3^(d/(d − 2)), as in
  // NTK. Frames are counted whatever their rate.
  {.name = "cosmos-predict2.5", .place = 74,
   .source = "huggingface/diffusers transformer_cosmos.py CosmosRotaryPosEmbed (rope_scale 1, 3, 3)", .axes = kWanAxes,
   .pairing = Pairing::half_split, .vae_factor = 8, .patch = 2, .frame_factor = 4, .settings = kVideoHeadFields,
   .arrange = arrange_plain<kVideoParts, cosmos_axes>},
  // Wan's layout in float32. A reference (Avatar) comes first in the sequence and is at t = 10, as in the released
  // demo.
  {.name = "longcat-video", .place = 72,
   .source = "meituan-longcat/LongCat-Video longcat_video/modules/rope_3d.py, modules/avatar/rope_3d.py",
   .axes = kWanAxes, .vae_factor = 8, .patch = 2, .frame_factor = 4, .settings = kLongCatVideoFields,
   .classes = {{"LongCatVideoTransformer3DModel"}}, .arrange = arrange_plain<kLongCatVideoParts, thirds<6>>},
  // A third of the head per axis, half split within its channels; ids are plain, angles are divided.
  {.name = "allegro", .place = 84, .source = "rhymes-ai/Allegro allegro/models/transformers/rope.py RoPE3D",
   .has_quirk = true, .axes = kAllegroAxes, .pairing = Pairing::half_split, .vae_factor = 8, .patch = 2,
   .frame_factor = 4, .any_frames = true, .halves_by_axis = true, .settings = kAllegroFields,
   .classes = {{"AllegroTransformer3DModel"}}, .arrange = arrange_plain<kVideoParts, allegro_axes>},
};
// clang-format on

}  // namespace

extern constinit const std::span<const Layout> kVideoLayouts = kAllVideoLayouts;

}  // namespace ropescope
