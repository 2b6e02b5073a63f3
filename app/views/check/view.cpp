#include "app/views/check/view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/number_text.h"
#include "app/views/check/cards.h"
#include "app/views/check/drop.h"
#include "app/views/check/figures.h"
#include "app/views/shared/counted.h"
#include "app/views/shared/messages.h"
#include "core/error.h"

namespace ropescope {

namespace {

constexpr double kCheckTop = 0.62, kCheckBottom = 0.38, kCheckLeft = 0.6, kRight = 0.4;

Figure check_no_map(const Experiment&, const Text&) {
  Figure figure = empty_figure("map", "token", "pair");
  figure.bare = true;
  return figure;
}

/// What is being computed, and how far it has come.
struct Working {
  bool checking = false, drawing = false;
  double fraction = 0;

  void mark(ViewResult& result, const Text& text) const {
    result.stale = checking || drawing;
    if (!result.stale) return;
    result.progress = fraction;
    const std::string percent = readable_integer(std::floor(100 * fraction));
    result.status = text.format(checking ? "view.check.checking" : "view.check.drawing", {{"percent", percent}});
    for (Panel& panel : result.panels) panel.figure.stale = true;
  }
};

std::string status_of_check(const CheckShown& shown) {
  return shown.text.format(shown.of_ids() ? "view.check.status_ids" : "view.check.status",
                           {{"tokens", counted(shown.map->rows)},
                            {"pairs", counted(shown.map->pairs)},
                            {"time", readable_number(1e3 * shown.outcome->seconds, 2)}});
}

void add_panels_check(const CheckShown& shown, ViewResult& result) {
  const Figure map = check_map_figure(shown), profile = check_profile_figure(shown), pairs = check_pairs_figure(shown);
  if (shown.map->image) {
    result.panels.push_back({map, kCheckTop, false, kCheckLeft});
    result.panels.push_back({check_image_figure(shown), kCheckTop, true, kRight});
    result.panels.push_back({profile, kCheckBottom, false, kCheckLeft});
    if (shown.map->over_frames) result.panels.push_back({check_frames_figure(shown), kCheckBottom, true, kRight});
    result.panels.push_back({pairs, kCheckBottom, true, kRight});
  } else {
    result.panels.push_back({map, kCheckTop, false, kCheckLeft});
    result.panels.push_back({pairs, kCheckTop, true, kRight});
    result.panels.push_back({profile, kCheckBottom, false, kCheckLeft});
    result.panels.push_back({check_row_figure(shown), kCheckBottom, true, kRight});
  }
}

/// The panels of tables, vectors or ids. Null fault: something is shown.
ViewResult rows_result(const Experiment& experiment, const std::shared_ptr<const CheckOutcome>& outcome,
                       const std::shared_ptr<const CheckProgress>& progress, const Text& text, Store& store,
                       Working& working) {
  const CheckKnobs& knobs = experiment.check;
  CheckDifferenceInput wanted;
  wanted.outcome = outcome;
  wanted.applied = outcome->applied(knobs.applied) ? knobs.applied : std::string();
  wanted.by_tolerance = knobs.measure == "tolerance";
  wanted.image = image_of(*outcome, experiment.layout.frame, knobs.token);
  wanted.progress = progress;
  const auto map = store.get("check.map", wanted);
  working.drawing = !map.current;
  if (!map.result) return message_result(check_no_map(experiment, text), {});
  if (!map.result->fault.empty()) return fault_result(check_no_map(experiment, text), text.say(map.result->fault));
  // The last finished map stands in for one that is being drawn: with it what it was drawn of.
  CheckShown shown{knobs, text, map.result->outcome, map.result->applied, map.result, nullptr, nullptr, nullptr};
  if (!shown.applied.empty()) {
    const CheckDifferenceInput plain{shown.outcome, {}, shown.map->by_tolerance, shown.map->image, progress};
    const auto before = store.get("check.before", plain);
    working.drawing |= !before.current;
    if (before.current && before.result->fault.empty()) shown.before = before.result;
  }
  if (knobs.show != "difference") {
    const CheckValueInput values{shown.outcome, shown.applied, shown.pair(), shown.map->image, progress};
    const auto answer = store.get("check.values", values);
    working.drawing |= !answer.current;
    if (answer.current) {
      if (!answer.result->fault.empty())
        return fault_result(check_no_map(experiment, text), text.say(answer.result->fault));
      shown.values = answer.result;
    }
  }
  if (!shown.map->image) {
    shown.row = store.get("check.row", CheckRowInput{shown.outcome, shown.applied, shown.token()}).result;
  }
  ViewResult result;
  add_panels_check(shown, result);
  result.status = status_of_check(shown);
  return result;
}

/// What to do where there is nothing to compare yet; of two dumps also which boxes are still empty.
std::string empty_words(const CheckQuestion& question, const Text& text) {
  if (question.against != "dump") return text["view.check.empty"];
  std::string missing;
  bool any = false;
  for (const auto& [role, key] :
       {std::pair(CheckRole::cosine, "cos"), std::pair(CheckRole::sine, "sin"),
        std::pair(CheckRole::against_cosine, "against_cos"), std::pair(CheckRole::against_sine, "against_sin")}) {
    any = any || question.has(role);
    if (!question.has(role))
      missing += (missing.empty() ? "" : text["list.between"]) + text[std::string("view.check.role.") + key];
  }
  return any ? text.format("view.check.missing", {{"tables", missing}}) : text["view.check.empty_dump"];
}

ViewResult check_figures(const Experiment& experiment, const Text& text, Store& store) {
  const CheckKnobs& knobs = experiment.check;
  const CheckQuestion question = question_of(experiment);
  if (!question.has_files()) {
    return hint_result(check_no_map(experiment, text), empty_words(question, text));
  }
  const auto progress = store.get("check.progress", CheckProgressInput{question}).result;
  const auto answer = store.get("check", CheckInput{question, progress});
  Working working;
  working.checking = !answer.current;
  working.fraction = progress->fraction;
  ViewResult result;
  if (!answer.result) {
    result = message_result(check_no_map(experiment, text), {});
  } else if (const auto& outcome = answer.result; !outcome->fault.empty()) {
    result = fault_result(check_no_map(experiment, text), text.say(outcome->fault));
  } else {
    const std::string applied = outcome->applied(knobs.applied) ? knobs.applied : std::string();
    if (outcome->has_rows()) {
      result = rows_result(experiment, outcome, progress, text, store, working);
    } else {
      result.panels.push_back({check_frequencies_figure(*outcome, applied, knobs, text), 1});
      result.status =
          text.format("view.check.status_frequencies", {{"time", readable_number(1e3 * outcome->seconds, 2)}});
    }
    if (result.fault.empty()) result.readouts = check_readouts(outcome->report, outcome->reference, applied, text);
  }
  working.mark(result, text);
  return result;
}

void describe_check(Fields& fields, Experiment& experiment) {
  describe(fields, experiment.check);
  if (experiment.check.against == "rope") describe(fields, experiment.rope);
  if (experiment.check.against != "layout") return;
  LayoutControls controls = controls_of(experiment.layout, false);
  controls.patches = false;
  describe(fields, experiment.layout, controls);
}

void react_check(Experiment& experiment, const FigureEvent& event) {
  if (event.kind != FigureEvent::Kind::click) return;
  CheckKnobs& knobs = experiment.check;
  const auto counted = [](double at) { return std::max(1.0, std::round(at) + 1); };
  if (event.figure == "map" || event.figure == "profile") knobs.token = counted(event.x);
  if (event.figure == "map") knobs.pair = counted(event.y);
  if (event.figure == "pairs" || event.figure == "row") knobs.pair = counted(event.x);
  if (event.figure != "image") return;
  try {
    CheckOutcome outcome;
    outcome.reference = reference_from_layout(find_layout(experiment.layout.name), request_of(experiment.layout));
    outcome.inputs.part = knobs.part;
    const auto image = image_of(outcome, experiment.layout.frame, knobs.token);
    const auto token = image ? image->tiles.token_at(event.x, event.y) : std::nullopt;
    if (token) knobs.token = static_cast<double>(image->first_row + *token + 1);
  } catch (const InputError&) {
    // There are no patches then.
  }
}

void act_on_check(Experiment& experiment, const std::string& key) {
  std::string& applied = experiment.check.applied;
  const std::string stem = apply_key("");
  if (key.rfind(stem, 0) != 0) return;
  const std::string cause = key.substr(stem.size());
  applied = applied == cause ? std::string() : cause;
}

void flip_check(Experiment& experiment, bool shift) {
  std::string& show = experiment.check.show;
  if (show == "mine" || (show == "difference" && shift)) {
    show = "reference";
  } else {
    show = "mine";
  }
}

std::vector<FileStamp> check_files(const Experiment& experiment) {
  return files_of(question_of(experiment));
}

std::string check_subject(const Experiment& experiment, const Text& text) {
  if (experiment.check.against == "dump") return text["option.check.against.dump"];
  return experiment.check.against == "rope" ? std::string() : layout_subject(experiment, text);
}

bool against_layout(const Experiment& experiment) {
  return experiment.check.against == "layout";
}

}  // namespace

constinit const View kCheckView{.id = "check",
                                .group = "engineer",
                                .describe = describe_check,
                                .figures = check_figures,
                                .empty = check_no_map,
                                .react = react_check,
                                .open = open_check,
                                .opens = ".npy .npz .safetensors .csv",
                                .compares_ropes = false,
                                .subject = check_subject,
                                .act = act_on_check,
                                .flip = flip_check,
                                .files = check_files,
                                .shows_layout = against_layout,
                                .take_config = fill_layout};

}  // namespace ropescope
