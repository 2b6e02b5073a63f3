#include "check_faults.h"

namespace ropescope {

namespace {

/// The rope with other channels in its place, as a program computes it that has misread them.
bool turn(const CheckCase& one, Dump& dump, int channels) {
  if (!is_rope(one) || channels < 4 || channels % 2 != 0) return false;
  RotarySpec spec = *one.reference.rope;
  // LongRoPE lists a number for each pair.
  if (spec.extension.method == "longrope" || spec.axes.size() != 1) return false;
  spec.head_dim = std::max(spec.head_dim, channels);
  spec.axes[0].rotary_dim = channels;
  dump.frequencies = true_dump(reference_from_rope(spec, one.reference.length, one.reference.positions)).frequencies;
  return channels != one.reference.rope->axes[0].rotary_dim;
}

}  // namespace

std::vector<Fault> dimension_faults() {
  std::vector<Fault> faults;
  const auto add = [&](const std::string& variant, TableForm form, auto commit, auto parameters) {
    faults.push_back({"rotary-dimension", variant, 'f', commit, parameters, form, nullptr});
  };
  for (const TableForm form : {TableForm::once, TableForm::repeated}) {
    const std::string how = form == TableForm::once ? "" : ", repeated";
    add(
        "hidden size over heads" + how, form,
        [](const CheckCase& one, Dump& dump) {
          return is_rope(one) && turn(one, dump, one.reference.rope->head_dim * 21 / 16 / 2 * 2);
        },
        [](const CheckCase& one, const CheckReport& report) {
          return number_of(report, "rotary_dimension") == one.reference.rope->head_dim * 21 / 16 / 2 * 2;
        });
    add(
        "fraction twice" + how, form,
        [](const CheckCase& one, Dump& dump) {
          if (!is_rope(one)) return false;
          const int own = one.reference.rope->axes[0].rotary_dim;
          return turn(one, dump, own * own / one.reference.rope->head_dim / 2 * 2);
        },
        nullptr);
  }
  add(
      "one ladder cut among the axes", TableForm::once,
      [](const CheckCase& one, Dump& dump) {
        if (is_rope(one) || !has_plain_ladders(one) || dump.axes() < 2) return false;
        for (auto& of_axis : dump.frequencies) {
          for (std::size_t pair = 0; pair < dump.pairs(); ++pair) {
            if (of_axis[pair] == 0) continue;
            of_axis[pair] = std::pow(base_of(one), -static_cast<double>(pair) / static_cast<double>(dump.pairs()));
          }
        }
        return true;
      },
      [](const CheckCase& one, const CheckReport& report) {
        return number_of(report, "rotary_dimension") == 2.0 * static_cast<double>(one.reference.tokens.pair_count());
      });
  add(
      "a ladder for each axis", TableForm::once,
      [](const CheckCase& one, Dump& dump) {
        if (one.name != "qwen2-vl" && one.name != "qwen3-vl" && one.name != "pixtral") return false;
        change_ladders(dump, [&](std::size_t, int index, int count, double) {
          return std::pow(base_of(one), -static_cast<double>(index) / count);
        });
        return true;
      },
      nullptr);
  return faults;
}

}  // namespace ropescope
