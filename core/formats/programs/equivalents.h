// Equivalents of a profile for other programs (llama.cpp, transformers, NumPy), and notes on what they cannot express.
// Read config.h first.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/formats/config.h"
#include "core/layouts/layout.h"
#include "core/rotary/spec.h"

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

// --- NumPy ---------------------------------------------------------------------------------------------------------

/// Returns ladder(d, base) and the lines that define `frequency` (radians per position, axes concatenated) and
/// `amplitude`, without imports and final newline. Throws InputError as head_ladder() does.
std::string numpy_ladder(const RotarySpec& spec, const std::optional<double>& length);

/// Returns lines that define `rotate(q)`, q [tokens, channels] or [tokens, heads, channels], from `cos` and `sin`
/// [tokens, pairs]. It rotates the first 2·pairs channels in the model's pairing; the others are unchanged.
std::string numpy_rotation(const TokenLayout& tokens);

/// Returns the rule of the ids, a line per part: "image[row, column]: (t, row, column) = (0, row, column)". References
/// that differ in one number of the rule each have a line.
std::string id_formula(const TokenLayout& arranged, const LayoutRequest& request);

/// Returns Python that defines `ids` [tokens, axes], `cos` and `sin` [tokens, pairs], equal to LayoutTables to 1e-12
/// plus 4e-16·|angle| for the rounding of an angle. Its length does not depend on the image size. It lists numbers only
/// if they are the model's own: learned frequencies (vit-mixed of a checkpoint).
std::string numpy_layout(const TokenLayout& arranged, const LayoutRequest& request);

}  // namespace ropescope
