#include "app/resources/dumps.h"

#include <span>

#include "app/resources/files.h"

namespace ropescope {

AttentionDump load_attention_dump(const std::string& path) {
  const std::string content = read_file(path);
  return parse_attention_dump(std::as_bytes(std::span(content)), path);
}

}  // namespace ropescope
