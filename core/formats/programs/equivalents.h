// A rope in the words of other programs, and what they have no words for: llama.cpp, transformers, NumPy. Read config.h
// first: what is said is a profile.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/config.h"
#include "core/layouts/layout.h"

namespace ropescope {

// --- Equivalents ---------------------------------------------------------------------------------------------------

/// A rotary embedding in the words of another program, and what it has no words for.
struct Equivalent {
  std::string text;    ///< one or more lines without the last line's end; empty: nothing can be said
  Words::List unsaid;  ///< a sentence each
};

/// What is to be said in other words.
struct EquivalentOf {
  std::span<const Profile> profiles;  ///< of one model, at least one
  std::optional<double> length;       ///< current length in positions; none: the trained length
};

/// Words of another program: one section, one line in all_other_words().
struct OtherWords {
  std::string_view name;    ///< stable: "llama.cpp", "transformers", "numpy"
  std::string_view source;  ///< whose words they are
  Equivalent (*of)(const EquivalentOf&);
  /// Where the tokens of an image stand and what turns by that; null: the program has no words for it.
  Equivalent (*of_layout)(const Layout&, const LayoutRequest&) = nullptr;
};

/// llama.cpp: options of its programs (common/arg.cpp). Kinds of layers beside the first keep what the GGUF says.
/// transformers: JSON with rope_parameters, which vLLM takes too (--hf-overrides); read back by parse_model_config it
/// means the same, but for what is unsaid. numpy: a Python text that leaves `frequency` (radians per position, the axes
/// one after the other) and `amplitude`, the numbers of head_ladder() to 1e-12 of each; of a layout numpy_layout().
std::span<const OtherWords> all_other_words();
/// Throws InputError that lists the names.
const OtherWords& find_other_words(std::string_view name);

// --- What they share -----------------------------------------------------------------------------------------------

// What several programs' words share.

/// A given number of the extension, or what stands in for it; none where nothing does.
std::optional<double> number_in(const Extension& extension, std::string_view name);

}  // namespace ropescope
