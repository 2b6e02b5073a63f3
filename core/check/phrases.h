// Words that several causes, notes and errors of the check share: lists, parts of a sequence, names of values. Every
// folder of check may include it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/words.h"

namespace ropescope {

// Words that several causes, notes and errors of the check share.

/// What is said of another number of pairs whose common ones agree: the first of them, of a table or of a list.
Words other_pairs(std::int64_t pairs, std::int64_t due);

/// Two sentences, one after the other.
Words sentences(Words first, Words second);
/// Words said one after the other, with the list's separator between them.
Words list_of(Words::List words);
/// "0 to 7, 12, …": the first few of some runs [first, end).
Words list_of_runs(const std::vector<std::pair<std::int64_t, std::int64_t>>& runs);
/// A part of a sequence (TokenBlock::part): the text, an image, a reference by its number, …
Words part_words(std::string_view part);
Words part_list(const std::vector<std::string>& parts);
/// A parameter's value that has a name, "column-major". Its English text (check.value) is that name: it stands in JSON.
Words named_value(std::string_view name);
/// What a number is that is not finite: NaN or infinity.
Words odd_number(double number);
/// "(0, 1, 1)".
std::string list_text(const std::vector<double>& values);

}  // namespace ropescope
