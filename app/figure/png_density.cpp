#include "app/figure/png_density.h"

#include <cmath>
#include <cstdint>

#include "core/formats/png_chunk.h"

namespace ropescope {

namespace {

constexpr double kMetresPerInch = 0.0254;

}  // namespace

std::string with_dpi(std::string png, double dpi) {
  if (png.size() < kAfterPngHeader) return png;
  const auto per_metre = static_cast<std::uint32_t>(std::lround(dpi / kMetresPerInch));
  std::string data;
  append_png_number(data, per_metre);
  append_png_number(data, per_metre);
  data += '\1';  // the unit: the metre
  return png.insert(kAfterPngHeader, png_chunk("pHYs", data));
}

}  // namespace ropescope
