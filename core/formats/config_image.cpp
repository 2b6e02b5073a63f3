#include <cmath>

#include "core/error.h"
#include "core/formats/config_families.h"
#include "core/formats/config_towers.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

constexpr const char* kConfigImageAxesFields[] = {"axes_dims_rope", "axes_dim_rope", "axes_dims", "axes_dim",
                                                  "rope_axes_dim",  "rope_dim_list", "rope_dim"};
constexpr const char* kConfigImageBaseFields[] = {"rope_theta", "theta"};
constexpr const char* kImageHiddenFields[] = {"hidden_size", "n_embd", "d_model", "dim", "embed_dim", "dit_dim"};
constexpr const char* kImageHeadFields[] = {"num_attention_heads", "n_head", "n_heads", "num_heads", "dit_heads"};
constexpr const char* kCogVideoSwitch = "use_rotary_positional_embeddings";
constexpr const char* kConfigImageLayered = "use_layer3d_rope";
/// Fields whose names look rotary and that are understood, though another one may count: lengths of tables, and a base
/// of time steps.
constexpr const char* kConfigImageUnderstood[] = {"rope_theta",       "theta",      "rotary_dim",   "rope_freq_dim",
                                                  "rope_max_seq_len", "time_theta", kCogVideoSwitch};
constexpr const char* kOfUnknownClass = "origin.default_of_unknown_class";
constexpr const char* kUnknownClass = "config_note.unknown_class";

struct ImageModel {
  Section section;
  ImageFamily family;
  Words default_origin;
};

const char* axes_field(const Section& section) {
  for (const char* field : kConfigImageAxesFields) {
    if (section.has(field)) return field;
  }
  return nullptr;
}

Words default_of(std::string_view model) {
  return {"origin.default_of", {{"model", model}}};
}

/// A file of no class that is known here but that lists its axes. One that names no class: FLUX.1 as its makers spell
/// it (axes_dim), FLUX.2 by its four axes. Else a model that nobody entered, with FLUX's base and pairing.
ImageModel model_by_axes(const Section& root, const char* field, const std::string& class_name) {
  if (!class_name.empty()) {
    return {root, ImageFamily{}, {kOfUnknownClass, {{"class", in_quotes(class_name)}}}};
  }
  const auto listed = root.numbers(field);
  if (listed->value.size() == 4) return {root, *find_image_family("Flux2Transformer2DModel"), default_of("FLUX.2")};
  if (root.has("axes_dim")) return {root, *find_image_family("FluxTransformer2DModel"), default_of("FLUX.1")};
  return {root, ImageFamily{}, Words("origin.default_without_class")};
}

/// By class name (in the file or its `transformer`), else by fields that only these models have.
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
  Words origin;
};

AxisWidths read_listed(const ImageModel& model) {
  AxisWidths axes;
  const char* field = axes_field(model.section);
  if (!field) {
    axes.origin = model.default_origin;
    for (const int width : model.family.axes) {
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
    model.section.reject(field, Words("config.few_axes"));
  }
  return axes;
}

std::optional<Read<int>> read_head_dim_config_image(const ImageModel& model) {
  const Section& section = model.section;
  if (const auto head = section.first_whole(kHeadDimFields)) return head;
  const auto hidden = section.first_whole(kImageHiddenFields);
  const auto heads = section.first_whole(kImageHeadFields);
  if (hidden && heads) return head_quotient(section, *hidden, *heads);
  if (model.family.head_dim > 0) return Read<int>{model.family.head_dim, model.default_origin};
  return std::nullopt;
}

/// One ladder: rotary_dim, else the class's part of the head.
AxisWidths read_ladder(const ImageModel& model, const Read<int>& head) {
  if (const auto width = model.section.whole("rotary_dim")) return {{width->value}, width->origin};
  const double fraction = model.family.rotary_fraction;
  if (fraction == 1) return {{head.value}, head.origin};
  return {{static_cast<int>(head.value * fraction)}, product_of(head.origin, fraction)};
}

AxisWidths read_axes_config_image(const ImageModel& model, const std::optional<Read<int>>& head) {
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

/// t, row, column and, where there are four, l; two axes are row and column; one is the position.
std::string axis_name(std::size_t index, std::size_t count) {
  constexpr const char* kNames[] = {"t", "row", "column", "l"};
  return count == 1 ? "position" : kNames[count == 2 ? index + 1 : index];
}

/// What is known by name and cannot be read.
void check_supported(const ImageModel& model, const Words& source) {
  const ImageFamily& family = model.family;
  const auto rotary = model.section.flag(kCogVideoSwitch);
  if (rotary && !rotary->value) {
    throw InputError(source, "config.not_rotary",
                     {{"model", family.model}, {"class", family.class_name}, {"field", rotary->origin}});
  }
  if (family.layout == ImageLayout::own_ladder) {
    throw InputError(source, "config.own_ladder",
                     {{"model", family.model}, {"class", family.class_name}, {"why", Words(family.note)}});
  }
  if (family.layout == ImageLayout::unsupported) {
    throw InputError(source, "config.unsupported",
                     {{"model", family.model}, {"class", family.class_name}, {"why", Words(family.note)}});
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
  const auto layered = model.section.flag(kConfigImageLayered);
  const bool has_layers = layered && layered->value;
  if (has_layers) {
    profile.notes.push_back({"config_note.layered", {{"field", layered->origin}}});
  } else if (model.family.note) {
    profile.notes.emplace_back(model.family.note);
  }
  if (model.default_origin.key == kOfUnknownClass) {
    profile.notes.emplace_back(kUnknownClass);
  }
}

}  // namespace

std::vector<Profile> read_image_model(const Section& root) {
  const auto model = find_model(root);
  if (!model) return {};
  const ImageFamily& family = model->family;
  check_supported(*model, root.source);
  for (const auto fields : {Spellings(kConfigImageUnderstood), Spellings(kConfigImageAxesFields)}) {
    for (const char* field : fields) model->section.has(field);
  }
  const auto head = read_head_dim_config_image(*model);
  const AxisWidths axes = read_axes_config_image(*model, head);
  auto base = model->section.first_positive(kConfigImageBaseFields);
  if (!base) base = {family.base, model->default_origin};

  Profile profile;
  profile.name = family.profile;
  profile.spec.pairing = family.pairing;
  add_axes(*model, axes, base->value, profile);
  profile.spec.head_dim = head ? head->value : total_rotary_dim(profile.spec);
  profile.origin = {{"head_dim", head ? head->origin : Words("origin.sum", {{"parts", axes.origin}})},
                    {"rotary_dim", axes.origin},
                    {"axes", axes.origin},
                    {"base", base->origin},
                    {"pairing", model->default_origin},
                    {"extension", model->default_origin}};
  check_profile(profile, root.source);
  return {profile};
}

}  // namespace ropescope
