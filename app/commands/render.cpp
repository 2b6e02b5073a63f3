// The commands `render`, `animate` and `screenshot`: an experiment from options (experiment_options.h) becomes figures
// (draw_view() of app/views/view.h), which a painter writes to a file.
//
// Contents: render; animate; Taking a screenshot; screenshot.

#include <imgui.h>

#include <algorithm>
#include <array>
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
#include "app/experiment/experiment.h"
#include "app/experiment/figure_file.h"
#include "app/experiment/page_fields.h"
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
#include "app/ui/dialogs.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/finder.h"
#include "app/ui/lesson/lesson_play.h"
#include "app/ui/lesson/presentation.h"
#include "app/ui/shell.h"
#include "app/ui/start.h"
#include "app/ui/state.h"
#include "app/views/shared/facets.h"
#include "app/views/shared/figures.h"
#include "app/views/sweep.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/message.h"

namespace ropescope {

// --- render --------------------------------------------------------------------------------------------------------

namespace {

/// Options of all commands that draw an experiment.
struct DrawnValues {
  ExperimentOptions experiment;
  std::string language;
  int threads = 0;
  OutputFile output;
};

/// Those of the commands that draw a view's figures on a page.
struct FigureValues : DrawnValues {
  std::string view;
  PageOptions page;
  std::optional<std::string> figure;
};

struct RenderValues : FigureValues {
  std::optional<PageWords> words;  ///< --outlines
};

/// Reads size and look. Rejects options without effect on this file format.
PageFields to_page_of_format(const RenderValues& values, const std::string& format) {
  const std::optional<PageFormat> picture = picture_format(format);
  PageFields page = to_page(values.page, picture.has_value());
  if (values.page.given.has("save.dpi") && (picture != PageFormat::png || !parse_page_size(page.size).millimetres)) {
    throw InputError("command.dpi", {{"found", shortest_number(page.dpi)}});
  }
  page.words = values.words.value_or(page.words);
  if (values.words && picture != PageFormat::svg) {
    throw InputError("command.outlines", {{"found", page.words == PageWords::outlines ? "yes" : "no"}});
  }
  return page;
}

/// Returns the panels of all cells that show the figure; without cells, the panel of this name.
std::vector<Panel> choose_panels(const ViewResult& result, const std::string& figure) {
  const bool first = figure == "1" && !result.panels.front().figure.cell.empty();
  const std::string name = first ? figure_of_cell(result.panels.front().figure.name) : figure;
  std::vector<Panel> panels = panels_of_cells(result.panels, name);
  if (!panels.empty()) return panels;
  return {find_panel(result, figure)};
}

/// Reports figures that are not drawn because cells show only one of their figures.
void report_omitted_figures(const ViewResult& shown) {
  const std::string names = joined(figures_left_out(shown.panels));
  if (!names.empty()) {
    print_notice(
        {"notice.one_figure", {{"figure", figure_of_cell(shown.panels.front().figure.name)}, {"figures", names}}});
  }
}

std::string paint_result(const ViewResult& result, const Experiment& experiment, const std::string& format,
                         const RenderValues& values) {
  ViewResult shown = result;
  const bool csv = format == ".csv";
  if (values.figure || csv) shown.panels = choose_panels(result, values.figure.value_or("1"));
  const std::optional<PageFormat> picture = picture_format(format);
  if (!picture) return csv ? cells_csv(shown) : table_json(shown);
  const PageFormat page = *picture;
  report_omitted_figures(shown);
  const PageFields fields = to_page_of_format(values, format);
  PageStyle style = style_of(fields);
  style.carries = figure_text(experiment);
  const PageSize size = parse_page_size(fields.size);
  if (page == PageFormat::png) check_picture_memory(in_pixels(size, style.dpi));
  const EndOnInterrupt interrupt("picture");
  return paint_page(shown, page, size, style);
}

/// Reports non-finite numbers: visible as a gap in a curve, nan in a table and null in JSON.
void notice_gaps(const ViewResult& result) {
  for (const Panel& panel : result.panels) {
    for (const Line& line : panel.figure.lines) {
      std::size_t count = 0, first = 0;
      for (std::size_t i = 0; i < line.series->ys.size(); ++i) {
        if (!std::isfinite(line.series->ys[i]) && count++ == 0) first = i;
      }
      if (count == 0) continue;
      print_notice({"notice.gaps",
                    {{"figure", panel.figure.name},
                     {"line", line.label},
                     {"count", count},
                     {"all", line.series->ys.size()},
                     {"x", shortest_number(line.series->x_at(first))}}});
    }
  }
}

/// Returns the experiment that a lesson's step shows. Throws InputError if there is no such lesson or step.
Experiment load_step_experiment(const StepLink& link) {
  const std::filesystem::path assets = find_places().assets;
  const Lesson lesson = load_lesson(assets, link.lesson, kEnglish);
  const auto step = link.step.empty() ? std::optional<std::size_t>(0) : find_step(lesson, link.step);
  if (!step || lesson.steps.empty()) reject("link", link.step, {"expected.step", {{"lesson", link.lesson}}});
  return link.experiment.empty() ? state_of(lesson, *step, assets).experiment : load_experiment(link.experiment);
}

/// Returns the experiment to draw: from an existing file or a link, or for a view or a preset.
ExperimentOptions drawn_experiment(const RenderValues& values) {
  ExperimentOptions options = values.experiment;
  const std::string word = current_key(values.view);
  std::error_code ignored;
  const std::vector<std::string> views = names_by(all_views(), &View::id);
  const bool view = std::find(views.begin(), views.end(), word) != views.end();
  const bool file = !view && std::filesystem::exists(word, ignored);
  const bool model = !view && !file && !is_link(word) && resolve_model(word).exists;
  if (!view && !model && options.experiment) throw InputError("command.two_experiments", {{"name", word}});
  if (view) {
    options.view = word;
  } else if (const auto step = file ? std::nullopt : parse_step_link(word)) {
    options.start = load_step_experiment(*step);
  } else if (model) {
    options.view = Experiment().view;
    if (names_source(options.rope)) refuse_both(word, "--model");
    options.rope.model = word;
  } else if (file || is_link(word) || word.find_first_of("./") != std::string::npos) {
    options.experiment = word;
  } else {
    find_view(word);  // throws an error that lists the views
  }
  return options;
}

void run_render(const RenderValues& values) {
  const ExperimentOptions options = drawn_experiment(values);
  const std::string format = require_ending(values.output, {".svg", ".pdf", ".png", ".csv", ".json"});
  const bool table = !picture_format(format);
  to_page_of_format(values, format);  // wrong options are reported before anything is computed
  const Experiment experiment = resolve_experiment(options);
  const View& view = find_view(experiment.view);
  Text text = load_text(values.language, table ? Text::FormulaForm::plain : Text::FormulaForm::drawn);
  if (table) text.use_plain_numbers();
  Store store(Store::Mode::synchronous, values.threads);
  const ViewResult result = draw_view(view, experiment, text, store);
  for (const std::string& why : {result.fault, result.undone}) {
    if (!why.empty()) throw InputError(why);
  }
  const auto is_hint = [](const Panel& panel) { return panel.figure.empty_is_hint; };
  if (!view.opens.empty() && !result.panels.empty() && std::ranges::all_of(result.panels, is_hint)) {
    throw InputError(result.panels.front().figure.empty_message);  // the file that the view needs is not given
  }
  check_swept_readout(experiment, result, text, store);
  put_result(values.output, paint_result(result, experiment, format, values));
  if (table) notice_gaps(result);
}

// --- animate -------------------------------------------------------------------------------------------------------

constexpr double kShortest = 0.1, kLongest = 600, kSlowest = 1, kFastest = 50;
constexpr int kMaxFrames = 3000, kMaxPlays = 65535;
/// Approximate fraction of the time spent on drawing frames.
constexpr double kAnimationDrawingShare = 0.8;

struct AnimateValues : FigureValues {
  std::vector<std::string> sweeps;
  double seconds = 6;
  double fps = 25;
  std::optional<int> plays;  ///< --loop
  bool there_and_back = false;
};

/// The files of the frames: one GIF, or a file per frame, named by a prefix, its number and a suffix.
struct FrameFiles {
  PageFormat format = PageFormat::png;
  bool gif = false;
  std::string before, after;
  int digits = 0;
};

FrameFiles parse_frame_files(const std::string& output) {
  const std::filesystem::path path(output);
  const std::string extension = path.extension().string(), name = path.filename().string();
  const std::optional<PageFormat> picture = picture_format(extension);
  FrameFiles files{picture.value_or(PageFormat::png), extension == ".gif", {}, {}, 0};
  if (files.format == PageFormat::pdf || (!picture && !files.gif)) reject("-o", output, Message("expected.frames"));
  require_folder(path);
  if (files.gif) return files;
  std::smatch match;
  const std::regex number("^([^%]*)%(?:0([1-9]))?d([^%]*)$");
  if (!std::regex_match(name, match, number)) reject("-o", output, {"expected.frame_number", {{"ending", extension}}});
  files.before = (path.parent_path() / match[1].str()).string();
  files.after = match[3];
  files.digits = match[2].matched ? std::stoi(match[2]) : 0;
  return files;
}

std::string name_of_frame(const FrameFiles& output, std::size_t frame) {
  std::string number = std::to_string(frame + 1);
  const auto digits = static_cast<std::size_t>(output.digits);
  if (number.size() < digits) number.insert(0, digits - number.size(), '0');
  return output.before + number + output.after;
}

struct AnimateWork {
  Animation animation;
  FramePaint paint;
  FrameFiles output;
  GifOptions gif;
};

/// Returns the contents of the files. Nothing is written before all frames are drawn, so Ctrl-C leaves no files.
std::vector<std::string> draw_frames_with_progress(const AnimateWork& work, const Text& text, int threads) {
  const EndOnInterrupt interrupt("frames");
  ProgressLine line;
  Store store(Store::Mode::synchronous, threads);
  const double drawing = work.output.gif ? kAnimationDrawingShare : 1;
  const std::size_t count = work.animation.frames;
  std::vector<std::string> frames = draw_frames(work.animation, work.paint, text, store, {}, [&](std::size_t drawn) {
    line.show(drawing * static_cast<double>(drawn) / static_cast<double>(count),
              "frame " + std::to_string(drawn) + " of " + std::to_string(count));
  });
  if (!work.output.gif) return frames;
  return {encode_gif(frames, work.gif, {}, [&line](double share) {
    line.show(kAnimationDrawingShare + (1 - kAnimationDrawingShare) * share, "writing the GIF");
  })};
}

/// Parses the two ends of a number that changes: "rope.base=100..1e6:log". They have no number of values in between.
Variation parse_motion(const std::string& text, const Experiment& experiment, std::string_view looks_at) {
  constexpr std::size_t kEnds = 2;
  const std::size_t dots = text.find("..", text.find('=')), colon = text.find(':', std::min(dots, text.size()));
  const std::string scale = colon < text.size() ? text.substr(colon) : std::string();
  const std::vector<std::string> scales{"", ":log", ":linear"};
  const bool is_form = dots < text.size() && std::ranges::count(scales, scale) > 0;
  const auto refuse = [&text] { reject("--sweep", text, Message("expected.range_of_key")); };
  if (!is_form) refuse();
  const Variation moved = parse_variation(text, experiment, {"--sweep", looks_at, kEnds});
  if (!moved.is_range()) refuse();
  return moved;
}

AnimateWork plan_animation(const AnimateValues& values) {
  AnimateWork work;
  const View& view = find_view(values.view);
  work.output = parse_frame_files(values.output.path());
  work.paint.format = work.output.format;
  const PageFields page = to_page(values.page);
  work.paint.size = parse_page_size(page.size);
  if (work.paint.size.millimetres) reject("--size", page.size, Message("expected.pixels"));
  work.paint.theme = style_of(page).theme;
  work.gif = {values.fps, values.plays.value_or(0)};
  if (values.plays && !work.output.gif) throw InputError("command.loop", {});
  work.animation.there_and_back = values.there_and_back;
  const double frames = std::round(values.seconds * values.fps);
  if (frames < 2 || frames > kMaxFrames) {
    throw InputError("command.frames", {{"frames", frames}, {"most", kMaxFrames}});
  }
  work.animation.frames = static_cast<std::size_t>(frames);
  // There and back, the number of frames is even. With an odd number, no frame would show the turning point, or the
  // steps in the two directions would differ.
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
  const std::string_view looks_at = find_short_key_group(view, experiment);
  if (values.sweeps.empty()) throw InputError("command.sweep_missing", {});
  for (const std::string& sweep : values.sweeps) {
    work.animation.moved.push_back(parse_motion(sweep, experiment, looks_at));
    for (std::size_t i = 0; i + 1 < work.animation.moved.size(); ++i) {
      if (work.animation.moved[i].key == work.animation.moved.back().key) {
        throw InputError("command.given_twice", {{"option", "--sweep"}, {"key", work.animation.moved[i].key}});
      }
    }
  }
  return work;
}

void run_animate(const AnimateValues& values) {
  const Text text = load_text(values.language, Text::FormulaForm::drawn);
  const AnimateWork work = plan_animation(values);
  if (work.output.gif || work.output.format == PageFormat::png) check_picture_memory(work.paint.size);
  const std::vector<std::string> files = draw_frames_with_progress(work, text, values.threads);
  if (work.output.gif) return put_result(values.output, files.front());
  for (std::size_t frame = 0; frame < files.size(); ++frame)
    put_result(name_of_frame(work.output, frame), files[frame]);
}

// --- Taking a screenshot -------------------------------------------------------------------------------------------

struct ScreenshotValues : DrawnValues {
  PageSize size{1600, 1000};
  std::string theme = "dark";
  double text_scale = 100;          ///< per cent
  std::string lesson, step;         ///< a lesson to show, at this step (empty: the first), instead of the experiment
  bool room = false;                ///< presentation mode
  bool answered = false;            ///< the step's question is answered
  bool start = false;               ///< the start screen
  std::optional<std::string> find;  ///< the finder with this text

