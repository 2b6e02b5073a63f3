// QR codes (ISO/IEC 18004) of text, for the link of a lesson step in presentation mode and on handouts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/figure/scene/scene.h"

namespace ropescope {

/// The modules of a code, without the required margin of four light ones around it.
struct QrCode {
  int side = 0;            ///< modules along a side: 21, 25, …, 177
  std::vector<bool> dark;  ///< [side × side], row by row
};
inline constexpr int kQrMargin = 4;

/// Returns the smallest code for the bytes of a text that can be read with 15 % of its modules covered (level M), or 7
/// % for longer texts; nullopt for more than 2953 bytes or an empty text.
std::optional<QrCode> qr_code(const std::string& text);

/// Returns the dark runs of each row as rectangles of a square, with the margin inside it.
std::vector<Rect> qr_rects(const QrCode& code, const Rect& square);

}  // namespace ropescope
