#include "app/resources/free_memory.h"

#include <fstream>
#include <string>

namespace ropescope {

std::optional<double> free_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string name; file >> name;) {
    double kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes) return 1024 * kibibytes;
    std::getline(file, name);
  }
  return std::nullopt;
}

}  // namespace ropescope
