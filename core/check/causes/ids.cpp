// Causes in ids that are neither shifts nor scales, one block each with its proposals and texts.
//
// Contents: Axes swapped; Rows; Collisions; Shifted rows. Orders of tokens are in orders.cpp.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/check/causes/cause.h"
#include "core/check/causes/sizes.h"
#include "core/check/evidence/positions.h"
#include "core/check/evidence/ropes.h"
#include "core/check/evidence/rows.h"
#include "core/check/model/model.h"
#include "core/check/tuning.h"
#include "core/message.h"

namespace ropescope {

// --- Axes swapped --------------------------------------------------------------------------------------------------

namespace {

std::size_t along(const CheckModel& model, Along wanted) {
  for (const TokenBlock& block : model.tokens.blocks) {
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      if (block.ids[axis].along == wanted) return axis;
    }
  }
  return model.tokens.axes.size();
}

Proposal& add_exchanged(const Situation& situation, std::size_t a, std::size_t b, std::vector<Proposal>& proposals) {
  Proposal& found = situation.add_to(proposals);
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  found.parameters = {{"kind", named_value("columns")}};
  // In the order of the model, which may list columns before rows.
  const Message::Named first("first", axes[std::min(a, b)].name), second("second", axes[std::max(a, b)].name);
  found.evidence = Message("check.axes-swapped.evidence", {first, second});
  found.advice = Message("check.axes-swapped.advice", {first, second});
  return found;
}

void exchange_columns(const Situation& situation, std::size_t a, std::size_t b, std::vector<Proposal>& proposals) {
  Proposal& found = add_exchanged(situation, a, b, proposals);
  for (TokenBlock& block : found.model.tokens.blocks) std::swap(block.ids[a], block.ids[b]);
}

/// Swaps the ladders of the pairs of two axes together with their ids, if they have equally many pairs.
void exchange_pairs(const Situation& situation, std::size_t a, std::size_t b, std::vector<Proposal>& proposals) {
  const Eigen::MatrixXd& old = situation.model.tokens.frequencies;
  const auto row_a = static_cast<Eigen::Index>(a), row_b = static_cast<Eigen::Index>(b);
  std::vector<Eigen::Index> of_a, of_b;
  for (Eigen::Index pair = 0; pair < old.cols(); ++pair) {
    if (old(row_a, pair) != 0 && old(row_b, pair) != 0) return;
    if (old(row_a, pair) != 0) of_a.push_back(pair);
    if (old(row_b, pair) != 0) of_b.push_back(pair);
  }
  if (of_a.size() != of_b.size()) return;
  Eigen::MatrixXd& frequencies = add_exchanged(situation, a, b, proposals).model.tokens.frequencies;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    frequencies(row_a, of_a[i]) = frequencies(row_b, of_b[i]) = 0;
    frequencies(row_b, of_a[i]) = old(row_b, of_b[i]);
    frequencies(row_a, of_b[i]) = old(row_a, of_a[i]);
  }
}

/// Arranges the tokens as if the sides of the image, or of all images, were swapped.
void exchange_sides(const Situation& situation, bool references, std::vector<Proposal>& proposals) {
  const CheckReference& reference = situation.reference;
  if (reference.layout == nullptr || !reference.request.image) return;
  LayoutRequest request = reference.request;
  const auto turn = [](ImageSize& size) { std::swap(size.rows, size.columns); };
  turn(*request.image);
  if (references) std::for_each(request.references.begin(), request.references.end(), turn);
  auto turned = arranged(situation, request);
  if (!turned || turned->row_count() != situation.model.tokens.row_count()) return;
  Proposal& found = situation.add_to(proposals);
  found.model.tokens.blocks = std::move(turned->blocks);
  found.parameters = {{"kind", named_value("height-width")}};
  found.evidence = Message("check.axes-swapped.evidence_sides");
  found.advice = Message("check.axes-swapped.advice_sides");
}

