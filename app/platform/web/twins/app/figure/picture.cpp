// Picture stub for the web page, which reads no photographs and encodes no PNG itself: callers get an error.

#include "app/figure/picture.h"

#include "core/message.h"

namespace ropescope {

std::string encode_png(std::vector<std::uint8_t>, int, int) {
  throw InputError("web.no_pages", {});
}

std::shared_ptr<const Pixels> decode_photograph(std::string_view, const std::string&, const std::stop_token&) {
  throw InputError("web.no_photographs", {});
}

PhotographSize photograph_size(std::string_view, const std::string&) {
  throw InputError("web.no_photographs", {});
}

}  // namespace ropescope
