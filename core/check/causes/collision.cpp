#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/check/compare/all_rows.h"
#include "core/check/model/token_order.h"
#include "core/check/search/shifts.h"

namespace ropescope {

namespace {

/// Part of the numbers that have to be right: where most are others something else is wrong.
constexpr double kMostlyRight = 0.4;

RowMatrixXd ids_of_model(const CheckModel& model) {
  const RowEvaluator evaluator(model);
  RowMatrixXd ids(static_cast<Eigen::Index>(model.row_count), evaluator.axes());
  for (Eigen::Index row = 0; row < ids.rows(); ++row) evaluator.ids(row, ids.row(row).data());
  return ids;
}

/// The ids of all rows, read off or recovered from the angles of those that are not the model's; null where that is not
/// possible.
std::shared_ptr<RowMatrixXd> found_ids(const Situation& situation, const RowMatrixXd& due) {
  const Evidence& evidence = situation.evidence;
  const CheckTensors& tensors = *evidence.tensors;
  auto ids = std::make_shared<RowMatrixXd>(due);
  if (tensors.ids) {
    read_rows(*tensors.ids, 0, tensors.rows, ids->data());
    return ids;
  }
  if (share_reproduced(situation.model, evidence) < kMostlyRight) return nullptr;
  const bool all_are_looked_at = static_cast<std::int64_t>(evidence.rows.size()) == tensors.rows;
  if (!all_are_looked_at) evidence.spend(tensors.rows * situation.model.tokens.pair_count());
  if (evidence.is_spent()) return nullptr;
  std::vector<std::int64_t> wrong =
      all_are_looked_at ? wrong_rows(situation.model, evidence) : all_wrong_rows(situation.model, evidence);
  if (wrong.empty() || 2 * static_cast<std::int64_t>(wrong.size()) > tensors.rows) return nullptr;
  const Evidence there = at_rows(evidence, std::move(wrong));
  ObservedCache cache(there);
  return recover_ids(Situation(situation.reference, situation.model, there, cache), *ids) ? ids : nullptr;
}

/// Part of the rows whose ids are those of the reference.
double share_kept(const RowMatrixXd& due, const RowMatrixXd& ids) {
  const auto kept = (due.array() == ids.array()).rowwise().all().count();
  return ids.rows() > 0 ? static_cast<double>(kept) / static_cast<double>(ids.rows()) : 0;
}

using TwoRows = std::pair<std::int64_t, std::int64_t>;

/// The first token that shares its id with one before it although the reference keeps them apart, among those asked
/// for: both rows.
template <class Asked>
std::optional<TwoRows> shared_id(const RowMatrixXd& due, const RowMatrixXd& ids, const Asked& asked) {
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

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  const CheckModel& model = situation.model;
  if (situation.evidence.tensors->rows != model.row_count) return;
  const RowMatrixXd due = ids_of_model(model);
  const auto ids = found_ids(situation, due);
  if (!ids || share_kept(due, *ids) < 0.5) return;
  const auto block_of = [&](std::int64_t row) -> const TokenBlock& {
    return model.tokens.blocks[place_in(model, row).block];
  };
  const auto shared = shared_id(due, *ids, [&](Eigen::Index row) { return is_grid(block_of(row)); });
  if (!shared) return;
  Proposal found = situation.proposal();
  found.model.own_ids = ids;
  found.model.slack = 0.5;
  const std::string &first = block_of(shared->first).part, &second = block_of(shared->second).part;
  const std::vector<double> id(ids->row(shared->first).begin(), ids->row(shared->first).end());
  found.parameters = {
      {"rows", std::vector<double>{static_cast<double>(shared->first), static_cast<double>(shared->second)}},
      {"id", id}};
  found.evidence =
      Words("check.collision.evidence", {{"first", shared->first}, {"second", shared->second}, {"id", list_text(id)}});
  if (first == second) {
    found.evidence.key = "check.collision.evidence_part";
    found.evidence.values.emplace_back("part", part_words(first));
  }
  found.advice = Words("check.collision.advice");
  proposals.push_back(std::move(found));
}

}  // namespace

/// Two image tokens share an id; named only where nothing else explains it.
constinit const Cause kCollision{.name = "collision", .group = CauseGroup::ids, .seen_in = "", .propose = propose};

}  // namespace ropescope
