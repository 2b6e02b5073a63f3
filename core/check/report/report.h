// The verdict in words: causes that hold on all rows, notes, and what the tensors could not have shown. The last step
// of check: read search/search.h first.
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/check/compare/sides.h"
#include "core/check/search/search.h"

namespace ropescope {

/// compare_all over the rows and pairs that both sides have; where one side has more, every input disagrees.
Comparison compare_overlap(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options);

/// How heads and tokens of vectors were taken for each other, where that makes them right.
enum class HeadMixUp {
  none,
  heads_as_tokens,  ///< each head was turned by its own number
  transposed,       ///< the numbers of [heads, tokens, channels] were read as [tokens, heads, channels]
};
HeadMixUp mix_up_of(const CheckModel& model, const CheckTensors& tensors, const CheckOptions& options);

/// The bit of an input by its name.
unsigned bit_of(std::string_view which);

/// What a report is written from.
struct Findings {
  const CheckReference& reference;
  const CheckInputs& inputs;
  const CheckTensors& tensors;
  const CheckModel& model;     ///< with the formats that the numbers tell, and the recurrence if that is all there is
  const Comparison& baseline;  ///< judged by the formats of the files
  const Comparison& judged;    ///< by those that the numbers tell, and by the recurrence if that is all there is
  const Explanation& explanation;
  Recurrence way;  ///< of a model with a recurrence
  const CheckOptions& options;
  std::optional<CheckCause> between = {};  ///< what lies between before and after beside the rotation
  Words::List agreeing = {};               ///< which parts of what nothing explains agree
  Words axes = {};                         ///< and which axes
};

/// Verdict, causes (verified on all rows), notes, inputs and reach.
void write_report(const Findings& findings, CheckReport& report);

}  // namespace ropescope