  int width() const { return static_cast<int>(size.width); }
  int height() const { return static_cast<int>(size.height); }
};

/// Widths measured in one frame are used in the next, and a scroll bar needs one more.
constexpr int kFramesUntilLaidOut = 5;
constexpr int kPresentationFrames = 24;  ///< until the words are assigned to their parts, or a dialog has faded in
/// Approximate fractions of the time until all frames are laid out, and until they are drawn.
constexpr double kShareOfFrames = 0.3, kScreenshotDrawingShare = 0.5;

struct ImGuiContextOwner {
  ImGuiContextOwner() { ImGui::CreateContext(); }
  ~ImGuiContextOwner() { ImGui::DestroyContext(); }
  ImGuiContextOwner(const ImGuiContextOwner&) = delete;
  ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;
};

/// Throws InputError if there is no such lesson or step.
void show_lesson(ui::App& app, const ScreenshotValues& options) {
  const Lesson lesson = load_lesson(app.places.assets, options.lesson, app.text.language());
  if (!options.step.empty() && !find_step(lesson, options.step)) {
    reject("--step", options.step, {"expected.step", {{"lesson", lesson.file}}});
  }
  if (lesson.steps.empty()) throw InputError("command.no_step", {{"lesson", lesson.file}});
  ui::open_lesson(app, options.lesson, options.step.empty() ? lesson.steps.front().name : options.step);
  if (options.room) ui::toggle_presentation(app);
}

/// Answers the question of the step with the correct choice, or skips it.
void answer_lesson(ui::App& app) {
  constexpr int kMaxPresses = 64;
  if (!ui::question_is_open(app)) return;
  const ui::LessonPlay& play = *app.lesson;
  if (const auto right = right_choice(*play.lesson.steps[play.step].ask, play.whole)) ui::answer_choice(app, *right);
  for (int press = 0; press < kMaxPresses && ui::question_is_open(app); ++press) ui::next_step(app, 1);
}

/// Returns the whole window as RGBA, drawn by the on-screen code, without a display. Throws InputError if off-screen GL
/// 3.3 is not available.
std::vector<std::uint8_t> draw_window(const ScreenshotValues& options, const Experiment& experiment,
                                      ProgressLine& line) {
  ui::check_allocations();
  const int width = options.width(), height = options.height();
  const OffscreenContext context(width, height);
  const ImGuiContextOwner imgui;
  ImGui::GetIO().IniFilename = nullptr;
  Places places = find_places();
  const std::unique_ptr<Gpu> gpu = make_gl_gpu(places.shaders);
  ui::App app(places, Store::Mode::synchronous, options.threads);
  app.ui.gpu = gpu.get();
  app.settings.theme = options.theme;
  app.settings.language = options.language.empty() ? kEnglish : options.language;
  ui::apply_language(app);
  app.settings.text_scale = options.text_scale;
  app.history = History(experiment);
  app.saving.allowed = false;
  app.settings.motion = false;
  if (!options.lesson.empty()) show_lesson(app, options);
  if (options.start) {
    ui::start_fresh(app);
    ui::open_dialog(app, ui::DialogKind::start);
  } else if (options.find) {
    ui::open_finder(app, ui::Dialog::Scope::all);
    app.dialog.path = *options.find;
  }
  ui::apply_settings(app, 1);
  gpu->reload_fonts();
  const int choose_axis_values =
      options.room || options.start || options.find ? kPresentationFrames : kFramesUntilLaidOut;
  const int frames = options.answered ? 2 * choose_axis_values : choose_axis_values;
  for (int frame = 0; frame < frames; ++frame) {
    if (options.answered && frame == choose_axis_values) answer_lesson(app);
    line.show(kShareOfFrames * frame / frames, "computing");
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    io.DeltaTime = 1.0f / 60;
    gpu->begin_frame();
    ImGui::NewFrame();
    ui::draw_app(app, width, height);
    ImGui::Render();
    if (std::exchange(app.requests.rebuild_fonts, false) && (frame + 1 < frames || app.holds_picture)) {
      ui::apply_settings(app, 1);
      gpu->reload_fonts();
    }
    // As the window, which shows a step when it has its final place.
    const bool last = frame + 1 == frames || (options.answered && frame + 1 == choose_axis_values);
    if (last && app.holds_picture) --frame;
  }
  line.show(kShareOfFrames, "drawing");
  // The previous frames were only for their measurements.
  gpu->draw(ImGui::GetDrawData(), app.ui.palette.ground, width, height);
  return gpu->read_pixels(width, height);
}

/// Returns the window as the bytes of a PNG. Throws InputError as draw_window().
std::string take_screenshot(const ScreenshotValues& options, const Experiment& experiment) {
  const EndOnInterrupt interrupt("window");
  ProgressLine line;
  std::vector<std::uint8_t> pixels = draw_window(options, experiment, line);
  // The frame buffer is gone by now: it, the pixels and the encoder's copy would be 12 bytes per pixel.
  line.show(kScreenshotDrawingShare, "writing the picture");
  return encode_png(std::move(pixels), options.width(), options.height());
}

// --- screenshot ----------------------------------------------------------------------------------------------------

PageSize parse_window_size(const std::string& text) {
  const PageSize size = parse_page_size(text);
  if (size.millimetres) throw InputError("command.window_size", {{"found", in_quotes(text)}});
  return size;
}

double parse_text_scale(const std::string& option, const std::string& text) {
  const std::optional<double> percent = parse_number(text.substr(0, text.size() - (text.ends_with('%') ? 1 : 0)));
  const bool valid = percent && is_valid(number_between(ui::kSmallestText, ui::kLargestText), *percent);
  if (!valid) reject(option, text, Message("expected.percentage"));
  return *percent;
}

std::string parse_window_theme(const std::string& text) {
  parse_theme(text);  // throws for an unknown one
  return text;
}

void run_screenshot(const ScreenshotValues& values) {
  require_ending(values.output, {".png"});
  const bool of_lesson = values.room || values.answered || !values.step.empty();
  if (values.lesson.empty() && of_lesson) throw InputError("command.lesson_needed", {});
  const Experiment experiment = resolve_experiment(values.experiment);
  check_picture_memory(values.size, kBytesOfWindowPixel, kBytesOfWindow);
  put_result(values.output, take_screenshot(values, experiment));
}

/// Returns the help of an option whose value may be a view.
Message help_of_views(std::string_view key) {
  return {key, {{"views", one_of(names_by(all_views(), &View::id))}}};
}

}  // namespace

Action declare_render(Arguments& arguments) {
  const auto values = std::make_shared<RenderValues>();
  arguments.positional("VIEW", values->view, help_of_views("help.render.VIEW"));
  add_experiment_options(arguments, values->experiment);
  add_picture_options(arguments, values->page, "1200x800");
  arguments.topic("page");
  const FieldList fields = typed_fields_of(values->page.fields);
  const auto add = [&](std::string_view key, const std::string& placeholder) {
    values->page.given.add(arguments, *find_field(fields, key), placeholder);
  };
  add("save.dpi", "300");
  add("save.text_size", "100");
  arguments.option("--outlines", "yes|no",
                   word_into(values->words, {{"yes", PageWords::outlines}, {"no", PageWords::text}}));
  add("save.legend", joined(find_field(fields, "save.legend")->options, "|"));
  add("save.font", "NAME");
  arguments.topic({});
  add_language_option(arguments, values->language);
  arguments.option("--figure", "N", values->figure);
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, Arguments::Need::required);
  return [values] { run_render(*values); };
}

