// What positions.h declares; read it first.
//
// Contents: Positions; Shifts.

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
#include "core/layouts/layout.h"

namespace ropescope {

// --- Positions -----------------------------------------------------------------------------------------------------

namespace {

/// A number that a row shows, and what it may be off by.
struct SeenId {
  double id = 0, error = std::numeric_limits<double>::infinity();
};

/// What single rows show of one axis.
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
      const double frequency = rounded_to(model.frequency_format, model.tokens.frequencies(row, pair));
      if (frequency == 0 || scale_ == 0) continue;
      const double error = errors.empty() ? kAngleError : std::max(kAngleError, errors[static_cast<std::size_t>(pair)]);
      pairs_.push_back({frequency, error, pair});
    }
    std::sort(pairs_.begin(), pairs_.end(),
              [](const Pair& a, const Pair& b) { return std::abs(a.frequency) < std::abs(b.frequency); });
  }

  bool empty() const { return pairs_.empty(); }

  /// Whether all pairs of row i of the evidence stand where an id puts them; if so, the error of the id.
  std::optional<double> error_at(Eigen::Index i, double id) const {
    double weight = 0;
    const double reach = scale_ * id + offset_;
    evidence_.spend(1);
    // The fastest ones first: these refute most.
    for (auto pair = pairs_.rbegin(); pair != pairs_.rend(); ++pair) {
      const double noise = observed_.noise(i, pair->column);
      if (!std::isfinite(noise)) continue;
      const double own = noise + pair->error * std::abs(pair->frequency * reach);
      const double off = wrapped(pair->frequency * reach - observed_.phase(i, pair->column), kTurn);
      constexpr double kErrors = 4, kLeast = 1e-9;
      if (std::abs(off) > kErrors * own + kLeast) return std::nullopt;
      const double per_id = pair->frequency * scale_ / (own + kLeast);
      weight += per_id * per_id;
    }
    return weight > 0 ? 1 / std::sqrt(weight) : std::numeric_limits<double>::infinity();
  }

  /// From the slowest pair, which turned by less than half a turn beside `turns` whole ones, to the fastest.
  SeenId refined(Eigen::Index i, int turns) const {
    SeenId shown;
    evidence_.spend(static_cast<Eigen::Index>(pairs_.size()) / 4 + 1);
    double reach = 0, sigma = std::numeric_limits<double>::infinity();
    for (const Pair& pair : pairs_) {
      const double noise = observed_.noise(i, pair.column), frequency = pair.frequency;
      const double phase = observed_.phase(i, pair.column);
      if (!std::isfinite(noise)) continue;
      // Radians: a pair is skipped whose turn is more ambiguous than that, or the first one whose noise is larger.
      constexpr double kClear = 0.8, kFirst = 0.5;
      if (std::isfinite(sigma) ? sigma * std::abs(frequency) > kClear : noise > kFirst) continue;
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
  std::vector<Pair> pairs_;  ///< the slowest first
};

/// The ids that a model gives anywhere on an axis, where they are no plain counts.
std::set<double> listed_ids(const CheckModel& model, std::size_t axis) {
  std::set<double> known;
  constexpr std::size_t kMost = 1 << 16;
  for (const TokenBlock& block : model.tokens.blocks) {
    for (const double id : block.ids[axis].listed) {
      if (id != std::nearbyint(2 * id) / 2 && known.size() < kMost) known.insert(model.id_factor * id);
    }
  }
  return known;
}

/// Reads rows one after the other: where the row before stands says where this one is likely to.
class RowsReader {
 public:
  explicit RowsReader(const Situation& situation) : situation_(situation), evaluator_(situation.model) {
    const std::size_t axes = situation.model.tokens.axes.size();
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (situation.evidence.has_rotation()) readers_.emplace_back(situation, axis);
      known_.push_back(listed_ids(situation.model, axis));
    }
    last_.resize(axes), shift_.resize(axes), step_.assign(axes, 1);
  }

  /// Row i of the evidence, as the k-th of what is filled.
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
    constexpr double kTold = 0.12;
    for (const double guess : {due + shift_[axis], last_[axis] + rows * step_[axis], last_[axis], due, 0.0}) {
      const auto error = reader.error_at(i, guess);
      if (error) return *error < kTold * unit_at(axis) ? std::optional(guess) : std::nullopt;
    }
    constexpr int kMostTurns = 48;
    for (int turn = 0; turn <= 2 * kMostTurns && !situation_.evidence.is_spent(); ++turn) {
      const SeenId shown = reader.refined(i, turn % 2 == 0 ? turn / 2 : -(turn + 1) / 2);
      if (!(shown.error < kTold * unit_at(axis))) continue;
      const double near = nearest(axis, shown);
      if (reader.error_at(i, near)) return near;
    }
    return std::nullopt;
  }

  /// Whether a row of tables is 0 throughout: it has no angles.
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

