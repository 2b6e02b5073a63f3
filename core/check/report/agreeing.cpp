// Heads, channels, rows and axes that agree. Read report.h first.

#include <algorithm>
#include <cmath>
#include <map>

#include "core/check/compare/compare.h"
#include "core/check/compare/rows.h"
#include "core/check/evidence/rows.h"
#include "core/check/phrases.h"
#include "core/check/report/report.h"
#include "core/check/tuning.h"

namespace ropescope {

namespace {

/// Returns the runs of indices with the value `wanted`, counted from `first`.
Message runs_where(const std::vector<bool>& holds, bool wanted, std::int64_t first) {
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (holds[i] != wanted) continue;
    const std::int64_t at = first + static_cast<std::int64_t>(i);
    if (runs.empty() || runs.back().second != at) runs.emplace_back(at, at);
    ++runs.back().second;
  }
  return list_of_runs(runs);
}

/// Returns whether hardly any vector keeps its length, up to one factor for all: they are then different vectors.
bool are_other_vectors(const Evidence& evidence) {
  const Eigen::Index channels = evidence.tensors->heads->channels;
  std::vector<double> ratios;
  for (Eigen::Index i = 0; i < evidence.before.rows(); ++i) {
    for (Eigen::Index begin = 0; begin < evidence.before.cols(); begin += channels) {
      const double before = evidence.before.row(i).segment(begin, channels).norm();
      if (before > 0) ratios.push_back(evidence.after.row(i).segment(begin, channels).norm() / before);
    }
  }
  if (ratios.size() < 4) return false;
  std::sort(ratios.begin(), ratios.end());
  const double usual = ratios[ratios.size() / 2];
  const auto near = std::count_if(ratios.begin(), ratios.end(),
                                  [&](double ratio) { return std::abs(ratio - usual) <= tuned::kSameLength * usual; });
  return static_cast<double>(near) < tuned::kHardlyAny * static_cast<double>(ratios.size());
}

/// Adds a sentence on which parts agree, if only some do. `first`: number of the first part.
void add_parts(std::string_view what, const std::vector<bool>& agree, Message::List& notes, std::int64_t first = 0) {
  const auto count = std::count(agree.begin(), agree.end(), true);
  if (count == 0 || count == static_cast<std::ptrdiff_t>(agree.size())) return;
  notes.push_back(Message("check.note.agreeing." + std::string(what),
                          {{"agree", runs_where(agree, true, first)}, {"differ", runs_where(agree, false, first)}}));
}

/// Calls wrong(i, axis) for rows i of the evidence and axes whose id, or a number that they rotate, differs from the
/// model. `owner`: the axis of each pair.
template <class Wrong>
void each_wrong_axis(const CheckModel& model, const Evidence& evidence, const std::vector<Eigen::Index>& owner,
                     const Wrong& wrong) {
  const Eigen::Index pairs = model.tokens.pair_count();
  RowJudge judge(model, evidence);
  std::optional<HeadsJudge> heads;
  if (evidence.has_heads()) heads.emplace(model, *evidence.tensors->heads);
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(evidence.rows.size()); ++i) {
    const auto of_pair = [&](Eigen::Index pair) {
      const Eigen::Index axis = owner[static_cast<std::size_t>(pair)];
      if (axis >= 0) wrong(i, axis);
    };
    if (evidence.has_ids()) {
      judge.look_at_ids(i, [&](Eigen::Index axis, double difference, double allowed) {
        if (difference > allowed) wrong(i, axis);
        return true;
      });
    }
    if (evidence.has_tables()) {
      judge.compute(i);
      for (Eigen::Index pair = 0; pair < pairs; ++pair) {
        if (!judge.pair_agrees(i, pair)) of_pair(pair);
      }
    } else if (heads) {
      const std::int64_t row = evidence.rows[static_cast<std::size_t>(i)];
      heads->look(row, evidence.before.row(i).data(), evidence.after.row(i).data(),
                  [&](std::int64_t, std::int64_t, const ChannelJudgement& one) {
                    if (one.difference > one.tolerance && one.pair >= 0) of_pair(one.pair);
                    return true;
                  });
    }
  }
}

/// Returns the axis that rotates each pair, −1 if none does; empty if several axes rotate one pair.
std::vector<Eigen::Index> owners_of_pairs(const Eigen::MatrixXd& frequencies) {
  std::vector<Eigen::Index> owners;
  for (const auto& pair : frequencies.colwise()) {
    Eigen::Index axis = -1;
    const auto turning = (pair.array() != 0).count();
    if (turning > 1) return {};
    if (turning == 1) pair.cwiseAbs().maxCoeff(&axis);
    owners.push_back(axis);
  }
  return owners;
}

/// Describes at which ids an axis is wrong: "column does not, from column 32 on". `wrong_at`: all ids that occur.
Message wrong_words(const std::string& axis, const std::map<double, bool>& wrong_at) {
  const Message::Named name("axis", axis);
  const auto is_wrong = [](const auto& entry) { return entry.second; };
  const auto first = std::find_if(wrong_at.begin(), wrong_at.end(), is_wrong);
  const auto last = std::find_if(wrong_at.rbegin(), wrong_at.rend(), is_wrong);
  const auto ids = static_cast<double>(std::distance(first, last.base()));
  const auto wrong = static_cast<double>(std::count_if(wrong_at.begin(), wrong_at.end(), is_wrong));
  // At id 0 nothing is rotated, whatever is wrong.
  const bool from_start =
      first == wrong_at.begin() || (std::next(wrong_at.begin()) == first && wrong_at.begin()->first == 0);
  const bool to_end = last == wrong_at.rbegin(), together = wrong >= tuned::kMostly * ids;
  if (from_start && to_end && together) return Message("check.unknown.axis_everywhere", {name});
  const double begin = first->first, end = last->first;
  if (to_end && together) return Message("check.unknown.axis_from", {name, {"from", begin}});
  if (from_start && together) return Message("check.unknown.axis_up_to", {name, {"to", end}});
  if (together) return Message("check.unknown.axis_between", {name, {"from", begin}, {"to", end}});
  return Message("check.unknown.axis_at_some", {name, {"count", wrong}, {"all", wrong_at.size()}, {"from", begin}});
}

}  // namespace

