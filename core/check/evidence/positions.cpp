// Recovered positions: implementation of positions.h; read it first. Shifts are in shifts.cpp.

#include "core/check/evidence/positions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/check/compare/sides.h"
#include "core/check/evidence/rows.h"
#include "core/check/model/model.h"
#include "core/check/phrases.h"
#include "core/check/tuning.h"
#include "core/layouts/layout.h"

namespace ropescope {

namespace {

/// An id that a row shows, and its error.
struct SeenId {
  double id = 0, error = std::numeric_limits<double>::infinity();
};

/// Recovers the ids of one axis from single rows.
class AxisReader {
 public:
  AxisReader(const Situation& situation, std::size_t axis)
      : evidence_(situation.evidence), observed_(situation.observed()) {
    const CheckModel& model = situation.model;
    const LayoutAxis& of = model.tokens.axes[axis];
    scale_ = of.id_scale, offset_ = of.id_offset;
    const auto row = static_cast<Eigen::Index>(axis);
    const std::vector<double> errors = model.recurrence ? angle_errors(model).of_pair : std::vector<double>();
    for (Eigen::Index pair = 0; pair < model.tokens.frequencies.cols(); ++pair) {
      const double frequency = round_to_format(model.frequency_format, model.tokens.frequencies(row, pair));
      if (frequency == 0 || scale_ == 0) continue;
      const double error = errors.empty() ? kAngleError : std::max(kAngleError, errors[static_cast<std::size_t>(pair)]);
      pairs_.push_back({frequency, error, pair});
    }
    std::sort(pairs_.begin(), pairs_.end(),
              [](const Pair& a, const Pair& b) { return std::abs(a.frequency) < std::abs(b.frequency); });
  }

  bool empty() const { return pairs_.empty(); }

  /// Returns the error of an id if all pairs of row i of the evidence agree with it; nullopt if one does not.
  std::optional<double> error_at(Eigen::Index i, double id) const {
    double weight = 0;
    const double reach = scale_ * id + offset_;
    evidence_.spend(1);
    // The fastest pairs first: these refute most ids.
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      const double noise = observed_.noise(i, pair->column);
      if (!std::isfinite(noise)) continue;
      const double own = noise + pair->error * std::abs(pair->frequency * reach);
      const double off = wrapped(pair->frequency * reach - observed_.phase(i, pair->column), kTurn);
      if (std::abs(off) > tuned::kErrorsOfPhase * own + tuned::kLeastPhase) return std::nullopt;
      const double per_id = pair->frequency * scale_ / (own + tuned::kLeastPhase);
      weight += per_id * per_id;
    }
    return weight > 0 ? 1 / std::sqrt(weight) : std::numeric_limits<double>::infinity();
  }

  /// Refines an id from the slowest pair, which completed `turns` turns and less than half a turn more, to the fastest.
  SeenId refined(Eigen::Index i, int turns) const {
    SeenId shown;
    evidence_.spend(static_cast<Eigen::Index>(pairs_.size()) / 4 + 1);
    double reach = 0, sigma = std::numeric_limits<double>::infinity();
    for (const Pair& pair : pairs_) {
      const double noise = observed_.noise(i, pair.column), frequency = pair.frequency;
      const double phase = observed_.phase(i, pair.column);
      if (!std::isfinite(noise)) continue;
      // Radians: a pair with a more ambiguous turn is skipped, and so is a first pair with more noise.
      if (std::isfinite(sigma) ? sigma * std::abs(frequency) > tuned::kClearTurn : noise > tuned::kClearFirstTurn)
        continue;
      if (!std::isfinite(sigma)) {
        reach = (phase + turns * kTurn) / frequency;
        sigma = noise / std::abs(frequency) + 1e-12;
        continue;
      }
      const double value = reach + wrapped(phase - frequency * reach, kTurn) / frequency;
      const double error = (noise + pair.error * std::abs(frequency * reach)) / std::abs(frequency) + 1e-12;
      const double ours = 1 / (sigma * sigma), theirs = 1 / (error * error);
      reach = (reach * ours + value * theirs) / (ours + theirs);
      sigma = 1 / std::sqrt(ours + theirs);
    }
    if (!std::isfinite(sigma)) return shown;
    return {(reach - offset_) / scale_, sigma / std::abs(scale_)};
  }

