#include "core/check/compare/all_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/check/compare/pieces.h"

namespace ropescope {

namespace {

bool has_pairs(const CheckModel& model, const Evidence& evidence) {
  const Eigen::Index pairs = model.tokens.pair_count();
  if (evidence.has_tables() && evidence.cosine.cols() != pairs) return false;
  return !evidence.has_heads() || model.still + 2 * pairs <= evidence.tensors->heads->channels;
}

/// Threads do not share what they spend: whoever asks for all rows counts them.
Evidence piece_of(const Evidence& evidence, const RowPiece& piece) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(piece.count));
  std::iota(rows.begin(), rows.end(), piece.first);
  Evidence part = at_rows(evidence, std::move(rows));
  part.effort = std::make_shared<Effort>(std::numeric_limits<std::int64_t>::max());
  return part;
}

}  // namespace

std::vector<std::int64_t> all_wrong_rows(const CheckModel& model, const Evidence& evidence) {
  std::vector<std::int64_t> wrong;
  if (evidence.tensors->rows != model.row_count || !has_pairs(model, evidence)) return wrong;
  const auto make_worker = [&]() -> WorkPiece {
    return [&](const RowPiece& piece) -> JoinPiece {
      return [&wrong, found = wrong_rows(model, piece_of(evidence, piece))] {
        wrong.insert(wrong.end(), found.begin(), found.end());
      };
    };
  };
  if (!share_rows(model.row_count, evidence.options, make_worker)) wrong.clear();
  return wrong;
}

bool reproduces_all(const CheckModel& model, const Evidence& evidence, unsigned inputs) {
  if (!reproduces(model, evidence, inputs)) return false;
  if (model.row_count != evidence.tensors->rows) return true;
  evidence.spend(model.row_count * model.tokens.pair_count());
  const Comparison all = compare_all(model, rows_of(*evidence.tensors, 0, model.row_count), evidence.options);
  return !all.cancelled && std::all_of(all.inputs.begin(), all.inputs.end(), [inputs](const auto& input) {
    const unsigned bit = input.first == "ids" ? kIds : input.first == "after" ? kHeads : kTables;
    return (inputs & bit) == 0 || input.second.agrees();
  });
}

void look_at_wrong_rows(const CheckModel& model, Evidence& evidence) {
  const auto seen = static_cast<std::int64_t>(evidence.rows.size());
  if (seen == 0 || seen >= evidence.tensors->rows) return;
  constexpr std::size_t kEnough = 256;
  // Where those that are looked at hold enough, so do all: nothing more is read.
  if (has_pairs(model, evidence) && wrong_rows(model, evidence).size() >= kEnough) return;
  const std::vector<std::int64_t> wrong = all_wrong_rows(model, evidence);
  std::vector<std::int64_t> rows = evidence.rows;
  const std::size_t count = std::min(wrong.size(), kEnough);
  for (std::size_t i = 0; i < count; ++i) rows.push_back(wrong[i * wrong.size() / count]);
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  evidence = at_rows(evidence, std::move(rows));
}

}  // namespace ropescope
