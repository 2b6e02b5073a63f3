// Notes, then inputs, causes and verdict of a report. Read report.h first.
//
// Contents: Notes; Report.

#include "core/check/report/report.h"

#include <algorithm>
#include <cmath>

#include "core/check/compare/compare.h"
#include "core/check/compare/sides.h"
#include "core/check/evidence/positions.h"
#include "core/check/tuning.h"
#include "core/message.h"

namespace ropescope {

// --- Notes ---------------------------------------------------------------------------------------------------------

namespace {

bool has_positions(const CheckTensors& tensors) {
  return tensors.rows > 0;
}

/// Returns whether all rows have id 0 on all axes.
bool stands_at_zero(const CheckModel& model) {
  return std::all_of(model.tokens.blocks.begin(), model.tokens.blocks.end(), [&](const TokenBlock& block) {
    return !is_looked_at(model, block) || std::all_of(block.ids.begin(), block.ids.end(), [&](const AxisIds& ids) {
      const auto is_zero = [](double id) { return id == 0; };
      return is_zero(ids.at(0)) && is_zero(ids.at(block.count(ids.along) - 1)) &&
             std::all_of(ids.listed.begin(), ids.listed.end(), is_zero);
    });
  });
}

CheckReach reach_of(const CheckModel& model, std::size_t axis, const IdRange& ids) {
  CheckReach reach;
  reach.axis = model.tokens.axes[axis].name;
  reach.smallest = ids.smallest, reach.largest = ids.largest;
  double slowest = std::numeric_limits<double>::infinity();
  for (const double frequency : model.tokens.frequencies.row(static_cast<Eigen::Index>(axis))) {
    if (frequency != 0) slowest = std::min(slowest, std::abs(frequency));
  }
  if (std::isfinite(slowest)) {
    const double farthest = std::max(std::abs(ids.smallest), std::abs(ids.largest));
    reach.slowest_turn = slowest * std::abs(model.tokens.axes[axis].id_scale) * farthest;
  }
  return reach;
}

/// Describes a range of ids: "position 1 to 15", "row 4095".
Message range_words(const CheckReach& reach) {
  return Message(reach.smallest == reach.largest ? "check.note.reach_at" : "check.note.reach_range",
                 {{"axis", reach.axis}, {"smallest", reach.smallest}, {"largest", reach.largest}});
}

void note_reach(const Findings& findings, const CheckReport& report, Message::List& notes) {
  Message::List ranges;
  double most = 0;
  for (const CheckReach& reach : report.reach) {
    ranges.push_back(range_words(reach));
    most = std::max(most, reach.slowest_turn);
  }
  if (!ranges.empty()) {
    notes.push_back(Message("check.note.reach", {{"ranges", std::move(ranges)}, {"turn", number_for_people(most, 3)}}));
  }
  if (has_positions(findings.tensors) && !findings.judged.model.given_tables && stands_at_zero(findings.judged.model)) {
    notes.emplace_back("check.note.identity");
  }
}

/// Lists the first pairs: "3, 9, 20, …".
Message::List few_of(const std::vector<std::int64_t>& pairs) {
  Message::List few;
  for (std::size_t i = 0; i < pairs.size() && i < tuned::kSaidPairs; ++i)
    few.push_back(verbatim(number_for_people(static_cast<double>(pairs[i]))));
  if (pairs.size() > tuned::kSaidPairs) few.push_back(verbatim("…"));
  return few;
}

void note_lengths(const Findings& findings, const CheckEvidence& evidence, Message::List& notes) {
  const std::vector<std::int64_t>& zero_vector_pairs = evidence.zero_vector_pairs;
  if (zero_vector_pairs.empty()) return;
  const Eigen::Index pairs = findings.judged.model.tokens.pair_count();
  if (static_cast<Eigen::Index>(zero_vector_pairs.size()) == pairs) {
    notes.emplace_back("check.note.all_lengthless");
    return;
  }
  notes.push_back(Message("check.note.lengthless",
                          {{"pairs", few_of(zero_vector_pairs)}, {"count", zero_vector_pairs.size()}, {"all", pairs}}));
}

void note_recurrence(const CheckReport& report, Message::List& notes) {
  if (!report.recurrence) return;
  const CheckRecurrence& of = *report.recurrence;
  notes.push_back(Message(of.way == Recurrence::cpu ? "check.note.recurrence_cpu" : "check.note.recurrence_gpu",
                          {{"difference", number_for_people(of.difference, 3)}, {"position", of.position}}));
}

void note_square(const Findings& findings, Message::List& notes) {
  for (const TokenBlock& block : findings.judged.model.tokens.blocks) {
    const bool square = block.is_image() && block.rows == block.columns && block.rows > 1;
    if (!square || !is_looked_at(findings.judged.model, block)) continue;
    notes.emplace_back("check.note.square");
    return;
  }
}

/// Notes how many pairs and frequencies were compared, if the two sides have different numbers.
void note_counts(const Findings& findings, Message::List& notes) {
  const CheckTensors& tensors = findings.tensors;
  const std::int64_t pairs = tensors.tables.pairs, expected_pairs = findings.judged.model.tokens.pair_count();
  if (!tensors.tables.planes.empty() && pairs != expected_pairs) {
    notes.push_back(
        Message("check.note.pairs",
                {{"pairs", pairs}, {"due", expected_pairs}, {"compared", std::min(pairs, expected_pairs)}}));
  }
  if (tensors.still_behind > 0) {
    notes.push_back(Message("check.note.still_behind", {{"count", tensors.still_behind}, {"due", expected_pairs}}));
  }
  if (!tensors.frequencies) return;
  const std::int64_t count = tensors.frequencies->shape[0];
  const ExpectedFrequencies due = find_expected_frequencies(findings.judged.model, static_cast<std::size_t>(count));
  if (!due.counted) {
    notes.push_back(
        Message("check.note.frequencies", {{"count", count}, {"due", due.values.size()}, {"compared", due.compared}}));
  } else if (due.of == ListOf::turning_pairs) {
    notes.push_back(Message("check.note.turning_frequencies", {{"count", count}, {"rest", expected_pairs - count}}));
  } else if (due.of == ListOf::shared_ladder) {
    notes.push_back(Message("check.note.shared_frequencies", {{"count", count}}));
  }
  if (tensors.frequency_repeats != Repeats::once) notes.emplace_back("check.note.repeated_frequencies");
}

/// Notes repeated heads, and that vectors do not show how the weights of q and k are permuted.
void note_vectors(const Findings& findings, const CheckReport& report, Message::List& notes) {
  const auto& heads = findings.tensors.heads;
  if (!heads) return;
  if (heads->repeats > 1) {
    notes.push_back(
        Message("check.note.repeated_heads", {{"heads", heads->heads / heads->repeats}, {"after", heads->heads}}));
  }
  const bool paired_otherwise = std::any_of(report.causes.begin(), report.causes.end(),
                                            [](const CheckCause& cause) { return cause.name == kPairing.name; });
  if (!paired_otherwise || !findings.reference.rope) return;
  notes.emplace_back(findings.reference.is_gguf ? "check.note.pairing_of_gguf" : "check.note.pairing_of_weights");
}

/// Notes how a table repeats its columns: not an error, but necessary to know for rotating q by it.
void note_storage(const Findings& findings, Message::List& notes) {
  const TablePlanes& tables = findings.tensors.tables;
  const bool adjacent = tables.repeats == Repeats::adjacent,
             neighbours = findings.judged.model.repeats == Pairing::interleaved;
  const bool otherwise = tables.repeats != Repeats::once && tables.repeats_known && adjacent != neighbours;
  if (otherwise) notes.emplace_back(adjacent ? "check.note.stored_adjacent" : "check.note.stored_by_halves");
  if (findings.tensors.heads && findings.judged.model.out_by_halves) notes.emplace_back("check.note.out_by_halves");
}

void note_amplitude(const Findings& findings, const CheckReport& report, Message::List& notes) {
  const bool about_amplitude = std::any_of(report.causes.begin(), report.causes.end(),
                                           [](const CheckCause& cause) { return cause.name == kAmplitude.name; });
  const bool has_mscale =
      findings.reference.rope && (findings.reference.rope->extension.numbers.count("mscale") != 0 ||
                                  findings.reference.rope->extension.numbers.count("mscale_all_dim") != 0);
  if (about_amplitude || has_mscale) notes.emplace_back("check.note.amplitude");
}

void note_shift(const Findings& findings, Message::List& notes) {
  for (const FoundCause& found : findings.explained.explanation.causes) {
    if (found.cause->name != kPositionOffset.name) continue;
    const std::vector<CheckParameter>& parameters = found.proposal.parameters;
    const bool shifted = std::any_of(parameters.begin(), parameters.end(),
                                     [](const CheckParameter& parameter) { return parameter.name == "offset"; });
    // Ids of single rows are no shift of blocks.
    if (!shifted || found.alone.own_ids) continue;
    // A text split at the rows where its positions restart has no single shift.
    if (found.alone.tokens.blocks.size() != findings.judged.model.tokens.blocks.size()) continue;
    const CheckModel& model = findings.judged.model;
    const bool common = is_shift_of_all(findings.reference, model, shifts_between(model, found.alone));
    if (common && !findings.reference.positions) notes.emplace_back("check.note.common_shift");
  }
}

/// Adds, per axis, the range of ids in the rows that gave evidence.
void add_reach(const Findings& findings, const std::vector<IdRange>& ids, CheckReport& report) {
  // Tables without a ladder show nothing about positions.
  if (!has_positions(findings.tensors) || findings.judged.model.given_tables) return;
  for (std::size_t axis = 0; axis < findings.judged.model.tokens.axes.size(); ++axis) {
    if (ids[axis].smallest > ids[axis].largest) continue;  // no row gave evidence
    report.reach.push_back(reach_of(findings.judged.model, axis, ids[axis]));
  }
}

void add_notes(const Findings& findings, CheckReport& report) {
  Message::List& notes = report.notes;
  const std::int64_t rows = findings.tensors.rows, expected = findings.judged.model.row_count;
  if (rows != 0 && rows != expected) {
    notes.push_back(Message("check.note.rows", {{"rows", rows}, {"due", expected}}));
  }
  note_recurrence(report, notes);
  note_counts(findings, notes);
  note_reach(findings, report, notes);
  note_lengths(findings, report.evidence, notes);
  if (has_positions(findings.tensors)) note_square(findings, notes);
  for (const auto& [which, difference] : findings.baseline.inputs) {
    if (difference.computed_in_float32) notes.push_back(Message("check.note.float32", {{"which", which}}));
  }
  if (!findings.tensors.tables.repeats_known) {
    notes.emplace_back("check.note.either_pairing");
  } else if (!findings.tensors.tables.planes.empty() && findings.tensors.tables.repeats == Repeats::once &&
             !findings.tensors.heads) {
    notes.emplace_back("check.note.single_columns");
  }
  note_storage(findings, notes);
  note_vectors(findings, report, notes);
  if (findings.tensors.tables.signs_baked) notes.emplace_back("check.note.baked_signs");
  note_amplitude(findings, report, notes);
  note_shift(findings, notes);
  for (const CheckCause& cause : report.causes) {
    if (cause.harmless) notes.push_back(Message("check.note.harmless", {{"evidence", cause.evidence}}));
  }
}

// --- Report --------------------------------------------------------------------------------------------------------

/// Returns the tensors, limited to the rows of the model.
CheckTensors clipped(const CheckModel& model, const CheckTensors& tensors) {
  CheckTensors part = rows_of(tensors, 0, std::min(tensors.rows, model.row_count));
  part.frequencies = tensors.frequencies;
  return part;
}

/// Returns the model with its first pairs only, in given tables too, because these are read by whole rows.
CheckModel keep_first_pairs(const CheckModel& model, Eigen::Index pairs) {
  CheckModel fewer = model;
  fewer.tokens.frequencies = model.tokens.frequencies.leftCols(pairs);
  if (model.given_tables) {
    fewer.given_tables = std::make_shared<const TablePlanes>(first_pairs(*model.given_tables, pairs));
  }
  return fewer;
}

std::string part_of(const CheckModel& model, std::int64_t row) {
  return model.tokens.blocks[place_in(model, row).block].part;
}

/// Returns the axis that rotates a pair; empty if several or none do.
std::string axis_turning(const CheckModel& model, std::int64_t pair) {
  std::string name;
  if (pair < 0 || pair >= model.tokens.pair_count()) return name;
  for (Eigen::Index axis = 0; axis < model.tokens.frequencies.rows(); ++axis) {
    if (model.tokens.frequencies(axis, pair) == 0) continue;
    if (!name.empty()) return "";
    name = model.tokens.axes[static_cast<std::size_t>(axis)].name;
  }
  return name;
}

const StoredTensor* tensor_of(const CheckInputs& inputs, const std::string& which) {
  for (const auto& [role, name, offer] : kCheckRoles) {
    const auto input = input_of(role);
    if (name == which && input && inputs.*input) return &*(inputs.*input);
  }
  return nullptr;
}

Message::List understood_as(const CheckTensors& tensors, const std::string& which) {
  for (const auto& [name, words] : tensors.tables.understood) {
    if (name == which) return words;
  }
  const unsigned bit = bit_of(which);
  if (bit == kHeads) return {tensors.heads->understood};
  if (bit == kIds) {
    return {Message("check.read.ids", {{"rows", tensors.ids->shape[0]}, {"axes", tensors.ids->shape[1]}})};
  }
  Message::List words{Message("check.read.frequencies", {{"count", tensors.frequencies->shape[0]}})};
  if (tensors.frequency_repeats == Repeats::adjacent) words.emplace_back("check.read.list_by_neighbours");
  if (tensors.frequency_repeats == Repeats::by_halves) words.emplace_back("check.read.list_whole");
  return words;
}

/// Returns the format detected in the numbers of an input.
ShortFormat find_detected_format(const CheckModel& model, const std::string& which) {
  const unsigned bit = bit_of(which);
  return bit == kTables ? model.table_format : bit == kHeads ? model.vector_format : ShortFormat::none;
}

/// Returns whether an input is [pairs, tokens].
bool is_transposed(const CheckTensors& tensors, const std::string& which) {
  return tensors.tables.transposed && bit_of(which) == kTables;
}

void add_inputs(const Findings& findings, const ShownByInputs& shown, CheckReport& report) {
  for (const auto& [which, of_reference] : findings.baseline.inputs) {
    CheckedInput input;
    input.which = which;
    if (const StoredTensor* tensor = tensor_of(findings.inputs, which)) {
      input.name = tensor->name;
      input.storage = storage_name(tensor->storage);
    }
    const ShortFormat detected = find_detected_format(findings.judged.model, which);
    const Difference* judged = findings.judged.comparison.find(which);
    Message::List understood = understood_as(findings.tensors, which);
    if (detected != ShortFormat::none)
      understood.push_back(Message("check.read.format", {{"format", format_name(detected)}}));
    input.understood = list_of(std::move(understood));
    input.agrees = judged != nullptr && judged->agrees() && !is_transposed(findings.tensors, which);
    input.evidence = !input.agrees || shown.inputs.count(which) != 0;
    // Difference and tolerance at the same place, as judged by another format or way of computing.
    const bool by_judged = judged != nullptr && (detected != ShortFormat::none || findings.judged.model.recurrence);
    const Difference difference =
        by_judged ? difference_there(findings.judged.model, findings.tensors, which, of_reference) : of_reference;
    input.largest_difference = difference.largest;
    input.tolerance = difference.tolerance;
    input.row = difference.row < 0 ? -1 : difference.row + findings.tensors.first_row;
    const bool of_ids = bit_of(which) == kIds;
    input.pair = of_ids ? -1 : difference.pair;
    input.head = difference.head;
    if (of_ids && difference.pair >= 0) {
      input.axis = findings.judged.model.tokens.axes[static_cast<std::size_t>(difference.pair)].name;
    } else {
      input.axis = axis_turning(findings.judged.model, difference.pair);
    }
    if (difference.row >= 0 && difference.row < findings.judged.model.row_count) {
      input.token = place_in(findings.judged.model, difference.row).token;
      input.part = part_of(findings.judged.model, difference.row);
    }
    report.inputs.push_back(std::move(input));
  }
}

/// Returns the input that shows a cause best: the one that it improves most, in units of the tolerance.
std::string telling_input(const Comparison& without, const Comparison& with) {
  std::string best;
  double most = -1;
  for (const auto& [which, difference] : without.inputs) {
    const Difference* after = with.find(which);
    if (after == nullptr) continue;
    const double gain = (difference.size() - after->size()) / std::max(difference.tolerance, 1e-300);
    if (gain > most || best.empty()) most = gain, best = which;
  }
  return best;
}

CheckCause to_check_cause(const FoundCause& found, const CheckReference& reference, bool has_tables) {
  CheckCause cause;
  cause.name = found.cause->name;
  cause.also = found.also;
  cause.parameters = found.proposal.parameters;
  cause.evidence = found.proposal.evidence;
  cause.advice = found.proposal.advice;
  const Harm harm = found.cause->harm;
  const bool back = found.cause->rotates_output_back && reference.rotates_output_back && !has_tables;
  cause.harmless = !reference.strict && (harm == Harm::none || back ||
                                         (harm == Harm::by_weights && reference.allowed.contains(found.cause->name)));
  cause.seen_in = found.cause->seen_in;
  cause.applied = std::make_shared<const CheckModel>(found.alone);
  return cause;
}

/// Returns whether a cause reduces the excess of some wrong input to at most a quarter.
bool is_mostly_fixed(const Comparison& without, const Comparison& with) {
  return std::any_of(without.inputs.begin(), without.inputs.end(), [&](const auto& input) {
    const Difference* left = with.find(input.first);
    return input.second.excess > 0 && left != nullptr && left->excess <= 0.25 * input.second.excess;
  });
}

/// Keeps the causes that at least halve the difference of their input on all rows, because the search samples rows.
/// Returns false if none does.
bool keep_what_helps(const Comparison& after, std::vector<CheckCause>& causes) {
  std::erase_if(causes, [&after](const CheckCause& cause) {
    const Difference* left = after.find(cause.input);
    return left == nullptr || !(cause.residual_after <= 0.5 * cause.residual_before);
  });
  return !causes.empty();
}

/// Adds the difference that remains with all causes applied.
void add_rest(const Comparison& after, std::int64_t first_row, CheckReport& report) {
  CheckCause rest;
  rest.name = "unknown";
  for (const auto& [which, difference] : after.inputs) {
    if (!(difference.excess > 0) || difference.largest < rest.residual_before) continue;
    rest.input = which;
    rest.residual_before = rest.residual_after = difference.largest;
    rest.evidence = Message("check.unknown.evidence_rest", {{"which", which}, {"row", difference.row + first_row}});
  }
  rest.advice = Message("check.unknown.advice_rest");
  report.causes.push_back(std::move(rest));
}

void add_causes(const Findings& findings, CheckReport& report) {
  const Explanation& explanation = findings.explained.explanation;
  if (explanation.causes.empty()) return;
  const Comparison after = compare_overlap(explanation.model, findings.tensors, findings.options);
  // Without the slack of fitted parameters, through which a cause could seem to fix an unexplained difference.
  CheckModel exact = explanation.model;
  exact.slack = 0;
  const Comparison as_reference =
      explanation.model.slack > 0 ? compare_overlap(exact, findings.tensors, findings.options) : after;
  const bool some = std::any_of(explanation.causes.begin(), explanation.causes.end(),
                                [](const FoundCause& found) { return !found.cause->of_storage; });
  if (some && !is_mostly_fixed(findings.judged.comparison, as_reference)) return;
  const bool pair = explanation.causes.size() > 1;
  const auto faults = std::count_if(explanation.causes.begin(), explanation.causes.end(),
                                    [](const FoundCause& found) { return !found.cause->of_storage; });
  for (const FoundCause& found : explanation.causes) {
    CheckCause cause = to_check_cause(found, findings.reference, !findings.tensors.tables.planes.empty());
    const Comparison without =
        pair ? compare_overlap(found.without, findings.tensors, findings.options) : findings.baseline;
    // Separate ids for every row include the effect of the other cause.
    const bool is_judged = !found.cause->of_storage && !found.without.own_ids;
    if (is_judged && !is_mostly_fixed(without, as_reference)) continue;
    cause.input = telling_input(without, after);
    if (const Difference* difference = without.find(cause.input)) cause.residual_before = difference->size();
    if (const Difference* difference = after.find(cause.input)) cause.residual_after = difference->size();
    const double ties = static_cast<double>(found.also.size());
    cause.confidence = (after.agrees() ? 1.0 : 0.5) / (1 + 0.25 * ties) * (faults > 1 ? 0.9 : 1);
    report.causes.push_back(std::move(cause));
  }
  if (!after.agrees() && keep_what_helps(after, report.causes)) add_rest(after, findings.tensors.first_row, report);
  if (report.causes.empty()) return;
  report.explained = std::make_shared<const CheckModel>(explanation.model);
  std::stable_sort(report.causes.begin(), report.causes.end(),
                   [](const CheckCause& a, const CheckCause& b) { return a.harmless < b.harmless; });
}

/// Adds the error of ggml's recurrence, if the inputs agree or are explained by it.
void add_recurrence_use(const Findings& findings, CheckReport& report) {
  if (findings.judged.model.recurrence && !report.explained) {
    report.explained = std::make_shared<const CheckModel>(findings.judged.model);
  }
  if (!report.explained || !report.explained->recurrence) return;
  const CheckModel& model = *report.explained;
  const Comparison left = compare_overlap(model, findings.tensors, findings.options);
  CheckRecurrence found;
  found.way = findings.judged.way;
  for (const auto& [which, difference] : left.inputs) {
    if ((bit_of(which) & (kTables | kHeads)) == 0 || difference.row < 0 || difference.row >= model.row_count) continue;
    if (!found.input.empty() && difference.largest <= found.difference) continue;
    found.input = which;
    found.difference = difference.largest;
    found.row = difference.row;
    found.pair = difference.pair;
  }
  if (found.input.empty()) return;
  std::vector<double> ids(model.tokens.axes.size());
  RowEvaluator(model).ids(found.row, ids.data());
  for (const double id : ids) found.position = std::max(found.position, std::abs(id));
  found.row += findings.tensors.first_row;
  report.recurrence = std::move(found);
}

/// Reports rows that only one side has as the cause, if all rows that both sides have agree.
bool add_other_length(const Findings& findings, CheckReport& report) {
  const std::int64_t rows = findings.tensors.rows, expected = findings.judged.model.row_count;
  const TablePlanes& tables = findings.tensors.tables;
  const bool other_pairs = !tables.planes.empty() && tables.pairs != findings.judged.model.tokens.pair_count();
  if (rows == 0 || rows == expected || other_pairs) return false;
  const Comparison common =
      compare_all(findings.judged.model, clipped(findings.judged.model, findings.tensors), findings.options);
  if (!common.agrees()) return false;
  CheckCause length;
  length.name = kLength.name;
  length.confidence = 0.75;
  length.parameters = {{"length", static_cast<double>(rows)}};
  length.seen_in = kLength.seen_in;
  length.evidence = Message("check.length.evidence_unknown",
                            {{"rows", rows}, {"due", expected}, {"common", std::min(rows, expected)}});
  length.advice = Message("check.length.advice");
  for (const CheckedInput& input : report.inputs) {
    if (input.agrees || input.largest_difference < length.residual_before) continue;
    length.input = input.which;
    length.residual_before = input.largest_difference;
    if (const Difference* difference = common.find(input.which)) length.residual_after = difference->size();
  }
  report.causes.push_back(std::move(length));
  return true;
}

/// Reports surplus pairs of the tables as the cause, if the expected pairs agree.
bool add_pairs(const Findings& findings, CheckReport& report) {
  const CheckTensors& tensors = findings.tensors;
  const Eigen::Index due = findings.judged.model.tokens.pair_count();
  if (tensors.tables.planes.empty() || tensors.tables.pairs <= due || tensors.rows != findings.judged.model.row_count)
    return false;
  CheckTensors common = tensors;
  common.tables = first_pairs(tensors.tables, due);
  const Comparison first = compare_all(findings.judged.model, common, findings.options);
  if (!first.agrees()) return false;
  CheckCause length;
  length.name = kLength.name;
  length.confidence = 0.75;
  length.parameters = {{"pairs", static_cast<double>(tensors.tables.pairs)}};
  length.seen_in = kLength.seen_in;
  length.evidence = other_pairs(tensors.tables.pairs, due);
  if (const auto moving = first_moving(tensors.tables, due)) {
    const bool cosine = moving->holds == Holds::cosine;
    length.evidence = sentences(std::move(length.evidence),
                                Message("check.length.evidence_behind", {{"pair", moving->pair},
                                                                         {"row", moving->row + tensors.first_row},
                                                                         {"which", cosine ? "cos" : "sin"},
                                                                         {"found", moving->number},
                                                                         {"still", cosine ? 1 : 0}}));
  }
  length.advice = Message("check.length.advice_pairs", {{"due", due}});
  length.input = first.inputs.front().first;
  length.residual_before = findings.baseline.find(length.input)->size();
  length.residual_after = first.inputs.front().second.size();
  report.causes.push_back(std::move(length));
  return true;
}

bool add_heads(const Findings& findings, CheckReport& report) {
  const HeadMixUp mix_up = find_head_reordering(findings.judged.model, findings.tensors, findings.options);
  if (mix_up == HeadMixUp::none) return false;
  const bool transposed = mix_up == HeadMixUp::transposed;
  CheckCause cause;
  cause.name = kPositionOffset.name;
  cause.confidence = 1;
  cause.parameters = {{"kind", named_value(transposed ? "transposed" : "heads")}};
  cause.evidence = transposed
                       ? Message("check.position-offset.evidence_transposed", {{"tokens", findings.tensors.rows}})
                       : Message("check.position-offset.evidence_heads");
  cause.advice = Message(transposed ? "check.position-offset.advice_transposed" : "check.position-offset.advice_heads");
  cause.input = "after";
  cause.residual_before = findings.baseline.find(cause.input)->size();
  report.causes.push_back(std::move(cause));
  return true;
}

/// Returns what to do next to distinguish causes: describe all tokens of a layout, then dump the data closest to the
/// first wrong step.
Message next_step(const Findings& findings, const CheckReport& report) {
  const std::int64_t rows = findings.tensors.rows, expected = findings.judged.model.row_count;
  if (findings.reference.layout && rows != 0 && rows != expected) {
    return Message("check.unknown.next_count", {{"rows", rows}, {"due", expected}});
  }
  const CheckInputs& inputs = findings.inputs;
  const auto disagrees = [&](unsigned bit) {
    return std::any_of(report.inputs.begin(), report.inputs.end(),
                       [&](const CheckedInput& input) { return !input.agrees && bit_of(input.which) == bit; });
  };
  const bool tables = inputs.cosine || inputs.table;
  if (disagrees(kIds)) return Message("check.unknown.next_rule");
  if (disagrees(kFrequencies)) return Message("check.unknown.next_ladder");
  if (disagrees(kTables) && !inputs.ids) return Message("check.unknown.next_ids");
  if (disagrees(kTables) && !inputs.frequencies) return Message("check.unknown.next_frequencies");
  if (disagrees(kTables)) return Message("check.unknown.next_angles");
  return Message(tables ? "check.unknown.next_vectors" : "check.unknown.next_tables");
}

/// Returns whether a sentence, or one of several, has a key.
bool message_has_key(const Message& words, std::string_view key) {
  if (words.key == key) return true;
  return std::ranges::any_of(words.values, [&](const Message::Named& named) {
    const auto* several = std::get_if<Message::List>(&named.value);
    return several != nullptr &&
           std::ranges::any_of(*several, [&](const Message& one) { return message_has_key(one, key); });
  });
}

void add_unknown(const Findings& findings, CheckReport& report) {
  if (add_other_length(findings, report) || add_pairs(findings, report) || add_heads(findings, report)) return;
  CheckCause unknown;
  unknown.name = "unknown";
  for (const CheckedInput& input : report.inputs) {
    if (input.agrees || input.largest_difference < unknown.residual_before) continue;
    unknown.input = input.which;
    unknown.residual_before = unknown.residual_after = input.largest_difference;
  }
  const Message& searched = findings.explained.explanation.searched;
  unknown.evidence = searched.empty() ? Message("check.unknown.evidence") : searched;
  const Message& read = findings.explained.explanation.read;
  if (!read.empty()) unknown.evidence = sentences(std::move(unknown.evidence), read);
  // Agreeing parts come first, because they locate the error. Axes locate it better than the rows and pairs they imply.
  const auto follows = [](const Message& part) {
    return part.key == "check.note.agreeing.rows" || part.key == "check.note.agreeing.pairs";
  };
  const bool by_axes = message_has_key(findings.explained.axes, "check.unknown.axes");
  for (auto part = findings.explained.agreeing.rbegin(); part != findings.explained.agreeing.rend(); ++part) {
    if (!by_axes || !follows(*part)) unknown.evidence = sentences(*part, std::move(unknown.evidence));
  }
  if (!findings.explained.axes.empty() && (by_axes || findings.explained.agreeing.empty()))
    unknown.evidence = sentences(findings.explained.axes, std::move(unknown.evidence));
  for (const Message& part : findings.explained.agreeing) {
    if (by_axes && follows(part)) report.notes.push_back(part);
  }
  unknown.advice = next_step(findings, report);
  report.causes.push_back(std::move(unknown));
  // An unusual rule of the layout may be what differs.
  const Layout* layout = findings.reference.layout;
  if (layout != nullptr && layout->has_quirk) report.notes.push_back(words_of(*layout, "quirk"));
}

/// Adds the cause for transposed tables. The rest of the report describes them in the correct orientation.
void add_transposed(const Findings& findings, CheckReport& report) {
  CheckCause cause = tell_causes({.reference = findings.reference, .transposed = &findings.tensors.tables}).front();
  for (const CheckedInput& input : report.inputs) {
    if (!is_transposed(findings.tensors, input.which) || !cause.input.empty()) continue;
    cause.input = input.which;
    cause.residual_before = std::abs(findings.judged.model.amplitude);
    const auto after = report.explained ? compare_overlap(*report.explained, findings.tensors, findings.options)
                                        : findings.judged.comparison;
    if (const Difference* left = after.find(input.which)) cause.residual_after = left->size();
  }
  cause.applied = std::make_shared<const CheckModel>(findings.judged.model);
  if (!report.explained) report.explained = cause.applied;
  report.causes.insert(report.causes.begin(), std::move(cause));
  report.verdict = Verdict::disagrees;
}

/// Returns whether vectors agree with their rows at `positions`, or at their row numbers if `positions` is empty.
bool are_right_at(const CheckModel& model, HeadVectors heads, std::vector<double> positions,
                  const CheckOptions& options) {
  CheckTensors turned;
  turned.rows = heads.rows;
  turned.heads = std::move(heads);
  CheckModel by_place = model;
  by_place.tokens.blocks.resize(1);
  TokenBlock& block = by_place.tokens.blocks[0];
  block.columns = turned.rows;
  block.ids = {AxisIds{Along::token, 0, std::move(positions)}};
  by_place.rows = {{0, turned.rows}};
  by_place.row_count = turned.rows;
  return compare_all(by_place, turned, options).agrees();
}

}  // namespace

unsigned bit_of(std::string_view which) {
  static constexpr std::pair<std::string_view, InputBit> kBits[] = {
      {"after", kHeads}, {"ids", kIds}, {"frequencies", kFrequencies}};
  for (const auto& [name, bit] : kBits) {
    if (name == which) return bit;
  }
  return kTables;
}

Comparison compare_overlap(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options) {
  const bool rows_fit = tensors.rows == 0 || model.row_count == tensors.rows;
  const bool has_tables = !tensors.tables.planes.empty();
  const bool pairs_fit = !has_tables || tensors.tables.pairs == model.tokens.pair_count();
  Comparison comparison;
  if (rows_fit && pairs_fit) {
    comparison = compare_all(model, tensors, options);
  } else {
    CheckTensors common = rows_fit ? tensors : clipped(model, tensors);
    const Eigen::Index pairs = std::min<Eigen::Index>(tensors.tables.pairs, model.tokens.pair_count());
    if (!pairs_fit) common.tables = first_pairs(common.tables, pairs);
    comparison = compare_all(pairs_fit ? model : keep_first_pairs(model, pairs), common, options);
  }
  for (auto& [which, difference] : comparison.inputs) {
    const bool is_table = bit_of(which) == kTables, is_list = bit_of(which) == kFrequencies;
    const bool fits = is_list || (rows_fit && (!is_table || pairs_fit));
    if (!fits) difference.excess = std::numeric_limits<double>::infinity();
    if (is_table && !pairs_fit && difference.largest < std::abs(model.amplitude)) {
      // A pair on one side only differs by its full value.
      difference.largest = std::abs(model.amplitude);
      difference.row = -1;
      difference.pair = std::min<std::int64_t>(tensors.tables.pairs, model.tokens.pair_count());
    }
    if (rows_fit || is_list || difference.largest >= std::abs(model.amplitude)) continue;
    // A row on one side only differs by its full value.
    difference.largest = std::abs(model.amplitude);
    difference.row = std::min(model.row_count, tensors.rows);
    difference.pair = -1;
  }
  return comparison;
}

HeadMixUp find_head_reordering(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options) {
  const bool alone = tensors.heads && tensors.tables.planes.empty() && !tensors.ids && !tensors.frequencies;
  if (!alone || !model.rope || model.given_tables || model.tokens.axes.size() != 1 || tensors.heads->heads < 2)
    return HeadMixUp::none;
  HeadVectors heads = *tensors.heads;
  const std::int64_t rows = heads.rows, count = heads.heads;
  std::swap(heads.rows, heads.heads);
  for (StoredTensor* tensor : {&heads.before, &heads.after}) {
    std::swap(tensor->shape[0], tensor->shape[1]);
    std::swap(tensor->strides[0], tensor->strides[1]);
  }
  if (are_right_at(model, heads, {}, options)) return HeadMixUp::heads_as_tokens;
  // The vectors in storage order: all tokens of the first head, then those of the next.
  const RowEvaluator evaluator(model);
  std::vector<double> positions(static_cast<std::size_t>(rows * count));
  for (std::int64_t i = 0; i < rows * count; ++i) evaluator.ids(i % rows, &positions[static_cast<std::size_t>(i)]);
  heads.rows = rows * count, heads.heads = 1;
  for (const auto& [whole, flat] :
       {std::pair(&tensors.heads->before, &heads.before), {&tensors.heads->after, &heads.after}}) {
    if (whole->strides[0] != count * whole->strides[1]) return HeadMixUp::none;
    flat->shape = {rows * count, 1, heads.channels};
    flat->strides = {whole->strides[1], 0, whole->strides[2]};
  }
  return are_right_at(model, heads, std::move(positions), options) ? HeadMixUp::transposed : HeadMixUp::none;
}

void write_report(const Findings& findings, CheckReport& report) {
  const ShownByInputs shown = compare_shown_inputs(findings.judged.model, findings.tensors, findings.options);
  report.evidence = shown.evidence;
  add_inputs(findings, shown, report);
  add_reach(findings, shown.ids, report);
  add_causes(findings, report);
  add_recurrence_use(findings, report);
  add_notes(findings, report);
  if (findings.baseline.agrees()) {
    if (shown.inputs.empty()) report.verdict = Verdict::no_evidence;
    if (findings.tensors.tables.transposed) add_transposed(findings, report);
    return;
  }
  const bool harmless =
      (findings.judged.model.recurrence || !report.causes.empty()) &&
      std::all_of(report.causes.begin(), report.causes.end(), [](const CheckCause& cause) { return cause.harmless; });
  if (report.causes.empty() && !harmless) {
    if (findings.explained.between) {
      report.causes.push_back(*findings.explained.between);
      if (const auto* after = findings.judged.comparison.find("after"))
        report.causes.back().residual_before = after->size();
    } else {
      add_unknown(findings, report);
    }
  }
  report.verdict = harmless ? Verdict::agrees : Verdict::disagrees;
  if (findings.tensors.tables.transposed) add_transposed(findings, report);
}

}  // namespace ropescope
