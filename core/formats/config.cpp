// Parsing of configs and presets, and of image models and vision towers. Read config.h first.
//
// Contents: Profiles; Presets; Image models; Vision towers; Config.

#include "core/formats/config.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/formats/config_layout.h"
#include "core/formats/families/config_families.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/families/config_text.h"
#include "core/formats/json.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Profiles ------------------------------------------------------------------------------------------------------

namespace {

/// Lowers case, replaces '_' and '-' by blanks, and maps ModernBERT's "global" and "local" to full and sliding.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    plain += c == '_' || c == '-' ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (plain.rfind("global", 0) == 0) plain.replace(0, 6, "full");
  if (plain.rfind("local", 0) == 0) plain.replace(0, 5, "sliding");
  return plain;
}

// --- Presets -------------------------------------------------------------------------------------------------------

using nlohmann::json;

constexpr std::size_t kMaxProfiles = 16;
constexpr std::size_t kMaxAxes = 8;
constexpr std::size_t kMaxNumbers = 32;

/// Throws for a key that the schema does not have: it is a mistake, not an extra.
void check_keys(const Section& section, std::initializer_list<const char*> known) {
  for (const auto& [key, value] : section.object->items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    Message::List names;
    for (const char* name : known) names.push_back(verbatim(name));
    if (section.path.empty()) {
      throw InputError(section.source, "preset.unknown_key", {{"key", in_quotes(key)}, {"known", names}});
    }
    throw InputError(section.source, "preset.unknown_key_in",
                     {{"key", in_quotes(key)}, {"path", section.path}, {"known", names}});
  }
}

template <class T>
T needed(const Section& section, const char* key, const std::optional<Read<T>>& found) {
  if (!found) section.reject(key, Message("expected.value"));
  return found->value;
}

/// Returns the objects of a list.
std::vector<Section> sections(const Section& parent, const char* key, std::size_t most) {
  const json* list = parent.find(key);
  if (!list || !list->is_array() || list->empty() || list->size() > most) {
    parent.reject(key, {"expected.objects", {{"most", most}}});
  }
  std::vector<Section> found;
  for (const json& entry : *list) {
    const Message path = verbatim(debug_text(parent.field(key)) + "[" + std::to_string(found.size()) + "]");
    if (!entry.is_object()) {
      throw InputError(parent.source, "field",
                       {{"field", path}, {"found", describe_value(entry)}, {"expected", Message("expected.object")}});
    }
    found.push_back(Section{&entry, path, parent.source});
  }
  return found;
}

/// Returns the index of a text among those that a key may have.
std::size_t read_choice(const Section& section, const char* key, std::string_view text,
                        std::initializer_list<std::string_view> names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  std::vector<std::string> quoted;
  for (const std::string_view name : names) quoted.push_back(in_quotes(name));
  section.reject(key, one_of(quoted));
}

RotaryAxis read_axis(const Section& section) {
  check_keys(section, {"name", "rotary_dim", "base", "ladder", "live_fraction", "factor"});
  RotaryAxis axis;
  axis.name = one_line(std::string(needed(section, "name", section.text("name"))));  // messages name it
  axis.rotary_dim = needed(section, "rotary_dim", section.whole("rotary_dim"));
  axis.base = needed(section, "base", section.positive("base"));
  if (const auto ladder = section.text("ladder")) {
    constexpr Ladder kLadders[] = {Ladder::plain, Ladder::proportional};
    axis.ladder = kLadders[read_choice(section, "ladder", ladder->value, {"plain", "proportional"})];
  }
  for (const char* key : {"live_fraction", "factor"}) {
    if (section.has(key) && axis.ladder == Ladder::plain) section.reject(key, Message("preset.proportional_ladder"));
  }
  if (const auto fraction = section.positive("live_fraction")) axis.live_fraction = fraction->value;
  if (const auto factor = section.positive("factor")) axis.factor = factor->value;
  return axis;
}

