// Layouts from configs: detection by class name, then by fields; parsing of values. Read config_layout.h first.

#include "core/formats/config_layout.h"

#include <algorithm>
#include <cmath>

#include "core/formats/config.h"
#include "core/formats/families/config_families.h"
#include "core/formats/families/config_parts.h"
#include "core/formats/nlohmann.h"
#include "core/message.h"
#include "core/registry.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Layout --------------------------------------------------------------------------------------------------------

namespace {

constexpr const char* kLayoutAxes[] = {"axes_dims_rope", "axes_dim_rope", "axes_dims",
                                       "axes_dim",       "rope_axes_dim", "rope_dim_list"};
constexpr const char* kLayoutBases[] = {"rope_theta", "theta", "positional_embedding_theta"};

/// A model class; null layout: the class is recognised but not supported.
struct FoundClass {
  std::string_view type;
  const Layout* layout = nullptr;
  std::string_view note = {};
  std::string_view needs = {};  ///< a field that the file lacks and all layouts of the class need
};
/// A model class and the object of the file that contains its fields.
struct FoundLayout {
  Section section;
  FoundClass of;
};

bool has_value(const Section& section, std::string_view field) {
  const nlohmann::json* value = section.find(field);
  return value && *value != false;
}

/// Finds the layout of a class: the first of siblings that share it, unless another sibling needs a field that is set.
std::optional<FoundClass> class_of(std::string_view type, const Section& section) {
  std::optional<FoundClass> found;
  for (const Layout& layout : all_layouts()) {
    const LayoutClass* one = type.empty() ? nullptr : find_named_entry(layout.classes, type);
    if (!one) continue;
    const bool lacks = !one->needs.empty() && !has_value(section, one->needs);
    if (lacks && !found) found = FoundClass{one->name, nullptr, {}, one->needs};
    if (!lacks && (!found || !found->layout || !one->needs.empty())) found = FoundClass{one->name, &layout, one->note};
  }
  if (found) return found;
  const ImageFamily* image = find_image_family(type);
  if (!image || image->layout != ImageLayout::unsupported) return std::nullopt;
  return FoundClass{image->class_name};
}

std::optional<FoundLayout> find_by_type(const Section& root) {
  std::vector<Section> places = {root};
  for (const char* key : {"transformer", "vision_config"}) {
    if (const auto inner = root.section(key)) places.push_back(*inner);
  }
  for (const Section& place : places) {
    for (const char* key : {"_class_name", "model_type"}) {
      const auto type = place.text(key);
      const auto found = type ? class_of(type->value, place) : std::nullopt;
      if (!found) continue;
      const bool sections = found->layout && found->layout->config.holds == ConfigHolds::sections;
      return FoundLayout{sections ? root : place, *found};
    }
  }
  if (const auto native = root.section("vision_encoder"))
    return FoundLayout{*native, *class_of("vision_encoder", *native)};
  if (const auto vision = root.section("vision_cfg")) {
    if (const auto rope = vision->flag("rope"); rope && rope->value)
      return FoundLayout{*vision, *class_of("EVA", *vision)};
  }
  return std::nullopt;
}

/// Finds the layout of a file without a class name by its axes: four are FLUX.2's, axes_dim is FLUX.1's own spelling. A
/// file with an unknown class name is neither.
std::optional<FoundLayout> find_by_fields(const Section& root) {
  if (root.has("_class_name") || root.has("model_type")) return std::nullopt;
  if (root.has("use_rotary_positional_embeddings"))
    return FoundLayout{root, *class_of("CogVideoXTransformer3DModel", root)};
  for (const char* field : kLayoutAxes) {
    if (!root.has(field)) continue;
    if (root.numbers(field)->value.size() == 4) return FoundLayout{root, *class_of("Flux2Transformer2DModel", root)};
    if (std::string_view(field) == "axes_dim") return FoundLayout{root, *class_of("FluxTransformer2DModel", root)};
  }
  return std::nullopt;
}

std::vector<int> whole_list(const Section& section, const char* field) {
  std::vector<int> list;
  const auto numbers = section.numbers(field);
  for (const double value : numbers->value) {
    if (!(value >= 0 && value <= 65536) || value != std::floor(value)) {
      section.reject(field, {"expected.whole_numbers_up_to", {{"most", 65536}}});
    }
    list.push_back(static_cast<int>(value));
  }
  return list;
}

std::optional<int> head_dim(const Section& section) {
  if (const auto head = section.first_whole(spellings_of(FieldMeaning::head_dim))) return head->value;
  const auto hidden = section.first_whole(spellings_of(FieldMeaning::hidden));
  const auto heads = section.first_whole(spellings_of(FieldMeaning::heads));
  if (!hidden || !heads) return std::nullopt;
  return head_quotient(section, *hidden, *heads).value;
}

void read_layout_base(const Section& section, LayoutRequest& request) {
  if (const auto base = section.first_positive(kLayoutBases)) request.base = base->value;
}

void read_layout_axes(const Section& section, const Layout& layout, LayoutRequest& request) {
  for (const char* field : kLayoutAxes) {
    if (!section.has(field)) continue;
    request.axis_dims = whole_list(section, field);
    if (request.axis_dims.empty()) section.reject(field, Message("config.channels_of_axes"));
    break;
  }
  request.head_dim = head_dim(section);
  for (const char* scale : {"interpolation_scale_t", "interpolation_scale_h", "interpolation_scale_w"}) {
    const LayoutField* field = find_field(layout, scale);
    const auto given = field == nullptr ? std::nullopt : section.positive(scale);
    if (given) set_value(request, *field, given->value);
  }
  constexpr const char* kLatents = "max_resolution";
  if (const LayoutField* padded = find_field(layout, "padded_to"); padded && section.has(kLatents)) {
    const std::vector<int> sides = whole_list(section, kLatents);
    if (sides.size() != 2) section.reject(kLatents, verbatim("[n, m]"));
    set_value(request, *padded, static_cast<double>(sides[0]) * sides[1] / (layout.patch * layout.patch));
  }
}

/// Requires the layout's own values: the number of heads that share the ladder, and each head's half split.
void read_heads_of_ltx2(const Section& section, const std::optional<Read<int>>& heads) {
  constexpr int kHeads = 32;
  if (heads && heads->value != kHeads)
    section.reject(spellings_of(FieldMeaning::heads)[0], {"config.only_known", {{"value", kHeads}}});
  const auto type = section.text("rope_type");
  if (type && type->value != "split") section.reject("rope_type", {"config.only_known", {{"value", "split"}}});
}

void read_ltx(const Section& section, const Layout& layout, LayoutRequest& request) {
  const auto head = head_dim(section);
  const auto heads = section.first_whole(spellings_of(FieldMeaning::heads));
  if (head && heads && *head <= 65536 && heads->value <= 65536 / *head) request.head_dim = *head * heads->value;
  if (takes(layout, "head")) read_heads_of_ltx2(section, heads);
  constexpr const char* kUnits = "positional_embedding_max_pos";
  if (section.has(kUnits) && section.numbers(kUnits)->value != std::vector<double>{20, 2048, 2048}) {
    section.reject(kUnits, {"config.only_known", {{"value", "[20, 2048, 2048]"}}});
  }
}

/// Reads Wan's pixels per token: the VAE's times the patch. Only Wan 2.2 TI2V-5B has 48 latent channels; its VAE maps
/// 16 × 16 pixels to one latent, the others' maps 8 × 8.
void read_wan(const Section& section, LayoutConfig& config) {
  constexpr const char* kChannels[] = {"in_channels", "in_dim"};
  constexpr int kChannelsOfTheLargeVae = 48;
  config.request.head_dim = head_dim(section);
  int patch = 2;
  if (const nlohmann::json* size = section.find("patch_size"); size && size->is_array()) {
    const std::vector<int> sides = whole_list(section, "patch_size");
    if (sides.size() != 3 || sides[1] != sides[2] || sides[1] < 1 || sides[0] != 1) {
      section.reject("patch_size", verbatim("[1, n, n]"));
    }
    patch = sides[1];
  }
  const auto channels = section.first_whole(kChannels);
  const bool large = channels && channels->value == kChannelsOfTheLargeVae;
  if ((large || patch != 2) && patch <= 64) config.request.patch = (large ? 16 : 8) * patch;
  if (large) {
    config.notes.push_back({"config_note.large_vae", {{"field", channels->origin}, {"side", 16 * patch}}});
  }
}

/// Reads the sides in patches of the blocks that a Qwen tower merges, and of the windows of Qwen2.5-VL.
void read_patch_order(const Section& section, std::string_view type, const Layout& layout, LayoutRequest& request) {
  const VisionFamily* family = find_vision_family(type);
  if (const LayoutField* merge = find_field(layout, "merge_size"); merge && family) {
    const auto given = family->rules.merge > 1 ? section.whole("spatial_merge_size") : std::nullopt;
    set_value(request, *merge, given ? given->value : family->rules.merge);
  }
  const LayoutField* window = find_field(layout, "window");
  const auto side = window ? section.whole("window_size") : std::nullopt;
  if (!side) return;
  // Qwen's window size is in pixels.
  const int unit = takes(layout, "merge_size") ? request.patch.value_or(layout.patch) : 1;
  if (side->value % unit != 0) section.reject("window_size", verbatim("n · patch_size"));
  set_value(request, *window, side->value / unit);
}

void read_vision(const Section& section, std::string_view type, const Layout& layout, LayoutRequest& request) {
  request.head_dim = head_dim(section);
  // Qwen2-VL's hidden_size is the language model's; its own width is embed_dim.
  const auto width = section.whole("embed_dim");
  if (const auto heads = section.first_whole(spellings_of(FieldMeaning::heads)); width && heads) {
    request.head_dim = head_quotient(section, *width, *heads).value;
  }
  if (const auto rope = section.section("rope_parameters")) {
    if (const auto base = rope->positive("rope_theta"); base && !layout.config.base.empty()) request.base = base->value;
  }
  if (const auto patch = section.whole("patch_size")) request.patch = patch->value;
  read_patch_order(section, type, layout, request);
}

/// Reads Qwen2.5-VL's ids of t per second, with the default of its class.
void read_seconds(const Section& vision, LayoutRequest& request) {
  constexpr double kOfTheClass = 4;
  const auto given = vision.positive("tokens_per_second");
  request.tokens_per_second = given ? given->value : kOfTheClass;
  const auto frames = vision.whole("temporal_patch_size");
  if (frames && frames->value != 2) vision.reject("temporal_patch_size", {"config.only_known", {{"value", 2}}});
}

/// Returns the sections in the order of the layout's axes: ERNIE's files begin with rows and columns.
std::vector<int> sections_in(const Section& rope, std::string_view type) {
  constexpr const char* kNames[] = {"mrope_section", "xdrope_section"};
  for (const char* name : kNames) {
    if (!rope.has(name)) continue;
    std::vector<int> sections = whole_list(rope, name);
    const TextFamily* family = find_text_family(std::string(type) + "_text");
    if (family && family->rules.assignment == PairAssignment::alternating && !sections.empty()) {
      std::rotate(sections.begin(), sections.end() - 1, sections.end());
    }
    return sections;
  }
  return {};
}

/// Returns the base as HunYuan stretches it: by alpha^(d/(d − 2)).
double stretch_base(const Section& rope, double base, const std::vector<int>& sections) {
  const auto alpha = rope.positive("alpha");
  double channels = 0;
  for (const int pairs : sections) channels += 2 * pairs;
  return alpha && channels > 2 ? base * std::pow(alpha->value, channels / (channels - 2)) : base;
}

/// Requires the layout's own sections (HunYuan's four).
void require_own_sections(const Section& rope, const Layout& layout, LayoutRequest& request) {
  if (takes(layout, "sections")) return;
  std::vector<int> own;
  for (const AxisDefault& axis : layout.axes) own.push_back(axis.rotary_dim / 2);
  if (!request.sections.empty() && request.sections != own) {
    const std::string list = "[" + joined(own, ", ", [](int pairs) { return std::to_string(pairs); }) + "]";
    rope.reject(rope.has("mrope_section") ? "mrope_section" : "xdrope_section",
                {"config.only_known", {{"value", list}}});
  }
  request.sections.clear();
}

/// Requires the layout's own number of ids per second.
void require_ids_a_second(const Section& section, const Layout& layout) {
  constexpr std::pair<std::string_view, double> kOwn[] = {{"qwen2.5-omni", 25}, {"qwen3-omni", 13}};
  for (const auto& [name, own] : kOwn) {
    const auto given = layout.name == name ? section.positive("position_id_per_seconds") : std::nullopt;
    if (given && given->value != own) {
      section.reject("position_id_per_seconds", {"config.only_known", {{"value", own}}});
    }
  }
}

/// Reads the language tower's rotary object at any of the places where configs have it.
void read_sections(const Section& root, std::string_view type, const Layout& layout, LayoutRequest& request) {
  const Section outer = root.section("thinker_config").value_or(root);
  const Section text = outer.section("text_config").value_or(outer);
  read_layout_base(text, request);
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const auto rope = text.section(key);
    if (!rope || rope->object->empty()) continue;
    request.sections = sections_in(*rope, type);
    if (const auto base = rope->positive("rope_theta")) request.base = base->value;
    if (request.base) request.base = stretch_base(*rope, *request.base, request.sections);
    require_own_sections(*rope, layout, request);
    break;
  }
  if (takes(layout, "pairing")) {
    const auto own = text.text("model_type");
    const TextFamily* family = find_text_family(own ? own->value : std::string(type) + "_text");
    if (family) request.pairing = family->rules.pairing;
  }
  require_ids_a_second(outer, layout);
  const auto vision = outer.section("vision_config");
  if (type == "qwen2_5_vl" && vision) read_seconds(*vision, request);
  const auto patch = vision ? vision->whole("patch_size") : std::nullopt;
  const auto merge = vision ? vision->whole("spatial_merge_size") : std::nullopt;
  if (patch && merge && patch->value <= 1024 && merge->value <= 1024) request.patch = patch->value * merge->value;
}

