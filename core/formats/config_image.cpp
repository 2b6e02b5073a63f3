#include <cmath>

#include "core/error.h"
#include "core/formats/config_families.h"
#include "core/formats/config_towers.h"
#include "core/number_text.h"

namespace ropescope {

namespace {

constexpr const char* kAxesFields[] = {"axes_dims_rope", "axes_dim_rope", "axes_dims", "axes_dim",
                                       "rope_axes_dim",  "rope_dim_list", "rope_dim"};
constexpr const char* kBaseFields[] = {"rope_theta", "theta"};
constexpr const char* kImageHiddenFields[] = {"hidden_size", "n_embd", "d_model", "dim", "embed_dim", "dit_dim"};
constexpr const char* kImageHeadFields[] = {"num_attention_heads", "n_head", "n_heads", "num_heads", "dit_heads"};
constexpr const char* kCogVideoSwitch = "use_rotary_positional_embeddings";
constexpr const char* kUnknownClass =
    "The class of this file is not known here: interleaved pairs and, where the file gives no base, 10000 are assumed.";
constexpr int kWidest = 8192;

struct ImageModel {
  Section section;
  ImageFamily family;
  std::string default_origin;
};

const char* axes_field(const Section& section) {
  for (const char* field : kAxesFields) {
    if (section.has(field)) return field;
  }
  return nullptr;
}

/// A file of no class that is known here but that lists its axes. One that names no class: FLUX.1 as its makers spell
/// it (axes_dim), FLUX.2 by its four axes. Else a model that nobody entered, with FLUX's base and pairing.
ImageModel model_by_axes(const Section& root, const char* field, const std::string& class_name) {
  if (!class_name.empty()) return {root, ImageFamily{}, "default for the unknown class " + in_quotes(class_name)};
  const auto listed = root.numbers(field);
  if (listed->value.size() == 4) return {root, *find_image_family("Flux2Transformer2DModel"), "default of FLUX.2"};
  if (root.has("axes_dim")) return {root, *find_image_family("FluxTransformer2DModel"), "default of FLUX.1"};
  return {root, ImageFamily{}, "default of a file without a class name"};
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
        return ImageModel{place, *family, "default of " + name->value};
      }
      if (class_name.empty()) class_name = name->value;
    }
  }
  if (const auto vision = root.section("vision_cfg")) {
    if (const auto rope = vision->flag("rope"); rope && rope->value) {
      return ImageModel{*vision, *find_image_family("EVA"), "default of EVA"};
    }
  }
  if (const char* field = axes_field(root)) return model_by_axes(root, field, class_name);
  if (class_name.empty() && root.has(kCogVideoSwitch)) {
    return ImageModel{root, *find_image_family("CogVideoXTransformer3DModel"), "default of CogVideoX"};
  }
  return std::nullopt;
}

struct AxisWidths {
  std::vector<int> widths;
  std::string origin;
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
    if (!(width >= 0 && width <= kWidest) || width != 2 * std::floor(width / 2)) {
      throw InputError(model.section.source + ": " + listed->origin + " has an axis of " + number_text(width) +
                       " channels; even numbers from 0 to " + std::to_string(kWidest) + " were expected");
    }
    axes.widths.push_back(static_cast<int>(width));
  }
  if (axes.widths.size() < 2 || axes.widths.size() > 4) {
    model.section.reject(field, "a list of two, three or four axes");
  }
  return axes;
}

std::optional<Read<int>> read_head_dim(const ImageModel& model) {
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
  return {{static_cast<int>(head.value * fraction)}, head.origin + " * " + number_text(fraction)};
}

AxisWidths read_axes(const ImageModel& model, const std::optional<Read<int>>& head) {
  if (const auto pairs = model.section.whole("rope_freq_dim"); pairs && pairs->value <= kWidest) {
    return {std::vector<int>(3, 2 * pairs->value), "2 * " + pairs->origin + " for each axis"};
  }
  if (model.family.layout == ImageLayout::listed) return read_listed(model);
  if (!head) {
    throw InputError(model.section.source + ": the head dimension is missing; expected " +
                     model.section.field("attention_head_dim") + ", or dim with num_heads");
  }
  if (model.family.layout == ImageLayout::ladder) return read_ladder(model, *head);
  if (model.family.layout == ImageLayout::halves) {
    if (head->value % 4 != 0) {
      throw InputError(model.section.source + ": " + head->origin + " is " + std::to_string(head->value) +
                       "; a multiple of 4 was expected, half of the head for each axis");
    }
    return {{head->value / 2, head->value / 2}, head->origin + " / 2 for each axis"};
  }
  const int side = 2 * (head->value / 6);
  return {{head->value - 2 * side, side, side}, head->origin + " (rows and columns 2 * (head // 6) each, t the rest)"};
}

/// t, row, column and, where there are four, l; two axes are row and column; one is the position.
std::string axis_name(std::size_t index, std::size_t count) {
  constexpr const char* kNames[] = {"t", "row", "column", "l"};
  return count == 1 ? "position" : kNames[count == 2 ? index + 1 : index];
}

/// What is known by name and cannot be read.
void check_supported(const ImageModel& model, const std::string& source) {
  const ImageFamily& family = model.family;
  const std::string name = source + ": " + family.model + " (" + family.class_name + ") ";
  const auto rotary = model.section.flag(kCogVideoSwitch);
  if (rotary && !rotary->value) {
    throw InputError(name + "is not rotary: " + rotary->origin + " is false");
  }
  if (family.layout == ImageLayout::own_ladder) {
    throw InputError(name + "is recognised, but its frequencies are not one plain ladder for each axis: " +
                     family.note + "; \"ropescope config\" shows its image layout");
  }
  if (family.layout == ImageLayout::unsupported) {
    throw InputError(name + "is recognised, but its image layout is not supported yet: " + family.note);
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
      profile.notes.push_back("The axis " + axis.name + " has no channels: positions on it do not count.");
    }
  }
  if (model.family.note) profile.notes.push_back(model.family.note);
  if (!*model.family.class_name && model.default_origin.find("unknown") != std::string::npos) {
    profile.notes.emplace_back(kUnknownClass);
  }
}

}  // namespace

std::vector<Profile> read_image_model(const Section& root) {
  const auto model = find_model(root);
  if (!model) return {};
  const ImageFamily& family = model->family;
  check_supported(*model, root.source);
  const auto head = read_head_dim(*model);
  const AxisWidths axes = read_axes(*model, head);
  auto base = model->section.first_positive(kBaseFields);
  if (!base) base = {family.base, model->default_origin};

  Profile profile;
  profile.name = family.profile;
  profile.spec.pairing = family.pairing;
  add_axes(*model, axes, base->value, profile);
  profile.spec.head_dim = head ? head->value : total_rotary_dim(profile.spec);
  profile.origin = {{"head_dim", head ? head->origin : "sum of " + axes.origin},
                    {"rotary_dim", axes.origin},
                    {"axes", axes.origin},
                    {"base", base->origin},
                    {"pairing", model->default_origin},
                    {"extension", model->default_origin}};
  check_profile(profile, root.source);
  return {profile};
}

}  // namespace ropescope
