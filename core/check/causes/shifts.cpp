// Causes that shift ids, one block each: of images, of references, of texts, of everything.
//
// Contents: Centring; Index of references; Start of text; Offsets.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <set>

#include "core/check/causes/cause.h"
#include "core/check/evidence/positions.h"
#include "core/check/model/model.h"
#include "core/check/tuning.h"
#include "core/message.h"

namespace ropescope {

// --- Centring ------------------------------------------------------------------------------------------------------

namespace {

// The shifts of all blocks are fitted once, by Situation::shifts(). Each cause of this file names them if they are of
// its kind of blocks, and describes them.

/// A kind of blocks.
using BlockKind = bool (*)(const TokenBlock&);

bool is_text(const TokenBlock& block) {
  return block.is_text();
}

/// Returns whether shifts move blocks of a kind.
bool move_some(const CheckModel& model, const BlockShifts& shifts, BlockKind kind) {
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (kind(model.tokens.blocks[i]) && is_shifted(shifts[i])) return true;
  }
  return false;
}

/// Returns the shifts of blocks of a kind, 0 for all others.
BlockShifts select_shifts(const CheckModel& model, BlockShifts shifts, BlockKind kind) {
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (!kind(model.tokens.blocks[i])) std::fill(shifts[i].begin(), shifts[i].end(), 0.0);
  }
  return shifts;
}

/// Returns whether shifts move no other blocks than those of a kind.
bool move_only(const CheckModel& model, const BlockShifts& shifts, BlockKind kind) {
  return select_shifts(model, shifts, kind) == shifts;
}

/// Returns the model with shifts, to be named.
Proposal propose_shifts(const Situation& situation, const BlockShifts& shifts) {
  Proposal found = situation.proposal();
  shift_blocks(found.model, shifts);
  return found;
}

/// Names a part of the tokens by its kind, and by its place if several are of one kind: "the text after the image",
/// "image 2".
Message place_of(const std::vector<TokenBlock>& blocks, std::size_t at) {
  const std::string& part = blocks[at].part;
  const auto same = [&](const TokenBlock& block) { return block.part == part; };
  const auto here = blocks.begin() + static_cast<std::ptrdiff_t>(at);
  if (std::count_if(blocks.begin(), blocks.end(), same) < 2) return part_words(part);
  if (blocks[at].is_text() && at > 0 && !same(*std::prev(here)) && std::none_of(std::next(here), blocks.end(), same)) {
    return Message("check.text-start.text_after", {{"part", part_words(std::prev(here)->part)}});
  }
  return Message("check.part.numbered",
                 {{"part", part_words(part)}, {"number", 1 + std::count_if(blocks.begin(), here, same)}});
}

/// Adds the shift of every shifted part of the tensors: the parts in their order, each with one number per axis.
void add_offsets(const CheckModel& model, const BlockShifts& shifts, Proposal& found) {
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  std::vector<double> offsets;
  Message::List parts;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (!is_looked_at(model, blocks[i]) || !is_shifted(shifts[i])) continue;
    parts.push_back(place_of(blocks, i));
    offsets.insert(offsets.end(), shifts[i].begin(), shifts[i].end());
  }
  found.parameters.push_back({"offsets", std::move(offsets)});
  found.parameters.push_back({"part", list_of(std::move(parts))});
  found.parameters.push_back({"axis", list_of(axis_names_of(model))});
}

/// Returns whether a shift moves 0 between two of: the first token of a side, below, above and at its middle.
bool is_of_centring(double shift, double side) {
  const std::array<double, 4> zeros = {0, std::floor(side / 2), std::ceil(side / 2), (side - 1) / 2};
  for (const double a : zeros) {
    for (const double b : zeros) {
      if (a - b == shift) return true;
    }
  }
  return false;
}

/// Returns the step between the ids of a side; 0 if there is only one.
double step_of_centring(const AxisIds& ids, std::int64_t count) {
  return count > 1 ? (ids.at(count - 1) - ids.at(0)) / static_cast<double>(count - 1) : 0;
}

bool is_grid_axis(const AxisIds& ids) {
  return ids.along == Along::row || ids.along == Along::column;
}

/// Returns whether the model's own ids are on both sides of 0.
bool is_centred(const TokenBlock& block) {
  return std::any_of(block.ids.begin(), block.ids.end(), [&](const AxisIds& ids) {
    return is_grid_axis(ids) && ids.at(0) < 0 && ids.at(block.count(ids.along) - 1) >= 0;
  });
}

