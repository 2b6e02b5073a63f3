// The commands `sweep` and `table`: numbers of cards at every combination of the values of some fields, as a table; and
// the option of `animate` that moves a field.
//
// Contents: Option; Table; sweep; table.

#include "app/commands/sweep.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/commands/commands.h"
#include "app/commands/experiment_options.h"
#include "app/commands/options.h"
#include "app/experiment/sweeps.h"
#include "app/figure/figure.h"
#include "app/figure/grid.h"
#include "app/figure/table.h"
#include "app/resources/files.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/facets.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/words.h"

namespace ropescope {

// --- Option --------------------------------------------------------------------------------------------------------

namespace {

SweepText parts_of_sweep_option(const std::string& text) {
  const std::optional<SweepText> cut = cut_sweep_text(text);
  if (cut && cut->range && cut->points.empty()) return *cut;
  reject("--sweep", text, Words("expected.range_of_key"));
}

}  // namespace

Sweep parse_sweep(const std::string& text, const Experiment& experiment, std::string_view looks_at) {
  const SweepText written = parts_of_sweep_option(text);
  const std::string key = full_field_key(written.key, experiment, looks_at, "--sweep");
  const auto field = find_number(experiment, key);
  if (!field) throw InputError("--sweep", "sweep.no_number", {{"key", key}});
  const Sweep sweep{key, read_swept_value(*field, written.values.front(), "--sweep"),
                    read_swept_value(*field, written.values.back(), "--sweep"),
                    written.scale.empty() ? !field->linear : written.scale == "log"};
  if (sweep.from == sweep.to) reject("--sweep", text, Words("expected.other_end"));
  if (written.scale == "log" && std::min(sweep.from, sweep.to) <= 0) {
    reject("--sweep", text, Words("expected.logarithmic"));
  }
  return sweep;
}

// --- Table ---------------------------------------------------------------------------------------------------------

namespace {

/// What a sweep has found, as CSV or JSON: a row per point, the fields' values in front; what is not defined is an
/// empty cell or null, several numbers stand side by side.
class SweepTable {
 public:
  SweepTable(const SweepGrid& grid, bool json);

  /// Takes over the whole rows of a CSV file, if it is there, and lets it be written. Throws InputError if they are not
  /// those of this sweep: another header, other points, or the first or last row not as it is computed now.
  void resume(const std::filesystem::path& path, const Text& text, Store& store);
  void add(std::size_t point, const SweptPoint& swept);

  std::size_t rows() const { return rows_; }
  std::size_t added() const { return added_; }
  std::size_t failures() const { return failures_; }
  /// Whether a part of it is worth a file: a part of a CSV is one.
  bool can_grow() const { return !json_; }
  std::string content() const;

  /// Throws InputError where nothing could be computed at any of the points that were added.
  void require_any() const;
  /// Says on standard error how many could not, and why the first one.
  void notice_failures() const;

 private:
  std::string row_of(std::size_t point, const SweptPoint& swept) const;
  std::string name_of(std::size_t point) const;

  const SweepGrid& grid_;
  bool json_;
  std::string header_, text_;  // the rows as they are written
  std::size_t rows_ = 0, added_ = 0, failures_ = 0;
  std::string first_failure_;
};

std::string header_of_sweep_table(const SweepGrid& grid) {
  std::string header;
  for (const FieldValues& field : grid.over) header += quoted(field.key) + ",";
  for (const std::string& name : grid.readouts) header += quoted(name) + ",";
  header.back() = '\n';
  return header;
}

Json json_value(const FieldValues& field, double value) {
  if (field.kind == FieldValues::Kind::number) return value;
  if (field.kind == FieldValues::Kind::toggle) return field.text(value) == "true";
  return field.text(value);
}

std::string json_header(const SweepGrid& grid) {
  Json over = Json::array();
  for (const FieldValues& field : grid.over) {
    Json values = Json::array();
    for (const double value : field.values) values.push_back(json_value(field, value));
    over.push_back({{"key", field.key}, {"values", std::move(values)}});
  }
  return "{\n \"over\": " + over.dump() + ",\n \"readouts\": " + Json(grid.readouts).dump() + ",\n \"points\": [\n";
}

std::string field_cells(const SweepGrid& grid, std::size_t point) {
  std::string cells;
  const std::vector<double> values = grid.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) cells += quoted(grid.over[i].text(values[i])) + ",";
  return cells;
}

/// A row of somebody's file in a message.
std::string said_row(std::string row) {
  if (!row.empty() && row.back() == '\n') row.pop_back();
  return in_quotes(row);
}

SweepTable::SweepTable(const SweepGrid& grid, bool json)
    : grid_(grid), json_(json), header_(json ? json_header(grid) : header_of_sweep_table(grid)) {}

std::string SweepTable::row_of(std::size_t point, const SweptPoint& swept) const {
  if (json_) {
    Json row = Json::object();
    const std::vector<double> values = grid_.values(point);
    for (std::size_t i = 0; i < values.size(); ++i) row[grid_.over[i].key] = json_value(grid_.over[i], values[i]);
    for (std::size_t i = 0; i < swept.cells.size(); ++i) row[grid_.readouts[i]] = number(swept.cells[i]);
    return (point == 0 ? "  " : ",\n  ") + row.dump();
  }
  std::string row = field_cells(grid_, point);
  for (const auto& numbers : swept.cells) row += cell_of(numbers) + ",";
  row.back() = '\n';
  return row;
}

std::string SweepTable::name_of(std::size_t point) const {
  std::string name;
  const std::vector<double> values = grid_.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) {
    name += (i == 0 ? "" : ", ") + grid_.over[i].key + "=" + grid_.over[i].text(values[i]);
  }
  return name;
}

