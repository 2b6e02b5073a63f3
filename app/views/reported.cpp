// The view Reported: bars and cards of published numbers.
//
// Contents: Table; Cards; Figures; View.

#include "app/views/views.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/models.h"
#include "app/resources/places.h"
#include "app/resources/text.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/figures.h"
#include "app/views/shared/messages.h"
#include "core/message.h"

namespace ropescope {

// --- Table ---------------------------------------------------------------------------------------------------------

namespace {

/// The current table, and the parts of it on the cards. The rows live as long as the paper.
struct ReportedChoice {
  const ReportedPaper& paper;
  const ReportedTable& table;
  std::size_t column = 0;
  const ReportedTable::Row *baseline = nullptr, *roformer = nullptr, *longer = nullptr;  ///< null if the table has none
  bool of_glue() const { return table.name == word_of(PaperTable::glue); }
};

/// The number of tasks in which RoFormer has the larger number, and the number of tasks in the table. The columns
/// "mnli" and "mnli-mm" are one task, counted if RoFormer's is larger in both.
struct ReportedCount {
  int better = 0, tasks = 0;
};

/// Returns the selected table. Throws InputError if the paper does not contain it.
ReportedChoice reported_choice(const ReportedPaper& paper, const ReportedFields& fields) {
  ReportedChoice choice{paper, paper.table(word_of(fields.table))};
  const std::vector<std::string>& columns = choice.table.columns;
  // In a table with one column, that column is used.
  const std::string wanted = fields.table == PaperTable::glue ? word_of(fields.task) : word_of(fields.part);
  const auto found = std::find(columns.begin(), columns.end(), wanted);
  if (found != columns.end()) choice.column = static_cast<std::size_t>(found - columns.begin());
  choice.baseline = choice.table.row("baseline");
  choice.roformer = choice.table.row("roformer");
  choice.longer = choice.table.row("longer");
  if (!choice.baseline || !choice.roformer) throw InputError("reported.no_table", {{"name", word_of(fields.table)}});
  return choice;
}

ReportedCount better_tasks(const ReportedChoice& choice) {
  std::map<std::string, bool> tasks;
  for (std::size_t i = 0; i < choice.table.columns.size(); ++i) {
    const std::string& column = choice.table.columns[i];
    const bool better = choice.roformer->values[i] > choice.baseline->values[i];
    const auto [task, first] = tasks.emplace(column == "mnli-mm" ? "mnli" : column, better);
    task->second = task->second && better;
  }
  const auto better = std::count_if(tasks.begin(), tasks.end(), [](const auto& task) { return task.second; });
  return {static_cast<int>(better), static_cast<int>(tasks.size())};
}

// --- Cards ---------------------------------------------------------------------------------------------------------

struct ReportedContext {
  const ReportedChoice& choice;
  const Text& text;

