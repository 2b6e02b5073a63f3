#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/experiment/experiment.h"

namespace ropescope {

struct ScreenshotOptions {
  Experiment experiment;
  int width = 1600, height = 1000;
  std::string theme = "dark";
  std::string language = "en";
  double text_scale = 100;   ///< percent
  int threads = 0;           ///< to compute with; 0: all cores
  std::string lesson, step;  ///< a lesson that is played, at this step (empty: the first), in place of the experiment
  bool room = false;         ///< as a room sees it
  std::function<void(double fraction, std::string_view step)> progress = {};
};

/// The whole window as the bytes of a PNG, drawn by the same code as on screen, without a display. Throws InputError
/// where no off-screen GL 3.3 can be had.
std::string take_screenshot(const ScreenshotOptions& options);

}  // namespace ropescope
