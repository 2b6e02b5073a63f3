#include <algorithm>
#include <memory>

#include "app/commands/commands.h"
#include "app/resources/files.h"
#include "app/resources/models.h"

namespace ropescope {

Action declare_models(Arguments& arguments) {
  const auto output = std::make_shared<std::optional<std::string>>();
  arguments.option("-o,--output", "F", *output, "File to write (default: standard output)");
  return [output] {
    const std::vector<Preset> presets = load_presets(find_places().assets);
    std::size_t width = 0;
    for (const Preset& preset : presets) width = std::max(width, preset.id.size());
    std::string lines;
    for (const Preset& preset : presets) {
      lines += preset.id + std::string(width - preset.id.size() + 2, ' ') + preset.name + "\n";
    }
    put_result(*output, lines);
  };
}

}  // namespace ropescope
