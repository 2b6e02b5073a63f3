// Equivalents of a profile for other programs (llama.cpp, transformers, NumPy), and notes on what they cannot express.
// Read config.h first.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/formats/config.h"
#include "core/layouts/layout.h"

namespace ropescope {

// --- Equivalents ---------------------------------------------------------------------------------------------------

/// A rotary embedding in another program's notation, with notes on what that notation cannot express.
struct Equivalent {
  std::string text;      ///< one or more lines without the final newline; empty: nothing can be expressed
  Message::List unsaid;  ///< what the text does not express, one sentence each
};

/// Input of an Equivalent.
struct EquivalentOf {
  std::span<const Profile> profiles;  ///< profiles of one model, at least one
  std::optional<double> length;       ///< current length in positions; nullopt: the trained length
};

/// Notation of another program: one section in equivalents.cpp, one entry in all_other_words().
struct OtherWords {
  std::string_view name;    ///< stable: "llama.cpp", "transformers", "numpy"
  std::string_view source;  ///< project and files that define the notation
  Equivalent (*of)(const EquivalentOf&);
  /// Expresses token positions of an image and their rotation; null: the program has no notation for them.
  Equivalent (*of_layout)(const Layout&, const LayoutRequest&) = nullptr;
};

/// Returns all notations. llama.cpp: options of its programs (common/arg.cpp); layer kinds after the first keep the
/// GGUF's values. transformers: JSON with rope_parameters, which vLLM accepts too (--hf-overrides); parse_model_config
/// reads it back with the same meaning, except for what is unsaid. numpy: Python that defines `frequency` (radians per
/// position, axes concatenated) and `amplitude`, equal to head_ladder() to 1e-12 each; for a layout numpy_layout().
std::span<const OtherWords> all_other_words();
/// Returns the notation with this name. Throws InputError, which lists the names, if there is none.
const OtherWords& find_other_words(std::string_view name);

// --- Shared --------------------------------------------------------------------------------------------------------

// Function that several notations use.

/// Returns a number of the extension, or its default; nullopt if it has neither.
std::optional<double> number_in(const Extension& extension, std::string_view name);

}  // namespace ropescope
