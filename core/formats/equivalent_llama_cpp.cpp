#include <cmath>

#include "core/formats/equivalent_parts.h"
#include "core/number_text.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

constexpr const char* kEquivalentLlamaCppProgram = "llama.cpp";

class Options {
 public:
  void add(const char* name, const std::string& value) {
    text_ += text_.empty() ? "" : " ";
    text_ += std::string("--") + name + ' ' + value;
  }
  void add(const char* name, double value) { add(name, number_text(value)); }
  std::string text() const { return text_; }

 private:
  std::string text_;
};

/// The amplitude of YaRN without an attention factor, 0.1·ln s + 1, which llama.cpp multiplies by itself.
double own_amplitude(double factor) {
  return factor > 1 ? 0.1 * std::log(factor) + 1 : 1;
}

void say_amplitude_equivalent_llama_cpp(double amplitude, double factor, Options& options, Equivalent& equivalent) {
  const double rest = amplitude / own_amplitude(factor);
  const bool own = std::abs(rest - 1) < 1e-6;
  options.add("yarn-attn-factor", own ? 1 : rest);
  if (own) return;
  // Since pull request 17945 the option is overwritten where YaRN is on; the file's own number is not.
  equivalent.unsaid.push_back(
      {"equivalent.yarn_amplitude",
       {{"amplitude", amplitude}, {"own", own_amplitude(factor)}, {"option", "--yarn-attn-factor"}, {"rest", rest}}});
}

void say_yarn(const RotarySpec& spec, Options& options, Equivalent& equivalent) {
  const double factor = *number_in(spec.extension, "factor");
  options.add("rope-scaling", "yarn");
  options.add("rope-freq-base", spec.axes.front().base);
  options.add("rope-freq-scale", 1 / factor);
  options.add("yarn-orig-ctx", *spec.trained_length);
  options.add("yarn-ext-factor", 1);
  say_amplitude_equivalent_llama_cpp(head_ladder(spec).amplitude, factor, options, equivalent);
  options.add("yarn-beta-fast", *number_in(spec.extension, "beta_fast"));
  options.add("yarn-beta-slow", *number_in(spec.extension, "beta_slow"));
  if (*number_in(spec.extension, "truncate") == 0) equivalent.unsaid.emplace_back("equivalent.rounded_ramp");
  if (*number_in(spec.extension, "paper_ramp") != 0) equivalent.unsaid.emplace_back("equivalent.ramp_of_index");
}

/// The sentence of a method that llama.cpp knows as factors of each pair in the file; null for any other.
const char* factors_of(const std::string& method) {
  if (method == "longrope") return "equivalent.factor_lists";
  return method == "llama3" || method == "proportional" ? "equivalent.factors" : nullptr;
}

/// One base, with or without a factor for all pairs: none, linear and the NTK kinds.
bool say_base(const EquivalentOf& of, const RotarySpec& spec, Options& options) {
  const double amplitude = head_ladder(spec, of.length).amplitude;
  if (spec.extension.method == "linear") {
    options.add("rope-scaling", "linear");
    options.add("rope-freq-base", spec.axes.front().base);
    options.add("rope-freq-scale", 1 / *number_in(spec.extension, "factor"));
  } else if (const auto base = base_of_all(spec, of.length)) {
    options.add("rope-scaling", "none");
    options.add("rope-freq-base", *base);
  } else {
    return false;
  }
  if (amplitude != 1) options.add("yarn-attn-factor", amplitude);
  return true;
}

void say_first(const EquivalentOf& of, const Profile& profile, Equivalent& equivalent) {
  const RotarySpec& spec = profile.spec;
  if (spec.axes.size() != 1) return equivalent.unsaid.push_back(several_axes(profile, kEquivalentLlamaCppProgram));
  Options options;
  const std::string& method = spec.extension.method;
  if (method == "yarn" && spec.axes.front().ladder == Ladder::plain) {
    say_yarn(spec, options, equivalent);
  } else if (const char* sentence = factors_of(method)) {
    equivalent.unsaid.push_back({sentence, {{"method", method}}});
    options.add("rope-scaling", "none");
    options.add("rope-freq-base", spec.axes.front().base);
  } else if (!say_base(of, spec, options)) {
    return equivalent.unsaid.push_back(
        {"equivalent.no_method", {{"method", method}, {"program", kEquivalentLlamaCppProgram}}});
  } else {
    note_length(of, spec, equivalent);
  }
  equivalent.text = options.text();
  const char* pairs = spec.pairing == Pairing::interleaved ? "interleaved" : "half";
  equivalent.unsaid.push_back(
      {"equivalent.of_file", {{"pairing", pairs}, {"rotary", total_rotary_dim(spec)}, {"head", spec.head_dim}}});
}

Equivalent say_equivalent_llama_cpp(const EquivalentOf& of) {
  Equivalent equivalent;
  bool first = true;
  for (const Profile& profile : of.profiles) {
    const bool sliding = profile.name.find("sliding") == 0;
    if (first && !sliding) {
      say_first(of, profile, equivalent);
    } else {
      equivalent.unsaid.push_back(
          {"equivalent.layers_of_file", {{"profile", profile.name}, {"program", kEquivalentLlamaCppProgram}}});
    }
    first = false;
  }
  return equivalent;
}

}  // namespace

/// --rope-scaling, --rope-freq-base, --rope-freq-scale, --yarn-…: one line. YaRN's cos and sin are multiplied by
/// --yarn-attn-factor times 0.1·ln s + 1; other methods' by --yarn-attn-factor alone.
extern constinit const OtherWords kLlamaCppWords{
    .name = kEquivalentLlamaCppProgram,
    .source = "ggml-org/llama.cpp common/arg.cpp, src/llama-context.cpp; ggml src/ggml-cpu/ops.cpp rope_yarn",
    .of = say_equivalent_llama_cpp};

}  // namespace ropescope
