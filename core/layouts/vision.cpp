// Layouts of vision towers, written as those of images.cpp. Read parts.h first.
//
// Contents: Pixtral; Qwen's towers; MoonViT; MiniMax-M3; V-JEPA 2; SAM 3; DINOv3; Torchtune vision; Axial; ViT axial;
// ViT mixed; All layouts.

#include <algorithm>
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
  TokenLayout arranged = begin_layout(layout, request);
  const int dim = read_head_dim(layout, request, 64, 4);
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

// --- Qwen's towers -------------------------------------------------------------------------------------------------

constexpr AxisDefault kQwenVisionAxes[] = {{"row", 40, 10000}, {"column", 40, 10000}};
// clang-format off
constexpr LayoutField kMergeSize{{.key = "layout.merge_size", .minimum = 1, .maximum = 64, .initial = 2, .whole = true,
     .unit = "unit.tokens", .symbol = "M", .order = 15}};
constexpr LayoutField kWindow{{.key = "layout.window", .maximum = 1024, .whole = true, .highest = 64,
     .unit = "unit.tokens", .zero = "unit.own", .symbol = "W", .order = 16}};
constexpr LayoutField kQwenVisionFields[] = {kImage, kFrames, kHeadDim, kBase, kPatch, kMergeSize, kWindow};
// clang-format on

/// Row and column ids of patches in sequence: window by window, within it block by block, within that row by row.
struct PatchOrder {
  AxisIds rows{Along::token, 0, {}}, columns{Along::token, 0, {}};
};

void add_rectangle(const TokenGrid& grid, int top, int left, int side, PatchOrder& order) {
  for (int row = top; row < std::min(top + side, grid.rows); ++row) {
    for (int column = left; column < std::min(left + side, grid.columns); ++column) {
      order.rows.listed.push_back(row);
      order.columns.listed.push_back(column);
    }
  }
}

PatchOrder patches_in_blocks(const TokenGrid& grid, int block, int window) {
  PatchOrder order;
  for (int top = 0; top < grid.rows; top += window) {
    for (int left = 0; left < grid.columns; left += window) {
      for (int row = top; row < std::min(top + window, grid.rows); row += block) {
        for (int column = left; column < std::min(left + window, grid.columns); column += block) {
          add_rectangle(grid, row, column, block, order);
        }
      }
    }
  }
  return order;
}

/// Adds the notes on such an order.
void note_blocks(const TokenGrid& grid, int merge, TokenLayout& arranged) {
  arranged.notes.emplace_back("layouts.note.in_blocks");
  if (grid.rows % merge == 0 && grid.columns % merge == 0) return;
  arranged.notes.push_back(Message("layouts.note.whole_blocks", {{"merge", merge}}));
}

TokenLayout arrange_qwen_vision(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, shared_axes(layout, request));
  const TokenGrid grid = image_grid(layout, request);
  const auto merge = static_cast<int>(*value_of(request, kMergeSize));
  const auto window = static_cast<int>(*value_of(request, kWindow));
  if (window % merge != 0) reject(layout, "layouts.window", {{"window", window}, {"merge", merge}});
  std::vector<AxisIds> ids = {counted_ids(Along::row), counted_ids(Along::column)};
  if (merge > 1 || window > 0) {
    note_blocks(grid, merge, arranged);
    // Without windows, a single window contains all patches.
    const int whole = (std::max(grid.rows, grid.columns) + merge - 1) / merge * merge;
    PatchOrder order = patches_in_blocks(grid, merge, window == 0 ? whole : window);
    ids = {std::move(order.rows), std::move(order.columns)};
  }
  for (int frame = 0; frame < request.frames; ++frame) add_block(arranged, "image", grid, 1, ids);
  return arranged;
}

// --- MoonViT -------------------------------------------------------------------------------------------------------

constexpr AxisDefault kMoonVitAxes[] = {{"x", 36, 10000}, {"y", 36, 10000}};
constexpr LayoutField kMoonVitFields[] = {kImage, kFrames, kHeadDim, kBase, kPatch, kPairing};

TokenLayout arrange_moonvit(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request);
  const int pairs = read_head_dim(layout, request, 72, 4) / 2;
  arranged.axes = equal_axes(layout, request, pairs);
  const Eigen::VectorXd ladder = plain_frequencies(pairs, arranged.axes[0].base);
  arranged.frequencies = Eigen::MatrixXd::Zero(2, pairs);
  for (int pair = 0; pair < pairs; ++pair) arranged.frequencies(pair % 2, pair) = ladder[pair / 2];
  const TokenGrid grid = image_grid(layout, request);
  for (int frame = 0; frame < request.frames; ++frame) {
    add_block(arranged, "image", grid, 1, {counted_ids(Along::column), counted_ids(Along::row)});
  }
  return arranged;
}