/// Appends the columns of ids in any order other than that of the axes, except the swap of two.
void permute_columns(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::vector<LayoutAxis>& axes = situation.model.tokens.axes;
  constexpr std::size_t kMaxAxes = 4, kExchanged = 2;
  if (axes.size() > kMaxAxes) return;
  std::vector<std::size_t> own(axes.size());
  std::iota(own.begin(), own.end(), std::size_t{0});
  const auto names = [&](const std::vector<std::size_t>& order) {
    return joined(order, ", ", [&](std::size_t axis) { return axes[axis].name; });
  };
  for (std::vector<std::size_t> order = own; std::next_permutation(order.begin(), order.end());) {
    std::size_t moved = 0;
    for (std::size_t axis = 0; axis < order.size(); ++axis) moved += order[axis] != axis ? 1 : 0;
    if (moved <= kExchanged) continue;
    Proposal& found = situation.add_to(proposals);
    for (std::size_t block = 0; block < found.model.tokens.blocks.size(); ++block) {
      for (std::size_t axis = 0; axis < order.size(); ++axis)
        found.model.tokens.blocks[block].ids[axis] = situation.model.tokens.blocks[block].ids[order[axis]];
    }
    found.parameters = {{"kind", named_value("columns")}, {"order", verbatim(names(order))}};
    found.evidence = Message("check.axes-swapped.evidence_order", {{"found", names(order)}, {"due", names(own)}});
    found.advice = Message("check.axes-swapped.advice_order", {{"due", names(own)}});
  }
}

void propose_axes_swapped(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::size_t axes = situation.model.tokens.axes.size();
  if (axes < 2 || situation.model.own_ids) return;
  const std::size_t row = along(situation.model, Along::row), column = along(situation.model, Along::column);
  if (row < axes && column < axes) {
    exchange_columns(situation, row, column, proposals);
    exchange_pairs(situation, row, column, proposals);
  }
  exchange_sides(situation, false, proposals);
  if (!situation.reference.request.references.empty()) exchange_sides(situation, true, proposals);
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t b = a + 1; b < axes; ++b) {
      if ((a == row && b == column) || (a == column && b == row)) continue;
      exchange_columns(situation, a, b, proposals);
      exchange_pairs(situation, a, b, proposals);
    }
  }
  permute_columns(situation, proposals);
}

// --- Rows ----------------------------------------------------------------------------------------------------------

using Runs = std::vector<PositionRun>;

/// A kind of positions of a text's rows, with the keys of its texts.
struct RowOrderKind {
  std::string_view name, evidence, advice = "check.position-offset.advice_rows";
};
constexpr RowOrderKind kAnyRows{"rows", "check.position-offset.evidence_rows"};
constexpr RowOrderKind kSlice{"slice", "check.position-offset.evidence_slice", "check.position-offset.advice_slice"};
constexpr RowOrderKind kPacked{"restart", "check.position-offset.evidence_packed",
                               "check.position-offset.advice_restart"};
constexpr RowOrderKind kWrappedRows{"wrapped", "check.position-offset.evidence_wrapped",
                                    "check.position-offset.advice_restart"};
constexpr RowOrderKind kPaddedLeft{"left-padded", "check.position-offset.evidence_padded",
                                   "check.position-offset.advice_left_padded"};
constexpr RowOrderKind kRightPadded{"right-padded", "check.position-offset.evidence_padded",
                                    "check.position-offset.advice_right_padded"};
constexpr RowOrderKind kOverflow{"overflow", "check.position-offset.evidence_overflow",
                                 "check.position-offset.advice_overflow"};
constexpr RowOrderKind kStill{"still", "check.position-offset.evidence_rows"};
constexpr RowOrderKind kReversed{"reversed", "check.position-offset.evidence_rows"};

bool is_whole(double number) {
  return number == std::nearbyint(number);
}

/// Returns whether no two rows have the same position.
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