/// The places of the evidence's rows in their order.
std::vector<Eigen::Index> in_order(const Evidence& evidence) {
  std::vector<Eigen::Index> order(evidence.rows.size());
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return evidence.rows[static_cast<std::size_t>(a)] < evidence.rows[static_cast<std::size_t>(b)];
  });
  return order;
}

/// Whether an axis turns any pair.
bool turns_any(const CheckModel& model, std::size_t axis) {
  return (model.tokens.frequencies.row(static_cast<Eigen::Index>(axis)).array() != 0).any();
}

/// Whether most of some rows are certain on the axes that turn.
bool show_most(const CheckModel& model, const RowPositions& positions, Eigen::Index rows) {
  double sure = 0, all = 0;
  for (std::size_t axis = 0; axis < model.tokens.axes.size(); ++axis) {
    if (!turns_any(model, axis)) continue;
    sure += positions.sure.col(static_cast<Eigen::Index>(axis)).head(rows).sum(), all += static_cast<double>(rows);
  }
  constexpr double kMost = 0.8;
  return all > 0 && sure >= kMost * all;
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
  // Some rows from everywhere first: where something else is wrong they show no ids.
  constexpr std::size_t kFew = 24;
  const std::size_t few = std::min(kFew, order.size());
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

namespace {

constexpr std::size_t kMostRuns = 512;

/// Runs of the rows that were read, on one axis; `count` reaches from the first to the last of them.
std::vector<PositionRun> read_runs(const RowPositions& positions, Eigen::Index axis) {
  std::vector<PositionRun> runs;
  const auto size = static_cast<Eigen::Index>(positions.rows.size());
  const auto row = [&](Eigen::Index k) { return positions.rows[static_cast<std::size_t>(k)]; };
  const auto between = [&](Eigen::Index a, Eigen::Index b) {
    return (positions.id(b, axis) - positions.id(a, axis)) / static_cast<double>(row(b) - row(a));
  };
  for (Eigen::Index k = 0; k < size;) {
    PositionRun run{row(k), 1, positions.id(k, axis), 1};
    // A step of its own has to be that of three rows.
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
    if (runs.size() > kMostRuns) return {};
    k = end;
  }
  return runs;
}

}  // namespace

std::vector<PositionRun> position_runs(const Situation& situation, const RowPositions& positions) {
  const CheckModel& model = situation.model;
  if (model.tokens.axes.size() != 1 || positions.sure.minCoeff() < 1) return {};
  std::vector<PositionRun> runs = read_runs(positions, 0);
  if (runs.empty()) return {};
  // Where a run ends between two rows that were read is looked up by halves, all of them at once.
  struct Gap {
    std::size_t run;
    std::int64_t low, high;  ///< last row known to be of the run, first one known to be of the next
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
    const Evidence there = at_rows(situation.evidence, middles);
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
        // Something else lies between the two.
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

namespace {

/// How the ids of an axis run through a block, if they run along a counter; none where nothing shows it.
std::optional<BlockCourse> course_of(const Situation& situation, const RowPositions& positions, std::size_t block,
                                     std::size_t axis, const std::vector<std::pair<Eigen::Index, TokenPlace>>& rows) {
  const CheckModel& model = situation.model;
  const TokenBlock& of = model.tokens.blocks[block];
  const AxisIds& due = of.ids[axis];
  const auto column = static_cast<Eigen::Index>(axis);
  const double factor = model.id_factor == 0 ? 1 : model.id_factor;
  const auto fits = [&](const auto& id_at) {
    return std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
      return positions.sure(row.first, column) < 1 || positions.id(row.first, column) == id_at(row.second);
    });
  };
  const bool as_due = std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
    return positions.sure(row.first, column) < 1 || positions.id(row.first, column) == positions.due(row.first, column);
  });
  if (as_due) return BlockCourse{block, axis, due};
  const auto first =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return positions.sure(row.first, column) == 1; });
  for (const Along along : {Along::none, due.along, Along::frame, Along::row, Along::column, Along::token}) {
    AxisIds ids{along, 0, {}};
    const auto value = [&](const TokenPlace& place) {
      return along == Along::none ? 0.0 : static_cast<double>(value_index(of, along, place));
    };
    const double start = positions.id(first->first, column) - factor * value(first->second);
    ids.first = start / factor;
    if (fits([&](const TokenPlace& place) { return start + factor * value(place); }))
      return BlockCourse{block, axis, ids};
  }
  // One id for each frame, row or column, whatever it is.
  for (const Along along : {due.along, Along::frame, Along::row, Along::column}) {
    if (along == Along::none || along == Along::token) continue;
    std::map<std::int64_t, double> seen;
    const bool single = std::all_of(rows.begin(), rows.end(), [&](const auto& row) {
      if (positions.sure(row.first, column) < 1) return true;
      const auto [at, is_new] = seen.emplace(value_index(of, along, row.second), positions.id(row.first, column));
      return is_new || at->second == positions.id(row.first, column);
    });
    if (!single || static_cast<std::int64_t>(seen.size()) != of.count(along)) continue;
    AxisIds ids{along, 0, {}};
    for (const auto& [value, id] : seen) ids.listed.push_back(id / factor);
    return BlockCourse{block, axis, std::move(ids)};
  }
  // Each id for several tokens, as where heads are counted.
  const auto token = [&](const TokenPlace& place) { return value_index(of, Along::token, place); };
  const double start = positions.id(first->first, column);
  const auto last =
      std::find_if(rows.rbegin(), rows.rend(), [&](const auto& row) { return positions.sure(row.first, column) == 1; });
  const double reached = (positions.id(last->first, column) - start) / factor;
  if (token(first->second) != 0 || !(reached >= 1)) return std::nullopt;
  const auto about = static_cast<std::int64_t>(static_cast<double>(token(last->second)) / (reached + 1));
  for (std::int64_t times = std::max<std::int64_t>(about, 2);
       static_cast<double>(times) * reached <= static_cast<double>(token(last->second)); ++times) {
    if (!fits([&](const TokenPlace& place) { return start + factor * static_cast<double>(token(place) / times); }))
      continue;
    BlockCourse course{block, axis, AxisIds{Along::token, start / factor, {}}, times};
    for (std::int64_t i = 0; i < of.count(); ++i)
      course.ids.listed.push_back(course.ids.first + static_cast<double>(i / times));
    return course;
  }
  return std::nullopt;
}

}  // namespace

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

