#include "core/check/specs/fields.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/check/phrases.h"
#include "core/number_for_people.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

using ComparedFields = std::vector<FieldDifference>;

struct Sides {
  const RotarySpec& a;
  const RotarySpec& b;
};

/// The words of a side for a sentence.
Words said(const SideValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return as_it_is(number_for_people(*number, 17));
  return std::get<Words>(value);
}

void add_fields(ComparedFields& fields, const char* cause, const char* text, SideValue a, SideValue b,
                RotarySpec changed) {
  Words words(text, {{"a", said(a)}, {"b", said(b)}});
  fields.push_back({cause, std::move(words), std::move(a), std::move(b), std::move(changed)});
}

// ---- axes -----------------------------------------------------------------------------------------------------------

/// y counts rows, x columns.
std::string fields_plain_name(const std::string& name) {
  return name == "y" ? "row" : name == "x" ? "column" : name;
}

using Axes = std::vector<std::pair<std::string, int>>;

Axes axes_of(const RotarySpec& spec) {
  Axes axes;
  for (const RotaryAxis& axis : spec.axes) axes.emplace_back(fields_plain_name(axis.name), axis.rotary_dim);
  if (axes.size() == 1) axes.front().first.clear();
  return axes;
}

std::string fields_axes_text(const RotarySpec& spec) {
  if (spec.axes.size() == 1) return std::to_string(spec.axes.front().rotary_dim);
  std::string text;
  for (const RotaryAxis& axis : spec.axes) {
    text += (text.empty() ? "" : ", ") + axis.name + " " + std::to_string(axis.rotary_dim);
  }
  return text;
}

void add_axes(const Sides& of, ComparedFields& fields) {
  Axes a = axes_of(of.a), b = axes_of(of.b);
  if (a == b) return;
  RotarySpec changed = of.a;
  changed.head_dim = std::max(of.a.head_dim, of.b.head_dim);
  changed.axes = of.b.axes;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const bool swapped = a == b;
  add_fields(fields, swapped ? "axes-swapped" : "axis-dimensions", swapped ? "compare.axes_swapped" : "compare.axes",
             as_it_is(fields_axes_text(of.a)), as_it_is(fields_axes_text(of.b)), std::move(changed));
}

void add_rotary_dimension(const Sides& of, ComparedFields& fields) {
  const int a = of.a.axes.front().rotary_dim, b = of.b.axes.front().rotary_dim;
  if (a == b) return;
  RotarySpec changed = of.a;
  changed.head_dim = std::max(of.a.head_dim, of.b.head_dim);
  changed.axes.front().rotary_dim = b;
  add_fields(fields, "rotary-dimension", "compare.rotary_dimension", static_cast<double>(a), static_cast<double>(b),
             std::move(changed));
}

void add_head(const Sides& of, ComparedFields& fields) {
  if (of.a.head_dim == of.b.head_dim || total_rotary_dim(of.a) != total_rotary_dim(of.b)) return;
  RotarySpec changed = of.a;
  changed.head_dim = of.b.head_dim;
  add_fields(fields, "", "compare.head_dimension", static_cast<double>(of.a.head_dim),
             static_cast<double>(of.b.head_dim), std::move(changed));
}

// ---- ladders --------------------------------------------------------------------------------------------------------

template <class Number>
std::vector<double> numbers_of(const RotarySpec& spec, Number RotaryAxis::*member) {
  std::vector<double> numbers;
  for (const RotaryAxis& axis : spec.axes) numbers.push_back(static_cast<double>(axis.*member));
  return numbers;
}

/// One number where all axes share it.
SideValue fields_shared(const std::vector<double>& numbers) {
  const bool one = std::all_of(numbers.begin(), numbers.end(), [&](double each) { return each == numbers.front(); });
  return one ? SideValue(numbers.front()) : SideValue(as_it_is(list_text(numbers)));
}

void add_base_fields(const Sides& of, ComparedFields& fields) {
  const std::vector<double> a = numbers_of(of.a, &RotaryAxis::base), b = numbers_of(of.b, &RotaryAxis::base);
  if (a == b) return;
  RotarySpec changed = of.a;
  for (std::size_t i = 0; i < changed.axes.size(); ++i) changed.axes[i].base = b[i];
  add_fields(fields, "base", "compare.base", fields_shared(a), fields_shared(b), std::move(changed));
}

std::string ladder_text(const RotarySpec& spec) {
  std::string text;
  for (const RotaryAxis& axis : spec.axes) {
    Extension ladder;
    if (axis.ladder == Ladder::proportional) {
      ladder = {"proportional", {{"live_fraction", axis.live_fraction}, {"factor", axis.factor}}, {}};
    }
    text += (text.empty() ? "" : ", ") + extension_line(ladder);
  }
  return text;
}

void add_ladder(const Sides& of, ComparedFields& fields) {
  const std::string a = ladder_text(of.a), b = ladder_text(of.b);
  if (a == b) return;
  RotarySpec changed = of.a;
  for (std::size_t i = 0; i < changed.axes.size(); ++i) {
    changed.axes[i].ladder = of.b.axes[i].ladder;
    changed.axes[i].live_fraction = of.b.axes[i].live_fraction;
    changed.axes[i].factor = of.b.axes[i].factor;
  }
  add_fields(fields, "frequency-ladder", "compare.ladder", as_it_is(a), as_it_is(b), std::move(changed));
}

// ---- context extension ----------------------------------------------------------------------------------------------

constexpr const char* kOfAmplitude[] = {"attention_factor", "mscale", "mscale_all_dim"};

bool fields_is_of_amplitude(std::string_view name) {
  return std::find(std::begin(kOfAmplitude), std::end(kOfAmplitude), name) != std::end(kOfAmplitude);
}

