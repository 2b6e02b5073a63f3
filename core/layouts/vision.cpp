// Layouts of models that read images, one block each.
//
// Contents: Pixtral; Qwen2-VL; Qwen3-VL; DINOv3; Torchtune vision; Axial; ViT axial; ViT mixed; All of them.

#include <cmath>
#include <numbers>

#include "core/decay/kernel.h"
#include "core/layouts/parts.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Pixtral -------------------------------------------------------------------------------------------------------

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
constexpr Layout kPixtralLayout{
    .name = "pixtral",
    .place = 200,
    .source = "huggingface/transformers modeling_pixtral.py PixtralRotaryEmbedding",
    .axes = kPixtralAxes,
    .pairing = Pairing::half_split,
    .patch = 16,
    .settings = kVisionFields,
    .classes = {{"pixtral"}, {"vision_encoder"}},
    .config = {.holds = ConfigHolds::patches, .channels = "head_dim", .base = "rope_theta"},
    .ladder = R"(whole, n = ladder({channels}, {base}), {half}
frequency = numpy.zeros((2, 2 * n))
frequency[0, :n], frequency[1, n:] = whole[0::2], whole[1::2]
)",
    .trained = {.rows = 64,
                .columns = 64,
                .source = "mistral-community/pixtral-12b config.json image_size, patch_size"},
    .arrange = arrange_pixtral};

// --- Qwen2-VL ------------------------------------------------------------------------------------------------------

namespace {

constexpr AxisDefault kQwen2VlAxes[] = {{"t", 32, 1e6}, {"row", 48, 1e6}, {"column", 48, 1e6}};
constexpr LayoutField kTokensPerSecond{{.key = "layout.tokens_per_second",
                                        .minimum = 1e-3,
                                        .maximum = 1e6,
                                        .lowest = 0,
                                        .highest = 240,
                                        .linear = true,
                                        .symbol = "T",
                                        .order = 4},
                                       &LayoutRequest::tokens_per_second,
                                       {},
                                       kOfModel};
constexpr LayoutField kQwen2VlFields[] = {
    kImage,           kText, kTextAfter, kReferences, kFrames, only_with(kFrameRate, kTokensPerSecond.name),
    kTokensPerSecond, kBase, kPatch,     kSections};

TokenLayout arrange_qwen2_vl(const Layout& layout, const LayoutRequest& request) {
  return arrange_sections(layout, request, Dealing::contiguous);
}

}  // namespace

/// One ladder over the head, dealt in three contiguous sections; tokens are patches of 14 pixels merged 2×2. Qwen2.5-VL
/// is this one with tokens_per_second.
constexpr Layout kQwen2VlLayout{
    .name = "qwen2-vl",
    .place = 160,
    .source =
        "huggingface/transformers modeling_qwen2_vl.py, modeling_qwen2_5_vl.py get_rope_index, "
        "apply_multimodal_rotary_pos_emb",
    .axes = kQwen2VlAxes,
    .pairing = Pairing::half_split,
    .patch = 28,
    .frame_rate = 2,
    .settings = kQwen2VlFields,
    .classes = {{"qwen2_vl"}, {"qwen2_5_vl"}},
    .config = {.holds = ConfigHolds::sections},
    .formulas =
        {// In float32, as released: another rounding could cut to the whole number below.
         {"image", Along::frame,
          "{first} + numpy.floor(t.astype(\"f4\") * numpy.float32(2 / {frame_rate}) * "
          "numpy.float32({tokens_per_second}))",
          true}},
    .ladder = R"(owner = numpy.repeat([0, 1, 2], [{s0}, {s1}, {s2}])  # the axis that turns each pair
frequency = ladder({channels}, {base}) * (owner == numpy.arange(3)[:, None])
)",
    .arrange = arrange_qwen2_vl};

// --- Qwen3-VL ------------------------------------------------------------------------------------------------------

namespace {

constexpr AxisDefault kQwen3VlAxes[] = {{"t", 48, 5e6}, {"row", 40, 5e6}, {"column", 40, 5e6}};
constexpr LayoutField kQwen3VlFields[] = {kImage, kText, kTextAfter, kReferences, kBase, kPatch, kSections};

TokenLayout arrange_qwen3_vl(const Layout& layout, const LayoutRequest& request) {
  return arrange_sections(layout, request, Dealing::interleaved);
}

}  // namespace

