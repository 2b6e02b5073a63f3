#include "app/commands/threads_option.h"

#include <cmath>

#include "app/experiment/experiment.h"

namespace ropescope {

namespace {

constexpr int kMostThreads = 256;

}  // namespace

void add_threads_option(Arguments& arguments, std::optional<std::string>& target) {
  arguments.option("--threads", "N", target, "Threads to compute with (default: as many as there are cores)");
}

int read_threads(const std::optional<std::string>& option) {
  if (!option) return 0;
  const std::optional<double> value = parse_number(*option);
  if (!value || *value < 1 || *value > kMostThreads || *value != std::floor(*value)) {
    reject("--threads", *option, "a whole number from 1 to " + std::to_string(kMostThreads));
  }
  return static_cast<int>(*value);
}

}  // namespace ropescope
