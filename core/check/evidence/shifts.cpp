// Recovered shifts of ids, part by part and axis by axis; declared in positions.h, read it first.

#include "core/check/evidence/positions.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/check/compare/sides.h"
#include "core/check/evidence/rows.h"
#include "core/check/model/model.h"
#include "core/check/phrases.h"
#include "core/check/tuning.h"
#include "core/layouts/layout.h"

namespace ropescope {

namespace {

constexpr std::size_t kRowsOfBlock = 16;

/// The equation of one pair: frequency·shift ≡ phase, within noise.
struct Equation {
  Eigen::VectorXd frequency;  ///< per axis, radians per id
  double phase = 0, noise = 0;
};

/// Returns the rows of a block in the evidence, those with the smallest ids first because they are the most precise.
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
      equation.frequency[axis] = round_to_format(situation.model.frequency_format, equation.frequency[axis]);
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

/// Returns whether a shift is within the noise of all pairs.
bool is_unseen(const std::vector<Equation>& equations, const Eigen::VectorXd& shift) {
  return std::all_of(equations.begin(), equations.end(), [&](const Equation& equation) {
    return std::abs(wrapped(equation.frequency.dot(shift) - equation.phase, kTurn)) <=
           tuned::kErrorsOfShift * equation.noise;
  });
}

/// Refines a shift from the slowest pair, which completed `turns` turns and less than half a turn more, to the fastest,
/// which is the most precise. `pairs` are sorted by frequency.
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

/// Rounds a shift. `rounding`: error of rounded ids; `step`: from id to id if that is a fraction, else 0.
double rounded_shift(double shift, double sigma, double rounding, double step = 0) {
  const double reach = std::max({10 * sigma, 1e-6, 2 * rounding});
  for (const double unit : {1.0, 0.5, step / 2}) {
    if (unit == 0 || (unit < 0.5 && reach > unit / 4)) continue;
    const double near = std::nearbyint(shift / unit) * unit;
    if (std::abs(near - shift) <= reach) return near;
  }
  return shift;
}

/// Returns the step from id to id of an axis along a side if it is a fraction; else 0.
double fraction_of_step(const TokenBlock& block, std::size_t axis) {
  const AxisIds& ids = block.ids[axis];
  const std::int64_t count = ids.along == Along::row || ids.along == Along::column ? block.count(ids.along) : 0;
  if (count < 2) return 0;
  const double step = std::abs(ids.at(count - 1) - ids.at(0)) / static_cast<double>(count - 1);
  return step < 0.5 ? step : 0;
}

/// Returns the error of ids rounded to the model's format, or that of ggml's recurrence, which is common to all rows
/// and not reduced by averaging.
double rounding_of(const Situation& situation, const std::vector<Eigen::Index>& rows) {
  if (situation.model.id_format == ShortFormat::none) return situation.model.recurrence ? tuned::kIdOfRecurrence : 0;
  const RowEvaluator evaluator(situation.model);
  std::vector<double> ids(static_cast<std::size_t>(evaluator.axes()));
  double largest = 1;
  for (const Eigen::Index row : rows) {
    evaluator.ids(situation.evidence.rows[static_cast<std::size_t>(row)], ids.data());
    for (const double id : ids) largest = std::max(largest, std::abs(id));
  }
  return find_storage_unit(situation.model.id_format).at(largest);
}

/// Equations of the pairs of one axis, with the other axes unshifted.
struct AxisEquations {
  std::vector<std::pair<double, std::pair<double, double>>> pairs;  ///< frequency > 0 with phase and noise, sorted