// --- MiniMax-M3 ----------------------------------------------------------------------------------------------------

constexpr AxisDefault kMiniMaxM3Axes[] = {{"t", 26, 10000}, {"row", 26, 10000}, {"column", 26, 10000}};
constexpr LayoutField kVideoTowerFields[] = {kImage, kFrames, kHeadDim, kBase, kPatch};

/// Returns three axes of equal width, with as many pairs each as fit.
template <int kHead>
std::vector<LayoutAxis> equal_thirds(const Layout& layout, const LayoutRequest& request) {
  const int head = read_head_dim(layout, request, kHead, 2);
  if (head < 6) reject(layout, "layouts.even_head_dim", {{"found", head}, {"least", 6}});
  return equal_axes(layout, request, 2 * (head / 6));
}

TokenLayout arrange_minimax_m3(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, equal_thirds<80>(layout, request));
  constexpr int kMerge = 2;
  const TokenGrid grid = image_grid(layout, request);
  note_blocks(grid, kMerge, arranged);
  const PatchOrder order = patches_in_blocks(grid, kMerge, kMerge * std::max(grid.rows, grid.columns));
  PatchOrder all;
  for (int frame = 0; frame < request.frames; ++frame) {
    all.rows.listed.insert(all.rows.listed.end(), order.rows.listed.begin(), order.rows.listed.end());
    all.columns.listed.insert(all.columns.listed.end(), order.columns.listed.begin(), order.columns.listed.end());
  }
  add_block(arranged, "image", grid, request.frames,
            {counted_ids(Along::frame), std::move(all.rows), std::move(all.columns)});
  return arranged;
}

// --- V-JEPA 2 ------------------------------------------------------------------------------------------------------

constexpr AxisDefault kVjepa2Axes[] = {{"t", 20, 10000}, {"row", 20, 10000}, {"column", 20, 10000}};

// --- SAM 3 ---------------------------------------------------------------------------------------------------------

constexpr AxisDefault kSam3Axes[] = {{"x", 32, 10000}, {"y", 32, 10000}};
constexpr LayoutField kSam3Fields[] = {kImage, kHeadDim, kBase, kPatch, kWindow};

constexpr PlainPart kColumnsFirst[] = {{PlainPart::image, {kAtColumn, kAtRow}}};

std::vector<LayoutAxis> sam3_axes(const Layout& layout, const LayoutRequest& request) {
  constexpr double kOwnWindow = 24;
  const double columns = image_grid(layout, request).columns;
  const double asked = *value_of(request, kWindow), window = asked > 0 ? asked : kOwnWindow;
  std::vector<LayoutAxis> axes = shared_axes(layout, request);
  for (LayoutAxis& axis : axes) axis.id_scale = window / columns;
  return axes;
}

// --- DINOv3 --------------------------------------------------------------------------------------------------------

constexpr AxisDefault kDinov3Axes[] = {{"row", 32, 100}, {"column", 32, 100}};

/// Returns the centres of the patches, 2·(i + ½)/n − 1.
AxisIds normalise_ids(Along along, int count) {
  AxisIds ids{along, 0, {}};
  for (int i = 0; i < count; ++i) ids.listed.push_back((2.0 * i + 1 - count) / count);
  return ids;
}

TokenLayout arrange_dinov3(const Layout& layout, const LayoutRequest& request) {
  std::vector<LayoutAxis> axes = shared_axes(layout, request);
  for (LayoutAxis& axis : axes) axis.id_scale = 2 * std::numbers::pi;
  TokenLayout arranged = begin_layout(layout, request, std::move(axes));
  arranged.notes.emplace_back(kUncountedTokens);
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1,
            {normalise_ids(Along::row, grid.rows), normalise_ids(Along::column, grid.columns)});
  return arranged;
}

// --- Torchtune vision ----------------------------------------------------------------------------------------------

constexpr AxisDefault kTorchtuneVisionAxes[] = {{"x", 44, 10000}, {"y", 44, 10000}};

TokenLayout arrange_torchtune(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, shared_axes(layout, request));
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {counted_ids(Along::column, 1), counted_ids(Along::row, 1)});
  add_line(arranged, "cls", 1, {fixed_id(0), fixed_id(0)});
  if (grid.rows != grid.columns) {
    arranged.notes.emplace_back("layouts.note.square_tiles");
  }
  return arranged;
}

// --- Axial ---------------------------------------------------------------------------------------------------------

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

