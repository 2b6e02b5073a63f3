#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/check/reading/stored_tensor.h"

namespace ropescope {

/// One array of a made-up dump.
struct DumpArray {
  std::string name;  ///< "q.3"
  std::vector<std::int64_t> shape;
  std::vector<double> values = {};
  Storage storage = Storage::float32;
};

/// Independent normal numbers, the same every time.
inline DumpArray random_array(const std::string& name, std::vector<std::int64_t> shape, unsigned seed,
                              Storage storage = Storage::float32) {
  DumpArray array{name, std::move(shape), {}, storage};
  std::int64_t count = 1;
  for (const std::int64_t side : array.shape) count *= side;
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  for (std::int64_t i = 0; i < count; ++i) array.values.push_back(normal(random));
  return array;
}

/// A .safetensors of them.
inline std::string safetensors_of(const std::vector<DumpArray>& arrays) {
  std::string header = "{", numbers;
  for (const DumpArray& array : arrays) {
    const std::vector<std::byte> bytes = store_numbers(array.values, array.storage);
    std::string shape;
    for (const std::int64_t side : array.shape) shape += (shape.empty() ? "" : ",") + std::to_string(side);
    const char* dtype = array.storage == Storage::float16    ? "F16"
                        : array.storage == Storage::bfloat16 ? "BF16"
                        : array.storage == Storage::float64  ? "F64"
                                                             : "F32";
    header += (header.size() > 1 ? ",\"" : "\"") + array.name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape +
              "],\"data_offsets\":[" + std::to_string(numbers.size()) + "," +
              std::to_string(numbers.size() + bytes.size()) + "]}";
    numbers.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  header += "}";
  std::string length;
  for (int byte = 0; byte < 8; ++byte) length += static_cast<char>(header.size() >> (8 * byte) & 0xFF);
  return length + header + numbers;
}

/// q and k of `layers` layers, of random numbers.
inline std::vector<DumpArray> random_layers(int layers, std::int64_t tokens, std::int64_t heads, std::int64_t key_heads,
                                            std::int64_t head_dim, unsigned seed = 1) {
  std::vector<DumpArray> arrays;
  for (int layer = 0; layer < layers; ++layer) {
    arrays.push_back(random_array("q." + std::to_string(layer), {tokens, heads, head_dim}, seed++));
    arrays.push_back(random_array("k." + std::to_string(layer), {tokens, key_heads, head_dim}, seed++));
  }
  return arrays;
}

}  // namespace ropescope
