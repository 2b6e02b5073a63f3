#include "core/formats/config_rope.h"

namespace ropescope {

namespace {

struct Renamed {
  const char* in_file;
  const char* in_extension;
};

constexpr Renamed kTypes[] = {{"default", "none"}, {"mrope", "none"}, {"su", "longrope"}, {"deepseek_yarn", "yarn"}};

/// Numbers that must be above 0.
constexpr Renamed kPositiveNumbers[] = {
    {"factor", "factor"},
    {"low_freq_factor", "low_frequency_factor"},
    {"high_freq_factor", "high_frequency_factor"},
    {"beta_fast", "beta_fast"},
    {"beta_slow", "beta_slow"},
    {"attention_factor", "attention_factor"},
    {"alpha", "ntk_alpha"},
};
/// Numbers for which 0 has a meaning (theory.md section 3: the mscale keys count only if both are nonzero).
constexpr Renamed kNumbers[] = {{"mscale", "mscale"}, {"mscale_all_dim", "mscale_all_dim"}};
constexpr Renamed kLists[] = {{"short_factor", "short_factors"}, {"long_factor", "long_factors"}};

void read_parameters(const Section& section, Extension& extension) {
  for (const Renamed& name : kPositiveNumbers) {
    if (const auto found = section.positive(name.in_file)) extension.numbers[name.in_extension] = found->value;
  }
  for (const Renamed& name : kNumbers) {
    if (const auto found = section.number(name.in_file)) extension.numbers[name.in_extension] = found->value;
  }
  if (const auto found = section.flag("truncate")) extension.numbers["truncate"] = found->value ? 1 : 0;
  for (const Renamed& name : kLists) {
    const auto found = section.numbers(name.in_file);
    if (!found) continue;
    for (const double factor : found->value) {
      if (!(factor > 0)) section.reject(name.in_file, "a list of numbers above 0");
    }
    extension.lists[name.in_extension] = found->value;
  }
}

/// "one ladder … dealt to t, h and w in sections of 16 + 24 + 24 pairs".
std::string sections_note(const Section& section) {
  const auto sections = section.numbers("mrope_section");
  if (!sections) return "";
  std::string sum;
  for (const double pairs : sections->value) sum += (sum.empty() ? "" : " + ") + number_text(pairs);
  const auto interleaved = section.flag("mrope_interleaved");
  return "M-RoPE: the pairs of this one ladder are dealt to time, height and width (" + sum + " pairs, " +
         (interleaved && interleaved->value ? "interleaved" : "in contiguous sections") +
         "); the three positions of a text token are equal.";
}

}  // namespace

RopeObject read_rope_object(const Section& section) {
  RopeObject rope;
  rope.section = section;
  auto type = section.text("rope_type");
  if (!type) type = section.text("type");
  rope.origin = type ? type->origin : section.path;
  rope.type = type ? type->value : "none";
  for (const Renamed& name : kTypes) {
    if (rope.type == name.in_file) rope.type = name.in_extension;
  }
  rope.note = sections_note(section);
  if (rope.type == "none" || rope.type == "proportional") return rope;
  rope.extension.method = rope.type;
  read_parameters(section, rope.extension);
  return rope;
}

}  // namespace ropescope
