// Layouts of image models: axes and parts, or code for the ids, then the table with a row for each. To add one, write
// what its row refers to, then its row.
//
// Contents: Plain layouts; FLUX.1 Kontext; Qwen-Image; Qwen-Image-Layered; Z-Image; CogView4; HunyuanImage-3; OmniGen2;
// HiDream-I1; All layouts.

#include <algorithm>
#include <cmath>

#include "core/layouts/parts.h"

namespace ropescope {

// --- Plain layouts -------------------------------------------------------------------------------------------------

using namespace layout_settings;

namespace {

constexpr AxisDefault kFlux1Axes[] = {{"t", 16, 10000}, {"row", 56, 10000}, {"column", 56, 10000}};
constexpr PlainPart kFlux1Parts[] = {{PlainPart::text}, {PlainPart::image, {kAtZero, kAtRow, kAtColumn}}};
constexpr AxisDefault kFlux2Axes[] = {{"t", 32, 2000}, {"row", 32, 2000}, {"column", 32, 2000}, {"l", 32, 2000}};
constexpr PlainPart kFlux2Parts[] = {{PlainPart::text, {kAtZero, kAtZero, kAtZero, kAtToken}},
                                     {PlainPart::image, {kAtZero, kAtRow, kAtColumn}},
                                     {PlainPart::references, {{.first = 10, .step = 10}, kAtRow, kAtColumn}}};
constexpr AxisDefault kLumina2Axes[] = {{"t", 32, 10000}, {"row", 32, 10000}, {"column", 32, 10000}};
constexpr PlainPart kLumina2Parts[] = {{PlainPart::text, {kAtToken}},
                                       {PlainPart::image, {kAfterText, kAtRow, kAtColumn}}};
constexpr PlainPart kErnieImageParts[] = {{PlainPart::image, {kAfterText, kAtRow, kAtColumn}},
                                          {PlainPart::text, {kAtToken}}};
constexpr PlainId kRowAfterText{Along::row, 0, true}, kColumnAfterText{Along::column, 0, true};
constexpr PlainPart kLongCatImageParts[] = {
    {PlainPart::text, {kAtZero, kAtToken, kAtToken}},
    {PlainPart::image, {{.first = 1}, kRowAfterText, kColumnAfterText}},
    {PlainPart::references, {{.first = 2}, kRowAfterText, kColumnAfterText}, true}};

// --- FLUX.1 Kontext ------------------------------------------------------------------------------------------------

/// Width and height in pixels of the reference images in the model's training.
constexpr int kPreferred[][2] = {{672, 1568}, {688, 1504}, {720, 1456},  {752, 1392}, {800, 1328}, {832, 1248},
                                 {880, 1184}, {944, 1104}, {1024, 1024}, {1104, 944}, {1184, 880}, {1248, 832},
                                 {1328, 800}, {1392, 752}, {1456, 720},  {1504, 688}, {1568, 672}};

void check_reference_pixels(const Layout& layout, const ImageSize& size, std::size_t index) {
  if (size.rows >= 1 && size.columns >= 1 && size.rows <= 65536 && size.columns <= 65536) return;
  reject(layout, "layouts.reference_pixels", {{"number", index + 1}, {"width", size.columns}, {"height", size.rows}});
}

/// Returns the token grid, 16 pixels per side, of a resized reference; adds a note if its size changes.
TokenGrid resized(const ImageSize& size, int width, int height, std::vector<Message>& notes) {
  const TokenGrid grid{height / 16, width / 16};
  if (size.columns != width || size.rows != height) {
    notes.push_back(Message("layouts.note.resized_reference", {{"width", size.columns},
                                                               {"height", size.rows},
                                                               {"new_width", width},
                                                               {"new_height", height},
                                                               {"rows", grid.rows},
                                                               {"columns", grid.columns}}));
  }
  return grid;
}

/// Selects, as released, the preferred size of the nearest aspect ratio; of two equally near ones, the narrower.
TokenGrid snap(const Layout& layout, const LayoutRequest& request, const ImageSize& size, std::vector<Message>& notes) {
  if (!size.in_pixels) return reference_grid(layout, request, 0);
  check_reference_pixels(layout, size, 0);
  const double aspect = static_cast<double>(size.columns) / size.rows;
  const int* nearest = nullptr;
  double distance = INFINITY;
  for (const auto& preferred : kPreferred) {
    const double of_this = std::abs(aspect - static_cast<double>(preferred[0]) / preferred[1]);
    if (of_this < distance) {
      distance = of_this;
      nearest = preferred;
    }
  }
  return resized(size, nearest[0], nearest[1], notes);
}

TokenLayout arrange_kontext(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, listed_axes(layout, request));
  if (request.references.size() > 1) {
    reject(layout, "layouts.one_reference", {{"count", request.references.size()}});
  }
  add_line(arranged, "text", request.text, {fixed_id(0), fixed_id(0), fixed_id(0)});
  const TokenGrid image = image_grid(layout, request);
  add_block(arranged, "image", image, 1, {fixed_id(0), counted_ids(Along::row), counted_ids(Along::column)});
  if (!request.references.empty()) {
    const TokenGrid grid = snap(layout, request, request.references[0], arranged.notes);
    add_block(arranged, reference_name(0), grid, 1, {fixed_id(1), counted_ids(Along::row), counted_ids(Along::column)});
  }
  return arranged;
}

// --- Qwen-Image ----------------------------------------------------------------------------------------------------

/// Returns ids from −(n − n//2) to n//2 − 1: an odd side has one more negative id.
AxisIds centred(Along along, int count) {
  return counted_ids(along, -(count - count / 2));
}

TokenLayout arrange_qwen_image(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, listed_axes(layout, request));
  std::vector<TokenGrid> grids = {image_grid(layout, request)};
  for (std::size_t i = 0; i < request.references.size(); ++i) {
    grids.push_back(reference_grid(layout, request, i));
  }
  int text_start = 0;
  for (const TokenGrid& grid : grids) text_start = std::max({text_start, grid.rows / 2, grid.columns / 2});
  const AxisIds text = counted_ids(Along::token, text_start);
  add_line(arranged, "text", request.text, {text, text, text});
  for (std::size_t i = 0; i < grids.size(); ++i) {
    add_block(arranged, i == 0 ? "image" : reference_name(i - 1), grids[i], 1,
              {fixed_id(static_cast<double>(i)), centred(Along::row, grids[i].rows),
               centred(Along::column, grids[i].columns)});
  }
  return arranged;
}

