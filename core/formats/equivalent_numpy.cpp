#include <string>
#include <utility>
#include <vector>

#include "core/formats/equivalent_parts.h"
#include "core/formats/numpy_layout.h"
#include "core/formats/numpy_words.h"
#include "core/number_text.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

// Python in raw strings, with {name} in place of numbers. Each is the body of ladder(d, base) and leaves `frequency`.

constexpr const char* kPlain = R"(    frequency = base ** (-numpy.arange(0, d, 2) / d)
)";
constexpr const char* kLinear = R"(    frequency = base ** (-numpy.arange(0, d, 2) / d) / {factor}
)";
constexpr const char* kRebased = R"(    base = base * {stretch} ** (d / (d - 2)) if d > 2 else base
    frequency = base ** (-numpy.arange(0, d, 2) / d)
)";
constexpr const char* kMultiplied = R"(    frequency = (base * {factor}) ** (-numpy.arange(0, d, 2) / d)
)";
constexpr const char* kByIndex = R"(    plain = base ** (-numpy.arange(0, d, 2) / d)
    low, high = (d * numpy.log({length} / (2 * numpy.pi * turns)) / (2 * numpy.log(base)) for turns in ({fast}, {slow}))
    low, high = max({low}, 0), min({high}, d - 1)
    kept = 1 - numpy.clip((numpy.arange(d // 2) - low) / ((high - low) or 0.001), 0, 1)
    frequency = plain / {factor} * (1 - kept) + plain * kept
)";
constexpr const char* kEquivalentNumpyByTurns = R"(    plain = base ** (-numpy.arange(0, d, 2) / d)
    turns, slow, fast = {length} * plain / (2 * numpy.pi), {slow}, {fast}
    kept = numpy.clip((turns - slow) / (fast - slow), 0, 1) if fast > slow else 1.0 * (turns >= fast)
    frequency = plain / {factor} * (1 - kept) + plain * kept
)";
constexpr const char* kReleasedParts = R"(    def kept(fast, slow, part):
        low, high = (d * numpy.log({length} / (2 * numpy.pi * r)) / (2 * numpy.log(base)) for r in (fast, slow))
        low, high = max(numpy.floor(low), 0), min(numpy.ceil(high), d - 1)
        return part * (1 - numpy.clip((numpy.arange(d // 2) - low) / ((high - low) or 0.001), 0, 1))
    plain = base ** (-numpy.arange(0, d, 2) / d)
    rebased = (base * {factor} ** (d / (d - 2)) if d > 2 else base) ** (-numpy.arange(0, d, 2) / d)
    ntk, whole = kept({beta_0}, {beta_1}, {ntk_factor}), kept({gamma_0}, {gamma_1}, {extrapolation_factor})
    frequency = (plain / {factor} * (1 - ntk) + rebased * ntk) * (1 - whole) + plain * whole
)";
constexpr const char* kDivided = R"(    frequency = base ** (-numpy.arange(0, d, 2) / d) / numpy.array([{factors}])
)";
constexpr const char* kProportional = R"(    live = numpy.arange(d // 2) < int({live_fraction} * d / 2)
    frequency = live * base ** (-numpy.arange(0, d, 2) / d) / {factor}
)";
constexpr const char* kEquivalentNumpyPixel =
    R"(    frequency = numpy.pi * numpy.linspace(1, {max_frequency} / 2, d // 2)
)";

constexpr const char* kShaped = R"(def rotate(q):  # [tokens, channels] or [tokens, heads, channels]
    c, s = (x.reshape(len(q), *[1] * (q.ndim - 2), -1) for x in (cos, sin))
    n = c.shape[-1]
)";
constexpr const char* kNeighbours = R"(    a, b = q[..., 0:2 * n:2], q[..., 1:2 * n:2]
    turned = numpy.stack([a * c - b * s, a * s + b * c], -1).reshape(*q.shape[:-1], 2 * n)
)";
constexpr const char* kHalves = R"(    a, b = q[..., :n], q[..., n:2 * n]
    turned = numpy.concatenate([a * c - b * s, a * s + b * c], -1)
)";
constexpr const char* kMismatch =
    R"(    a, b, c, s = q[..., :n], q[..., n:2 * n], numpy.repeat(c, 2, -1), numpy.repeat(s, 2, -1)
    turned = q[..., :2 * n] * c + numpy.concatenate([-b, a], -1) * s
)";
constexpr const char* kRest = R"(    return numpy.concatenate([turned, q[..., 2 * n:]], -1))";

using Values = NumpyValues;

/// All numbers of the extension under their names, and the length.
Values values_of(const RotarySpec& spec) {
  Values values;
  for (const auto& [name, value] : with_defaults(spec.extension).numbers) values.emplace_back(name, number_text(value));
  values.emplace_back("length", number_text(spec.trained_length.value_or(0)));
  return values;
}

std::string by_index(Values values, bool truncate) {
  values.emplace_back("low", truncate ? R"(numpy.floor(low))" : "low");
  values.emplace_back("high", truncate ? R"(numpy.ceil(high))" : "high");
  return filled(kByIndex, values);
}

