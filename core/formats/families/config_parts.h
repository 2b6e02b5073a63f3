// What the readers of configs share: where values come from, checks of a profile, the extension of a rope, fields that
// nobody read. Read config.h and json.h first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/config.h"
#include "core/formats/json.h"
#include "core/rotary/spec.h"

namespace ropescope {

// --- Towers --------------------------------------------------------------------------------------------------------

/// What a reader must know about the file as a whole once its towers are read: fields that look rotary and that nobody
/// looked up (root.lookups knows), the first kMostNames of them, and the keys that it has more than once.
struct FileNotes {
  Words::List notes;
  Words::List not_understood;  ///< fields that ask for an extension in the root or a tower that was read
};
/// Whether the name of a field looks rotary. It does if one of its words, letters and digits between other signs,
/// begins or ends with "rope" ("mrope", "rope_magic"), begins with "rotary" or is "theta", "yarn" or "ntk"; or if two
/// of them are of a frequency and its base ("base_freq", "inv_freq"). No word of "property" does, nor do two of
/// "moe_layer_freq". Exceptions are listed beside its definition. A field that looks so and is not read refuses the
/// ladders that it could belong to (Profile::not_understood), unless its value asks for nothing.
bool field_looks_rotary(std::string_view name);
FileNotes file_notes(const Section& root, const std::vector<std::string>& doubled);

/// What a class has where the file says nothing: "default of model_type llama".
inline Words default_of_type(std::string_view model_type) {
  return {"origin.default_of_type", {{"type", model_type}}};
}
/// "head_dim * partial_rotary_factor".
template <class First, class Second>
Words product_of(const First& first, const Second& second) {
  return {"origin.product", {{"first", first}, {"second", second}}};
}
inline bool is_product(const Words& origin) {
  return origin.key == "origin.product";
}
/// "hidden_size / num_attention_heads".
inline Words quotient_of(const Words& first, const Words& second) {
  return {"origin.quotient", {{"first", first}, {"second", second}}};
}

/// "3, 7, …, 35", "0–2, 4–6, 9", "0–2, 4–6, …, 44–46".
Words numbers_of_layers(const std::vector<int>& layers);

/// Spellings that several towers share, preferred ones first, as published configs have them.
inline constexpr const char* kHeadDimFields[] = {
    "head_dim", "attention_head_dim", "kv_channels", "head_width", "hidden_size_per_head", "head_size", "d_kv"};
inline constexpr const char* kHiddenFields[] = {"hidden_size", "n_embd", "d_model", "dim", "model_dim", "hidden_dim"};
inline constexpr const char* kHeadFields[] = {
    "num_attention_heads",           "n_head", "n_heads", "num_heads", "decoder_num_attention_heads",
    "speech_encoder_attention_heads"};

/// hidden / heads with its origin; throws where heads do not divide it.
Read<int> head_quotient(const Section& section, const Read<int>& hidden, const Read<int>& heads);

/// Gemma 3 was pretrained with sequences of 32 768 positions, and the full-attention layers were divided by a factor
/// afterwards (arXiv 2503.19786): of profiles with that factor what a file says is the length after it.
void take_pretrained_length(std::vector<Profile>& profiles);

/// validate() of the spec; a failure names the file, the profile and the field that the value came from.
void check_profile(const Profile& profile, const Words& source);
/// check_extension() of the spec; a failure names the file and the object that the extension was read from.
void check_extension_of(const Profile& profile, const Words& source, const Words& path);

// --- Extension -----------------------------------------------------------------------------------------------------

/// The RoPE object of a tower (`rope_parameters`, else the older `rope_scaling`), as far as it names a method.
struct RopeObject {
  std::string type = "none";  ///< method name of Extension
  Words origin;               ///< the field that named it; empty where there is no RoPE object
  std::optional<Section> section;
  Extension extension;                              ///< method, with its numbers and lists as read
  std::optional<Read<double>> trained_length = {};  ///< where no field of the object has it
  Words::List notes;           ///< what a reader must know about the object: keys that are not understood
  Words::List not_understood;  ///< those of them that may ask for other frequencies
};

/// Reads one set of RoPE parameters. `rope_type` is preferred to the older `type`; neither, "default" and "mrope" mean
/// none; "su" and a "yarn" with two lists (Phi-3) are longrope, "ntk" is ntk-aware, "deepseek_yarn" is yarn, "xdrope"
/// and "dynamic" with an alpha are ntk-alpha ("xdrope" without an alpha is dynamic, as transformers reads it). Of the
/// numbers and lists those that the method has are kept, under the names of Extension. Throws InputError on a type that
/// nobody knows, and on a number or a list that is not one. A key that is not understood gets a note.
RopeObject read_rope_object(const Section& section);

}  // namespace ropescope
