// The commands `sweep` and `table`: card values at every combination of the values of some fields, as a table.
//
// Contents: Table; sweep; table.

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
#include "app/resources/models.h"
#include "app/resources/system.h"
#include "app/resources/text.h"
#include "app/store/store.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/facets.h"
#include "app/views/view.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"

namespace ropescope {

// --- Option --------------------------------------------------------------------------------------------------------

template <>
inline constexpr std::string_view kWordsOf<GridFormat>[] = {"text", "csv", "json", "markdown", "latex"};

namespace {

// --- Table ---------------------------------------------------------------------------------------------------------

/// The results of a sweep as CSV or JSON: a row per point, starting with the fields' values. Undefined numbers are an
/// empty cell or null; a readout with several numbers has them in one cell.
class SweepTable {
 public:
  SweepTable(const SweepGrid& grid, bool json);

  /// Adopts the complete rows of a CSV file, if it exists, and allows overwriting it. Throws InputError if they do not
  /// belong to this sweep: different header or points, or a first or last row that differs from its recomputed value.
  void resume(const std::filesystem::path& path, const Text& text, Store& store);
  void add(std::size_t point, const SweptPoint& swept);

  std::size_t rows() const { return rows_; }
  std::size_t added() const { return added_; }
  std::size_t failures() const { return failures_; }
  /// Returns whether partial results can be saved, as for CSV.
  bool can_grow() const { return !json_; }
  std::string content() const;
  /// Returns the part of the content, without its end, that no earlier call returned.
  std::string take_new();

  /// Throws InputError if nothing could be computed at any of the added points.
  void require_any() const;
  /// Reports on standard error the number of failures and the first reason.
  void notice_failures() const;

 private:
  std::string row_of(std::size_t point, const SweptPoint& swept) const;
  std::string name_of(std::size_t point) const;