Words runs_text(const std::vector<PositionRun>& runs) {
  constexpr std::size_t kMost = 8;
  Words::List parts;
  for (std::size_t i = 0; i < std::min(kMost, runs.size()); ++i) {
    const PositionRun& run = runs[i];
    const Words::Named first("first", run.row), last("last", run.row + run.count - 1);
    if (run.count == 1) {
      parts.push_back(Words("check.runs.row", {first, {"from", run.start}}));
    } else if (run.step == 0) {
      parts.push_back(Words("check.runs.still", {first, last, {"from", run.start}}));
    } else if (run.step == 1) {
      parts.push_back(Words("check.runs.rows", {first, last, {"from", run.start}, {"to", run.last()}}));
    } else {
      parts.push_back(
          Words("check.runs.steps", {first, last, {"from", run.start}, {"to", run.last()}, {"step", run.step}}));
    }
  }
  if (runs.size() > kMost) parts.push_back(Words("check.runs.more", {{"count", runs.size() - kMost}}));
  return one_after_another(parts);
}

namespace {

/// "0 to 31, 9 times 31" where a few runs of steps of 1 or 0 give all ids, else the first of them.
Words::List listed_words(const std::vector<double>& ids, double factor) {
  constexpr std::size_t kMostRuns = 4, kMostListed = 8;
  Words::List runs;
  for (std::size_t k = 0; k < ids.size() && runs.size() <= kMostRuns;) {
    const double step = k + 1 < ids.size() ? factor * (ids[k + 1] - ids[k]) : 1;
    std::size_t end = k + 1;
    while ((step == 0 || step == 1) && end < ids.size() && factor * (ids[end] - ids[end - 1]) == step) ++end;
    const double first = factor * ids[k], last = factor * ids[end - 1];
    runs.push_back(end == k + 1 ? Words("check.single_run", {{"first", first}})
                   : step == 0  ? Words("check.runs.same", {{"count", end - k}, {"id", first}})
                                : Words("check.run", {{"first", first}, {"last", last}}));
    k = end;
  }
  if (runs.size() <= kMostRuns) return runs;
  runs.clear();
  for (std::size_t k = 0; k < std::min(kMostListed, ids.size()); ++k)
    runs.push_back(Words("check.single_run", {{"first", factor * ids[k]}}));
  if (ids.size() > kMostListed) runs.push_back(as_it_is("…"));
  return runs;
}

}  // namespace

