// Causes of heads and channels that stand elsewhere: told before anything is searched (compare/arrangement.h), and
// never proposed.

#include "core/check/causes/cause.h"

namespace ropescope {

namespace {

void propose_nothing(const Situation&, std::vector<Proposal>&) {}

}  // namespace

/// Heads of q or k in another order after than before: in turn where grouped queries want each repeated, turned over,
/// groups and members exchanged.
constinit const Cause kHeadOrder{.name = "head-order",
                                 .group = CauseGroup::channels,
                                 .seen_in = "",
                                 .mended_by = kByNothing,
                                 .propose = propose_nothing};

/// The rows of wq and wk permuted by the converter's rule where they should not be, or by another one. With
/// n_head //= n_head_kv, as the first versions for grouped queries had it, wk is permuted as if it had other heads.
constinit const Cause kWeightPermutation{.name = "weight-permutation",
                                         .group = CauseGroup::channels,
                                         .seen_in = "ggml-org/llama.cpp",
                                         .mended_by = kByPermutation,
                                         .propose = propose_nothing};

}  // namespace ropescope