void SweepTable::add(std::size_t point, const SweptPoint& swept) {
  text_ += row_of(point, swept);
  ++rows_;
  ++added_;
  if (!swept.fault.empty() && failures_++ == 0) first_failure_ = name_of(point) + ": " + swept.fault;
}

std::string SweepTable::content() const {
  return header_ + text_ + (json_ ? "\n ]\n}\n" : "");
}

void SweepTable::require_any() const {
  if (added_ == grid_.points() && failures_ == added_) throw InputError(first_failure_);
}

void SweepTable::notice_failures() const {
  if (failures_ == 0) return;
  put_notice(std::to_string(failures_) + " of " + std::to_string(grid_.points()) +
             " points could not be computed and have empty cells; the first is " + first_failure_);
}

void SweepTable::resume(const std::filesystem::path& path, const Text& text, Store& store) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  const std::string name = path.string(), content = read_file(path);
  ProtectedInputs::release(path);
  if (!content.starts_with(header_)) throw InputError(name, "command.resume_header", {{"header", said_row(header_)}});
  const auto row_at = [&content](std::size_t begin) {
    return content.substr(begin, content.find('\n', begin) + 1 - begin);
  };
  std::size_t begin = header_.size(), last = begin;
  // A row without an end was torn.
  for (std::size_t end = content.find('\n', begin); end != std::string::npos; end = content.find('\n', begin)) {
    if (rows_ == grid_.points() ||
        content.compare(begin, field_cells(grid_, rows_).size(), field_cells(grid_, rows_)) != 0) {
      const Words expected = rows_ == grid_.points() ? Words("expected.no_more_rows")
                                                     : Words("expected.one_of", {{"names", name_of(rows_)}});
      throw InputError(name, "command.resume_row",
                       {{"row", rows_ + 1}, {"found", said_row(row_at(begin))}, {"expected", expected}});
    }
    last = begin;
    begin = end + 1;
    ++rows_;
  }
  if (rows_ == 0) return;
  for (const auto& [point, at] : {std::pair(std::size_t{0}, header_.size()), std::pair(rows_ - 1, last)}) {
    const std::string now = row_of(point, swept_point(grid_, point, text, store));
    if (row_at(at) == now) continue;
    throw InputError(name, "command.resume_other",
                     {{"row", point + 1}, {"found", said_row(row_at(at))}, {"now", said_row(now)}});
  }
  text_ = content.substr(header_.size(), begin - header_.size());
}

}  // namespace

// --- sweep ---------------------------------------------------------------------------------------------------------

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
      throw InputError("command.not_shown", {{"readout", in_quotes(name)}, {"setting", setting}});
    }
  }
  const std::vector<std::string> near = nearest_words(name, names);
  throw InputError("command.no_readout", {{"readout", in_quotes(name)},
                                          {"expected", near.empty() ? Words("expected.listed") : one_of(near)}});
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
    if (!fault.empty() && view_named(name)) throw InputError::within(name, InputError(fault));
    refuse_readout(name, grid.experiment, text, store);
  }
}

