#include "core/check/cause.h"

namespace ropescope {

namespace {

// Where several causes give the same tensor the first is named, the others stand in `also`: within the ids, whole
// exchanges before orders of tokens, shifts of a part before shifts of everything, a factor of frequencies before one
// of positions; within the frequencies, what the config asks for before what it does not speak of.
const Cause kCauses[] = {
    kBase,            // any other geometric ladder
    kPairing,         // a table repeated the other way
    kPositionOffset,  // any other shift
};

}  // namespace

std::span<const Cause> all_causes() {
  return kCauses;
}

}  // namespace ropescope