/// One ladder over the head, dealt by turns; tokens are patches of 16 pixels merged 2×2. A video is a series of images
/// with the time of each as text between them, so that t does not count frames.
constexpr Layout kQwen3VlLayout{
    .name = "qwen3-vl",
    .place = 170,
    .source = "huggingface/transformers modeling_qwen3_vl.py get_rope_index, apply_interleaved_mrope",
    .axes = kQwen3VlAxes,
    .pairing = Pairing::half_split,
    .patch = 32,
    .settings = kQwen3VlFields,
    .classes = {{"qwen3_vl"}, {"qwen3_vl_moe"}, {"qwen3_5"}, {"qwen3_5_moe"}},
    .config = {.holds = ConfigHolds::sections},
    .ladder = R"(owner = numpy.array([i % 3 if i < 3 * [{s0}, {s1}, {s2}][i % 3] else 0 for i in range({pairs})]))"
              R"(  # the axis that turns each pair
frequency = ladder({channels}, {base}) * (owner == numpy.arange(3)[:, None])
)",
    .arrange = arrange_qwen3_vl};

// --- DINOv3 --------------------------------------------------------------------------------------------------------

namespace {

constexpr AxisDefault kDinov3Axes[] = {{"row", 32, 100}, {"column", 32, 100}};

/// Middles of the patches, 2·(i + ½)/n − 1.
AxisIds normalised(Along along, int count) {
  AxisIds ids{along, 0, {}};
  for (int i = 0; i < count; ++i) ids.listed.push_back((2.0 * i + 1 - count) / count);
  return ids;
}

TokenLayout arrange_dinov3(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  std::vector<LayoutAxis> axes = equal_axes(layout, request, head_dim_of(layout, request, 64, 4) / 2);
  for (LayoutAxis& axis : axes) axis.id_scale = 2 * std::numbers::pi;
  set_ladders(arranged, std::move(axes));
  arranged.notes.emplace_back(kUncountedTokens);
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {normalised(Along::row, grid.rows), normalised(Along::column, grid.columns)});
  return arranged;
}

}  // namespace

/// θ_j = b^(−4j/d) over coordinates in [−1, 1] times 2π.
constexpr Layout kDinov3Layout{
    .name = "dinov3",
    .place = 150,
    .source = "huggingface/transformers modeling_dinov3_vit.py DINOv3ViTRopePositionEmbedding",
    .axes = kDinov3Axes,
    .pairing = Pairing::half_split,
    .patch = 16,
    .settings = kVisionFields,
    .classes = {{"dinov3_vit"}},
    .config = {.holds = ConfigHolds::patches, .base = "rope_theta"},
    .formulas = {{"image", Along::row, "(2 * row + 1 - {rows}) / {rows}", true},
                 {"image", Along::column, "(2 * column + 1 - {columns}) / {columns}", true}},
    .arrange = arrange_dinov3};

// --- Torchtune vision ----------------------------------------------------------------------------------------------

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
constexpr Layout kTorchtuneVisionLayout{
    .name = "torchtune-vision",
    .place = 180,
    .source = "pytorch/torchtune torchtune/modules/position_embeddings.py VisionRotaryPositionalEmbeddings",
    .axes = kTorchtuneVisionAxes,
    .patch = 14,
    .settings = kVisionFields,
    .classes = {{"llama4_vision_model"}},
    .config = {.holds = ConfigHolds::patches, .channels = "head_dim", .base = "rope_theta"},
    .arrange = arrange_torchtune};

// --- Axial ---------------------------------------------------------------------------------------------------------

