#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/dumps/gguf.h"

namespace ropescope {

/// Writes a GGUF: values and tensors in the order in which they are added, tensors of float32. Nothing is checked, so
/// that wrong files can be written too.
class GgufWriter {
 public:
  explicit GgufWriter(bool big_endian = false, std::uint32_t version = 3) : big_(big_endian), version_(version) {}

  GgufWriter& whole(const std::string& key, std::uint64_t value, GgufType type = GgufType::uint32) {
    return add(key, type, number(value, size_of(type)));
  }
  GgufWriter& real(const std::string& key, double value, GgufType type = GgufType::float32) {
    return add(key, type, real_bits(value, type));
  }
  GgufWriter& flag(const std::string& key, bool value) { return add(key, GgufType::boolean, number(value, 1)); }
  GgufWriter& text(const std::string& key, const std::string& value) {
    return add(key, GgufType::text, counted(value));
  }
  GgufWriter& wholes(const std::string& key, const std::vector<std::int64_t>& values, GgufType type = GgufType::int32) {
    std::string content = number(static_cast<std::uint32_t>(type), 4) + number(values.size(), 8);
    for (const std::int64_t value : values) content += number(static_cast<std::uint64_t>(value), size_of(type));
    return add(key, GgufType::array, content);
  }
  GgufWriter& texts(const std::string& key, const std::vector<std::string>& values) {
    std::string content = number(static_cast<std::uint32_t>(GgufType::text), 4) + number(values.size(), 8);
    for (const std::string& value : values) content += counted(value);
    return add(key, GgufType::array, content);
  }
  /// A value whose bytes after the key are given.
  GgufWriter& add(const std::string& key, GgufType type, const std::string& content) {
    values_ += counted(key) + number(static_cast<std::uint32_t>(type), 4) + content;
    ++value_count_;
    return *this;
  }
  GgufWriter& tensor(const std::string& name, const std::vector<double>& numbers, std::uint32_t type = 0) {
    std::string content;
    for (const double one : numbers) content += real_bits(one, GgufType::float32);
    return stored(name, {numbers.size()}, type, content);
  }
  /// A matrix of float32, row by row.
  GgufWriter& matrix(const std::string& name, std::uint64_t columns, const std::vector<double>& numbers) {
    std::string content;
    for (const double one : numbers) content += real_bits(one, GgufType::float32);
    return stored(name, {columns, numbers.size() / columns}, 0, content);
  }
  /// A tensor whose bytes are given; the fastest-varying side is first.
  GgufWriter& stored(const std::string& name, const std::vector<std::uint64_t>& shape, std::uint32_t type,
                     const std::string& content) {
    tensors_ += counted(name) + number(shape.size(), 4);
    for (const std::uint64_t side : shape) tensors_ += number(side, 8);
    tensors_ += number(type, 4) + number(data_.size(), 8);
    data_ += content + std::string((kAlignment - content.size() % kAlignment) % kAlignment, '\0');
    ++tensor_count_;
    return *this;
  }

  /// The file; counts may be claimed to be others.
  std::string file() const { return file(tensor_count_, value_count_); }
  std::string file(std::uint64_t tensors, std::uint64_t values) const {
    std::string content = "GGUF" + number(version_, 4) + number(tensors, 8) + number(values, 8) + values_ + tensors_;
    if (tensor_count_ == 0) return content;
    return content + std::string((kAlignment - content.size() % kAlignment) % kAlignment, '\0') + data_;
  }

  /// A number of so many bytes in the order of the file.
  std::string number(std::uint64_t value, std::size_t size) const {
    std::string content;
    for (std::size_t k = 0; k < size; ++k) {
      const std::size_t place = big_ ? size - 1 - k : k;
      content += static_cast<char>(value >> (8 * place) & 0xFF);
    }
    return content;
  }
  std::string counted(const std::string& text_in) const { return number(text_in.size(), 8) + text_in; }

 private:
  static constexpr std::size_t kAlignment = 32;

  static std::size_t size_of(GgufType type) {
    switch (type) {
      case GgufType::uint8:
      case GgufType::int8:
      case GgufType::boolean:
        return 1;
      case GgufType::uint16:
      case GgufType::int16:
        return 2;
      case GgufType::uint64:
      case GgufType::int64:
      case GgufType::float64:
        return 8;
      default:
        return 4;
    }
  }
  std::string real_bits(double value, GgufType type) const {
    if (type == GgufType::float64) return number(std::bit_cast<std::uint64_t>(value), 8);
    return number(std::bit_cast<std::uint32_t>(static_cast<float>(value)), 4);
  }

  bool big_;
  std::uint32_t version_;
  std::string values_, tensors_, data_;
  std::uint64_t value_count_ = 0, tensor_count_ = 0;
};

/// The values that every model has: architecture, lengths and heads, as llama.cpp's converter writes them.
inline GgufWriter& add_model(GgufWriter& writer, const std::string& architecture, std::uint64_t length,
                             std::uint64_t embedding, std::uint64_t heads) {
  const std::string prefix = architecture + ".";
  return writer.text("general.architecture", architecture)
      .whole(prefix + "context_length", length)
      .whole(prefix + "embedding_length", embedding)
      .whole(prefix + "block_count", 32)
      .whole(prefix + "attention.head_count", heads);
}

}  // namespace ropescope
