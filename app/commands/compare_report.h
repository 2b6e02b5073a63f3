#pragma once

#include <string>

#include "app/commands/described.h"
#include "app/resources/text.h"
#include "core/formats/equivalents.h"

namespace ropescope {

/// What `compare` has found, and the words that it was asked for beside it.
struct CompareReport {
  Described a, b;
  ModelComparison comparison;
  const OtherWords* as = nullptr;  ///< of --as; null: not asked for
};

/// A difference: its cause and kind of layers, what differs and what that does to the score, three lines.
std::string difference_text(const ModelDifference& difference, const Text& text);
std::string compare_text(const CompareReport& report, const Text& text);
/// {"verdict": "agrees" or "disagrees", "differences": [{"cause", "profile", "text", "a", "b", "largest_change", "at",
/// "first_distance"}], "notes": [the same], "remarks": [sentences], "as": {"words", "a", "b": {"text", "unsaid"}}}.
std::string compare_json(const CompareReport& report, const Text& text);

}  // namespace ropescope
