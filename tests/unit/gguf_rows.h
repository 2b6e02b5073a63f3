#pragma once

#include "tests/gguf_files.h"
#include "tests/test.h"

namespace ropescope {

/// A GGUF of these values: numbers with a point in float32, others uint32.
inline GgufWriter gguf_of(const json& values) {
  GgufWriter writer;
  for (const auto& [key, value] : values.items()) {
    if (value.is_string()) {
      writer.text(key, value);
    } else if (value.is_boolean()) {
      writer.flag(key, value);
    } else if (value.is_number_float()) {
      writer.real(key, value);
    } else if (value.is_number()) {
      writer.whole(key, value);
    } else if (value.contains("uint64")) {
      writer.whole(key, value["uint64"], GgufType::uint64);
    } else if (value.contains("tensor")) {
      writer.tensor(key, value["tensor"].get<std::vector<double>>());
    } else if (value[0].is_string()) {
      writer.texts(key, value.get<std::vector<std::string>>());
    } else {
      const bool flags = value[0].is_boolean();
      std::vector<std::int64_t> wholes;
      for (const json& each : value) wholes.push_back(flags ? each.get<bool>() : each.get<std::int64_t>());
      writer.wholes(key, wholes, flags ? GgufType::boolean : GgufType::int32);
    }
  }
  return writer;
}

}  // namespace ropescope
