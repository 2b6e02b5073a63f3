#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/gguf.h"
#include "core/formats/json_reader.h"

namespace ropescope {

/// The values of a model that stand under its architecture: "rope.freq_base" is the key "llama.rope.freq_base". Every
/// reader throws InputError naming file and key where the value has another type or is out of range. Whole numbers may
/// have any width and sign, as the format recommends; llama.cpp itself takes the width that its own converter writes.
struct GgufMetadata {
  const GgufFile* file = nullptr;
  std::string architecture;

  /// "llama.rope.freq_base".
  std::string key(std::string_view name) const { return architecture + "." + std::string(name); }
  Words origin(std::string_view name) const { return as_it_is(key(name)); }
  const GgufEntry* find(std::string_view name) const { return find_entry(*file, key(name)); }
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// A finite float32 (the shortest decimal number that it stands for) or float64.
  std::optional<Read<double>> number(std::string_view name) const;
  /// A number > 0.
  std::optional<Read<double>> positive(std::string_view name) const;
  /// A whole number in 0 … 10⁹; of an array (one number for each layer) the first above 0.
  std::optional<Read<int>> whole(std::string_view name) const;
  /// An array of whole numbers in 0 … 10⁹, at most 8192 of them.
  std::optional<Read<std::vector<int>>> wholes(std::string_view name) const;
  std::optional<Read<bool>> flag(std::string_view name) const;
  std::optional<Read<std::string>> text(std::string_view name) const;

  /// Throws InputError "SOURCE: KEY is FOUND; EXPECTED was expected".
  [[noreturn]] void reject(std::string_view name, const std::string& found, const Words& expected) const;
};

/// The shortest decimal number that a float32 reads back from: 0.707, not 0.7070000171661377. Numbers of the metadata
/// are taken so, as their writers had them in mind; the difference is below 6e-8 of the number.
double shortest_of_float(float number);

/// general.architecture. Throws InputError where it is missing, no text or no plain name.
GgufMetadata gguf_metadata(const GgufFile& file);

/// A whole number of a key that stands under no architecture, as split.count.
std::optional<int> gguf_whole(const GgufFile& file, std::string_view key);

}  // namespace ropescope
