#pragma once

#include "core/formats/config.h"
#include "tests/test.h"

namespace ropescope {

/// A model to say in other words.
struct NamedProfiles {
  std::string name;
  std::vector<Profile> profiles;
};

/// Llama 3's head, base and length under an extension.
Profile profile_with(const Extension& extension);

/// Every scaling method with its initial values, with and without a partial rotation and several axes, and the
/// published configs where they are.
std::vector<NamedProfiles> profiles_to_say();

}  // namespace ropescope