Words courses_text(const CheckModel& model, const std::vector<BlockCourse>& courses) {
  constexpr std::size_t kMost = 9;
  Words::List parts;
  for (std::size_t i = 0; i < std::min(kMost, courses.size()); ++i) {
    const BlockCourse& course = courses[i];
    const Words::Named axis("axis", model.tokens.axes[course.axis].name);
    const Words::Named part("part", part_words(model.tokens.blocks[course.block].part));
    const Words::Named from("from", model.id_factor * course.ids.first);
    if (course.times == 1 && !course.ids.listed.empty() && course.ids.along != Along::token) {
      const char* key = course.ids.along == Along::frame ? "check.runs.axis_of_frames"
                        : course.ids.along == Along::row ? "check.runs.axis_of_rows"
                                                         : "check.runs.axis_of_columns";
      parts.push_back(Words(key, {part, axis, {"ids", listed_words(course.ids.listed, model.id_factor)}}));
      continue;
    }
    switch (course.ids.along) {
      case Along::none:
        parts.push_back(Words("check.runs.axis_still", {part, axis, from}));
        break;
      case Along::token:
        parts.push_back(course.times > 1 ? Words("check.runs.axis_repeats", {part, axis, from, {"times", course.times}})
                                         : Words("check.runs.axis_tokens", {part, axis, from}));
        break;
      case Along::frame:
        parts.push_back(Words("check.runs.axis_frames", {part, axis, from}));
        break;
      case Along::row:
        parts.push_back(Words("check.runs.axis_rows", {part, axis, from}));
        break;
      case Along::column:
        parts.push_back(Words("check.runs.axis_columns", {part, axis, from}));
        break;
    }
  }
  if (courses.size() > kMost) parts.push_back(Words("check.runs.more", {{"count", courses.size() - kMost}}));
  return one_after_another(parts);
}

Words positions_read(const Situation& situation) {
  const auto positions = row_positions(situation);
  if (!positions || positions->id == positions->due) return {};
  if (situation.model.tokens.axes.size() == 1) {
    std::vector<PositionRun> runs = position_runs(situation, *positions);
    // Not exact where their ends lie between the rows that were looked at.
    if (runs.empty()) runs = read_runs(*positions, 0);
    if (!runs.empty()) return Words("check.unknown.positions", {{"runs", runs_text(runs)}});
    return {};
  }
  const auto courses = block_courses(situation, *positions);
  if (courses && !courses->empty())
    return Words("check.unknown.positions", {{"runs", courses_text(situation.model, *courses)}});
  return {};
}

// --- Shifts --------------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kRowsOfBlock = 16;

/// What one pair says: frequency·shift ≡ phase, give or take noise.
struct Equation {
  Eigen::VectorXd frequency;  ///< of each axis, radians per id
  double phase = 0, noise = 0;
};

/// Rows of a block of the evidence, those with the smallest ids first: they are the most exact.
std::vector<Eigen::Index> rows_of_block(const Situation& situation, std::size_t block) {
  const RowEvaluator evaluator(situation.model);
  std::vector<std::pair<double, Eigen::Index>> rows;
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  for (std::size_t i = 0; i < situation.evidence.rows.size(); ++i) {
    const std::int64_t row = situation.evidence.rows[i];
    if (place_in(situation.model, row).block != block) continue;
    evaluator.ids(row, ids.data());
    double size = 0;
    for (const double id : ids) size += std::abs(id);
    rows.emplace_back(size, static_cast<Eigen::Index>(i));
  }
  std::sort(rows.begin(), rows.end());
  std::vector<Eigen::Index> first;
  for (std::size_t i = 0; i < std::min(rows.size(), kRowsOfBlock); ++i) first.push_back(rows[i].second);
  return first;
}

