// Rows of sines, cosines or angles of a ladder over positions, one by one and as maps. encoding.h gives them as values
// of rotations and of sinusoidal tables.
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

/// sine_cosine: sin mθ_0, cos mθ_0, sin mθ_1, … (two columns per pair); the others one column per pair. angle: mθ
/// modulo 2π, radians in [0, 2π).
enum class SinusoidPart { sine_cosine, cosine, sine, angle };
struct Sinusoids {
  Eigen::VectorXd frequencies;
  SinusoidPart part = SinusoidPart::sine_cosine;
  double amplitude = 1;  ///< what sines and cosines are multiplied by; angles are not
};

/// How many columns there are, and their names: "sin 0", "cos 0", … or "cos 0", ….
int column_count(const Sinusoids& sinusoids);
std::vector<std::string> column_names(const Sinusoids& sinusoids);
/// "prefix 0", "prefix 1", ….
std::vector<std::string> numbered(std::string_view prefix, int count);

/// One row, as exact as the frequencies are: the angle's rounding is put back (core/decay/kernel.h).
void sinusoid_row(const Sinusoids& sinusoids, std::int64_t position, std::span<double> out);

/// Rows first … first + count − 1 as floats, by angle addition within blocks of rows. Empty where it is stopped.
RowMatrix<float> sinusoid_map(const Sinusoids& sinusoids, std::int64_t first, std::int64_t count, const Work& work);

}  // namespace ropescope