/// Returns the bits of the signed integers whose overflow restarts the runs at the smallest number; 0 if none does.
int overflowing_bits(const Runs& runs) {
  for (const int bits : {8, 16}) {
    const double most = std::exp2(bits - 1);
    bool fits = runs.size() > 1;
    for (std::size_t i = 1; i < runs.size(); ++i)
      fits = fits && runs[i].start == -most && runs[i].step == 1 && runs[i - 1].last() == most - 1;
    if (fits) return bits;
  }
  return 0;
}

/// Returns the kind of the runs of a text whose first row is expected at `first`.
RowOrderKind kind_of(const Runs& runs, double first) {
  if (runs.size() == 1) {
    return runs[0].step < 0 ? kReversed : runs[0].step > 1 ? kSlice : runs[0].step == 0 ? kStill : kAnyRows;
  }
  if (overflowing_bits(runs) > 0) return kOverflow;
  if (are_counts(runs, 0, runs.size())) {
    const bool begin = std::all_of(runs.begin() + 1, runs.end(), [&](const PositionRun& run) {
      return run.start <= std::max(first, runs[0].start) + 1;
    });
    return are_apart(runs) ? kSlice : begin ? kPacked : kAnyRows;
  }
  const auto stands = [](const PositionRun& run) { return run.step == 0 && run.count > 1; };
  if (runs.size() == 2 && stands(runs[0]) && runs[1].step == 1) return kPaddedLeft;
  if (stands(runs.back()) && are_counts(runs, 0, runs.size() - 1)) return kRightPadded;
  return kAnyRows;
}

