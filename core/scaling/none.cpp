#include "core/scaling/parts.h"

namespace ropescope {

namespace {

ScaledLadder compute_none(const ScalingInput& input) {
  return plain_ladder(input.axis);
}

}  // namespace

/// θ_i = b^(−2i/d), whatever the length. RoFormer, arXiv 2104.09864, section 3.2.2.
extern constinit const ScalingMethod kNone{
    .name = "none", .source = "arXiv 2104.09864", .parameters = {}, .compute = compute_none};

}  // namespace ropescope
