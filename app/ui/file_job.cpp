#include "app/ui/file_job.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/figure/gif.h"
#include "app/resources/files.h"
#include "app/ui/app.h"
#include "app/views/shared/animation.h"
#include "core/error.h"

namespace ropescope::ui {

namespace {

constexpr double kFramesPerSecond = 15;
constexpr double kMostFrames = 600;
constexpr PageSize kSize{960, 640, false};
constexpr double kShareOfDrawing = 0.85;

}  // namespace

FileJob::FileJob(Work work, std::string path)
    : work_(std::move(work)), path_(std::move(path)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void FileJob::run(const std::stop_token& stop) {
  try {
    const std::string bytes = work_(stop, [this](double share) { progress_ = share; });
    if (!bytes.empty() && !stop.stop_requested()) {
      write_file(path_, bytes);
      written_ = true;
    }
  } catch (const std::exception& error) {
    failure_ = words_of(error);
  }
  finished_ = true;
}

void watch_file_job(App& app) {
  if (!app.file_job || !app.file_job->finished()) return;
  const std::shared_ptr<FileJob> job = std::exchange(app.file_job, nullptr);
  if (job->written()) {
    app.messages.push_back({app.text.format("shell.message.saved", {{"path", job->path()}}), false});
  } else if (job->failure().empty()) {
    app.messages.push_back({app.text.format("shell.message.save_stopped", {{"path", job->path()}}), false});
  } else {
    app.messages.push_back({app.text.say(job->failure())});
  }
}

bool stop_file_job(App& app) {
  if (!app.file_job) return false;
  app.file_job->stop();
  return true;
}

bool can_save_gif(const App& app) {
  return !slider_sweep(app.history.current(), app.ui.sweep.last).key.empty();
}

void start_gif(App& app, const Experiment& experiment, const std::string& path) {
  Animation animation{experiment, {slider_sweep(experiment, app.ui.sweep.last)}, 2, true};
  // An even number: where it turns back is one of them.
  const double frames = std::clamp(2 * std::round(app.settings.sweep_seconds * kFramesPerSecond), 2.0, kMostFrames);
  animation.frames = static_cast<std::size_t>(frames);
  FramePaint paint;
  paint.size = kSize;
  paint.theme = parse_theme(app.settings.theme);
  // A slow sweep has as many frames, each shown longer.
  const double per_second = std::max(1.0, frames / (2 * app.settings.sweep_seconds));
  const auto draw = [animation = std::move(animation), paint, text = app.text, per_second](
                        const std::stop_token& stop, const FileJob::Progress& progress) {
    Store store(Store::Mode::synchronous, 1);  // the window goes on beside it
    const auto count = static_cast<double>(animation.frames);
    const std::vector<std::string> drawn = draw_frames(animation, paint, text, store, stop, [&](std::size_t done) {
      progress(kShareOfDrawing * static_cast<double>(done) / count);
    });
    if (stop.stop_requested()) return std::string();
    return encode_gif(drawn, {per_second, 0}, stop,
                      [&](double share) { progress(kShareOfDrawing + (1 - kShareOfDrawing) * share); });
  };
  app.file_job = std::make_shared<FileJob>(draw, path);
}

}  // namespace ropescope::ui
