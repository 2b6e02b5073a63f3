#include "app/resources/dumps.h"

namespace ropescope {

AttentionInput LoadedDump::head(std::int64_t head, std::int64_t tokens, const std::string& path) const {
  AttentionInput input = head_of(dump, head, tokens, path);
  file->check_unchanged();
  return input;
}

LoadedDump load_attention_dump(const std::string& path, const DumpReading& reading) {
  LoadedDump loaded;
  loaded.file = map_file(path);
  loaded.dump = parse_attention_dump(loaded.file->bytes(), loaded.file, path, reading);
  loaded.file->check_unchanged();
  return loaded;
}

}  // namespace ropescope
