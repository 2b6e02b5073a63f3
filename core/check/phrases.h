// Message fragments shared by causes, notes and errors of check: lists, parts of a sequence, names of values. Every
// folder of check may include it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/message.h"

namespace ropescope {

/// Returns the sentence about a table or list that has a different number of pairs but agrees in the common ones.
Message other_pairs(std::int64_t pairs, std::int64_t due);

/// Joins two sentences.
Message sentences(Message first, Message second);
/// Joins items with the list separator.
Message list_of(Message::List words);
/// Lists the first few of some runs [first, end): "0 to 7, 12, …".
Message list_of_runs(const std::vector<std::pair<std::int64_t, std::int64_t>>& runs);
/// Names a part of a sequence (TokenBlock::part): the text, an image, a reference by its number, …
Message part_words(std::string_view part);
Message part_list(const std::vector<std::string>& parts);
/// Names a parameter value: "column-major". JSON uses its English text (check.value), which equals `name`.
Message named_value(std::string_view name);
/// Names a number that is not finite: NaN or infinity.
Message odd_number(double number);
/// Formats a list of values: "(0, 1, 1)".
std::string list_text(const std::vector<double>& values);

}  // namespace ropescope
