// The pictures of the view Compare: scores by distance, as matrices, and over a phrase. Read view.h first: it has their
// store computations.
#pragma once

#include <string>
#include <vector>

#include "app/views/shared/ropes.h"
#include "app/views/view.h"

namespace ropescope {

/// An encoding with fields that form a valid model.
struct ReadyEncoding {
  const Encoding* encoding = nullptr;
  EncodingValues settings;
};

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

}  // namespace ropescope
