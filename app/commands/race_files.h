#pragma once

#include <string>

#include "app/resources/trained_files.h"

namespace ropescope {

/// "rope-softmax-1": of files.
std::string file_name_of(const RunnerSpec& spec);
/// The command that looks at such a dump; empty for T5 and KERPLE, whose trained numbers no option of it takes.
std::string look_command(const TrainedHeads& heads, const std::string& path);

}  // namespace ropescope