namespace {

constexpr AxisDefault kLucidrainsAxialAxes[] = {{"row", 32, 10000}, {"column", 32, 10000}};
constexpr LayoutField kMaxFrequency{
    {.key = "layout.max_frequency", .minimum = 2, .maximum = 1e6, .initial = 10, .symbol = "F", .order = 8},
    &LayoutRequest::max_frequency,
    {},
    kSharedOption};
constexpr LayoutField kLanguageLadder{{.key = "layout.language_ladder", .is_switch = true},
                                      &LayoutRequest::language_ladder,
                                      "max_frequency",
                                      kNotForCounterpart | kNoOption};
constexpr LayoutField kLucidrainsAxialFields[] = {
    kImage, kHeadDim, kBase, kPatch, not_with(kMaxFrequency, kLanguageLadder.name), kLanguageLadder};

/// linspace(−1, 1, count), from both ends so that it is symmetric.
AxisIds from_edge_to_edge(Along along, int count) {
  AxisIds ids{along, 0, {}};
  const double step = count > 1 ? 2.0 / (count - 1) : 0;
  for (int i = 0; i < count; ++i) {
    const bool first_half = 2 * i < count - 1 || count == 1;
    const double coordinate = first_half ? -1 + i * step : 1 - (count - 1 - i) * step;
    ids.listed.push_back(2 * i == count - 1 && count > 1 ? 0 : coordinate);
  }
  return ids;
}

/// π·linspace(1, f/2, n), the same on both axes.
void set_pixel_ladder(TokenLayout& arranged, std::vector<LayoutAxis> axes, double max_frequency) {
  set_ladders(arranged, std::move(axes));
  const Eigen::Index pairs = arranged.pair_count() / 2;
  const double step = pairs > 1 ? (max_frequency / 2 - 1) / static_cast<double>(pairs - 1) : 0;
  for (Eigen::Index axis = 0; axis < 2; ++axis) {
    arranged.axes[static_cast<std::size_t>(axis)].base = 0;
    for (Eigen::Index i = 0; i < pairs; ++i) {
      arranged.frequencies(axis, axis * pairs + i) = (1 + step * static_cast<double>(i)) * std::numbers::pi;
    }
  }
}

TokenLayout arrange_lucidrains(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  const bool language = request.language_ladder || request.base.has_value();
  if (language && request.max_frequency) {
    reject(layout, "layouts.two_ladders", {});
  }
  std::vector<LayoutAxis> axes = equal_axes(layout, request, head_dim_of(layout, request, 64, 4) / 2);
  const TokenGrid grid = image_grid(layout, request);
  if (language) {
    set_ladders(arranged, std::move(axes));
    add_block(arranged, "image", grid, 1, {counted_ids(Along::row), counted_ids(Along::column)});
    return arranged;
  }
  set_pixel_ladder(arranged, std::move(axes), request.max_frequency.value_or(kMaxFrequency.initial));
  add_block(arranged, "image", grid, 1,
            {from_edge_to_edge(Along::row, grid.rows), from_edge_to_edge(Along::column, grid.columns)});
  return arranged;
}

}  // namespace

/// freqs_for = "pixel"; with a base (or language_ladder) freqs_for = "lang".
constexpr Layout kLucidrainsAxialLayout{
    .name = "lucidrains-axial",
    .place = 190,
    .source = "lucidrains/rotary-embedding-torch rotary_embedding_torch.py get_axial_freqs",
    .axes = kLucidrainsAxialAxes,
    .patch = 16,
    .settings = kLucidrainsAxialFields,
    .formulas = {{"image", Along::row, "numpy.linspace(-1, 1, {rows})[row]", true},
                 {"image", Along::column, "numpy.linspace(-1, 1, {columns})[column]", true}},
    .ladder = R"(rungs = numpy.pi * numpy.linspace(1, {max_frequency} / 2, {half})
frequency = numpy.kron(numpy.eye(2), rungs)
)",
    .arrange = arrange_lucidrains};

// --- ViT axial -----------------------------------------------------------------------------------------------------

namespace {

constexpr AxisDefault kVitAxialAxes[] = {{"x", 32, 100}, {"y", 32, 100}};

TokenLayout arrange_vit_axial(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  set_ladders(arranged, equal_axes(layout, request, head_dim_of(layout, request, 64, 4) / 2));
  arranged.notes.emplace_back(kUncountedTokens);
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {counted_ids(Along::column), counted_ids(Along::row)});
  return arranged;
}

}  // namespace

constexpr Layout kVitAxialLayout{
    .name = "vit-axial",
    .place = 130,
    .source = "naver-ai/rope-vit models/vit_rope.py compute_axial_cis",
    .axes = kVitAxialAxes,
    .patch = 16,
    .settings = kVisionFields,
    .trained = {.rows = 14, .columns = 14, .source = "naver-ai/rope-vit img_size, patch_size"},
    .arrange = arrange_vit_axial};

// --- ViT mixed -----------------------------------------------------------------------------------------------------

