#pragma once

#include <memory>

#include "core/check/compare.h"

namespace ropescope {

/// How a rotation was observed: phase and how exactly it is known, for the rows that are looked at.
struct Observed {
  RowMatrix cosine, sine;  ///< [rows × pairs]
  RowMatrix phase, noise;  ///< radians
  double radius = 1;       ///< median of √(cos² + sin²)
  double spread = 0;       ///< how far the middle half of the radii lies apart
};

/// The rows of the tensors on which causes are searched, at most 4 096 spread over the file.
struct Evidence {
  const CheckTensors* tensors = nullptr;
  std::vector<std::int64_t> rows;  ///< those that tell most come first
  RowMatrix cosine, sine;          ///< of the tables; empty where there are none
  RowMatrix before, after;         ///< [rows × heads·channels]
  RowMatrix ids;                   ///< [rows × axes]
  std::vector<double> frequencies;
  StorageUnit table_unit, strict_table_unit;
  ShortFormat table_format = ShortFormat::none;  ///< every number of the tables is one of this format
  bool pairing_told = false;                     ///< the tables repeat their columns, and one can tell how

  bool has_tables() const { return cosine.rows() > 0; }
  bool has_heads() const { return before.rows() > 0; }
  bool has_ids() const { return ids.rows() > 0; }
  bool has_rotation() const { return has_tables() || has_heads(); }
};

/// Inputs as bits, for which of them something holds.
enum InputBit : unsigned { kTables = 1, kHeads = 2, kIds = 4, kFrequencies = 8 };

/// Reads the rows. Those that disagree with the reference come first. Throws InputError on NaN and infinity.
Evidence gather(const CheckTensors& tensors, const CheckModel& reference);
/// The inputs that there are.
unsigned inputs_of(const Evidence& evidence);

/// Whether a model gives what was read, for the inputs asked for; stops at the first number that it does not give.
bool reproduces(const CheckModel& model, const Evidence& evidence, unsigned inputs);
/// The first row of the tensors, among those that are looked at, which a model does not give although it has it; none
/// where it gives all, or has other pairs.
std::optional<std::int64_t> first_wrong_row(const CheckModel& model, const Evidence& evidence);
/// The inputs that it gives.
unsigned reproduced(const CheckModel& model, const Evidence& evidence);
/// Part of the numbers of a few rows that it gives: how near a half-right model is.
double share_reproduced(const CheckModel& model, const Evidence& evidence);

/// The rotation as the tables hold it, or as it follows from the vectors if channels are paired as the model says.
Observed observe(const Evidence& evidence, const CheckModel& model);

/// An angle in (−π, π], or a number in (−period/2, period/2].
double wrapped(double value, double period);

}  // namespace ropescope
