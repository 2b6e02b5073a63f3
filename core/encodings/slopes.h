#pragma once

#include <vector>

namespace ropescope {

/// ALiBi's slopes of heads 1 … H: 2^(−8h/H) for H a power of two; else those of the largest power of two below H, then
/// every second one (the first, third, …) of twice that power. Source: ofirpress/attention_with_linear_biases.
std::vector<double> alibi_slopes(int heads);

}  // namespace ropescope
