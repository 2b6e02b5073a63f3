#pragma once

#include <string>

#include "core/training/heads.h"

namespace ropescope {

/// A model's parameters as .safetensors, under the names of ParameterBlock; vectors have one dimension.
std::string safetensors_of(const Trainer<float>& trainer);

/// Queries, keys and values of all layers as a .safetensors that an attention dump is: q.0, k.0, v.0, q.1, …, each
/// [tokens × heads × channels]; of T5 its trained numbers as well, bias [heads × (2·tokens − 1)]. What makes scores of
/// them stands in its metadata: encoding, attention, causal, base, and for KERPLE r1 and r2 of every head.
std::string dump_of(const TrainedHeads& heads);

}  // namespace ropescope