 private:
  struct Pair {
    double frequency, error;
    Eigen::Index column;
  };
  const Evidence& evidence_;
  const Observed& observed_;
  double scale_ = 1, offset_ = 0;
  std::vector<Pair> pairs_;  ///< slowest first
};

/// Returns the ids that a model has anywhere on an axis, if they are not plain counts.
std::set<double> list_known_ids_of_axis(const CheckModel& model, std::size_t axis) {
  std::set<double> known;
  for (const TokenBlock& block : model.tokens.blocks) {
    for (const double id : block.ids[axis].listed) {
      if (id != std::nearbyint(2 * id) / 2 && known.size() < tuned::kMaxKnownIds) known.insert(model.id_factor * id);
    }
  }
  return known;
}

/// Reads rows in order: the position of the previous row predicts that of the next.
class RowsReader {
 public:
  explicit RowsReader(const Situation& situation) : situation_(situation), evaluator_(situation.model) {
    const std::size_t axes = situation.model.tokens.axes.size();
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (situation.evidence.has_rotation()) readers_.emplace_back(situation, axis);
      known_.push_back(list_known_ids_of_axis(situation.model, axis));
    }
    last_.resize(axes), shift_.resize(axes), step_.assign(axes, 1);
  }

  /// Reads row i of the evidence into entry k of `positions`.
  void read(Eigen::Index i, Eigen::Index k, RowPositions& positions) {
    const std::int64_t row = situation_.evidence.rows[static_cast<std::size_t>(i)];
    evaluator_.ids(row, &positions.due(k, 0));
    for (std::size_t axis = 0; axis < known_.size(); ++axis) {
      const auto a = static_cast<Eigen::Index>(axis);
      const double due = positions.due(k, a);
      const auto found = id_of(i, axis, due, static_cast<double>(row - row_));
      positions.sure(k, a) = found ? 1 : 0;
      positions.id(k, a) = found.value_or(due);
      if (!found) continue;
      if (row == row_ + 1) step_[axis] = *found - last_[axis];
      last_[axis] = *found, shift_[axis] = *found - due;
    }
    row_ = row;
  }

 private:
  std::optional<double> id_of(Eigen::Index i, std::size_t axis, double due, double rows) const {
    if (situation_.evidence.has_ids()) return situation_.evidence.ids(i, static_cast<Eigen::Index>(axis));
    if (readers_.empty() || readers_[axis].empty() || is_zero(i)) return std::nullopt;
    const AxisReader& reader = readers_[axis];
    for (const double guess : {due + shift_[axis], last_[axis] + rows * step_[axis], last_[axis], due, 0.0}) {
      const auto error = reader.error_at(i, guess);
      if (error) return *error < tuned::kDistinctId * unit_at(axis) ? std::optional(guess) : std::nullopt;
    }
    for (int turn = 0; turn <= 2 * tuned::kMaxTurnsOfId && !situation_.evidence.is_spent(); ++turn) {
      const SeenId shown = reader.refined(i, turn % 2 == 0 ? turn / 2 : -(turn + 1) / 2);
      if (!(shown.error < tuned::kDistinctId * unit_at(axis))) continue;
      const double near = nearest(axis, shown);
      if (reader.error_at(i, near)) return near;
    }
    return std::nullopt;
  }

  /// Returns whether a row of tables is 0 throughout: it has no angles.
  bool is_zero(Eigen::Index i) const {
    const Evidence& evidence = situation_.evidence;
    return evidence.has_tables() && evidence.cosine.row(i).isZero(0) && evidence.sine.row(i).isZero(0);
  }

  double unit_at(std::size_t axis) const {
    const std::set<double>& known = known_[axis];
    if (known.size() < 2) return 1;
    return std::min(1.0, (*known.rbegin() - *known.begin()) / static_cast<double>(known.size() - 1));
  }

  double nearest(std::size_t axis, const SeenId& shown) const {
    const double reach = std::max(8 * shown.error, 1e-6);
    for (const double unit : {1.0, 0.5}) {
      const double near = std::nearbyint(shown.id / unit) * unit;
      if (std::abs(near - shown.id) <= reach) return near;
    }
    const auto above = known_[axis].lower_bound(shown.id);
    if (above != known_[axis].end() && std::abs(*above - shown.id) <= reach) return *above;
    if (above != known_[axis].begin() && std::abs(*std::prev(above) - shown.id) <= reach) return *std::prev(above);
    return shown.id;
  }

  const Situation& situation_;
  const RowEvaluator evaluator_;
  std::vector<AxisReader> readers_;
  std::vector<std::set<double>> known_;
  std::int64_t row_ = -1;
  std::vector<double> last_, shift_, step_;
};

