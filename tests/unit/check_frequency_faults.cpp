#include "check_faults.h"
#include "core/rotary/spec.h"

namespace ropescope {

namespace {

using FrequencyFaultCommit = std::function<bool(const CheckCase&, Dump&)>;
using FrequencyFaultParameters = std::function<bool(const CheckCase&, const CheckReport&)>;
using FrequencyFaultTies = std::function<std::string(const CheckCase&)>;

/// Appends to a list of faults.
struct FrequencyFaultAdder {
  std::vector<Fault>& faults;

  void operator()(const std::string& cause, const std::string& variant, const FrequencyFaultCommit& commit,
                  const FrequencyFaultParameters& parameters, const FrequencyFaultTies& tied) const {
    faults.push_back({cause, variant, 'f', commit, parameters, TableForm::once, tied});
  }
};

/// Whether all axes have the base of the first.
bool has_one_base(const CheckCase& one) {
  const std::vector<LayoutAxis>& axes = one.reference.tokens.axes;
  return std::all_of(axes.begin(), axes.end(), [&](const LayoutAxis& axis) { return axis.base == axes[0].base; });
}

void add_bases(const FrequencyFaultAdder& add) {
  const auto rebased = [](double stretch) {
    return [stretch](const CheckCase& one, Dump& dump) {
      if (one.name == "vit-mixed" || one.name == "lucidrains-axial" || one.name == "ltx-video" || one.name == "ltx-2") {
        return false;
      }
      if (is_rope(one)) {
        RotarySpec spec = *one.reference.rope;
        for (RotaryAxis& axis : spec.axes) axis.base *= stretch;
        dump.frequencies =
            true_dump(reference_from_rope(spec, one.reference.length, one.reference.positions)).frequencies;
        return true;
      }
      change_ladders(dump, [&](std::size_t axis, int, int, double old) {
        return std::pow(old, std::log(base_of(one, axis) * stretch) / std::log(base_of(one, axis)));
      });
      return true;
    };
  };
  for (const double stretch : {2.5, 0.7, 50.0}) {
    const auto base_is = [stretch](const CheckCase& one, const CheckReport& report) {
      if (report.causes[0].name != "base") return true;
      // Where axes have bases of their own so have those that were found.
      const std::vector<double> found = list_of(report, "base");
      if (found.empty()) return has_one_base(one) && near(number_of(report, "base"), stretch * base_of(one), 1e-3);
      bool right = !has_one_base(one) && found.size() == one.reference.tokens.axes.size();
      for (std::size_t axis = 0; axis < found.size() && right; ++axis)
        right = near(found[axis], stretch * base_of(one, axis), 1e-2);
      return right;
    };
    const auto tied = [stretch](const CheckCase& one) -> std::string {
      if (!is_rope(one)) return "base";
      const std::string& method = one.reference.rope->extension.method;
      // One geometric ladder: what the config asks for decides.
      if (method == "ntk-aware" && stretch > 0.2) return "scaling-parameters";
      if (method == "dynamic" && stretch > 1) return "length-switch";
      if (one.name == "dynamic" && stretch < 1) return "length-switch";
      return "base";
    };
    add("base", "x" + std::to_string(stretch).substr(0, 4), rebased(stretch), base_is, tied);
  }
}

/// A base of its own for one axis, and another for all but the first.
void add_bases_of_axes(const FrequencyFaultAdder& add) {
  for (const bool only_row : {true, false}) {
    add(
        "base", only_row ? "one axis" : "all but the first axis",
        [=](const CheckCase& one, Dump& dump) {
          const int row = axis_along(one, Along::row);
          if (!has_plain_ladders(one) || is_rope(one) || dump.axes() < 2 || row < 0) return false;
          change_ladders(dump, [&](std::size_t axis, int, int, double old) {
            const bool other = only_row ? static_cast<int>(axis) == row : axis > 0;
            const double base = base_of(one, axis);
            return other ? std::pow(old, std::log(base * 40) / std::log(base)) : old;
          });
          return true;
        },
        [=](const CheckCase& one, const CheckReport& report) {
          const std::vector<double> found = list_of(report, "base");
          const int row = axis_along(one, Along::row);
          // Where the first axis stands still one base is that of all others.
          if (!only_row && found.empty()) return near(number_of(report, "base"), 40 * base_of(one, 1), 1e-2);
          bool right = found.size() == one.reference.tokens.axes.size();
          for (std::size_t axis = 0; axis < found.size() && right; ++axis) {
            const bool other = only_row ? static_cast<int>(axis) == row : axis > 0;
            right = near(found[axis], (other ? 40 : 1) * base_of(one, axis), 1e-2);
          }
          return right;
        },
        nullptr);
  }
}

void add_ladder_faults(const FrequencyFaultAdder& add) {
  const auto shifted = [](int by) {
    return [by](const CheckCase& one, Dump& dump) {
      if (!has_plain_ladders(one)) return false;
      change_ladders(dump, [&](std::size_t axis, int index, int count, double) {
        return std::pow(base_of(one, axis), -static_cast<double>(index + by) / count);
      });
      return true;
    };
  };
  add("frequency-ladder", "shifted down", shifted(1), nullptr, nullptr);
  add("frequency-ladder", "shifted up", shifted(-1), nullptr, nullptr);
  add(
      "frequency-ladder", "inclusive",
      [](const CheckCase& one, Dump& dump) {
        if (!has_plain_ladders(one)) return false;
        change_ladders(dump, [&](std::size_t axis, int index, int count, double) {
          return std::pow(base_of(one, axis), -static_cast<double>(index) / (count - 1));
        });
        return true;
      },
      nullptr, nullptr);
}

void add_rotary_dimension(const FrequencyFaultAdder& add) {
  add(
      "rotary-dimension", "head for axis",
      [](const CheckCase& one, Dump& dump) {
        if (!has_plain_ladders(one)) return false;
        const double head = is_rope(one) ? one.reference.rope->head_dim : 2.0 * static_cast<double>(dump.pairs());
        bool differs = false;
        change_ladders(dump, [&](std::size_t axis, int index, int count, double) {
          differs = differs || 2 * count != head;
          return std::pow(base_of(one, axis), -2.0 * index / head);
        });
        return differs;
      },
      nullptr, nullptr);
}

}  // namespace

std::vector<Fault> frequency_faults() {
  std::vector<Fault> faults;
  const FrequencyFaultAdder add{faults};
  add_bases(add);
  add_bases_of_axes(add);
  add_ladder_faults(add);
  add_rotary_dimension(add);
  for (Fault& fault : dimension_faults()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace ropescope
