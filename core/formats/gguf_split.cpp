#include <algorithm>
#include <cstdio>
#include <string_view>

#include "core/error.h"
#include "core/formats/gguf_config.h"
#include "core/formats/gguf_metadata.h"
#include "core/formats/gguf_split.h"

namespace ropescope {

namespace {

/// Written as uint16.
constexpr int kMostParts = 65535;

/// "-00001-of-00004.gguf" of the first of four.
std::string ending_of_gguf_split(int number, int count) {
  char text[40];
  std::snprintf(text, sizeof text, "-%05d-of-%05d.gguf", number + 1, count);
  return text;
}

/// split.no and split.count; 0 of 1 where the file is whole.
struct GgufSplit {
  int number = 0, count = 1;
};

GgufSplit split_of(const GgufFile& file) {
  GgufSplit split;
  split.count = std::max(gguf_whole(file, "split.count").value_or(1), 1);
  if (split.count == 1) return split;
  const auto number = gguf_whole(file, "split.no");
  if (!number) throw InputError(file.source, "gguf.no_number", {{"count", split.count}});
  split.number = *number;
  if (split.count > kMostParts || split.number >= split.count) {
    throw InputError(file.source, "gguf.split", {{"number", split.number + 1}, {"count", split.count}});
  }
  return split;
}

}  // namespace

std::vector<std::string> gguf_parts(const GgufFile& file, const std::string& path) {
  const GgufSplit split = split_of(file);
  if (split.count == 1) return {path};
  const std::string ending = ending_of_gguf_split(split.number, split.count);
  if (!std::string_view(path).ends_with(ending)) {
    throw InputError(file.source, "gguf.split_name",
                     {{"number", split.number + 1}, {"count", split.count}, {"ending", ending}});
  }
  const std::string stem = path.substr(0, path.size() - ending.size());
  std::vector<std::string> paths;
  for (int number = 0; number < split.count; ++number)
    paths.push_back(stem + ending_of_gguf_split(number, split.count));
  return paths;
}

void check_parts(std::span<const GgufFile> parts) {
  const int count = split_of(parts.front()).count;
  std::uint64_t tensors = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const GgufSplit split = split_of(parts[i]);
    tensors += parts[i].tensors.size();
    if (split.count == count && static_cast<std::size_t>(split.number) == i) continue;
    throw InputError(parts[i].source, "gguf.other_part",
                     {{"number", split.number + 1},
                      {"count", split.count},
                      {"expected", static_cast<std::int64_t>(i) + 1},
                      {"of", count}});
  }
  if (parts.size() != static_cast<std::size_t>(count)) {
    throw InputError(parts.front().source, "gguf.parts_missing", {{"there", parts.size()}, {"count", count}});
  }
  const auto declared = gguf_whole(parts.front(), "split.tensors.count");
  if (count > 1 && declared && static_cast<std::uint64_t>(*declared) != tensors) {
    throw InputError(parts.front().source, "gguf.split_tensors",
                     {{"declared", *declared}, {"there", std::to_string(tensors)}});
  }
}

}  // namespace ropescope
