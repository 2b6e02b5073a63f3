#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/compare/figures.h"
#include "app/views/compare/inputs.h"

namespace ropescope {

/// An encoding whose curve is there.
struct ShownCurve {
  ReadyEncoding ready;
  std::shared_ptr<const DistanceCurve> curve;
};

/// What moving the phrase changes in the scores of an encoding.
struct PhraseChange {
  const Encoding* encoding = nullptr;
  double largest = 0;  ///< see PhraseScores::largest_change
};

/// Formula, and what the encoding or the chosen ones do: by distance, of a matrix, of a phrase.
std::vector<Readout> distance_readouts(const Encoding& looked_at, const std::vector<ShownCurve>& curves,
                                       const Words::List& faults, const CompareKnobs& knobs, const Text& text);
std::vector<Readout> matrix_readouts(const ScoreMaps& maps, const Text& text);
std::vector<Readout> phrase_readouts(const PhraseScores& scores, const std::vector<PhraseChange>& changes,
                                     const Text& text);

std::string term_title(const ScoreMaps& maps, std::size_t term, const Text& text);
/// "here seeded, smooth random numbers" where something is learned; else empty.
std::string learned_note(const Encoding& encoding, const Text& text);

}  // namespace ropescope
