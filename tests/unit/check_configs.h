#pragma once

#include "check_dump.h"
#include "core/formats/config.h"

namespace ropescope {

std::string content_of(const fs::path& path);

/// The ropes of a model, at the trained length and at twice that, on positions near and far.
void add_cases(const std::vector<Profile>& profiles, const std::string& model, std::vector<CheckCase>& cases);

/// Every rope of every preset.
std::vector<CheckCase> model_cases();

/// Whether the folder of published configs stands beside the source; tests that need it skip where it does not.
bool has_published_configs();
/// Every rope and every image layout of the published configs; a layout's case has the layout's name.
std::vector<CheckCase> published_cases();

}  // namespace ropescope
