#include <algorithm>
#include <cmath>
#include <map>

#include "core/check/shifts.h"

namespace ropescope {

namespace {

constexpr std::int64_t kMostRows = 4096;

/// The ids of all rows, read off or recovered from the angles; null where that is not possible.
std::shared_ptr<RowMatrix> found_ids(const Situation& situation) {
  const CheckTensors& tensors = *situation.evidence.tensors;
  if (tensors.rows > kMostRows || tensors.rows != situation.model.row_count) return nullptr;
  const auto rows = static_cast<Eigen::Index>(tensors.rows);
  const auto axes = static_cast<Eigen::Index>(situation.model.tokens.axes.size());
  auto ids = std::make_shared<RowMatrix>(rows, axes);
  if (tensors.ids) {
    read_rows(*tensors.ids, 0, tensors.rows, ids->data());
    return ids;
  }
  return recover_ids(situation, *ids) ? ids : nullptr;
}

/// Part of the rows whose ids are those of the reference: where most are others something else is wrong.
double share_kept(const CheckModel& model, const RowMatrix& ids) {
  const RowEvaluator evaluator(model);
  std::vector<double> expected(static_cast<std::size_t>(ids.cols()));
  Eigen::Index kept = 0;
  for (Eigen::Index row = 0; row < ids.rows(); ++row) {
    evaluator.ids(row, expected.data());
    kept += std::equal(expected.begin(), expected.end(), ids.row(row).begin()) ? 1 : 0;
  }
  return ids.rows() > 0 ? static_cast<double>(kept) / static_cast<double>(ids.rows()) : 0;
}

/// Two tokens of an image that share an id although the reference keeps them apart.
std::optional<std::pair<std::int64_t, std::int64_t>> shared_id(const CheckModel& model, const RowMatrix& ids) {
  const RowEvaluator evaluator(model);
  std::map<std::vector<double>, std::pair<std::int64_t, std::vector<double>>> seen;
  std::vector<double> expected(static_cast<std::size_t>(ids.cols()));
  for (Eigen::Index row = 0; row < ids.rows(); ++row) {
    const TokenPlace place = place_in(model, row);
    const std::string& part = model.tokens.blocks[place.block].part;
    if (part != "image" && part.rfind("reference", 0) != 0) continue;
    evaluator.ids(row, expected.data());
    std::vector<double> id(ids.row(row).begin(), ids.row(row).end());
    const auto [other, fresh] = seen.emplace(id, std::pair{row, expected});
    if (!fresh && other->second.second != expected)
      return std::pair{other->second.first, static_cast<std::int64_t>(row)};
  }
  return std::nullopt;
}

void propose(const Situation& situation, std::vector<Proposal>& proposals) {
  if (!situation.evidence.has_rotation() && !situation.evidence.has_ids()) return;
  const auto ids = found_ids(situation);
  if (!ids) return;
  if (share_kept(situation.model, *ids) < 0.5) return;
  const auto shared = shared_id(situation.model, *ids);
  if (!shared) return;
  Proposal found = situation.proposal();
  found.model.own_ids = ids;
  found.model.slack = 0.5;
  const auto is_image = [&](std::int64_t row) {
    return situation.model.tokens.blocks[place_in(situation.model, row).block].part == "image";
  };
  const bool in_image = is_image(shared->first) && is_image(shared->second);
  const std::vector<double> id(ids->row(shared->first).begin(), ids->row(shared->first).end());
  found.parameters = {
      {"rows", std::vector<double>{static_cast<double>(shared->first), static_cast<double>(shared->second)}},
      {"id", id}};
  found.evidence = "Rows " + std::to_string(shared->first) + " and " + std::to_string(shared->second) +
                   (in_image ? " of the image" : " of the images") + " share the id " + list_text(id) + ".";
  found.advice = "Give every token of an image an id of its own.";
  proposals.push_back(std::move(found));
}

}  // namespace

/// Two image tokens share an id; named only where nothing else explains it.
constinit const Cause kCollision{.name = "collision", .group = CauseGroup::ids, .seen_in = "", .propose = propose};

}  // namespace ropescope
