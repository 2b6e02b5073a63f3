#include "check_faults.h"

#include <algorithm>
#include <cmath>

#include "core/precision/precision.h"
#include "core/rotary/frequencies.h"

namespace ropescope {

namespace {

double half_unit_at(Storage storage, double value) {
  const int bits = storage == Storage::bfloat16 ? 8 : storage == Storage::float16 ? 11 : 24;
  // Below its smallest normal number float16 keeps no more digits.
  const int least = storage == Storage::float16 ? -14 : -126;
  return std::ldexp(1.0, std::max(value == 0 ? least : std::ilogb(value), least) - bits);
}

/// What a right number may be off by: a whole unit of the format, and one of float32 for what was computed before.
double whole_unit_at(Storage storage, double value) {
  const double of_float32 = storage == Storage::float32 ? 0 : 2 * half_unit_at(Storage::float32, value);
  return 2 * half_unit_at(storage, value) + of_float32;
}

double stored(const Dump& dump, std::size_t row, std::size_t pair, bool sine) {
  const double angle = dump.angle(row, pair) * (dump.conjugate ? -1 : 1);
  const double exact = dump.amplitude * (sine ? std::sin(angle) : std::cos(angle));
  return dump.round_table ? dump.round_table(exact) : exact;
}

/// Largest size of what an angle is a sum of: a float32 computation errs by a part of it.
double reach_of(const Dump& dump, std::size_t row, std::size_t pair) {
  double reach = 0;
  for (std::size_t axis = 0; axis < dump.axes(); ++axis) {
    const double given = dump.ids[row][axis];
    const double id = std::max(std::abs(given), given == std::floor(given) ? 0.0 : 1.0);
    reach +=
        std::abs(dump.frequencies[axis][pair]) * (std::abs(dump.id_scale[axis]) * id + std::abs(dump.id_offset[axis]));
  }
  return reach;
}

std::vector<double> numbers_of(const StoredTensor& tensor) {
  std::vector<double> numbers(static_cast<std::size_t>(tensor.count()));
  read_rows(tensor, 0, tensor.shape[0], numbers.data());
  return numbers;
}

/// The same for vectors x and y of a pair, each number by its own size: what is rounded on the way (cos, sin, two
/// products and their sum) is of the size of |x| + |y|.
bool is_visible_in_vectors(const Dump& truth, const Dump& faulty, Storage storage) {
  CheckInputs due, given;
  put_vectors(due, truth, Storage::float64);
  put_vectors(given, faulty, storage);
  const std::vector<double> before = numbers_of(*due.before), expected = numbers_of(*due.after),
                            found = numbers_of(*given.after);
  const std::size_t pairs = truth.pairs(), channels = 2 * pairs, in_row = before.size() / truth.rows();
  constexpr double kRoundings = 3;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t channel = i % channels, first = i - channel;
    const bool adjacent = truth.companions == Pairing::interleaved;
    const std::size_t companion = first + (adjacent ? channel ^ 1 : (channel + pairs) % channels);
    const std::size_t pair = truth.repeats == Pairing::interleaved ? channel / 2 : channel % pairs;
    const double length = (std::abs(before[i]) + std::abs(before[companion])) * std::abs(truth.amplitude);
    const double tolerance = whole_unit_at(storage, expected[i]) + kRoundings * half_unit_at(storage, length) +
                             7e-7 * (1 + reach_of(truth, i / in_row, pair)) * length;
    if (std::abs(found[i] - expected[i]) > 1.01 * tolerance) return true;
  }
  return false;
}

}  // namespace

bool near(double a, double b, double relative) {
  return std::abs(a - b) <= relative * std::abs(b);
}

bool is_rope(const CheckCase& one) {
  return one.reference.rope.has_value();
}

double base_of(const CheckCase& one, std::size_t axis) {
  return one.reference.tokens.axes[axis].base;
}

