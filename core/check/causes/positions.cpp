// Causes among how positions run: offsets, other rows, other lengths, one block each.
//
// Contents: Offsets; Rows; Scale.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

#include "core/check/causes/sizes.h"
#include "core/check/evidence/positions.h"

namespace ropescope {

// --- Offsets -------------------------------------------------------------------------------------------------------

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

// --- Rows ----------------------------------------------------------------------------------------------------------

namespace {

using Runs = std::vector<PositionRun>;

/// How the rows of a text stand, by its name and the keys of what is said of it.
struct PositionRowsKind {
  std::string_view name, evidence, advice = "check.position-offset.advice_rows";
};
constexpr PositionRowsKind kPositionRowsRows{"rows", "check.position-offset.evidence_rows"};
constexpr PositionRowsKind kSlice{"slice", "check.position-offset.evidence_slice",
                                  "check.position-offset.advice_slice"};
constexpr PositionRowsKind kPacked{"restart", "check.position-offset.evidence_packed",
                                   "check.position-offset.advice_restart"};
constexpr PositionRowsKind kPositionRowsWrapped{"wrapped", "check.position-offset.evidence_wrapped",
                                                "check.position-offset.advice_restart"};
constexpr PositionRowsKind kPositionRowsLeftPadded{"left-padded", "check.position-offset.evidence_padded",
                                                   "check.position-offset.advice_left_padded"};
constexpr PositionRowsKind kRightPadded{"right-padded", "check.position-offset.evidence_padded",
                                        "check.position-offset.advice_right_padded"};
constexpr PositionRowsKind kStill{"still", "check.position-offset.evidence_rows"};
constexpr PositionRowsKind kReversed{"reversed", "check.position-offset.evidence_rows"};

bool is_whole(double number) {
  return number == std::nearbyint(number);
}

/// Whether no two rows stand at one position.
bool are_apart(const Runs& runs) {
  std::vector<std::pair<double, double>> reaches;
  for (const PositionRun& run : runs) reaches.emplace_back(run.start, run.last());
  std::sort(reaches.begin(), reaches.end());
  for (std::size_t i = 1; i < reaches.size(); ++i) {
    if (reaches[i].first <= reaches[i - 1].second) return false;
  }
  return true;
}

bool are_counts(const Runs& runs, std::size_t from, std::size_t to) {
  return std::all_of(runs.begin() + static_cast<std::ptrdiff_t>(from), runs.begin() + static_cast<std::ptrdiff_t>(to),
                     [](const PositionRun& run) { return run.step == 1; });
}

/// What the runs of a text are, whose first row is due at `first`.
PositionRowsKind kind_of(const Runs& runs, double first) {
  if (runs.size() == 1) {
    return runs[0].step < 0 ? kReversed : runs[0].step > 1 ? kSlice : runs[0].step == 0 ? kStill : kPositionRowsRows;
  }
  if (are_counts(runs, 0, runs.size())) {
    const bool begin = std::all_of(runs.begin() + 1, runs.end(), [&](const PositionRun& run) {
      return run.start <= std::max(first, runs[0].start) + 1;
    });
    return are_apart(runs) ? kSlice : begin ? kPacked : kPositionRowsRows;
  }
  const auto stands = [](const PositionRun& run) { return run.step == 0 && run.count > 1; };
  if (runs.size() == 2 && stands(runs[0]) && runs[1].step == 1) return kPositionRowsLeftPadded;
  if (stands(runs.back()) && are_counts(runs, 0, runs.size() - 1)) return kRightPadded;
  return kPositionRowsRows;
}

/// The text cut into its runs.
void cut_position_rows(CheckModel& model, const Runs& runs) {
  const TokenBlock whole = model.tokens.blocks[0];
  const double factor = model.id_factor == 0 ? 1 : model.id_factor;
  std::vector<TokenBlock> parts;
  for (const PositionRun& run : runs) {
    TokenBlock part = whole;
    part.rows = part.frames = 1;
    part.columns = run.count;
    part.first_row += run.row;
    part.first_token += run.row;
    AxisIds ids{run.step == 0 ? Along::none : Along::token, run.start / factor, {}};
    if (run.step != 0 && run.step != factor) {
      for (std::int64_t i = 0; i < run.count; ++i) ids.listed.push_back(run.at(run.row + i) / factor);
    }
    part.ids = {std::move(ids)};
    parts.push_back(std::move(part));
  }
  model.tokens.blocks = std::move(parts);
}

Proposal made(const Situation& situation, const std::function<void(CheckModel&)>& change) {
  Proposal found = situation.proposal();
  change(found.model);
  found.again = [change](const CheckModel& other) {
    CheckModel moved = other;
    change(moved);
    return moved;
  };
  found.doubt = Doubt::round_number;
  return found;
}

void describe_position_rows(Proposal& found, const PositionRowsKind& kind, const Runs& runs) {
  std::vector<double> rows, starts;
  for (const PositionRun& run : runs) rows.push_back(static_cast<double>(run.row)), starts.push_back(run.start);
  found.parameters = {{"kind", named_value(kind.name)}, {"rows", rows}, {"positions", starts}};
  if (runs.size() == 1)
    found.parameters = {{"kind", named_value(kind.name)}, {"positions", starts}, {"step", runs[0].step}};
  found.evidence = Words(kind.evidence, {{"runs", runs_text(runs)}});
  found.advice = Words(kind.advice);
}

/// Each position in several rows, one after the other, as the heads of a token or the items of a batch follow each
/// other; or so many positions again and again.
bool propose_counts(const Situation& situation, const RowPositions& positions, std::vector<Proposal>& proposals) {
  const Eigen::Index last = positions.id.rows() - 1;
  const std::int64_t row = positions.rows[static_cast<std::size_t>(last)];
  const double first = positions.id(0, 0);
  const auto all = [&](const auto& id_at) {
    for (Eigen::Index k = 0; k <= last; ++k) {
      if (positions.id(k, 0) != first + static_cast<double>(id_at(positions.rows[static_cast<std::size_t>(k)])))
        return false;
    }
    return true;
  };
  std::int64_t times = 0, every = 0;
  const double reached = positions.id(last, 0) - first;
  if (reached > 0 && is_whole(reached)) {
    for (std::int64_t count = static_cast<std::int64_t>(static_cast<double>(row) / (reached + 1)); times == 0;
         ++count) {
      if (static_cast<double>(count) > static_cast<double>(row) / reached + 1) break;
      if (count > 1 && all([count](std::int64_t at) { return at / count; })) times = count;
    }
  }
  if (times == 0) {
    for (Eigen::Index k = 0; k <= last; ++k) {
      const double behind =
          static_cast<double>(positions.rows[static_cast<std::size_t>(k)]) - (positions.id(k, 0) - first);
      if (!is_whole(behind) || behind < 0) return false;
      every = std::gcd(every, static_cast<std::int64_t>(behind));
    }
    if (every < 2 || !all([every](std::int64_t at) { return at % every; })) return false;
  }
  const std::int64_t rows = situation.model.row_count;
  const auto counted = [times, every](std::int64_t at) { return times > 0 ? at / times : at % every; };
  Proposal found = made(situation, [=](CheckModel& model) {
    const double factor = model.id_factor == 0 ? 1 : model.id_factor;
    TokenBlock& block = model.tokens.blocks[0];
    block.ids[0] = AxisIds{Along::token, 0, {}};
    block.ids[0].listed.resize(static_cast<std::size_t>(rows));
    for (std::int64_t at = 0; at < rows; ++at)
      block.ids[0].listed[static_cast<std::size_t>(at)] = (first + static_cast<double>(counted(at))) / factor;
  });
  const PositionRowsKind kind =
      times > 0 ? PositionRowsKind{"repeats", "check.position-offset.evidence_repeats"} : kPositionRowsWrapped;
  const std::int64_t shown = times > 0 ? times : every;
  found.parameters = {{"kind", named_value(kind.name)}, {"rows", static_cast<double>(shown)}};
  found.evidence = Words(kind.evidence, {{"rows", shown}});
  found.advice = Words(kind.advice);
  proposals.push_back(std::move(found));
  return true;
}

void propose_text(const Situation& situation, const RowPositions& positions, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.tokens.blocks.size() != 1 || positions.sure.minCoeff() < 1) return;
  // Positions below those that there are belong to sines of the other sign.
  if (positions.id.minCoeff() < std::min(0.0, positions.due.minCoeff())) return;
  if (propose_counts(situation, positions, proposals)) return;
  const Runs runs = position_runs(situation, positions);
  constexpr std::int64_t kRowsOfRun = 8;
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(2, model.row_count / kRowsOfRun));
  const bool halves =
      std::all_of(runs.begin(), runs.end(), [](const PositionRun& run) { return is_whole(2 * run.start); });
  if (runs.empty() || runs.size() > most || !halves) return;
  if (runs.size() == 1) {
    // One run of another step is a factor, but for a slice by turns or a text from its end.
    const double step = runs[0].step, start = runs[0].start;
    const bool by_turns = step > 1 && is_whole(step) && start > 0 && start < step && is_whole(start);
    const bool of_others = step == 1 && !model.tokens.blocks[0].ids[0].listed.empty();
    const bool stands = step == 0 && start != 0;
    if (!by_turns && !of_others && !stands && step != -1) return;
  }
  Proposal found = made(situation, [runs](CheckModel& other) { cut_position_rows(other, runs); });
  describe_position_rows(found, kind_of(runs, positions.due(0, 0)), runs);
  proposals.push_back(std::move(found));
}

