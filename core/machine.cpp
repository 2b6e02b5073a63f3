// Detection of processor features. Read machine.h first.

#include "core/machine.h"

#include <cstdlib>
#include <string_view>

namespace ropescope {

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)

namespace {

/// Returns whether ROPESCOPE_PROCESSOR allows the instructions: avx2 or portable simulates an older processor, any
/// other value has no effect. Read once, at program start.
bool is_allowed(std::string_view instructions) {
  const char* const said = std::getenv("ROPESCOPE_PROCESSOR");
  const std::string_view processor = said ? said : "";
  return processor != "portable" && (processor != "avx2" || instructions == "avx2");
}

const bool kHasAvx512 = is_allowed("avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma");
const bool kHasAvx2 = is_allowed("avx2") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");

}  // namespace

bool has_avx512() {
  return kHasAvx512;
}
bool has_avx2() {
  return kHasAvx2;
}

#else

bool has_avx512() {
  return false;
}
bool has_avx2() {
  return false;
}

#endif

}  // namespace ropescope
