#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/config_layout.h"

namespace ropescope {

/// The image layout of a config.json with what it fixes.
struct ConfigLayout {
  const Layout* layout = nullptr;
  TokenLayout tokens;   ///< of the image of the example
  std::string example;  ///< a command that prints the ids of an image
};
/// Throws InputError that names the file where its values do not fit the layout.
ConfigLayout config_layout(const LayoutConfig& found, const std::string& file);

/// {"name", "title", "axes": [{"name", "rotary_dim", "base"}], "pairing", …, "example"}.
nlohmann::ordered_json layout_json(const ConfigLayout& layout);
/// The same for people: names of at most 15 characters, and values.
std::vector<std::pair<std::string, std::string>> layout_lines(const ConfigLayout& layout);

/// A number for people: 500000 rather than 5e+05.
std::string plain_number(double value);

}  // namespace ropescope
