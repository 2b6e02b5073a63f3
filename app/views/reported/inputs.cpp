#include "app/views/reported/inputs.h"

#include <algorithm>
#include <map>

#include "app/resources/files.h"
#include "core/error.h"

namespace ropescope {

std::size_t Reported::bytes() const {
  std::size_t rows = 0;
  for (const ReportedTable& table : paper.tables) rows += table.rows.size() * (1 + table.columns.size());
  return rows * sizeof(ReportedTable::Row);
}

std::shared_ptr<const Reported> ReportedInput::compute(int, const std::stop_token&) const {
  return std::make_shared<Reported>(Reported{load_reported(find_places().assets)});
}

ReportedChoice reported_choice(const ReportedPaper& paper, const ReportedKnobs& knobs) {
  ReportedChoice choice{paper, paper.table(knobs.table)};
  const std::vector<std::string>& columns = choice.table.columns;
  // A table of one column speaks of that.
  const std::string& wanted = knobs.table == "glue" ? knobs.task : knobs.part;
  const auto found = std::find(columns.begin(), columns.end(), wanted);
  if (found != columns.end()) choice.column = static_cast<std::size_t>(found - columns.begin());
  choice.baseline = choice.table.row("baseline");
  choice.roformer = choice.table.row("roformer");
  choice.longer = choice.table.row("longer");
  if (!choice.baseline || !choice.roformer) throw InputError("reported.no_table", {{"name", knobs.table}});
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

}  // namespace ropescope
