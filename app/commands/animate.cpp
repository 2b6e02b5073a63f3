#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <regex>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/figure_option.h"
#include "app/commands/interrupt.h"
#include "app/commands/language_option.h"
#include "app/commands/progress_line.h"
#include "app/commands/sweep_option.h"
#include "app/commands/threads_option.h"
#include "app/figure/gif.h"
#include "app/resources/files.h"
#include "app/resources/nearest.h"
#include "app/views/shared/animation.h"
#include "app/views/view.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr double kShortest = 0.1, kLongest = 600, kSlowest = 1, kFastest = 50;
constexpr int kMostFrames = 3000, kMostPlays = 65535;
/// Of the time, about: until all frames are drawn.
constexpr double kAnimateShareOfDrawing = 0.8;

struct AnimateValues {
  std::string view;
  ExperimentOptions experiment;
  std::vector<std::string> sweeps;
  std::optional<std::string> size, theme, language, figure, output, threads, seconds, fps, loop;
  bool there_and_back = false;
};

double read_number_animate(const char* option, const std::optional<std::string>& given, double otherwise, double least,
                           double most) {
  if (!given) return otherwise;
  const std::optional<double> value = parse_number(*given);
  // The negated form also refuses NaN.
  if (!value || !(*value >= least && *value <= most)) {
    reject(option, *given, "a number from " + shortest_number(least) + " to " + shortest_number(most));
  }
  return *value;
}

int read_plays(const std::optional<std::string>& given) {
  if (!given) return 0;
  const std::optional<double> value = parse_number(*given);
  if (!value || !(*value >= 0 && *value <= kMostPlays) || *value != std::floor(*value)) {
    reject("--loop", *given, "a whole number from 0 (for ever) to " + std::to_string(kMostPlays));
  }
  return static_cast<int>(*value);
}

std::size_t read_frames(double seconds, double fps) {
  const double frames = std::round(seconds * fps);
  if (frames < 2 || frames > kMostFrames) {
    throw InputError("--seconds times --fps are " + shortest_number(frames) + " frames; 2 to " +
                     std::to_string(kMostFrames) + " were expected");
  }
  return static_cast<std::size_t>(frames);
}

/// Where the frames go: one GIF, or a file each, its name made of what stands before and after its number.
struct Output {
  PageFormat format = PageFormat::png;
  bool gif = false;
  std::string before, after;
  int digits = 0;
};

Output read_output(const std::string& output) {
  const std::filesystem::path path(output);
  const std::string extension = path.extension().string(), name = path.filename().string();
  if (extension != ".gif" && extension != ".png" && extension != ".svg") {
    reject("-o", output, "a name that ends in .gif, or numbered frames such as folder/frame-%04d.png or .svg,");
  }
  require_folder(path);
  Output read{extension == ".svg" ? PageFormat::svg : PageFormat::png, extension == ".gif", {}, {}, 0};
  if (read.gif) return read;
  std::smatch match;
  const std::regex number("^([^%]*)%(?:0([1-9]))?d([^%]*)$");
  if (!std::regex_match(name, match, number)) {
    reject("-o", output, "one number for the frames in the name, such as frame-%04d" + extension + ",");
  }
  read.before = (path.parent_path() / match[1].str()).string();
  read.after = match[3];
  read.digits = match[2].matched ? std::stoi(match[2]) : 0;
  return read;
}

std::string name_of_frame(const Output& output, std::size_t frame) {
  std::string number = std::to_string(frame + 1);
  const auto digits = static_cast<std::size_t>(output.digits);
  if (number.size() < digits) number.insert(0, digits - number.size(), '0');
  return output.before + number + output.after;
}

struct Work {
  Animation animation;
  FramePaint paint;
  Output output;
  GifOptions gif;
};

/// The bytes of the files. Nothing is written before all is drawn, so that Ctrl-C leaves nothing.
std::vector<std::string> watched_frames(const Work& work, const Text& text, int threads) {
  const EndOnInterrupt interrupt("before all frames were drawn");
  ProgressLine line;
  Store store(Store::Mode::synchronous, threads);
  const double drawing = work.output.gif ? kAnimateShareOfDrawing : 1;
  const std::size_t count = work.animation.frames;
  std::vector<std::string> frames = draw_frames(work.animation, work.paint, text, store, {}, [&](std::size_t drawn) {
    line.show(drawing * static_cast<double>(drawn) / static_cast<double>(count),
              "frame " + std::to_string(drawn) + " of " + std::to_string(count));
  });
  if (!work.output.gif) return frames;
  return {encode_gif(frames, work.gif, {}, [&line](double share) {
    line.show(kAnimateShareOfDrawing + (1 - kAnimateShareOfDrawing) * share, "writing the GIF");
  })};
}