Message agreeing_axes(const CheckModel& model, const Evidence& all) {
  const std::int64_t rows = all.tensors->rows;
  const std::vector<Eigen::Index> owner = owners_of_pairs(model.tokens.frequencies);
  if (rows == 0 || model.row_count != rows || owner.empty() || model.given_tables ||
      !has_shape(model, all, inputs_of(all)))
    return {};
  // This many numbers are as conclusive as all of them.
  const std::int64_t width = all.has_tables() ? all.cosine.cols() : std::max<std::int64_t>(1, all.before.cols());
  const std::int64_t looked = std::min(rows, std::max(tuned::kMinAxisRows, tuned::kMaxAxisNumbers / width));
  const auto axes = static_cast<std::size_t>(model.tokens.frequencies.rows());
  std::vector<std::map<double, bool>> wrong_at(axes);
  const RowEvaluator evaluator(model);
  std::vector<double> ids(axes);
  for (std::int64_t begin = 0; begin < looked; begin += tuned::kRowsAtOnce) {
    std::vector<std::int64_t> some;
    for (std::int64_t i = begin; i < std::min(looked, begin + tuned::kRowsAtOnce); ++i)
      some.push_back(i * rows / looked);
    const Evidence evidence = select_rows(all, std::move(some));
    std::vector<char> wrong(evidence.rows.size() * axes, 0);
    each_wrong_axis(model, evidence, owner, [&](Eigen::Index i, Eigen::Index axis) {
      wrong[static_cast<std::size_t>(i) * axes + static_cast<std::size_t>(axis)] = 1;
    });
    for (std::size_t i = 0; i < evidence.rows.size(); ++i) {
      evaluator.ids(evidence.rows[i], ids.data());
      for (std::size_t axis = 0; axis < axes; ++axis) wrong_at[axis][ids[axis]] |= wrong[i * axes + axis] != 0;
    }
  }
  Message::List agree, differ;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::string& name = model.tokens.axes[axis].name;
    const bool wrong =
        std::any_of(wrong_at[axis].begin(), wrong_at[axis].end(), [](const auto& entry) { return entry.second; });
    if (wrong) {
      differ.push_back(wrong_words(name, wrong_at[axis]));
    } else {
      agree.push_back(verbatim(name));
    }
  }
  if (differ.empty()) return {};
  Message said("check.unknown.axes_none", {{"differ", differ}});
  if (!agree.empty()) {
    const std::size_t count = agree.size();
    said =
        Message("check.unknown.axes", {{"count", count}, {"agree", std::move(agree)}, {"differ", std::move(differ)}});
  }
  if (looked == rows) return said;
  return sentences(std::move(said), Message("check.unknown.rows_looked", {{"looked", looked}, {"rows", rows}}));
}

Message::List agreeing_parts(const CheckModel& model, const Evidence& evidence) {
  Message::List notes;
  const auto rows = static_cast<Eigen::Index>(evidence.rows.size());
  const Eigen::Index pairs = model.tokens.pair_count();
  if (rows == 0 || model.row_count != evidence.tensors->rows || !has_shape(model, evidence, inputs_of(evidence)))
    return notes;
  // With only some of the rows, the others are unknown.
  const bool all_rows = rows == evidence.tensors->rows;
  std::vector<bool> agree_rows(static_cast<std::size_t>(evidence.tensors->rows), true);
  if (evidence.has_tables()) {
    RowJudge judge(model, evidence);
    std::vector<bool> agree_pairs(static_cast<std::size_t>(pairs), true);
    for (Eigen::Index i = 0; i < rows; ++i) {
      judge.compute(i);
      for (Eigen::Index pair = 0; pair < pairs; ++pair) {
        if (judge.pair_agrees(i, pair)) continue;
        agree_pairs[static_cast<std::size_t>(pair)] = false;
        agree_rows[static_cast<std::size_t>(evidence.rows[static_cast<std::size_t>(i)])] = false;
      }
    }
    add_parts("pairs", agree_pairs, notes);
    if (all_rows) add_parts("rows", agree_rows, notes, evidence.tensors->first_row);
  } else if (evidence.has_heads()) {
    const HeadVectors& heads = *evidence.tensors->heads;
    HeadsJudge judge(model, heads);
    std::vector<bool> agree_heads(static_cast<std::size_t>(heads.heads), true);
    std::vector<bool> agree_channels(static_cast<std::size_t>(heads.channels), true);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const std::int64_t row = evidence.rows[static_cast<std::size_t>(i)];
      const auto see = [&](std::int64_t head, std::int64_t channel, const ChannelJudgement& one) {
        if (!(one.difference > one.tolerance)) return true;
        agree_heads[static_cast<std::size_t>(head)] = false;
        agree_channels[static_cast<std::size_t>(channel)] = false;
        agree_rows[static_cast<std::size_t>(row)] = false;
        return true;
      };
      judge.look(row, evidence.before.row(i).data(), evidence.after.row(i).data(), see);
    }
    if (are_other_vectors(evidence)) notes.emplace_back("check.note.other_vectors");
    add_parts("heads", agree_heads, notes);
    add_parts("channels", agree_channels, notes);
    if (all_rows) add_parts("rows", agree_rows, notes, evidence.tensors->first_row);
  }
  return notes;
}

}  // namespace ropescope