/// Blocks whose ids run along another counter, or stand still.
void propose_courses_position_rows(const Situation& situation, const RowPositions& positions,
                                   std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const auto courses = block_courses(situation, positions);
  if (!courses || courses->empty()) return;
  Proposal found = made(situation, [courses = *courses](CheckModel& other) {
    for (const BlockCourse& course : courses) {
      if (course.block < other.tokens.blocks.size()) other.tokens.blocks[course.block].ids[course.axis] = course.ids;
    }
  });
  const auto along = [&](const BlockCourse& course) { return course.ids.along; };
  const auto every = [&](const auto& holds) { return std::all_of(courses->begin(), courses->end(), holds); };
  // All that a block turns by has one course.
  const bool alike = every([&](const BlockCourse& course) {
    const std::vector<AxisIds>& ids = found.model.tokens.blocks[course.block].ids;
    return ids.size() > 1 && std::all_of(ids.begin(), ids.end(), [&](const AxisIds& one) {
             return one.along == course.ids.along && one.first == course.ids.first && one.listed == course.ids.listed;
           });
  });
  std::string_view kind = "axes";
  // The same counters on other axes are an exchange, whatever is shifted beside it.
  const auto counters = [](const TokenBlock& block) {
    std::vector<Along> all;
    for (const AxisIds& ids : block.ids) all.push_back(block.count(ids.along) > 1 ? ids.along : Along::none);
    std::sort(all.begin(), all.end());
    return all;
  };
  if (every([&](const BlockCourse& course) {
        return counters(found.model.tokens.blocks[course.block]) == counters(model.tokens.blocks[course.block]) &&
               course.times == 1;
      }))
    return;
  if (every([&](const BlockCourse& course) { return along(course) == Along::none; })) kind = "still";
  if (alike) kind = "one-axis";
  if (every([&](const BlockCourse& course) { return along(course) == Along::token || along(course) == Along::none; }) &&
      std::any_of(courses->begin(), courses->end(),
                  [&](const BlockCourse& course) { return along(course) == Along::token; }))
    kind = "flat";
  if (std::any_of(courses->begin(), courses->end(), [](const BlockCourse& course) { return course.times > 1; }))
    kind = "repeats";
  std::vector<std::string> axes, parts;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const BlockCourse& course : *courses) {
    add(axes, model.tokens.axes[course.axis].name), add(parts, model.tokens.blocks[course.block].part);
  }
  Words::List names;
  for (const std::string& axis : axes) names.push_back(as_it_is(axis));
  found.parameters = {{"kind", named_value(kind)}, {"part", part_list(parts)}, {"axis", list_of(std::move(names))}};
  found.evidence = Words("check.position-offset.evidence_axes", {{"runs", courses_text(model, *courses)}});
  found.advice = Words("check.position-offset.advice_axes", {{"part", part_list(parts)}});
  proposals.push_back(std::move(found));
}

