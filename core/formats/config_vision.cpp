#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/formats/config_families.h"
#include "core/formats/config_rope.h"
#include "core/formats/config_towers.h"

namespace ropescope {

namespace {

// Qwen2-VL's hidden_size is the language model's; its own width is embed_dim.
constexpr const char* kVisionHiddenFields[] = {"embed_dim", "hidden_size"};

struct VisionTower {
  Section section;
  const VisionFamily* family = nullptr;
  Words default_origin;
};

/// The vision section and its class: its own model_type, else the file's; Mistral's params.json names none.
std::optional<VisionTower> find_tower(const Section& root) {
  Section outer = root;
  if (const auto thinker = root.section("thinker_config")) outer = *thinker;
  if (const auto native = outer.section("vision_encoder")) {
    return VisionTower{*native, find_vision_family("vision_encoder"), Words("origin.default_of_pixtral")};
  }
  const auto section = outer.section("vision_config");
  if (!section) return std::nullopt;
  for (const Section& place : {*section, outer}) {
    const auto type = place.text("model_type");
    if (!type) continue;
    if (const VisionFamily* family = find_vision_family(type->value)) {
      return VisionTower{*section, family, default_of_type(type->value)};
    }
  }
  return std::nullopt;
}

Read<int> read_head_dim_config_vision(const VisionTower& tower) {
  if (const auto head = tower.section.whole("head_dim")) return *head;
  auto hidden = tower.section.first_whole(kVisionHiddenFields);
  auto heads = tower.section.first_whole(kHeadFields);
  if (!hidden) hidden = {tower.family->hidden_size, tower.default_origin};
  if (!heads) heads = {tower.family->heads, tower.default_origin};
  return head_quotient(tower.section, *hidden, *heads);
}

Read<double> read_base_config_vision(const VisionTower& tower) {
  std::optional<Read<double>> base;
  if (const auto parameters = tower.section.section("rope_parameters")) {
    base = parameters->positive("rope_theta");
    for (const char* type : {"rope_type", "type"}) {
      const auto plain = parameters->object->find(type);
      if (plain != parameters->object->end() && *plain == "default") parameters->has(type);
    }
  }
  const auto beside = tower.section.positive("rope_theta");
  if (base) return *base;
  return beside ? *beside : Read<double>{tower.family->base, tower.default_origin};
}

/// Both layouts give each axis half of the channels; alternating takes every second entry of one ladder over the head:
/// b^(−2(2j)/d) is the plain ladder of d/2 channels, b^(−2(2j+1)/d) the same divided by b^(2/d).
void fill_axes(const VisionTower& tower, Profile& profile) {
  RotarySpec& spec = profile.spec;
  RotaryAxis first;
  first.name = tower.family->first_axis;
  first.rotary_dim = spec.head_dim / 2;
  first.base = spec.axes[0].base;
  RotaryAxis second = first;
  second.name = tower.family->second_axis;
  if (tower.family->layout == VisionLayout::alternating) {
    second.ladder = Ladder::proportional;
    second.factor = std::pow(first.base, 2.0 / spec.head_dim);
    profile.notes.emplace_back("config_note.alternating_ladder");
  }
  spec.axes = {first, second};
}

}  // namespace

void read_vision_tower(const Section& root, std::vector<Profile>& profiles) {
  const auto tower = find_tower(root);
  if (!tower) return;
  if (tower->family->layout == VisionLayout::not_shown) {
    if (root.lookups) root.lookups->told.insert(tower->section.object);
    profiles.front().notes.push_back({"config_note.vision_not_shown", {{"why", Words(tower->family->note)}}});
    return;
  }
  Profile profile;
  profile.name = "vision";
  const Read<int> head = read_head_dim_config_vision(*tower);
  const Read<double> base = read_base_config_vision(*tower);
  profile.spec.head_dim = head.value;
  profile.spec.pairing = tower->family->pairing;
  profile.spec.trained_length.reset();
  profile.spec.axes[0].base = base.value;
  profile.origin = {{"head_dim", head.origin},       {"rotary_dim", half_for_each_axis(head.origin)},
                    {"base", base.origin},           {"pairing", tower->default_origin},
                    {"axes", tower->default_origin}, {"extension", tower->default_origin}};
  fill_axes(*tower, profile);
  if (const auto patch = tower->section.whole("patch_size")) profile.patch = patch->value;
  if (tower->family->merge > 1) {
    const auto merge = tower->section.whole("spatial_merge_size");
    profile.merge = merge ? merge->value : tower->family->merge;
    if (profile.merge > 1) profile.notes.push_back({"config_note.merged_patches", {{"merge", profile.merge}}});
  }
  if (tower->family->note) profile.notes.emplace_back(tower->family->note);
  check_profile(profile, tower->section.source);
  profiles.push_back(std::move(profile));
}

}  // namespace ropescope
