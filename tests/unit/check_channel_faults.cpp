#include "check_faults.h"

namespace ropescope {

namespace {

void add_pairings(std::vector<Fault>& faults) {
  Fault repeated{"pairing",
                 "",
                 'c',
                 [](const CheckCase& one, Dump& dump) {
                   // One that does both in its own way is not paired by its table.
                   if (one.reference.tokens.table_mismatch) return false;
                   const auto other = [](Pairing pairing) {
                     return pairing == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
                   };
                   dump.repeats = other(dump.repeats);
                   dump.companions = dump.repeats;
                   return true;
                 },
                 nullptr,
                 TableForm::repeated,
                 nullptr,
                 true};
  faults.push_back(repeated);
  // Halves of the head in place of those of each axis, and the reverse.
  for (const bool by_axis : {false, true}) {
    Fault halves = repeated;
    halves.variant = by_axis ? "halves of each axis" : "halves of the head";
    halves.commit = [by_axis](const CheckCase& one, Dump& dump) {
      const TokenLayout& tokens = one.reference.tokens;
      const bool in_blocks = !is_rope(one) && has_plain_ladders(one) && tokens.axes.size() > 1;
      if (tokens.table_mismatch || !in_blocks || tokens.halves_by_axis == by_axis) return false;
      dump.repeats = dump.companions = Pairing::half_split;
      dump.halves.clear();
      for (const LayoutAxis& axis : tokens.axes) {
        if (by_axis) dump.halves.push_back(static_cast<std::size_t>(axis.rotary_dim / 2));
      }
      return true;
    };
    faults.push_back(halves);
  }
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
}

void add_axis_dimensions(std::vector<Fault>& faults) {
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
                    }});
  faults.push_back(
      {"axis-dimensions", "other order", 'c',
       [=](const CheckCase& one, Dump& dump) {
         const auto& axes = one.reference.tokens.axes;
         if (!blocks(one) || axes.size() != 3 || axes[0].rotary_dim == axes[1].rotary_dim) return false;
         deal(one, dump, {{1, axes[1].rotary_dim / 2}, {2, axes[2].rotary_dim / 2}, {0, axes[0].rotary_dim / 2}});
         return true;
       },
       nullptr});
}

void add_section_layout(std::vector<Fault>& faults) {
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
       nullptr});
}

}  // namespace

std::vector<Fault> channel_faults() {
  std::vector<Fault> faults;
  add_pairings(faults);
  add_axis_dimensions(faults);
  add_section_layout(faults);
  return faults;
}

}  // namespace ropescope