RowPositions emptied(std::size_t rows, std::size_t axes) {
  RowPositions positions;
  positions.id.setZero(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(axes));
  positions.due = positions.sure = positions.id;
  return positions;
}

/// Returns the indices of the evidence's rows in row order.
std::vector<Eigen::Index> in_order(const Evidence& evidence) {
  std::vector<Eigen::Index> order(evidence.rows.size());
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return evidence.rows[static_cast<std::size_t>(a)] < evidence.rows[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Returns whether an axis rotates any pair.
bool turns_any(const CheckModel& model, std::size_t axis) {
  return (model.tokens.frequencies.row(static_cast<Eigen::Index>(axis)).array() != 0).any();
}

/// Returns whether most ids of some rows are certain on the axes that rotate pairs.
bool show_most(const CheckModel& model, const RowPositions& positions, Eigen::Index rows) {
  double sure = 0, all = 0;
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) {
    if (!turns_any(model, axis)) continue;
    sure += positions.sure.col(static_cast<Eigen::Index>(axis)).head(rows).sum(), all += static_cast<double>(rows);
  }
  return all > 0 && sure >= tuned::kMostly * all;
}

constexpr std::size_t kMaxRuns = 512;

/// Returns runs of the sampled rows on one axis; `count` spans the first to the last of them.
std::vector<PositionRun> read_runs(const RowPositions& positions, Eigen::Index axis) {
  std::vector<PositionRun> runs;
  const auto size = static_cast<Eigen::Index>(positions.rows.size());
  const auto row = [&](Eigen::Index k) { return positions.rows[static_cast<std::size_t>(k)]; };
  const auto between = [&](Eigen::Index a, Eigen::Index b) {
    return (positions.id(b, axis) - positions.id(a, axis)) / static_cast<double>(row(b) - row(a));
  };
  for (Eigen::Index k = 0; k < size;) {
    PositionRun run{row(k), 1, positions.id(k, axis), 1};
    // An unusual step has to be that of three rows.
    const bool alone = k + 1 == size;
    if (!alone) {
      const double step = between(k, k + 1);
      const bool usual = step == 1 || step == 0;
      if (usual || (k + 2 < size && between(k + 1, k + 2) == step)) run.step = step;
    }
    Eigen::Index end = k + 1;
    while (end < size && run.at(row(end)) == positions.id(end, axis)) ++end;
    run.count = row(end - 1) - run.row + 1;
    runs.push_back(run);
    if (runs.size() > kMaxRuns) return {};
    k = end;
  }
  return runs;
}

/// The sampled rows of a block, and their ids on one axis.
struct BlockRows {
  const TokenBlock& block;
  const RowPositions& positions;
  Eigen::Index axis;
  double factor;  ///< of the model's ids
  const std::vector<std::pair<Eigen::Index, TokenPlace>>& rows;

  bool is_sure(Eigen::Index row) const { return positions.sure(row, axis) == 1; }
  double id(Eigen::Index row) const { return positions.id(row, axis); }
  /// Returns whether all ids that are sure equal id_at(row, place).
  template <class IdAt>
  bool fit(const IdAt& id_at) const {
    return std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
      return positions.sure(row.first, axis) < 1 || id(row.first) == id_at(row.first, row.second);
    });
  }
  const std::pair<Eigen::Index, TokenPlace>& first() const {
    return *std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return is_sure(row.first); });
  }
  const std::pair<Eigen::Index, TokenPlace>& last() const {
    return *std::find_if(rows.rbegin(), rows.rend(), [&](const auto& row) { return is_sure(row.first); });
  }
};

/// Returns ids that count the values of a counter, or are static; nullopt if they do not.
std::optional<AxisIds> ids_by_counter(const BlockRows& of, Along along) {
  const auto value = [&](const TokenPlace& place) {
    return along == Along::none ? 0.0 : static_cast<double>(value_index(of.block, along, place));
  };
  const auto& [row, place] = of.first();
  const double start = of.id(row) - of.factor * value(place);
  const bool fits = of.fit([&](Eigen::Index, const TokenPlace& other) { return start + of.factor * value(other); });
  return fits ? std::optional(AxisIds{along, start / of.factor, {}}) : std::nullopt;
}

