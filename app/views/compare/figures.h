#pragma once

#include <string>
#include <vector>

#include "app/views/shared/encodings.h"
#include "app/views/view.h"

namespace ropescope {

/// An encoding with settings that make a model.
struct ReadyEncoding {
  const Encoding* encoding = nullptr;
  EncodingSettings settings;
};
/// Those of the chosen ones whose settings are good; what is wrong with the others is added to `faults`.
std::vector<ReadyEncoding> ready_encodings(const Experiment& experiment, const RopeAxes& rope, Words::List& faults);

/// The three pictures. They throw InputError where their one encoding has settings that make no model.
ViewResult compare_distance(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_matrix(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_phrase(const Experiment& experiment, const Text& text, Store& store);

/// The word of compare.sentence (counted from 0) whose handle has this key; −1: none.
int phrase_word_of(const std::string& handle);

/// A figure that only says something; see message_result.
ViewResult compare_message(const std::string& words, bool stale = false);

}  // namespace ropescope
