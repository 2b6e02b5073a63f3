// Shared functions of the config readers: origins of values, checks of a profile, extensions, unread fields. Read
// config.h and json.h first.
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

/// Notes on the file as a whole, after its towers are read: fields that look rotary and were not looked up (see
/// root.lookups), the first kMaxListedNames of them, and repeated keys.
struct FileNotes {
  Message::List notes;
  Message::List not_understood;  ///< fields that request an extension, in the root or in a tower that was read
};
/// Returns whether a field name looks rotary. One of its words (letters and digits between other signs) begins or ends
/// with "rope" ("mrope", "rope_magic"), begins with "rotary" or is "theta", "yarn" or "ntk"; or two words mean a
/// frequency and its base ("base_freq", "inv_freq"). "property" and "moe_layer_freq" do not match. Exceptions are
/// listed next to its definition. An unread field of this kind makes the ladders that it may affect not_understood
/// (Profile), unless its value has no effect.
bool field_looks_rotary(std::string_view name);
FileNotes file_notes(const Section& root, const std::vector<std::string>& doubled);

/// Origin of a class default: "default of model_type llama".
inline Message default_of_type(std::string_view model_type) {
  return {"origin.default_of_type", {{"type", model_type}}};
}
/// Origin of a product: "head_dim * partial_rotary_factor".
template <class First, class Second>
Message product_of(const First& first, const Second& second) {
  return {"origin.product", {{"first", first}, {"second", second}}};
}
inline bool is_product(const Message& origin) {
  return origin.key == "origin.product";
}
/// Origin of a quotient: "hidden_size / num_attention_heads".
inline Message quotient_of(const Message& first, const Message& second) {
  return {"origin.quotient", {{"first", first}, {"second", second}}};
}

/// Notes which layers a profile describes, out of `total`.
void note_layers_of(const std::string& profile, const std::vector<int>& layers, std::size_t total,
                    Message::List& notes);
/// Notes a window that only these layers have, out of `total`.
void note_window_of_some(const Read<int>& window, const std::vector<int>& layers, std::size_t total,
                         Message::List& notes);
/// Notes the layers that are not rotated, out of `total` (0: unknown): one in `interval`, or these if it is 0.
void note_unrotated_layers(int interval, const std::vector<int>& layers, std::size_t total, Message::List& notes);
/// Formats layer numbers: "3, 7, …, 35", "0–2, 4–6, 9", "0–2, 4–6, …, 44–46".
Message numbers_of_layers(const std::vector<int>& layers);

/// Meanings of the fields of a config. Fields of the last one are read by their names, or have no effect.
enum class FieldMeaning {
  base,
  sliding_base,
  compressed_base,
  fraction,     ///< rotated part of the head
  rotary_dim,   ///< rotated channels of the head
  interleaved,  ///< whether pairs are adjacent channels
  head_dim,
  hidden,  ///< channels of all heads together
  heads,
  length,  ///< positions; the length that a model was trained with is first
  window,  ///< positions that a sliding layer attends to
  layers,  ///< number of layers
  named
};
/// Returns the spellings of a meaning in published configs, preferred ones first.
Spellings spellings_of(FieldMeaning meaning);
/// Returns the fields that show that an unknown class is rotary, in the order in which an error lists them.
Spellings rotary_evidence();
/// Returns the supported fields of language models that are read by their names or look rotary.
std::vector<const char*> understood_names();
inline constexpr const char* kFractionField = "partial_rotary_factor";

/// Returns hidden / heads with its origin. Throws InputError if the quotient is not an integer.
Read<int> head_quotient(const Section& section, const Read<int>& hidden, const Read<int>& heads);

/// Adjusts the trained length of Gemma 3 profiles with a factor. It was pretrained with 32 768 positions, and the
/// full-attention layers were extended later (arXiv 2503.19786): the file's length is the one after that.
void take_pretrained_length(std::vector<Profile>& profiles);

/// Validates the spec; an error names the file, the profile and the field of the value.
void check_profile(const Profile& profile, const Message& source);
/// Runs check_extension(); an error names the file and the object of the extension.
void check_extension_of(const Profile& profile, const Message& source, const Message& path);

// --- Extension -----------------------------------------------------------------------------------------------------

/// The RoPE object of a tower (`rope_parameters`, else the older `rope_scaling`) and the method it names.
struct RopeObject {
  Message origin;  ///< the field with the method; empty if there is no RoPE object
  std::optional<Section> section;
  Extension extension;                              ///< method, with numbers and lists as read
  std::optional<Read<double>> trained_length = {};  ///< set if no field of the object has it
  Message::List notes;                              ///< notes on the object: keys that are not understood
  Message::List not_understood;                     ///< the subset that may change the frequencies
};

/// Reads one set of RoPE parameters. `rope_type` is preferred to the older `type`; a missing type, "default" and
/// "mrope" mean none; "su" is longrope, and so is "yarn" with two lists if `yarn_is_longrope`; "ntk" is ntk-aware,
/// "deepseek_yarn" is yarn, "xdrope" and "dynamic" with an alpha are ntk-alpha ("xdrope" without an alpha is dynamic,
/// as in transformers). Other types ignore the lists of longrope, with a note. Keeps the numbers and lists of the
/// method, under the names of Extension. Throws InputError for an unknown type and for a malformed number or list. A
/// key that is not understood gets a note.
RopeObject read_rope_object(const Section& section, bool yarn_is_longrope = false);

}  // namespace ropescope
