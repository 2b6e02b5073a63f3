#pragma once

#include "core/check/check.h"

namespace ropescope {

inline CheckOptions with_threads(int threads) {
  CheckOptions options;
  options.threads = threads;
  return options;
}

}  // namespace ropescope
