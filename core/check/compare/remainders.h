#pragma once

#include <limits>

#include "core/check/reading/evidence.h"

namespace ropescope {

/// What a model leaves unexplained of an input, judged as the verdict judges it: without the slack of fitted numbers,
/// and with angle errors estimated from the rows.
struct Remainder {
  double excess = -std::numeric_limits<double>::infinity();  ///< largest |difference| − tolerance
  double largest = 0, tolerance = 0;                         ///< largest |difference|, and largest tolerance, anywhere
  void add(double difference, double allowed);
};

/// Of the rows that are looked at, input by input.
struct Remainders {
  Remainder tables, heads, ids, frequencies;
  Remainder& of(InputBit input);
  const Remainder& of(InputBit input) const;
};

/// Of the inputs asked for. A model that has not their shape leaves infinity.
Remainders remainders_of(const CheckModel& model, const Evidence& evidence, unsigned inputs);

/// Whether a model that reproduces() the inputs owes that to what was changed in it and not to the kinder judgement of
/// candidates: of some input that the model without the change gets wrong, it leaves a quarter at most. True where that
/// model gets nothing wrong on the rows that are looked at.
bool mends(const CheckModel& model, const Remainders& without, const Evidence& evidence, unsigned inputs);

}  // namespace ropescope
