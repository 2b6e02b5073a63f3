#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check/search/positions.h"

namespace ropescope {

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

}  // namespace ropescope