/// Returns a shift of an axis as a difference of two centrings, in multiples of the half step; nullopt if it is none.
std::optional<double> centring_shift(const TokenBlock& block, std::size_t axis, double shift) {
  const AxisIds& ids = block.ids[axis];
  if (shift == 0) return 0.0;
  const std::int64_t side = block.count(ids.along);
  const double step = step_of_centring(ids, side);
  if (!is_grid_axis(ids) || step == 0) return std::nullopt;
  // For fractional ids, the recovered shift has an error.
  const double halves = std::nearbyint(2 * shift / step), reach = step == std::floor(step) ? 1e-9 : 1e-3;
  if (std::abs(2 * shift / step - halves) > reach || !is_of_centring(halves / 2, static_cast<double>(side))) {
    return std::nullopt;
  }
  return halves / 2 * step;
}

/// Returns the shifts of images between ways of placing 0 on a side, all others 0; nullopt if the model does not centre
/// its images, or there are other shifts.
std::optional<BlockShifts> centring_shifts(const CheckModel& model, const BlockShifts& shifts) {
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  BlockShifts found = select_shifts(model, shifts, is_grid);
  bool centred = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_grid(blocks[i])) continue;
    centred = centred || is_centred(blocks[i]);
    for (std::size_t axis = 0; axis < shifts[i].size(); ++axis) {
      const auto shift = centring_shift(blocks[i], axis, shifts[i][axis]);
      if (!shift) return std::nullopt;
      found[i][axis] = *shift;
    }
  }
  const bool image = move_some(model, found, [](const TokenBlock& block) { return block.is_image(); });
  return centred && image ? std::optional(std::move(found)) : std::nullopt;
}

/// Returns the first ids of a block.
std::vector<double> first_ids(const TokenBlock& block) {
  std::vector<double> first;
  for (const AxisIds& ids : block.ids) first.push_back(ids.at(0));
  return first;
}

/// Describes the shifts of the grids beside the described one, and which grids are right.
void describe_other_grids(const CheckModel& model, const BlockShifts& shifts, std::size_t described, Proposal& found) {
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  Message::List others, kept;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_grid(blocks[i]) || !is_looked_at(model, blocks[i])) continue;
    const Message part = place_of(blocks, i);
    if (!is_shifted(shifts[i])) kept.push_back(part);
    if (!is_shifted(shifts[i]) || i == described) continue;
    others.push_back(Message("check.position-offset.part", {{"part", part}, {"offset", list_text(shifts[i])}}));
    found.advice =
        sentences(std::move(found.advice),
                  Message("check.centring.advice_part", {{"part", part}, {"due", list_text(first_ids(blocks[i]))}}));
  }
  if (!others.empty()) {
    add_offsets(model, shifts, found);
    found.evidence = sentences(std::move(found.evidence),
                               Message("check.centring.evidence_others", {{"parts", join_sentences(others)}}));
  }
  if (!kept.empty()) {
    found.advice = sentences(std::move(found.advice),
                             Message("check.centring.advice_kept", {{"parts", list_of(std::move(kept))}}));
  }
}

/// Returns the cause "centring" with these shifts, which are of images alone.
Proposal propose_other_centring(const Situation& situation, const BlockShifts& shifts) {
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  std::vector<double> of_image, due, start;
  std::size_t described = 0;
  bool from_zero = true, rounded = true;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!blocks[i].is_image() || !is_shifted(shifts[i])) continue;
    described = i, of_image = shifts[i];
    due = start = first_ids(blocks[i]);
    for (std::size_t axis = 0; axis < of_image.size(); ++axis) {
      start[axis] += of_image[axis];
      if (of_image[axis] == 0) continue;
      const std::int64_t side = blocks[i].count(blocks[i].ids[axis].along);
      const double step = step_of_centring(blocks[i].ids[axis], side);
      from_zero = from_zero && std::abs(start[axis]) < 1e-3 * step;
      rounded = rounded && side % 2 == 1 && std::abs(of_image[axis]) == step;
    }
  }
  Proposal found = propose_shifts(situation, shifts);
  found.parameters = {{"offset", of_image}};
  found.evidence = Message(from_zero ? "check.centring.evidence_from_zero"
                           : rounded ? "check.centring.evidence_rounded"
                                     : "check.centring.evidence",
                           {{"offset", list_text(of_image)}, {"start", list_text(start)}});
  found.advice = Message("check.centring.advice", {{"due", list_text(due)}});
  describe_other_grids(situation.model, shifts, described, found);
  return found;
}

/// Returns whether the ids of a grid's axis are coordinates around 0 between −1 and 1 (DINOv3).
bool are_coordinates(const TokenBlock& block, const AxisIds& ids) {
  if (!is_grid(block) || !is_grid_axis(ids) || ids.listed.size() < 2) return false;
  const double first = ids.listed.front(), last = ids.listed.back();
  return first >= -1 && first < 0 && std::abs(first + last) < 1e-9;
}

