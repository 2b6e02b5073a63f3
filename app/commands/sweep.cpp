#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/interrupt.h"
#include "app/commands/language_option.h"
#include "app/commands/progress_line.h"
#include "app/commands/sweep_table.h"
#include "app/commands/threads_option.h"
#include "app/resources/files.h"
#include "app/resources/nearest.h"
#include "app/views/shared/readouts.h"
#include "app/views/view.h"
#include "core/error.h"
#include "core/formats/json_reader.h"

namespace ropescope {

namespace {

using SweepClock = std::chrono::steady_clock;
/// A file is written again and again while it grows: at most every so often, and at most for a twentieth of the time.
constexpr auto kSweepBetween = std::chrono::seconds(2);
constexpr int kSweepShareOfWriting = 20;

struct SweepValues {
  std::vector<std::string> readouts, over;
  ExperimentOptions experiment;
  std::optional<std::string> output, threads;
  bool json = false, resume = false, list = false;
};

const View* view_named(const std::string& readout) {
  for (const View* view : all_views()) {
    if (view->id == std::string_view(readout).substr(0, readout.find('.'))) return view;
  }
  return nullptr;
}

/// All views that have numbers of their own.
std::vector<const View*> swept_views() {
  const auto all = all_views();
  std::vector<const View*> views(all.begin(), all.end());
  std::erase_if(views, [](const View* view) { return view->id == "sweep"; });
  return views;
}

void print_list(const Experiment& experiment, const Text& text, Store& store) {
  std::string lines;
  for (const View* view : swept_views()) {
    for (const ListedReadout& readout : list_readouts(*view, experiment, text, store)) {
      lines += readout.name + std::string(readout.name.size() < 28 ? 28 - readout.name.size() : 1, ' ') + readout.label;
      const std::string setting = view_named(readout.name) ? readout.setting : "view=" + std::string(view->id);
      lines += (setting.empty() ? "" : " (--set " + setting + ")") + "\n";
    }
  }
  put_result({}, lines);
  // What nobody would look for here.
  if (experiment.attention.file.empty()) {
    put_notice(
        "cards that tell of files are listed with them: --set check.cos=F --set check.sin=F, or "
        "--set attention.content=file --set attention.file=F");
  }
}

/// Says where a readout is that the view does not show; otherwise which names are near.
[[noreturn]] void refuse_readout(const std::string& name, const Experiment& experiment, const Text& text,
                                 Store& store) {
  std::vector<std::string> names;
  // The names of a view are those of its numbers: another view has none of them, and all together take seconds.
  const View* own = view_named(name);
  for (const View* view : own ? std::vector{own} : swept_views()) {
    for (const ListedReadout& readout : list_readouts(*view, experiment, text, store)) {
      names.push_back(readout.name);
      const bool elsewhere = !readout.setting.empty() || view != &view_of_readout(name, experiment);
      if (!elsewhere || (readout.name != name && !name.starts_with(readout.name + "."))) continue;
      const std::string setting = readout.setting.empty() ? "view=" + std::string(view->id) : readout.setting;
      throw InputError(in_quotes(name) + " is not shown by this experiment; --set " + setting +
                       " was expected with it");
    }
  }
  const std::vector<std::string> near = nearest_words(name, names);
  throw InputError(in_quotes(name) + " is no readout; " +
                   (near.empty() ? "one that \"ropescope sweep --list\" prints" : or_list(near)) + " was expected");
}

/// Throws where neither the experiment nor an end of the grid shows one of the readouts.
void check_readouts(const SweepGrid& grid, const Text& text, Store& store) {
  for (const std::string& name : grid.readouts) {
    const View& view = view_of_readout(name, grid.experiment);
    const auto shown = [&](Experiment experiment) {
      experiment.view = view.id;
      return numbers_of(draw_view(view, experiment, text, store), name).has_value();
    };
    const auto shown_at = [&](std::size_t point) {
      try {
        return shown(experiment_of_point(grid, point));
      } catch (const InputError&) {
        return false;  // a point that cannot be shows nothing
      }
    };
    if (shown(grid.experiment) || shown_at(0) || shown_at(grid.points() - 1)) continue;
    const std::string fault = draw_view(view, grid.experiment, text, store).fault;
    if (!fault.empty() && view_named(name)) throw InputError(name + ": " + fault);
    refuse_readout(name, grid.experiment, text, store);
  }
}

SweepGrid read_grid_sweep(const SweepValues& values, const Experiment& experiment) {
  SweepGrid grid{experiment, values.readouts, {}, values.experiment.sets};
  if (values.readouts.empty()) {
    throw InputError("no readout is named; one that \"ropescope sweep --list\" prints was expected");
  }
  for (std::size_t i = 0; i < values.readouts.size(); ++i) {
    if (std::count(values.readouts.begin(), values.readouts.end(), values.readouts[i]) > 1) {
      throw InputError(values.readouts[i] + " is named twice; once was expected");
    }
  }
  if (values.over.empty()) {
    throw InputError("--over is missing; a knob and its values were expected, such as --over rope.base=1e3..1e7:200");
  }
  const View& view = view_of_readout(values.readouts.front(), experiment);
  const char* looks_at = view.shows_layout && view.shows_layout(experiment) ? "layout" : "";
  for (const std::string& over : values.over) {
    KnobValues knob = parse_knob_values(over, experiment, looks_at, "--over");
    require_presets(knob, "--over");
    if (knob.kind == KnobValues::Kind::model && changes_anything(values.experiment.rope)) {
      throw InputError(
          "--over model is given; no option that gives or changes the model was expected with it "
          "(--set changes a part of each)");
    }
    for (const KnobValues& other : grid.over) {
      if (other.key == knob.key) throw InputError("--over is given twice for " + knob.key + "; once was expected");
    }
    grid.over.push_back(std::move(knob));
  }
  if (grid.points() > kMostPointsOfSweep) {
    throw InputError("--over makes more than " + std::to_string(kMostPointsOfSweep) +
                     " points; that many or fewer were expected");
  }
  for (std::size_t i = 0; i < grid.over.size(); ++i) {
    const KnobValues& knob = grid.over[i];
    if (knob.values.size() >= knob.asked) continue;
    put_notice("--over " + values.over[i] + " takes " + std::to_string(knob.values.size()) + " values, not " +
               std::to_string(knob.asked) + ": the others are the same on the knob's steps");
  }
  return grid;
}

bool ends_in_json(const std::optional<std::string>& output) {
  return output && output->ends_with(".json");
}

/// Computes what is missing and keeps the file up to date with it.
class Run {
 public:
  Run(const SweepGrid& grid, SweepTable& table, const std::optional<std::string>& output)
      : grid_(grid), table_(table), output_(output), saved_(SweepClock::now()) {}

