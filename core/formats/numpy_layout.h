#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/layouts/layout.h"

namespace ropescope {

// A layout as NumPy says it: rules, not lists of ids. numpy_words.h has what ladders share.

/// The ids of the tokens of one part: a Python expression for each axis of i (the token within its part), t, row and
/// column. Sizes are numbers, or the names text, rows and columns.
struct IdRule {
  std::string part;  ///< as TokenBlock::part
  std::vector<std::string> ids;
};
/// One for each block, in their order. Axes without a rule of their own follow a counter from its first id on.
std::vector<IdRule> id_rules(const TokenLayout& arranged, const LayoutRequest& request, bool with_names);

/// "image[row, column]: (t, row, column) = (0, row, column)", a line for each part; references that follow one rule
/// with one number in it each have their own line.
std::string id_formula(const TokenLayout& arranged, const LayoutRequest& request);

/// Python that leaves `ids` [tokens, axes], `cos` and `sin` [tokens, pairs]: those of LayoutTables to 1e-12 plus what
/// the rounding of an angle costs, 4e-16·|angle|. Its length does not follow the size of the image. Numbers are listed
/// only where they are the model's own: learned frequencies (vit-mixed of a checkpoint).
std::string numpy_layout(const TokenLayout& arranged, const LayoutRequest& request);

}  // namespace ropescope
