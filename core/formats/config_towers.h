#pragma once

#include <string>
#include <vector>

#include "core/formats/config.h"
#include "core/formats/json_reader.h"

namespace ropescope {

/// The steps of parse_model_config, one file each. All throw InputError naming file and field.

/// Profiles of an image or video transformer; empty if the file is not one. Throws for one whose layout is recognised
/// but not expressible as plain ladders over axes (LTX, DINOv3), or not known (Cosmos, LTX-2, EVA-02).
std::vector<Profile> read_image_model(const Section& root);

/// Profiles of the language tower, global layers before sliding ones. Throws where nothing says that it is rotary.
std::vector<Profile> read_text_tower(const Section& root);

/// Appends the profile of a rotary vision tower, if the file has one; where its layout cannot be written as axes with
/// their own ladders, a note goes to the first profile instead.
void read_vision_tower(const Section& root, std::vector<Profile>& profiles);

/// Spellings that several towers share, preferred ones first, as published configs have them.
inline constexpr const char* kHeadDimFields[] = {"head_dim", "attention_head_dim", "kv_channels", "head_width"};
inline constexpr const char* kHiddenFields[] = {"hidden_size", "n_embd", "d_model", "dim"};
inline constexpr const char* kHeadFields[] = {
    "num_attention_heads",           "n_head", "n_heads", "num_heads", "decoder_num_attention_heads",
    "speech_encoder_attention_heads"};

/// hidden / heads with its origin; throws where heads do not divide it.
Read<int> head_quotient(const Section& section, const Read<int>& hidden, const Read<int>& heads);

/// validate() of the spec; a failure names the file, the profile and the field that the value came from.
void check_profile(const Profile& profile, const std::string& source);
/// check_extension() of the spec; a failure names the file and the object that the extension was read from.
void check_extension_of(const Profile& profile, const std::string& source, const std::string& path);

}  // namespace ropescope
