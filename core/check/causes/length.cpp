#include <algorithm>

#include "core/check/causes/other_sizes.h"
#include "core/check/compare/tolerances.h"
#include "core/check/search/shifts.h"

namespace ropescope {

namespace {

/// `evidence` lacks the numbers of tokens.
void add_causes_length(const Situation& situation, CheckModel model, Words evidence, std::vector<Proposal>& proposals) {
  const std::int64_t rows = situation.evidence.tensors->rows;
  if (model.row_count != rows) return;
  Proposal found = situation.proposal();
  found.model = std::move(model);
  found.parameters = {{"length", static_cast<double>(rows)}};
  found.evidence = std::move(evidence);
  found.evidence.values.emplace_back("rows", rows);
  found.evidence.values.emplace_back("due", situation.model.row_count);
  found.advice = Words("check.length.advice");
  proposals.push_back(std::move(found));
}

/// All rows once more after themselves, as often as they fit: a batch whose items stand one after the other. More items
/// than a batch has are none, and would be searched one by one for each row.
void propose_repeated(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::int64_t rows = situation.evidence.tensors->rows, times = rows / model.row_count;
  constexpr std::int64_t kMostItems = 64;
  if (times < 2 || times > kMostItems || rows % model.row_count != 0) return;
  CheckModel repeated = model;
  for (std::int64_t i = 1; i < times; ++i)
    repeated.rows.insert(repeated.rows.end(), model.rows.begin(), model.rows.end());
  repeated.row_count = rows;
  add_causes_length(situation, std::move(repeated), Words("check.length.evidence_repeated", {{"times", times}}),
                    proposals);
  proposals.back().advice = Words("check.length.advice_repeated", {{"due", model.row_count}, {"times", times}});
}

/// A part of the rows that the model has.
CheckModel cut_length(const CheckModel& model, std::int64_t first, std::int64_t count) {
  CheckModel part = model;
  part.rows.clear();
  for (const auto& [from, length] : model.rows) {
    const std::int64_t skipped = std::min(first, length), taken = std::min(length - skipped, count);
    if (taken > 0) part.rows.emplace_back(from + skipped, taken);
    first -= skipped, count -= taken;
  }
  part.row_count = 0;
  for (const auto& [from, length] : part.rows) part.row_count += length;
  return part;
}

/// The model with the blocks of another request.
void add_arranged(const Situation& situation, const LayoutRequest& request, const Words& evidence,
                  std::vector<Proposal>& proposals) {
  if (auto model = arranged_as(situation, request, "all"))
    add_causes_length(situation, std::move(*model), evidence, proposals);
}

void propose_layouts(const Situation& situation, std::vector<Proposal>& proposals) {
  const LayoutRequest& asked = situation.reference.request;
  const std::int64_t more = situation.evidence.tensors->rows - situation.model.row_count;
  if (part_of_rows(situation.model, situation.reference.tokens) != "all") return;
  const auto other = [&](const auto& change, const Words& evidence) {
    LayoutRequest request = asked;
    change(request);
    add_arranged(situation, request, evidence, proposals);
  };
  for (const std::int64_t padded : {more, more - 31, more + 31, -asked.text}) {
    if (asked.text + padded < 0 || padded == 0) continue;
    other([&](LayoutRequest& request) { request.text += padded; },
          Words("check.length.evidence_text", {{"text", asked.text + padded}, {"due_text", asked.text}}));
  }
  if (asked.text_after + more >= 0)
    other([&](LayoutRequest& request) { request.text_after += more; }, Words("check.length.evidence_text_after"));
  if (asked.references.empty()) return;
  other([](LayoutRequest& request) { request.references.clear(); }, Words("check.length.evidence_no_references"));
  other([](LayoutRequest& request) { request.references.push_back(request.references.back()); },
        Words("check.length.evidence_one_reference_more"));
}

/// A line of tokens that counts on.
void propose_longer(const Situation& situation, std::vector<Proposal>& proposals) {
  const std::int64_t rows = situation.evidence.tensors->rows;
  if (situation.model.tokens.blocks.size() != 1 || situation.model.tokens.blocks[0].rows != 1 ||
      situation.model.tokens.blocks[0].frames != 1 || situation.model.given_tables) {
    return;
  }
  CheckModel longer = situation.model;
  TokenBlock& block = longer.tokens.blocks[0];
  for (AxisIds& ids : block.ids) {
    if (!ids.listed.empty()) return;
  }
  block.columns = rows;
  longer.rows = {{0, rows}};
  longer.row_count = rows;
  add_causes_length(situation, std::move(longer), Words("check.length.evidence_counting_on"), proposals);
}

/// Whether a model gives all rows from one on: rows that the reference has not are not among those that are looked at.
bool gives_rows_from(const CheckModel& model, const Evidence& evidence, std::int64_t first) {
  const CheckTensors& tensors = *evidence.tensors;
  const bool has_pairs = tensors.tables.planes.empty() || tensors.tables.pairs == model.tokens.pair_count();
  if (!has_pairs) return false;
  // A few tell most candidates.
  constexpr std::int64_t kFew = 32;
  const std::int64_t all = tensors.rows - first;
  for (const std::int64_t count : {std::min(kFew, all), all}) {
    if (evidence.is_spent()) return false;
    evidence.spend(count * model.tokens.pair_count());
    const Comparison rest =
        compare_all(cut_length(model, first, count), rows_of(tensors, first, count), evidence.options);
    if (rest.cancelled || !rest.agrees()) return false;
  }
  return true;
}

/// The model with `more` rows at the same ids before row `at` of it.
CheckModel length_padded(const CheckModel& model, std::int64_t at, std::int64_t more, const std::vector<double>& ids) {
  CheckModel longer = cut_length(model, 0, at);
  TokenBlock block;
  block.part = "padding";
  block.columns = more;
  block.first_row = model.tokens.row_count();
  block.first_token = block.first_row;
  for (const double id : ids) block.ids.push_back({Along::none, model.id_factor == 0 ? 0 : id / model.id_factor, {}});
  longer.rows.emplace_back(block.first_row, more);
  for (const auto& stretch : cut_length(model, at, model.row_count - at).rows) longer.rows.push_back(stretch);
  longer.row_count = model.row_count + more;
  longer.tokens.blocks.push_back(std::move(block));
  return longer;
}

/// Rows that the model does not have, before row `at` of it: at id 0, or as the row before or after them.
void propose_padding(const Situation& situation, std::int64_t at, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::int64_t more = situation.evidence.tensors->rows - model.row_count;
  const RowEvaluator evaluator(model);
  const std::vector<double> zero(model.tokens.axes.size(), 0);
  std::vector<std::vector<double>> likely{zero};
  for (const std::int64_t beside : {at - 1, at, std::int64_t{0}, model.row_count - 1}) {
    if (beside < 0 || beside >= model.row_count) continue;
    evaluator.ids(beside, likely.emplace_back(zero).data());
  }
  const char* key = at == model.row_count ? "check.length.evidence_padded_after"
                    : at == 0             ? "check.length.evidence_padded_before"
                                          : "check.length.evidence_padded_inside";
  for (const std::vector<double>& ids : likely) {
    CheckModel longer = length_padded(model, at, more, ids);
    if (!gives_rows_from(longer, situation.evidence, at)) continue;
    add_causes_length(situation, std::move(longer), Words(key, {{"more", more}, {"row", at}, {"ids", list_text(ids)}}),
                      proposals);
    return;
  }
}

/// Rows too many or too few somewhere in the middle: where the first one is that does not fit.
void propose_inside(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const std::int64_t rows = situation.evidence.tensors->rows;
  const auto wrong = first_wrong_row(model, situation.evidence);
  if (!wrong || *wrong == 0) return;
  if (rows > model.row_count) {
    propose_padding(situation, *wrong, proposals);
    return;
  }
  const std::int64_t less = model.row_count - rows;
  CheckModel shorter = cut_length(model, 0, *wrong);
  for (const auto& stretch : cut_length(model, *wrong + less, model.row_count - *wrong - less).rows) {
    shorter.rows.push_back(stretch);
  }
  shorter.row_count = rows;
  add_causes_length(situation, std::move(shorter),
                    Words("check.length.evidence_missing", {{"less", less}, {"row", *wrong}}), proposals);
}

/// Tables of the first pairs alone, and a list of frequencies that ends before the model's or goes on behind them.
void propose_pairs(const Situation& situation, std::vector<Proposal>& proposals) {
  const CheckModel& model = situation.model;
  const Evidence& evidence = situation.evidence;
  Proposal found = situation.proposal();
  std::int64_t pairs = evidence.cosine.cols(), due = model.tokens.pair_count();
  const bool cut = evidence.has_tables() && pairs < due && !model.given_tables;
  if (cut) found.model.tokens.frequencies = model.tokens.frequencies.leftCols(pairs).eval();
  const DueFrequencies list = due_frequencies(found.model, evidence.frequencies.size());
  const bool listed = !evidence.frequencies.empty() && !list.counted;
  if (listed) found.model.listed = static_cast<std::int64_t>(evidence.frequencies.size());
  if (!cut && !listed) return;
  if (!cut) pairs = found.model.listed, due = static_cast<std::int64_t>(list.values.size());
  found.parameters = {{"pairs", static_cast<double>(pairs)}};
  found.evidence = other_pairs(pairs, due);
  found.advice = Words("check.length.advice_pairs", {{"due", due}});
  proposals.push_back(std::move(found));
}

void propose_length(const Situation& situation, std::vector<Proposal>& proposals) {
  propose_pairs(situation, proposals);
  const std::int64_t rows = situation.evidence.tensors->rows, expected = situation.model.row_count;
  if (rows == 0 || expected == 0 || situation.model.own_ids) return;
  propose_repeated(situation, proposals);
  if (rows != expected && situation.reference.layout != nullptr) propose_layouts(situation, proposals);
  propose_sizes(situation, proposals);
  if (rows == expected) return;
  if (rows < expected) {
    add_causes_length(situation, cut_length(situation.model, 0, rows), Words("check.length.evidence_first"), proposals);
    add_causes_length(situation, cut_length(situation.model, expected - rows, rows),
                      Words("check.length.evidence_last"), proposals);
    for (const char* part : {"text", "image", "reference"}) {
      CheckModel only = situation.model;
      const bool has_part = std::any_of(only.tokens.blocks.begin(), only.tokens.blocks.end(),
                                        [&](const auto& block) { return block.part.rfind(part, 0) == 0; });
      if (!has_part) continue;
      const CheckRows of_part = rows_of_part(only.tokens, part);
      only.rows = of_part.stretches;
      only.row_count = of_part.count;
      add_causes_length(situation, std::move(only), Words("check.length.evidence_part", {{"part", part_words(part)}}),
                        proposals);
    }
  }
  propose_longer(situation, proposals);
  // Given tables end with their rows.
  if (situation.model.given_tables && rows > expected) return;
  if (rows > expected) {
    propose_padding(situation, expected, proposals);
    propose_padding(situation, 0, proposals);
  }
  propose_inside(situation, proposals);
}

}  // namespace

/// Another number of tokens, or of pairs.
constinit const Cause kLength{
    .name = "length", .group = CauseGroup::ids, .seen_in = "vllm-project/vllm-omni#6130", .propose = propose_length};

}  // namespace ropescope