/// Returns linspace(−1, 1, count), computed from both ends so that it is symmetric.
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

/// Sets π·linspace(1, f/2, n), the same on both axes.
void set_pixel_ladder(TokenLayout& arranged, double max_frequency) {
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
  const bool language = request.language_ladder || request.base.has_value();
  if (language && request.max_frequency) {
    reject(layout, "layouts.two_ladders", {});
  }
  TokenLayout arranged = begin_layout(layout, request, shared_axes(layout, request));
  const TokenGrid grid = image_grid(layout, request);
  if (language) {
    add_block(arranged, "image", grid, 1, {counted_ids(Along::row), counted_ids(Along::column)});
    return arranged;
  }
  set_pixel_ladder(arranged, request.max_frequency.value_or(kMaxFrequency.initial));
  add_block(arranged, "image", grid, 1,
            {from_edge_to_edge(Along::row, grid.rows), from_edge_to_edge(Along::column, grid.columns)});
  return arranged;
}

// --- ViT axial -----------------------------------------------------------------------------------------------------

constexpr AxisDefault kVitAxialAxes[] = {{"x", 32, 100}, {"y", 32, 100}};

TokenLayout arrange_vit_axial(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = arrange_plain<kColumnsFirst, shared_axes>(layout, request);
  arranged.notes.emplace_back(kUncountedTokens);
  return arranged;
}

// --- ViT mixed -----------------------------------------------------------------------------------------------------

constexpr AxisDefault kVitMixedAxes[] = {{"x", 64, 10}, {"y", 64, 10}};
constexpr LayoutField kMixedFrequencies{
    {.name = "mixed_frequencies", .has_control = false}, &LayoutRequest::mixed_frequencies, {}, kNotForCounterpart};
constexpr LayoutField kVitHead = [] {
  LayoutField field = kHead;
  field.of = "mixed_frequencies";
  return field;
}();
// clang-format off
constexpr LayoutField kVitHeads{{.key = "layout.mixed_heads", .name = "heads", .minimum = 1, .maximum = 64,
     .initial = 1, .whole = true, .order = 10}, &LayoutRequest::heads, "mixed_frequencies", kSharedOption};
constexpr LayoutField kVitSeed{{.key = "layout.mixed_seed", .name = "seed", .maximum = 0x1p64, .whole = true,
     .highest = 0x1p31, .symbol = "S", .order = 11}, &LayoutRequest::seed, "mixed_frequencies", kSharedOption};
constexpr LayoutField kVitMixedFields[] = {kImage, kHeadDim, kBase, kPatch, kMixedFrequencies, kVitHead, kVitHeads,
    kVitSeed};
// clang-format on

/// Returns the frequencies before training (rope-vit init_random_2d_freqs): each head has an angle α; half of its pairs
/// have b^(−4i/d) along α, the other half the same magnitudes across it.
Eigen::MatrixXd initial_frequencies(int dim, double base, int head, std::uint64_t seed) {
  SplitMix generator{seed + static_cast<std::uint64_t>(head) * 0x2545f4914f6cdd1du};
  const double angle = 2 * std::numbers::pi * generator.uniform();
  const Eigen::RowVectorXd magnitudes = plain_frequencies(dim / 2, base).transpose();
  Eigen::MatrixXd frequencies(2, dim / 2);
  frequencies.row(0) << magnitudes * std::cos(angle), magnitudes * -std::sin(angle);
  frequencies.row(1) << magnitudes * std::sin(angle), magnitudes * std::cos(angle);
  return frequencies;
}

/// Concatenates heads: [2 × heads·pairs], so that the similarity is the mean over the heads.
Eigen::MatrixXd heads_side_by_side(const LayoutRequest& request, int dim, double base) {
  Eigen::MatrixXd frequencies(2, request.heads * dim / 2);
  for (int i = 0; i < request.heads; ++i) {
    frequencies.middleCols(i * dim / 2, dim / 2) = initial_frequencies(dim, base, request.head + i, request.seed);
  }
  return frequencies;
}

