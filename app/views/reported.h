// The view Reported: results as a paper printed them; kReportedView is what view.cpp lists. Read view.h before.
#pragma once

#include <cstddef>

#include "app/experiment/experiment.h"
#include "app/resources/models.h"
#include "app/views/view.h"

namespace ropescope {

// --- Table ---------------------------------------------------------------------------------------------------------

/// The table that is shown, and what of it the cards speak of. The rows live as long as the paper.
struct ReportedChoice {
  const ReportedPaper& paper;
  const ReportedTable& table;
  std::size_t column = 0;
  const ReportedTable::Row *baseline = nullptr, *roformer = nullptr, *longer = nullptr;  ///< null where there is none
};
/// The table that the fields choose. Throws InputError where the paper lacks what they name.
ReportedChoice reported_choice(const ReportedPaper& paper, const ReportedFields& fields);

/// The number of tasks of the table in which RoFormer's number is the larger one, and how many there are: columns
/// "mnli" and "mnli-mm" are one task, which counts where it is larger in both.
struct ReportedCount {
  int better = 0, tasks = 0;
};
ReportedCount better_tasks(const ReportedChoice& choice);

// --- View ----------------------------------------------------------------------------------------------------------

/// Results as a paper printed them (assets/reported), as bars from 0: what is compared, with which source. Nothing here
/// is computed but differences of two printed numbers.
extern const View kReportedView;

}  // namespace ropescope
