#include "check_faults.h"
#include "core/scaling/scaling.h"

namespace ropescope {

namespace {

using Change = std::function<bool(RotarySpec&, std::optional<double>&)>;

/// Another spec or length in place of the true one.
std::function<bool(const CheckCase&, Dump&)> respecified(const Change& change) {
  return [change](const CheckCase& one, Dump& dump) {
    if (!is_rope(one)) return false;
    RotarySpec spec = *one.reference.rope;
    std::optional<double> length = one.reference.length;
    if (!change(spec, length)) return false;
    const Dump other = true_dump(reference_from_rope(spec, length, one.reference.positions));
    dump.frequencies = other.frequencies;
    dump.amplitude = other.amplitude;
    return true;
  };
}

bool asks(const RotarySpec& spec, const char* method) {
  return spec.extension.method == method;
}

using ScalingFaultParameters = std::function<bool(const CheckCase&, const CheckReport&)>;
using ScalingFaultTies = std::function<std::string(const CheckCase&)>;

/// Appends to a list of faults.
struct ScalingFaultAdder {
  std::vector<Fault>& faults;

  void operator()(const std::string& cause, const std::string& variant, const Change& change,
                  const ScalingFaultParameters& parameters, const ScalingFaultTies& tied) const {
    faults.push_back({cause, variant, 'f', respecified(change), parameters, TableForm::once, tied});
  }
};

void add_missing_and_factors(const ScalingFaultAdder& add) {
  add(
      "scaling-missing", "",
      [](RotarySpec& spec, std::optional<double>&) {
        const bool extended = !asks(spec, "none");
        spec.extension = Extension{};
        return extended;
      },
      nullptr, nullptr);
  const auto factor_is = [](double times) {
    return [times](const CheckCase& one, const CheckReport& report) {
      return report.causes[0].name != "scaling-parameters" ||
             near(number_of(report, "factor"), times * one.reference.rope->extension.numbers.at("factor"), 1e-2);
    };
  };
  for (const double times : {2.0, 1.3}) {
    add(
        "scaling-parameters", "factor x" + std::to_string(times).substr(0, 3),
        [times](RotarySpec& spec, std::optional<double>&) {
          if (asks(spec, "none") || asks(spec, "longrope") || spec.extension.numbers.count("factor") == 0) return false;
          spec.extension.numbers["factor"] *= times;
          return true;
        },
        factor_is(times),
        [](const CheckCase& one) { return one.name == "dynamic" ? "length-switch" : "scaling-parameters"; });
  }
}

void add_parameters(const ScalingFaultAdder& add) {
  add(
      "scaling-parameters", "trained length",
      [](RotarySpec& spec, std::optional<double>&) {
        if (!asks(spec, "yarn") && !asks(spec, "llama3") && !asks(spec, "ntk-by-parts")) return false;
        *spec.trained_length *= 4;
        return true;
      },
      nullptr, nullptr);
  add(
      "scaling-parameters", "truncate",
      [](RotarySpec& spec, std::optional<double>&) {
        spec.extension.numbers["truncate"] = 0;
        return asks(spec, "yarn");
      },
      [](const CheckCase&, const CheckReport& report) { return number_of(report, "truncate") == 0; }, nullptr);
  add(
      "scaling-parameters", "beta_fast",
      [](RotarySpec& spec, std::optional<double>&) {
        spec.extension.numbers["beta_fast"] = 16;
        return asks(spec, "yarn");
      },
      nullptr, nullptr);
}

void add_switch_faults(const ScalingFaultAdder& add) {
  add(
      "length-switch", "other list",
      [](RotarySpec& spec, std::optional<double>& length) {
        length = 1000;
        return asks(spec, "longrope");
      },
      [](const CheckCase&, const CheckReport& report) { return text_of(report, "list") == "short"; }, nullptr);
  add(
      "length-switch", "other length",
      [](RotarySpec& spec, std::optional<double>& length) {
        length = 9000;
        return asks(spec, "dynamic");
      },
      [](const CheckCase&, const CheckReport& report) { return near(number_of(report, "length"), 9000, 1e-2); },
      nullptr);
}

void add_kinds(const ScalingFaultAdder& add) {
  for (const char* method : {"linear", "ntk-aware", "yarn", "ntk-by-parts", "llama3"}) {
    add(
        "scaling-kind", method,
        [method](RotarySpec& spec, std::optional<double>&) {
          if (asks(spec, "none") || asks(spec, method) || asks(spec, "dynamic") || asks(spec, "longrope")) return false;
          if (spec.extension.numbers.count("factor") == 0) return false;
          const double factor = spec.extension.numbers["factor"];
          spec.extension = {method, {{"factor", factor}}, {}};
          if (std::string(method) == "llama3") {
            spec.extension.numbers["low_frequency_factor"] = 1;
            spec.extension.numbers["high_frequency_factor"] = 4;
          }
          return true;
        },
        nullptr, nullptr);
  }
}

/// A ramp over a length of its own, where the method of the config needs none (Gemma 3).
void add_ramps(const ScalingFaultAdder& add) {
  for (const char* method : {"llama3", "yarn"}) {
    add(
        "scaling-kind", std::string(method) + " over 8192",
        [method](RotarySpec& spec, std::optional<double>&) {
          if (!asks(spec, "linear")) return false;
          const double factor = spec.extension.numbers["factor"];
          spec.extension = {method, {{"factor", factor}}, {}};
          if (std::string(method) == "llama3") {
            spec.extension.numbers["low_frequency_factor"] = 1;
            spec.extension.numbers["high_frequency_factor"] = 4;
          }
          spec.trained_length = 8192;
          return true;
        },
        [method](const CheckCase&, const CheckReport& report) {
          return text_of(report, "kind") == method && number_of(report, "trained_length") == 8192;
        },
        nullptr);
  }
}

}  // namespace

std::vector<Fault> scaling_faults() {
  std::vector<Fault> faults;
  const ScalingFaultAdder add{faults};
  add_missing_and_factors(add);
  add_parameters(add);
  add_switch_faults(add);
  add_kinds(add);
  add_ramps(add);
  return faults;
}

}  // namespace ropescope