std::vector<Equation> equations_of(const Situation& situation, const std::vector<Eigen::Index>& rows) {
  const Observed& observed = situation.observed();
  const RowEvaluator evaluator(situation.model);
  const Eigen::MatrixXd& frequencies = situation.model.tokens.frequencies;
  const Eigen::Index pairs = std::min(observed.phase.cols(), frequencies.cols());
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes())),
      size(static_cast<std::size_t>(frequencies.cols()));
  std::vector<double> angle(size);
  situation.evidence.spend(static_cast<Eigen::Index>(rows.size()) * pairs);
  Eigen::VectorXd anchor = Eigen::VectorXd::Zero(pairs), sum = anchor, weight = anchor;
  std::vector<double> error(size.size(), kAngleError);
  if (situation.model.recurrence) {
    const AngleErrors errors = angle_errors(situation.model);
    for (std::size_t pair = 0; pair < error.size(); ++pair) error[pair] = std::max(error[pair], errors.of_pair[pair]);
  }
  for (const Eigen::Index row : rows) {
    evaluator.ids(situation.evidence.rows[static_cast<std::size_t>(row)], ids.data());
    evaluator.angles(ids.data(), angle.data(), size.data());
    for (Eigen::Index pair = 0; pair < pairs; ++pair) {
      const auto p = static_cast<std::size_t>(pair);
      const double noise = observed.noise(row, pair) + error[p] * size[p];
      if (!std::isfinite(noise)) continue;
      const double phase = observed.phase(row, pair) - angle[p];
      if (weight[pair] == 0) anchor[pair] = wrapped(phase, kTurn);
      const double near = anchor[pair] + wrapped(phase - anchor[pair], kTurn);
      sum[pair] += near / (noise * noise);
      weight[pair] += 1 / (noise * noise);
    }
  }
  std::vector<Equation> equations;
  for (Eigen::Index pair = 0; pair < pairs; ++pair) {
    if (weight[pair] == 0) continue;
    Equation equation{frequencies.col(pair), wrapped(sum[pair] / weight[pair], kTurn), 1 / std::sqrt(weight[pair])};
    for (Eigen::Index axis = 0; axis < frequencies.rows(); ++axis) {
      equation.frequency[axis] = rounded_to(situation.model.frequency_format, equation.frequency[axis]);
      equation.frequency[axis] *= situation.model.tokens.axes[static_cast<std::size_t>(axis)].id_scale;
    }
    equations.push_back(std::move(equation));
  }
  return equations;
}

double misfit_of(const std::vector<Equation>& equations, const Eigen::VectorXd& shift) {
  double sum = 0;
  for (const Equation& equation : equations) {
    const double deviation = wrapped(equation.frequency.dot(shift) - equation.phase, kTurn) / equation.noise;
    sum += std::log1p(deviation * deviation / 16);
  }
  return sum;
}

/// Whether a shift is within the noise of all pairs.
bool is_unseen(const std::vector<Equation>& equations, const Eigen::VectorXd& shift) {
  constexpr double kErrors = 3;
  return std::all_of(equations.begin(), equations.end(), [&](const Equation& equation) {
    return std::abs(wrapped(equation.frequency.dot(shift) - equation.phase, kTurn)) <= kErrors * equation.noise;
  });
}

/// From the slowest pair, which turned by less than half a turn beside `turns` whole ones, to the fastest, which is the
/// most exact. Sorted by frequency.
std::pair<double, double> refined(const std::vector<std::pair<double, std::pair<double, double>>>& pairs, int turns) {
  double shift = 0, sigma = std::numeric_limits<double>::infinity();
  for (const auto& [frequency, known] : pairs) {
    const auto& [phase, noise] = known;
    if (std::isfinite(sigma) && sigma * frequency > 0.8) continue;
    if (!std::isfinite(sigma) && noise > 0.5) continue;
    if (!std::isfinite(sigma)) shift = turns * kTurn / frequency;
    const double value = shift + wrapped(phase - frequency * shift, kTurn) / frequency, error = noise / frequency;
    if (!std::isfinite(sigma)) {
      shift = value, sigma = error;
      continue;
    }
    const double ours = 1 / (sigma * sigma), theirs = 1 / (error * error);
    shift = (shift * ours + value * theirs) / (ours + theirs);
    sigma = 1 / std::sqrt(ours + theirs);
  }
  return {shift, sigma};
}

/// `rounding`: what ids were rounded by on the way; `step`: from id to id, where that is a fraction, else 0.
double rounded_shift(double shift, double sigma, double rounding, double step = 0) {
  const double reach = std::max({10 * sigma, 1e-6, 2 * rounding});
  for (const double unit : {1.0, 0.5, step / 2}) {
    if (unit == 0 || (unit < 0.5 && reach > unit / 4)) continue;
    const double near = std::nearbyint(shift / unit) * unit;
    if (std::abs(near - shift) <= reach) return near;
  }
  return shift;
}