/// Keeps coordinates from 0 to 1 where the model stretches them to −1 … 1: in its angles (LTX), or in its ids. Returns
/// whether it does.
bool remove_stretch(CheckModel& model, bool in_angles) {
  bool some = false;
  for (LayoutAxis& axis : model.tokens.axes) {
    if (!in_angles || axis.id_offset == 0) continue;
    axis.id_scale = 1, axis.id_offset = 0, some = true;
  }
  for (TokenBlock& block : model.tokens.blocks) {
    const auto stretched = [&](const AxisIds& ids) { return are_coordinates(block, ids); };
    if (!std::any_of(block.ids.begin(), block.ids.end(), stretched)) continue;
    for (AxisIds& ids : block.ids) {
      // The middle of one row or column is 0.
      if (!stretched(ids) && !(is_grid_axis(ids) && block.count(ids.along) == 1 && ids.at(0) == 0)) continue;
      if (ids.listed.empty()) ids.first = (ids.first + 1) / 2;
      for (double& id : ids.listed) id = (id + 1) / 2;
      some = true;
    }
  }
  return some;
}

void propose_not_stretched(const Situation& situation, std::vector<Proposal>& proposals) {
  // Ids are those before the stretch of the angles.
  const bool in_angles = situation.evidence.has_rotation();
  CheckModel other = situation.model;
  if (situation.model.own_ids || !remove_stretch(other, in_angles)) return;
  Proposal& found = situation.add_to(proposals, [in_angles](CheckModel& model) { remove_stretch(model, in_angles); });
  found.parameters = {{"kind", named_value("not-stretched")}};
  found.evidence = Message("check.centring.evidence_not_stretched");
  found.advice = Message("check.centring.advice_not_stretched");
}

/// Ids of patches and frames at other places than their middles, which the model uses (LTX-2).
struct Edges {
  std::string_view kind, evidence;
  double of_sides = 0;                                    ///< shift of rows and columns, in steps
  double (*frame)(double width, double frame) = nullptr;  ///< id of a frame in frames of the video; null: the model's
};

double start_of_frame(double width, double frame) {
  return std::max(width * frame - (width - 1), 0.0);
}
double end_of_frame(double width, double frame) {
  return width * frame + 1;
}
double middle_of_whole_frame(double width, double frame) {
  return width * frame + width / 2;
}
double start_of_whole_frame(double width, double frame) {
  return width * frame;
}

constexpr Edges kEdges[] = {
    {"starts", "check.centring.evidence_starts", -0.5, start_of_frame},
    {"ends", "check.centring.evidence_ends", 0.5, end_of_frame},
    {"starts", "check.centring.evidence_starts_of_sides", -0.5, nullptr},
    {"starts", "check.centring.evidence_starts_of_frames", 0, start_of_frame},
    {"no-causal-offset", "check.centring.evidence_no_causal_offset", 0, middle_of_whole_frame},
    {"no-causal-offset", "check.centring.evidence_starts_no_causal_offset", -0.5, start_of_whole_frame}};

/// Moves the ids of the grids from middles to edges.
void move_to_edges(CheckModel& model, const Edges& edges, double width) {
  for (TokenBlock& block : model.tokens.blocks) {
    for (AxisIds& ids : block.ids) {
      if (!is_grid(block) || ids.listed.empty()) continue;
      if (is_grid_axis(ids)) {
        const double by = edges.of_sides * step_of_centring(ids, block.count(ids.along));
        for (double& id : ids.listed) id += by;
      } else if (ids.along == Along::frame && edges.frame != nullptr) {
        // The first frame of tokens is one of the video, whose middle is half of it.
        const double frame_of_video = 2 * ids.listed.front();
        for (std::size_t i = 0; i < ids.listed.size(); ++i)
          ids.listed[i] = frame_of_video * edges.frame(width, static_cast<double>(i));
      }
    }
  }
}

/// Appends edges for a layout whose ids are the middles of its patches, in fractions.
void propose_edges(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckReference& reference = situation.reference;
  if (reference.layout == nullptr || situation.model.own_ids) return;
  const bool middles = std::ranges::any_of(reference.tokens.blocks, [](const TokenBlock& block) {
    return is_grid(block) && std::ranges::any_of(block.ids, [&](const AxisIds& ids) {
             if (!is_grid_axis(ids) || ids.listed.size() < 2) return false;
             const double step = step_of_centring(ids, block.count(ids.along));
             return step > 0 && step < 1 && std::abs(std::remainder(ids.at(0) / step - 0.5, 1.0)) < 1e-6;
           });
  });
  if (!middles) return;
  const double width = reference.layout->frame_factor;
  for (const Edges& edges : kEdges) {
    if (edges.frame != nullptr && width < 2) continue;
    Proposal& found =
        situation.add_to(proposals, [&edges, width](CheckModel& other) { move_to_edges(other, edges, width); });
    found.parameters = {{"kind", named_value(edges.kind)}};
    found.evidence = Message(edges.evidence);
    found.advice = Message("check.centring.advice_middles");
  }
}