  const SweepGrid& grid_;
  bool json_;
  std::string header_, text_;  // the rows as written
  std::size_t taken_ = 0;      // bytes of both that take_new() has returned
  std::size_t rows_ = 0, added_ = 0, failures_ = 0;
  std::string first_failure_;
};

std::string to_sweep_csv_header(const SweepGrid& grid) {
  std::string header;
  for (const Variation& field : grid.over) header += quote_cell(field.key) + ",";
  for (const std::string& name : grid.readouts) header += quote_cell(name) + ",";
  header.back() = '\n';
  return header;
}

Json json_value(const Variation& field, double value) {
  if (field.kind == Variation::Kind::number) return value;
  if (field.kind == Variation::Kind::toggle) return field.text(value) == "true";
  return field.text(value);
}

std::string json_header(const SweepGrid& grid) {
  Json over = Json::array();
  for (const Variation& field : grid.over) {
    Json values = Json::array();
    for (const double value : field.values) values.push_back(json_value(field, value));
    over.push_back({{"key", field.key}, {"values", std::move(values)}});
  }
  return "{\n \"over\": " + over.dump() + ",\n \"readouts\": " + Json(grid.readouts).dump() + ",\n \"points\": [\n";
}

std::string field_cells(const SweepGrid& grid, std::size_t point) {
  std::string cells;
  const std::vector<double> values = grid.values(point);
  for (std::size_t i = 0; i < values.size(); ++i) cells += quote_cell(grid.over[i].text(values[i])) + ",";
  return cells;
}

/// Returns a row of the user's file, shortened for a message.
std::string quote_row(std::string row) {
  if (!row.empty() && row.back() == '\n') row.pop_back();
  return in_quotes(row);
}

SweepTable::SweepTable(const SweepGrid& grid, bool json)
    : grid_(grid), json_(json), header_(json ? json_header(grid) : to_sweep_csv_header(grid)) {}

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

std::string SweepTable::take_new() {
  const std::size_t begin = std::max(taken_, header_.size()) - header_.size();
  std::string rows = (taken_ == 0 ? header_ : std::string()) + text_.substr(begin);
  taken_ = header_.size() + text_.size();
  return rows;
}

void SweepTable::require_any() const {
  if (added_ == grid_.points() && failures_ == added_) throw InputError(first_failure_);
}

void SweepTable::notice_failures() const {
  if (failures_ == 0) return;
  print_notice({"notice.empty_cells", {{"count", failures_}, {"points", grid_.points()}, {"first", first_failure_}}});
}

void SweepTable::resume(const std::filesystem::path& path, const Text& text, Store& store) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  const std::string name = path.string();
  std::string content = read_file(path);
  ProtectedInputs::release(path);
  // A table of before a renaming goes on under the current names.
  const std::size_t first_line = content.find('\n');
  if (first_line != std::string::npos) content.replace(0, first_line, current_keys(content.substr(0, first_line)));
  if (!content.starts_with(header_)) throw InputError(name, "command.resume_header", {{"header", quote_row(header_)}});
  const auto row_at = [&content](std::size_t begin) {
    return content.substr(begin, content.find('\n', begin) + 1 - begin);
  };
  std::size_t begin = header_.size(), last = begin;
  // A row without a line end is incomplete.
  for (std::size_t end = content.find('\n', begin); end != std::string::npos; end = content.find('\n', begin)) {
    if (rows_ == grid_.points() ||
        content.compare(begin, field_cells(grid_, rows_).size(), field_cells(grid_, rows_)) != 0) {
      const Message expected = rows_ == grid_.points() ? Message("expected.no_more_rows")
                                                       : Message("expected.one_of", {{"names", name_of(rows_)}});
      throw InputError(name, "command.resume_row",
                       {{"row", rows_ + 1}, {"found", quote_row(row_at(begin))}, {"expected", expected}});
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
                     {{"row", point + 1}, {"found", quote_row(row_at(at))}, {"now", quote_row(now)}});
  }
  text_ = content.substr(header_.size(), begin - header_.size());
}

// --- sweep ---------------------------------------------------------------------------------------------------------

using SweepClock = std::chrono::steady_clock;
/// Minimum time between saves of a growing file; saving takes at most a twentieth of the time.
constexpr auto kSweepSaveInterval = std::chrono::seconds(2);
constexpr int kSweepSaveTimeDivisor = 20;

struct SweepValues {
  std::vector<std::string> readouts, over;
  ExperimentOptions experiment;
  int threads = 0;
  OutputFile output;
  bool json = false, resume = false, list = false;
};

void print_list(const Experiment& experiment, const Text& text, Store& store) {
  std::string lines;
  for (const View* view : swept_views()) {
    for (const ListedReadout& readout : list_readouts(*view, experiment, text, store)) {
      lines += readout.name + std::string(readout.name.size() < 28 ? 28 - readout.name.size() : 1, ' ') + readout.label;
      const std::string setting =
          find_view_of_readout(readout.name) ? readout.setting : "view=" + std::string(view->id);
      lines += (setting.empty() ? "" : " (--set " + setting + ")") + "\n";
    }
  }
  put_text({}, lines);
  // Readouts of files are not obvious from this list.
  if (experiment.attention.file.empty()) {
    print_notice(Message("notice.file_readouts"));
  }
}

SweepGrid to_sweep_grid(const SweepValues& values, const Experiment& experiment) {
  SweepGrid grid{experiment, values.readouts, {}, values.experiment.sets};
  for (std::string& readout : grid.readouts) readout = current_key(readout);
  if (values.readouts.empty()) throw InputError("command.readout_missing", {});
  for (const std::string& readout : grid.readouts) {
    if (std::count(grid.readouts.begin(), grid.readouts.end(), readout) > 1) {
      throw InputError("command.named_twice", {{"readout", readout}});
    }
  }
  if (values.over.empty()) throw InputError("command.over_missing", {});
  for (const std::string& over : values.over) {
    vary(grid, over, "--over");
    if (grid.over.back().kind == Variation::Kind::model && values.experiment.rope != RopeOptions()) {
      throw InputError("command.over_model", {});
    }
  }
  if (grid.points() > kMaxSweepPoints) throw InputError("command.over_points", {{"most", kMaxSweepPoints}});
  for (std::size_t i = 0; i < grid.over.size(); ++i) {
    const Variation& field = grid.over[i];
    if (field.values.size() >= field.requested) continue;
    print_notice(
        {"notice.over_values", {{"over", values.over[i]}, {"count", field.values.size()}, {"asked", field.requested}}});
  }
  return grid;
}

/// Returns the file for rows until all of them are computed.
std::filesystem::path unfinished_path(const std::string& output) {
  return output + ".unfinished";
}

/// Returns whether a file begins like the rows of any sweep: its first column is a field, or the model.
bool begins_like_sweep(std::string_view content) {
  const std::string_view line = content.substr(0, content.find('\n'));
  if (line.size() == content.size()) return false;
  const std::string key = current_key(line.substr(0, line.find(',')));
  if (key == kVariedModel) return true;
  const std::vector<FieldInfo> fields = list_fields();
  return std::any_of(fields.begin(), fields.end(), [&key](const FieldInfo& field) { return field.key == key; });
}

/// Computes the missing rows and keeps a file updated; standard output gets each CSV row as soon as it is computed.
/// `growing`: that file. It is the file of -o if that has no other rows to lose; otherwise a file next to it, until all
/// rows are computed.
class Run {
 public:
  Run(const SweepGrid& grid, SweepTable& table, const OutputFile& output, std::string growing)
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
                   if (streams()) {
                     put_new_rows();
                   } else if (SweepClock::now() >= saved_ + pause_) {
                     save_for_now();
                   }
                 });
    const std::lock_guard lock(mutex_);
    table_.require_any();
    finish();
  }

  /// Writes the complete result.
  void finish() {
    put_result(output_, streams() ? table_.take_new() : table_.content());
    std::error_code ignored;
    if (grows() && growing_ != output_.path()) std::filesystem::remove(growing_, ignored);
  }

 private:
  bool to_standard_output() const { return !output_.is_file(); }
  bool streams() const { return to_standard_output() && table_.can_grow(); }
  /// A pipe or device has no earlier rows to replace: it gets the complete result.
  bool grows() const {
    std::error_code ignored;
    return !to_standard_output() && table_.can_grow() &&
           (!std::filesystem::exists(growing_, ignored) || std::filesystem::is_regular_file(growing_, ignored));
  }

  /// Writes the rows computed since the last call, unless no point could be computed so far: if that is true of all
  /// points, the output stays empty.
  void put_new_rows() {
    if (table_.failures() == table_.added()) return;
    if (os::output_goes_to_terminal()) ProgressLine::wipe();
    put_result(output_, table_.take_new());
  }

  void save_for_now() {
    if (!grows() || table_.failures() == table_.added()) return;
    const SweepClock::time_point begin = SweepClock::now();
    put_result(growing_, table_.content());
    saved_ = SweepClock::now();
    pause_ = std::max<SweepClock::duration>(kSweepSaveInterval, kSweepSaveTimeDivisor * (saved_ - begin));
  }

  /// Ends the program; the saved rows stay.
  [[noreturn]] void leave() {
    const std::lock_guard lock(mutex_);
    ProgressLine::wipe();
    const Message::Named done("rows", table_.rows()), all("points", grid_.points());
    try {
      if (grows()) {
        put_result(growing_, table_.content());
      } else if (streams()) {
        put_result(output_, table_.take_new());
      } else if (table_.can_grow()) {
        put_result(output_, table_.content());
      }
      std::_Exit(cancelled(grows() ? "points_saved" : "points", {done, all}));
    } catch (const InputError& error) {
      print_notice(error.words());
      std::_Exit(cancelled("points", {done, all}));
    }
  }

  const SweepGrid& grid_;
  SweepTable& table_;
  const OutputFile& output_;
  const std::string growing_;
  std::mutex mutex_;
  SweepClock::time_point saved_;
  SweepClock::duration pause_ = kSweepSaveInterval;
};