  double misfit(double shift) const {
    // One logarithm for many factors.
    double sum = 0, product = 1;
    for (const auto& [frequency, known] : pairs) {
      const double deviation = wrapped(frequency * shift - known.first, kTurn) / known.second;
      product *= 1 + deviation * deviation / 16;
      if (product > tuned::kProductLimit) sum += std::log(product), product = 1;
    }
    return sum + std::log(product);
  }
  bool is_unseen() const {
    return std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) {
      return std::abs(wrapped(pair.second.first, kTurn)) <= tuned::kErrorsOfShift * pair.second.second;
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

/// Returns the shift of one axis from the pairs that only it rotates.
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
    // If the slowest pairs disagree, so do all.
    const std::size_t slow = std::min<std::size_t>(pairs.size(), 3);
    for (std::size_t i = 0; turns != 0 && i < slow; ++i) {
      const auto& [frequency, known] = pairs[i];
      if (std::abs(wrapped(frequency * shift - known.first, kTurn)) > 8 * known.second) return;
    }
    // A farther shift has to fit far better.
    attempt(rounded_shift(shift, sigma, rounding, step), turns == 0 ? 1 - 1e-6 : 0.5);
  };
  attempt_turns(0);
  const auto agreed = [&] {
    return best <= tuned::kAgreedMisfit * static_cast<double>(pairs.size()) || evidence.is_spent();
  };
  const double slowest = pairs.front().first;
  // If even the slowest pair wraps within a few ids: the nearest integer or half-integer.
  const int halves = kTurn / 2 / slowest > tuned::kNearShift ? 0 : static_cast<int>(2 * tuned::kNearShift);
  for (int half = 1; half <= halves && !agreed(); ++half) {
    for (const double sign : {-0.5, 0.5}) attempt(sign * half);
  }
  // Beyond half a turn of the slowest pair: the nearest shift that all pairs agree on.
  for (int turns = 1; turns <= tuned::kMaxTurnsOfShift && turns * kTurn / slowest < tuned::kFarthestShift && !agreed();
       ++turns) {
    evidence.spend(static_cast<Eigen::Index>(pairs.size()) / 2);
    attempt_turns(turns);
    attempt_turns(-turns);
  }
  return value;
}

/// Gives axes that show no shift the common shift of all others, if they do not exclude it.
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

/// Returns the best pair of integers or half-integers for two axes that rotate the same pairs.
Eigen::VectorXd find_mixed_shift(const Evidence& evidence, const std::vector<Equation>& equations) {
  Eigen::VectorXd best = Eigen::VectorXd::Zero(2), trial = best;
  double least = misfit_of(equations, best);
  for (int a = -tuned::kReachOfMixed; a <= tuned::kReachOfMixed && !evidence.is_spent(); ++a) {
    evidence.spend((2 * tuned::kReachOfMixed + 1) * static_cast<Eigen::Index>(equations.size()));
    for (int b = -tuned::kReachOfMixed; b <= tuned::kReachOfMixed; ++b) {
      trial << a / 2.0, b / 2.0;
      const double misfit = misfit_of(equations, trial);
      if (misfit < least * (1 - 1e-6) - 1e-9) least = misfit, best = trial;
    }
  }
  return best;
}

/// Returns the model's id that nearly equals a recovered one, else the recovered id.
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

/// Returns all ids that a model has, axis by axis.
std::vector<std::set<double>> list_known_ids(const CheckModel& model) {
  std::vector<std::set<double>> known(model.tokens.axes.size());
  for (const TokenBlock& block : model.tokens.blocks) {
    for (std::size_t axis = 0; axis < known.size(); ++axis) {
      const AxisIds& ids = block.ids[axis];
      for (std::int64_t value = 0; value < block.count(ids.along); ++value) {
        known[axis].insert(round_to_format(model.id_format, model.id_factor * ids.at(value)));
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

Message::List axis_names_of(const CheckModel& model) {
  Message::List names;
  for (const LayoutAxis& axis : model.tokens.axes) names.push_back(verbatim(axis.name));
  return names;
}

bool is_shifted(const std::vector<double>& shift) {
  return std::any_of(shift.begin(), shift.end(), [](double by) { return by != 0; });
}

bool is_shift_of_all(const CheckReference& reference, const CheckModel& model, const BlockShifts& shifts) {
  if (reference.layout != nullptr && reference.layout->unrotated_tokens) return false;
  const std::vector<TokenBlock>& blocks = model.tokens.blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_looked_at(model, blocks[i]) || blocks[i].first_token != blocks[i].first_row || shifts[i] != shifts[0])
      return false;
  }
  return true;
}

bool is_reference(const TokenBlock& block) {
  return block.is_reference();
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
      const Eigen::VectorXd shift = find_mixed_shift(situation.evidence, equations);
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
  const std::vector<std::set<double>> known = list_known_ids(situation.model);
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

double recover_id(const Situation& situation, Eigen::Index i, std::size_t axis) {
  const auto column = static_cast<Eigen::Index>(axis);
  if (situation.evidence.has_ids()) return situation.evidence.ids(i, column);
  const RowEvaluator evaluator(situation.model);
  std::vector<double> expected(situation.model.tokens.axes.size());
  evaluator.ids(situation.evidence.rows[static_cast<std::size_t>(i)], expected.data());
  return expected[axis] +
         axis_shift(situation.evidence, equations_of(situation, {i}), column, rounding_of(situation, {i}));
}

void shift_blocks(CheckModel& model, const BlockShifts& shifts) {
  // Shifts are of the ids as stored in the tensors.
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
