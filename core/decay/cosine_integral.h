#pragma once

namespace ropescope {

/// Ci(x) = γ + ln x + ∫_0^x (cos t − 1)/t dt for x > 0: the mean of cos over a stretch of ln x, as
/// ∫_a^b cos(x)/x dx = Ci(b) − Ci(a). Absolute error ≤ 2e-15. −∞ at 0, 0 at ∞, NaN below 0. Source: NIST Digital
/// Library of Mathematical Functions, 6.2.11, 6.6.6 and 6.9.1.
double cosine_integral(double x);

}  // namespace ropescope