Extension read_preset_extension(const Section& section) {
  check_keys(section, {"method", "numbers", "lists"});
  Extension extension;
  extension.method = needed(section, "method", section.text("method"));
  if (const auto numbers = section.section("numbers")) {
    if (numbers->object->size() > kMaxNumbers) section.reject("numbers", Message("preset.few_numbers"));
    for (const auto& [key, value] : numbers->object->items()) {
      extension.numbers[key] = needed(*numbers, key.c_str(), numbers->number(key));
    }
  }
  if (const auto lists = section.section("lists")) {
    if (lists->object->size() > kMaxNumbers) section.reject("lists", Message("preset.few_lists"));
    for (const auto& [key, value] : lists->object->items()) {
      extension.lists[key] = needed(*lists, key.c_str(), lists->numbers(key));
    }
  }
  return extension;
}

/// Parses a note: a text, shown verbatim in every language, or {"key": "window", "positions": "4096"}, which is the
/// text "config_note.window" and its values.
Message read_note(const Section& section, const json& note) {
  if (note.is_string()) return verbatim(note.get<std::string>());
  const auto is_text = [](const json& value) { return value.is_string(); };
  if (!note.is_object() || !note.contains("key") || !std::all_of(note.begin(), note.end(), is_text)) {
    section.reject("notes", Message("expected.notes"));
  }
  Message words("config_note." + note["key"].get<std::string>());
  for (const auto& [name, value] : note.items()) {
    if (name != "key") words.values.emplace_back(name, value.get<std::string>());
  }
  return words;
}

Profile read_preset_profile(const Section& section) {
  check_keys(section,
             {"name", "head_dim", "pairing", "axes", "trained_length", "context_length", "extension", "notes"});
  Profile profile;
  profile.name = one_line(std::string(needed(section, "name", section.text("name"))));
  RotarySpec& spec = profile.spec;
  spec.head_dim = needed(section, "head_dim", section.whole("head_dim"));
  const std::string pairing = needed(section, "pairing", section.text("pairing"));
  constexpr Pairing kPairings[] = {Pairing::interleaved, Pairing::half_split};
  spec.pairing = kPairings[read_choice(section, "pairing", pairing, {"interleaved", "half"})];
  spec.axes.clear();
  for (const Section& axis : sections(section, "axes", kMaxAxes)) spec.axes.push_back(read_axis(axis));
  if (const auto length = section.positive("trained_length")) spec.trained_length = length->value;
  if (const auto length = section.positive("context_length")) profile.context_length = length->value;
  if (const auto extension = section.section("extension")) spec.extension = read_preset_extension(*extension);
  if (const json* notes = section.find("notes")) {
    if (!notes->is_array()) section.reject("notes", Message("expected.notes"));
    for (const json& note : *notes) profile.notes.push_back(read_note(section, note));
  }
  for (const char* value : {"head_dim", "rotary_dim", "base", "pairing", "extension", "trained_length"}) {
    profile.origin[value] = Message("origin.preset");
  }
  check_profile(profile, section.source);
  check_extension_of(profile, section.source, section.field("extension"));
  return profile;
}

// --- Image models --------------------------------------------------------------------------------------------------

Message for_each_axis(const Message& channels) {
  return {"origin.for_each_axis", {{"channels", channels}}};
}

Message half_for_each_axis(const Message& head) {
  return for_each_axis({"origin.half", {{"of", head}}});
}

constexpr const char* kImageAxesFields[] = {"axes_dims_rope", "axes_dim_rope", "axes_dims", "axes_dim",
                                            "rope_axes_dim",  "rope_dim_list", "rope_dim"};
constexpr const char* kImageBaseFields[] = {"rope_theta", "theta"};
constexpr const char* kImageHiddenFields[] = {"hidden_size", "n_embd", "d_model", "dim", "embed_dim", "dit_dim"};
constexpr const char* kImageHeadFields[] = {"num_attention_heads", "n_head", "n_heads", "num_heads", "dit_heads"};
constexpr const char* kCogVideoSwitch = "use_rotary_positional_embeddings";
/// Fields whose names look rotary and that are supported, even if another field is used: table lengths, and a base of
/// time steps.
constexpr const char* kImageUnderstood[] = {"rope_theta",       "theta",      "rotary_dim",       "rope_freq_dim",
                                            "rope_max_seq_len", "time_theta", "use_layer3d_rope", kCogVideoSwitch};
