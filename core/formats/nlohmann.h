// nlohmann-json, whose templates are compiled once, in nlohmann.cpp, instead of in every source that uses them. Include
// this header instead of nlohmann/json.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

extern template class nlohmann::basic_json<>;
extern template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace ropescope {

/// Parses short JSON, or JSON that the program wrote itself; use json.h, which has limits, for untrusted files. Throws
/// nlohmann::json::parse_error.
nlohmann::json parse_own_json(std::string_view text);

}  // namespace ropescope