PageSize read_pixels_animate(const std::optional<std::string>& given) {
  const PageSize size = given ? parse_page_size(*given) : PageSize{};
  if (size.millimetres) reject("--size", *given, "a size in pixels such as 1200x800");
  return size;
}

Work read_work(const AnimateValues& values) {
  Work work;
  const View& view = find_view(values.view);
  work.output = read_output(*values.output);
  work.paint.format = work.output.format;
  work.paint.size = read_pixels_animate(values.size);
  work.paint.theme = parse_theme(values.theme.value_or("dark"));
  work.gif.frames_per_second = read_number_animate("--fps", values.fps, 25, kSlowest, kFastest);
  work.gif.plays = read_plays(values.loop);
  if (values.loop && !work.output.gif) {
    throw InputError("--loop is given; numbered frames have no loop, so a name that ends in .gif was expected for -o");
  }
  const double seconds = read_number_animate("--seconds", values.seconds, 6, kShortest, kLongest);
  work.animation.there_and_back = values.there_and_back;
  work.animation.frames = read_frames(seconds, work.gif.frames_per_second);
  // Of an odd number, none would show where it turns back, or the steps there and back would differ.
  if (values.there_and_back) work.animation.frames += work.animation.frames % 2;
  if (values.figure) {
    work.paint.chosen = [figure = *values.figure](ViewResult result) {
      result.panels = {find_panel(result, figure)};
      return result;
    };
  }
  ExperimentOptions options = values.experiment;
  options.view = values.view;
  work.animation.experiment = resolve_experiment(options);
  const Experiment& experiment = work.animation.experiment;
  const char* looks_at = view.shows_layout && view.shows_layout(experiment) ? "layout" : "";
  if (values.sweeps.empty()) {
    throw InputError("--sweep is missing; what moves was expected, such as --sweep rope.base=100..1e6:log");
  }
  for (const std::string& sweep : values.sweeps) {
    work.animation.sweeps.push_back(parse_sweep(sweep, experiment, looks_at));
    for (std::size_t i = 0; i + 1 < work.animation.sweeps.size(); ++i) {
      if (work.animation.sweeps[i].key == work.animation.sweeps.back().key) {
        throw InputError("--sweep is given twice for " + work.animation.sweeps[i].key + "; once was expected");
      }
    }
  }
  return work;
}

void run_animate(const AnimateValues& values) {
  const int threads = read_threads(values.threads);
  const Text text = read_language(values.language, Text::FormulaForm::drawn);
  const Work work = read_work(values);
  if (work.output.gif || work.output.format == PageFormat::png) check_picture_memory(work.paint.size);
  const std::vector<std::string> files = watched_frames(work, text, threads);
  if (work.output.gif) return put_result(values.output, files.front());
  for (std::size_t frame = 0; frame < files.size(); ++frame)
    put_result(name_of_frame(work.output, frame), files[frame]);
}

}  // namespace

Action declare_animate(Arguments& arguments) {
  const auto values = std::make_shared<AnimateValues>();
  std::vector<std::string> views;
  for (const View* view : all_views()) views.emplace_back(view->id);
  arguments.positional("VIEW", values->view, "What to draw: " + or_list(views));
  arguments.every("--sweep", "KEY=A..B", values->sweeps,
                  "A number of the experiment that goes from A to B, with :log or :linear after it (default: as its "
                  "slider); several go together");
  arguments.flag("--there-and-back", values->there_and_back, "From A to B and back to A, in an even number of frames");
  arguments.option("--seconds", "6", values->seconds, "How long it takes, 0.1 to 600");
  arguments.option("--fps", "25", values->fps, "Frames in a second, 1 to 50");
  arguments.option("--loop", "N", values->loop, "How often a GIF is played; 0: for ever (default)");
  add_experiment_options(arguments, values->experiment);
  arguments.option("--size", "1200x800", values->size, "Pixels");
  arguments.option("--theme", "dark|light", values->theme, "Colours (default: dark)");
  add_language_option(arguments, values->language);
  arguments.option("--figure", "N", values->figure, "Number or name of one figure of the view (default: all)");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output,
                   "File to write: .gif, or numbered frames such as frame-%04d.png or .svg", Arguments::Need::required);
  return [values] { run_animate(*values); };
}

}  // namespace ropescope