// --- Qwen-Image-Layered --------------------------------------------------------------------------------------------

TokenLayout arrange_layered(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, listed_axes(layout, request));
  const TokenGrid grid = image_grid(layout, request);
  const AxisIds text = counted_ids(Along::token, std::max({grid.rows / 2, grid.columns / 2, request.frames}));
  const AxisIds row = centred(Along::row, grid.rows), column = centred(Along::column, grid.columns);
  add_line(arranged, "text", request.text, {text, text, text});
  add_block(arranged, "image", grid, request.frames, {counted_ids(Along::frame), row, column});
  add_block(arranged, reference_name(0), grid, 1, {fixed_id(-1), row, column});
  return arranged;
}

// --- Z-Image -------------------------------------------------------------------------------------------------------

constexpr AxisDefault kZImageAxes[] = {{"t", 32, 256}, {"row", 48, 256}, {"column", 48, 256}};
constexpr std::int64_t kMultiple = 32;

std::int64_t whole_captions(std::int64_t count) {
  return (count + kMultiple - 1) / kMultiple * kMultiple;
}

TokenLayout arrange_z_image(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, listed_axes(layout, request));
  const std::int64_t text = whole_captions(request.text);
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1,
            {fixed_id(static_cast<double>(text + 1)), counted_ids(Along::row), counted_ids(Along::column)});
  const std::int64_t image = arranged.row_count();
  add_line(arranged, "padding", whole_captions(image) - image, {fixed_id(0), fixed_id(0), fixed_id(0)});
  add_line(arranged, "text", text, {counted_ids(Along::token, 1), fixed_id(0), fixed_id(0)});
  if (text > request.text) {
    arranged.notes.push_back(
        Message("layouts.note.padded_caption", {{"tokens", text - request.text}, {"multiple", kMultiple}}));
  }
  return arranged;
}

