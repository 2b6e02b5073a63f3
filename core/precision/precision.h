// The effect of low precision on a rotation: the rounding policies of real programs, rounding to short floats, and the
// resulting error. Compiled without fused multiply-add, which would round once where a policy rounds twice.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string_view>

namespace ropescope {

// --- Formats -------------------------------------------------------------------------------------------------------

/// A binary floating-point format.
struct FloatFormat {
  int fraction_bits;     ///< after the leading one
  int smallest_normal;   ///< exponent of the smallest normal number
  int largest_exponent;  ///< of the largest finite number
};
inline constexpr FloatFormat kFloat64Format{52, -1022, 1023}, kFloat32Format{23, -126, 127},
    kBfloat16Format{7, -126, 127}, kFloat16Format{10, -14, 15};

// --- Policies and errors -------------------------------------------------------------------------------------------

/// Return the nearest value of a format: ties to even, subnormals and overflow to infinity as in IEEE 754; NaN stays
/// NaN, zeros keep their sign. The double is rounded once (not through float). bfloat16 has 8 significant bits and
/// float32's exponents; float16 (binary16) has 11 and is infinite from 65 520 on.
double round_to_float32(double value);
double round_to_bfloat16(double value);
double round_to_float16(double value);

/// A rounding step: takes a double, returns the nearest number of the format.
using Rounding = double (*)(double);

/// A way to compute cos and sin in short formats.
struct PrecisionPolicy {
  std::string_view name;  ///< "float32", "bfloat16-inputs", …; "precision_policy.NAME" describes it
  /// Computes cos and sin of position·θ for one position and all pairs under the policy; exact tables for "…-rotation"
  /// policies. Both vectors are resized to the number of pairs; they are NaN if the format overflows.
  void (*table)(const Eigen::VectorXd& frequencies, double position, Eigen::VectorXd& cosine, Eigen::VectorXd& sine);
  Rounding position = nullptr;  ///< rounding of positions; null: not rounded
  Rounding rotation = nullptr;  ///< "…-rotation" policies: rounding of every product and sum of the rotation
};

/// How ggml computes the angles of a position in float32, with the scale s = float32(b^(−2/d)):
///   cpu  θ_0 = position, θ_k = float32(θ_{k−1}·s): every product is rounded, and the error propagates;
///   gpu  θ_k = float32(position·powf(s, k)): only the rounding of s propagates, k times.
/// Both errors grow from pair to pair, while released Python code rounds each frequency once.
/// Source: llama.cpp 1f08e2d66271, ggml/src/ggml-cpu/ops.cpp (ggml_rope_cache_init, ggml_mrope_cache_init);
/// 19d7cef745ee, ggml/src/ggml-cuda/rope.cu, and Vulkan's rope_funcs.glsl. Metal's pow(base, −2k/d) does not round s.
enum class Recurrence { cpu, gpu };

/// Computes θ_0 … θ_{n−1} of a position, n = thetas.size(), with powf assumed to be correctly rounded.
void recurrent_thetas(Recurrence way, float position, float scale, std::span<float> thetas);

/// Returns all policies in display order: float32, ggml's two, bfloat16 from the most to the least harmful, float16
/// likewise, and FLUX's. To add one, add a line in precision.cpp and its text.
std::span<const PrecisionPolicy> all_precision_policies();
/// Returns the policy with this name. Throws InputError that lists the policies if there is none.
const PrecisionPolicy& find_precision_policy(std::string_view name);

/// Error of a policy at one position against float64 (angles and tables in double, amplitude 1).
struct PrecisionError {
  /// max over pairs of |cos − cos in float64|; for "…-rotation" policies, of both components of the rotated unit vector
  /// (1, 1)/√2. NaN if the format overflows.
  double max_abs = 0;
  double rms = 0;    ///< √(mean over pairs of (cos error)² + (sin error)²), or of the rotated vector's components
  double score = 0;  ///< |K under the policy − K in float64| for aligned unit pairs, query at `position`, key at 0
};
PrecisionError precision_error(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double position);

/// Returns the smallest integer position ≥ 0 stored as the same number as its successor in the policy's format
/// (bfloat16: 256, float16: 2 048, float32: 16 777 216); infinity if positions below 2^53 are not rounded.
double first_repeated_position(const PrecisionPolicy& policy);

/// Returns the smallest integer position ≥ 0 that overflows to infinity in the policy's position format (float16: 65
/// 520); infinity if there is none up to 2^53.
double first_overflowing_position(const PrecisionPolicy& policy);

/// Returns K = (1/n) Σ q_i·k_i for aligned unit pairs rotated under the policy, with the query at `query_position` and
/// the key at `key_position`, summed in float64. In exact arithmetic it depends only on the difference of the
/// positions, so shifting both positions shows the effect of the format.
double policy_score(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double query_position,
                    double key_position);

// --- Short floats --------------------------------------------------------------------------------------------------

/// Returns the bits of an IEEE 754 binary16, rounded to nearest, ties to even, in one step from double (a detour over
/// float would round twice). Infinity beyond 65 504 + half a step, zero below 2⁻²⁵; keeps NaN and signs of zero.
std::uint16_t float16_bits(double value);
/// Returns the exact value of a binary16.
double float16_value(std::uint16_t bits);

/// Returns the bits of a bfloat16, the upper half of a float32; rounds once, as float16_bits does.
std::uint16_t bfloat16_bits(double value);
/// Returns the exact value of a bfloat16.
double bfloat16_value(std::uint16_t bits);

}  // namespace ropescope