/// Cuts the text into its runs.
void cut_into_runs(CheckModel& model, const Runs& runs) {
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

Proposal made(const Situation& situation, Change change) {
  Proposal found = situation.proposal(std::move(change));
  found.doubt = Doubt::round_number;
  return found;
}

void describe_runs(Proposal& found, const RowOrderKind& kind, const Runs& runs) {
  std::vector<double> rows, starts;
  for (const PositionRun& run : runs) rows.push_back(static_cast<double>(run.row)), starts.push_back(run.start);
  found.parameters = {{"kind", named_value(kind.name)}, {"rows", rows}, {"positions", starts}};
  if (runs.size() == 1)
    found.parameters = {{"kind", named_value(kind.name)}, {"positions", starts}, {"step", runs[0].step}};
  found.evidence = Message(kind.evidence, {{"runs", runs_text(runs)}});
  found.advice = Message(kind.advice);
  const std::int64_t end = runs.back().row + runs.back().count;
  if (kind.name == kPaddedLeft.name)
    found.advice.values = {{"first", runs[1].row}, {"end", end}, {"last", end - runs[1].row - 1}};
  if (kind.name == kRightPadded.name) found.advice.values = {{"end", runs.back().row}};
  if (const int bits = overflowing_bits(runs); bits > 0) {
    const std::string format = "int" + std::to_string(bits);
    found.parameters.push_back({"format", verbatim(format)});
    found.evidence.values.emplace_back("format", format);
    found.advice.values.emplace_back("format", format);
  }
}

/// How positions count: each in `times` consecutive rows, or again from the first after `every` rows; 0: not so.
struct Counting {
  std::int64_t step = 1, times = 0, every = 0;
  /// Returns how many steps the position of a row is from the first.
  std::int64_t at(std::int64_t row) const { return step * (times > 0 ? row / times : row % every); }
};

/// Returns the greatest common divisor of all positions, counted from the first.
std::int64_t common_step(const RowPositions& positions) {
  std::int64_t step = 0;
  for (Eigen::Index k = 0; k < positions.id.rows(); ++k) {
    const double by = positions.id(k, 0) - positions.id(0, 0);
    step = is_whole(by) && std::abs(by) < tuned::kMaxWholeId ? std::gcd(step, static_cast<std::int64_t>(by)) : 1;
    if (step == 1) break;
  }
  return std::max<std::int64_t>(step, 1);
}

/// Returns how the positions of all rows count; nullopt if they neither repeat nor recur.
std::optional<Counting> find_counting(const RowPositions& positions) {
  const Eigen::Index last = positions.id.rows() - 1;
  const auto row = [&](Eigen::Index k) { return positions.rows[static_cast<std::size_t>(k)]; };
  const double first = positions.id(0, 0);
  const std::int64_t step = common_step(positions);
  const auto fits = [&](const Counting& counting) {
    for (Eigen::Index k = 0; k <= last; ++k) {
      if (positions.id(k, 0) != first + static_cast<double>(counting.at(row(k)))) return false;
    }
    return true;
  };
  const double reached = (positions.id(last, 0) - first) / static_cast<double>(step),
               end = static_cast<double>(row(last));
  if (reached > 0 && is_whole(reached)) {
    for (auto times = static_cast<std::int64_t>(end / (reached + 1)); static_cast<double>(times) <= end / reached + 1;
         ++times) {
      if (times > 1 && fits({step, times})) return Counting{step, times};
    }
  }
  if (step > 1) return std::nullopt;
  std::int64_t every = 0;
  for (Eigen::Index k = 0; k <= last; ++k) {
    const double behind = static_cast<double>(row(k)) - (positions.id(k, 0) - first);
    if (!is_whole(behind) || behind < 0) return std::nullopt;
    every = std::gcd(every, static_cast<std::int64_t>(behind));
  }
  const Counting again{step, 0, every};
  return every >= 2 && fits(again) ? std::optional(again) : std::nullopt;
}

/// Appends each position in several consecutive rows, like the heads of a token or the items of a batch; or a number of
/// positions that recurs again and again.
bool propose_counts(const Situation& situation, const RowPositions& positions, std::vector<Proposal>& proposals) {
  const auto counting = find_counting(positions);
  if (!counting) return false;
  const auto change = [counted = *counting, first = positions.id(0, 0),
                       rows = situation.model.row_count](CheckModel& model) {
    const double factor = model.id_factor == 0 ? 1 : model.id_factor;
    TokenBlock& block = model.tokens.blocks[0];
    block.ids[0] = AxisIds{Along::token, 0, {}};
    block.ids[0].listed.resize(static_cast<std::size_t>(rows));
    for (std::int64_t at = 0; at < rows; ++at)
      block.ids[0].listed[static_cast<std::size_t>(at)] = (first + static_cast<double>(counted.at(at))) / factor;
  };
  Proposal found = made(situation, change);
  const RowOrderKind kind =
      counting->times > 0 ? RowOrderKind{"repeats", "check.position-offset.evidence_repeats"} : kWrappedRows;
  const std::int64_t shown = counting->times > 0 ? counting->times : counting->every, step = counting->step;
  found.parameters = {{"kind", named_value(kind.name)}, {"rows", static_cast<double>(shown)}};
  found.evidence = Message(kind.evidence, {{"rows", shown}});
  found.advice = Message(kind.advice);
  if (step > 1) {
    found.parameters.push_back({"step", static_cast<double>(step)});
    found.evidence = Message("check.position-offset.evidence_steps", {{"rows", shown}, {"step", step}});
  }
  proposals.push_back(std::move(found));
  return true;
}

void propose_text(const Situation& situation, const RowPositions& positions, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.tokens.blocks.size() != 1 || positions.sure.minCoeff() < 1) return;
  // Positions that are all below the existing ones are explained by sines of the other sign.
  const bool some_below = positions.id.minCoeff() < std::min(0.0, positions.due.minCoeff());
  if (some_below && positions.id.maxCoeff() <= 0) return;
  if (propose_counts(situation, positions, proposals)) return;
  const Runs runs = position_runs(situation, positions);
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(2, model.row_count / tuned::kRowsOfRun));
  const bool halves =
      std::all_of(runs.begin(), runs.end(), [](const PositionRun& run) { return is_whole(2 * run.start); });
  if (runs.empty() || runs.size() > most || !halves) return;
  if (runs.size() == 1) {
    // One run of another step is a factor, except for an interleaved slice or a text from its end.
    const double step = runs[0].step, start = runs[0].start;
    const bool by_turns = step > 1 && is_whole(step) && start > 0 && start < step && is_whole(start);
    const bool of_others = step == 1 && !model.tokens.blocks[0].ids[0].listed.empty();
    const bool stands = step == 0 && start != 0;
    if (!by_turns && !of_others && !stands && step != -1) return;
  }
  Proposal found = made(situation, [runs](CheckModel& other) { cut_into_runs(other, runs); });
  describe_runs(found, kind_of(runs, positions.due(0, 0)), runs);
  proposals.push_back(std::move(found));
}