  void go(const Text& text, int threads) {
    const StopOnSignals interrupt({StopRequest::interrupt}, [this] { leave(); });
    ProgressLine line;
    sweep_points(grid_, {table_.rows(), grid_.points()}, text, threads, interrupt.token(),
                 [&](std::size_t point, const SweptPoint& swept) {
                   const std::lock_guard lock(mutex_);
                   table_.add(point, swept);
                   line.show(static_cast<double>(point + 1) / static_cast<double>(grid_.points()),
                             "point " + std::to_string(point + 1) + " of " + std::to_string(grid_.points()));
                   if (SweepClock::now() >= saved_ + pause_) save_for_now();
                 });
    const std::lock_guard lock(mutex_);
    table_.require_any();
    put_result(output_, table_.content());
  }

 private:
  bool grows() const { return output_ && *output_ != "-" && table_.can_grow(); }

  void save_for_now() {
    if (!grows() || table_.failures() == table_.added()) return;
    const SweepClock::time_point begin = SweepClock::now();
    put_result(output_, table_.content());
    saved_ = SweepClock::now();
    pause_ = std::max<SweepClock::duration>(kSweepBetween, kSweepShareOfWriting * (saved_ - begin));
  }

  /// The rows that are there stay.
  [[noreturn]] void leave() {
    const std::lock_guard lock(mutex_);
    ProgressLine::wipe();
    const std::string done = std::to_string(table_.rows()) + " of " + std::to_string(grid_.points()) + " points";
    try {
      if (table_.can_grow()) put_result(output_, table_.content());
      std::_Exit(cancelled("after " + done + (grows() ? "; --resume goes on from there" : "")));
    } catch (const InputError& error) {
      put_notice(said_in_english(error.words()));
      std::_Exit(cancelled("after " + done));
    }
  }

  const SweepGrid& grid_;
  SweepTable& table_;
  const std::optional<std::string>& output_;
  std::mutex mutex_;
  SweepClock::time_point saved_;
  SweepClock::duration pause_ = kSweepBetween;
};

void run_sweep(const SweepValues& values) {
  const int threads = read_threads(values.threads);
  ExperimentOptions options = values.experiment;
  if (const View* view = values.readouts.empty() ? nullptr : view_named(values.readouts.front())) {
    options.view = view->id;
  }
  const Experiment experiment = resolve_experiment(options);
  const Text text = read_language({}, Text::FormulaForm::plain);
  Store store(Store::Mode::synchronous, threads);
  if (values.list) return print_list(experiment, text, store);
  const bool json = values.json || ends_in_json(values.output);
  if (values.resume && (json || !values.output || *values.output == "-")) {
    throw InputError("--resume is given; -o with the name of a CSV file was expected with it");
  }
  if (values.output && *values.output != "-") require_folder(*values.output);
  const SweepGrid grid = read_grid_sweep(values, experiment);
  check_readouts(grid, text, store);
  SweepTable table(grid, json);
  if (values.resume) table.resume(*values.output, text, store);
  if (table.rows() == grid.points()) return;
  Run(grid, table, values.output).go(text, threads);
  table.notice_failures();
}

}  // namespace

Action declare_sweep(Arguments& arguments) {
  const auto values = std::make_shared<SweepValues>();
  arguments.list("READOUT", values->readouts,
                 "Numbers of the cards by their names, such as decay.first_negative, or parts of them, such as "
                 "decay.unfinished.other");
  arguments.flag("--list", values->list, "Print the names that there are");
  arguments.every(
      "--over", "KEY=VALUES", values->over,
      "A knob and its values: A..B, with :N points (default: 50) and :log or :linear after it (default: as its "
      "slider), or a list A,B,C, of a choice by their names; model=PRESET,... too. Several make all "
      "combinations");
  add_experiment_options(arguments, values->experiment);
  add_threads_option(arguments, values->threads);
  arguments.flag("--json", values->json, "JSON instead of CSV; a name that ends in .json means it too");
  arguments.flag("--resume", values->resume, "Go on with the rows that the file of -o has already");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { run_sweep(*values); };
}

}  // namespace ropescope