// --- CogView4 ------------------------------------------------------------------------------------------------------

constexpr AxisDefault kCogview4Axes[] = {{"row", 64, 10000}, {"column", 64, 10000}};
constexpr LayoutField kPositionGrid{
    {.name = "position_grid", .has_control = false}, &LayoutRequest::position_grid, {}, kNotForCounterpart};
constexpr LayoutField kCogview4Fields[] = {kImage, kText, kHeadDim, kBase, kPositionGrid};

/// Returns index · positions // count: the side is stretched to that many positions, whatever its length.
AxisIds stretch_ids(Along along, std::int64_t count, std::int64_t positions) {
  AxisIds ids{along, 0, {}};
  for (std::int64_t i = 0; i < count; ++i) ids.listed.push_back(static_cast<double>(i * positions / count));
  return ids;
}

TokenLayout arrange_cogview4(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, shared_axes(layout, request));
  std::vector<int> positions = request.position_grid;
  if (positions.empty()) positions = {256, 256};
  if (positions.size() != 2 || positions[0] < 1 || positions[1] < 1 || positions[0] > 65536 || positions[1] > 65536) {
    reject(layout, "layouts.position_grid", {{"count", positions.size()}});
  }
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1,
            {stretch_ids(Along::row, grid.rows, positions[0]), stretch_ids(Along::column, grid.columns, positions[1])});
  shift_tokens(arranged, request.text);
  return arranged;
}

// --- HunyuanImage-3 ------------------------------------------------------------------------------------------------

constexpr LayoutField kHunyuanImage3Fields[] = {kImage, kText, kTextAfter, kHeadDim, kBase};

TokenLayout arrange_hunyuan_image3(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request);
  arranged.axes = equal_axes(layout, request, 0);
  deal_by_turns(arranged, plain_frequencies(read_head_dim(layout, request, 128, 4), arranged.axes[0].base));
  const AxisIds before = counted_ids(Along::token);
  add_line(arranged, "text", request.text, {before, before});
  const TokenGrid grid = image_grid(layout, request);
  const std::int64_t tokens = std::int64_t{grid.rows} * grid.columns;
  const auto first_of = [&](int side) { return static_cast<double>(request.text + (tokens - side) / 2); };
  add_block(arranged, "image", grid, 1,
            {counted_ids(Along::row, first_of(grid.rows)), counted_ids(Along::column, first_of(grid.columns))});
  const AxisIds after = counted_ids(Along::token, static_cast<double>(request.text + tokens));
  add_line(arranged, "text", request.text_after, {after, after});
  return arranged;
}

// --- OmniGen2 ------------------------------------------------------------------------------------------------------

constexpr AxisDefault kOmniGen2Axes[] = {{"t", 40, 10000}, {"row", 40, 10000}, {"column", 40, 10000}};

/// Resizes as released: a reference has at most 1024 × 1024 pixels and no side above 1024; pixels beyond whole tokens
/// are cropped.
TokenGrid shrunk(const Layout& layout, const LayoutRequest& request, std::size_t index, std::vector<Message>& notes) {
  constexpr double kSide = 1024;
  constexpr int kToken = 16;
  const ImageSize& size = request.references[index];
  if (!size.in_pixels) return reference_grid(layout, request, index);
  check_reference_pixels(layout, size, index);
  const double rows = size.rows, columns = size.columns;
  const double scale = std::min({std::sqrt(kSide * kSide / (rows * columns)), kSide / std::max(rows, columns), 1.0});
  const auto whole = [scale](double side) { return std::max(static_cast<int>(side * scale) / kToken, 1) * kToken; };
  return resized(size, whole(columns), whole(rows), notes);
}

