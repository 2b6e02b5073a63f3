#include <algorithm>
#include <cmath>

#include "core/check/compare/tolerances.h"
#include "core/check/report/report.h"
#include "core/check/search/shifts.h"
#include "core/number_for_people.h"

namespace ropescope {

namespace {

bool has_positions(const CheckTensors& tensors) {
  return tensors.rows > 0;
}

/// Whether all rows have id 0 on all axes.
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

/// "position 1 to 15", "row 4095".
Words range_words(const CheckReach& reach) {
  return Words(reach.smallest == reach.largest ? "check.note.reach_at" : "check.note.reach_range",
               {{"axis", reach.axis}, {"smallest", reach.smallest}, {"largest", reach.largest}});
}

void note_reach(const Findings& findings, const CheckReport& report, Words::List& notes) {
  Words::List ranges;
  double most = 0;
  for (const CheckReach& reach : report.reach) {
    ranges.push_back(range_words(reach));
    most = std::max(most, reach.slowest_turn);
  }
  if (!ranges.empty()) {
    notes.push_back(Words("check.note.reach", {{"ranges", std::move(ranges)}, {"turn", number_for_people(most, 3)}}));
  }
  if (has_positions(findings.tensors) && !findings.model.given_tables && stands_at_zero(findings.model)) {
    notes.emplace_back("check.note.identity");
  }
}

/// "3, 9, 20, …".
Words::List few_of(const std::vector<std::int64_t>& pairs) {
  constexpr std::size_t kMost = 8;
  Words::List few;
  for (std::size_t i = 0; i < pairs.size() && i < kMost; ++i)
    few.push_back(as_it_is(number_for_people(static_cast<double>(pairs[i]))));
  if (pairs.size() > kMost) few.push_back(as_it_is("…"));
  return few;
}

void note_lengths(const Findings& findings, const CheckEvidence& evidence, Words::List& notes) {
  const std::vector<std::int64_t>& lengthless = evidence.lengthless;
  if (lengthless.empty()) return;
  const Eigen::Index pairs = findings.model.tokens.pair_count();
  if (static_cast<Eigen::Index>(lengthless.size()) == pairs) {
    notes.emplace_back("check.note.all_lengthless");
    return;
  }
  notes.push_back(
      Words("check.note.lengthless", {{"pairs", few_of(lengthless)}, {"count", lengthless.size()}, {"all", pairs}}));
}

void note_recurrence(const CheckReport& report, Words::List& notes) {
  if (!report.recurrence) return;
  const CheckRecurrence& of = *report.recurrence;
  notes.push_back(
      Words(of.way == Recurrence::cpu ? "check.note.recurrence_cpu" : "check.note.recurrence_gpu",
            {{"difference", number_for_people(of.difference, 3)}, {"position", of.position}, {"pair", of.pair}}));
}

void note_square(const Findings& findings, Words::List& notes) {
  for (const TokenBlock& block : findings.model.tokens.blocks) {
    const bool square = block.part == "image" && block.rows == block.columns && block.rows > 1;
    if (!square || !is_looked_at(findings.model, block)) continue;
    notes.emplace_back("check.note.square");
    return;
  }
}

/// How many pairs and frequencies were compared, where one side has others.
void note_counts(const Findings& findings, Words::List& notes) {
  const CheckTensors& tensors = findings.tensors;
  const std::int64_t pairs = tensors.tables.pairs, due_pairs = findings.model.tokens.pair_count();
  if (!tensors.tables.planes.empty() && pairs != due_pairs) {
    notes.push_back(
        Words("check.note.pairs", {{"pairs", pairs}, {"due", due_pairs}, {"compared", std::min(pairs, due_pairs)}}));
  }
  if (tensors.still_behind > 0) {
    notes.push_back(Words("check.note.still_behind", {{"count", tensors.still_behind}, {"due", due_pairs}}));
  }
  if (!tensors.frequencies) return;
  const std::int64_t count = tensors.frequencies->shape[0];
  const DueFrequencies due = due_frequencies(findings.model, static_cast<std::size_t>(count));
  if (!due.counted) {
    notes.push_back(
        Words("check.note.frequencies", {{"count", count}, {"due", due.values.size()}, {"compared", due.compared}}));
  } else if (due.of == ListOf::turning_pairs) {
    notes.push_back(Words("check.note.turning_frequencies", {{"count", count}, {"rest", due_pairs - count}}));
  } else if (due.of == ListOf::shared_ladder) {
    notes.push_back(Words("check.note.shared_frequencies", {{"count", count}}));
  }
  if (tensors.frequency_repeats != Repeats::once) notes.emplace_back("check.note.repeated_frequencies");
}

/// How a table repeats its columns is no fault, and yet what the one who turns q by it must know.
void note_storage(const Findings& findings, Words::List& notes) {
  const TablePlanes& tables = findings.tensors.tables;
  const bool adjacent = tables.repeats == Repeats::adjacent,
             neighbours = findings.model.repeats == Pairing::interleaved;
  const bool otherwise = tables.repeats != Repeats::once && tables.told && adjacent != neighbours;
  if (otherwise) notes.emplace_back(adjacent ? "check.note.stored_adjacent" : "check.note.stored_by_halves");
  if (findings.tensors.heads && findings.model.out_by_halves) notes.emplace_back("check.note.out_by_halves");
}

void note_amplitude(const Findings& findings, const CheckReport& report, Words::List& notes) {
  const bool about_amplitude = std::any_of(report.causes.begin(), report.causes.end(),
                                           [](const CheckCause& cause) { return cause.name == "amplitude"; });
  const bool has_mscale =
      findings.reference.rope && (findings.reference.rope->extension.numbers.count("mscale") != 0 ||
                                  findings.reference.rope->extension.numbers.count("mscale_all_dim") != 0);
  if (about_amplitude || has_mscale) notes.emplace_back("check.note.amplitude");
}

void note_shift(const Findings& findings, Words::List& notes) {
  for (const FoundCause& found : findings.explanation.causes) {
    if (found.cause->name != std::string_view("position-offset")) continue;
    const std::vector<CheckParameter>& parameters = found.proposal.parameters;
    const bool shifted = std::any_of(parameters.begin(), parameters.end(),
                                     [](const CheckParameter& parameter) { return parameter.name == "offset"; });
    if (!shifted) continue;
    // A text that was cut where its positions begin again has no shift of its own.
    if (found.alone.tokens.blocks.size() != findings.model.tokens.blocks.size()) continue;
    const BlockShifts shifts = shifts_between(findings.model, found.alone);
    const bool common =
        std::all_of(shifts.begin(), shifts.end(), [&](const auto& shift) { return shift == shifts[0]; });
    if (common) notes.emplace_back("check.note.common_shift");
  }
}

}  // namespace

void add_reach(const Findings& findings, const std::vector<IdRange>& ids, CheckReport& report) {
  // Tables that follow no ladder say nothing of positions.
  if (!has_positions(findings.tensors) || findings.model.given_tables) return;
  for (std::size_t axis = 0; axis < findings.model.tokens.axes.size(); ++axis) {
    if (ids[axis].smallest > ids[axis].largest) continue;  // no row gave evidence
    report.reach.push_back(reach_of(findings.model, axis, ids[axis]));
  }
}

void add_notes(const Findings& findings, CheckReport& report) {
  Words::List& notes = report.notes;
  const std::int64_t rows = findings.tensors.rows, expected = findings.model.row_count;
  if (rows != 0 && rows != expected) {
    notes.push_back(Words("check.note.rows", {{"rows", rows}, {"due", expected}}));
  }
  note_recurrence(report, notes);
  note_counts(findings, notes);
  note_reach(findings, report, notes);
  note_lengths(findings, report.evidence, notes);
  if (has_positions(findings.tensors)) note_square(findings, notes);
  for (const auto& [which, difference] : findings.baseline.inputs) {
    if (difference.computed_in_float32) notes.push_back(Words("check.note.float32", {{"which", which}}));
  }
  if (!findings.tensors.tables.told) {
    notes.emplace_back("check.note.either_pairing");
  } else if (!findings.tensors.tables.planes.empty() && findings.tensors.tables.repeats == Repeats::once &&
             !findings.tensors.heads) {
    notes.emplace_back("check.note.single_columns");
  }
  note_storage(findings, notes);
  if (findings.tensors.tables.signs_baked) notes.emplace_back("check.note.baked_signs");
  note_amplitude(findings, report, notes);
  note_shift(findings, notes);
  for (const CheckCause& cause : report.causes) {
    if (cause.harmless) notes.push_back(Words("check.note.harmless", {{"evidence", cause.evidence}}));
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