void propose_position_rows(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.order != TokenOrder::row_major || !model.strides.empty() || model.rows.size() != 1) return;
  if (situation.evidence.tensors->first_row != 0) return;  // runs are counted from the first row of a file
  const auto positions = row_positions(situation);
  if (!positions || positions->id == positions->due) return;
  if (model.tokens.axes.size() == 1) {
    propose_text(situation, *positions, proposals);
  } else {
    propose_courses_position_rows(situation, *positions, proposals);
  }
}

}  // namespace

/// Rows that stand elsewhere in runs, as every row tells it alone: slices of a sequence, several packed sequences,
/// padding, an axis that stands still or counts tokens in one part.
constinit const Cause kPositionRows{.name = "position-offset",
                                    .group = CauseGroup::ids,
                                    .seen_in = "",
                                    .by_shifts = true,
                                    .propose = propose_position_rows};

// --- Scale ---------------------------------------------------------------------------------------------------------

namespace {

/// `fitted`: the number as it is, not a round one near it. The doubt is `doubt` at least.
void add_position_scale(const Situation& situation, double factor, bool fitted, std::vector<Proposal>& proposals,
                        Doubt doubt = Doubt::none) {
  // Beyond this the angles are so large that float32 could have given any.
  constexpr double kMost = 1e3, kLeast = 1e-3;
  if (factor == 1 || !(std::abs(factor) <= kMost) || (factor != 0 && std::abs(factor) < kLeast)) return;
  Proposal found = situation.proposal();
  found.model.id_factor *= factor;
  if (fitted) found.model.slack = 0.5;
  found.doubt = std::max(doubt, doubt_of(factor));
  found.parameters = {{"factor", factor}};
  found.evidence = factor == 0 ? Words("check.position-scale.evidence_zero")
                               : Words("check.position-scale.evidence", {{"factor", factor}});
  found.advice = Words(factor == 0 ? "check.position-scale.advice_zero" : "check.position-scale.advice");
  proposals.push_back(std::move(found));
}

/// Ratios that single pairs show, and a grid.
std::vector<double> starts_of_position_scale(const Measured& measured, const Eigen::MatrixXd& frequencies) {
  std::vector<double> starts = logarithmic_grid(1e-3, 1e3, 25);
  const bool as_many = measured.frequency.size() == frequencies.size();
  for (Eigen::Index i = 0; as_many && i < frequencies.size() && starts.size() < 80; ++i) {
    const double found = measured.frequency.reshaped()[i], expected = frequencies.reshaped()[i];
    if (expected != 0 && std::abs(found) > 4 * measured.sigma.reshaped()[i] && found / expected > 0) {
      starts.push_back(found / expected);
    }
  }
  return starts;
}

/// Ids that were given: the ratio at the largest, and what they grow by where all are shifted as well.
void propose_by_ids(const Situation& situation, std::vector<Proposal>& proposals) {
  struct Place {
    double due = 0, given = 0;
  };
  const RowEvaluator evaluator(situation.model);
  const auto axes = static_cast<std::size_t>(evaluator.axes());
  std::vector<double> ids(axes);
  std::vector<Place> lowest(axes), highest(axes);
  for (std::size_t i = 0; i < situation.evidence.rows.size(); ++i) {
    evaluator.ids(situation.evidence.rows[i], ids.data());
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const Place here{ids[axis],
                       situation.evidence.ids(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(axis))};
      if (i == 0 || here.due < lowest[axis].due) lowest[axis] = here;
      if (i == 0 || here.due > highest[axis].due) highest[axis] = here;
    }
  }
  Place largest;
  double slope = 1, reach = 0;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (const Place& place : {lowest[axis], highest[axis]}) {
      if (std::abs(place.due) > std::abs(largest.due)) largest = place;
    }
    const double of_axis = highest[axis].due - lowest[axis].due;
    if (of_axis <= reach) continue;
    reach = of_axis;
    slope = (highest[axis].given - lowest[axis].given) / of_axis;
  }
  const auto add_near = [&](double ratio, Doubt doubt) {
    for (const double factor : round_numbers({ratio, 1e-7 * std::abs(ratio), 0}))
      add_position_scale(situation, factor, false, proposals, doubt);
  };
  if (largest.due == 0) return;
  const double ratio = largest.given / largest.due;
  add_near(ratio, Doubt::none);
  if (std::abs(slope - ratio) > 1e-6 * std::abs(ratio)) add_near(slope, Doubt::none);
}

