// Two models side by side, without tables: which fields differ, and what the difference does to scores. It stands
// beside the steps of check and names causes as they do; core/formats/models.h calls it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "core/layouts/layout.h"
#include "core/parallel.h"
#include "core/rotary/spec.h"
#include "core/words.h"

namespace ropescope {

// --- Change of scores ----------------------------------------------------------------------------------------------

/// What one rotary embedding in place of another does to the score of a query and a key that hold the same.
struct ScoreChange {
  double largest = 0;           ///< max |K_b(Δ) − K_a(Δ)|
  double at = 0;                ///< Δ there, positions
  std::optional<double> first;  ///< smallest Δ where it exceeds kNoticedChange; none: nowhere
};
inline constexpr double kNoticedChange = 0.05;

// --- Comparison ----------------------------------------------------------------------------------------------------

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

/// What differs in what two descriptions mean: pairing, axes or rotary dimension, base, ladder, context extension,
/// amplitude, trained length. Causes are named as check() names them. Numbers that are the same in float32 agree.
/// Throws InputError as head_ladder().
SpecComparison compare_specs(const RotarySpec& a, const RotarySpec& b, const Work& work = {});

// --- Layouts -------------------------------------------------------------------------------------------------------

/// A layout and what a model fixes of it; its image has no size yet.
struct FixedLayout {
  const Layout* layout = nullptr;
  LayoutRequest request;
};

/// What differs in where two layouts put the tokens of the same image of 24 × 40 tokens (with 16 of text and 3 frames
/// where both take them) and in what turns by it: axes, bases, ladders, sections, pairing, ids. Its change is that of
/// the similarity of the first token of the image to all others, of everything together; a distance is the larger one
/// of rows and columns, in the text the number of the token. A number of pixels per token that differs is a note.
/// Empty: none. Throws InputError as arrange().
std::vector<SpecDifference> compare_layouts(const FixedLayout& a, const FixedLayout& b);

}  // namespace ropescope
