// The pictures of the view Compare: scores by distance, as matrices, and over a phrase. view.h holds what the store
// computes for them.
#pragma once

#include <string>
#include <vector>

#include "app/views/shared/ropes.h"
#include "app/views/view.h"

namespace ropescope {

/// An encoding with fields that make a model.
struct ReadyEncoding {
  const Encoding* encoding = nullptr;
  EncodingValues settings;
};

/// The three pictures. They throw InputError where their one encoding has fields that make no model.
ViewResult compare_distance(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_matrix(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_phrase(const Experiment& experiment, const Text& text, Store& store);

/// The word of compare.sentence (counted from 0) whose handle has this key; −1: none.
int phrase_word_of(const std::string& handle);

/// The figure that only holds a sentence; it looks at neither of its arguments.
Figure no_scores(const Experiment& experiment, const Text& text);

}  // namespace ropescope
