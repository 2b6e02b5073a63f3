// Pictures in a row as a GIF, for sweeps that are saved as an animation. page.h makes the pictures.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/palette.h"

namespace ropescope {

/// What a colour of a palette may differ in from the one that it stands for, in each of red, green and blue (of 255):
/// what 256 colours cost at worst. Boxes of colours are halved along their longest side, the largest first; after 64
/// boxes none is longer than 64 values, and there are at least 192. A figure, which has few hues, stays far below, and
/// colours that fill areas stand in the palette themselves.
inline constexpr int kLargestPaletteError = 63;

struct GifOptions {
  double frames_per_second = 25;  ///< at most 50: a GIF counts in hundredths, and players slow down below two of them
  int plays = 0;                  ///< how often it is played; 0: for ever
};

/// A GIF of pictures of equal size, each the bytes of a PNG without transparency: one palette for all of them, so that
/// colours do not flicker, and of each picture only the rectangle that differs from the one before. Equal neighbours
/// become one that is shown longer. `progress` is told 0 … 1. Empty where `stop` was requested.
std::string encode_gif(const std::vector<std::string>& pngs, const GifOptions& options, const std::stop_token& stop,
                       const std::function<void(double)>& progress);

}  // namespace ropescope
