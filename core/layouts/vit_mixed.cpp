#include <cmath>
#include <numbers>

#include "core/decay/random.h"
#include "core/layouts/parts.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

using namespace layout_settings;

namespace {

constexpr AxisDefault kVitMixedAxes[] = {{"x", 64, 10}, {"y", 64, 10}};
constexpr LayoutSetting kMixedFrequencies{
    {.name = "mixed_frequencies", .knob = false}, &LayoutRequest::mixed_frequencies, {}, kNotForCounterpart};
constexpr LayoutSetting kVitHead{
    {.key = "layout.mixed_head", .name = "head", .maximum = 1023, .whole = true, .symbol = "H"},
    &LayoutRequest::head,
    "mixed_frequencies"};
constexpr LayoutSetting kVitHeads{
    {.key = "layout.mixed_heads", .name = "heads", .minimum = 1, .maximum = 64, .initial = 1, .whole = true},
    &LayoutRequest::heads,
    "mixed_frequencies"};
constexpr LayoutSetting kVitSeed{
    {.key = "layout.mixed_seed", .name = "seed", .maximum = 0x1p64, .whole = true, .highest = 0x1p31, .symbol = "S"},
    &LayoutRequest::seed,
    "mixed_frequencies"};
constexpr LayoutSetting kVitMixedSettings[] = {kImage,   kHeadDim,  kBase,   kPatch, kMixedFrequencies,
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

extern constinit const Layout kVitMixedLayout{
    .name = "vit-mixed",
    .source = "naver-ai/rope-vit models/vit_rope.py init_random_2d_freqs, compute_mixed_cis",
    .has_quirk = true,
    .axes = kVitMixedAxes,
    .patch = 16,
    .axes_fill = false,
    .settings = kVitMixedSettings,
    .arrange = arrange_vit_mixed};

}  // namespace ropescope
