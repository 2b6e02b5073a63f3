// The commands `render`, `animate` and `screenshot`: an experiment from options (experiment_options.h) becomes figures
// (draw_view() of app/views/view.h), and a painter writes them as a file.
//
// Contents: render; animate; Taking a screenshot; screenshot.

#include <imgui.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/commands/sweep.h"
#include "app/experiment/experiment.h"
#include "app/experiment/figure_file.h"
#include "app/figure/cells.h"
#include "app/figure/figure.h"
#include "app/figure/pages/gif.h"
#include "app/figure/pages/page.h"
#include "app/figure/picture.h"
#include "app/figure/table.h"
#include "app/gpu/gpu.h"
#include "app/lessons/lesson.h"
#include "app/platform/context.h"
#include "app/resources/files.h"
#include "app/resources/models.h"
#include "app/resources/text.h"
#include "app/ui/app.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/state.h"
#include "app/views/shared/facets.h"
#include "app/views/shared/figures.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/words.h"

namespace ropescope {

// --- render --------------------------------------------------------------------------------------------------------

namespace {

struct RenderValues {
  std::string view;
  ExperimentOptions experiment;
  std::optional<std::string> size, dpi, theme, text_size, outlines, legend, font, language, figure, output, threads;
};

PageSize read_size_render(const RenderValues& values) {
  return values.size ? parse_page_size(*values.size) : PageSize{};
}

/// Options that say nothing about this file are refused, not overlooked.
PageStyle read_style(const RenderValues& values, const std::string& format) {
  PageStyle style{.theme = parse_theme(values.theme.value_or("dark"))};
  if (values.text_size) {
    style.text_percent = read(number_between(kSmallestPageText, kLargestPageText), "--text-size", *values.text_size);
  }
  if (values.dpi) {
    if (format != ".png" || !read_size_render(values).millimetres) {
      throw InputError("command.dpi", {{"found", *values.dpi}});
    }
    style.dpi = read(number_between(kSmallestDpi, kLargestDpi), "--dpi", *values.dpi);
  }
  if (values.outlines) {
    if (format != ".svg") throw InputError("command.outlines", {{"found", *values.outlines}});
    style.outlines = read_choice("--outlines", *values.outlines, {"yes", "no"}) == 0;
  }
  if (values.legend) style.legend = read_choice<LegendPlace>("--legend", *values.legend);
  if (values.font) style.font = *values.font;
  return style;
}

/// The figure of all cells where it is given by its name, or not at all.
std::vector<Panel> chosen_panels(const ViewResult& result, const std::string& figure) {
  const bool first = figure == "1" && !result.panels.front().figure.cell.empty();
  const std::string name = first ? figure_of_cell(result.panels.front().figure.name) : figure;
  const std::vector<Panel> panels = panels_of_cells(result.panels, name);
  if (!panels.empty()) return panels;
  return {find_panel(result, figure)};
}

/// Cells with many figures show one of them.
void notice_left_out_render(const ViewResult& shown) {
  const std::string names = joined(figures_left_out(shown.panels));
  if (!names.empty()) {
    put_notice("each cell shows " + figure_of_cell(shown.panels.front().figure.name) +
               " alone, to be read; --figure takes another one: " + names);
  }
}

std::string painted(const ViewResult& result, const Experiment& experiment, const std::string& format,
                    const RenderValues& values) {
  ViewResult shown = result;
  if (values.figure || format == ".csv") shown.panels = chosen_panels(result, values.figure.value_or("1"));
  if (format == ".csv") return cells_csv(shown);
  if (format == ".json") return table_json(shown);
  const PageFormat page = picture_format(format).value();
  notice_left_out_render(shown);
  PageStyle style = read_style(values, format);
  style.carries = figure_text(experiment);
  const PageSize size = read_size_render(values);
  if (page == PageFormat::png) check_picture_memory(in_pixels(size, style.dpi));
  const EndOnInterrupt interrupt("before the picture was drawn");
  return paint_page(shown, page, size, style);
}

std::string read_format_render(const std::string& output) {
  const std::string format = std::filesystem::path(output).extension().string();
  const std::vector<std::string> known{".svg", ".pdf", ".png", ".csv", ".json"};
  if (std::find(known.begin(), known.end(), format) == known.end()) reject("-o", output, ending_in(known));
  return format;
}

/// What is not finite is a gap in a curve, which is seen; in a table it is nan and in JSON null.
void notice_gaps(const ViewResult& result) {
  for (const Panel& panel : result.panels) {
    for (const Line& line : panel.figure.lines) {
      std::size_t count = 0, first = 0;
      for (std::size_t i = 0; i < line.series->ys.size(); ++i) {
        if (!std::isfinite(line.series->ys[i]) && count++ == 0) first = i;
      }
      if (count == 0) continue;
      put_notice(panel.figure.name + ", " + line.label + ": " + std::to_string(count) + " of " +
                 std::to_string(line.series->ys.size()) + " values are not finite, first at " +
                 shortest_number(line.series->x_at(first)));
    }
  }
}

/// Returns the experiment that a lesson's step shows. Throws InputError if there is no such lesson or step.
Experiment experiment_of_step(const StepLink& link) {
  const std::filesystem::path assets = find_places().assets;
  const Lesson lesson = load_lesson(assets, link.lesson, kEnglish);
  const auto step = link.step.empty() ? std::optional<std::size_t>(0) : find_step(lesson, link.step);
  if (!step || lesson.steps.empty()) reject("link", link.step, {"expected.step", {{"lesson", link.lesson}}});
  return link.experiment.empty() ? state_of(lesson, *step, assets).experiment : load_experiment(link.experiment);
}

/// What is drawn: an existing file, a link, a view, a preset. A file and a link hold an experiment.
ExperimentOptions read_shown(const RenderValues& values) {
  ExperimentOptions options = values.experiment;
  const std::string& word = values.view;
  std::error_code ignored;
  const std::vector<std::string> views = names_by(all_views(), &View::id);
  const bool view = std::find(views.begin(), views.end(), word) != views.end();
  const bool file = !view && std::filesystem::exists(word, ignored);
  const std::optional<std::string> preset = view || file ? std::nullopt : preset_named(find_places().assets, word);
  if (!view && !preset && options.experiment) throw InputError("command.two_experiments", {{"name", word}});
  if (view) {
    options.view = word;
  } else if (const auto step = file ? std::nullopt : step_of_link(word)) {
    options.start = experiment_of_step(*step);
  } else if (preset) {
    options.view = Experiment().view;
    if (names_source(options.rope)) refuse_both(word, "--model");
    options.rope.model = *preset;
  } else if (file || is_link(word) || word.find_first_of("./") != std::string::npos) {
    options.experiment = word;
  } else {
    find_view(word);  // throws, and names the views
  }
  return options;
}

void run_render(const RenderValues& values) {
  const ExperimentOptions options = read_shown(values);
  const std::string format = read_format_render(*values.output);
  const bool table = format == ".csv" || format == ".json";
  if (table) {
    refuse_picture_options({{"--size", &values.size},
                            {"--dpi", &values.dpi},
                            {"--theme", &values.theme},
                            {"--text-size", &values.text_size},
                            {"--outlines", &values.outlines},
                            {"--legend", &values.legend},
                            {"--font", &values.font}});
  }
  // Wrong options are said before anything is computed.
  read_size_render(values);
  if (!table) read_style(values, format);
  const int threads = read_threads(values.threads);
  const Experiment experiment = resolve_experiment(options);
  const View& view = find_view(experiment.view);
  const Text text = read_language(values.language, table ? Text::FormulaForm::plain : Text::FormulaForm::drawn);
  Store store(Store::Mode::synchronous, threads);
  const ViewResult result = draw_view(view, experiment, text, store);
  for (const std::string& why : {result.fault, result.undone}) {
    if (!why.empty()) throw InputError(why);
  }
  put_result(values.output, painted(result, experiment, format, values));
  if (table) notice_gaps(result);
}

}  // namespace

Action declare_render(Arguments& arguments) {
  const auto values = std::make_shared<RenderValues>();
  arguments.positional("VIEW", values->view,
                       "What to draw: " + or_list(names_by(all_views(), &View::id)) +
                           "; or a figure, saved experiment, link or preset to start from");
  add_experiment_options(arguments, values->experiment);
  arguments.option("--size", "1200x800", values->size, "Pixels, or millimetres: 170x110mm");
  arguments.option("--dpi", "300", values->dpi, "Pixels per inch of a PNG in millimetres (default: 300)");
  arguments.option("--theme", "dark|light", values->theme, "Colours (default: dark)");
  arguments.option("--text-size", "100", values->text_size, "Text in percent of its usual size, 50 to 300");
  arguments.option("--outlines", "yes|no", values->outlines, "SVG: text as outlines (default: yes), or as text");
  const std::vector<std::string> places{std::begin(kWordsOf<LegendPlace>), std::end(kWordsOf<LegendPlace>)};
  arguments.option("--legend", joined(places, "|"), values->legend, "Where curves are named (default: above)");
  arguments.option("--font", "NAME", values->font, "sans (default), serif, or a family that is installed");
  add_language_option(arguments, values->language);
  arguments.option("--figure", "N", values->figure, "Number or name of one figure of the view (CSV default: 1)");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write: .svg, .pdf, .png, .csv or .json",
                   Arguments::Need::required);
  return [values] { run_render(*values); };
}