namespace {

constexpr AxisDefault kVitMixedAxes[] = {{"x", 64, 10}, {"y", 64, 10}};
constexpr LayoutField kMixedFrequencies{
    {.name = "mixed_frequencies", .has_control = false}, &LayoutRequest::mixed_frequencies, {}, kNotForCounterpart};
constexpr LayoutField kVitHead = [] {
  LayoutField field = kHead;
  field.of = "mixed_frequencies";
  return field;
}();
constexpr LayoutField kVitHeads{{.key = "layout.mixed_heads",
                                 .name = "heads",
                                 .minimum = 1,
                                 .maximum = 64,
                                 .initial = 1,
                                 .whole = true,
                                 .order = 10},
                                &LayoutRequest::heads,
                                "mixed_frequencies",
                                kSharedOption};
constexpr LayoutField kVitSeed{{.key = "layout.mixed_seed",
                                .name = "seed",
                                .maximum = 0x1p64,
                                .whole = true,
                                .highest = 0x1p31,
                                .symbol = "S",
                                .order = 11},
                               &LayoutRequest::seed,
                               "mixed_frequencies",
                               kSharedOption};
constexpr LayoutField kVitMixedFields[] = {kImage,   kHeadDim,  kBase,   kPatch, kMixedFrequencies,
                                           kVitHead, kVitHeads, kVitSeed};

/// What training starts from (rope-vit init_random_2d_freqs): each head has an angle α; of its pairs, one half turns by
/// b^(−4i/d) along α, the other by as much across it.
Eigen::MatrixXd initial_frequencies(int dim, double base, int head, std::uint64_t seed) {
  SplitMix generator{seed + static_cast<std::uint64_t>(head) * 0x2545f4914f6cdd1du};
  const double angle = 2 * std::numbers::pi * generator.uniform();
  const Eigen::RowVectorXd magnitudes = plain_frequencies(dim / 2, base).transpose();
  Eigen::MatrixXd frequencies(2, dim / 2);
  frequencies.row(0) << magnitudes * std::cos(angle), magnitudes * -std::sin(angle);
  frequencies.row(1) << magnitudes * std::sin(angle), magnitudes * std::cos(angle);
  return frequencies;
}

/// Several heads side by side: [2 × heads·pairs], so that the similarity is the mean over the heads.
Eigen::MatrixXd heads_side_by_side(const LayoutRequest& request, int dim, double base) {
  Eigen::MatrixXd frequencies(2, request.heads * dim / 2);
  for (int i = 0; i < request.heads; ++i) {
    frequencies.middleCols(i * dim / 2, dim / 2) = initial_frequencies(dim, base, request.head + i, request.seed);
  }
  return frequencies;
}

TokenLayout arrange_vit_mixed(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout);
  const int dim = head_dim_of(
      layout, request,
      request.mixed_frequencies.size() != 0 ? static_cast<int>(2 * request.mixed_frequencies.cols()) : 64, 4);
  arranged.axes = equal_axes(layout, request, request.heads * dim);
  if (request.mixed_frequencies.size() != 0) {
    if (request.heads != 1) reject(layout, "layouts.one_head", {{"heads", request.heads}});
    if (request.mixed_frequencies.rows() != 2 || request.mixed_frequencies.cols() != dim / 2 ||
        !request.mixed_frequencies.allFinite()) {
      reject(layout, "layouts.mixed_frequencies", {{"pairs", dim / 2}});
    }
    arranged.frequencies = request.mixed_frequencies;
  } else {
    arranged.frequencies = heads_side_by_side(request, dim, arranged.axes[0].base);
  }
  arranged.notes.emplace_back(kUncountedTokens);
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {counted_ids(Along::column), counted_ids(Along::row)});
  return arranged;
}

}  // namespace

constexpr Layout kVitMixedLayout{
    .name = "vit-mixed",
    .place = 140,
    .source = "naver-ai/rope-vit models/vit_rope.py init_random_2d_freqs, compute_mixed_cis",
    .has_quirk = true,
    .axes = kVitMixedAxes,
    .patch = 16,
    .axes_fill = false,
    .settings = kVitMixedFields,
    .ladder = R"(size = ladder({head}, {base})
frequency = numpy.hstack([  # a random angle for each head
    numpy.kron([[numpy.cos(a), -numpy.sin(a)], [numpy.sin(a), numpy.cos(a)]], size) for a in ({angles},)])
)",
    .trained = {.rows = 14, .columns = 14, .source = "naver-ai/rope-vit img_size, patch_size"},
    .arrange = arrange_vit_mixed};

// --- All of them ---------------------------------------------------------------------------------------------------

constexpr Layout kAllVisionLayouts[] = {kPixtralLayout,  kQwen2VlLayout,         kQwen3VlLayout,
                                        kDinov3Layout,   kTorchtuneVisionLayout, kLucidrainsAxialLayout,
                                        kVitAxialLayout, kVitMixedLayout};

extern constinit const std::span<const Layout> kVisionLayouts = kAllVisionLayouts;

}  // namespace ropescope