/// Appends blocks whose ids follow another counter, or are static; or, if `listed`, those with another list of numbers.
void propose_block_courses(const Situation& situation, const RowPositions& positions, bool listed,
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
  // All axes of a block have one course.
  const bool alike = every([&](const BlockCourse& course) {
    const std::vector<AxisIds>& ids = found.model.tokens.blocks[course.block].ids;
    return ids.size() > 1 && std::all_of(ids.begin(), ids.end(), [&](const AxisIds& one) {
             return one.along == course.ids.along && one.first == course.ids.first && one.listed == course.ids.listed;
           });
  });
  std::string_view kind = "axes";
  // The same counters on other axes are a swap, whatever is shifted in addition.
  const auto counters = [](const TokenBlock& block) {
    std::vector<Along> all;
    for (const AxisIds& ids : block.ids) all.push_back(block.count(ids.along) > 1 ? ids.along : Along::none);
    std::sort(all.begin(), all.end());
    return all;
  };
  if (every([&](const BlockCourse& course) {
        return counters(found.model.tokens.blocks[course.block]) == counters(model.tokens.blocks[course.block]) &&
               course.times == 1 && course.ids.listed.empty();
      }))
    return;
  if (every([](const BlockCourse& course) { return course.times == 1 && !course.ids.listed.empty(); })) kind = "some";
  const auto has_own_list = [&](const BlockCourse& course) {
    return course.times == 1 && !course.ids.listed.empty() && along(course) != Along::frame &&
           along(course) != Along::token;
  };
  if (listed != std::any_of(courses->begin(), courses->end(), has_own_list)) return;
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
  Message::List names;
  for (const std::string& axis : axes) names.push_back(verbatim(axis));
  found.parameters = {{"kind", named_value(kind)}, {"part", part_list(parts)}, {"axis", list_of(std::move(names))}};
  found.evidence = Message("check.position-offset.evidence_axes", {{"runs", courses_text(model, *courses)}});
  found.advice = Message("check.position-offset.advice_axes", {{"part", part_list(parts)}});
  proposals.push_back(std::move(found));
}

void propose_courses(const Situation& situation, bool listed, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  if (model.order != TokenOrder::row_major || !model.strides.empty() || model.rows.size() != 1) return;
  if (situation.evidence.tensors->first_row != 0) return;  // runs are counted from the first row of a file
  const auto positions = row_positions(situation);
  if (!positions || positions->id == positions->due) return;
  if (model.tokens.axes.size() == 1) {
    if (!listed) propose_text(situation, *positions, proposals);
  } else {
    propose_block_courses(situation, *positions, listed, proposals);
  }
}

void propose_position_rows(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_courses(situation, false, proposals);
}

void propose_listed_positions(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_courses(situation, true, proposals);
}

// --- Collisions ----------------------------------------------------------------------------------------------------

RowMatrixXd ids_of_model(const CheckModel& model) {
  const RowEvaluator evaluator(model);
  RowMatrixXd ids(static_cast<Eigen::Index>(model.row_count), evaluator.axes());
  for (Eigen::Index row = 0; row < ids.rows(); ++row) evaluator.ids(row, ids.row(row).data());
  return ids;
}

