#pragma once

#include <memory>
#include <string>

#include "app/resources/mapped_file.h"
#include "core/formats/attention_dump.h"

namespace ropescope {

/// A dump and the file that its numbers may stand in.
struct LoadedDump {
  AttentionDump dump;
  std::shared_ptr<const MappedFile> file;

  /// One head's vectors (core/formats/attention_dump.h). Throws InputError where the file was changed meanwhile, too.
  AttentionInput head(std::int64_t head, std::int64_t tokens, const std::string& path) const;
};

/// Opens a .npz or .npy of q, k and perhaps v (core/formats/attention_dump.h). Throws InputError that names the file.
LoadedDump load_attention_dump(const std::string& path, const DumpReading& reading = {});

}  // namespace ropescope