/// From id to id of an axis along a side, where it is a fraction; else 0.
double fraction_of_step(const TokenBlock& block, std::size_t axis) {
  const AxisIds& ids = block.ids[axis];
  const std::int64_t count = ids.along == Along::row || ids.along == Along::column ? block.count(ids.along) : 0;
  if (count < 2) return 0;
  const double step = std::abs(ids.at(count - 1) - ids.at(0)) / static_cast<double>(count - 1);
  return step < 0.5 ? step : 0;
}

/// What rounding ids moves them by, as the model says that they are rounded; what ggml's recurrence errs by is common
/// to all rows, which no average shows.
double rounding_of(const Situation& situation, const std::vector<Eigen::Index>& rows) {
  constexpr double kOfRecurrence = 1e-3;
  if (situation.model.id_format == ShortFormat::none) return situation.model.recurrence ? kOfRecurrence : 0;
  const RowEvaluator evaluator(situation.model);
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  double largest = 1;
  for (const Eigen::Index row : rows) {
    evaluator.ids(situation.evidence.rows[static_cast<std::size_t>(row)], ids.data());
    for (const double id : ids) largest = std::max(largest, std::abs(id));
  }
  return unit_of(situation.model.id_format).at(largest);
}

/// What the pairs of one axis say, others at rest.
struct AxisEquations {
  std::vector<std::pair<double, std::pair<double, double>>> pairs;  ///< frequency > 0 with phase and noise, sorted

  double misfit(double shift) const {
    // One logarithm for many factors.
    constexpr double kLarge = 1e250;
    double sum = 0, product = 1;
    for (const auto& [frequency, known] : pairs) {
      const double deviation = wrapped(frequency * shift - known.first, kTurn) / known.second;
      product *= 1 + deviation * deviation / 16;
      if (product > kLarge) sum += std::log(product), product = 1;
    }
    return sum + std::log(product);
  }
  bool is_unseen() const {
    return std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) {
      constexpr double kErrors = 3;
      return std::abs(wrapped(pair.second.first, kTurn)) <= kErrors * pair.second.second;
    });
  }
};

AxisEquations equations_of_axis(const std::vector<Equation>& equations, Eigen::Index axis) {
  AxisEquations own;
  for (const Equation& equation : equations) {
    const double frequency = equation.frequency[axis];
    if (frequency == 0) continue;
    const double sign = frequency < 0 ? -1 : 1;
    own.pairs.push_back({std::abs(frequency), {sign * equation.phase, equation.noise}});
  }
  std::sort(own.pairs.begin(), own.pairs.end());
  return own;
}

/// The shift of one axis from the pairs that it alone turns.
double axis_shift(const Evidence& evidence, const std::vector<Equation>& equations, Eigen::Index axis, double rounding,
                  double step = 0) {
  const AxisEquations own = equations_of_axis(equations, axis);
  const auto& pairs = own.pairs;
  if (pairs.empty() || own.is_unseen()) return 0;
  double best = own.misfit(0), value = 0;
  const auto attempt = [&](double candidate, double by = 1 - 1e-6) {
    evidence.spend(static_cast<Eigen::Index>(pairs.size()) / 2);
    const double misfit = own.misfit(candidate);
    if (misfit < best * by - 1e-9) best = misfit, value = candidate;
  };
  const auto attempt_turns = [&](int turns) {
    const auto [shift, sigma] = refined(pairs, turns);
    // The slowest ones agree, or all do not.
    const std::size_t slow = std::min<std::size_t>(pairs.size(), 3);
    for (std::size_t i = 0; turns != 0 && i < slow; ++i) {
      const auto& [frequency, known] = pairs[i];
      if (std::abs(wrapped(frequency * shift - known.first, kTurn)) > 8 * known.second) return;
    }
    // A farther one has to be far better.
    attempt(rounded_shift(shift, sigma, rounding, step), turns == 0 ? 1 - 1e-6 : 0.5);
  };
  attempt_turns(0);
  constexpr double kAgreed = 0.25, kNear = 48;
  const auto agreed = [&] { return best <= kAgreed * static_cast<double>(pairs.size()) || evidence.is_spent(); };
  const double slowest = pairs.front().first;
  // Where even the slowest pair wraps within a few ids: the nearest whole or half number.
  const int halves = kTurn / 2 / slowest > kNear ? 0 : static_cast<int>(2 * kNear);
  for (int half = 1; half <= halves && !agreed(); ++half) {
    for (const double sign : {-0.5, 0.5}) attempt(sign * half);
  }
  // Farther than half a turn of the slowest pair: the nearest shift that all pairs agree on.
  constexpr int kMostTurns = 512;
  constexpr double kFarthest = 2e5;
  for (int turns = 1; turns <= kMostTurns && turns * kTurn / slowest < kFarthest && !agreed(); ++turns) {
    evidence.spend(static_cast<Eigen::Index>(pairs.size()) / 2);
    attempt_turns(turns);
    attempt_turns(-turns);
  }
  return value;
}