void propose_centring(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_not_stretched(situation, proposals);
  propose_edges(situation, proposals);
  const BlockShifts& shifts = situation.shifts();
  if (!move_only(situation.model, shifts, is_grid)) return;
  if (const auto found = centring_shifts(situation.model, shifts)) {
    proposals.push_back(propose_other_centring(situation, *found));
  }
}

std::optional<double> own_shift(const CheckModel&, std::string_view, std::size_t) {
  return 0;
}

// --- Index of references -------------------------------------------------------------------------------------------

/// Returns the first ids of each reference image, all axes: (1, 0, 0), (2, 0, 0).
Message::List starts_in(const CheckModel& model) {
  Message::List starts;
  for (const TokenBlock& block : model.tokens.blocks) {
    if (!is_reference(block) || !is_looked_at(model, block)) continue;
    starts.push_back(verbatim(list_text(first_ids(block))));
  }
  return starts;
}

/// Returns the axis of the index of images: the first that counts neither rows nor columns; nullopt if there is none.
std::optional<std::size_t> index_axis(const TokenBlock& block) {
  const auto found = std::find_if_not(block.ids.begin(), block.ids.end(), is_grid_axis);
  return found == block.ids.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - block.ids.begin()));
}

std::vector<double> list_indices(const CheckModel& model) {
  std::vector<double> indices;
  for (const TokenBlock& block : model.tokens.blocks) {
    const auto axis = index_axis(block);
    if (axis && is_reference(block) && is_looked_at(model, block)) indices.push_back(block.ids[*axis].at(0));
  }
  return indices;
}

void propose_reference_index(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const BlockShifts& shifts = situation.shifts();
  if (!move_some(model, shifts, is_reference) || !move_only(model, shifts, is_reference)) return;
  Proposal& found = proposals.emplace_back(propose_shifts(situation, shifts));
  const std::vector<double> indices = list_indices(found.model), due = list_indices(model);
  BlockShifts beside = shifts;
  for (std::size_t i = 0; i < beside.size(); ++i) {
    if (const auto axis = index_axis(model.tokens.blocks[i])) beside[i][*axis] = 0;
  }
  if (indices != due) found.parameters = {{"indices", indices}};
  if (indices != due && !std::ranges::any_of(beside, is_shifted)) {
    const Message::Named wanted("due", list_text(due));
    found.evidence = Message("check.reference-index.evidence", {{"found", list_text(indices)}, wanted});
    found.advice = Message("check.reference-index.advice", {wanted});
    return;
  }
  add_offsets(model, shifts, found);
  const Message::Named wanted("due", starts_in(model));
  found.evidence = Message("check.reference-index.evidence_starts", {{"found", starts_in(found.model)}, wanted});
  found.advice = Message("check.reference-index.advice_starts", {wanted});
}

// --- Start of text -------------------------------------------------------------------------------------------------

bool has_text_and_more(const CheckModel& model) {
  bool text = false, more = false;
  for (const TokenBlock& block : model.tokens.blocks) {
    if (!is_looked_at(model, block)) continue;
    (block.is_text() ? text : more) = true;
  }
  return text && more;
}

/// Returns the first ids of a text: one number if all running axes agree, else one for each axis.
std::variant<double, std::vector<double>, Message> start_of(const TokenBlock& block) {
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

std::string text_of(const std::variant<double, std::vector<double>, Message>& start) {
  const double* number = std::get_if<double>(&start);
  return number != nullptr ? number_for_people(*number) : list_text(std::get<std::vector<double>>(start));
}

/// A text whose ids differ, and its name.
struct MovedText {
  const TokenBlock *there, *due;
  Message name;
};

bool starts_alike(const TokenBlock& a, const TokenBlock& b) {
  return std::equal(a.ids.begin(), a.ids.end(), b.ids.begin(), [](const AxisIds& of_a, const AxisIds& of_b) {
    return of_a.along == of_b.along && of_a.at(0) == of_b.at(0);
  });
}

/// Returns the texts that start at other ids or run on other axes; of several texts, the name identifies which.
std::vector<MovedText> find_moved_texts(const CheckModel& model, const CheckModel& reference) {
  const std::vector<TokenBlock>&there = model.tokens.blocks, &due = reference.tokens.blocks;
  std::vector<MovedText> moved;
  Message name("check.text-start.text");
  for (std::size_t i = 0; i < std::min(there.size(), due.size()); ++i) {
    if (!is_looked_at(reference, due[i])) continue;
    if (!due[i].is_text()) {
      name = is_reference(due[i]) ? Message("check.text-start.text_after_reference")
                                  : Message("check.text-start.text_after", {{"part", part_words(due[i].part)}});
      continue;
    }
    if (!starts_alike(there[i], due[i])) moved.push_back({&there[i], &due[i], name});
  }
  return moved;
}

/// Axes that a text runs on: as a parameter ("row", "all", "none"), and as a text; no name: those of the model.
struct RunningAxes {
  Message name, words;
};

RunningAxes running_axes(const CheckModel& model, const std::vector<bool>& axes) {
  const auto running = static_cast<std::size_t>(std::count(axes.begin(), axes.end(), true));
  if (running == 0) return {named_value("none"), Message("check.text-start.no_axis")};
  if (running == axes.size()) return {named_value("all"), Message("check.text-start.all_axes")};
  Message::List listed;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (!axes[axis]) continue;
    listed.push_back(verbatim(model.tokens.axes[axis].name));
  }
  const Message names = list_of(std::move(listed));
  return {names, Message("check.text-start.axes", {{"axes", names}, {"count", running}})};
}