SweepGrid read_grid_sweep(const SweepValues& values, const Experiment& experiment) {
  SweepGrid grid{experiment, values.readouts, {}, values.experiment.sets};
  if (values.readouts.empty()) throw InputError("command.readout_missing", {});
  for (std::size_t i = 0; i < values.readouts.size(); ++i) {
    if (std::count(values.readouts.begin(), values.readouts.end(), values.readouts[i]) > 1) {
      throw InputError("command.named_twice", {{"readout", values.readouts[i]}});
    }
  }
  if (values.over.empty()) throw InputError("command.over_missing", {});
  const View& view = view_of_readout(values.readouts.front(), experiment);
  const char* looks_at = view.shows_layout && view.shows_layout(experiment) ? "layout" : "";
  for (const std::string& over : values.over) {
    FieldValues field = parse_field_values(over, experiment, looks_at, "--over");
    require_presets(field, "--over");
    if (field.kind == FieldValues::Kind::model && changes_anything(values.experiment.rope)) {
      throw InputError("command.over_model", {});
    }
    for (const FieldValues& other : grid.over) {
      if (other.key == field.key) throw InputError("command.given_twice", {{"option", "--over"}, {"key", field.key}});
    }
    grid.over.push_back(std::move(field));
  }
  if (grid.points() > kMostPointsOfSweep) throw InputError("command.over_points", {{"most", kMostPointsOfSweep}});
  for (std::size_t i = 0; i < grid.over.size(); ++i) {
    const FieldValues& field = grid.over[i];
    if (field.values.size() >= field.asked) continue;
    put_notice("--over " + values.over[i] + " takes " + std::to_string(field.values.size()) + " values, not " +
               std::to_string(field.asked) + ": the others are the same on the field's steps");
  }
  return grid;
}

bool ends_in_json(const std::optional<std::string>& output) {
  return output && output->ends_with(".json");
}

/// Where rows are kept until all of them are there.
std::filesystem::path unfinished_path(const std::string& output) {
  return output + ".unfinished";
}

/// Computes what is missing and keeps a file up to date with it. `growing`: that file; the one of -o if it has no other
/// rows to lose, else one next to it, until all is done.
class Run {
 public:
  Run(const SweepGrid& grid, SweepTable& table, const std::optional<std::string>& output, std::string growing)
      : grid_(grid), table_(table), output_(output), growing_(std::move(growing)), saved_(SweepClock::now()) {}

  void go(const Text& text, int threads) {
    const StopOnSignals interrupt({StopRequest::interrupt}, [this] { leave(); });
    ProgressLine line;
    sweep_points(grid_, {table_.rows(), grid_.points()}, text, {threads, interrupt.token()},
                 [&](std::size_t point, const SweptPoint& swept) {
                   const std::lock_guard lock(mutex_);
                   table_.add(point, swept);
                   line.show(static_cast<double>(point + 1) / static_cast<double>(grid_.points()),
                             "point " + std::to_string(point + 1) + " of " + std::to_string(grid_.points()));
                   if (SweepClock::now() >= saved_ + pause_) save_for_now();
                 });
    const std::lock_guard lock(mutex_);
    table_.require_any();
    finish();
  }

  /// All rows are there.
  void finish() const {
    put_result(output_, table_.content());
    std::error_code ignored;
    if (grows() && growing_ != *output_) std::filesystem::remove(growing_, ignored);
  }

 private:
  bool grows() const { return output_ && *output_ != "-" && table_.can_grow(); }

  void save_for_now() {
    if (!grows() || table_.failures() == table_.added()) return;
    const SweepClock::time_point begin = SweepClock::now();
    put_result(growing_, table_.content());
    saved_ = SweepClock::now();
    pause_ = std::max<SweepClock::duration>(kSweepBetween, kSweepShareOfWriting * (saved_ - begin));
  }

  /// The rows that are there stay.
  [[noreturn]] void leave() {
    const std::lock_guard lock(mutex_);
    ProgressLine::wipe();
    const std::string done = std::to_string(table_.rows()) + " of " + std::to_string(grid_.points()) + " points";
    try {
      if (grows()) {
        put_result(growing_, table_.content());
      } else if (table_.can_grow()) {
        put_result(output_, table_.content());
      }
      std::_Exit(cancelled("after " + done + (grows() ? "; --resume goes on from there" : "")));
    } catch (const InputError& error) {
      put_notice(said_in_english(error.words()));
      std::_Exit(cancelled("after " + done));
    }
  }