/// Axes on which nothing shows take the shift that all others have in common, where it does not show either.
void level_unseen(const std::vector<Equation>& equations, std::vector<double>& shift) {
  double common = 0;
  for (const double by : shift) {
    if (by == 0) continue;
    if (common != 0 && by != common) return;
    common = by;
  }
  for (std::size_t axis = 0; axis < shift.size() && common != 0; ++axis) {
    if (shift[axis] != 0) continue;
    Eigen::VectorXd trial = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(shift.size()));
    std::vector<Equation> own;
    for (const Equation& equation : equations) {
      if (equation.frequency[static_cast<Eigen::Index>(axis)] != 0) own.push_back(equation);
    }
    const bool unseen_at_rest = is_unseen(own, trial);
    trial[static_cast<Eigen::Index>(axis)] = common;
    if (!own.empty() && unseen_at_rest && is_unseen(own, trial)) shift[axis] = common;
  }
}

/// Two axes that turn the same pairs: the best of whole and half numbers.
Eigen::VectorXd mixed_shift(const Evidence& evidence, const std::vector<Equation>& equations) {
  constexpr int kReach = 48;
  Eigen::VectorXd best = Eigen::VectorXd::Zero(2), trial = best;
  double least = misfit_of(equations, best);
  for (int a = -kReach; a <= kReach && !evidence.is_spent(); ++a) {
    evidence.spend((2 * kReach + 1) * static_cast<Eigen::Index>(equations.size()));
    for (int b = -kReach; b <= kReach; ++b) {
      trial << a / 2.0, b / 2.0;
      const double misfit = misfit_of(equations, trial);
      if (misfit < least * (1 - 1e-6) - 1e-9) least = misfit, best = trial;
    }
  }
  return best;
}

/// The id of the model that a recovered one is all but equal to, else itself.
double nearest_known(const std::set<double>& known, double id) {
  const auto above = known.lower_bound(id);
  double nearest = id, gap = 0.05;
  if (known.size() > 1) gap *= (*known.rbegin() - *known.begin()) / static_cast<double>(known.size());
  for (auto at = above == known.begin() ? above : std::prev(above); at != known.end(); ++at) {
    if (std::abs(*at - id) <= gap) nearest = *at, gap = std::abs(*at - id);
    if (*at > id) break;
  }
  return nearest;
}

/// The ids that a model gives anywhere, axis by axis.
std::vector<std::set<double>> known_ids(const CheckModel& model) {
  std::vector<std::set<double>> known(model.tokens.axes.size());
  for (const TokenBlock& block : model.tokens.blocks) {
    for (std::size_t axis = 0; axis < known.size(); ++axis) {
      const AxisIds& ids = block.ids[axis];
      for (std::int64_t value = 0; value < block.count(ids.along); ++value) {
        known[axis].insert(rounded_to(model.id_format, model.id_factor * ids.at(value)));
      }
    }
  }
  return known;
}

std::vector<double> shift_by_ids(const Situation& situation, const std::vector<Eigen::Index>& rows, std::size_t axes) {
  const RowEvaluator evaluator(situation.model);
  std::vector<double> ids(axes), shift(axes, 0);
  if (rows.empty()) return shift;
  evaluator.ids(situation.evidence.rows[static_cast<std::size_t>(rows[0])], ids.data());
  for (std::size_t axis = 0; axis < axes; ++axis) {
    shift[axis] = rounded_shift(situation.evidence.ids(rows[0], static_cast<Eigen::Index>(axis)) - ids[axis], 1e-7, 0);
  }
  return shift;
}

}  // namespace

bool is_looked_at(const CheckModel& model, const TokenBlock& block) {
  return std::any_of(model.rows.begin(), model.rows.end(), [&](const auto& stretch) {
    return block.first_row + block.count() > stretch.first && block.first_row < stretch.first + stretch.second;
  });
}

bool is_shifted(const std::vector<double>& shift) {
  return std::any_of(shift.begin(), shift.end(), [](double by) { return by != 0; });
}