/// The frequency that the model gives its first rung.
double first_of_position_scale(const Eigen::MatrixXd& frequencies, const Ladders& ladders, Eigen::Index axis) {
  double first = ladders.unit[static_cast<std::size_t>(axis)];
  for (Eigen::Index pair = 0; pair < frequencies.cols(); ++pair) {
    const bool is_first = frequencies(axis, pair) != 0 && std::abs(ladders.exponent(axis, pair)) < 1e-9;
    if (is_first) first = frequencies(axis, pair);
  }
  return first;
}

/// The factor although the base, the spacing or the rotary dimension is wrong too: these do not change the first rung
/// of a ladder, or change it by a whole rung.
void propose_by_first_rung(const Situation& situation, const Measured& measured, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Ladders& ladders = situation.ladders();
  if (measured.frequency.size() != frequencies.size()) return;
  for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (!(ladders.base[a] > 1)) continue;
    const std::vector<Fit> first_ones = first_rungs(measured, frequencies, ladders, axis);
    if (first_ones.empty()) continue;
    const double rung = std::pow(ladders.base[a], ladders.step[a]),
                 due = first_of_position_scale(frequencies, ladders, axis);
    for (const double part : {1 / due, rung / due, 1 / (rung * due)}) {
      for (const Fit& first : first_ones) {
        for (const double factor : round_numbers({part * first.value, part * first.error, 0})) {
          add_position_scale(situation, factor, factor == part * first.value, proposals, Doubt::fitted);
        }
      }
    }
    return;
  }
}

}  // namespace

