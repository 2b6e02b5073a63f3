// nlohmann-json. Its templates are compiled once, in nlohmann.cpp, instead of in every source that uses them: include
// this header in their place.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace ropescope {

/// Parses short JSON, or JSON that the program wrote itself; files of strangers are for json.h, which has limits.
/// Throws nlohmann::json::parse_error.
nlohmann::json parse_own_json(std::string_view text);

}  // namespace ropescope