TokenLayout arrange_omnigen2(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, listed_axes(layout, request));
  const AxisIds text = counted_ids(Along::token);
  add_line(arranged, "text", request.text, {text, text, text});
  auto start = static_cast<double>(request.text);
  const auto add_image = [&](std::string part, TokenGrid grid) {
    add_block(arranged, std::move(part), grid, 1,
              {fixed_id(start), counted_ids(Along::row), counted_ids(Along::column)});
    start += std::max(grid.rows, grid.columns);
  };
  for (std::size_t i = 0; i < request.references.size(); ++i) {
    add_image(reference_name(i), shrunk(layout, request, i, arranged.notes));
  }
  add_image("image", image_grid(layout, request));
  return arranged;
}

// --- HiDream-I1 ----------------------------------------------------------------------------------------------------

constexpr AxisDefault kHiDreamAxes[] = {{"t", 64, 10000}, {"row", 32, 10000}, {"column", 32, 10000}};
/// Number of tokens to which a non-square image is padded: that of max_resolution.
constexpr LayoutField kPaddedTo{
    {.name = "padded_to", .maximum = 1 << 24, .initial = 4096, .whole = true, .has_control = false}, {}, {}, kNoOption};
constexpr LayoutField kHiDreamFields[] = {kImage, kText, kSumOfAxes, kAxisDims, kBase, kPaddedTo};

TokenLayout arrange_hidream(const Layout& layout, const LayoutRequest& request) {
  TokenLayout arranged = begin_layout(layout, request, listed_axes(layout, request));
  const TokenGrid grid = image_grid(layout, request);
  add_block(arranged, "image", grid, 1, {fixed_id(0), counted_ids(Along::row), counted_ids(Along::column)});
  const auto padding = static_cast<std::int64_t>(*value_of(request, kPaddedTo)) - arranged.row_count();
  const std::vector<AxisIds> still = {fixed_id(0), fixed_id(0), fixed_id(0)};
  if (grid.rows != grid.columns && padding > 0) add_line(arranged, "padding", padding, still);
  add_line(arranged, "text", request.text, still);
  return arranged;
}

}  // namespace

// --- All layouts ---------------------------------------------------------------------------------------------------

