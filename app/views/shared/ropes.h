#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/resources/text.h"

namespace ropescope {

/// "Llama 3.1 8B · base 500 000 · llama3 ×8": how a rope is called in chips and legends. with_dimension adds "d 128",
/// which is wanted where ropes of different dimension stand side by side.
std::string rope_label(const RopeKnobs& rope, const Text& text, bool with_dimension);

/// "llama3 ×8", "dynamic ×2 at 16 384", "longrope ×32, long list (131 072)"; empty where the context is not extended.
std::string extension_label(const RopeKnobs& rope, const Text& text);

/// The name of a pinned one, where it has one; else as above.
std::string pin_label(const Pin& pin, const Text& text, bool with_dimension);

/// True where ropes of different dimension stand side by side.
bool labels_need_dimension(const Experiment& experiment);

/// A rope that is on screen: the current one first, then the pinned ones, without those that are hidden.
struct ShownRope {
  std::string key;  ///< "current", "pin1", …
  std::string label;
  int slot = 0;
  const RopeKnobs* rope = nullptr;  ///< lives as long as the experiment
};
std::vector<ShownRope> shown_ropes(const Experiment& experiment, const Text& text);

bool is_hidden(const Experiment& experiment, const std::string& key);

/// VIEW.ladder: which ladder it is, where the extension looks at the current length.
void add_ladder_in_use(std::vector<Readout>& readouts, std::string_view view, const RopeKnobs& rope, const Text& text);

/// The rope of a preset, as opening it gives; how far views look stays. Throws InputError where there is none.
void take_preset(Experiment& experiment, const std::string& id);

AxisScale axis_scale_of(const std::string& name);

}  // namespace ropescope
