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
/// Those of some names whose settings are good; what is wrong with the others is added to `faults`.
std::vector<ReadyEncoding> ready_encodings(const Experiment& experiment, const std::vector<std::string>& names,
                                           Words::List& faults);

/// The three pictures. They throw InputError where their one encoding has settings that make no model.
ViewResult compare_distance(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_matrix(const Experiment& experiment, const Text& text, Store& store);
ViewResult compare_phrase(const Experiment& experiment, const Text& text, Store& store);

/// The word of compare.sentence (counted from 0) whose handle has this key; −1: none.
int phrase_word_of(const std::string& handle);

/// A figure that only says something; see message_result.
ViewResult compare_message(const std::string& words, bool stale = false);

/// Title as value, the formula in short below; whole, with scale and source, in the tooltip.
Readout formula_readout(const Encoding& encoding, const Text& text);
/// Encodings' titles, parted by commas.
std::string titles_of(const std::vector<const Encoding*>& encodings, const Text& text);
/// "here seeded, smooth random numbers" where something is learned; else empty.
std::string learned_note(const Encoding& encoding, const Text& text);

}  // namespace ropescope
