#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/ui/app.h"

namespace ropescope::ui {

/// PendingOpen::field and Dialog::field of a file that is opened beside the present model, to compare both.
inline constexpr std::string_view kCompared = "compared";

/// The profiles of the file or preset that the current rope came from, for the list; a file that is gone has none.
void load_profiles(App& app);

/// Opens a model's file or the rope of a saved experiment beside the present rope, which is pinned as the first one,
/// and shows in what they differ. A file that cannot be used leaves the experiment as it was and says why.
void compare_with(App& app, const std::string& path);
/// Files that were dropped together: two that describe models are compared, others are opened one after the other.
void open_paths(App& app, const std::vector<std::string>& paths);
/// The list of files to open one beside the present model.
void open_compare_dialog(App& app);

}  // namespace ropescope::ui