std::optional<FoundLayout> find_family(const Section& root) {
  const auto found = find_by_type(root);
  return found ? found : find_by_fields(root);
}

}  // namespace

std::optional<LayoutConfig> find_layout_config(std::string_view text, const std::string& source) {
  std::vector<std::string> doubled;
  const nlohmann::json json = parse_json_object(text, source, kPublishedJson, &doubled);
  Lookups lookups;
  const Section root{&json, {}, verbatim(source), &lookups};
  const auto found = find_family(root);
  if (!found || !found->of.needs.empty()) return std::nullopt;
  const auto& [section, of] = *found;
  const ImageFamily* image = find_image_family(of.type);
  const auto rotary = section.flag("use_rotary_positional_embeddings");
  if (rotary && !rotary->value) return std::nullopt;  // CogVideoX-2B: parse_model_config reports that it is not rotary
  if (!of.layout) {
    throw InputError(source, "config.layout_unsupported_as",
                     {{"model", image->model}, {"class", of.type}, {"why", Message(image->rules.note)}});
  }
  LayoutConfig config;
  config.layout = of.layout->name;
  config.family = of.type;
  const bool own_ladder = image && image->layout == ImageLayout::own_ladder;
  config.plain_ladders = !own_ladder && !find_refused_family(of.type);
  if (!of.note.empty()) config.notes.emplace_back(of.note);
  if (of.layout->config.holds != ConfigHolds::sections) read_layout_base(section, config.request);
  switch (of.layout->config.holds) {
    case ConfigHolds::axes:
      read_layout_axes(section, *of.layout, config.request);
      break;
    case ConfigHolds::wan:
      read_wan(section, config);
      break;
    case ConfigHolds::stretched:
      config.request.head_dim = head_dim(section);
      if (section.has("rope_axes_dim")) config.request.position_grid = whole_list(section, "rope_axes_dim");
      break;
    case ConfigHolds::all_heads:
      read_ltx(section, *of.layout, config.request);
      break;
    case ConfigHolds::patches:
      read_vision(section, of.type, *of.layout, config.request);
      break;
    case ConfigHolds::sections:
      read_sections(section, of.type, *of.layout, config.request);
      break;
  }
  // For the others, parse_model_config() returns these notes.
  if (!config.plain_ladders) {
    const Message::List notes = file_notes(root, doubled).notes;
    config.notes.insert(config.notes.end(), notes.begin(), notes.end());
  }
  return config;
}

LayoutConfig parse_layout_config(std::string_view text, const std::string& source) {
  if (auto config = find_layout_config(text, source)) return *std::move(config);
  const nlohmann::json json = parse_json_object(text, source, kPublishedJson);
  const Section root{&json, {}, verbatim(source)};
  if (const auto found = find_family(root); found && !found->of.needs.empty()) {
    throw InputError(source, "config.layout_unsupported_as",
                     {{"model", find_image_family(found->of.type)->model},
                      {"class", found->of.type},
                      {"why", Message("config_why.without_field", {{"field", found->of.needs}})}});
  }
  throw InputError(source, "config.no_layout", {});
}

bool fits_layout(std::string_view found, std::string_view asked) {
  const Layout* other = find_named_entry(all_layouts(), asked);
  const LayoutClass& own = find_layout(found).classes[0];
  return found == asked ||
         (other && !own.name.empty() && other->classes[0].name == own.name && other->classes[0].needs == own.needs);
}

}  // namespace ropescope