constexpr const char* kOfUnknownClass = "origin.default_of_unknown_class";
constexpr const char* kUnknownClass = "config_note.unknown_class";

using ImageModel = FamilySection<ImageFamily>;

const char* axes_field(const Section& section) {
  for (const char* field : kImageAxesFields) {
    if (section.has(field)) return field;
  }
  return nullptr;
}

Message default_of(std::string_view model) {
  return {"origin.default_of", {{"model", model}}};
}

/// Returns the model of a file of no known class that lists its axes. Without a class name: FLUX.1 by its authors'
/// spelling (axes_dim), FLUX.2 by its four axes. Any other: an unknown model, with FLUX's base and pairing.
ImageModel model_by_axes(const Section& root, const char* field, const std::string& class_name) {
  if (!class_name.empty()) {
    return {root, ImageFamily{}, {kOfUnknownClass, {{"class", in_quotes(class_name)}}}};
  }
  const auto listed = root.numbers(field);
  if (listed->value.size() == 4) return {root, *find_image_family("Flux2Transformer2DModel"), default_of("FLUX.2")};
  if (root.has("axes_dim")) return {root, *find_image_family("FluxTransformer2DModel"), default_of("FLUX.1")};
  return {root, ImageFamily{}, Message("origin.default_without_class")};
}

/// Finds a model by class name (in the file or its `transformer`), else by fields that only these models have.
std::optional<ImageModel> find_model(const Section& root) {
  std::vector<Section> places = {root};
  if (const auto inner = root.section("transformer")) places.push_back(*inner);
  std::string class_name;
  for (const Section& place : places) {
    for (const char* key : {"_class_name", "model_type"}) {
      const auto name = place.text(key);
      if (!name) continue;
      if (const ImageFamily* family = find_image_family(name->value)) {
        return ImageModel{place, *family, default_of(name->value)};
      }
      if (class_name.empty()) class_name = name->value;
    }
  }
  if (const auto vision = root.section("vision_cfg")) {
    if (const auto rope = vision->flag("rope"); rope && rope->value) {
      return ImageModel{*vision, *find_image_family("EVA"), default_of("EVA")};
    }
  }
  if (const char* field = axes_field(root)) return model_by_axes(root, field, class_name);
  if (class_name.empty() && root.has(kCogVideoSwitch)) {
    return ImageModel{root, *find_image_family("CogVideoXTransformer3DModel"), default_of("CogVideoX")};
  }
  return std::nullopt;
}

struct AxisWidths {
  std::vector<int> widths;
  Message origin;
};

AxisWidths read_listed(const ImageModel& model) {
  AxisWidths axes;
  const char* field = axes_field(model.section);
  if (!field) {
    axes.origin = model.default_origin;
    for (const int width : model.family.rules.axes) {
      if (width > 0) axes.widths.push_back(width);
    }
    return axes;
  }
  const auto listed = model.section.numbers(field);
  axes.origin = listed->origin;
  for (const double width : listed->value) {
    if (!(width >= 0 && width <= kLargestDimension) || width != 2 * std::floor(width / 2)) {
      throw InputError(model.section.source, "config.axis_width",
                       {{"field", listed->origin}, {"width", width}, {"most", kLargestDimension}});
    }
    axes.widths.push_back(static_cast<int>(width));
  }
  if (axes.widths.size() < 2 || axes.widths.size() > 4) {
    model.section.reject(field, Message("config.few_axes"));
  }
  return axes;
}

std::optional<Read<int>> image_head(const ImageModel& model) {
  const Section& section = model.section;
  if (auto head = section.first_whole(spellings_of(FieldMeaning::head_dim))) return head;
  const auto hidden = section.first_whole(kImageHiddenFields);
  const auto heads = section.first_whole(kImageHeadFields);
  if (hidden && heads) return head_quotient(section, *hidden, *heads);
  if (model.family.rules.head_dim > 0) return Read<int>{model.family.rules.head_dim, model.default_origin};
  return std::nullopt;
}

