#include "app/views/reported/view.h"

#include "app/views/reported/figures.h"
#include "app/views/shared/messages.h"

namespace ropescope {

namespace {

void describe_reported(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.reported);
}

Figure no_rows(const Experiment&, const Text&) {
  return empty_figure("reported", "value", "row");
}

ViewResult reported_figures(const Experiment& experiment, const Text& text, Store& store) {
  const auto answer = store.get("reported", ReportedInput{});
  if (!answer.result) return message_result(no_rows(experiment, text), text["view.computing"], true);
  const ReportedChoice choice = reported_choice(answer.result->paper, experiment.reported);
  ViewResult result;
  result.panels.push_back({reported_figure(choice, text), 1});
  result.readouts = reported_readouts(choice, text);
  result.status = text.format(
      "view.reported.status",
      {{"paper", choice.paper.paper}, {"source", choice.paper.source}, {"table", std::to_string(choice.table.number)}});
  return result;
}

std::string reported_subject(const Experiment&, const Text& text) {
  return text["view.reported.subject"];
}

}  // namespace

constinit const View kReportedView{.id = "reported",
                                   .group = "papers",
                                   .describe = describe_reported,
                                   .figures = reported_figures,
                                   .empty = no_rows,
                                   .compares_ropes = false,
                                   .subject = reported_subject};

}  // namespace ropescope
