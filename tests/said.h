#pragma once

#include <string>
#include <vector>

#include "app/resources/text.h"
#include "core/words.h"
#include "tests/places.h"

namespace ropescope {

/// In English, as the command line says it.
inline std::string said(const Words& words) {
  static const Text english = Text::load(source_folder() + "/assets");
  return english.say(words);
}
inline std::string said(const InputError& error) {
  return said(error.words());
}

inline std::vector<std::string> said(const Words::List& list) {
  std::vector<std::string> sentences;
  for (const Words& words : list) sentences.push_back(said(words));
  return sentences;
}

/// What an action that must fail is refused with; "" where it is not.
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return said(error);
  }
  return "";
}

}  // namespace ropescope
