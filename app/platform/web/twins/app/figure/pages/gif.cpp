// GIF stub for the web page, which has no page painter.

#include "app/figure/pages/gif.h"

#include "core/message.h"

namespace ropescope {

std::string encode_gif(const std::vector<std::string>&, const GifOptions&, const std::stop_token&,
                       const std::function<void(double)>&) {
  throw InputError("web.no_pages", {});
}

}  // namespace ropescope
