#include "tests/sampled.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace ropescope {

namespace {

/// A line that `./test` reads (report_tests in .ci/setup.sh).
void report(const std::string& name, std::size_t taken, std::size_t all) {
  std::printf("[ SAMPLED  ] %s: %zu of %zu cells\n", name.c_str(), taken, all);
}

}  // namespace

bool runs_all_cells() {
  const char* const value = std::getenv("ROPESCOPE_LONG");
  return value && std::string_view(value) == "1";
}

int sampled_count(const std::string& name, int some, int all) {
  const int taken = runs_all_cells() ? all : some;
  report(name, static_cast<std::size_t>(taken), static_cast<std::size_t>(all));
  return taken;
}

Sample::Sample(std::string name, std::size_t cells_per_row) : name_(std::move(name)), cells_per_row_(cells_per_row) {}

Sample::~Sample() {
  report(name_, taken_, all_);
}

std::vector<std::size_t> Sample::choose(std::size_t row, std::size_t cells,
                                        const std::function<bool(std::size_t)>& exists) const {
  std::vector<std::size_t> chosen;
  std::vector<bool> tried(cells);
  const std::size_t wanted = runs_all_cells() ? cells : std::min(cells_per_row_, cells);
  for (std::size_t k = 0; k < wanted; ++k) {
    // One cell further with each row, and once more when every cell has been first.
    const std::size_t start = row + row / cells + k * cells / wanted;
    for (std::size_t step = 0; step < cells; ++step) {
      const std::size_t cell = (start + step) % cells;
      if (tried[cell]) continue;
      tried[cell] = true;
      if (!exists(cell)) continue;
      chosen.push_back(cell);
      break;
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

bool Sample::takes(std::size_t row, std::size_t cell, std::size_t cells) {
  const std::vector<std::size_t> chosen = choose(row, cells, [](std::size_t) { return true; });
  const bool taken = std::binary_search(chosen.begin(), chosen.end(), cell);
  count(taken ? 1 : 0, 1);
  return taken;
}

void Sample::count(std::size_t taken, std::size_t all) {
  taken_ += taken;
  all_ += all;
}

}  // namespace ropescope