int axis_along(const CheckCase& one, Along along) {
  for (const TokenBlock& block : one.reference.tokens.blocks) {
    for (std::size_t axis = 0; axis < block.ids.size(); ++axis) {
      if (block.ids[axis].along == along) return static_cast<int>(axis);
    }
  }
  return -1;
}

bool has_plain_ladders(const CheckCase& one) {
  if (is_rope(one)) {
    // Pixtral's axes share the rungs of one ladder: the second begins below 1.
    const bool begin_at_1 = (one.reference.tokens.frequencies.rowwise().maxCoeff().array() == 1).all();
    return one.reference.rope->extension.method == "none" && begin_at_1;
  }
  static const std::vector<std::string> kOthers = {"vit-mixed", "lucidrains-axial", "pixtral",
                                                   "qwen2-vl",  "qwen3-vl",         "ltx-video"};
  return std::find(kOthers.begin(), kOthers.end(), one.name) == kOthers.end();
}

void change_ladders(Dump& dump, const std::function<double(std::size_t, int, int, double)>& of) {
  for (std::size_t axis = 0; axis < dump.axes(); ++axis) {
    const auto turning = [](double frequency) { return frequency != 0; };
    std::vector<double>& frequencies = dump.frequencies[axis];
    const auto count = static_cast<int>(std::count_if(frequencies.begin(), frequencies.end(), turning));
    int index = 0;
    for (double& frequency : frequencies) {
      if (frequency != 0) frequency = of(axis, index++, count, frequency);
    }
  }
}

bool is_visible(const Dump& truth, const Dump& faulty, Storage storage, bool in_vectors) {
  if (truth.rows() != faulty.rows() || truth.pairs() != faulty.pairs()) return true;
  if (in_vectors) return is_visible_in_vectors(truth, faulty, storage);
  const auto rounding = storage == Storage::bfloat16  ? round_to_bfloat16
                        : storage == Storage::float16 ? round_to_float16
                                                      : round_to_float32;
  for (std::size_t row = 0; row < truth.rows(); ++row) {
    for (std::size_t pair = 0; pair < truth.pairs(); ++pair) {
      const double reach = reach_of(truth, row, pair);
      for (const bool sine : {false, true}) {
        const double expected = stored(truth, row, pair, sine), found = rounding(stored(faulty, row, pair, sine));
        // An amplitude is rounded, multiplies, and is rounded again.
        const double of_amplitude = std::abs(truth.amplitude) == 1 ? 0 : 3 * half_unit_at(Storage::float32, expected);
        const double tolerance =
            whole_unit_at(storage, expected) + of_amplitude + 7e-7 * reach * std::abs(truth.amplitude) + 1e-15;
        if (std::abs(found - expected) > 1.01 * tolerance) return true;
      }
    }
  }
  return false;
}

CheckInputs inputs_of(const Dump& faulty, Storage storage, std::initializer_list<const Fault*> faults) {
  CheckInputs inputs;
  const auto any = [&](const auto& of) { return std::any_of(faults.begin(), faults.end(), of); };
  if (any([](const Fault* fault) { return fault->vectors; })) {
    put_vectors(inputs, faulty, storage);
    return inputs;
  }
  const bool repeated = any([](const Fault* fault) { return fault->form == TableForm::repeated; });
  return tables_of(faulty, storage, repeated ? TableForm::repeated : TableForm::once);
}

