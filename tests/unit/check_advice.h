#pragma once

#include "check_dump.h"

namespace ropescope {

/// Does to a faulty dump what the advice of a cause says, and nothing else: what the program is like that followed it.
/// What an advice leaves to the model ("as the model's do") is taken from the true dump; numbers that it names are
/// those that it names. False where nobody has written down yet what the advice asks for.
bool follow(const CheckCase& one, const CheckCause& cause, Dump& dump);

/// Asserts that a dump agrees once the advice was followed; `inputs`: how it is given to the engine.
void expect_fixed(const CheckCase& one, const CheckCause& cause, Dump dump,
                  const std::function<CheckInputs(const Dump&)>& inputs);

/// The keys of all advice that follow() knows.
std::vector<std::string> followed_advice();

}  // namespace ropescope
