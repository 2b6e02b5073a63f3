#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/figure/figure.h"

namespace ropescope {

/// How large a photograph may be: decoding has to fit into memory whatever a file claims.
inline constexpr std::size_t kMostPhotographPixels = 100'000'000;

/// Decodes the bytes of a PNG or a JPEG (turned as its EXIF orientation asks); one with a side above Pixels::kMost is
/// reduced. Throws InputError that names `source`: neither of the two, broken, more than kMostPhotographPixels, or
/// colours that are not handled (a CMYK JPEG).
std::shared_ptr<const Pixels> decode_photograph(std::string_view bytes, const std::string& source);

// The two parts of it. Not for others.
Pixels decode_png(std::string_view bytes, const std::string& source);
Pixels decode_jpeg(std::string_view bytes, const std::string& source);
/// Throws InputError for a size that is empty or too large.
void check_photograph_size(std::size_t columns, std::size_t rows, const std::string& source);

}  // namespace ropescope