/// Returns the width of a single ladder: rotary_dim, else the class's fraction of the head.
AxisWidths read_ladder(const ImageModel& model, const Read<int>& head) {
  if (const auto width = model.section.whole("rotary_dim")) return {{width->value}, width->origin};
  const double fraction = model.family.rules.rotary_fraction;
  if (fraction == 1) return {{head.value}, head.origin};
  return {{static_cast<int>(head.value * fraction)}, product_of(head.origin, fraction)};
}

AxisWidths image_widths(const ImageModel& model, const std::optional<Read<int>>& head) {
  if (const auto pairs = model.section.whole("rope_freq_dim"); pairs && pairs->value <= kLargestDimension) {
    return {std::vector<int>(3, 2 * pairs->value), for_each_axis(product_of(2, pairs->origin))};
  }
  if (model.family.layout == ImageLayout::listed) return read_listed(model);
  if (!head) {
    throw InputError(model.section.source, "config.no_head_of_image",
                     {{"field", model.section.field("attention_head_dim")}});
  }
  if (model.family.layout == ImageLayout::ladder) return read_ladder(model, *head);
  if (model.family.layout == ImageLayout::halves) {
    if (head->value % 4 != 0) {
      throw InputError(model.section.source, "config.head_of_halves", {{"field", head->origin}, {"head", head->value}});
    }
    return {{head->value / 2, head->value / 2}, half_for_each_axis(head->origin)};
  }
  const int side = 2 * (head->value / 6);
  return {{head->value - 2 * side, side, side}, {"origin.thirds", {{"head", head->origin}}}};
}

/// Returns the name of an axis: t, row, column and, of four axes, l; of two, row and column; of one, position.
std::string axis_name(std::size_t index, std::size_t count) {
  constexpr const char* kNames[] = {"t", "row", "column", "l"};
  return count == 1 ? "position" : kNames[count == 2 ? index + 1 : index];
}

/// Throws for a model that is recognised but not supported.
void check_supported(const ImageModel& model, const Message& source) {
  const ImageFamily& family = model.family;
  const auto rotary = model.section.flag(kCogVideoSwitch);
  if (rotary && !rotary->value) {
    throw NoRotaryEmbedding(
        source,
        {"config_note.not_rotary", {{"model", family.model}, {"class", family.class_name}, {"field", rotary->origin}}});
  }
  const bool own_ladder = family.layout == ImageLayout::own_ladder;
  if (own_ladder || family.layout == ImageLayout::unsupported) {
    throw InputError(source, own_ladder ? "config.own_ladder" : "config.unsupported",
                     {{"model", family.model}, {"class", family.class_name}, {"why", Message(family.rules.note)}});
  }
}

void add_axes(const ImageModel& model, const AxisWidths& axes, double base, Profile& profile) {
  profile.spec.axes.clear();
  for (std::size_t i = 0; i < axes.widths.size(); ++i) {
    RotaryAxis axis;
    axis.name = axis_name(i, axes.widths.size());
    axis.rotary_dim = axes.widths[i];
    axis.base = base;
    if (axis.rotary_dim > 0) {
      profile.spec.axes.push_back(axis);
    } else {
      profile.notes.push_back({"config_note.empty_axis", {{"axis", axis.name}}});
    }
  }
  if (model.family.rules.note) profile.notes.emplace_back(model.family.rules.note);
  if (model.default_origin.key == kOfUnknownClass) {
    profile.notes.emplace_back(kUnknownClass);
  }
}

