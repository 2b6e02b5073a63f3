// Photographs that lie on the patches of an image, read from PNG and JPEG, and PNG from pixels. app/views/layout.h
// shows them as Picture of figure.h.
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

/// The bytes of a PNG of opaque RGBA rows from top to bottom. Precondition: rgba.size() == 4·width·height.
/// Throws InputError where there is no memory for it.
std::string encode_png(std::vector<std::uint8_t> rgba, int width, int height);

// --- Photographs ---------------------------------------------------------------------------------------------------

/// How large a photograph may be: decoding has to fit into memory and time whatever a file claims.
inline constexpr std::size_t kMostPhotographPixels = 100'000'000;
inline constexpr std::size_t kMostPhotographBytes = std::size_t{256} << 20;
/// Scans of a JPEG, each of which goes over the whole picture; encoders make about ten. Of large pictures fewer: as
/// many as go over so many pixels in all.
inline constexpr int kMostJpegScans = 100;
inline constexpr std::uint64_t kMostScannedPixels = 4'000'000'000;

/// Decodes the bytes of a PNG or a JPEG (turned as its EXIF orientation asks); one with a side above Pixels::kMost is
/// reduced. Throws InputError that names `source`: neither of the two, broken, more than there may be of pixels or
/// scans, colours that are not handled (a CMYK JPEG), or stopped.
std::shared_ptr<const Pixels> decode_photograph(std::string_view bytes, const std::string& source,
                                                const std::stop_token& stop = {});

/// The sides of the pixels that decode_photograph() gives, from the header alone. Throws InputError as far as that
/// shows what is wrong.
struct PhotographSize {
  std::size_t columns = 0, rows = 0;
};
PhotographSize photograph_size(std::string_view bytes, const std::string& source);

}  // namespace ropescope