void add_method(const Sides& of, ComparedFields& fields) {
  RotarySpec changed = of.a;
  changed.extension = of.b.extension;
  changed.trained_length = of.b.trained_length;  // its L belongs to the method
  const bool missing = of.a.extension.method == "none" || of.b.extension.method == "none";
  const bool in_a = of.b.extension.method == "none";
  const char* text = !missing ? "compare.scaling_kind" : in_a ? "compare.scaling_only_a" : "compare.scaling_only_b";
  add_fields(fields, missing ? "scaling-missing" : "scaling-kind", text, as_it_is(extension_line(of.a.extension)),
             as_it_is(extension_line(of.b.extension)), std::move(changed));
}

SideValue given(const std::map<std::string, double>& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? SideValue(Words("compare.not_given")) : SideValue(found->second);
}

void add_numbers(const Sides& of, ComparedFields& fields) {
  const Extension a = with_defaults(of.a.extension), b = with_defaults(of.b.extension);
  std::set<std::string> names;
  for (const Extension* extension : {&a, &b}) {
    for (const auto& [name, value] : extension->numbers) names.insert(name);
  }
  for (const std::string& name : names) {
    SideValue in_a = given(a.numbers, name), in_b = given(b.numbers, name);
    if (fields_is_of_amplitude(name) || in_a == in_b) continue;
    RotarySpec changed = of.a;
    changed.extension.numbers.erase(name);
    if (const auto* number = std::get_if<double>(&in_b)) changed.extension.numbers[name] = *number;
    Words text("compare.scaling_parameter",
               {{"parameter", name}, {"method", a.method}, {"a", said(in_a)}, {"b", said(in_b)}});
    fields.push_back({"scaling-parameters", std::move(text), std::move(in_a), std::move(in_b), std::move(changed)});
  }
}

void add_lists(const Sides& of, ComparedFields& fields) {
  for (const auto& [name, a] : of.a.extension.lists) {
    const auto found = of.b.extension.lists.find(name);
    if (found == of.b.extension.lists.end() || found->second == a) continue;
    const std::vector<double>& b = found->second;
    const auto [first, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (first == a.end() || other == b.end()) continue;  // of another rotary dimension, which is said
    RotarySpec changed = of.a;
    changed.extension.lists[name] = b;
    Words text("compare.scaling_list", {{"list", name},
                                        {"method", of.a.extension.method},
                                        {"pair", first - a.begin()},
                                        {"a", number_for_people(*first, 17)},
                                        {"b", number_for_people(*other, 17)}});
    fields.push_back({"scaling-parameters", std::move(text), *first, *other, std::move(changed)});
  }
}

/// What the amplitude is made of, all of it at once: the parts stand for each other.
void add_amplitude(const Sides& of, ComparedFields& fields) {
  RotarySpec changed = of.a;
  changed.amplitude = of.b.amplitude;
  bool differs = of.a.amplitude != of.b.amplitude;
  for (const char* name : kOfAmplitude) {
    if (of.a.extension.method != of.b.extension.method) break;
    const SideValue a = given(of.a.extension.numbers, name), b = given(of.b.extension.numbers, name);
    if (a == b) continue;
    differs = true;
    changed.extension.numbers.erase(name);
    if (const auto* number = std::get_if<double>(&b)) changed.extension.numbers[name] = *number;
  }
  if (differs) {
    add_fields(fields, "amplitude", "compare.amplitude", head_ladder(of.a).amplitude, head_ladder(of.b).amplitude,
               std::move(changed));
  }
}

SideValue length_value(const RotarySpec& spec) {
  return spec.trained_length ? SideValue(*spec.trained_length) : SideValue(Words("compare.no_length"));
}

void add_length_fields(const Sides& of, ComparedFields& fields) {
  if (of.a.trained_length == of.b.trained_length) return;
  const ScalingMethod& method = find_scaling_method(of.a.extension.method);
  RotarySpec changed = of.a;
  // Where the methods differ, their lengths went with them.
  const bool counts = of.a.extension.method == of.b.extension.method;
  if (counts) changed.trained_length = of.b.trained_length;
  const char* cause = !counts || !method.needs_trained_length ? "" : "scaling-parameters";
  if (counts && method.name == "dynamic") cause = "length-switch";
  add_fields(fields, cause, *cause ? "compare.length_of_method" : "compare.length", length_value(of.a),
             length_value(of.b), std::move(changed));
}

void add_pairing(const Sides& of, ComparedFields& fields) {
  const auto name = [](const RotarySpec& spec) {
    return named_value(spec.pairing == Pairing::interleaved ? "interleaved" : "half-split");
  };
  RotarySpec changed = of.a;
  changed.pairing = of.b.pairing;
  add_fields(fields, "pairing", "compare.pairing", name(of.a), name(of.b), std::move(changed));
  fields.back().is_pairing = true;
}

}  // namespace

ComparedFields differing_fields(const RotarySpec& a, const RotarySpec& b) {
  const Sides of{a, b};
  ComparedFields fields;
  if (a.pairing != b.pairing) add_pairing(of, fields);
  const bool one_axis = a.axes.size() == 1 && b.axes.size() == 1;
  if (one_axis) {
    add_rotary_dimension(of, fields);
  } else {
    add_axes(of, fields);
  }
  add_head(of, fields);
  if (one_axis || axes_of(a) == axes_of(b)) {
    add_base_fields(of, fields);
    add_ladder(of, fields);
  }
  if (a.extension.method != b.extension.method) {
    add_method(of, fields);
  } else {
    add_numbers(of, fields);
    add_lists(of, fields);
  }
  add_amplitude(of, fields);
  add_length_fields(of, fields);
  return fields;
}

}  // namespace ropescope
