// Comparison of two models without tables: the fields that differ, and the effect of the difference on scores. It is
// independent of the steps of check but uses the same names for causes. core/formats/models.h calls it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/parallel.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Change of scores ----------------------------------------------------------------------------------------------

/// The change of the score of a query and a key with equal content if one rotary embedding replaces another.
struct ScoreChange {
  double largest = 0;           ///< max |K_b(Δ) − K_a(Δ)|
  double at = 0;                ///< Δ of the largest change, in positions
  double span = 0;              ///< distances 0 … span were searched; 0: the places of a layout
  std::optional<double> first;  ///< smallest Δ with a change above kNoticedChange; nullopt if there is none
};
inline constexpr double kNoticedChange = 0.05;

// --- Comparison ----------------------------------------------------------------------------------------------------

/// The value on one side: a number, or text (a method with its parameters, a pairing, "none").
using SideValue = std::variant<double, Message>;

/// A difference between two rotary embeddings, with its own effect on the score (for layouts: the effect of all
/// differences together, see compare_layouts()).
struct SpecDifference {
  std::string cause;        ///< a name of all_causes(); empty if no cause describes it (it is then harmless)
  Message text;             ///< a sentence
  SideValue a, b;           ///< the values of A and of B
  bool harmless = false;    ///< changes no score: a note
  ScoreChange change = {};  ///< A with this value from B, against A; if that is not valid, B against A
};

struct SpecComparison {
  bool agrees = true;  ///< all scores are equal, whatever the differences; symmetric in A and B
  std::vector<SpecDifference> differences;
};

/// Compares the meaning of two specifications: pairing, axes or rotary dimension, base, ladder, context extension,
/// amplitude, trained length. Causes have the names of check(). Numbers that are equal in float32 agree. Throws
/// InputError as head_ladder().
SpecComparison compare_specs(const RotarySpec& a, const RotarySpec& b, const Work& work = {});

// --- Layouts -------------------------------------------------------------------------------------------------------

/// A layout with the settings that a model fixes; the image has no size yet.
struct FixedLayout {
  const Layout* layout = nullptr;
  LayoutRequest request;
};

/// Compares the positions that two layouts give the tokens of the same image of 24 × 40 tokens (with 16 text tokens and
/// 3 frames if both accept them), and their rotations: axes, bases, ladders, sections, pairing, ids. `change` is
/// that of the similarity of the first image token to all others, by all differences together. Its distance is the
/// larger of the row and the column; in text, the token number. A different number of pixels per token is a note.
/// Returns
/// an empty list if nothing differs. Throws InputError as arrange() does.
std::vector<SpecDifference> compare_layouts(const FixedLayout& a, const FixedLayout& b);

}  // namespace ropescope