/// Returns the ids of all rows, read from the ids or recovered from the angles of rows that differ from the model; null
/// if that is not possible.
std::shared_ptr<RowMatrixXd> find_row_ids(const Situation& situation, const RowMatrixXd& due) {
  const Evidence& evidence = situation.evidence;
  const CheckTensors& tensors = *evidence.tensors;
  auto ids = std::make_shared<RowMatrixXd>(due);
  if (tensors.ids) {
    read_rows(*tensors.ids, 0, tensors.rows, ids->data());
    return ids;
  }
  if (share_reproduced(situation.model, evidence) < tuned::kMostlyRight) return nullptr;
  const bool all_are_looked_at = static_cast<std::int64_t>(evidence.rows.size()) == tensors.rows;
  if (!all_are_looked_at) evidence.spend(tensors.rows * situation.model.tokens.pair_count());
  if (evidence.is_spent()) return nullptr;
  std::vector<std::int64_t> wrong =
      all_are_looked_at ? wrong_rows(situation.model, evidence) : all_wrong_rows(situation.model, evidence);
  if (wrong.empty() || 2 * static_cast<std::int64_t>(wrong.size()) > tensors.rows) return nullptr;
  const Evidence there = select_rows(evidence, std::move(wrong));
  ObservedCache cache(there);
  return recover_ids(Situation(situation.reference, situation.model, there, cache), *ids) ? ids : nullptr;
}

/// Returns the fraction of rows whose ids are those of the reference.
double share_kept(const RowMatrixXd& due, const RowMatrixXd& ids) {
  const auto kept = (due.array() == ids.array()).rowwise().all().count();
  return ids.rows() > 0 ? static_cast<double>(kept) / static_cast<double>(ids.rows()) : 0;
}

using TwoRows = std::pair<std::int64_t, std::int64_t>;

/// Returns the first token among the selected ones that shares its id with an earlier one although the reference
/// separates them: both rows.
template <class Asked>
std::optional<TwoRows> find_shared_id(const RowMatrixXd& due, const RowMatrixXd& ids, const Asked& asked) {
  std::vector<Eigen::Index> rows;
  for (Eigen::Index row = 0; row < ids.rows(); ++row) {
    if (asked(row)) rows.push_back(row);
  }
  const auto before = [&](Eigen::Index a, Eigen::Index b) {
    return std::lexicographical_compare(ids.row(a).begin(), ids.row(a).end(), ids.row(b).begin(), ids.row(b).end());
  };
  std::stable_sort(rows.begin(), rows.end(), before);
  std::optional<TwoRows> found;
  for (std::size_t first = 0, i = 0; i < rows.size(); ++i) {
    if (ids.row(rows[i]) != ids.row(rows[first])) first = i;
    const bool apart = due.row(rows[i]) != due.row(rows[first]);
    if (apart && (!found || rows[i] < found->second)) found = TwoRows(rows[first], rows[i]);
  }
  return found;
}

/// How ids of one axis became shared: from some id on they are all the same, or restart.
struct Stop {
  std::size_t axis = 0;
  bool begins_again = false;
  double at = 0;  ///< the last id, or the number of ids
};

/// Returns how ids are shared; nullopt if the selected rows have other ids than such ones.
template <class Asked>
std::optional<Stop> stop_of(const RowMatrixXd& due, const RowMatrixXd& ids, const Asked& asked) {
  std::optional<Stop> found;
  for (Eigen::Index axis = 0; axis < ids.cols(); ++axis) {
    if (ids.col(axis) == due.col(axis)) continue;
    if (found) return std::nullopt;
    double first = 0, last = 0, wrong = std::numeric_limits<double>::infinity();
    bool some = false;
    for (Eigen::Index row = 0; row < ids.rows(); ++row) {
      if (!asked(row)) continue;
      first = some ? std::min(first, due(row, axis)) : due(row, axis);
      last = some ? std::max(last, ids(row, axis)) : ids(row, axis);
      if (ids(row, axis) != due(row, axis)) wrong = std::min(wrong, due(row, axis));
      some = true;
    }
    const double count = wrong - first;
    bool stops = true, begins_again = true;
    for (Eigen::Index row = 0; row < ids.rows(); ++row) {
      const double id = ids(row, axis), own = due(row, axis);
      stops = stops && id == (asked(row) ? std::min(own, last) : own);
      begins_again = begins_again && id == (asked(row) ? first + std::fmod(own - first, count) : own);
    }
    if (!stops && !begins_again) return std::nullopt;
    found = Stop{static_cast<std::size_t>(axis), !stops, stops ? last : count};
  }
  return found;
}