/// Returns the profiles of an image or video transformer; empty if the file is not one. Throws for a layout that cannot
/// be expressed as plain ladders over axes (LTX, DINOv3) or is not supported (Cosmos, EVA-02).
std::vector<Profile> read_image_model(const Section& root) {
  const auto model = find_model(root);
  if (!model) return {};
  const ImageFamily& family = model->family;
  check_supported(*model, root.source);
  for (const auto fields : {Spellings(kImageUnderstood), Spellings(kImageAxesFields)}) {
    for (const char* field : fields) model->section.has(field);
  }
  const auto head = image_head(*model);
  const AxisWidths axes = image_widths(*model, head);
  auto base = model->section.first_positive(kImageBaseFields);
  if (!base) base = {family.rules.base, model->default_origin};

  Profile profile;
  profile.name = family.rules.profile;
  profile.spec.pairing = family.rules.pairing;
  add_axes(*model, axes, base->value, profile);
  profile.spec.head_dim = head ? head->value : total_rotary_dim(profile.spec);
  profile.origin = {{"head_dim", head ? head->origin : Message("origin.sum", {{"parts", axes.origin}})},
                    {"rotary_dim", axes.origin},
                    {"axes", axes.origin},
                    {"base", base->origin},
                    {"pairing", model->default_origin},
                    {"extension", model->default_origin}};
  check_profile(profile, root.source);
  return {profile};
}

// --- Vision towers -------------------------------------------------------------------------------------------------

// Qwen2-VL's hidden_size is the language model's; its own width is embed_dim.
constexpr const char* kVisionHiddenFields[] = {"embed_dim", "hidden_size"};

using VisionTower = FamilySection<const VisionFamily*>;

