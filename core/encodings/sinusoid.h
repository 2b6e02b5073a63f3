// Rows of sines, cosines or angles of a ladder over positions, as single rows and as maps. encoding.h uses them as the
// values of rotations and sinusoidal tables.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/encodings/encoding.h"
#include "core/parallel.h"

namespace ropescope {

/// The content of the rows. sine_cosine: sin mθ_0, cos mθ_0, sin mθ_1, … (two columns per pair); the others have one
/// column per pair. angle: mθ modulo 2π, radians in [0, 2π).
enum class SinusoidPart { sine_cosine, cosine, sine, angle };
struct Sinusoids {
  Eigen::VectorXd frequencies;
  SinusoidPart part = SinusoidPart::sine_cosine;
  double amplitude = 1;  ///< factor on sines and cosines, not on angles
};

/// Return the number of columns, and their names: "sin 0", "cos 0", … or "cos 0", ….
int column_count(const Sinusoids& sinusoids);
std::vector<std::string> column_names(const Sinusoids& sinusoids);
/// Returns "prefix 0", "prefix 1", ….
std::vector<std::string> numbered(std::string_view prefix, int count);

/// Writes one row, with the angle's rounding corrected to the accuracy of the frequencies (core/decay/kernel.h).
void sinusoid_row(const Sinusoids& sinusoids, std::int64_t position, std::span<double> out);

/// Returns rows first … first + count − 1 as floats, by angle addition within blocks of rows. Empty if cancelled.
RowMatrix<float> sinusoid_map(const Sinusoids& sinusoids, std::int64_t first, std::int64_t count, const Work& work);

}  // namespace ropescope
