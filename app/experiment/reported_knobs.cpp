#include "app/experiment/experiment.h"

namespace ropescope {

void describe(Fields& fields, ReportedKnobs& knobs) {
  static const ReportedKnobs initial;
  fields.group("reported");
  fields.choice({.key = "reported.table", .options = {"wmt-2014", "glue", "cail2019-scm"}, .initial = initial.table},
                knobs.table);
  fields.choice({.key = "reported.task",
                 .options = {"mrpc", "sst-2", "qnli", "sts-b", "qqp", "mnli", "mnli-mm"},
                 .initial = initial.task,
                 .control = knobs.table == "glue"},
                knobs.task);
  fields.choice({.key = "reported.part",
                 .options = {"validation", "test"},
                 .initial = initial.part,
                 .control = knobs.table == "cail2019-scm"},
                knobs.part);
}

}  // namespace ropescope
