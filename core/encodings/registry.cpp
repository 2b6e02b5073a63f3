#include <algorithm>

#include "core/encodings/parts.h"
#include "core/error.h"

namespace ropescope {

namespace {

// None first, then by age, as a list shows them.
const Encoding kEncodings[] = {
    kNoEncoding,             // q·k alone
    kSinusoidalEncoding,     // June 2017
    kLearnedEncoding,        // 2017, BERT 2018
    kShawEncoding,           // March 2018
    kTransformerXlEncoding,  // January 2019
    kT5Encoding,             // October 2019
    kDebertaEncoding,        // June 5th, 2020
    kTupeEncoding,           // June 28th, 2020
    kRopeEncoding,           // April 2021
    kAlibiEncoding,          // August 2021
    kKerpleEncoding,         // May 2022
    kXposEncoding,           // December 20th, 2022
    kSandwichEncoding,       // December 20th, 2022
    kPRopeEncoding,          // October 2024
};

}  // namespace

std::span<const Encoding> all_encodings() {
  return kEncodings;
}

const Encoding& find_encoding(std::string_view name) {
  const auto encodings = all_encodings();
  const auto found = std::find_if(encodings.begin(), encodings.end(),
                                  [name](const Encoding& encoding) { return encoding.name == name; });
  if (found != encodings.end()) return *found;
  std::string known;
  for (const Encoding& encoding : encodings) known += (known.empty() ? "" : ", ") + std::string(encoding.name);
  throw InputError("\"" + std::string(name) + "\" is not a position encoding known here; one of " + known +
                   " was expected");
}

std::shared_ptr<const EncodingModel> make_model(const Encoding& encoding, const EncodingSettings& settings) {
  validate(encoding, settings);
  return encoding.make(encoding, settings);
}

}  // namespace ropescope
