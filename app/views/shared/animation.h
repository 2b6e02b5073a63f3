#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/experiment/sweep.h"
#include "app/figure/page.h"
#include "app/resources/text.h"
#include "app/store/store.h"

namespace ropescope {

/// A view while some of its knobs go through their values: frame by frame what `render` draws of them.
struct Animation {
  Experiment experiment;
  std::vector<Sweep> sweeps;  ///< all at once
  std::size_t frames = 2;
  bool there_and_back = false;
};

/// How its frames are drawn.
struct FramePaint {
  PageFormat format = PageFormat::png;
  PageSize size = {};
  ThemeName theme = ThemeName::dark;
  std::function<ViewResult(ViewResult)> chosen = {};  ///< which figures of the view; none: all
};

/// The experiment of a frame, as --set makes it. Throws InputError where a value cannot be.
Experiment experiment_of_frame(const Animation& animation, std::size_t frame);

/// The bytes of every frame in turn; the store computes what they show and must be synchronous. `progress` is told how
/// many are drawn. Fewer than all where `stop` was requested. Throws InputError where a view has nothing to show.
std::vector<std::string> draw_frames(const Animation& animation, const FramePaint& paint, const Text& text,
                                     Store& store, const std::stop_token& stop,
                                     const std::function<void(std::size_t)>& progress);

}  // namespace ropescope
