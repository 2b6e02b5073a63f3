#include <algorithm>

#include "core/check/shifts.h"

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
std::variant<double, std::vector<double>, std::string> start_of(const TokenBlock& block) {
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

void add(const Situation& situation, const CheckModel& model, const std::string& axis,
         std::vector<Proposal>& proposals) {
  Proposal found = situation.proposal();
  found.model = model;
  for (const TokenBlock& block : model.tokens.blocks) {
    if (block.part != "text" || !is_looked_at(model, block)) continue;
    const auto start = start_of(block);
    found.parameters = {{"start", start}};
    const double* number = std::get_if<double>(&start);
    found.evidence = "The ids of the text start at " +
                     (number != nullptr ? number_text(*number) : list_text(std::get<std::vector<double>>(start))) +
                     (axis.empty() ? "." : " and run on the axis " + axis + ".");
    break;
  }
  if (!axis.empty()) found.parameters.push_back({"axis", axis});
  found.advice = "Let the ids of the text start, and run on the axes, as the model's do.";
  proposals.push_back(std::move(found));
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

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (!has_text_and_more(model) || model.own_ids) return;
  CheckModel shifted = model;
  if (!shift_texts(situation, shifted, true)) return;
  add(situation, shifted, "", proposals);
  const std::size_t count = model.tokens.axes.size();
  for (std::size_t axis = 0; axis <= count + 1; ++axis) {
    std::vector<bool> axes(count, axis == count);
    if (axis < count) axes[axis] = true;
    CheckModel other = running_on(model, axes);
    if (!shift_texts(situation, other, false)) continue;
    const std::string name = axis < count ? model.tokens.axes[axis].name : axis == count ? "all" : "none";
    add(situation, other, name, proposals);
  }
}

}  // namespace

/// The ids of the text start elsewhere or run on another axis.
constinit const Cause kTextStart{.name = "text-start",
                                 .group = CauseGroup::ids,
                                 .seen_in = "huggingface/diffusers#13574",
                                 .by_shifts = true,
                                 .propose = propose};

}  // namespace ropescope