void run_sweep(const SweepValues& values) {
  ExperimentOptions options = values.experiment;
  if (const View* view = values.readouts.empty() ? nullptr : find_view_of_readout(values.readouts.front())) {
    options.view = view->id;
  }
  const Experiment experiment = resolve_experiment(options);
  const Text text = load_text({});
  Store store(Store::Mode::synchronous, values.threads);
  if (values.list) return print_list(experiment, text, store);
  const bool json = values.json || values.output.ends_with(".json");
  if (values.resume && (json || !values.output.is_file())) {
    throw InputError("command.csv_needed", {{"option", "--resume"}});
  }
  if (values.output.is_file()) {
    require_folder(values.output.path());
    if (is_folder(values.output.path())) throw InputError(values.output.path(), "file.folder", {});
  }
  const SweepGrid grid = to_sweep_grid(values, experiment);
  check_readouts(grid, text, store);
  SweepTable table(grid, json);
  std::string growing = values.output.path();
  std::error_code ignored;
  const std::string unfinished = unfinished_path(growing).string();
  if (values.resume && std::filesystem::exists(unfinished, ignored)) {
    growing = unfinished;
  } else if (!values.resume && std::filesystem::is_regular_file(growing, ignored)) {
    growing = unfinished;
    if (table.can_grow()) require_replaceable(unfinished, begins_like_sweep);
  }
  if (values.resume) table.resume(growing, text, store);
  if (table.rows() == grid.points()) {
    if (growing == unfinished) Run(grid, table, values.output, growing).finish();
    return;
  }
  Run(grid, table, values.output, growing).go(text, values.threads);
  table.notice_failures();
}