/// Returns the running axes of one text.
RunningAxes running_axes(const CheckModel& model, const TokenBlock& text) {
  std::vector<bool> axes;
  for (const AxisIds& ids : text.ids) axes.push_back(ids.along == Along::token || ids.along == Along::column);
  return running_axes(model, axes);
}

Proposal propose_text_of_model(const Situation& situation, const CheckModel& model, const RunningAxes& axes) {
  Proposal found = situation.proposal();
  found.model = model;
  for (const MovedText& moved : find_moved_texts(model, situation.model)) {
    const auto start = start_of(*moved.there);
    const Message running = running_axes(situation.model, *moved.due).words;
    const Message::Named text("text", moved.name), due("due", text_of(start_of(*moved.due))),
        due_axes("due_axes", running);
    const bool still = running.key == "check.text-start.no_axis";
    Message evidence(axes.name.empty() ? "check.text-start.evidence" : "check.text-start.evidence_axis",
                     {text, {"start", text_of(start)}, {"axes", axes.words}, due, due_axes});
    Message advice(still ? "check.text-start.advice_still" : "check.text-start.advice", {text, due, due_axes});
    const bool first = found.parameters.empty();
    if (first) found.parameters = {{"start", start}};
    found.evidence = first ? std::move(evidence) : sentences(std::move(found.evidence), std::move(evidence));
    found.advice = first ? std::move(advice) : sentences(std::move(found.advice), std::move(advice));
  }
  if (!axes.name.empty()) found.parameters.push_back({"axis", axes.name});
  return found;
}

/// Returns the model with the texts shifted by what the evidence shows.
CheckModel shift_texts(const Situation& situation) {
  CheckModel model = situation.model;
  shift_blocks(model, select_shifts(model, situation.shifts(), is_text));
  return model;
}

/// Returns the model with texts that count on the selected axes, all others at 0.
CheckModel count_texts_on(const CheckModel& model, const std::vector<bool>& axes) {
  CheckModel other = model;
  for (TokenBlock& block : other.tokens.blocks) {
    if (!block.is_text()) continue;
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      block.ids[axis] = AxisIds{axes[axis] ? Along::token : Along::none, 0, {}};
    }
  }
  return other;
}

/// Returns the axes that a text may run on: one, all, none, or all but one.
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
  if (!move_only(model, situation.shifts(), is_text)) return;
  proposals.push_back(propose_text_of_model(situation, shift_texts(situation), {}));
  for (const std::vector<bool>& axes : likely_axes(model.tokens.axes.size())) {
    const CheckModel other = count_texts_on(model, axes);
    proposals.push_back(
        propose_text_of_model(situation, shift_texts(situation.about(other)), running_axes(model, axes)));
  }
}

/// Returns the cause "text-start" with these shifts, which are of texts alone.
Proposal propose_text_start_shifts(const Situation& situation, const BlockShifts& shifts) {
  return propose_text_of_model(situation, propose_shifts(situation, shifts).model, {});
}

// --- Offsets -------------------------------------------------------------------------------------------------------

/// Sampled rows of a text: enough to meet every sequence of a few.
constexpr std::size_t kCourseRows = 64;

/// A row of a text, counted from its first, with its position and the difference from the model's.
struct Found {
  std::int64_t row = 0;
  double position = 0, shift = 0;
};

/// Returns the axis that counts the tokens of a block; nullopt if it is not a text of positions first, first + 1, …
std::optional<std::size_t> counting_axis(const CheckModel& model, const TokenBlock& block) {
  if (is_grid(block) || block.rows != 1 || block.frames != 1 || block.columns < 3) return std::nullopt;
  std::optional<std::size_t> axis;
  for (std::size_t a = 0; a < block.ids.size(); ++a) {
    const AxisIds& ids = block.ids[a];
    const bool counts = (ids.along == Along::token || ids.along == Along::column) && ids.listed.empty();
    if (!counts && ids.along != Along::none) return std::nullopt;
    if (counts && !axis && (model.tokens.frequencies.row(static_cast<Eigen::Index>(a)).array() != 0).any()) axis = a;
  }
  return axis;
}

