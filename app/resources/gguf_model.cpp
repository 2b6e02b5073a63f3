#include "app/resources/gguf_model.h"

#include <memory>
#include <vector>

#include "app/resources/mapped_file.h"
#include "core/error.h"
#include "core/formats/gguf_config.h"

namespace ropescope {

namespace {

using Mapped = std::shared_ptr<const MappedFile>;

/// The `number`th of `count` parts of the model that `asked` belongs to.
Mapped map_part(const std::string& path, const std::string& asked, std::size_t number, std::size_t count) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return map_file(path);
  throw InputError(asked, "gguf.part_missing", {{"number", number}, {"count", count}, {"path", path}});
}

}  // namespace

bool is_gguf(const std::filesystem::path& path) {
  try {
    return begins_like_gguf(map_file(path.string())->bytes());
  } catch (const InputError&) {
    return false;
  }
}

ModelConfig load_gguf_config(const std::filesystem::path& path) {
  const std::string asked = path.string();
  const Mapped first = map_file(asked);
  GgufFile named = read_gguf(first->bytes(), asked);
  const std::vector<std::string> paths = gguf_parts(named, asked);
  std::vector<Mapped> files;
  std::vector<GgufFile> parts;
  for (const std::string& part : paths) {
    const bool same = part == asked;
    files.push_back(same ? first : map_part(part, asked, files.size() + 1, paths.size()));
    parts.push_back(same ? std::move(named) : read_gguf(files.back()->bytes(), part));
  }
  ModelConfig config = parse_gguf_config(parts);
  for (const Mapped& file : files) file->check_unchanged();
  return config;
}

}  // namespace ropescope
