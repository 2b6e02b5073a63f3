#include "core/formats/equivalents.h"

#include <algorithm>

#include "core/error.h"

namespace ropescope {

extern const OtherWords kLlamaCppWords, kTransformersWords, kNumpyWords;

namespace {

// Programs first, then what runs by itself.
const OtherWords kWords[] = {kLlamaCppWords, kTransformersWords, kNumpyWords};

}  // namespace

std::span<const OtherWords> all_other_words() {
  return kWords;
}

const OtherWords& find_other_words(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kWords), std::end(kWords), [&](const OtherWords& words) { return words.name == name; });
  if (found != std::end(kWords)) return *found;
  std::vector<std::string> names;
  for (const OtherWords& words : kWords) names.emplace_back(words.name);
  throw InputError("equivalent.unknown", {{"name", name}, {"known", one_of(names)}});
}

}  // namespace ropescope
