#include <algorithm>
#include <cmath>
#include <limits>
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

/// How the ids of one axis came to be shared: from some id on they are all the same, or begin again.
struct Stop {
  std::size_t axis = 0;
  bool begins_again = false;
  double at = 0;  ///< the last id, or how many there are
};

/// None where the rows asked for have other ids than such ones.
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
  const auto ids = found_ids(situation, due);
  if (!ids || share_kept(due, *ids) < 0.5) return;
  const auto block_of = [&](std::int64_t row) -> const TokenBlock& {
    return model.tokens.blocks[place_in(model, row).block];
  };
  const auto of_image = [&](Eigen::Index row) { return is_grid(block_of(row)); };
  const auto shared = shared_id(due, *ids, of_image);
  if (!shared) return;
  Proposal found = situation.proposal();
  found.model.own_ids = ids;
  found.model.slack = 0.5;
  const std::string &first = block_of(shared->first).part, &second = block_of(shared->second).part;
  const std::vector<double> id(ids->row(shared->first).begin(), ids->row(shared->first).end());
  found.parameters = {
      {"rows", std::vector<double>{static_cast<double>(shared->first), static_cast<double>(shared->second)}},
      {"id", id}};
  const std::int64_t first_token = place_in(model, shared->first).token, token = place_in(model, shared->second).token;
  found.evidence =
      Words("check.collision.evidence", {{"first", first_token}, {"second", token}, {"id", list_text(id)}});
  if (first == second) {
    found.evidence.key = "check.collision.evidence_part";
    found.evidence.values.emplace_back("part", part_words(first));
  }
  found.advice = Words("check.collision.advice");
  if (const auto stop = stop_of(due, *ids, of_image)) {
    const Words axis = as_it_is(model.tokens.axes[stop->axis].name);
    found.parameters.push_back({"kind", named_value(stop->begins_again ? "wrapped" : "clamped")});
    found.parameters.push_back({"axis", axis});
    Words course(stop->begins_again ? "check.collision.evidence_wrapped" : "check.collision.evidence_clamped",
                 {{"axis", axis}, {"at", stop->at}});
    found.evidence = sentences(std::move(found.evidence), std::move(course));
    found.advice = Words("check.collision.advice_axis", {{"axis", axis}});
  }
  proposals.push_back(std::move(found));
}

}  // namespace

/// Two image tokens share an id; named only where nothing else explains it.
constinit const Cause kCollision{
    .name = "collision", .group = CauseGroup::ids, .seen_in = "", .propose = propose_collision};

}  // namespace ropescope
