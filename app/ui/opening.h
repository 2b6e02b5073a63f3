// Opening of files, links, presets and profiles, of what was selected in lists, and the way back to the user's
// experiment.
#pragma once

#include <string>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/ui/app.h"

namespace ropescope::ui {

/// Opens a config.json, a GGUF or a saved experiment. If a file cannot be used, the experiment is unchanged and a
/// message gives the reason.
void open_path(App& app, const std::string& path);
/// Opens a preset or another profile of the current config.
void open_preset(App& app, const std::string& id);
void open_profile(App& app, const std::string& name);
/// Opens files dropped together: two files that describe models are compared, others are opened in order.
void open_paths(App& app, const std::vector<std::string>& paths);

/// Keeps the user's experiment after another one replaced it, and offers it in a message. Does nothing if it has the
/// values of a new window.
void offer_way_back(App& app, const Experiment& work);
/// Opens what was selected in this frame, and withdraws the offer of the user's experiment if it is not needed any
/// more.
void open_selected(App& app);

}  // namespace ropescope::ui
