// The view Compare: the effect of position encodings on a score: its store computations, its pictures and its cards.
// Read app/views/view.h and core/encodings/encoding.h first.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/views/shared/ropes.h"
#include "app/views/view.h"
#include "core/encodings/encoding.h"

namespace ropescope {

// --- Computed ------------------------------------------------------------------------------------------------------

/// q and k of `dim` channels: equal, with unit norm in every pair (so q·k = dim/2), or two independent standard normal
/// vectors from the seed.
struct CompareContent {
  bool random = false;
  std::uint64_t seed = 1;
  bool operator==(const CompareContent&) const = default;
};
struct QueryAndKey {
  Eigen::VectorXd q, k;
};
QueryAndKey query_and_key(const CompareContent& content, int dim);

/// The score of one encoding at every distance, with a fixed key and a moving query.
struct DistanceCurve {
  std::shared_ptr<const EncodingModel> model;
  std::shared_ptr<const Series> scores;      ///< over Δ = m − n; NaN past the end of a learned table
  std::shared_ptr<const Series> normalised;  ///< divided by |q||k| · scale
  double unit = 1;                           ///< |q||k| · scale
  std::size_t bytes() const { return bytes_in(scores, normalised); }
};
struct DistanceCurveInput {
  ReadyEncoding ready;
  CompareContent content;
  std::int64_t key_position = 0;
  std::int64_t first = 0, last = 1;  ///< distances
  bool operator==(const DistanceCurveInput&) const = default;
  double cost() const;
};
DistanceCurve distance_curve(const DistanceCurveInput& input, const Work& work);

/// Scores of queries (rows) against keys (columns), in total and term by term. NaN past the end of a learned table.
struct ScoreMaps {
  std::shared_ptr<const EncodingModel> model;
  std::int64_t first = 0;  ///< position of the first query and the first key
  TokenMatrix total;
  std::vector<TokenMatrix> terms;
  std::size_t bytes() const { return bytes_in(total, terms); }
};
/// The input for scores of the same content at positions first … first + count − 1.
struct ScoreMapsInput {
  ReadyEncoding ready;
  CompareContent content;
  std::int64_t first = 0, count = 1;
  bool operator==(const ScoreMapsInput&) const = default;
  double cost() const;
};
ScoreMaps score_maps(const ScoreMapsInput& input, const Work& work);

struct PhraseScoresInput {
  ReadyEncoding ready;
  std::vector<std::string> words;
  std::uint64_t seed = 1;  ///< for the words' vectors
  std::int64_t at = 0, move = 0;
  bool operator==(const PhraseScoresInput&) const = default;
  double cost() const;
};
/// Scores between a phrase's words, at its first place and `move` positions later.
struct PhraseScores {
  PhraseScoresInput of;
  std::shared_ptr<const EncodingModel> model;
  TokenMatrix before, after;  ///< [words × words]; NaN past the end of a learned table
  double largest_change = 0;  ///< max |after − before|; NaN past the end of a learned table
  std::size_t bytes() const { return bytes_in(before, after); }
};
PhraseScores phrase_scores(const PhraseScoresInput& input, const Work& work);

// --- Pictures ------------------------------------------------------------------------------------------------------

/// Draw the three pictures. Throw InputError if their single encoding has fields that do not form a valid model.
ViewResult compare_distance(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_matrix(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_phrase(const Experiment& experiment, const Text& text, Store& store);

/// Name of the figure of one query's scores.
inline constexpr const char* kMatrixRow = "row";

/// Returns the word of compare.sentence (counted from 0) whose handle has this key; −1 if there is none.
int phrase_word_of(const std::string& handle);

/// Returns the figure for a message alone; both arguments are ignored.
Figure no_scores(const Experiment& experiment, const Text& text);

// --- Cards ---------------------------------------------------------------------------------------------------------

/// An encoding whose curve is available.
struct ShownCurve {
  ReadyEncoding ready;
  std::shared_ptr<const DistanceCurve> curve;
};

/// The effect of moving the phrase on the scores of an encoding.
struct PhraseChange {
  const Encoding* encoding = nullptr;
  double largest = 0;  ///< see PhraseScores::largest_change
};

/// Return the cards with the formula and the effect of the selected encodings: by distance, in a matrix, over a phrase.
std::vector<Readout> distance_readouts(const Encoding& looked_at, const std::vector<ShownCurve>& curves,
                                       const Message::List& faults, const CompareFields& fields, const Text& text);
std::vector<Readout> matrix_readouts(const ScoreMaps& maps, const Text& text);
std::vector<Readout> phrase_readouts(const PhraseScores& scores, const std::vector<PhraseChange>& changes,
                                     const Text& text);

std::string term_title(const ScoreMaps& maps, std::size_t term, const Text& text);
/// Returns a note if part of the encoding is learned, "here seeded, smooth random numbers"; otherwise empty.
std::string learned_note(const Encoding& encoding, const Text& text);

}  // namespace ropescope