bool is_reference(const TokenBlock& block) {
  return block.part.rfind("reference", 0) == 0;
}

BlockShifts recover_shifts(const Situation& situation) {
  const TokenLayout& tokens = situation.model.tokens;
  const std::size_t axes = tokens.axes.size();
  BlockShifts shifts(tokens.blocks.size(), std::vector<double>(axes, 0));
  for (std::size_t block = 0; block < tokens.blocks.size(); ++block) {
    if (!is_looked_at(situation.model, tokens.blocks[block])) continue;
    const std::vector<Eigen::Index> rows = rows_of_block(situation, block);
    if (rows.empty()) continue;
    if (!situation.evidence.has_rotation()) {
      if (situation.evidence.has_ids()) shifts[block] = shift_by_ids(situation, rows, axes);
      continue;
    }
    const std::vector<Equation> equations = equations_of(situation, rows);
    const bool mixed = std::any_of(equations.begin(), equations.end(), [](const Equation& equation) {
      return (equation.frequency.array() != 0).count() > 1;
    });
    if (mixed && axes == 2) {
      const Eigen::VectorXd shift = mixed_shift(situation.evidence, equations);
      shifts[block] = {shift[0], shift[1]};
      continue;
    }
    const double rounding = rounding_of(situation, rows);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      shifts[block][axis] = axis_shift(situation.evidence, equations, static_cast<Eigen::Index>(axis), rounding,
                                       fraction_of_step(tokens.blocks[block], axis));
    }
    level_unseen(equations, shifts[block]);
  }
  return shifts;
}

bool recover_ids(const Situation& situation, RowMatrixXd& ids) {
  const TokenLayout& tokens = situation.model.tokens;
  if (is_mixed(tokens.frequencies)) return false;
  const std::vector<std::set<double>> known = known_ids(situation.model);
  const RowEvaluator evaluator(situation.model);
  std::vector<double> expected(tokens.axes.size());
  for (std::size_t i = 0; i < situation.evidence.rows.size(); ++i) {
    if (situation.evidence.is_spent()) return false;
    const std::int64_t row = situation.evidence.rows[i];
    evaluator.ids(row, expected.data());
    const std::vector<Eigen::Index> rows = {static_cast<Eigen::Index>(i)};
    const std::vector<Equation> equations = equations_of(situation, rows);
    const double rounding = rounding_of(situation, rows);
    for (Eigen::Index axis = 0; axis < ids.cols(); ++axis) {
      const double found =
          expected[static_cast<std::size_t>(axis)] + axis_shift(situation.evidence, equations, axis, rounding);
      ids(row, axis) = nearest_known(known[static_cast<std::size_t>(axis)], found);
    }
  }
  return true;
}

double recovered_id(const Situation& situation, Eigen::Index i, std::size_t axis) {
  const auto column = static_cast<Eigen::Index>(axis);
  if (situation.evidence.has_ids()) return situation.evidence.ids(i, column);
  const RowEvaluator evaluator(situation.model);
  std::vector<double> expected(situation.model.tokens.axes.size());
  evaluator.ids(situation.evidence.rows[static_cast<std::size_t>(i)], expected.data());
  return expected[axis] +
         axis_shift(situation.evidence, equations_of(situation, {i}), column, rounding_of(situation, {i}));
}

void shift_blocks(CheckModel& model, const BlockShifts& shifts) {
  // Shifts are of the ids as they stand in the tensors.
  const double factor = model.id_factor == 0 ? 1 : model.id_factor;
  for (std::size_t block = 0; block < shifts.size(); ++block) {
    for (std::size_t axis = 0; axis < shifts[block].size(); ++axis) {
      AxisIds& ids = model.tokens.blocks[block].ids[axis];
      const double by = shifts[block][axis] / factor;
      ids.first += by;
      for (double& id : ids.listed) id += by;
    }
  }
}

BlockShifts shifts_between(const CheckModel& before, const CheckModel& after) {
  BlockShifts shifts;
  for (std::size_t block = 0; block < std::min(before.tokens.blocks.size(), after.tokens.blocks.size()); ++block) {
    if (!is_looked_at(before, before.tokens.blocks[block])) continue;
    std::vector<double> shift;
    for (std::size_t axis = 0; axis < before.tokens.axes.size(); ++axis) {
      shift.push_back(after.tokens.blocks[block].ids[axis].at(0) - before.tokens.blocks[block].ids[axis].at(0));
    }
    shifts.push_back(std::move(shift));
  }
  return shifts;
}

}  // namespace ropescope
