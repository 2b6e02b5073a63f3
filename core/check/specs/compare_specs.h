#pragma once

#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "core/check/specs/score_change.h"
#include "core/words.h"

namespace ropescope {

/// What one side says: a number, or words (a method with its parameters, a pairing, "none").
using SideValue = std::variant<double, Words>;

/// One way in which two rotary embeddings differ, with what it alone does to the score (of layouts: with what all of
/// them do, see compare_layouts()).
struct SpecDifference {
  std::string cause;      ///< a name of all_causes(); empty for what no cause speaks of (it is harmless then)
  Words text;             ///< a sentence
  SideValue a, b;         ///< what A and what B says
  bool harmless = false;  ///< changes no score: a note
  ScoreChange change;     ///< B's value in A, all else as A has it; where that is no embedding, all of B against A
};

struct SpecComparison {
  bool agrees = true;  ///< every score is the same, whatever the differences; the same with A and B exchanged
  std::vector<SpecDifference> differences;
};

struct CompareOptions {
  int threads = 0;  ///< 0: all cores; the result is the same
  std::stop_token stop;
};

/// What differs in what two descriptions mean: pairing, axes or rotary dimension, base, ladder, context extension,
/// amplitude, trained length. Causes are named as check() names them. Numbers that are the same in float32 agree.
/// Throws InputError as head_ladder().
SpecComparison compare_specs(const RotarySpec& a, const RotarySpec& b, const CompareOptions& options = {});

/// An extension in one line, the same in every language: "llama3 (factor 8, …)"; "none".
std::string extension_line(const Extension& extension);

}  // namespace ropescope
