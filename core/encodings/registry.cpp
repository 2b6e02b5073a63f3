#include <algorithm>

#include "core/encodings/encoding.h"
#include "core/error.h"

namespace ropescope {

extern const Encoding kNoEncoding, kSinusoidalEncoding, kShawEncoding, kLearnedEncoding, kTransformerXlEncoding,
    kT5Encoding, kTupeEncoding, kDebertaEncoding, kHierarchicalEncoding, kRopeEncoding, kAlibiEncoding, kKerpleEncoding,
    kSandwichEncoding, kXposEncoding, kPRopeEncoding;

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
    kHierarchicalEncoding,   // December 2020
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
  Words::List known;
  for (const Encoding& encoding : encodings) known.push_back(as_it_is(encoding.name));
  throw InputError("encodings.unknown", {{"name", name}, {"known", known}});
}

bool is_defined_at(const Encoding& encoding, const EncodingSettings& settings, std::int64_t position) {
  return !encoding.positions || (position >= 0 && position < encoding.positions(settings));
}

Words title_of(const Encoding& encoding) {
  return Words("encoding." + std::string(encoding.name) + ".title");
}

Words formula_of(const Encoding& encoding) {
  if (!encoding.explained) return as_it_is(encoding.formula);
  return Words("encoding." + std::string(encoding.name) + ".formula", {{"formula", encoding.formula}});
}

Words scale_rule_of(const Encoding& encoding) {
  if (!encoding.biased) return as_it_is(encoding.scale);
  return encoding.scale.empty() ? Words("encodings.bias_as_it_is")
                                : Words("encodings.bias_after_scale", {{"scale", encoding.scale}});
}

Words term_words(std::string_view term) {
  return Words("encodings.term." + std::string(term));
}

std::shared_ptr<const EncodingModel> make_model(const Encoding& encoding, const EncodingSettings& settings) {
  validate(encoding, settings);
  return encoding.make(encoding, settings);
}

}  // namespace ropescope
