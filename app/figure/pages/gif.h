// Animated GIFs, for sweeps saved as an animation. The frames come from page.h.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/palette.h"

namespace ropescope {

/// The maximum error of a palette colour, in each of red, green and blue (of 255), with 256 colours. Boxes of colours
/// are halved along their longest side, the largest first. After 64 boxes none is longer than 64 values, and there are
/// at least 192. A figure has few hues and stays far below; colours that fill areas are in the palette exactly.
inline constexpr int kLargestPaletteError = 63;

struct GifOptions {
  double frames_per_second = 25;  ///< at most 50: a GIF counts hundredths; players slow down below two of them
  int plays = 0;                  ///< number of times it is played; 0: forever
};

/// Encodes PNGs of equal size without transparency as a GIF: one palette for all frames, so colours do not flicker, and
/// per frame only the rectangle that differs from the previous one. Equal successive frames become one that is shown
/// longer. `progress` is called with 0 … 1. Empty if `stop` was requested.
std::string encode_gif(const std::vector<std::string>& pngs, const GifOptions& options, const std::stop_token& stop,
                       const std::function<void(double)>& progress);

}  // namespace ropescope
