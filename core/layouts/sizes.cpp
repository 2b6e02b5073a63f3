// Size rules of released pipelines: those of huggingface/diffusers at 58eb52c0, in the file that each layout names
// (PipelineSizes::source). Read sizes.h first.

#include "core/layouts/sizes.h"

#include <cmath>
#include <cstdint>

#include "core/layouts/parts.h"

namespace ropescope {

namespace {

constexpr int kMegapixel = 1024 * 1024;

std::int64_t area(const ImageSize& size) {
  return std::int64_t{size.rows} * size.columns;
}

ImageSize floor_to_step(const ImageSize& size, int step) {
  return ImageSize::pixels(size.columns / step * step, size.rows / step * step);
}

/// Scales as FLUX.1 Kontext: sides whose product is the area, rounded to the nearest pixel.
ImageSize scale_to_area(const ImageSize& size, int pixels) {
  const double shape = static_cast<double>(size.columns) / size.rows;
  return ImageSize::pixels(static_cast<int>(std::nearbyint(std::sqrt(pixels * shape))),
                           static_cast<int>(std::nearbyint(std::sqrt(pixels / shape))));
}

/// Scales as FLUX.2: a reference of more than a megapixel is reduced, its sides truncated to whole pixels.
ImageSize shrunk(const ImageSize& size) {
  if (area(size) <= kMegapixel) return size;
  const double scale = std::sqrt(static_cast<double>(kMegapixel) / static_cast<double>(area(size)));
  return ImageSize::pixels(static_cast<int>(size.columns * scale), static_cast<int>(size.rows * scale));
}

/// Scales as Qwen-Image-Edit: every reference has a megapixel, its sides rounded to multiples of 32.
ImageSize to_megapixel(const ImageSize& size) {
  constexpr double kMultiple = 32;
  const double shape = static_cast<double>(size.columns) / size.rows;
  const double width = std::sqrt(kMegapixel * shape), height = width / shape;
  return ImageSize::pixels(static_cast<int>(std::nearbyint(width / kMultiple) * kMultiple),
                           static_cast<int>(std::nearbyint(height / kMultiple) * kMultiple));
}

/// Returns whether the sides are at least 1 after rounding and at most the largest valid side.
bool is_sound(const ImageSize& size) {
  constexpr int kLongest = 65536;
  return size.rows >= 1 && size.columns >= 1 && size.rows <= kLongest && size.columns <= kLongest;
}

Message resized(const char* key, const ImageSize& from, const ImageSize& to, int step) {
  return {key,
          {{"width", from.columns},
           {"height", from.rows},
           {"new_width", to.columns},
           {"new_height", to.rows},
           {"step", step},
           {"rows", to.rows / step},
           {"columns", to.columns / step}}};
}

/// Returns a reference as resized by the pipeline; unchanged if a side would be empty, which is rejected later.
ImageSize released_reference(const Layout& layout, const ImageSize& size, int step) {
  using References = PipelineSizes::References;
  if (layout.sizes.references == References::as_they_are || !size.in_pixels || !is_sound(size)) return size;
  const ImageSize resized = layout.sizes.references == References::shrunk ? shrunk(size) : to_megapixel(size);
  const ImageSize whole = floor_to_step(resized, step);
  return is_sound(whole) ? whole : size;
}

}  // namespace

std::optional<ImageSize> released_size(const Layout& layout, const LayoutRequest& request, const ImageSize& size) {
  if (layout.sizes.source.empty() || !size.in_pixels || !is_sound(size)) return std::nullopt;
  const ImageSize scaled = layout.sizes.pixels > 0 ? scale_to_area(size, layout.sizes.pixels) : size;
  const ImageSize whole = floor_to_step(scaled, pixels_per_token(layout, request));
  return is_sound(whole) ? std::optional(whole) : std::nullopt;
}

bool is_refused(const Layout& layout, const ImageSize& size) {
  return size.rows % layout.sizes.multiple != 0 || size.columns % layout.sizes.multiple != 0;
}

LayoutRequest apply_pipeline_size(const Layout& layout, const LayoutRequest& request, std::vector<Message>& notes) {
  if (request.fit && layout.sizes.source.empty()) {
    reject(layout, "layouts.not_taken", {{"setting", Message("layouts.setting.fit")}});
  }
  LayoutRequest released = request;
  const int step = pixels_per_token(layout, request);
  if (request.fit && request.image) {
    const auto size = released_size(layout, request, *request.image);
    if (size && *size != *request.image) {
      released.image = *size;
      const bool refused = is_refused(layout, *request.image);
      const char* key = refused                   ? "layouts.note.fitted_refused"
                        : layout.sizes.pixels > 0 ? "layouts.note.fitted_area"
                                                  : "layouts.note.fitted";
      notes.push_back(resized(key, *request.image, *size, step));
    }
  }
  for (ImageSize& reference : released.references) {
    const ImageSize size = released_reference(layout, reference, step);
    if (size == reference) continue;
    notes.push_back(resized(layout.sizes.references == PipelineSizes::References::shrunk
                                ? "layouts.note.shrunk_reference"
                                : "layouts.note.megapixel_reference",
                            reference, size, step));
    reference = size;
  }
  return released;
}

}  // namespace ropescope