// clang-format off
constexpr Layout kAllImageLayouts[] = {
  {.name = "flux.1", .place = 30, .source = "black-forest-labs/flux src/flux/sampling.py prepare, modules/layers.py",
   .axes = kFlux1Axes, .vae_factor = 8, .patch = 2, .settings = kImageTextFields,
   .sizes = {.source = "pipelines/flux/pipeline_flux.py"},
   .classes = {{"FluxTransformer2DModel", "config_note.kontext"}, {"ChromaTransformer2DModel"}},
   .config = {.channels = "axes_dims_rope"},
   .trained = {.rows = 64, .columns = 64,
    .source = "guyyariv/DyPE FluxPosEmbed base_resolution; diffusers pipeline_flux.py default_sample_size"},
   .arrange = arrange_plain<kFlux1Parts>},
  // A reference size in pixels is snapped to the preferred sizes; one in tokens is unchanged.
  {.name = "flux.1-kontext", .place = 40,
   .source = "black-forest-labs/flux src/flux/sampling.py prepare_kontext, util.py PREFERED_KONTEXT_RESOLUTIONS",
   .axes = kFlux1Axes, .vae_factor = 8, .patch = 2, .settings = kReferenceFields,
   .sizes = {.source = "pipelines/flux/pipeline_flux_kontext.py", .pixels = 1024 * 1024},
   .classes = {{"FluxTransformer2DModel"}}, .config = {.channels = "axes_dims_rope"},
   .trained = {.rows = 64, .columns = 64,
    .source = "black-forest-labs/flux util.py PREFERED_KONTEXT_RESOLUTIONS: one megapixel"},
   .arrange = arrange_kontext},
  {.name = "flux.2", .place = 50,
   .source = "huggingface/diffusers pipeline_flux2.py _prepare_*_ids, transformer_flux2.py Flux2PosEmbed",
   .axes = kFlux2Axes, .vae_factor = 8, .patch = 2, .settings = kReferenceFields,
   .sizes = {.source = "pipelines/flux2/pipeline_flux2.py", .references = PipelineSizes::References::shrunk},
   .classes = {{"Flux2Transformer2DModel"}}, .config = {.channels = "axes_dims_rope", .base = "rope_theta"},
   .trained = {.rows = 64, .columns = 64, .source = "huggingface/diffusers pipeline_flux2.py default_sample_size"},
   .arrange = arrange_plain<kFlux2Parts>},
  {.name = "qwen-image", .place = 60,
   .source = "huggingface/diffusers transformer_qwenimage.py QwenEmbedRope (scale_rope)", .axes = kFlux1Axes,
   .vae_factor = 8, .patch = 2, .settings = kReferenceFields,
   .sizes = {.source = "pipelines/qwenimage/pipeline_qwenimage_edit_plus.py",
    .references = PipelineSizes::References::megapixel}, .classes = {{"QwenImageTransformer2DModel"}},
   .config = {.channels = "axes_dims_rope"},
   .formulas = {{"text", Along::token, "max({image_rows} // 2, {image_columns} // 2) + i"},
    {"", Along::row, "row - ({rows} - {rows} // 2)"}, {"", Along::column, "column - ({columns} - {columns} // 2)"}},
   .trained = {.rows = 83, .columns = 83,
    .source = "guyyariv/DyPE qwen/transformer_qwenimage.py QwenEmbedRope base_resolution"},
   .arrange = arrange_qwen_image},
  // Frames are the output images, all of one size: the whole image, then its layers. The input image is last, with t
  // −1.
  {.name = "qwen-image-layered", .place = 65,
   .source = "huggingface/diffusers transformer_qwenimage.py QwenEmbedLayer3DRope", .has_quirk = true,
   .axes = kFlux1Axes, .vae_factor = 8, .patch = 2, .settings = kVideoFields,
   .classes = {{"QwenImageTransformer2DModel", {}, "use_layer3d_rope"}}, .config = {.channels = "axes_dims_rope"},
   .formulas = {{"text", Along::token, "max({image_rows} // 2, {image_columns} // 2, {frames}) + i"},
    {"", Along::row, "row - ({rows} - {rows} // 2)"}, {"", Along::column, "column - ({columns} - {columns} // 2)"}},
   .arrange = arrange_layered},
  {.name = "lumina-2", .place = 100, .source = "huggingface/diffusers transformer_lumina2.py Lumina2RotaryPosEmbed",
   .axes = kLumina2Axes, .vae_factor = 8, .patch = 2, .settings = kImageTextFields,
   .sizes = {.source = "pipelines/lumina2/pipeline_lumina2.py", .multiple = 16},
   .classes = {{"Lumina2Transformer2DModel"}}, .config = {.channels = "axes_dim_rope"},
   .formulas = {{"image", Along::none, "{text}", false, "t"}},
   .trained = {.rows = 64, .columns = 64, .source = "huggingface/diffusers pipeline_lumina2.py default_sample_size"},
   .arrange = arrange_plain<kLumina2Parts>},
  // Padding of the caption continues the count; padding of the image is at (0, 0, 0).
  {.name = "z-image", .place = 110,
   .source = "huggingface/diffusers transformer_z_image.py patchify_and_embed, RopeEmbedder", .axes = kZImageAxes,
   .vae_factor = 8, .patch = 2, .settings = kImageTextFields,
   .sizes = {.source = "pipelines/z_image/pipeline_z_image.py", .multiple = 16},
   .classes = {{"ZImageTransformer2DModel"}}, .config = {.channels = "axes_dims", .base = "rope_theta"},
   .formulas = {{"image", Along::none, "({text} + 31) // 32 * 32 + 1", false, "t"}},
   .trained = {.rows = 64, .columns = 64, .source = "huggingface/diffusers pipeline_z_image.py height, width"},
   .arrange = arrange_z_image},
  {.name = "ernie-image", .place = 210, .source = "huggingface/diffusers transformer_ernie_image.py ErnieImageEmbedND3",
   .has_quirk = true, .axes = kZImageAxes, .vae_factor = 8, .patch = 2, .keeps_norms = false,
   .table_mismatch = true, .settings = kImageTextFields,
   .sizes = {.source = "pipelines/ernie_image/pipeline_ernie_image.py", .multiple = 16},
   .classes = {{"ERNIEImageModel"}, {"ErnieImageTransformer2DModel"}},
   .config = {.channels = "rope_axes_dim", .base = "rope_theta"},
   .formulas = {{"image", Along::none, "{text}", false, "t"}},
   .trained = {.rows = 64, .columns = 64, .source = "huggingface/diffusers pipeline_ernie_image.py height, width"},
   .arrange = arrange_plain<kErnieImageParts>},
  {.name = "cogview4", .place = 90, .source = "huggingface/diffusers transformer_cogview4.py CogView4RotaryPosEmbed",
   .axes = kCogview4Axes, .pairing = Pairing::half_split, .vae_factor = 8, .patch = 2, .unrotated_tokens = true,
   .settings = kCogview4Fields,
   .sizes = {.source = "pipelines/cogview4/pipeline_cogview4.py", .multiple = 16},
   .classes = {{"CogView4Transformer2DModel"}},
   .config = {.holds = ConfigHolds::stretched, .channels = "attention_head_dim"},
   .formulas = {{"image", Along::row, "row * {positions_0} // {rows}", true},
    {"image", Along::column, "column * {positions_1} // {columns}", true}}, .arrange = arrange_cogview4},
  // One ladder over the head, its pairs assigned alternately to rows and columns. The image is centred on the diagonal
  // of the positions that as many text tokens would have. Text, with the four special tokens before the image, is
  // counted as if the image were text.
  {.name = "hunyuan-image-3", .place = 95,
   .source = "Tencent-Hunyuan/HunyuanImage-3.0 hunyuan_image_3/hunyuan.py build_2d_rope", .axes = kCogview4Axes,
   .pairing = Pairing::half_split, .vae_factor = 16, .patch = 1, .settings = kHunyuanImage3Fields,
   .classes = {{"hunyuan_image_3_moe"}},
   .formulas = {{"image", Along::row, "{text} + ({rows} * {columns} - {rows}) // 2 + row"},
    {"image", Along::column, "{text} + ({rows} * {columns} - {columns}) // 2 + column"}},
   .ladder = R"(frequency = ladder({channels}, {base}) * (numpy.arange({pairs}) % 2 == numpy.arange(2)[:, None])
)", .arrange = arrange_hunyuan_image3},
  // Text tokens are those of the prompt only, without padding. Rows and columns of every image begin at 0.
  {.name = "omnigen2", .place = 102, .source = "VectorSpaceLab/OmniGen2 omnigen2/models/transformers/repo.py",
   .axes = kOmniGen2Axes, .vae_factor = 8, .patch = 2, .settings = kReferenceFields,
   .classes = {{"OmniGen2Transformer2DModel"}}, .config = {.channels = "axes_dim_rope"}, .arrange = arrange_omnigen2},
  // No token has an id on t, so half of the pairs are never rotated; text has the tokens of three encoders.
  {.name = "hidream-i1", .place = 112,
   .source = "huggingface/diffusers transformer_hidream_image.py patchify, HiDreamImageEmbedND", .has_quirk = true,
   .axes = kHiDreamAxes, .vae_factor = 8, .patch = 2, .settings = kHiDreamFields,
   .classes = {{"HiDreamImageTransformer2DModel"}}, .config = {.channels = "axes_dims_rope"},
   .arrange = arrange_hidream},
  // FLUX.1's axes with other ids. Text includes its padding: 512 tokens or, for image editing, the whole output of the
  // encoder.
  {.name = "longcat-image", .place = 114,
   .source = "huggingface/diffusers transformer_longcat_image.py, pipeline_longcat_image.py prepare_pos_ids",
   .axes = kFlux1Axes, .vae_factor = 8, .patch = 2, .settings = kReferenceFields,
   .classes = {{"LongCatImageTransformer2DModel"}}, .config = {.channels = "axes_dims_rope"},
   .formulas = {{"", Along::row, "{text} + row"}, {"", Along::column, "{text} + column"}},
   .arrange = arrange_plain<kLongCatImageParts>},
};
// clang-format on

extern constinit const std::span<const Layout> kImageLayouts = kAllImageLayouts;

}  // namespace ropescope
