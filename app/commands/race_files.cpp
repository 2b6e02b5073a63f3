#include "app/commands/race_files.h"

#include <algorithm>

#include "core/number_text.h"

namespace ropescope {

std::string file_name_of(const RunnerSpec& spec) {
  std::string name = name_of(spec) + "-" + std::to_string(spec.seed);
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

std::string look_command(const TrainedHeads& heads, const std::string& path) {
  std::string command = "ropescope attention --encoding " + heads.encoding;
  const EncodingSettings& settings = heads.settings.front();
  if (takes(find_encoding(heads.encoding), "base") && settings.base != EncodingSettings().base) {
    command += " --base " + number_text(settings.base);
  }
  if (heads.linear_attention) command += " --kind linear";
  if (heads.causal) command += " --causal";
  return command + " --input " + path + " --layer 0 -o heads.png";
}

}  // namespace ropescope
