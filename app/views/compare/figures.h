// Its figures: by distance, as matrices, over a phrase.
#pragma once

#include <string>
#include <vector>

#include "app/views/shared/ropes.h"
#include "app/views/view.h"

namespace ropescope {

/// An encoding with settings that make a model.
struct ReadyEncoding {
  const Encoding* encoding = nullptr;
  EncodingSettings settings;
};
/// Those of the chosen ones whose settings are good; what is wrong with the others is added to `faults`.
std::vector<ReadyEncoding> ready_encodings(const Experiment& experiment, Words::List& faults);

/// The three pictures. They throw InputError where their one encoding has settings that make no model.
ViewResult compare_distance(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_matrix(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_phrase(const Experiment& experiment, const Text& text, Store& store);

/// The word of compare.sentence (counted from 0) whose handle has this key; −1: none.
int phrase_word_of(const std::string& handle);

/// The figure that only says something; it looks at neither.
Figure no_scores(const Experiment& experiment, const Text& text);

}  // namespace ropescope
