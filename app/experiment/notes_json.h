#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/experiment/experiment.h"

namespace ropescope {

/// [{"view": "decay", "figure": "similarity", "text": …, "x", "y", "text_x", "text_y"}, …].
nlohmann::ordered_json notes_to_json(const std::vector<Note>& notes);
/// Reads such a list. Throws InputError that names `source` and the place in the list.
std::vector<Note> notes_from_json(const nlohmann::json& list, const std::string& source);

}  // namespace ropescope
