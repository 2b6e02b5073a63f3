#pragma once

#include <string>
#include <string_view>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "app/views/shared/counted.h"

namespace ropescope {

/// A card of this name with the label and tooltip of "readout.NAME", or of "readout.TEXTS" where several views share
/// them.
Readout start_card(const std::string& name, const Text& text, const std::string& texts = {});

/// "none" in place of a number.
ReadoutValue no_number();
/// "Wrong base", of the stable name of a cause; the name itself where there are no words.
std::string cause_words(const std::string& name, const Text& text);

/// "18 of 64 pairs".
template <class Count, class All>
ReadoutValue count_of_pairs(Count count, All pairs) {
  return Quantity{as_whole(count), "pairs", "readout.pairs_of", as_whole(pairs)};
}
/// "18 of 64".
template <class Count, class All>
ReadoutValue count_of(Count count, All all) {
  return Quantity{as_whole(count), "", "readout.count_of", as_whole(all)};
}

/// What a card shows of its value: the only place where it becomes words.
std::string value_text(const ReadoutValue& value, const Text& text);

/// "First pin: 1 707. " before the note: where a card is narrow, the end of a note is what gets lost.
void compare_with_pin(Readout& readout, const ReadoutValue& pinned, const Text& text);
/// The card with what `value` says of the current rope; its note compares that with the first pinned one, if any.
template <class Of, class Value>
Readout with_pin(Readout readout, const Of& now, const Of* pinned, const Value& value, const Text& text) {
  readout.value = value(now);
  if (pinned) compare_with_pin(readout, value(*pinned), text);
  return readout;
}

}  // namespace ropescope