std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (const auto& some : {id_faults(), frequency_faults(), scaling_faults(), channel_faults(), value_faults()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<Fault> value_faults() {
  std::vector<Fault> faults;
  const auto add = [&](const std::string& cause, const std::string& variant, auto commit, auto parameters) {
    faults.push_back({cause, variant, 'v', commit, parameters, TableForm::once, nullptr});
  };
  add(
      "amplitude", "1.3",
      [](const CheckCase&, Dump& dump) {
        dump.amplitude *= 1.3;
        return true;
      },
      [](const CheckCase& one, const CheckReport& report) {
        return near(number_of(report, "amplitude"), 1.3 * one.reference.amplitude, 1e-3);
      });
  add(
      "amplitude", "squared",
      [](const CheckCase&, Dump& dump) {
        dump.amplitude *= dump.amplitude;
        return dump.amplitude != 1;
      },
      [](const CheckCase& one, const CheckReport& report) {
        return near(number_of(report, "amplitude"), one.reference.amplitude * one.reference.amplitude, 1e-3);
      });
  add(
      "sign", "",
      [](const CheckCase&, Dump& dump) {
        dump.conjugate = true;
        return true;
      },
      nullptr);
  for (const bool brain : {true, false}) {
    const auto rounding = brain ? round_to_bfloat16 : round_to_float16;
    const std::string name = brain ? "bfloat16" : "float16";
    const auto says = [name](const CheckCase&, const CheckReport& report) { return text_of(report, "format") == name; };
    add(
        "table-format", name,
        [rounding](const CheckCase&, Dump& dump) {
          dump.round_table = rounding;
          return true;
        },
        says);
    add(
        "frequency-format", name,
        [rounding](const CheckCase&, Dump& dump) {
          dump.round_frequency = rounding;
          return true;
        },
        says);
    add(
        "position-format", name,
        [rounding](const CheckCase&, Dump& dump) {
          dump.round_id = rounding;
          return true;
        },
        says);
  }
  return faults;
}

std::vector<Fault> frequency_faults() {
  std::vector<Fault> faults;
  const auto add = [&](const std::string& cause, const std::string& variant, auto commit, auto parameters, auto tied) {
    faults.push_back({cause, variant, 'f', commit, parameters, TableForm::once, tied});
  };
  const std::function<std::string(const CheckCase&)> no_tie;
  const auto rebased = [](double stretch) {
    return [stretch](const CheckCase& one, Dump& dump) {
      if (one.name == "vit-mixed" || one.name == "lucidrains-axial" || one.name == "ltx-video" ||
          one.name == "custom") {
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
      const std::string& first = report.causes[0].name;
      return first != "base" || near(number_of(report, "base"), stretch * base_of(one), 1e-3);
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
  // A base of its own for one axis, and another for all but the first.
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
        no_tie);
  }
  const auto shifted = [](int by) {
    return [by](const CheckCase& one, Dump& dump) {
      if (!has_plain_ladders(one)) return false;
      change_ladders(dump, [&](std::size_t axis, int index, int count, double) {
        return std::pow(base_of(one, axis), -static_cast<double>(index + by) / count);
      });
      return true;
    };
  };
  add("frequency-ladder", "shifted down", shifted(1), nullptr, no_tie);
  add("frequency-ladder", "shifted up", shifted(-1), nullptr, no_tie);
  add(
      "frequency-ladder", "inclusive",
      [](const CheckCase& one, Dump& dump) {
        if (!has_plain_ladders(one)) return false;
        change_ladders(dump, [&](std::size_t axis, int index, int count, double) {
          return std::pow(base_of(one, axis), -static_cast<double>(index) / (count - 1));
        });
        return true;
      },
      nullptr, no_tie);
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
      nullptr, no_tie);
  for (Fault& fault : dimension_faults()) faults.push_back(std::move(fault));
  return faults;
}

std::vector<Fault> channel_faults() {
  std::vector<Fault> faults;
  Fault repeated{"pairing",
                 "",
                 'c',
                 [](const CheckCase& one, Dump& dump) {
                   // Equal axes at equal positions repeat either way.
                   if (is_rope(one) && one.reference.tokens.axes.size() > 1) return false;
                   const auto other = [](Pairing pairing) {
                     return pairing == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
                   };
                   dump.repeats = other(dump.repeats);
                   dump.companions = dump.repeats;
                   return true;
                 },
                 nullptr,
                 TableForm::repeated,
                 nullptr};
  faults.push_back(repeated);
  Fault mismatch{"table-rotation-mismatch",
                 "",
                 'c',
                 [](const CheckCase& one, Dump& dump) {
                   dump.companions =
                       dump.companions == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
                   return !one.reference.tokens.table_mismatch;
                 },
                 nullptr,
                 TableForm::repeated,
                 nullptr,
                 true};
  faults.push_back(mismatch);
  const auto deal = [](const CheckCase& one, Dump& dump, const std::vector<std::pair<std::size_t, int>>& shares) {
    for (auto& of_axis : dump.frequencies) std::fill(of_axis.begin(), of_axis.end(), 0.0);
    std::size_t first = 0;
    for (const auto& [axis, pairs] : shares) {
      for (int i = 0; i < pairs; ++i) {
        dump.frequencies[axis][first++] = std::pow(base_of(one, axis), -static_cast<double>(i) / pairs);
      }
    }
  };
  const auto blocks = [](const CheckCase& one) {
    return !is_rope(one) && has_plain_ladders(one) && one.reference.tokens.axes.size() >= 2;
  };
  faults.push_back({"axis-dimensions", "other numbers", 'c',
                    [=](const CheckCase& one, Dump& dump) {
                      if (!blocks(one)) return false;
                      std::vector<std::pair<std::size_t, int>> shares;
                      for (std::size_t axis = 0; axis < dump.axes(); ++axis) {
                        shares.emplace_back(axis, one.reference.tokens.axes[axis].rotary_dim / 2);
                      }
                      shares.front().second += 4;
                      shares.back().second -= 4;
                      deal(one, dump, shares);
                      return true;
                    },
                    [](const CheckCase& one, const CheckReport& report) {
                      std::vector<double> dims;
                      for (const LayoutAxis& axis : one.reference.tokens.axes) dims.push_back(axis.rotary_dim);
                      dims.front() += 8;
                      dims.back() -= 8;
                      return list_of(report, "dimensions") == dims;
                    },
                    TableForm::once, nullptr});
  faults.push_back(
      {"axis-dimensions", "other order", 'c',
       [=](const CheckCase& one, Dump& dump) {
         const auto& axes = one.reference.tokens.axes;
         if (!blocks(one) || axes.size() != 3 || axes[0].rotary_dim == axes[1].rotary_dim) return false;
         deal(one, dump, {{1, axes[1].rotary_dim / 2}, {2, axes[2].rotary_dim / 2}, {0, axes[0].rotary_dim / 2}});
         return true;
       },
       nullptr, TableForm::once, nullptr});
  faults.push_back(
      {"section-layout", "", 'c',
       [](const CheckCase& one, Dump& dump) {
         const bool contiguous = one.name == "qwen2-vl";
         if (!contiguous && one.name != "qwen3-vl") return false;
         std::vector<std::size_t> sections(one.reference.request.sections.begin(),
                                           one.reference.request.sections.end());
         if (sections.empty())
           sections = contiguous ? std::vector<std::size_t>{16, 24, 24} : std::vector<std::size_t>{24, 20, 20};
         for (std::size_t pair = 0; pair < dump.pairs(); ++pair) {
           const double frequency = dump.frequencies[0][pair] + dump.frequencies[1][pair] + dump.frequencies[2][pair];
           std::size_t owner = 0;
           if (contiguous) {
             owner = pair % 3 != 0 && pair < 3 * sections[pair % 3] ? pair % 3 : 0;
           } else {
             owner = pair < sections[0] ? 0 : pair < sections[0] + sections[1] ? 1 : 2;
           }
           for (std::size_t axis = 0; axis < 3; ++axis) dump.frequencies[axis][pair] = axis == owner ? frequency : 0;
         }
         return true;
       },
       nullptr, TableForm::once, nullptr});
  return faults;
}

}  // namespace ropescope
