// What few bits do to a rotation: the policies of real programs, rounding to short floats, and the error that
// remains. Compiled without fused multiplication, which rounds once where a policy says twice.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string_view>

namespace ropescope {

// --- Policies and errors -------------------------------------------------------------------------------------------

/// Nearest value of a format, ties to even, subnormals and overflow to infinity as IEEE 754 says; NaN stays NaN, zeros
/// keep their sign. The double is rounded once (not through float). bfloat16 has 8 significant bits and float32's
/// exponents; float16 (binary16) has 11 and is infinite from 65 520 on.
double round_to_float32(double value);
double round_to_bfloat16(double value);
double round_to_float16(double value);

/// A step of a computation in some format: takes a double, gives the nearest number of the format.
using Rounding = double (*)(double);

/// One way to compute cos and sin in short formats.
struct PrecisionPolicy {
  std::string_view name;  ///< "float32", "bfloat16-inputs", …; "precision_policy.NAME" says what it does
  /// cos and sin of position·θ for one position and all pairs as the policy computes them; for "…-rotation" policies
  /// exact tables. Both vectors are resized to the number of pairs; where the format overflows they hold NaN.
  void (*table)(const Eigen::VectorXd& frequencies, double position, Eigen::VectorXd& cosine, Eigen::VectorXd& sine);
  Rounding position = nullptr;  ///< how a position is stored; null: as it is
  Rounding rotation = nullptr;  ///< "…-rotation" policies: every product and sum of the rotation is rounded by it
};

/// How ggml computes the angles of a position in float32, with the scale s = float32(b^(−2/d)):
///   cpu  θ_0 = position, θ_k = float32(θ_{k−1}·s): every product is rounded, and so is the next one's factor;
///   gpu  θ_k = float32(position·powf(s, k)): the rounding of s alone grows, k times.
/// Both err by more from pair to pair, where released code in Python rounds each frequency once.
/// Source: llama.cpp 1f08e2d66271, ggml/src/ggml-cpu/ops.cpp (ggml_rope_cache_init, ggml_mrope_cache_init);
/// 19d7cef745ee, ggml/src/ggml-cuda/rope.cu, and likewise Vulkan's rope_funcs.glsl. Metal's pow(base, −2k/d) rounds no
/// s.
enum class Recurrence { cpu, gpu };

/// θ_0 … θ_{n−1} of a position, n = thetas.size(). powf is taken as correctly rounded.
void recurrent_thetas(Recurrence way, float position, float scale, std::span<float> thetas);

/// All policies in the order in which a list shows them: the float32 ones, ggml's two, the bfloat16 ones from the most
/// to the least harmful, the same for float16, and FLUX's. Adding one: a line in precision.cpp and its text.
std::span<const PrecisionPolicy> all_precision_policies();
/// Throws InputError that lists the policies.
const PrecisionPolicy& find_precision_policy(std::string_view name);

/// Error of a policy at one position against float64 (angles and tables in double, amplitude 1).
struct PrecisionError {
  /// max over pairs of |cos − cos in float64|; for "…-rotation" policies of both components of the rotated unit vector
  /// (1, 1)/√2. NaN where the format overflows.
  double max_abs = 0;
  double rms = 0;    ///< √(mean over pairs of (cos error)² + (sin error)²), or of the rotated vector's components
  double score = 0;  ///< |K under the policy − K in float64| for aligned unit pairs, query at `position`, key at 0
};
PrecisionError precision_error(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double position);

/// The smallest whole position ≥ 0 that the policy's position format stores as the same number as its successor
/// (bfloat16: 256, float16: 2 048, float32: 16 777 216); infinity where positions are not rounded below 2^53.
double first_repeated_position(const PrecisionPolicy& policy);

/// The smallest whole position ≥ 0 that the policy's position format has no place for, so that it is stored as infinity
/// (float16: 65 520); infinity where there is none up to 2^53.
double first_overflowing_position(const PrecisionPolicy& policy);

/// K = (1/n) Σ q_i·k_i for aligned unit pairs rotated under the policy, the query at `query_position`, the key at
/// `key_position`; the sum itself is in float64. In exact arithmetic it depends on the difference of the positions
/// only, so that shifting both shows what the format does.
double policy_score(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double query_position,
                    double key_position);

// --- Short floats --------------------------------------------------------------------------------------------------

/// IEEE 754 binary16. Rounds to nearest, ties to even, in one step from double (no detour over float, which would round
/// twice); beyond 65 504 + half a step it is infinity, below 2⁻²⁵ zero; signs of zero and NaN are kept.
std::uint16_t float16_bits(double value);
/// The value of a binary16; exact.
double float16_value(std::uint16_t bits);

/// bfloat16, the upper half of a float32: rounds once, as float16_bits does.
std::uint16_t bfloat16_bits(double value);
/// The value of a bfloat16; exact.
double bfloat16_value(std::uint16_t bits);

}  // namespace ropescope
