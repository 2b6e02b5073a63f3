// The templates of nlohmann-json, compiled once for all sources. Read nlohmann.h first.

#include "core/formats/nlohmann.h"

template class nlohmann::basic_json<>;
template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace ropescope {

nlohmann::json parse_own_json(std::string_view text) {
  return nlohmann::json::parse(text);
}

}  // namespace ropescope
