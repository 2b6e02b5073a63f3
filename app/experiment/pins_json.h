#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// [{"slot": 1, "name": …, "rope": {…}}, …] (a name where it has one); with only_changes the knobs that differ from the
/// defaults.
nlohmann::ordered_json pins_to_json(const std::vector<Pin>& pins, bool only_changes);
/// Reads such a list. Throws InputError that names `source` and the place in the list.
std::vector<Pin> pins_from_json(const nlohmann::json& list, const std::string& source);

}  // namespace ropescope
