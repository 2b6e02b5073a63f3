// Check references from models, and the comparison of two models. Read models.h first.
//
// Contents: Models to check; Two models.

#include "core/formats/models.h"

#include <algorithm>
#include <utility>

#include "core/check/causes/cause.h"
#include "core/check/compare_specs/compare_specs.h"
#include "core/formats/config.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/layouts/layout.h"
#include "core/message.h"
#include "core/registry.h"

namespace ropescope {

// --- Models to check -----------------------------------------------------------------------------------------------

namespace {

void take_traits(const Profile& profile, const std::string& model_type, CheckReference& reference) {
  // Their released code concatenates sin and cos in this order, in its table too.
  constexpr std::string_view kSinesFirst[] = {"gptj", "gpt-j", "codegen", "roformer"};
  reference.sines_first = std::any_of(std::begin(kSinesFirst), std::end(kSinesFirst),
                                      [&](std::string_view name) { return model_type.starts_with(name); });
  // Latent attention: the rotated channels are a separate part after the others.
  reference.rotates_last_channels = std::any_of(profile.notes.begin(), profile.notes.end(), [](const Message& note) {
    return note.key == "config_note.latent_attention";
  });
  // The released code rotates the values with the keys, and the output back by its own position.
  constexpr std::string_view kRotatesOutputBack[] = {"deepseek_v4", "deepseek4"};
  const auto is_v4 = [&](std::string_view type) { return std::ranges::count(kRotatesOutputBack, type) > 0; };
  const auto says_v4 = [&](const Message& note) {
    return note.key == "config_note.by_architecture" && std::ranges::any_of(note.values, [&](const auto& named) {
             const auto* type = std::get_if<std::string>(&named.value);
             return type && is_v4(*type);
           });
  };
  reference.rotates_output_back = is_v4(model_type) || std::ranges::any_of(profile.notes, says_v4);
}

// --- Two models ----------------------------------------------------------------------------------------------------

using Profiles = std::vector<Profile>;

/// Returns whether a profile has no counterpart among the layers of a side without a profile of that name.
bool stands_apart(const Profile& profile) {
  constexpr std::string_view kApart[] = {kVisionProfile, kIndexerProfile, kLinearProfile};
  return std::ranges::count(kApart, profile.name) > 0;
}

/// Two profiles of the same layers.
struct Matched {
  const Profile* a = nullptr;
  const Profile* b = nullptr;
  std::string name;
};

/// Returns the other side's profile of the same layers; null for a vision tower or an indexer that the other side does
/// not have.
const Profile* counterpart(const Profile& profile, const Profiles& others) {
  if (const Profile* same = find_named_entry(others, profile.name)) return same;
  if (stands_apart(profile) && !stands_apart(others.front())) return nullptr;
  return &others.front();
}

std::vector<Matched> match_profiles(const Profiles& a, const Profiles& b, Message::List& remarks) {
  std::vector<Matched> pairs;
  const auto add = [&](const Profile& of_a, const Profile& of_b, const std::string& name) {
    const auto known = [&](const Matched& one) { return one.a == &of_a && one.b == &of_b; };
    if (std::none_of(pairs.begin(), pairs.end(), known)) pairs.push_back({&of_a, &of_b, name});
  };
  for (const Profile& profile : a) {
    if (const Profile* other = counterpart(profile, b)) {
      // "text" against several kinds: each of them is matched from the other side, under its own name.
      if (find_named_entry(b, profile.name) || profile.name != kTextProfile) add(profile, *other, profile.name);
    } else {
      remarks.push_back({"compare.only_a", {{"profile", profile.name}}});
    }
  }
  for (const Profile& profile : b) {
    if (find_named_entry(a, profile.name)) continue;
    if (const Profile* other = counterpart(profile, a)) {
      add(*other, profile, profile.name);
    } else {
      remarks.push_back({"compare.only_b", {{"profile", profile.name}}});
    }
  }
  return pairs;
}

/// Returns the spec as trained, with the pairing before the weights were reordered.
RotarySpec to_trained_spec(const Profile& profile) {
  RotarySpec spec = profile.spec;
  if (profile.permuted) spec.pairing = Pairing::half_split;
  return spec;
}

void add(const SpecDifference& found, const std::string& profile, ModelComparison& comparison) {
  ModelDifference difference{found, profile};
  (found.harmless ? comparison.notes : comparison.differences).push_back(std::move(difference));
}

/// Returns the notes on layers without rotary embedding; empty if all layers are rotated.
Message::List unrotated_in(const Profile& profile) {
  Message::List notes = profile.notes;
  std::erase_if(notes, [](const Message& note) {
    return !note.key.starts_with("config_note.unrotated") && !note.key.starts_with("config_note.one_unrotated_in");
  });
  return notes;
}

/// Returns whether two configs may mean the same layers: one may number them, the other may give an interval.
bool turn_alike(const Message::List& a, const Message::List& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  const auto value = [](const Message& note, std::string_view name) {
    const auto found =
        std::find_if(note.values.begin(), note.values.end(), [&](const auto& named) { return named.name == name; });
    return found == note.values.end() ? nullptr : &found->value;
  };
  for (const std::string_view name : {"numbers", "interval"}) {
    const auto *of_a = value(a.front(), name), *of_b = value(b.front(), name);
    if (of_a && of_b) return *of_a == *of_b;
  }
  return a.front().key != b.front().key || a == b;
}

void compare_layers(const Profile& a, const Profile& b, const std::string& name, ModelComparison& comparison) {
  const Message::List notes_a = unrotated_in(a), notes_b = unrotated_in(b);
  if (turn_alike(notes_a, notes_b)) return;
  const auto said = [](const Message::List& notes) {
    return notes.empty() ? Message("compare.all_layers") : notes.front();
  };
  const Message of_a = said(notes_a), of_b = said(notes_b);
  comparison.agrees = false;
  add({std::string(kRotaryDimension.name),
       Message("compare.layers", {{"a", of_a}, {"b", of_b}}),
       of_a,
       of_b,
       false,
       {}},
      name, comparison);
}

void compare_profiles(const ModelSide& a, const ModelSide& b, const Work& work, ModelComparison& comparison) {
  for (const Matched& pair : match_profiles(a.profiles, b.profiles, comparison.remarks)) {
    const SpecComparison specs = compare_specs(to_trained_spec(*pair.a), to_trained_spec(*pair.b), work);
    comparison.agrees &= specs.agrees;
    for (const SpecDifference& found : specs.differences) add(found, pair.name, comparison);
    compare_layers(*pair.a, *pair.b, pair.name, comparison);
    if (pair.a->permuted != pair.b->permuted) {
      comparison.remarks.push_back({pair.a->permuted ? "compare.permuted_a" : "compare.permuted_b", {}});
    }
  }
  const auto twice = std::unique(comparison.remarks.begin(), comparison.remarks.end());
  comparison.remarks.erase(twice, comparison.remarks.end());
}

FixedLayout fixed(const LayoutConfig& config) {
  return {&find_layout(config.layout), config.request};
}

/// Compares the layouts, without differences that the profiles already have.
void compare_tokens(const ModelSide& a, const ModelSide& b, ModelComparison& comparison) {
  for (const SpecDifference& found : compare_layouts(fixed(*a.layout), fixed(*b.layout))) {
    const auto said = [&](const ModelDifference& known) { return known.cause == found.cause; };
    const auto& known = comparison.differences;
    comparison.agrees &= found.harmless;
    if (found.harmless || std::none_of(known.begin(), known.end(), said)) add(found, "layout", comparison);
  }
}

}  // namespace

void take_model(const std::vector<Profile>& profiles, const std::string& model_type, const Profile& own,
                CheckReference& reference) {
  take_traits(own, model_type, reference);
  if (profiles.size() < 2) return;
  reference.profile = own.name;
  for (const Profile& profile : profiles) {
    if (profile.name == own.name || profile.spec.axes.size() > 1 || !profile.not_understood.empty()) continue;
    try {
      CheckReference other = reference_from_rope(profile.spec, reference.length, reference.positions);
      other.profile = profile.name;
      other.is_gguf = reference.is_gguf;
      take_traits(profile, model_type, other);
      reference.others.push_back(std::move(other));
    } catch (const InputError&) {
      // A rope that cannot be computed is not tried.
    }
  }
}

ModelComparison compare_models(const ModelSide& a, const ModelSide& b, const Work& work) {
  const bool profiles = !a.profiles.empty() && !b.profiles.empty();
  const bool layouts = a.layout && b.layout;
  if (!profiles && !layouts) throw InputError("compare.nothing_common", {});
  ModelComparison comparison;
  if (profiles) compare_profiles(a, b, work, comparison);
  if (layouts) compare_tokens(a, b, comparison);
  if (a.layout && !b.layout) comparison.remarks.emplace_back("compare.layout_only_a");
  if (b.layout && !a.layout) comparison.remarks.emplace_back("compare.layout_only_b");
  return comparison;
}

}  // namespace ropescope
