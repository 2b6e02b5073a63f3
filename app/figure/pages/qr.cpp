// QR codes of texts, computed by libqrencode. Read qr.h first.

#include "app/figure/pages/qr.h"

#include <qrencode.h>

#include <algorithm>
#include <memory>

namespace ropescope {

std::optional<QrCode> qr_code(const std::string& text) {
  constexpr std::size_t kMaxMediumLevelBytes = 600;  // above this, modules become too small for presentation
  const std::size_t length = std::min(text.find('\0'), text.size());
  if (length == 0) return std::nullopt;
  const QRecLevel level = length <= kMaxMediumLevelBytes ? QR_ECLEVEL_M : QR_ECLEVEL_L;
  const std::unique_ptr<QRcode, decltype(&QRcode_free)> made(
      QRcode_encodeData(static_cast<int>(std::min<std::size_t>(length, 4096)),
                        reinterpret_cast<const unsigned char*>(text.data()), 0, level),
      QRcode_free);
  if (!made) return std::nullopt;
  QrCode code{made->width, {}};
  code.dark.reserve(static_cast<std::size_t>(code.side) * static_cast<std::size_t>(code.side));
  for (int i = 0; i < code.side * code.side; ++i) code.dark.push_back((made->data[i] & 1) != 0);
  return code;
}

std::vector<Rect> qr_rects(const QrCode& code, const Rect& square) {
  const double module = square.width / (code.side + 2 * kQrMargin);
  std::vector<Rect> rects;
  for (int row = 0; row < code.side; ++row) {
    const auto at = code.dark.begin() + row * code.side, end = at + code.side;
    for (auto begin = std::find(at, end, true); begin != end;) {
      const auto after = std::find(begin, end, false);
      const double left = static_cast<double>(begin - at) + kQrMargin, top = row + kQrMargin;
      rects.push_back({square.left + left * module, square.top + top * module,
                       static_cast<double>(after - begin) * module, module});
      begin = std::find(after, end, true);
    }
  }
  return rects;
}

}  // namespace ropescope
