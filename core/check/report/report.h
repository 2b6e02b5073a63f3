// The report: verdict, causes verified on all rows, notes, and what the tensors could not have shown. The last step of
// check: read search/search.h first.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/check/compare/sides.h"
#include "core/check/evidence/evidence.h"
#include "core/check/search/search.h"

namespace ropescope {

/// Compares the rows and pairs that both sides have, by compare_all(). Inputs of which one side has more disagree.
Comparison compare_overlap(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options);

/// A confusion of heads and tokens that explains all differences of vectors.
enum class HeadMixUp {
  none,
  heads_as_tokens,  ///< each head was rotated by its own index
  transposed,       ///< the numbers of [heads, tokens, channels] were read as [tokens, heads, channels]
};
HeadMixUp find_head_reordering(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options);

/// Returns the bit of an input by its name.
unsigned bit_of(std::string_view which);

/// The tensors judged by the formats of their numbers, and by ggml's recurrence if that explains the rest.
struct Judged {
  CheckModel model;  ///< with the detected formats, and the recurrence if it explains the rest
  Comparison comparison;
  Recurrence way = Recurrence::cpu;  ///< kind of recurrence, if the model has one
};

/// What explains a disagreement, or else where it is.
struct Explained {
  Explanation explanation;
  std::optional<CheckCause> between;  ///< scaling between before and after
  Message::List agreeing;             ///< parts that agree in an unexplained difference
  Message axes;                       ///< axes that agree there
};

/// The results from which a report is written.
struct Findings {
  const CheckReference& reference;
  const CheckInputs& inputs;
  const CheckTensors& tensors;
  const Comparison& baseline;  ///< judged by the formats of the files
  const Judged& judged;
  const Explained& explained;
  const CheckOptions& options;
};

/// Describes which heads, channels (of tables: pairs) and rows agree, if only some do: one sentence each.
Message::List agreeing_parts(const CheckModel& model, const Evidence& evidence);
/// Describes in one sentence which axes agree in all rows, and from, up to or at which ids the others do not. Empty if
/// several axes rotate one pair. Very many rows are sampled.
Message agreeing_axes(const CheckModel& model, const Evidence& evidence);

/// Writes the verdict, causes (verified on all rows), notes, inputs and reach.
void write_report(const Findings& findings, CheckReport& report);

}  // namespace ropescope
