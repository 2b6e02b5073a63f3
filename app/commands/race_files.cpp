#include "app/commands/race_files.h"

#include <algorithm>

#include "core/number_text.h"

namespace ropescope {

namespace {

/// As --pairing takes it.
std::string pairing_name(const EncodingSettings& settings) {
  return settings.pairing == Pairing::half_split ? "half" : "interleaved";
}

}  // namespace

std::string file_name_of(const RunnerSpec& spec) {
  std::string name = name_of(spec) + "-" + std::to_string(spec.seed);
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

std::string look_command(const TrainedHeads& heads, const std::string& path) {
  if (trains_its_scores(heads.encoding)) return {};
  std::string command = "ropescope attention --encoding " + heads.encoding;
  const EncodingSettings& settings = heads.settings.front();
  // Said always: one program's default is not another's.
  if (takes(find_encoding(heads.encoding), "pairing")) command += " --pairing " + pairing_name(settings);
  if (takes(find_encoding(heads.encoding), "base") && settings.base != EncodingSettings().base) {
    command += " --base " + number_text(settings.base);
  }
  if (heads.linear_attention) command += " --kind linear";
  if (heads.random_features) command += " --kernel performer";
  if (heads.causal) command += " --causal";
  return command + " --input " + path + " --layer 0 -o heads.png";
}

}  // namespace ropescope
