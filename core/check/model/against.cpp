#include <cmath>

#include "core/check/report/report.h"
#include "core/check/search/ropes.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// A rope over positions 0, 1, … with `pairs` pairs and some base.
CheckReference begun(std::int64_t pairs, Pairing pairing) {
  RotarySpec spec;
  spec.head_dim = static_cast<int>(2 * pairs);
  spec.pairing = pairing;
  spec.axes = {RotaryAxis{.rotary_dim = static_cast<int>(2 * pairs), .base = 10000}};
  return reference_from_rope(spec);
}

/// How two tables repeat their columns: [rows, pairs] with each once unless all columns come twice.
CheckReference shaped(const StoredTensor& cosine, const CheckInputs& tables) {
  if (cosine.shape.empty() || cosine.shape.back() < 1 || cosine.shape.back() > kLargestDimension) {
    throw InputError(cosine.name, "check.dump_shape", {{"shape", shape_text(cosine.shape)}, {"most", 4096}});
  }
  const std::int64_t width = cosine.shape.back();
  for (const Pairing pairing : {Pairing::half_split, Pairing::interleaved}) {
    if (width % 2 != 0) break;
    const CheckReference half = begun(width / 2, pairing);
    try {
      const CheckTensors tensors = take_tensors(half, tables);
      const bool adjacent = tensors.tables.repeats == Repeats::adjacent;
      if (tensors.tables.repeats != Repeats::once && adjacent == (pairing == Pairing::interleaved)) return half;
    } catch (const InputError&) {
      // The columns do not repeat: as many pairs as columns.
      break;
    }
  }
  return begun(width, Pairing::half_split);
}

}  // namespace

CheckReference modelled(const CheckReference& given, const CheckInputs& inputs) {
  if (!given.cosine) return given;
  CheckInputs tables;
  tables.cosine = given.cosine;
  tables.sine = given.sine;
  CheckReference reference = shaped(*given.cosine, tables);
  reference.allowed = given.allowed;
  const CheckTensors tensors = take_tensors(reference, tables);
  CheckModel model = model_of(reference, tables, tensors.rows);
  const Evidence evidence = gather(tensors, model);
  ObservedCache cache(evidence);
  const Situation situation(reference, model, evidence, cache);
  std::vector<Proposal> proposals;
  kBase.propose(situation, proposals);
  const auto settle = [&](CheckModel found) {
    // Zeros follow any ladder.
    if (!(situation.observed().radius > 4 * evidence.table_unit.scale)) return false;
    found.amplitude = 1;
    found.table_format = evidence.table_format;
    if (std::abs(situation.observed().radius - 1) > 4 * evidence.table_unit.scale)
      found.amplitude = situation.observed().radius;
    if (!reproduces(found, evidence, kTables)) return false;
    reference.amplitude = found.amplitude;
    reference.tokens.frequencies = found.tokens.frequencies;
    reference.tokens.axes = found.tokens.axes;
    reference.rope = found.rope;
    return true;
  };
  bool settled = settle(model);
  for (Proposal& proposal : proposals) {
    if (settled) break;
    settled = settle(std::move(proposal.model));
  }
  if (!settled) {
    // Not the positions 0, 1, 2, … of one ladder: the tables themselves are what is expected.
    reference.tokens.frequencies.setZero();
    reference.tokens.axes[0].base = 0;
    reference.rope.reset();
    reference.cosine = given.cosine;
    reference.sine = given.sine;
  }
  if (!inputs.cosine) throw InputError("check.dump_alone", {});
  const CheckTensors found = take_tensors(reference, inputs);
  if (!settled || found.rows != tensors.rows) {
    std::vector<double> positions(static_cast<std::size_t>(tensors.rows));
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<double>(i);
    reference.positions = std::move(positions);
    reference.tokens.blocks[0].columns = tensors.rows;
  }
  return reference;
}

}  // namespace ropescope
