#pragma once

#include <optional>
#include <stop_token>
#include <vector>

#include "core/rotary/spec.h"

namespace ropescope {

/// What one rotary embedding in place of another does to the score of a query and a key that hold the same.
struct ScoreChange {
  double largest = 0;           ///< max |K_b(Δ) − K_a(Δ)|
  double at = 0;                ///< Δ there, positions
  std::optional<double> first;  ///< smallest Δ where it exceeds kNoticedChange; none: nowhere
};
inline constexpr double kNoticedChange = 0.05;

/// Where two embeddings are compared.
struct ScorePlaces {
  double span = 0;                             ///< distances 0 … span, whole positions
  std::vector<std::optional<double>> lengths;  ///< current lengths to look at; none: the trained length
};
/// The longer of the trained lengths, at most 2²⁰ positions; without one 4 096, and 256 along each of several axes
/// (4 096 pixels of 16). Lengths: the trained one and, where a method looks at the length, the longest context that
/// both ask for (factor·L, at least 2·L).
ScorePlaces score_places(const RotarySpec& a, const RotarySpec& b);

/// Frequencies and amplitudes that are the same in float32 (4 units of it), at all lengths: whatever computes with it
/// gives the same scores. The names of axes count only where there are several. Throws InputError as head_ladder().
bool same_ladders(const RotarySpec& a, const RotarySpec& b, const ScorePlaces& places);

/// Largest change of A²K(Δ), K(Δ) = (2/d) Σ cos(Δθ_i), A the amplitude, over all places. With several axes Δ runs along
/// one of them after the other, those of the same name together, while the pairs of the others stand still. Zero and
/// none where stopped. Throws InputError as head_ladder().
ScoreChange score_change(const RotarySpec& a, const RotarySpec& b, const ScorePlaces& places, int threads = 0,
                         const std::stop_token& stop = {});

/// What other pairs do, which K does not show as it is the mean over all of them: q = k with content in the two
/// channels of one pair i of `spec`. Its score is cos(Δθ_i); under the other pairing the two channels belong to pairs j
/// and j', and it is (cos(Δθ_j) + cos(Δθ_j'))/2, both times amplitude². Largest over all pairs and the distances up to
/// 65 536.
ScoreChange pairing_change(const RotarySpec& spec, const ScorePlaces& places, const std::stop_token& stop = {});

}  // namespace ropescope