Values with_ramp(Values values, const Extension& extension, const char* fast, const char* slow) {
  values.emplace_back("fast", number_text(*number_in(extension, fast)));
  values.emplace_back("slow", number_text(*number_in(extension, slow)));
  return values;
}

/// The list that holds at the length.
std::string factors_text(const RotarySpec& spec, double length) {
  const char* name = length > *spec.trained_length ? "long_factors" : "short_factors";
  std::string text;
  for (const double factor : spec.extension.lists.at(name)) text += (text.empty() ? "" : ", ") + number_text(factor);
  return text;
}

/// Body of ladder(d, base) under the extension of the spec.
std::string body_of(const RotarySpec& spec, const std::optional<double>& at) {
  const Extension& extension = spec.extension;
  const std::string& method = extension.method;
  Values values = values_of(spec);
  const double trained = spec.trained_length.value_or(0), length = at.value_or(trained);
  const auto value = [&](const char* name) { return *number_in(extension, name); };
  if (method == "linear") return filled(kLinear, values);
  if (method == "ntk-aware") return filled(kRebased, {{"stretch", number_text(value("factor"))}});
  if (method == "ntk-alpha") return filled(kRebased, {{"stretch", number_text(value("ntk_alpha"))}});
  if (method == "diffusers-ntk") return filled(kMultiplied, values);
  if (method == "dynamic" && length > trained) {
    values.emplace_back("l", number_text(length));
    return filled(kRebased, {{"stretch", filled("({factor} * {l} / {length} - ({factor} - 1))", values)}});
  }
  if (method == "yarn" && value("paper_ramp") == 0) {
    return by_index(with_ramp(values, extension, "beta_fast", "beta_slow"), value("truncate") != 0);
  }
  if (method == "yarn") return filled(kEquivalentNumpyByTurns, with_ramp(values, extension, "beta_fast", "beta_slow"));
  if (method == "dynamic-yarn" && length > trained) {
    values.emplace_back("factor", number_text(length / trained));
    return by_index(with_ramp(values, extension, "beta_fast", "beta_slow"), true);
  }
  if (method == "ntk-by-parts") return filled(kEquivalentNumpyByTurns, with_ramp(values, extension, "beta", "alpha"));
  if (method == "ntk-by-parts-released") return filled(kReleasedParts, values);
  if (method == "llama3") {
    return filled(kEquivalentNumpyByTurns,
                  with_ramp(values, extension, "high_frequency_factor", "low_frequency_factor"));
  }
  if (method == "longrope") return filled(kDivided, {{"factors", factors_text(spec, length)}});
  if (method == "proportional") return filled(kProportional, values);
  if (method == "pixel") return filled(kEquivalentNumpyPixel, values);
  return kPlain;
}

/// A ladder of its own, where an axis has one.
std::string call_of(const RotaryAxis& axis) {
  std::string call = "ladder(" + std::to_string(axis.rotary_dim) + ", " + number_text(axis.base) + ")";
  if (axis.ladder == Ladder::plain) return call;
  if (axis.live_fraction != 1) {
    const std::string pairs = std::to_string(axis.rotary_dim / 2);
    call += " * (numpy.arange(" + pairs + ") < int(" + number_text(axis.live_fraction) + " * " + pairs + "))";
  }
  return axis.factor == 1 ? call : call + " / " + number_text(axis.factor);
}

Equivalent say_equivalent_numpy(const EquivalentOf& of) {
  Equivalent equivalent;
  equivalent.text = R"(import numpy
)";
  for (const Profile& profile : of.profiles) {
    if (of.profiles.size() > 1) equivalent.text += "\n# " + profile.name + "\n";
    equivalent.text += numpy_ladder(profile.spec, of.length);
    if (&profile != &of.profiles.back()) equivalent.text += "\n";
  }
  return equivalent;
}

Equivalent say_layout(const Layout& layout, const LayoutRequest& request) {
  return {numpy_layout(arrange(layout, request), request), {}};
}

}  // namespace

std::string filled(std::string text, const NumpyValues& values) {
  for (const auto& [name, value] : values) {
    const std::string place = "{" + name + "}";
    for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size())) {
      text.replace(at, place.size(), value);
    }
  }
  return text;
}

std::string numpy_ladder(const RotarySpec& spec, const std::optional<double>& length) {
  std::string text = R"(def ladder(d, base):
)" + body_of(spec, length) +
                     R"(    return frequency
)";
  std::string calls;
  for (const RotaryAxis& axis : spec.axes) calls += (calls.empty() ? "" : ", ") + call_of(axis);
  if (spec.axes.size() > 1) calls = "numpy.concatenate([" + calls + "])";
  return text + "frequency = " + calls + "\namplitude = " + number_text(head_ladder(spec, length).amplitude);
}

std::string numpy_rotation(Pairing pairing, bool mismatch) {
  const char* turned = mismatch ? kMismatch : pairing == Pairing::interleaved ? kNeighbours : kHalves;
  return std::string(kShaped) + turned + kRest;
}

/// ladder(d, base) by the formula of the method, then `frequency` and `amplitude`; one block for each profile.
extern constinit const OtherWords kNumpyWords{
    .name = "numpy", .source = "numpy.org", .of = say_equivalent_numpy, .of_layout = say_layout};

}  // namespace ropescope