/// Finds the vision section and its class: its own model_type, else the file's; Mistral's params.json has none.
std::optional<VisionTower> find_tower(const Section& root) {
  Section outer = root;
  if (const auto thinker = root.section("thinker_config")) outer = *thinker;
  if (const auto native = outer.section("vision_encoder")) {
    return VisionTower{*native, find_vision_family("vision_encoder"), Message("origin.default_of_pixtral")};
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

Read<int> tower_head(const VisionTower& tower) {
  if (const auto head = tower.section.whole("head_dim")) return *head;
  auto hidden = tower.section.first_whole(kVisionHiddenFields);
  auto heads = tower.section.first_whole(spellings_of(FieldMeaning::heads));
  if (!hidden) hidden = {tower.family->head.hidden_size, tower.default_origin};
  if (!heads) heads = {tower.family->head.heads, tower.default_origin};
  return head_quotient(tower.section, *hidden, *heads);
}

Read<double> tower_base(const VisionTower& tower) {
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
  return beside ? *beside : Read<double>{tower.family->rules.base, tower.default_origin};
}

/// Sets the axes, each with half of the channels. An alternating tower takes every second entry of one ladder over the
/// head: b^(−2(2j)/d) is the plain ladder of d/2 channels, b^(−2(2j+1)/d) the same divided by b^(2/d).
void fill_axes(const VisionTower& tower, Profile& profile) {
  RotarySpec& spec = profile.spec;
  RotaryAxis first;
  first.name = tower.family->rules.first_axis;
  first.rotary_dim = spec.head_dim / 2;
  first.base = spec.axes[0].base;
  RotaryAxis second = first;
  second.name = tower.family->rules.second_axis;
  if (tower.family->rules.layout == VisionLayout::alternating) {
    second.ladder = Ladder::proportional;
    second.factor = std::pow(first.base, 2.0 / spec.head_dim);
    profile.notes.emplace_back("config_note.alternating_ladder");
  }
  spec.axes = {first, second};
}

/// Appends the profile of a rotary vision tower, if the file has one; if its layout cannot be expressed as axes with
/// their own ladders, adds a note to the first profile instead.
void read_vision_tower(const Section& root, std::vector<Profile>& profiles) {
  const auto tower = find_tower(root);
  // Kimi K2.5 as released: the tower's fields begin with vt_, and the file has no class name.
  if (const auto moonvit = tower ? std::nullopt : root.section("vision_config");
      moonvit && moonvit->has("vt_hidden_size"))
    profiles.front().notes.push_back({"config_note.vision_not_shown", {{"why", Message("config_why.by_turns")}}});
  if (!tower) return;
  if (tower->family->rules.layout == VisionLayout::not_shown) {
    if (root.lookups) root.lookups->told.insert(tower->section.object);
    profiles.front().notes.push_back({"config_note.vision_not_shown", {{"why", Message(tower->family->rules.note)}}});
    return;
  }
  Profile profile;
  profile.name = kVisionProfile;
  const Read<int> head = tower_head(*tower);
  const Read<double> base = tower_base(*tower);
  profile.spec.head_dim = head.value;
  profile.spec.pairing = tower->family->rules.pairing;
  profile.spec.trained_length.reset();
  profile.spec.axes[0].base = base.value;
  profile.origin = {{"head_dim", head.origin},       {"rotary_dim", half_for_each_axis(head.origin)},
                    {"base", base.origin},           {"pairing", tower->default_origin},
                    {"axes", tower->default_origin}, {"extension", tower->default_origin}};
  fill_axes(*tower, profile);
  if (const auto patch = tower->section.whole("patch_size")) profile.patch = patch->value;
  if (tower->family->rules.merge > 1) {
    const auto merge = tower->section.whole("spatial_merge_size");
    profile.merge = merge ? merge->value : tower->family->rules.merge;
    if (profile.merge > 1) profile.notes.push_back({"config_note.merged_patches", {{"merge", profile.merge}}});
  }
  if (tower->family->rules.note) profile.notes.emplace_back(tower->family->rules.note);
  check_profile(profile, tower->section.source);
  profiles.push_back(std::move(profile));
}

/// Appends the profiles of the speech parts next to a text model (Qwen3-Omni), if their classes are known.
void read_talker(const Section& root, std::vector<Profile>& profiles) {
  struct Part {
    const char *section, *name;
  };
  constexpr Part kParts[] = {{"text_config", "talker"}, {"code_predictor_config", "predictor"}};
  const auto talker = root.section("talker_config");
  for (const Part& part : kParts) {
    const auto section = talker ? talker->section(part.section) : std::nullopt;
    const auto type = section ? section->text("model_type") : std::nullopt;
    if (!type || !find_text_family(type->value)) continue;
    for (Profile& profile : read_text_tower(*section)) {
      profile.name = part.name;
      profiles.push_back(std::move(profile));
    }
  }
}

// --- Config --------------------------------------------------------------------------------------------------------

void add_all(const Message::List& more, Message::List& list) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

NoRotaryEmbedding::NoRotaryEmbedding(const Message& source, const Message& said, std::string type)
    : InputError(within(source, InputError(said))), answer(said), model_type(std::move(type)) {}

void require_known_extension(const Profile& profile, const std::string& source) {
  if (profile.not_understood.empty()) return;
  throw InputError(source, "config.not_understood", {{"what", profile.not_understood.front()}});
}

Message::List notes_limiting_verdict(const Profile& profile) {
  // clang-format off
  constexpr std::string_view kReportedNotes[] = {
      "config_note.unknown_type", "config_note.no_type", "config_note.relative", "config_note.contradicted",
      "config_note.method_of_unknown_class", "config_note.sections_of_other_sum", "config_note.by_architecture",
      "config_note.nested", "config_note.unknown_class", "config_note.unknown_key", "config_note.unknown_keys",
      "config_note.no_rope_type", "config_note.two_types", "config_note.unread", "config_note.unread_more",
      "config_note.doubled", "config_note.both_objects", "config_note.laid_over", "config_note.no_layer_types",
      "config_note.fractions", "config_note.values", "config_note.whole_head", "config_note.rotary_dim_unread",
      "config_note.half_turned", "config_note.scaled_rope", "config_note.scaling_beta", "config_note.softmax_scale",
      "config_note.far_amplitude", "config_note.layers_of", "config_note.no_layers_of", "config_note.sliding_only",
      "config_note.sliding_and_dense", "config_note.mixed_only", "config_note.fourth_from_last",
      "config_note.unrotated", "config_note.unrotated_type", "config_note.one_unrotated_in",
      "config_note.one_unrotated_in_of", "config_note.other_frequencies", "config_note.stored_frequencies",
      "config_note.vision_not_shown", "config_note.merged_patches", "gguf_note.unknown_architecture",
      "gguf_note.no_lists", "gguf_note.unread", "gguf_note.unread_tensor"};
  // clang-format on
  Message::List notes;
  for (const Message& note : profile.notes) {
    if (std::ranges::count(kReportedNotes, note.key) > 0) notes.push_back(note);
  }
  return notes;
}

Message::List notes_on_unrotated_layers(const Profile& profile) {
  constexpr std::string_view kUnrotated[] = {
      "config_note.unrotated",           "config_note.unrotated_type",   "config_note.one_unrotated_in",
      "config_note.one_unrotated_in_of", "config_note.sliding_only",     "config_note.sliding_and_dense",
      "config_note.mixed_only",          "config_note.fourth_from_last", "config_note.depth_unrotated"};
  Message::List notes = profile.notes;
  std::erase_if(notes, [&](const Message& note) { return std::ranges::count(kUnrotated, note.key) == 0; });
  return notes;
}

const Profile& find_profile(const std::vector<Profile>& profiles, const std::string& name, const std::string& source) {
  if (profiles.empty()) throw InputError("config.no_profiles", {{"source", source}});
  if (name.empty()) return profiles.front();
  for (const Profile& profile : profiles) {
    if (profile.name == name) return profile;
  }
  const std::string wanted = plain_name(name);
  const Profile* found = nullptr;
  int matches = 0;
  for (const Profile& profile : profiles) {
    if (plain_name(profile.name).rfind(wanted, 0) != 0) continue;
    found = &profile;
    ++matches;
  }
  if (matches == 1) return *found;
  Message::List names;
  for (const Profile& profile : profiles) names.push_back(verbatim('"' + profile.name + '"'));
  throw InputError("config.no_profile", {{"source", source}, {"name", in_quotes(name)}, {"names", names}});
}

Preset parse_preset(std::string_view text, const std::string& id) {
  const Message source("preset.named", {{"id", id}});
  const json json = parse_json_object(text, source);
  const Section root{&json, {}, source};
  check_keys(root, {"name", "source", "layout", "tokens_per_second", "profiles"});
  Preset preset;
  preset.id = id;
  preset.name = one_line(std::string(needed(root, "name", root.text("name"))));
  preset.source = needed(root, "source", root.text("source"));
  if (const auto layout = root.text("layout")) find_layout(layout->value);
  root.positive("tokens_per_second");  // read with the layout
  for (const Section& section : sections(root, "profiles", kMaxProfiles)) {
    Profile profile = read_preset_profile(section);
    for (const Profile& other : preset.profiles) {
      if (other.name == profile.name) section.reject("name", Message("preset.other_name"));
    }
    preset.profiles.push_back(std::move(profile));
  }
  return preset;
}

ModelConfig parse_model_config(std::string_view text, const std::string& source) {
  std::vector<std::string> doubled;
  const nlohmann::json json = parse_json_object(text, source, kPublishedJson, &doubled);
  Lookups lookups;
  const Section root{&json, {}, verbatim(source), &lookups};
  ModelConfig config;
  auto type = root.text("model_type");
  if (!type) type = root.text("_class_name");
  if (type) config.model_type = type->value;
  std::size_t own = 0;  // profiles of the model itself, which come before those of its other parts
  try {
    config.profiles = read_image_model(root);
    own = config.profiles.size();
    if (config.profiles.empty()) {
      config.profiles = read_text_tower(root);
      own = config.profiles.size();
      read_vision_tower(root, config.profiles);
      read_talker(root, config.profiles);
    }
  } catch (NoRotaryEmbedding& found) {
    found.model_type = config.model_type;
    throw;
  }
  const FileNotes found = file_notes(root, doubled);
  Message::List& first = config.profiles.front().notes;
  first.insert(first.end(), found.notes.begin(), found.notes.end());
  for (std::size_t i = 0; i < std::max<std::size_t>(own, 1); ++i)
    add_all(found.not_understood, config.profiles[i].not_understood);
  return config;
}

}  // namespace ropescope
