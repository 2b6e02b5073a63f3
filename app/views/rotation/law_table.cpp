#include <string>

#include "app/figure/number_text.h"
#include "app/views/rotation/law.h"
#include "app/views/rotation/sheet.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/marks.h"

namespace ropescope {

namespace {

/// Columns of the sheet: the law's name from the left edge, a change for each distance, and the line against it.
constexpr double kName = 0.12, kLawTableFirst = 5.1, kApart = 1.6, kLawTableHalfWidth = 0.72, kLine = 10.05,
                 kLawTableWidth = 11.1;
/// Rows: a heading and its laws, twice.
constexpr double kSecondHeading = 6.35;
constexpr int kFlatSlot = 2;

double column_of(std::size_t distance) {
  return kLawTableFirst + kApart * static_cast<double>(distance);
}

struct LawTableRow {
  double at = 0;
  std::string name, line;
  const LawChanges& changes;
  bool chosen = false;
};

void add_heading(Figure& figure, double row, const std::string& words) {
  Label heading = label_at(kName, row, words, Role::secondary);
  heading.anchor_x = 0;
  figure.labels.push_back(heading);
}

void add_row_law_table(Figure& figure, const LawTableRow& row, const Text& text) {
  Label name = label_at(kName, row.at, row.name, row.chosen ? Role::text : Role::secondary);
  name.anchor_x = 0;
  name.semibold = row.chosen;
  figure.labels.push_back(name);
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    const double x = column_of(i);
    const bool flat = row.changes.flat(i);
    if (flat) {
      Box box;
      box.x = {x - kLawTableHalfWidth, x + kLawTableHalfWidth};
      box.y = {row.at - 0.44, row.at + 0.44};
      box.style.slot = kFlatSlot;
      box.filled = true;
      figure.boxes.push_back(box);
    }
    Label cell = label_at(x, row.at, flat ? text["view.rotation.law.flat"] : readable_number(row.changes.change[i], 3),
                          flat ? Role::curve : Role::text);
    cell.style.slot = flat ? kFlatSlot : 0;
    cell.semibold = row.chosen;
    figure.labels.push_back(cell);
  }
  Label line = label_at(kLine, row.at, row.changes.flat() || row.line.empty() ? "–" : row.line,
                        row.chosen ? Role::text : Role::secondary);
  line.semibold = row.chosen;
  figure.labels.push_back(line);
  if (!row.chosen) return;
  Box frame;
  frame.x = {0, kLawTableWidth};
  frame.y = {row.at - 0.5, row.at + 0.5};
  frame.role = Role::accent;
  figure.boxes.push_back(frame);
}

}  // namespace

Figure law_table_figure(const LawState& state, const Text& text) {
  Figure figure;
  figure.name = "table";
  figure.title = text.format("view.rotation.law.table", {{"span", counted(state.span)}});
  figure.bare = true;
  figure.x.name = "table_column";
  figure.y.name = "row";
  figure.x.range = figure.x.fit = {0, kLawTableWidth};
  figure.y.range = figure.y.fit = {-1.6, kSecondHeading + static_cast<double>(kLengthLaws.size()) + 0.7};
  figure.y.reversed = true;
  add_heading(figure, -1, text["view.rotation.law.angles"]);
  for (std::size_t i = 0; i < kLawDistances.size(); ++i) {
    figure.labels.push_back(
        label_at(column_of(i), -1, text.format("view.rotation.law.distance", {{"distance", counted(kLawDistances[i])}}),
                 Role::secondary));
  }
  figure.labels.push_back(label_at(kLine, -1, text["view.rotation.law.against"], Role::secondary));
  const auto angles = angle_law_changes(state.law, state.pair, state.span);
  for (std::size_t i = 0; i < kAngleLaws.size(); ++i) {
    const AngleLaw law = kAngleLaws[i];
    add_row_law_table(figure,
                      {static_cast<double>(i), text["option.rotation.angle_law." + name_of(law)],
                       line_against(law, text), angles[i], law == state.law.angle},
                      text);
  }
  add_heading(figure, kSecondHeading, text["view.rotation.law.lengths"]);
  const auto lengths = length_law_changes(state.law, state.pair, state.span);
  for (std::size_t i = 0; i < kLengthLaws.size(); ++i) {
    const LengthLaw law = kLengthLaws[i];
    add_row_law_table(figure,
                      {kSecondHeading + 1 + static_cast<double>(i), text["option.rotation.length_law." + name_of(law)],
                       line_against(law, text), lengths[i], law == state.law.length},
                      text);
  }
  return figure;
}

}  // namespace ropescope