/// Returns whether two sampled rows have the same numbers, within their storage error.
bool are_same(const Situation& situation, Eigen::Index a, Eigen::Index b, std::size_t axis) {
  const Evidence& evidence = situation.evidence;
  const auto column = static_cast<Eigen::Index>(axis);
  if (!evidence.has_rotation()) return evidence.ids(a, column) == evidence.ids(b, column);
  const Observed& observed = situation.observed();
  for (Eigen::Index pair = 0; pair < observed.phase.cols(); ++pair) {
    const double noise = observed.noise(a, pair) + observed.noise(b, pair);
    if (!std::isfinite(noise)) continue;
    evidence.spend(1);
    const double turned = wrapped(observed.phase(a, pair) - observed.phase(b, pair), 2 * std::numbers::pi);
    if (std::abs(turned) > tuned::kErrorsOfPhase * noise + tuned::kPhaseOfRepeats) return false;
  }
  return true;
}

/// Rows of a block in order, with their indices in the sample.
using RowPlaces = std::vector<std::pair<std::int64_t, Eigen::Index>>;

/// Returns whether some row repeats another, as consecutive positions never do: the second or the last row its
/// predecessor, or any row the first. Recovering a position costs far more.
bool shows_course(const Situation& situation, const RowPlaces& rows, std::size_t axis) {
  const auto same = [&](std::size_t a, std::size_t b) {
    return are_same(situation, rows[a].second, rows[b].second, axis);
  };
  if (same(0, 1) || same(rows.size() - 2, rows.size() - 1)) return true;
  for (std::size_t i = 2; i < rows.size(); ++i) {
    if (same(0, i)) return true;
  }
  return false;
}

/// Returns positions of rows spread over a block; empty if not all of its rows are in the tensors.
std::vector<Found> find_positions_in(const Situation& situation, const TokenBlock& block, std::size_t axis) {
  const CheckModel& model = situation.model;
  const Evidence& evidence = situation.evidence;
  RowPlaces rows;
  for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
    const std::int64_t row = reference_row(model, evidence.rows[i]) - block.first_row;
    if (row >= 0 && row < block.columns) rows.emplace_back(row, static_cast<Eigen::Index>(i));
  }
  std::sort(rows.begin(), rows.end());
  std::vector<Found> found;
  if (rows.size() < 3 || !shows_course(situation, rows, axis)) return found;
  const std::size_t count = std::min(kCourseRows, rows.size());
  const double first = model.id_factor * block.ids[axis].first;
  for (std::size_t k = 0; k < count && !evidence.is_spent(); ++k) {
    const auto& [row, i] = rows[k * (rows.size() - 1) / (count - 1)];
    const double position = recover_id(situation, i, axis);
    found.push_back({row, position, position - first - static_cast<double>(row)});
    if (found.back().shift != std::nearbyint(found.back().shift)) return {};
  }
  return found;
}

/// A stretch of a text: its first row, the position there, and whether it counts on.
struct Stretch {
  std::int64_t row = 0;
  double start = 0;
  bool counts = true;
};

/// Name of a course of positions, and the keys of its texts.
struct CourseKind {
  std::string_view name, evidence, advice;
};
constexpr CourseKind kRestart{"restart", "check.position-offset.evidence_restart",
                              "check.position-offset.advice_restart"};
constexpr CourseKind kWrappedCourse{"wrapped", "check.position-offset.evidence_wrapped",
                                    "check.position-offset.advice_restart"};
constexpr CourseKind kClamped{"clamped", "check.position-offset.evidence_clamped",
                              "check.position-offset.advice_clamped"};
constexpr CourseKind kLeftPaddedCourse{"left-padded", "check.position-offset.evidence_left_padded",
                                       "check.position-offset.advice_left_padded"};

/// The course of a text's positions, as its rows show it.
struct Course {
  CourseKind kind;
  std::vector<Stretch> stretches;
  std::vector<double> rows;  ///< rows where something begins
};

