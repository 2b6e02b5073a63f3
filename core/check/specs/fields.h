#pragma once

#include <vector>

#include "core/check/specs/compare_specs.h"

namespace ropescope {

/// A field of two embeddings that is not the same in both, and A with the field of B.
struct FieldDifference {
  std::string cause;
  Words text;
  SideValue a, b;
  RotarySpec changed;
  bool is_pairing = false;  ///< `changed` turns other channels together; its ladders are those of A
};

/// The fields that differ, in the order in which people ask for them. Nothing is computed yet: some may change no
/// score, and `changed` need not be a valid embedding.
std::vector<FieldDifference> differing_fields(const RotarySpec& a, const RotarySpec& b);

}  // namespace ropescope
