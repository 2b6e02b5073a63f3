// Decoding of photographs (PNG, JPEG) that cover the patches of an image, and encoding of PNG. app/views/layout.cpp
// shows photographs as Picture of figure.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/figure/figure.h"

namespace ropescope {

// --- Pictures ------------------------------------------------------------------------------------------------------

/// Encodes opaque RGBA rows from top to bottom as PNG bytes. Precondition: rgba.size() == 4·width·height. Throws
/// InputError if memory runs out.
std::string encode_png(std::vector<std::uint8_t> rgba, int width, int height);

// --- Photographs ---------------------------------------------------------------------------------------------------

/// Size limits of a photograph: decoding must stay within memory and time whatever a file claims.
inline constexpr std::size_t kMaxPhotographPixels = 100'000'000;
inline constexpr std::size_t kMaxPhotographBytes = std::size_t{256} << 20;
/// Maximum number of JPEG scans, each of which covers the whole picture; encoders write about ten. Large pictures are
/// also limited by the pixels of all scans together.
inline constexpr int kMaxJpegScans = 100;
inline constexpr std::uint64_t kMaxScannedPixels = 4'000'000'000;

/// Decodes a PNG or JPEG from bytes (rotated by its EXIF orientation); one with a side above Pixels::kMax is reduced.
/// Throws InputError with `source` if it is neither format, damaged, too large, has too many scans or unsupported
/// colours (a CMYK JPEG), or if cancelled.
std::shared_ptr<const Pixels> decode_photograph(std::string_view bytes, const std::string& source,
                                                const std::stop_token& stop = {});

/// The side lengths of the pixels from decode_photograph(), read from the header alone. Throws InputError if the header
/// shows an error.
struct PhotographSize {
  std::size_t columns = 0, rows = 0;
};
PhotographSize photograph_size(std::string_view bytes, const std::string& source);

}  // namespace ropescope