/// Returns positions that restart, once or every so many rows.
std::optional<Course> find_restart(const std::vector<Found>& found, std::int64_t count, double first) {
  std::set<std::int64_t> starts;
  for (const Found& one : found) {
    if (one.shift != std::nearbyint(one.shift) || one.shift > 0) return std::nullopt;
    if (one.shift != 0) starts.insert(static_cast<std::int64_t>(-one.shift));
  }
  if (starts.empty() || *starts.begin() < 2) return std::nullopt;
  const std::int64_t every = *starts.begin();
  const bool wrapped = starts.size() > 1 && std::all_of(starts.begin(), starts.end(),
                                                        [every](std::int64_t start) { return start % every == 0; });
  for (std::int64_t row = every; wrapped && row < count; row += every) starts.insert(row);
  for (const Found& one : found) {
    auto after = starts.upper_bound(one.row);
    const double due = after == starts.begin() ? 0 : -static_cast<double>(*std::prev(after));
    if (one.shift != due) return std::nullopt;
  }
  Course course{wrapped ? kWrappedCourse : kRestart, {{0, first, true}}, {}};
  for (const std::int64_t row : starts) {
    course.stretches.push_back({row, first, true});
    if (!wrapped || course.rows.empty()) course.rows.push_back(static_cast<double>(row));
  }
  return course;
}

/// Returns positions that stop at one, or begin after rows that all share one.
std::optional<Course> stopped(const std::vector<Found>& found, double first) {
  const double last = found.back().position;
  const auto row = static_cast<std::int64_t>(std::nearbyint(last - first));
  const bool stops =
      row > 0 && row < found.back().row && std::all_of(found.begin(), found.end(), [&](const Found& one) {
        return one.position == std::min(first + static_cast<double>(one.row), last);
      });
  if (stops) return Course{kClamped, {{0, first, true}, {row, last, false}}, {static_cast<double>(row)}};
  const double shift = found.back().shift, begin = found.front().position;
  const auto padded = static_cast<std::int64_t>(-shift);
  const bool begins = shift < 0 && shift == std::nearbyint(shift) && padded < found.back().row &&
                      std::all_of(found.begin(), found.end(), [&](const Found& one) {
                        return one.row < padded ? one.position == begin : one.shift == shift;
                      });
  if (begins) {
    return Course{kLeftPaddedCourse, {{0, begin, false}, {padded, first, true}}, {static_cast<double>(padded)}};
  }
  return std::nullopt;
}

/// Cuts one of the blocks into stretches.
void cut_at(CheckModel& model, std::size_t at, const std::vector<Stretch>& stretches) {
  const TokenBlock whole = model.tokens.blocks[at];
  std::vector<TokenBlock> parts;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    TokenBlock part = whole;
    part.columns = (i + 1 < stretches.size() ? stretches[i + 1].row : whole.columns) - stretches[i].row;
    part.first_row += stretches[i].row;
    part.first_token += stretches[i].row;
    for (AxisIds& ids : part.ids) {
      if (ids.along == Along::none) continue;
      ids.first = model.id_factor == 0 ? 0 : stretches[i].start / model.id_factor;
      if (!stretches[i].counts) ids.along = Along::none;
    }
    parts.push_back(std::move(part));
  }
  std::vector<TokenBlock>& blocks = model.tokens.blocks;
  const auto place = blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(at));
  blocks.insert(place, parts.begin(), parts.end());
}

/// Appends texts whose positions do not count on: two prompts in one sequence, a buffer that wraps, padding on the
/// left, the end of a cache.
void propose_text_courses(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.own_ids || situation.evidence.tensors->rows != model.row_count || is_mixed(model.tokens.frequencies))
    return;
  for (std::size_t i = 0; i < model.tokens.blocks.size(); ++i) {
    const TokenBlock& block = model.tokens.blocks[i];
    const auto axis = counting_axis(model, block);
    if (!axis || !is_looked_at(model, block)) continue;
    const std::vector<Found> found = find_positions_in(situation, block, *axis);
    if (found.size() < 3) continue;
    const double first = model.id_factor * block.ids[*axis].first;
    // Rows that are all at the first position look like restarts at each row if only some are sampled.
    auto course = stopped(found, first);
    if (!course) course = find_restart(found, block.columns, first);
    if (!course) continue;
    Proposal& proposal = situation.add_to(proposals, [i, stretches = course->stretches](CheckModel& other) {
      if (i < other.tokens.blocks.size()) cut_at(other, i, stretches);
    });
    proposal.parameters = {{"kind", named_value(course->kind.name)}, {"rows", course->rows[0]}};
    const bool before = course->kind.name == kLeftPaddedCourse.name;
    const Message::Named id("id", before ? course->stretches.front().start : course->stretches.back().start);
    proposal.evidence = Message(course->kind.evidence, {{"rows", course->rows[0]}, id});
    if (course->rows.size() > 1) {
      proposal.parameters[1].value = course->rows;
      proposal.evidence = Message(course->kind.evidence, {{"rows", list_text(course->rows)}, id});
    }
    proposal.advice = Message(course->kind.advice);
    if (before && situation.reference.layout != nullptr) {
      const auto token = static_cast<std::int64_t>(course->rows[0]);
      proposal.advice =
          Message("check.position-offset.advice_left_padded_layout",
                  {{"first", token}, {"end", situation.model.row_count}, {"text", block.columns - token}});
    } else if (before) {
      const auto token = static_cast<std::int64_t>(course->rows[0]), end = block.first_row + block.columns;
      proposal.advice.values = {{"first", token}, {"end", end}, {"last", end - token - 1}};
    }
  }
}

