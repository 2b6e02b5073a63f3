#include "check_faults.h"

#include "core/check/model/model.h"
#include "core/precision/precision.h"
#include "core/rotary/spec.h"

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

double compute_stored_cell(const Dump& dump, std::size_t row, std::size_t pair, bool sine) {
  const double angle = dump.angle(row, pair) * (dump.conjugate ? -1 : 1);
  const double exact = dump.amplitude * (sine != dump.exchanged ? std::sin(angle) : std::cos(angle));
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

/// The same for vectors x and y of a pair, each number by its own size: what is rounded on the way (cos, sin, two
/// products and their sum) is of the size of |x| + |y|.
bool is_visible_in_vectors(const Dump& truth, const Dump& faulty, Storage storage) {
  CheckInputs due = vectors_in(truth, Storage::float64);
  CheckInputs given = vectors_in(faulty, storage);
  const std::vector<double> before = numbers_of(*due.before), expected = numbers_of(*due.after),
                            found = numbers_of(*given.after);
  const std::size_t pairs = truth.pairs(), channels = 2 * pairs, in_row = before.size() / truth.rows();
  constexpr double kRoundings = 3;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t channel = i % channels, first = i - channel;
    const std::size_t companion = first + truth.companion_of(channel), pair = truth.pair_of(channel);
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

bool is_taught(const CheckCase& one, const Fault& fault) {
  // Rows of HunYuan-VL end in a separate token: sizes are sought among grids that have none.
  return one.name != "hunyuan-vl" || fault.cause != "length" || fault.variant != "another size";
}

bool has_plain_ladders(const CheckCase& one) {
  if (is_rope(one)) {
    // Pixtral's axes share the rungs of one ladder: the second begins below 1.
    const bool begin_at_1 = (one.reference.tokens.frequencies.rowwise().maxCoeff().array() == 1).all();
    return one.reference.rope->extension.method == "none" && begin_at_1;
  }
  static const std::vector<std::string> kOthers = {
      "vit-mixed",       "lucidrains-axial", "pixtral",    "qwen2-vl", "qwen3-vl",     "ltx-video",  "ltx-2",
      "hunyuan-image-3", "qwen2.5-omni",     "qwen3-omni", "glm-4v",   "ernie-4.5-vl", "hunyuan-vl", "moonvit"};
  return std::find(kOthers.begin(), kOthers.end(), one.name) == kOthers.end();
}

void reverse_ladders(Dump& dump) {
  for (std::vector<double>& frequencies : dump.frequencies) {
    std::vector<double> turning;
    std::copy_if(frequencies.begin(), frequencies.end(), std::back_inserter(turning),
                 [](double frequency) { return frequency != 0; });
    for (double& frequency : frequencies) {
      if (frequency == 0) continue;
      frequency = turning.back();
      turning.pop_back();
    }
  }
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
        const double expected = compute_stored_cell(truth, row, pair, sine),
                     found = rounding(compute_stored_cell(faulty, row, pair, sine));
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

std::vector<CheckCell> cells_of(const std::vector<CheckCase>& cases) {
  std::vector<CheckCell> cells;
  for (const CheckCase& one : cases) {
    for (const Storage storage : {Storage::float32, Storage::bfloat16}) cells.push_back({&one, storage});
  }
  return cells;
}

bool exists(const Fault& fault, const CheckCell& cell) {
  // What is rounded to bfloat16 anyway has no other table format.
  if (fault.cause == "table-format" && cell.storage == Storage::bfloat16) return false;
  const Dump truth = true_dump(cell.one->reference);
  Dump faulty = truth;
  if (!fault.commit(*cell.one, faulty)) return false;
  return fault.form == TableForm::repeated || is_visible(truth, faulty, cell.storage);
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
    faults.push_back({cause, variant, 'v', commit, parameters});
  };
  add("amplitude", "1.3", on_any([](Dump& dump) { dump.amplitude *= 1.3; }),
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
  add("sign", "", on_any([](Dump& dump) { dump.conjugate = true; }), nullptr);
  for (const bool brain : {true, false}) {
    const auto rounding = brain ? round_to_bfloat16 : round_to_float16;
    const std::string name = brain ? "bfloat16" : "float16";
    const auto says = is_said("format", name);
    add("table-format", name, on_any([rounding](Dump& dump) { dump.round_table = rounding; }), says);
    add("frequency-format", name, on_any([rounding](Dump& dump) { dump.round_frequency = rounding; }), says);
    add("position-format", name, on_any([rounding](Dump& dump) { dump.round_id = rounding; }), says);
  }
  return faults;
}

std::vector<Fault> port_faults() {
  std::vector<Fault> faults;
  const auto add = [&](const std::string& cause, const std::string& variant, char group, auto commit, auto parameters) {
    faults.push_back({cause, variant, group, commit, parameters});
  };
  add("cos-sin-exchanged", "", 'v', on_any([](Dump& dump) { dump.exchanged = true; }), nullptr);
  for (const bool brain : {true, false}) {
    const auto rounding = brain ? round_to_bfloat16 : round_to_float16;
    const std::string name = brain ? "bfloat16" : "float16";
    add("angle-format", name, 'v', on_any([rounding](Dump& dump) { dump.round_angle = rounding; }),
        is_said("format", name));
  }
  add("frequency-ladder", "reversed", 'f', on_any([](Dump& dump) { reverse_ladders(dump); }),
      is_said("kind", "reversed"));
  // i // W', i % W' for the token with number i: W' is the width of a padded latent.
  const auto strided = [](const CheckCase& one, Dump& dump) {
    const int row = axis_along(one, Along::row), column = axis_along(one, Along::column);
    if (row < 0 || column < 0 || image_of(one).part != "image") return false;
    const std::vector<std::vector<double>> old = dump.ids;
    for (const TokenBlock& block : one.reference.tokens.blocks) {
      if (!is_grid(block.part)) continue;
      const std::int64_t width = block.columns + 2, in_frame = block.rows * block.columns;
      for (std::int64_t i = 0; i < block.count(); ++i) {
        const std::int64_t at = i % in_frame;
        const auto first = static_cast<std::size_t>(block.first_row + i - at);
        const auto from_first = [&](int axis, std::int64_t steps, std::int64_t next) {
          const auto a = static_cast<std::size_t>(axis);
          const double step = old[first + static_cast<std::size_t>(next)][a] - old[first][a];
          dump.ids[first + static_cast<std::size_t>(at)][a] = old[first][a] + static_cast<double>(steps) * step;
        };
        from_first(row, at / width, block.columns);
        from_first(column, at % width, 1);
      }
    }
    return true;
  };
  faults.push_back({"order", "row stride", 'i', strided, [](const CheckCase& one, const CheckReport& report) {
                      const std::vector<double> all = list_of(report, "stride");
                      const double first = all.empty() ? number_of(report, "stride") : all[0];
                      const std::vector<TokenBlock>& blocks = one.reference.tokens.blocks;
                      const auto grid = std::find_if(blocks.begin(), blocks.end(), [](const TokenBlock& block) {
                        return is_grid(block) && block.rows > 1;
                      });
                      return grid != blocks.end() && first == static_cast<double>(grid->columns + 2);
                    }});
  return faults;
}

}  // namespace ropescope