struct TableValues {
  std::vector<std::string> sets;  ///< from --ropes and --cards
  std::optional<GridFormat> format;
  int threads = 0;
  OutputFile output;
  ExperimentOptions experiment;
};

/// Returns the format from --format, otherwise from the file's ending.
GridFormat format_of_table(const TableValues& values) {
  if (values.format) return *values.format;
  const std::pair<const char*, GridFormat> endings[] = {{".csv", GridFormat::csv},
                                                        {".json", GridFormat::json},
                                                        {".md", GridFormat::markdown},
                                                        {".tex", GridFormat::latex}};
  for (const auto& [ending, format] : endings) {
    if (values.output.ends_with(ending)) return format;
  }
  return GridFormat::text;
}

/// Throws InputError: the view would leave out empty entries, or show its defaults if there are no others.
void require_no_empty_entry(const std::string& option, const std::string& list) {
  for (const std::string& entry : split(list, ',')) {
    if (entry.find_first_not_of(' ') == std::string::npos) reject(option, list, Message("expected.commas"));
  }
}

void run_table(const TableValues& values) {
  const GridFormat format = format_of_table(values);
  if (values.output.is_file()) require_folder(values.output.path());
  ExperimentOptions options = values.experiment;
  options.view = "sweep";
  options.sets.insert(options.sets.begin(), "sweep.show=table");
  options.sets.insert(options.sets.end(), values.sets.begin(), values.sets.end());
  const Experiment experiment = resolve_experiment(options);
  const Text text = load_text({});
  Store store(Store::Mode::synchronous, values.threads);
  const EndOnInterrupt interrupt("table");
  const ViewResult table = draw_view(find_view("sweep"), experiment, text, store);
  if (!table.fault.empty()) throw InputError(table.fault);
  const Figure& figure = table.panels.front().figure;
  if (figure.grid.empty()) throw InputError(figure.empty_message);
  const std::string grid = grid_text(figure, format);
  const bool plain = format != GridFormat::markdown && format != GridFormat::latex;
  put_result(values.output, plain ? without_separators(grid) : grid);
}

}  // namespace

Action declare_sweep(Arguments& arguments) {
  const auto values = std::make_shared<SweepValues>();
  arguments.list("READOUT", values->readouts);
  arguments.flag("--list", values->list);
  arguments.every("--over", "KEY=VALUES", values->over);
  add_experiment_options(arguments, values->experiment);
  add_threads_option(arguments, values->threads);
  arguments.flag("--json", values->json);
  arguments.flag("--resume", values->resume);
  arguments.option("-o,--output", "F", values->output);
  return [values] { run_sweep(*values); };
}

// --- table ---------------------------------------------------------------------------------------------------------

Action declare_table(Arguments& arguments) {
  const auto values = std::make_shared<TableValues>();
  const auto take = [values = values.get()](const std::string& option, const std::string& list) {
    require_no_empty_entry(option, list);
    values->sets.push_back("sweep." + option.substr(2) + "=" + list);
  };
  arguments.option("--ropes", "LIST", take);
  arguments.option("--cards", "LIST", take);
  arguments.option("--format", "text|csv|json|markdown|latex", choice_into(values->format));
  add_experiment_options(arguments, values->experiment);
  add_threads_option(arguments, values->threads);
  arguments.option("-o,--output", "F", values->output);
  return [values] { run_table(*values); };
}

}  // namespace ropescope
