#include <algorithm>

#include "core/check/search/shifts.h"
#include "core/number_for_people.h"

namespace ropescope {

namespace {

bool has_text_and_more(const CheckModel& model) {
  bool text = false, more = false;
  for (const TokenBlock& block : model.tokens.blocks) {
    if (!is_looked_at(model, block)) continue;
    (block.part == "text" ? text : more) = true;
  }
  return text && more;
}

/// Where the ids of a text begin: one number where all running axes agree, else one for each axis.
std::variant<double, std::vector<double>, Words> start_of(const TokenBlock& block) {
  std::vector<double> all, running;
  for (const AxisIds& ids : block.ids) {
    all.push_back(ids.at(0));
    if (ids.along == Along::token) running.push_back(ids.at(0));
  }
  const std::vector<double>& telling = running.empty() ? all : running;
  const bool same = std::all_of(telling.begin(), telling.end(), [&](double start) { return start == telling[0]; });
  if (same) return telling[0];
  return all;
}

std::string text_of(const std::variant<double, std::vector<double>, Words>& start) {
  const double* number = std::get_if<double>(&start);
  return number != nullptr ? number_for_people(*number) : list_text(std::get<std::vector<double>>(start));
}

/// A text whose ids differ, and what it is called.
struct MovedText {
  const TokenBlock *there, *due;
  Words name;
};

bool starts_alike(const TokenBlock& a, const TokenBlock& b) {
  return std::equal(a.ids.begin(), a.ids.end(), b.ids.begin(), [](const AxisIds& of_a, const AxisIds& of_b) {
    return of_a.along == of_b.along && of_a.at(0) == of_b.at(0);
  });
}

/// The texts that start elsewhere or run on other axes; of several texts it is said which ones.
std::vector<MovedText> moved_texts(const CheckModel& model, const CheckModel& reference) {
  const std::vector<TokenBlock>&there = model.tokens.blocks, &due = reference.tokens.blocks;
  std::vector<MovedText> moved;
  Words name("check.text-start.text");
  for (std::size_t i = 0; i < std::min(there.size(), due.size()); ++i) {
    if (!is_looked_at(reference, due[i])) continue;
    if (due[i].part != "text") {
      name = is_reference(due[i]) ? Words("check.text-start.text_after_reference")
                                  : Words("check.text-start.text_after", {{"part", part_words(due[i].part)}});
      continue;
    }
    if (!starts_alike(there[i], due[i])) moved.push_back({&there[i], &due[i], name});
  }
  return moved;
}

/// Axes that a text runs on: as a parameter ("row", "all", "none"), and in words; no name: those of the model.
struct RunningAxes {
  Words name, words;
};

RunningAxes running_axes(const CheckModel& model, const std::vector<bool>& axes) {
  const auto running = static_cast<std::size_t>(std::count(axes.begin(), axes.end(), true));
  if (running == 0) return {named_value("none"), Words("check.text-start.no_axis")};
  if (running == axes.size()) return {named_value("all"), Words("check.text-start.all_axes")};
  Words::List listed;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (!axes[axis]) continue;
    listed.push_back(as_it_is(model.tokens.axes[axis].name));
  }
  const Words names = list_of(std::move(listed));
  return {names, Words("check.text-start.axes", {{"axes", names}, {"count", running}})};
}

/// Those of one text.
RunningAxes running_axes(const CheckModel& model, const TokenBlock& text) {
  std::vector<bool> axes;
  for (const AxisIds& ids : text.ids) axes.push_back(ids.along == Along::token || ids.along == Along::column);
  return running_axes(model, axes);
}

Proposal text_as_in(const Situation& situation, const CheckModel& model, const RunningAxes& axes) {
  Proposal found = situation.proposal();
  found.model = model;
  for (const MovedText& moved : moved_texts(model, situation.model)) {
    const auto start = start_of(*moved.there);
    const Words running = running_axes(situation.model, *moved.due).words;
    const Words::Named text("text", moved.name), due("due", text_of(start_of(*moved.due))),
        due_axes("due_axes", running);
    const bool still = running.key == "check.text-start.no_axis";
    Words evidence(axes.name.empty() ? "check.text-start.evidence" : "check.text-start.evidence_axis",
                   {text, {"start", text_of(start)}, {"axes", axes.words}, due, due_axes});
    Words advice(still ? "check.text-start.advice_still" : "check.text-start.advice", {text, due, due_axes});
    const bool first = found.parameters.empty();
    if (first) found.parameters = {{"start", start}};
    found.evidence = first ? std::move(evidence) : sentences(std::move(found.evidence), std::move(evidence));
    found.advice = first ? std::move(advice) : sentences(std::move(found.advice), std::move(advice));
  }
  if (!axes.name.empty()) found.parameters.push_back({"axis", axes.name});
  return found;
}

/// The texts shifted by what the evidence says; false where something else is shifted too.
bool shift_texts(const Situation& situation, CheckModel& model, bool only_texts) {
  const Situation now = situation.about(model);
  BlockShifts shifts = now.shifts();
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const bool text = model.tokens.blocks[i].part == "text";
    if (!text && is_shifted(shifts[i]) && only_texts) return false;
    if (!text) std::fill(shifts[i].begin(), shifts[i].end(), 0.0);
  }
  shift_blocks(model, shifts);
  return true;
}

/// The texts counting on the axes given, all others at 0.
CheckModel running_on(const CheckModel& model, const std::vector<bool>& axes) {
  CheckModel other = model;
  for (TokenBlock& block : other.tokens.blocks) {
    if (block.part != "text") continue;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      block.ids[axis] = AxisIds{axes[axis] ? Along::token : Along::none, 0, {}};
    }
  }
  return other;
}

/// Axes that a text could run on: one, all, none, or all but one.
std::vector<std::vector<bool>> likely_axes(std::size_t count) {
  std::vector<std::vector<bool>> likely;
  for (std::size_t axis = 0; axis < count; ++axis) likely.emplace_back(count, false)[axis] = true;
  likely.emplace_back(count, true);
  likely.emplace_back(count, false);
  for (std::size_t axis = 0; axis < count && count > 2; ++axis) likely.emplace_back(count, true)[axis] = false;
  return likely;
}

void propose_text_start(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (!has_text_and_more(model) || model.own_ids) return;
  CheckModel shifted = model;
  if (!shift_texts(situation, shifted, true)) return;
  proposals.push_back(text_as_in(situation, shifted, {}));
  const std::size_t count = model.tokens.axes.size();
  for (const std::vector<bool>& axes : likely_axes(count)) {
    CheckModel other = running_on(model, axes);
    if (!shift_texts(situation, other, false)) continue;
    proposals.push_back(text_as_in(situation, other, running_axes(model, axes)));
  }
}

}  // namespace

Proposal text_started_at(const Situation& situation, const BlockShifts& shifts) {
  CheckModel model = situation.model;
  shift_blocks(model, shifts);
  return text_as_in(situation, model, {});
}

/// The ids of the text start elsewhere or run on another axis.
constinit const Cause kTextStart{.name = "text-start",
                                 .group = CauseGroup::ids,
                                 .seen_in = "huggingface/diffusers#13574",
                                 .by_shifts = true,
                                 .propose = propose_text_start};

}  // namespace ropescope