void propose_collision(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  const CheckModel& model = situation.model;
  if (situation.evidence.tensors->rows != model.row_count) return;
  const RowMatrixXd due = ids_of_model(model);
  const auto ids = find_row_ids(situation, due);
  if (!ids || share_kept(due, *ids) < 0.5) return;
  const auto block_of = [&](std::int64_t row) -> const TokenBlock& {
    return model.tokens.blocks[place_in(model, row).block];
  };
  const auto of_image = [&](Eigen::Index row) { return is_grid(block_of(row)); };
  const auto shared = find_shared_id(due, *ids, of_image);
  if (!shared) return;
  Proposal& found = situation.add_to(proposals);
  found.model.own_ids = ids;
  found.model.slack = tuned::kSlackOfFit;
  const std::string &first = block_of(shared->first).part, &second = block_of(shared->second).part;
  const std::vector<double> id(ids->row(shared->first).begin(), ids->row(shared->first).end());
  found.parameters = {
      {"rows", std::vector<double>{static_cast<double>(shared->first), static_cast<double>(shared->second)}},
      {"id", id}};
  const std::int64_t first_token = place_in(model, shared->first).token, token = place_in(model, shared->second).token;
  found.evidence =
      Message("check.collision.evidence", {{"first", first_token}, {"second", token}, {"id", list_text(id)}});
  if (first == second) {
    found.evidence.key = "check.collision.evidence_part";
    found.evidence.values.emplace_back("part", part_words(first));
  }
  found.advice = Message("check.collision.advice");
  if (const auto stop = stop_of(due, *ids, of_image)) {
    const Message axis = verbatim(model.tokens.axes[stop->axis].name);
    found.parameters.push_back({"kind", named_value(stop->begins_again ? "wrapped" : "clamped")});
    found.parameters.push_back({"axis", axis});
    Message course(stop->begins_again ? "check.collision.evidence_wrapped" : "check.collision.evidence_clamped",
                   {{"axis", axis}, {"at", stop->at}});
    found.evidence = sentences(std::move(found.evidence), std::move(course));
    found.advice = Message("check.collision.advice_axis", {{"axis", axis}});
  }
}

// --- Shifted rows --------------------------------------------------------------------------------------------------

/// Returns the shift that all sampled rows with another id have, and that no row between them lacks; nullopt if there
/// is none in halves.
std::optional<std::vector<double>> common_shift(const RowPositions& positions) {
  const auto is_shifted_row = [&](Eigen::Index row) { return positions.id.row(row) != positions.due.row(row); };
  Eigen::Index first = 0, last = positions.id.rows() - 1;
  while (first <= last && !is_shifted_row(first)) ++first;
  while (last > first && !is_shifted_row(last)) --last;
  if (first > last) return std::nullopt;
  const Eigen::RowVectorXd shift = positions.id.row(first) - positions.due.row(first);
  for (Eigen::Index row = first; row <= last; ++row) {
    if (positions.sure.row(row).minCoeff() < 1 || positions.id.row(row) - positions.due.row(row) != shift)
      return std::nullopt;
  }
  const bool halves = std::all_of(shift.begin(), shift.end(), [](double by) { return is_whole(2 * by); });
  return halves ? std::optional(std::vector<double>(shift.begin(), shift.end())) : std::nullopt;
}

