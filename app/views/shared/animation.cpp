#include "app/views/shared/animation.h"

#include <utility>

#include "app/experiment/figure_file.h"
#include "app/views/shared/sweep_grid.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

Experiment experiment_of_frame(const Animation& animation, std::size_t frame) {
  const double fraction = fraction_of_frame(frame, animation.frames, animation.there_and_back);
  std::vector<std::string> settings;
  for (const Sweep& sweep : animation.sweeps) {
    settings.push_back(sweep_assignment(animation.experiment, sweep, fraction));
  }
  const Experiment experiment = with_settings(animation.experiment, settings);
  const View& view = find_view(experiment.view);
  if (view.check) view.check(experiment);
  return experiment;
}

std::vector<std::string> draw_frames(const Animation& animation, const FramePaint& paint, const Text& text,
                                     Store& store, const std::stop_token& stop,
                                     const std::function<void(std::size_t)>& progress) {
  const View& view = find_view(animation.experiment.view);
  std::vector<std::string> frames;
  for (std::size_t frame = 0; frame < animation.frames && !stop.stop_requested(); ++frame) {
    store.begin_pass();
    const Experiment experiment = experiment_of_frame(animation, frame);
    ViewResult result = draw_view(view, experiment, text, store);
    store.end_pass();
    if (!result.fault.empty()) throw InputError(result.fault);
    if (paint.chosen) result = paint.chosen(std::move(result));
    frames.push_back(
        paint_page(result, paint.format, paint.size, {.theme = paint.theme, .carries = figure_text(experiment)}));
    if (progress) progress(frame + 1);
  }
  return frames;
}

}  // namespace ropescope