  const SweepGrid& grid_;
  SweepTable& table_;
  const std::optional<std::string>& output_;
  const std::string growing_;
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
    throw InputError("command.csv_needed", {{"option", "--resume"}});
  }
  if (values.output && *values.output != "-") require_folder(*values.output);
  const SweepGrid grid = read_grid_sweep(values, experiment);
  check_readouts(grid, text, store);
  SweepTable table(grid, json);
  std::string growing = values.output.value_or("-");
  std::error_code ignored;
  const std::string unfinished = unfinished_path(growing).string();
  if (values.resume && std::filesystem::exists(unfinished, ignored)) {
    growing = unfinished;
  } else if (!values.resume && std::filesystem::is_regular_file(growing, ignored)) {
    growing = unfinished;
  }
  if (values.resume) table.resume(growing, text, store);
  if (table.rows() == grid.points()) {
    if (growing == unfinished) Run(grid, table, values.output, growing).finish();
    return;
  }
  Run(grid, table, values.output, growing).go(text, threads);
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
      "A field and its values: A..B, with :N points (default: 50) and :log or :linear after it (default: as its "
      "slider), or a list A,B,C, of a choice by their names; model=PRESET,... too. Several make all "
      "combinations");
  add_experiment_options(arguments, values->experiment);
  add_threads_option(arguments, values->threads);
  arguments.flag("--json", values->json, "JSON instead of CSV; a name that ends in .json means it too");
  arguments.flag("--resume", values->resume, "Go on with the rows that the file of -o has already");
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { run_sweep(*values); };
}

// --- table ---------------------------------------------------------------------------------------------------------

template <>
inline constexpr std::string_view kWordsOf<GridFormat>[] = {"text", "csv", "json", "markdown", "latex"};

namespace {

struct TableValues {
  std::optional<std::string> ropes, cards, format, output, threads;
  ExperimentOptions experiment;
};

/// --format, else by the end of the file's name.
GridFormat format_of_table(const TableValues& values) {
  if (values.format) return read_choice<GridFormat>("--format", *values.format);
  const std::pair<const char*, GridFormat> endings[] = {{".csv", GridFormat::csv},
                                                        {".json", GridFormat::json},
                                                        {".md", GridFormat::markdown},
                                                        {".tex", GridFormat::latex}};
  for (const auto& [ending, format] : endings) {
    if (values.output && values.output->ends_with(ending)) return format;
  }
  return GridFormat::text;
}

void run_table(const TableValues& values) {
  const int threads = read_threads(values.threads);
  const GridFormat format = format_of_table(values);
  if (values.output && *values.output != "-") require_folder(*values.output);
  ExperimentOptions options = values.experiment;
  options.view = "sweep";
  options.sets.insert(options.sets.begin(), "sweep.show=table");
  if (values.ropes) options.sets.push_back("sweep.ropes=" + *values.ropes);
  if (values.cards) options.sets.push_back("sweep.cards=" + *values.cards);
  const Experiment experiment = resolve_experiment(options);
  const Text text = read_language({}, Text::FormulaForm::plain);
  Store store(Store::Mode::synchronous, threads);
  const EndOnInterrupt interrupt("before the table was there");
  const ViewResult table = draw_view(find_view("sweep"), experiment, text, store);
  if (!table.fault.empty()) throw InputError(table.fault);
  const Figure& figure = table.panels.front().figure;
  if (figure.grid.empty()) throw InputError(figure.empty_message);
  put_result(values.output, grid_text(figure, format));
}

}  // namespace

Action declare_table(Arguments& arguments) {
  const auto values = std::make_shared<TableValues>();
  arguments.option("--ropes", "LIST", values->ropes,
                   "Presets, config.json or .gguf files, saved experiments, current, pin1, ... by commas (default: the "
                   "experiment's rope and its pinned ones)");
  arguments.option("--cards", "LIST", values->cards,
                   "Numbers of the cards by their names, by commas; \"ropescope sweep --list\" prints them");
  arguments.option("--format", "text|csv|json|markdown|latex", values->format,
                   "How it is written (default: by the end of the file's name, else text)");
  add_experiment_options(arguments, values->experiment);
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output, "File to write (default: standard output)");
  return [values] { run_table(*values); };
}

}  // namespace ropescope