// --- animate -------------------------------------------------------------------------------------------------------

namespace {

constexpr double kShortest = 0.1, kLongest = 600, kSlowest = 1, kFastest = 50;
constexpr int kMostFrames = 3000, kMostPlays = 65535;
/// The share of the time, about, until all frames are drawn.
constexpr double kAnimateShareOfDrawing = 0.8;

struct AnimateValues {
  std::string view;
  ExperimentOptions experiment;
  std::vector<std::string> sweeps;
  std::optional<std::string> size, theme, language, figure, output, threads, seconds, fps, loop;
  bool there_and_back = false;
};

std::size_t read_frames(double seconds, double fps) {
  const double frames = std::round(seconds * fps);
  if (frames < 2 || frames > kMostFrames) {
    throw InputError("command.frames", {{"frames", frames}, {"most", kMostFrames}});
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
  if (extension != ".gif" && extension != ".png" && extension != ".svg") reject("-o", output, Words("expected.frames"));
  require_folder(path);
  Output read{extension == ".svg" ? PageFormat::svg : PageFormat::png, extension == ".gif", {}, {}, 0};
  if (read.gif) return read;
  std::smatch match;
  const std::regex number("^([^%]*)%(?:0([1-9]))?d([^%]*)$");
  if (!std::regex_match(name, match, number)) reject("-o", output, {"expected.frame_number", {{"ending", extension}}});
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

struct AnimateWork {
  Animation animation;
  FramePaint paint;
  Output output;
  GifOptions gif;
};

/// The bytes of the files. Nothing is written before all is drawn, so that Ctrl-C leaves nothing.
std::vector<std::string> watched_frames(const AnimateWork& work, const Text& text, int threads) {
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
  if (size.millimetres) reject("--size", *given, Words("expected.pixels"));
  return size;
}

AnimateWork read_work(const AnimateValues& values) {
  AnimateWork work;
  const View& view = find_view(values.view);
  work.output = read_output(*values.output);
  work.paint.format = work.output.format;
  work.paint.size = read_pixels_animate(values.size);
  work.paint.theme = parse_theme(values.theme.value_or("dark"));
  work.gif.frames_per_second = read(number_between(kSlowest, kFastest), "--fps", values.fps.value_or("25"));
  work.gif.plays = static_cast<int>(read(count_between(0, kMostPlays), "--loop", values.loop.value_or("0"),
                                         {"expected.plays", {{"most", kMostPlays}}}));
  if (values.loop && !work.output.gif) throw InputError("command.loop", {});
  const double seconds = read(number_between(kShortest, kLongest), "--seconds", values.seconds.value_or("6"));
  work.animation.there_and_back = values.there_and_back;
  work.animation.frames = read_frames(seconds, work.gif.frames_per_second);
  // There and back the number of frames is even: with an odd one, no frame would show where it turns back, or the steps
  // there and back would differ.
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
  if (values.sweeps.empty()) throw InputError("command.sweep_missing", {});
  for (const std::string& sweep : values.sweeps) {
    work.animation.sweeps.push_back(parse_sweep(sweep, experiment, looks_at));
    for (std::size_t i = 0; i + 1 < work.animation.sweeps.size(); ++i) {
      if (work.animation.sweeps[i].key == work.animation.sweeps.back().key) {
        throw InputError("command.given_twice", {{"option", "--sweep"}, {"key", work.animation.sweeps[i].key}});
      }
    }
  }
  return work;
}

void run_animate(const AnimateValues& values) {
  const int threads = read_threads(values.threads);
  const Text text = read_language(values.language, Text::FormulaForm::drawn);
  const AnimateWork work = read_work(values);
  if (work.output.gif || work.output.format == PageFormat::png) check_picture_memory(work.paint.size);
  const std::vector<std::string> files = watched_frames(work, text, threads);
  if (work.output.gif) return put_result(values.output, files.front());
  for (std::size_t frame = 0; frame < files.size(); ++frame)
    put_result(name_of_frame(work.output, frame), files[frame]);
}

}  // namespace

Action declare_animate(Arguments& arguments) {
  const auto values = std::make_shared<AnimateValues>();
  arguments.positional("VIEW", values->view, "What to draw: " + or_list(names_by(all_views(), &View::id)));
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

// --- Taking a screenshot -------------------------------------------------------------------------------------------

namespace {

struct ScreenshotOptions {
  Experiment experiment;
  int width = 1600, height = 1000;
  std::string theme = "dark";
  std::string language = "en";
  double text_scale = 100;   ///< percent
  int threads = 0;           ///< to compute with; 0: all cores
  std::string lesson, step;  ///< a lesson that is played, at this step (empty: the first), in place of the experiment
  bool room = false;         ///< as a room sees it
  bool answered = false;     ///< with the question of the step answered
  std::function<void(double fraction, std::string_view step)> progress = {};
};

/// Widths measured in one frame are used in the next, and a scroll bar needs one more.
constexpr int kTakeScreenshotFrames = 5;
constexpr int kRoomFrames = 24;  ///< until words have found their parts
/// The shares of the time, about, until all frames are laid out, and until they are drawn.
constexpr double kShareOfFrames = 0.3, kTakeScreenshotShareOfDrawing = 0.5;

struct ImGuiContextOwner {
  ImGuiContextOwner() { ImGui::CreateContext(); }
  ~ImGuiContextOwner() { ImGui::DestroyContext(); }
  ImGuiContextOwner(const ImGuiContextOwner&) = delete;
  ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;
};

/// Throws InputError where there is no such lesson or step.
void show_lesson(ui::App& app, const ScreenshotOptions& options) {
  const Lesson lesson = load_lesson(app.places.assets, options.lesson, app.text.language());
  if (!options.step.empty() && !find_step(lesson, options.step)) {
    reject("--step", options.step, {"expected.step", {{"lesson", lesson.file}}});
  }
  if (lesson.steps.empty()) throw InputError("command.no_step", {{"lesson", lesson.file}});
  ui::open_lesson(app, options.lesson, options.step.empty() ? lesson.steps.front().name : options.step);
  if (options.room) ui::toggle_room(app);
}

/// Answers the question of the step: by the choice that is right, else it is passed.
void answer_lesson(ui::App& app) {
  constexpr int kMostPresses = 64;
  if (!ui::question_is_open(app)) return;
  const ui::LessonPlay& play = *app.lesson;
  if (const auto right = right_choice(*play.lesson.steps[play.step].ask, play.whole)) ui::answer_choice(app, *right);
  for (int press = 0; press < kMostPresses && ui::question_is_open(app); ++press) ui::next_step(app, 1);
}

/// The whole window as the bytes of a PNG, drawn by the same code as on screen, without a display. Throws InputError
/// where no off-screen GL 3.3 can be had.
std::string take_screenshot(const ScreenshotOptions& options) {
  ui::check_allocations();
  const OffscreenContext context(options.width, options.height);
  const ImGuiContextOwner imgui;
  ImGui::GetIO().IniFilename = nullptr;
  Places places = find_places();
  const std::unique_ptr<Gpu> gpu = make_gl_gpu(places.shaders);
  ui::App app(places, Store::Mode::synchronous, options.threads);
  app.ui.gpu = gpu.get();
  app.settings.theme = options.theme;
  app.settings.language = options.language;
  ui::apply_language(app);
  app.settings.text_scale = options.text_scale;
  app.history = History(options.experiment);
  app.saving.allowed = false;
  app.settings.motion = false;
  if (!options.lesson.empty()) show_lesson(app, options);
  ui::apply_settings(app, 1);
  gpu->reload_fonts();
  const auto tell = [&options](double fraction, const char* step) {
    if (options.progress) options.progress(fraction, step);
  };
  const int settled = options.room ? kRoomFrames : kTakeScreenshotFrames;
  const int frames = options.answered ? 2 * settled : settled;
  for (int frame = 0; frame < frames; ++frame) {
    if (options.answered && frame == settled) answer_lesson(app);
    tell(kShareOfFrames * frame / frames, "computing");
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
    io.DeltaTime = 1.0f / 60;
    gpu->begin_frame();
    ImGui::NewFrame();
    ui::draw_app(app, options.width, options.height);
    ImGui::Render();
    if (std::exchange(app.requests.rebuild_fonts, false) && frame + 1 < frames) {
      ui::apply_settings(app, 1);
      gpu->reload_fonts();
    }
  }
  tell(kShareOfFrames, "drawing");
  // The frames before it were for their measures alone.
  gpu->draw(ImGui::GetDrawData(), app.ui.palette.ground, options.width, options.height);
  std::vector<std::uint8_t> pixels = gpu->read_pixels(options.width, options.height);
  tell(kTakeScreenshotShareOfDrawing, "writing the picture");
  return encode_png(std::move(pixels), options.width, options.height);
}

}  // namespace

// --- screenshot ----------------------------------------------------------------------------------------------------

namespace {

struct ScreenshotValues {
  ExperimentOptions experiment;
  std::optional<std::string> view, lesson, step, size, theme, language, text_scale, output, threads;
  bool room = false, answered = false;
};

void read_size_screenshot(const std::string& text, ScreenshotOptions& options) {
  const PageSize size = parse_page_size(text);
  if (size.millimetres) throw InputError("command.window_size", {{"found", in_quotes(text)}});
  options.width = static_cast<int>(size.width);
  options.height = static_cast<int>(size.height);
}

double read_text_scale(const std::string& text) {
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  const bool whole_text = error == std::errc() && (end == text.data() + text.size() || std::string(end) == "%");
  // The negated form also refuses NaN.
  if (!whole_text || !(percent >= ui::kSmallestText && percent <= ui::kLargestText)) {
    reject("--text-scale", text, Words("expected.percentage"));
  }
  return percent;
}

std::string watched_screenshot(ScreenshotOptions options) {
  const EndOnInterrupt interrupt("before the window was drawn");
  ProgressLine line;
  options.progress = [&line](double fraction, std::string_view step) { line.show(fraction, step); };
  return take_screenshot(options);
}

void run_screenshot(const ScreenshotValues& values) {
  if (std::filesystem::path(*values.output).extension() != ".png") reject("-o", *values.output, ending_in({".png"}));
  ScreenshotOptions options;
  if (values.size) read_size_screenshot(*values.size, options);
  if (values.text_scale) options.text_scale = read_text_scale(*values.text_scale);
  if (values.theme) {
    parse_theme(*values.theme);
    options.theme = *values.theme;
  }
  options.language = read_language(values.language).language();
  options.threads = read_threads(values.threads);
  options.lesson = values.lesson.value_or("");
  options.step = values.step.value_or("");
  options.room = values.room;
  options.answered = values.answered;
  const bool of_lesson = options.room || options.answered || !options.step.empty();
  if (options.lesson.empty() && of_lesson) throw InputError("command.lesson_needed", {});
  ExperimentOptions shown = values.experiment;
  if (values.view) shown.view = find_view(*values.view).id;
  options.experiment = resolve_experiment(shown);
  check_picture_memory({static_cast<double>(options.width), static_cast<double>(options.height)}, kBytesOfWindowPixel);
  put_result(values.output, watched_screenshot(options));
}

}  // namespace

Action declare_screenshot(Arguments& arguments) {
  const auto values = std::make_shared<ScreenshotValues>();
  arguments.option("--view", "VIEW", values->view,
                   "What the window shows: " + or_list(names_by(all_views(), &View::id)));
  add_experiment_options(arguments, values->experiment);
  arguments.option("--lesson", "ID", values->lesson, "A lesson, or a lecture of your own, in place of all these");
  arguments.option("--step", "NAME", values->step, "Its step (default: the first)");
  arguments.flag("--room", values->room, "As a room sees it");
  arguments.flag("--answered", values->answered, "With the question of the step answered");
  arguments.option("--size", "1600x1000", values->size, "Pixels of the window (default: 1600x1000)");
  arguments.option("--theme", "dark|light", values->theme, "Colours (default: dark)");
  add_language_option(arguments, values->language);
  arguments.option("--text-scale", "100", values->text_scale, "Size of text and controls in percent, 100 to 250");
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write: .png", Arguments::Need::required);
  return [values] { run_screenshot(*values); };
}

}  // namespace ropescope
