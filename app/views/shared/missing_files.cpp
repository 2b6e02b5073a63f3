#include "app/views/shared/missing_files.h"

#include <algorithm>

#include "app/views/view.h"

namespace ropescope {

std::vector<FileKnob> missing_files(const Experiment& experiment) {
  const View& view = find_view(experiment.view);
  if (!view.files) return {};
  const std::vector<FileStamp> read = view.files(experiment);
  std::vector<FileKnob> missing = wanted_files(experiment);
  std::erase_if(missing, [&read](const FileKnob& file) {
    return std::none_of(read.begin(), read.end(), [&file](const FileStamp& stamp) { return stamp.path == file.path; });
  });
  return missing;
}

}  // namespace ropescope