TokenLayout arrange_vit_mixed(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request);
  const int dim = read_head_dim(
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

// --- All layouts ---------------------------------------------------------------------------------------------------

// clang-format off
constexpr Layout kAllVisionLayouts[] = {
  // One ladder over the head: rows rotate its even entries, columns the odd ones, rows first.
  {.name = "pixtral", .place = 200,
   .source = "huggingface/transformers modeling_pixtral.py PixtralVisionRotaryEmbedding", .axes = kPixtralAxes,
   .pairing = Pairing::half_split, .patch = 16, .settings = kVisionFields, .classes = {{"pixtral"}, {"vision_encoder"}},
   .config = {.holds = ConfigHolds::patches, .channels = "head_dim", .base = "rope_theta"},
   .ladder = R"(whole, n = ladder({channels}, {base}), {half}
frequency = numpy.zeros((2, 2 * n))
frequency[0, :n], frequency[1, n:] = whole[0::2], whole[1::2]
)",
   .trained = {.rows = 64, .columns = 64, .source = "mistral-community/pixtral-12b config.json image_size, patch_size"},
   .arrange = arrange_pixtral},
  // Two plain ladders, rows first. Patches come in the blocks that are merged after the tower, in Qwen2.5-VL also
  // window by window. Frames of a video have the same ids.
  {.name = "qwen-vision", .place = 176,
   .source = "huggingface/transformers vision_utils.py get_vision_position_ids, get_vision_window_index, "
     "modeling_qwen3_vl.py Qwen3VLVisionRotaryEmbedding", .axes = kQwenVisionAxes, .pairing = Pairing::half_split,
   .patch = 14, .settings = kQwenVisionFields,
   .classes = {{"qwen2_vl_vision"}, {"qwen2_5_vl_vision"}, {"qwen3_vl_vision"}, {"qwen3_omni_moe_vision_encoder"},
    {"glm4v_vision"}, {"ernie4_5_vl_moe_vision"}, {"paddleocr_vl_vision"}},
   .config = {.holds = ConfigHolds::patches, .channels = "head_dim", .base = "rope_theta"},
   .formulas = {{"image", Along::token,
     "(lambda r, c: r[numpy.lexsort((c % {merge_size}, r % {merge_size}, c // {merge_size}, r // {merge_size}, "
     "c // ({window} or 8192), r // ({window} or 8192)))])(*numpy.indices(({rows}, {columns})).reshape(2, -1))"
     "[i % ({rows} * {columns})]", true, "row"}, {"image", Along::token,
     "(lambda r, c: c[numpy.lexsort((c % {merge_size}, r % {merge_size}, c // {merge_size}, r // {merge_size}, "
     "c // ({window} or 8192), r // ({window} or 8192)))])(*numpy.indices(({rows}, {columns})).reshape(2, -1))"
     "[i % ({rows} * {columns})]", true, "column"}}, .arrange = arrange_qwen_vision},
  // Kimi-VL and Kimi K2.5: x and y alternate, each with its own ladder. Frames of a video have the same ids.
  {.name = "moonvit", .place = 177,
   .source = "moonshotai/Kimi-VL modeling_kimi_vl.py Rope2DPosEmb; huggingface/transformers modeling_kimi_k25.py "
     "Kimi_K25VisionRotaryEmbedding", .has_quirk = true, .axes = kMoonVitAxes, .patch = 14, .settings = kMoonVitFields,
   .classes = {{"moonvit"}, {"kimi_k25_vision"}},
   .config = {.holds = ConfigHolds::patches, .channels = "head_dim", .base = "rope_theta"},
   .ladder = R"(frequency = numpy.kron(ladder({pairs}, {base}), numpy.eye(2))  # x and y by turns
)", .arrange = arrange_moonvit},
  // 13 pairs per axis: 2 of 80 channels are not rotated; patches come in the blocks that are merged.
  {.name = "minimax-m3-vision", .place = 178,
   .source = "ggml-org/llama.cpp conversion of MiniMaxM3VisionModel; lablup/mlxcel vision tower of minimax_m3_vl",
   .has_quirk = true, .axes = kMiniMaxM3Axes, .pairing = Pairing::half_split, .patch = 14,
   .settings = kVideoTowerFields, .classes = {{"minimax_m3_vl_vision"}},
   .config = {.holds = ConfigHolds::patches, .channels = "head_dim", .base = "rope_theta"},
   .formulas = {{"image", Along::token, "(lambda r, c: r[numpy.lexsort((c % 2, r % 2, c // 2, r // 2))])"
     "(*numpy.indices(({rows}, {columns})).reshape(2, -1))[i % ({rows} * {columns})]", true, "row"}, {"image",
     Along::token, "(lambda r, c: c[numpy.lexsort((c % 2, r % 2, c // 2, r // 2))])"
     "(*numpy.indices(({rows}, {columns})).reshape(2, -1))[i % ({rows} * {columns})]", true, "column"}},
   .arrange = arrange_minimax_m3},
  // The released code repeats each axis's angles half by half but rotates adjacent channels, which is not a rotation:
  // within each axis, channel c takes the angle of pair c mod n, but is rotated with its adjacent channel.
  {.name = "v-jepa-2", .place = 151,
   .source = "huggingface/transformers modeling_vjepa2.py VJEPA2RopeAttention, rotate_queries_or_keys",
   .has_quirk = true, .axes = kVjepa2Axes, .patch = 16, .frame_factor = 1, .keeps_norms = false, .table_mismatch = true,
   .halves_by_axis = true, .settings = kVideoTowerFields, .classes = {{"vjepa2"}},
   .config = {.holds = ConfigHolds::patches}, .arrange = arrange_plain<kVideoParts, equal_thirds<64>>},
  // Columns first. Layers that see the whole image count in steps of window / columns, so its side is as long as that
  // of a window; a layer of windows is a grid of the window's size.
  {.name = "sam-3", .place = 152,
   .source = "huggingface/transformers modeling_sam3.py Sam3ViTRotaryEmbedding, Sam3ViTLayer.precompute_positions",
   .has_quirk = true, .axes = kSam3Axes, .patch = 14, .settings = kSam3Fields, .classes = {{"sam3_vit_model"}},
   .config = {.holds = ConfigHolds::patches, .channels = "head_dim", .base = "rope_theta"},
   .arrange = arrange_plain<kColumnsFirst, sam3_axes>},
  // θ_j = b^(−4j/d) over coordinates in [−1, 1] times 2π.
  {.name = "dinov3", .place = 150,
   .source = "huggingface/transformers modeling_dinov3_vit.py DINOv3ViTRopePositionEmbedding", .axes = kDinov3Axes,
   .pairing = Pairing::half_split, .patch = 16, .unrotated_tokens = true, .settings = kVisionFields,
   .classes = {{"dinov3_vit"}},
   .config = {.holds = ConfigHolds::patches, .base = "rope_theta"},
   .formulas = {{"image", Along::row, "(2 * row + 1 - {rows}) / {rows}", true},
    {"image", Along::column, "(2 * column + 1 - {columns}) / {columns}", true}}, .arrange = arrange_dinov3},
  // One tile; the defaults are those of Llama 4's vision tower (88 channels per head, patches of 14 pixels).
  {.name = "torchtune-vision", .place = 180,
   .source = "pytorch/torchtune torchtune/modules/position_embeddings.py VisionRotaryPositionalEmbeddings",
   .axes = kTorchtuneVisionAxes, .patch = 14, .settings = kVisionFields, .classes = {{"llama4_vision_model"}},
   .config = {.holds = ConfigHolds::patches, .channels = "head_dim", .base = "rope_theta"},
   .arrange = arrange_torchtune},
  // freqs_for = "pixel"; with a base (or language_ladder) freqs_for = "lang".
  {.name = "lucidrains-axial", .place = 190,
   .source = "lucidrains/rotary-embedding-torch rotary_embedding_torch.py get_axial_freqs",
   .axes = kLucidrainsAxialAxes, .patch = 16, .settings = kLucidrainsAxialFields,
   .formulas = {{"image", Along::row, "numpy.linspace(-1, 1, {rows})[row]", true},
    {"image", Along::column, "numpy.linspace(-1, 1, {columns})[column]", true}},
   .ladder = R"(rungs = numpy.pi * numpy.linspace(1, {max_frequency} / 2, {half})
frequency = numpy.kron(numpy.eye(2), rungs)
)", .arrange = arrange_lucidrains},
  {.name = "vit-axial", .place = 130, .source = "naver-ai/rope-vit models/vit_rope.py compute_axial_cis",
   .axes = kVitAxialAxes, .patch = 16, .unrotated_tokens = true, .settings = kVisionFields,
   .trained = {.rows = 14, .columns = 14, .source = "naver-ai/rope-vit img_size, patch_size"},
   .arrange = arrange_vit_axial},
  {.name = "vit-mixed", .place = 140,
   .source = "naver-ai/rope-vit models/vit_rope.py init_random_2d_freqs, compute_mixed_cis", .has_quirk = true,
   .axes = kVitMixedAxes, .patch = 16, .axes_fill = false, .unrotated_tokens = true, .settings = kVitMixedFields,
   .ladder = R"(size = ladder({head}, {base})
frequency = numpy.hstack([  # a random angle for each head
    numpy.kron([[numpy.cos(a), -numpy.sin(a)], [numpy.sin(a), numpy.cos(a)]], size) for a in ({angles},)])
)", .trained = {.rows = 14, .columns = 14, .source = "naver-ai/rope-vit img_size, patch_size"},
   .arrange = arrange_vit_mixed},
};
// clang-format on

extern constinit const std::span<const Layout> kVisionLayouts = kAllVisionLayouts;

}  // namespace ropescope
