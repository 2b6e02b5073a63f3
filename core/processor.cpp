#include "core/processor.h"

namespace ropescope {

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma");
}
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
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
