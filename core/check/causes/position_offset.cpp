#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "core/check/search/shifts.h"

namespace ropescope {

namespace {

/// Rows of a text that are looked at: enough that every sequence of a few is met.
constexpr std::size_t kPositionOffsetLookedAt = 64;

/// A row of a text, counted from its first, and by how much its position is not that of the model.
struct Found {
  std::int64_t row = 0;
  double position = 0, shift = 0;
};

/// The axis that counts the tokens of a block one by one; none where it is no text of positions first, first + 1, …
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

/// Whether two of the rows that are looked at hold the same numbers, as far as their storing tells.
bool are_same(const Situation& situation, Eigen::Index a, Eigen::Index b, std::size_t axis) {
  const Evidence& evidence = situation.evidence;
  const auto column = static_cast<Eigen::Index>(axis);
  if (!evidence.has_rotation()) return evidence.ids(a, column) == evidence.ids(b, column);
  const Observed& observed = situation.observed();
  constexpr double kErrors = 4, kOfAngle = 1e-3;
  for (Eigen::Index pair = 0; pair < observed.phase.cols(); ++pair) {
    const double noise = observed.noise(a, pair) + observed.noise(b, pair);
    if (!std::isfinite(noise)) continue;
    evidence.spend(1);
    const double turned = wrapped(observed.phase(a, pair) - observed.phase(b, pair), 2 * std::numbers::pi);
    if (std::abs(turned) > kErrors * noise + kOfAngle) return false;
  }
  return true;
}

/// Rows of a block in their order, with their places among those that are looked at.
using RowPlaces = std::vector<std::pair<std::int64_t, Eigen::Index>>;

/// Whether some row repeats what no two rows of positions that count on have in common: the last one or the second that
/// before it, or any one the first. To tell the position of a row costs far more.
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

/// Positions of rows spread over a block; empty where its rows are not all among those of the tensors.
std::vector<Found> found_in(const Situation& situation, const TokenBlock& block, std::size_t axis) {
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
  const std::size_t count = std::min(kPositionOffsetLookedAt, rows.size());
  const double first = model.id_factor * block.ids[axis].first;
  for (std::size_t k = 0; k < count && !evidence.is_spent(); ++k) {
    const auto& [row, i] = rows[k * (rows.size() - 1) / (count - 1)];
    const double position = recovered_id(situation, i, axis);
    found.push_back({row, position, position - first - static_cast<double>(row)});
    if (found.back().shift != std::nearbyint(found.back().shift)) return {};
  }
  return found;
}

/// A stretch of a text: its first row, and where it starts; counting on from there or not.
struct Stretch {
  std::int64_t row = 0;
  double start = 0;
  bool counts = true;
};

/// What a course of positions is called, and the keys of what is said of it.
struct PositionOffsetKind {
  std::string_view name, evidence, advice;
};
constexpr PositionOffsetKind kRestart{"restart", "check.position-offset.evidence_restart",
                                      "check.position-offset.advice_restart"};
constexpr PositionOffsetKind kPositionOffsetWrapped{"wrapped", "check.position-offset.evidence_wrapped",
                                                    "check.position-offset.advice_restart"};
constexpr PositionOffsetKind kClamped{"clamped", "check.position-offset.evidence_clamped",
                                      "check.position-offset.advice_clamped"};
constexpr PositionOffsetKind kPositionOffsetLeftPadded{"left-padded", "check.position-offset.evidence_left_padded",
                                                       "check.position-offset.advice_left_padded"};

/// How the positions of a text run on, as its rows show it.
struct Course {
  PositionOffsetKind kind;
  std::vector<Stretch> stretches;
  std::vector<double> rows;  ///< where something begins
};

/// Positions that begin again, once or every so many rows.
std::optional<Course> begun_again(const std::vector<Found>& found, std::int64_t count, double first) {
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
  Course course{wrapped ? kPositionOffsetWrapped : kRestart, {{0, first, true}}, {}};
  for (const std::int64_t row : starts) {
    course.stretches.push_back({row, first, true});
    if (!wrapped || course.rows.empty()) course.rows.push_back(static_cast<double>(row));
  }
  return course;
}

/// Positions that stop at one, or begin after rows that all have the same.
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
    return Course{kPositionOffsetLeftPadded, {{0, begin, false}, {padded, first, true}}, {static_cast<double>(padded)}};
  }
  return std::nullopt;
}

