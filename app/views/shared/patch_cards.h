#pragma once

#include <string>
#include <vector>

#include "app/figure/figure.h"
#include "app/resources/text.h"
#include "core/decay/kernel.h"
#include "core/layouts/layout.h"

namespace ropescope {

/// Which tokens are compared in which layouts. Tokens count from 0 within the image (see main_block).
struct PatchQuestion {
  const TokenLayout& layout;
  std::string title;                   ///< "FLUX.1"
  const TokenLayout* other = nullptr;  ///< over the same patches, to compare with; may be missing
  std::string other_title = {};
  std::int64_t anchor = 0;
  std::vector<std::int64_t> targets = {};
  Content content = {};  ///< empty: aligned
  Content other_content = {};
  bool unrotated_text = false;  ///< there is text in front of the model, but it has no positions
};

/// Both layouts' answers in words: similarity and difference of ids from the anchor to the first targets, which one is
/// nearer, and where the text stands.
std::vector<Readout> patch_readouts(const PatchQuestion& question, const Text& text);

}  // namespace ropescope
