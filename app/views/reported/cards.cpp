#include <utility>

#include "app/views/reported/figures.h"
#include "app/views/shared/cards.h"
#include "app/views/shared/counted.h"

namespace ropescope {

namespace {

struct ReportedContext {
  const ReportedChoice& choice;
  const Text& text;

  /// Tables say what their numbers are: "readout.reported.difference.note.glue".
  Readout card(const std::string& key, double number) const {
    Readout readout = start_card("reported." + key, text);
    readout.value = Quantity{with_decimals(number, choice.table.decimals)};
    const std::string note = "readout.reported." + key + ".note." + choice.table.name;
    if (text.has(note)) {
      readout.note = text.format(note, {{"column", column()}, {"tokens", counted(choice.paper.longest_stage)}});
    }
    return readout;
  }
  double value(const ReportedTable::Row* row) const { return row->values[choice.column]; }
  /// "QQP", "test".
  std::string column() const {
    const char* knob = choice.table.name == "glue" ? "option.reported.task." : "option.reported.part.";
    return text[knob + choice.table.columns[choice.column]];
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

}  // namespace

std::vector<Readout> reported_readouts(const ReportedChoice& choice, const Text& text) {
  const ReportedContext c{choice, text};
  const double baseline = c.value(choice.baseline), roformer = c.value(choice.roformer);
  std::vector<Readout> readouts = {c.card("baseline", baseline), c.card("roformer", roformer),
                                   c.card("difference", roformer - baseline)};
  readouts[0].label = c.name(choice.baseline);
  readouts[1].label = c.name(choice.roformer);
  if (choice.table.name == "glue") readouts.push_back(better(c));
  if (choice.longer) {
    readouts.push_back(c.card("longer", c.value(choice.longer)));
    readouts.back().label = c.name(choice.longer);
    readouts.push_back(c.card("longer_gain", c.value(choice.longer) - roformer));
  }
  return readouts;
}

}  // namespace ropescope