/// The blocks with one of them cut into stretches.
void cut_position_offset(CheckModel& model, std::size_t at, const std::vector<Stretch>& stretches) {
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

/// Texts whose positions do not count on: two prompts in one sequence, a buffer that wraps, padding on the left, the
/// end of a cache.
void propose_courses_position_offset(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.own_ids || situation.evidence.tensors->rows != model.row_count || is_mixed(model.tokens.frequencies))
    return;
  for (std::size_t i = 0; i < model.tokens.blocks.size(); ++i) {
    const TokenBlock& block = model.tokens.blocks[i];
    const auto axis = counting_axis(model, block);
    if (!axis || !is_looked_at(model, block)) continue;
    const std::vector<Found> found = found_in(situation, block, *axis);
    if (found.size() < 3) continue;
    const double first = model.id_factor * block.ids[*axis].first;
    // Rows that all stand at the first position begin again at each, if one looks at some of them alone.
    auto course = stopped(found, first);
    if (!course) course = begun_again(found, block.columns, first);
    if (!course) continue;
    Proposal proposal = situation.proposal();
    cut_position_offset(proposal.model, i, course->stretches);
    proposal.again = [i, stretches = course->stretches](const CheckModel& other) {
      CheckModel moved = other;
      if (i < moved.tokens.blocks.size()) cut_position_offset(moved, i, stretches);
      return moved;
    };
    proposal.parameters = {{"kind", named_value(course->kind.name)}, {"rows", course->rows[0]}};
    const bool before = course->kind.name == kPositionOffsetLeftPadded.name;
    const Words::Named id("id", before ? course->stretches.front().start : course->stretches.back().start);
    proposal.evidence = Words(course->kind.evidence, {{"rows", course->rows[0]}, id});
    if (course->rows.size() > 1) {
      proposal.parameters[1].value = course->rows;
      proposal.evidence = Words(course->kind.evidence, {{"rows", list_text(course->rows)}, id});
    }
    proposal.advice = Words(course->kind.advice);
    proposals.push_back(std::move(proposal));
  }
}

void propose_position_offset(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  propose_courses_position_offset(situation, proposals);
  const BlockShifts& shifts = situation.shifts();
  const std::vector<TokenBlock>& blocks = situation.model.tokens.blocks;
  // What all parts have in common, or what the image has.
  const std::vector<double>* offset = nullptr;
  bool everywhere = true;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    if (!is_looked_at(situation.model, blocks[i])) continue;
    if (is_shifted(shifts[i]) && (offset == nullptr || blocks[i].part == "image")) offset = &shifts[i];
  }
  if (offset == nullptr) return;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    everywhere = everywhere && (!is_looked_at(situation.model, blocks[i]) || shifts[i] == *offset);
  }
  Proposal found = situation.proposal();
  shift_blocks(found.model, shifts);
  found.parameters = {{"offset", *offset}};
  found.evidence = Words(everywhere ? "check.position-offset.evidence" : "check.position-offset.evidence_part",
                         {{"offset", list_text(*offset)}});
  found.advice = Words("check.position-offset.advice");
  proposals.push_back(std::move(found));
}

}  // namespace

/// Ids shifted by a constant: counted from 1, an offset of a cache, the length of a caption.
constinit const Cause kPositionOffset{.name = "position-offset",
                                      .group = CauseGroup::ids,
                                      .seen_in = "huggingface/transformers#43082, vllm-project/vllm#16878",
                                      .by_shifts = true,
                                      .propose = propose_position_offset};

}  // namespace ropescope