/// Returns one arbitrary id for each value of a counter; nullopt if a value has several, or is not sampled.
std::optional<AxisIds> ids_by_list(const BlockRows& of, Along along) {
  std::map<std::int64_t, double> seen;
  const bool single = std::all_of(of.rows.begin(), of.rows.end(), [&](const auto& row) {
    if (of.positions.sure(row.first, of.axis) < 1) return true;
    const auto [at, is_new] = seen.emplace(value_index(of.block, along, row.second), of.id(row.first));
    return is_new || at->second == of.id(row.first);
  });
  if (!single || static_cast<std::int64_t>(seen.size()) != of.block.count(along)) return std::nullopt;
  AxisIds ids{along, 0, {}};
  for (const auto& [value, id] : seen) ids.listed.push_back(id / of.factor);
  return ids;
}

/// Returns each id for several tokens, as if heads were counted as tokens, and for how many; nullopt if they are not.
std::optional<std::pair<AxisIds, std::int64_t>> ids_of_several(const BlockRows& of) {
  const auto token = [&](const TokenPlace& place) { return value_index(of.block, Along::token, place); };
  const auto &first = of.first(), &last = of.last();
  const double start = of.id(first.first), reached = (of.id(last.first) - start) / of.factor;
  if (token(first.second) != 0 || !(reached >= 1)) return std::nullopt;
  const auto end = static_cast<double>(token(last.second));
  for (std::int64_t times = std::max<std::int64_t>(static_cast<std::int64_t>(end / (reached + 1)), 2);
       static_cast<double>(times) * reached <= end; ++times) {
    const auto repeated = [times](std::int64_t index) {
      const std::int64_t id = index / times;
      return static_cast<double>(id);
    };
    if (!of.fit([&](Eigen::Index, const TokenPlace& place) { return start + of.factor * repeated(token(place)); }))
      continue;
    AxisIds ids{Along::token, start / of.factor, {}};
    for (std::int64_t i = 0; i < of.block.count(); ++i) ids.listed.push_back(ids.first + repeated(i));
    return std::pair(std::move(ids), times);
  }
  return std::nullopt;
}

/// Returns the ids of an axis in a block if they follow a counter; nullopt if nothing shows that.
std::optional<BlockCourse> course_of(const Situation& situation, const RowPositions& positions, std::size_t block,
                                     std::size_t axis, const std::vector<std::pair<Eigen::Index, TokenPlace>>& rows) {
  const CheckModel& model = situation.model;
  const BlockRows of{model.tokens.blocks[block], positions, static_cast<Eigen::Index>(axis),
                     model.id_factor == 0 ? 1 : model.id_factor, rows};
  const AxisIds& due = of.block.ids[axis];
  if (of.fit([&](Eigen::Index row, const TokenPlace&) { return positions.due(row, of.axis); }))
    return BlockCourse{block, axis, due};
  for (const Along along : {Along::none, due.along, Along::frame, Along::row, Along::column, Along::token}) {
    if (auto ids = ids_by_counter(of, along)) return BlockCourse{block, axis, std::move(*ids)};
  }
  for (const Along along : {due.along, Along::frame, Along::row, Along::column}) {
    if (along == Along::none || along == Along::token) continue;
    if (auto ids = ids_by_list(of, along)) return BlockCourse{block, axis, std::move(*ids)};
  }
  auto repeated = ids_of_several(of);
  if (!repeated) return std::nullopt;
  return BlockCourse{block, axis, std::move(repeated->first), repeated->second};
}

/// Lists ids as "0 to 31, 9 times 31" if a few runs of steps of 1 or 0 give all ids, else the first of them.
Message::List describe_ids(const std::vector<double>& ids, double factor) {
  Message::List runs;
  for (std::size_t k = 0; k < ids.size() && runs.size() <= tuned::kSaidIdRuns;) {
    const double step = k + 1 < ids.size() ? factor * (ids[k + 1] - ids[k]) : 1;
    std::size_t end = k + 1;
    while ((step == 0 || step == 1) && end < ids.size() && factor * (ids[end] - ids[end - 1]) == step) ++end;
    const double first = factor * ids[k], last = factor * ids[end - 1];
    runs.push_back(end == k + 1 ? Message("check.single_run", {{"first", first}})
                   : step == 0  ? Message("check.runs.same", {{"count", end - k}, {"id", first}})
                                : Message("check.run", {{"first", first}, {"last", last}}));
    k = end;
  }
  if (runs.size() <= tuned::kSaidIdRuns) return runs;
  runs.clear();
  for (std::size_t k = 0; k < std::min(tuned::kSaidIds, ids.size()); ++k)
    runs.push_back(Message("check.single_run", {{"first", factor * ids[k]}}));
  if (ids.size() > tuned::kSaidIds) runs.push_back(verbatim("…"));
  return runs;
}

}  // namespace

