#include "app/ui/gif_job.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/gif.h"
#include "app/resources/files.h"
#include "app/ui/app.h"
#include "core/error.h"

namespace ropescope::ui {

namespace {

constexpr double kFramesPerSecond = 15;
constexpr double kMostFrames = 600;
constexpr PageSize kSize{960, 640, false};
constexpr double kShareOfDrawing = 0.85;

}  // namespace

GifJob::GifJob(Animation animation, FramePaint paint, const Text& text, double frames_per_second, std::string path)
    : animation_(std::move(animation)),
      paint_(std::move(paint)),
      text_(text),
      frames_per_second_(frames_per_second),
      path_(std::move(path)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void GifJob::run(const std::stop_token& stop) {
  try {
    Store store(Store::Mode::synchronous, 1);  // the window goes on beside it
    const auto count = static_cast<double>(animation_.frames);
    const std::vector<std::string> frames = draw_frames(
        animation_, paint_, text_, store, stop,
        [this, count](std::size_t drawn) { progress_ = kShareOfDrawing * static_cast<double>(drawn) / count; });
    const std::string bytes =
        stop.stop_requested() ? std::string() : encode_gif(frames, {frames_per_second_, 0}, stop, [this](double share) {
          progress_ = kShareOfDrawing + (1 - kShareOfDrawing) * share;
        });
    if (!bytes.empty() && !stop.stop_requested()) {
      write_file(path_, bytes);
      written_ = true;
    }
  } catch (const std::exception& error) {
    failure_ = words_of(error);
  }
  finished_ = true;
}

bool can_save_gif(const App& app) {
  return !slider_sweep(app.history.current(), app.ui.sweep.last).key.empty();
}

void start_gif(App& app, const Experiment& experiment, const std::string& path) {
  Animation animation{experiment, {slider_sweep(experiment, app.ui.sweep.last)}, 2, true};
  const double frames = std::clamp(std::round(2 * app.settings.sweep_seconds * kFramesPerSecond), 2.0, kMostFrames);
  animation.frames = static_cast<std::size_t>(frames);
  FramePaint paint;
  paint.size = kSize;
  paint.theme = parse_theme(app.settings.theme);
  // A slow sweep has as many frames, each shown longer.
  const double per_second = std::max(1.0, frames / (2 * app.settings.sweep_seconds));
  app.gif_job = std::make_shared<GifJob>(std::move(animation), std::move(paint), app.text, per_second, path);
}

void watch_gif(App& app) {
  if (!app.gif_job || !app.gif_job->finished()) return;
  const std::shared_ptr<GifJob> job = std::exchange(app.gif_job, nullptr);
  if (job->written()) {
    app.messages.push_back({app.text.format("shell.message.saved", {{"path", job->path()}}), false});
  } else if (job->failure().empty()) {
    app.messages.push_back({app.text.format("shell.message.gif_stopped", {{"path", job->path()}}), false});
  } else {
    app.messages.push_back({app.text.say(job->failure())});
  }
}

bool stop_gif(App& app) {
  if (!app.gif_job) return false;
  app.gif_job->stop();
  return true;
}

}  // namespace ropescope::ui