void propose_factors(const Situation& situation, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Observed& observed = situation.observed();
  if ((observed.phase.array().abs() <= observed.noise.array()).all()) {
    add_position_scale(situation, 0, false, proposals);
    return;
  }
  const Measured measured = measure(situation.evidence, observed, situation.model, false, false);
  const Family family = [&](double factor) -> Eigen::MatrixXd { return factor * frequencies; };
  auto fit = fit_parameter(measured, family, starts_of_position_scale(measured, frequencies));
  if (!fit || !(fit->error < 0.1 * fit->value)) {
    propose_by_first_rung(situation, measured, proposals);
    return;
  }
  *fit = polished(situation.evidence, *fit, [&](double factor) {
    CheckModel scaled = situation.model;
    scaled.id_factor *= factor;
    return scaled;
  });
  for (const double factor : round_numbers(*fit))
    add_position_scale(situation, factor, factor == fit->value, proposals);
  // A factor that is one over a round number.
  const Fit inverse{1 / fit->value, fit->error / (fit->value * fit->value), 0};
  for (const double divisor : round_numbers(inverse)) add_position_scale(situation, 1 / divisor, false, proposals);
  propose_by_first_rung(situation, measured, proposals);
}

namespace {

void propose_position_scale(const Situation& situation, std::vector<Proposal>& proposals) {
  if (situation.model.own_ids) return;
  if (situation.evidence.has_ids()) propose_by_ids(situation, proposals);
  if (situation.evidence.has_rotation()) propose_factors(situation, proposals);
  propose_axis_scales(situation, proposals);
}

}  // namespace

/// Ids multiplied by a constant, or by one for each axis.
constinit const Cause kPositionScale{.name = "position-scale",
                                     .group = CauseGroup::ids,
                                     .seen_in = "ml-explore/mlx-lm#1545",
                                     .propose = propose_position_scale};

}  // namespace ropescope