std::optional<RowPositions> row_positions(const Situation& situation) {
  const CheckModel& model = situation.model;
  const Evidence& evidence = situation.evidence;
  const bool shows = evidence.has_ids() || (evidence.has_rotation() && !is_mixed(model.tokens.frequencies) &&
                                            situation.observed().phase.cols() == model.tokens.pair_count());
  if (!shows || model.own_ids || model.given_tables || evidence.rows.size() < 3 ||
      evidence.tensors->rows != model.row_count)
    return std::nullopt;
  const std::size_t axes = model.tokens.axes.size();
  const std::vector<Eigen::Index> order = in_order(evidence);
  // Some rows from everywhere first: if something else is wrong they show no ids.
  const std::size_t few = std::min(tuned::kRowsOfProbe, order.size());
  RowPositions probe = emptied(few, axes);
  RowsReader prober(situation);
  for (std::size_t k = 0; k < few; ++k)
    prober.read(order[k * (order.size() - 1) / (few - 1)], static_cast<Eigen::Index>(k), probe);
  if (evidence.is_spent() || !show_most(model, probe, static_cast<Eigen::Index>(few))) return std::nullopt;
  RowPositions positions = emptied(order.size(), axes);
  RowsReader reader(situation);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (evidence.is_spent()) return std::nullopt;
    reader.read(order[k], static_cast<Eigen::Index>(k), positions);
    positions.rows.push_back(evidence.rows[static_cast<std::size_t>(order[k])]);
  }
  if (!show_most(model, positions, positions.id.rows())) return std::nullopt;
  return positions;
}

std::vector<PositionRun> position_runs(const Situation& situation, const RowPositions& positions) {
  const CheckModel& model = situation.model;
  if (model.tokens.axes.size() != 1 || positions.sure.minCoeff() < 1) return {};
  std::vector<PositionRun> runs = read_runs(positions, 0);
  if (runs.empty()) return {};
  // If a run ends between two sampled rows, bisection locates its end, for all runs at once.
  struct Gap {
    std::size_t run;
    std::int64_t low, high;  ///< last row known to be in the run, first one known to be in the next
  };
  std::vector<Gap> gaps;
  for (std::size_t i = 0; i + 1 < runs.size(); ++i)
    gaps.push_back({i, runs[i].row + runs[i].count - 1, runs[i + 1].row});
  const auto open = [](const Gap& gap) { return gap.high - gap.low > 1; };
  while (std::any_of(gaps.begin(), gaps.end(), open)) {
    std::vector<std::int64_t> middles;
    for (const Gap& gap : gaps) {
      if (open(gap)) middles.push_back(gap.low + (gap.high - gap.low) / 2);
    }
    const Evidence there = select_rows(situation.evidence, middles);
    ObservedCache cache(there);
    const Situation about(situation.reference, model, there, cache);
    RowPositions found = emptied(middles.size(), 1);
    std::size_t at = 0;
    for (Gap& gap : gaps) {
      if (!open(gap)) continue;
      if (there.is_spent()) return {};
      RowsReader reader(about);
      const auto k = static_cast<Eigen::Index>(at);
      reader.read(k, k, found);
      if (found.sure(k, 0) < 1) return {};
      const PositionRun &here = runs[gap.run], &next = runs[gap.run + 1];
      if (found.id(k, 0) == here.at(middles[at])) {
        gap.low = middles[at];
      } else if (found.id(k, 0) == next.at(middles[at])) {
        gap.high = middles[at];
      } else {
        // Another run is between the two.
        return {};
      }
      ++at;
    }
  }
  for (const Gap& gap : gaps) {
    PositionRun &here = runs[gap.run], &next = runs[gap.run + 1];
    here.count = gap.high - here.row;
    next.start = next.at(gap.high), next.count += next.row - gap.high, next.row = gap.high;
  }
  return runs;
}