  /// The note depends on the table's measure: "readout.reported.difference.note.glue".
  Readout card(const std::string& key, double number) const {
    Readout readout = make_card("reported." + key, Quantity{with_decimals(number, choice.table.decimals)}, text);
    const std::string note = "readout.reported." + key + ".note." + choice.table.name;
    if (text.has(note)) {
      readout.note = text.format(note, {{"column", column()}, {"tokens", counted(choice.paper.longest_stage)}});
    }
    return readout;
  }
  double value(const ReportedTable::Row* row) const { return row->values[choice.column]; }
  /// "QQP", "test".
  std::string column() const {
    const char* field = choice.of_glue() ? "option.reported.task." : "option.reported.part.";
    return text[field + choice.table.columns[choice.column]];
  }
  std::string name(const ReportedTable::Row* row) const { return text["view.reported.row." + row->name]; }
};

Readout better(const ReportedContext& c) {
  Readout readout = start_card("reported.better", c.text);
  const ReportedCount count = better_tasks(c.choice);
  readout.value = count_of(count.better, count.tasks);
  readout.note = c.text["readout.reported.better.note"];
  return readout;
}

/// Returns the selected numbers, their difference, and a third card: the number of tasks, or the longer input.
std::vector<Readout> reported_readouts(const ReportedChoice& choice, const Text& text) {
  const ReportedContext c{choice, text};
  const double baseline = c.value(choice.baseline), roformer = c.value(choice.roformer);
  std::vector<Readout> readouts = {c.card("baseline", baseline), c.card("roformer", roformer),
                                   c.card("difference", roformer - baseline)};
  readouts[0].label = c.name(choice.baseline);
  readouts[1].label = c.name(choice.roformer);
  if (choice.of_glue()) readouts.push_back(better(c));
  if (choice.longer) {
    readouts.push_back(c.card("longer", c.value(choice.longer)));
    readouts.back().label = c.name(choice.longer);
    readouts.push_back(c.card("longer_gain", c.value(choice.longer) - roformer));
  }
  return readouts;
}

// --- Figures -------------------------------------------------------------------------------------------------------

constexpr LineStyle kRoformer{0, false}, kOlder{1, false}, kWordBased{2, false};
constexpr double kReportedThick = 0.78;  ///< for a bar whose row has height 1

/// Returns a model's style, the same in every table.
LineStyle style_of_reported(const ReportedTable::Row& row) {
  if (row.name.starts_with("roformer")) return kRoformer;
  return row.name.starts_with("wobert") ? kWordBased : kOlder;
}

/// Returns hatching for a bar: lines rising to the right.
Path hatch_of(const Box& bar, double full_width) {
  Path hatch = path_of({}, bar.style, 0.6);
  const double step = full_width / 60, lean = step;
  for (double from = bar.x.low - lean + step / 2; from < bar.x.high; from += step) {
    const double begin = std::max(from, bar.x.low), end = std::min(from + lean, bar.x.high);
    if (begin >= end) continue;
    const auto height = [&](double x) { return bar.y.high + (bar.y.low - bar.y.high) * (x - from) / lean; };
    add_point(hatch, begin, height(begin));
    add_point(hatch, end, height(end));
    lift(hatch);
  }
  return hatch;
}

Box bar_at(const Range& along, double row, double thickness, const LineStyle& style) {
  return {along, around(row, thickness / 2), style};
}

struct ReportedDrawing {
  Figure& figure;
  const ReportedChoice& choice;
  const Text& text;
  double most = 100;  ///< end of the bar axis
};

void add_reported_bar(const ReportedDrawing& d, const Box& bar, bool hatched) {
  Box part = bar;
  for (const bool filled : {true, true, false}) {
    // Hatched bars are not filled.
    if (filled && hatched) continue;
    part.filled = filled;
    d.figure.boxes.push_back(part);
  }
  if (hatched) d.figure.paths.push_back(hatch_of(bar, d.most));
}

/// Adds the bar of a number, followed by the number as published.
void add_number(const ReportedDrawing& d, const ReportedTable::Row& row, std::size_t column, double at,
                double thickness) {
  const double value = row.values[column];
  add_reported_bar(d, bar_at({0, value}, at, thickness, style_of_reported(row)), row.other_set);
  d.figure.labels.push_back(label_at(value, at, readable_fixed(value, d.choice.table.decimals), Role::text, -0.18));
}

void add_frame(const ReportedDrawing& d, const Range& rows) {
  constexpr Role kNoModel = Role::secondary;
  d.figure.boxes.push_back({{0, d.figure.x.range.high}, rows, {}, kNoModel});
}

void add_words(const ReportedDrawing& d, double x, double y, const std::string& words, Role role) {
  d.figure.labels.push_back(label_at(x, y, words, role, 0));
}

/// Draws a row per column of the table, with a bar for each model. Above them is the key: the beginnings of such bars
/// with the models' names.
void add_tasks(const ReportedDrawing& d) {
  const ReportedTable& table = d.choice.table;
  const auto bars = static_cast<double>(table.rows.size());
  const double each = kReportedThick / bars;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const auto at = static_cast<double>(column);
    d.figure.y.names.push_back(d.text["option.reported.task." + table.columns[column]]);
    if (column == d.choice.column) add_frame(d, {at - 0.5, at + 0.5});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      add_number(d, table.rows[i], column, at - kReportedThick / 2 + each * (static_cast<double>(i) + 0.5), 0.9 * each);
    }
  }
  d.figure.y.range = {-1.6, static_cast<double>(table.columns.size()) - 0.5};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const double at = -1 - kReportedThick / 2 + each * (static_cast<double>(i) + 0.5), end = 0.06 * d.most;
    add_reported_bar(d, bar_at({0, end}, at, 0.9 * each, style_of_reported(table.rows[i])), table.rows[i].other_set);
    add_words(d, end + 0.012 * d.most, at, d.text["view.reported.legend." + table.rows[i].name], Role::text);
  }
}

