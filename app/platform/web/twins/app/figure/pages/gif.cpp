// In the page there is no painter of pages, and so no GIF of them.

#include "app/figure/pages/gif.h"

#include "core/words.h"

namespace ropescope {

std::string encode_gif(const std::vector<std::string>&, const GifOptions&, const std::stop_token&,
                       const std::function<void(double)>&) {
  throw InputError("web.no_pages", {});
}

}  // namespace ropescope
