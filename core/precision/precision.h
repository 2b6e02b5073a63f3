#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ropescope {

/// Nearest value of a format, ties to even, subnormals and overflow to infinity as IEEE 754 says; NaN stays NaN. The
/// double is rounded once (not through float).
double round_to_float32(double value);
double round_to_bfloat16(double value);
double round_to_float16(double value);

/// One way to compute cos and sin in short formats (theory.md section 6, shared/reference/precision).
struct PrecisionPolicy {
  std::string_view name;   ///< "float32", "bfloat16-inputs", …
  std::string_view words;  ///< one plain sentence
  /// cos and sin of position·θ for one position and all pairs as the policy computes them; for "…-rotation" policies
  /// exact tables (only the rotated vector is rounded).
  void (*table)(const Eigen::VectorXd& frequencies, double position, Eigen::VectorXd& cosine, Eigen::VectorXd& sine);
  bool rounds_rotation = false;
};

/// All policies in the order in which a list shows them: float32 (a0), float32-frequencies (a2), bfloat16-inputs (b1),
/// bfloat16-product (b2), bfloat16-everything (b3), bfloat16-tables (c64), bfloat16-frequencies, bfloat16-rotation, the
/// same for float16-…, flux-bfloat16-ids.
std::span<const PrecisionPolicy> all_precision_policies();
/// Throws InputError that lists the policies.
const PrecisionPolicy& find_precision_policy(std::string_view name);

/// Error of a policy at one position against float64 (angles and tables in double).
struct PrecisionError {
  double max_abs = 0;  ///< max over pairs of |cos − cos in float64|; NaN where the format overflows
  double rms = 0;    ///< the reference's rms_rotation_err; for "…-rotation" policies the error of the rotated vector
  double score = 0;  ///< |K under the policy − K in float64| for aligned unit pairs, query at `position`, key at 0
};
PrecisionError precision_error(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double position);

/// The smallest whole position ≥ 0 that the policy's position format stores as the same number as its successor
/// (bfloat16: 256, float16: 2 048, float32: 16 777 216); infinity where positions are not rounded below 2^53.
double first_repeated_position(const PrecisionPolicy& policy);

/// Score of aligned unit pairs at distance Δ with the query at `query_position`, under the policy: K(q − k) that should
/// depend on the difference only. Used to show whether shifting both positions changes it.
double policy_score(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double query_position,
                    double key_position);

}  // namespace ropescope