/// Appends one stretch of rows that are all shifted alike, while all others are right. A single row with the id of
/// another token and ids that stop or start again at some id are collisions.
void propose_shifted_rows(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Evidence& evidence = situation.evidence;
  const auto positions = row_positions(situation);
  if (!positions) return;
  const auto shift = common_shift(*positions);
  if (!shift) return;
  // Several axes of a file from the first row on may follow counters (kPositionRows), or lists (kListedPositions).
  const bool followed = model.tokens.axes.size() > 1 && evidence.tensors->first_row == 0;
  if (followed && block_courses(situation, *positions)) return;
  evidence.spend(model.row_count * model.tokens.pair_count());
  const std::vector<std::int64_t> wrong = all_wrong_rows(model, evidence);
  if (evidence.is_spent() || wrong.empty()) return;
  const std::int64_t first = wrong.front(), last = wrong.back(), count = last - first + 1;
  if (static_cast<std::int64_t>(wrong.size()) != count || count == model.row_count) return;
  const RowMatrixXd due = ids_of_model(model);
  auto ids = std::make_shared<RowMatrixXd>(due);
  for (std::int64_t row = first; row <= last; ++row) {
    for (std::size_t axis = 0; axis < shift->size(); ++axis)
      (*ids)(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(axis)) += (*shift)[axis];
  }
  const auto of_image = [&](Eigen::Index row) { return is_grid(model.tokens.blocks[place_in(model, row).block]); };
  if (find_shared_id(due, *ids, of_image) && (count == 1 || stop_of(due, *ids, of_image))) return;
  Proposal& found = situation.add_to(proposals);
  found.model.own_ids = std::move(ids);
  std::vector<std::string> parts;
  for (std::size_t block = place_in(model, first).block; block <= place_in(model, last).block; ++block) {
    const std::string& part = model.tokens.blocks[block].part;
    if (!is_looked_at(model, model.tokens.blocks[block])) continue;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  const std::int64_t in_file = evidence.tensors->first_row;
  const std::vector<double> rows = {static_cast<double>(first + in_file), static_cast<double>(last + in_file)};
  found.parameters = {{"kind", named_value("shifted")},
                      {"rows", rows},
                      {"offset", *shift},
                      {"part", part_list(parts)},
                      {"axis", list_of(axis_names_of(model))}};
  found.evidence =
      Message("check.position-offset.evidence_shifted_rows",
              {{"rows", list_of_runs({{first + in_file, last + in_file + 1}})}, {"offset", list_text(*shift)}});
  found.advice = Message("check.position-offset.advice_axes", {{"part", part_list(parts)}});
}

}  // namespace

/// Rows and columns swapped: the two columns of ids, or the sides of the grid (invisible on a square one).
constinit const Cause kAxesSwapped{.name = "axes-swapped",
                                   .group = CauseGroup::ids,
                                   .seen_in = "huggingface/pytorch-image-models#2541",
                                   .id_change = IdChange::exchange,
                                   .propose = propose_axes_swapped};

/// Rows at other positions in runs, as every single row shows: slices of a sequence, several packed sequences, padding,
/// an axis that is static or counts tokens in one part.
extern constinit const Cause kPositionRows{.name = "position-offset",
                                           .group = CauseGroup::ids,
                                           .seen_in = "",
                                           .id_change = IdChange::shift,
                                           .propose = propose_position_rows};

/// Rows or columns with other ids, one for each, by no known rule. Frames are few, so they are tried earlier.
extern constinit const Cause kListedPositions{.name = "position-offset",
                                              .group = CauseGroup::ids,
                                              .seen_in = "",
                                              .id_change = IdChange::shift,
                                              .after_pairs = true,
                                              .propose = propose_listed_positions};

/// Two image tokens share an id; reported only if nothing else explains the difference.
extern constinit const Cause kCollision{
    .name = "collision", .group = CauseGroup::ids, .seen_in = "", .last_resort = true, .propose = propose_collision};

/// One row, or several in succession, are shifted: a token inserted or left out, a stretch that is computed
/// differently.
extern constinit const Cause kShiftedRows{.name = "position-offset",
                                          .group = CauseGroup::ids,
                                          .seen_in = "",
                                          .last_resort = true,
                                          .propose = propose_shifted_rows};

}  // namespace ropescope