/// Draws a row per model, once for each column; several columns have their names above them.
void add_model_rows(const ReportedDrawing& d) {
  const ReportedTable& table = d.choice.table;
  const bool several = table.columns.size() > 1;
  double at = 0;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (several) {
      add_words(d, 0.01 * d.most, at, d.text["view.reported.column." + table.columns[column]], Role::secondary);
      d.figure.y.names.emplace_back();
      at += 1;
    }
    if (several && column == d.choice.column) {
      add_frame(d, {at - 1.5, at + static_cast<double>(table.rows.size()) - 0.5});
    }
    for (const ReportedTable::Row& row : table.rows) {
      d.figure.y.names.push_back(d.text["view.reported.row." + row.name]);
      add_number(d, row, column, at, several ? kReportedThick : 0.36);
      at += 1;
    }
  }
  d.figure.y.range = {-0.5, at - 0.5};
}

/// Returns a round number beyond the longest bar.
double end_of(const ReportedTable& table) {
  double most = 0;
  for (const ReportedTable::Row& row : table.rows) {
    for (const double value : row.values) most = std::max(most, value);
  }
  return 10 * std::ceil(most / 10);
}

/// Draws the table as bars from 0, the bars of a column together. The numbers of the cards are framed; numbers measured
/// on a different set are hatched.
Figure reported_figure(const ReportedChoice& choice, const Text& text) {
  Figure figure = named_figure("reported", text.format("view.reported.title." + choice.table.name,
                                                       {{"paper", choice.paper.paper},
                                                        {"source", choice.paper.source},
                                                        {"table", std::to_string(choice.table.number)}}));
  const ReportedDrawing drawing{figure, choice, text, end_of(choice.table)};
  figure.x.name = "value";
  figure.x.label = text["view.reported.measure." + choice.table.name];
  figure.x = fixed_axis(figure.x, {0, 1.1 * drawing.most});
  figure.x.counted = Range{0, drawing.most};
  figure.y.name = "row";
  figure.y.reversed = true;
  if (choice.of_glue()) {
    add_tasks(drawing);
  } else {
    add_model_rows(drawing);
  }
  figure.y.fit = figure.y.range;
  return figure;
}

// --- View ----------------------------------------------------------------------------------------------------------

void declare_reported_fields(FieldList& list, Experiment& experiment) {
  declare_fields(list, experiment.reported);
}

Figure no_rows(const Experiment&, const Text&) {
  return empty_figure("reported", "value", "row");
}

ReportedPaper reported_paper(const std::monostate&, const Work&) {
  return load_reported(find_places().assets);
}

ViewResult reported_figures(const Experiment& experiment, const Text& text, Store& store) {
  const auto answer = store.request<reported_paper>({"reported", 1e5}, {});
  if (!answer.result) return make_message_result(no_rows(experiment, text), text["view.computing"], true);
  const ReportedChoice choice = reported_choice(*answer.result, experiment.reported);
  ViewResult result;
  result.panels.push_back({reported_figure(choice, text), 1});
  result.readouts = reported_readouts(choice, text);
  result.status = text.format(
      "view.reported.status",
      {{"paper", choice.paper.paper}, {"source", choice.paper.source}, {"table", std::to_string(choice.table.number)}});
  return result;
}

}  // namespace

constinit const View kReportedView{
    .id = "reported",
    .group = "papers",
    .declare_fields = declare_reported_fields,
    .figures = reported_figures,
    .empty = no_rows,
    .compares_ropes = false,
    .subject = [](const Experiment&, const Text& text) { return text["view.reported.subject"]; }};

}  // namespace ropescope
