// A text as a square of dark and light modules that a telephone reads (QR code, ISO/IEC 18004): the link of a lesson's
// step, on the screen of a room and on a handout.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/scene/scene.h"

namespace ropescope {

/// The modules of a code, without the margin of four light ones that belongs around it.
struct QrCode {
  int side = 0;            ///< modules along a side: 21, 25, …, 177
  std::vector<bool> dark;  ///< [side × side], row by row
};
inline constexpr int kQrMargin = 4;

/// The smallest code of the bytes of a text that is still read with 15 % of its modules covered (level M), or 7 % where
/// it is longer; none where it is longer than 2953 bytes, or empty.
std::optional<QrCode> qr_code(const std::string& text);

/// The dark runs of each row as rectangles of a square, with the margin inside it.
std::vector<Rect> qr_rects(const QrCode& code, const Rect& square);

}  // namespace ropescope