void propose_position_offset(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  propose_text_courses(situation, proposals);
  const BlockShifts& shifts = situation.shifts();
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  // The shift of all parts, or that of the image.
  const std::vector<double>* offset = nullptr;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (!is_looked_at(situation.model, blocks[i])) continue;
    if (is_shifted(shifts[i]) && (offset == nullptr || blocks[i].is_image())) offset = &shifts[i];
  }
  if (offset == nullptr) return;
  Proposal& found = proposals.emplace_back(propose_shifts(situation, shifts));
  found.parameters = {{"offset", *offset}};
  found.advice = Message("check.position-offset.advice");
  if (!is_shift_of_all(situation.reference, situation.model, shifts)) {
    // Each part with its own shift.
    Message::List parts;
    for (std::size_t i = 0; i < shifts.size(); ++i) {
      if (!is_looked_at(situation.model, blocks[i]) || !is_shifted(shifts[i])) continue;
      parts.push_back(
          Message("check.position-offset.part", {{"part", place_of(blocks, i)}, {"offset", list_text(shifts[i])}}));
    }
    if (parts.size() > 1) add_offsets(situation.model, shifts, found);
    found.evidence = parts.size() > 1
                         ? Message("check.position-offset.evidence_parts", {{"parts", join_sentences(parts)}})
                         : Message("check.position-offset.evidence_part", {{"part", parts.front()}});
    return;
  }
  // Rows with specified positions meet keys that were cached at others.
  const bool given = situation.reference.positions.has_value();
  found.evidence = Message(given ? "check.position-offset.evidence_given" : "check.position-offset.evidence",
                           {{"offset", list_text(*offset)}});
}

/// Returns a grid centred by another rule and a text with another start: two causes in ids instead of one shift of
/// everything. nullopt if all parts have the same shift.
std::optional<TwoCauses> centring_and_text(const Situation& situation) {
  const BlockShifts& shifts = situation.shifts();
  const auto of_images = centring_shifts(situation.model, shifts);
  if (!of_images) return std::nullopt;
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  if (!move_some(situation.model, shifts, is_text)) return std::nullopt;
  const BlockShifts of_texts = select_shifts(situation.model, shifts, is_text);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!blocks[i].is_text() && !is_shifted((*of_images)[i]) && is_shifted(shifts[i])) return std::nullopt;
    for (std::size_t j = 0; j < blocks.size(); ++j) {
      if (blocks[i].is_text() && blocks[j].is_image() && shifts[i] == shifts[j]) return std::nullopt;
    }
  }
  Proposal grid = propose_other_centring(situation, *of_images), text = propose_text_start_shifts(situation, of_texts);
  const CheckModel grid_alone = grid.model, text_alone = text.model;
  shift_blocks(grid.model, of_texts);
  text.model = grid.model;
  return TwoCauses{{&kCentring, std::move(grid), grid_alone}, {&kTextStart, std::move(text), text_alone}};
}

}  // namespace

/// The grid is centred, half-centred or not centred, unlike the model's (seen with odd grids of Qwen-Image).
constinit const Cause kCentring{.name = "centring",
                                .group = CauseGroup::ids,
                                .seen_in = "leejet/stable-diffusion.cpp",
                                .id_change = IdChange::shift,
                                .propose = propose_centring,
                                .own_number = own_shift};

/// Reference images with another index.
extern constinit const Cause kReferenceIndex{.name = "reference-index",
                                             .group = CauseGroup::ids,
                                             .seen_in = "huggingface/diffusers#13811",
                                             .id_change = IdChange::shift,
                                             .propose = propose_reference_index};

/// The ids of the text start at another number or run on another axis.
constinit const Cause kTextStart{.name = "text-start",
                                 .group = CauseGroup::ids,
                                 .seen_in = "huggingface/diffusers#13574",
                                 .id_change = IdChange::shift,
                                 .propose = propose_text_start};

/// Ids shifted by a constant: counted from 1, an offset of a cache, the length of a caption.
constinit const Cause kPositionOffset{.name = "position-offset",
                                      .group = CauseGroup::ids,
                                      .seen_in = "huggingface/transformers#43082, vllm-project/vllm#16878",
                                      .id_change = IdChange::shift,
                                      .propose = propose_position_offset,
                                      .own_number = own_shift,
                                      .as_two = centring_and_text};

}  // namespace ropescope