Action declare_animate(Arguments& arguments) {
  const auto values = std::make_shared<AnimateValues>();
  arguments.positional("VIEW", values->view, help_of_views("help.animate.VIEW"));
  arguments.every("--sweep", "KEY=A..B", values->sweeps);
  arguments.flag("--there-and-back", values->there_and_back);
  arguments.option("--seconds", "6", number_into(values->seconds, number_between(kShortest, kLongest)));
  arguments.option("--fps", "25", number_into(values->fps, number_between(kSlowest, kFastest)));
  arguments.option("--loop", "N",
                   number_into(values->plays, count_between(0, kMaxPlays), {"expected.plays", {{"most", kMaxPlays}}}));
  add_experiment_options(arguments, values->experiment);
  add_picture_options(arguments, values->page, "1200x800");
  add_language_option(arguments, values->language);
  arguments.option("--figure", "N", values->figure);
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, Arguments::Need::required);
  return [values] { run_animate(*values); };
}

Action declare_screenshot(Arguments& arguments) {
  const auto values = std::make_shared<ScreenshotValues>();
  const auto view = [](const std::string& text) { return std::string(find_view(text).id); };
  arguments.option("--view", "VIEW", parsed_into(values->experiment.view, view), help_of_views("help.screenshot.view"));
  add_experiment_options(arguments, values->experiment);
  arguments.option("--lesson", "ID", values->lesson);
  arguments.option("--step", "NAME", values->step);
  arguments.flag("--room", values->room);
  arguments.flag("--answered", values->answered);
  arguments.flag("--start", values->start);
  arguments.option("--find", "TEXT", values->find);
  arguments.option("--size", "1600x1000", parsed_into(values->size, parse_window_size));
  arguments.option("--theme", "dark|light", parsed_into(values->theme, parse_window_theme));
  add_language_option(arguments, values->language);
  arguments.option("--text-scale", "100", parsed_into(values->text_scale, parse_text_scale));
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, Arguments::Need::required);
  return [values] { run_screenshot(*values); };
}

}  // namespace ropescope