std::optional<std::vector<BlockCourse>> block_courses(const Situation& situation, const RowPositions& positions) {
  const CheckModel& model = situation.model;
  std::vector<std::vector<std::pair<Eigen::Index, TokenPlace>>> rows(model.tokens.blocks.size());
  for (std::size_t k = 0; k < positions.rows.size(); ++k) {
    const TokenPlace place = place_in(model, positions.rows[k]);
    rows[place.block].emplace_back(static_cast<Eigen::Index>(k), place);
  }
  std::vector<BlockCourse> courses;
  for (std::size_t block = 0; block < rows.size(); ++block) {
    for (std::size_t axis = 0; axis < model.tokens.axes.size() && !rows[block].empty(); ++axis) {
      if (!turns_any(model, axis) && !situation.evidence.has_ids()) continue;
      const auto course = course_of(situation, positions, block, axis, rows[block]);
      if (!course) return std::nullopt;
      const AxisIds &ids = course->ids, &due = model.tokens.blocks[block].ids[axis];
      if (ids.along != due.along || ids.first != due.first || ids.listed != due.listed) courses.push_back(*course);
    }
  }
  return courses;
}

Message runs_text(const std::vector<PositionRun>& runs) {
  Message::List parts;
  for (std::size_t i = 0; i < std::min(tuned::kSaidRuns, runs.size()); ++i) {
    const PositionRun& run = runs[i];
    const Message::Named first("first", run.row), last("last", run.row + run.count - 1);
    if (run.count == 1) {
      parts.push_back(Message("check.runs.row", {first, {"from", run.start}}));
    } else if (run.step == 0) {
      parts.push_back(Message("check.runs.still", {first, last, {"from", run.start}}));
    } else if (run.step == 1) {
      parts.push_back(Message("check.runs.rows", {first, last, {"from", run.start}, {"to", run.last()}}));
    } else {
      parts.push_back(
          Message("check.runs.steps", {first, last, {"from", run.start}, {"to", run.last()}, {"step", run.step}}));
    }
  }
  if (runs.size() > tuned::kSaidRuns)
    parts.push_back(Message("check.runs.more", {{"count", runs.size() - tuned::kSaidRuns}}));
  return join_sentences(parts);
}

Message courses_text(const CheckModel& model, const std::vector<BlockCourse>& courses) {
  Message::List parts;
  for (std::size_t i = 0; i < std::min(tuned::kSaidCourses, courses.size()); ++i) {
    const BlockCourse& course = courses[i];
    const Message::Named axis("axis", model.tokens.axes[course.axis].name);
    const Message::Named part("part", part_words(model.tokens.blocks[course.block].part));
    const Message::Named from("from", model.id_factor * course.ids.first);
    if (course.times == 1 && !course.ids.listed.empty() && course.ids.along != Along::token) {
      const char* key = course.ids.along == Along::frame ? "check.runs.axis_of_frames"
                        : course.ids.along == Along::row ? "check.runs.axis_of_rows"
                                                         : "check.runs.axis_of_columns";
      parts.push_back(Message(key, {part, axis, {"ids", describe_ids(course.ids.listed, model.id_factor)}}));
      continue;
    }
    switch (course.ids.along) {
      case Along::none:
        parts.push_back(Message("check.runs.axis_still", {part, axis, from}));
        break;
      case Along::token:
        parts.push_back(course.times > 1
                            ? Message("check.runs.axis_repeats", {part, axis, from, {"times", course.times}})
                            : Message("check.runs.axis_tokens", {part, axis, from}));
        break;
      case Along::frame:
        parts.push_back(Message("check.runs.axis_frames", {part, axis, from}));
        break;
      case Along::row:
        parts.push_back(Message("check.runs.axis_rows", {part, axis, from}));
        break;
      case Along::column:
        parts.push_back(Message("check.runs.axis_columns", {part, axis, from}));
        break;
    }
  }
  if (courses.size() > tuned::kSaidCourses)
    parts.push_back(Message("check.runs.more", {{"count", courses.size() - tuned::kSaidCourses}}));
  return join_sentences(parts);
}

Message describe_positions(const Situation& situation) {
  const auto positions = row_positions(situation);
  if (!positions || positions->id == positions->due) return {};
  if (situation.model.tokens.axes.size() == 1) {
    std::vector<PositionRun> runs = position_runs(situation, *positions);
    // Inexact if their ends are between the sampled rows.
    if (runs.empty()) runs = read_runs(*positions, 0);
    if (!runs.empty()) return Message("check.unknown.positions", {{"runs", runs_text(runs)}});
    return {};
  }
  const auto courses = block_courses(situation, *positions);
  if (courses && !courses->empty())
    return Message("check.unknown.positions", {{"runs", courses_text(situation.model, *courses)}});
  return {};
}

}  // namespace ropescope
