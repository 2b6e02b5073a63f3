#pragma once

#include "check_dump.h"

namespace ropescope {

/// A mistake, committed on the true dump of a case: nothing of the engine's own code takes part.
struct Fault {
  std::string cause;    ///< the name that must be found first
  std::string variant;  ///< "" or what kind
  char group = ' ';     ///< i ids, f frequencies, c channels, v values
  /// False where the fault does not exist for this case.
  std::function<bool(const CheckCase&, Dump&)> commit;
  /// Whether the parameters of the first cause are those committed; null: nothing to look at.
  std::function<bool(const CheckCase&, const CheckReport&)> parameters = nullptr;
  TableForm form = TableForm::once;
  /// The name that the ties ask for in this case; null: `cause`.
  std::function<std::string(const CheckCase&)> tied = nullptr;
  bool vectors = false;  ///< shows in vectors before and after only

  std::string expected(const CheckCase& one) const { return tied ? tied(one) : cause; }
};

/// A mistake that exists for every case: what is done to the dump.
template <class Act>
auto on_any(Act act) {
  return [act](const CheckCase&, Dump& dump) {
    act(dump);
    return true;
  };
}
/// Whether the first cause has these words as a parameter.
inline auto is_said(const std::string& parameter, const std::string& words) {
  return [=](const CheckCase&, const CheckReport& report) { return text_of(report, parameter) == words; };
}

std::vector<Fault> id_faults();
/// Those of single axes and whole parts: factors, nested counters, parts in another order. Among the above.
std::vector<Fault> part_faults();
std::vector<Fault> frequency_faults();
/// Other numbers of channels behind the ladders. Among the above.
std::vector<Fault> dimension_faults();
std::vector<Fault> scaling_faults();
std::vector<Fault> channel_faults();
std::vector<Fault> value_faults();
/// All of them.
std::vector<Fault> all_faults();
/// Those that are committed alone only: cos and sin exchanged, angles rounded, ladders reversed, a padded width.
std::vector<Fault> port_faults();

/// Whether some number of the tables moved by more than the tolerance allows, as it would be stored. `in_vectors`: some
/// number of the vectors that put_vectors() makes.
bool is_visible(const Dump& truth, const Dump& faulty, Storage storage, bool in_vectors = false);

/// A case, and the number format of its dump.
struct CheckCell {
  const CheckCase* one;
  Storage storage;
};
/// Returns every case in float32 and in bfloat16.
std::vector<CheckCell> cells_of(const std::vector<CheckCase>& cases);
/// Returns whether the fault can be committed on the case and is visible in its dump.
bool exists(const Fault& fault, const CheckCell& cell);

/// What is given to the engine: tables, or vectors where one of the faults shows in these only.
CheckInputs inputs_of(const Dump& faulty, Storage storage, std::initializer_list<const Fault*> faults);

/// Multiplies every frequency of an axis: frequencies[axis][pair] = of(axis, index among the axis' pairs, count, old).
void change_ladders(Dump& dump, const std::function<double(std::size_t, int, int, double)>& of);
/// The frequencies of each axis, dealt to the pairs that it turns from the last to the first.
void reverse_ladders(Dump& dump);
/// Plain ladders, each over its own channels, in blocks.
bool has_plain_ladders(const CheckCase& one);
bool is_rope(const CheckCase& one);
/// Whether check knows the fault in this layout; of those it is not taught yet it says `unknown`, never another cause.
bool is_taught(const CheckCase& one, const Fault& fault);
double base_of(const CheckCase& one, std::size_t axis = 0);
/// Index of the axis along rows, columns: −1 where there is none.
int axis_along(const CheckCase& one, Along along);
/// Parts that stand on a grid; the image, or the first block where there is none.
bool is_grid(const std::string& part);
const TokenBlock& image_of(const CheckCase& one);
bool near(double a, double b, double relative);

}  // namespace ropescope
