// Context extension: the interface of a method, the registry of methods, their parameters, and the scaled ladder of a
// rope. The methods are implemented in methods.cpp. Read core/rotary/spec.h first.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/field.h"
#include "core/rotary/spec.h"

namespace ropescope {

/// The treatment of a pair by a method, used for colouring: kept (exactly the plain frequency), blended between kept
/// and interpolated, interpolated (divided by the factor, or slowed down as much as the method slows any pair), or
/// still (frequency 0). NTK methods: kept for the first pair, blended for the others. LongRoPE: interpolated if its
/// factor is at least s, or the largest in its list if that is less.
enum class PairTreatment { kept, blended, interpolated, still };

/// Frequencies and amplitude of one axis under a context extension.
struct ScaledLadder {
  Eigen::VectorXd frequencies;           ///< radians per position, in the order of the pairs
  double amplitude = 1;                  ///< cos and sin are multiplied by it
  std::vector<PairTreatment> treatment;  ///< one per pair
  std::optional<double> effective_base;  ///< the base that gives these frequencies, if there is one (NTK methods)
};

/// The complete input of a method: the axis (dimension and base), the extension's parameters, and the lengths.
struct ScalingInput {
  RotaryAxis axis;
  Extension extension;
  std::optional<double> trained_length;  ///< L: original_max_position_embeddings if given, else max_position_embeddings
  std::optional<double> length;          ///< l: current sequence length; nullopt: the trained length
};

/// A parameter of a method, named as in Extension::numbers.
using ScalingField = NumberField;
/// A required list parameter with one number per pair, named as in Extension::lists. The valid range applies to each
/// number.
using ScalingList = NumberField;

/// The ramp of a method from the pairs that it divides by the factor to the pairs that it keeps: its coordinate, and
/// the parameters that give its ends as numbers of turns in the trained length, slow end ≤ fast end.
struct ScalingRamp {
  enum class Along {
    nothing,
    index,
    turns
  } along = Along::nothing;  ///< index of the pair (YaRN's released code), or turns
  std::string_view slow = {}, fast = {};
};

/// A context-extension method: a self-contained definition with its parameters, a row of the table at the end of
/// methods.cpp.
struct ScalingMethod {
  std::string_view name;    ///< stable name: "linear", "yarn", …
  std::string_view source;  ///< paper or repository and function
  std::span<const ScalingField> parameters;
  std::span<const ScalingList> lists = {};
  bool depends_on_length = false;      ///< dynamic, LongRoPE, dynamic-yarn
  bool exponents_over_head = false;    ///< its exponents run over the whole head, of which only a part is rotated
  bool identity_at_factor_one = true;  ///< law: factor 1 gives the plain ladder (not dynamic beyond L)
  bool changes_amplitude = false;
  bool needs_trained_length = false;
  bool never_speeds_up_pairs = true;  ///< law: no pair is faster than on the plain ladder
  /// True if the method uses only the frequencies, not the base, so that it also applies to a given ladder.
  bool uses_only_frequencies = false;
  ScalingRamp ramp = {};
  /// NumPy code for one axis: lines that compute `frequency` from `base` and `d`, the channels, with placeholders
  /// {factor} and other parameters, {length} (L), {l} and {list} (the one used at l). Empty: the code of its ramp, or
  /// of the plain ladder.
  std::string_view numpy = {};
  ScaledLadder (*compute)(const ScalingInput&);  ///< input has been checked
  /// Checks constraints beyond the ranges (beta_fast ≥ beta_slow); may be null. Throws InputError.
  void (*check)(const ScalingMethod&, const ScalingInput&) = nullptr;
};

/// Returns all methods in display order: none first, then by age. The law tests iterate over them.
std::span<const ScalingMethod> all_scaling_methods();
/// Returns the method called `name`. Throws InputError listing the known methods if there is none.
const ScalingMethod& find_scaling_method(std::string_view name);
/// Returns the parameters of all methods without duplicates, as declared by the first method that has them.
std::vector<ScalingField> all_scaling_fields();
/// Returns the parameter of a method called `name`, or null if there is none.
const ScalingField* find_parameter(const ScalingMethod& method, std::string_view name);

/// Return the lists of all methods without duplicates, and the list of a method called `name` or null.
std::vector<ScalingList> all_scaling_lists();
const ScalingList* find_list(const ScalingMethod& method, std::string_view name);

/// Returns the extension with defaults filled in for all parameters that are not set.
Extension fill_defaults(Extension extension);

/// Returns the value of a parameter or its default; 0 if the method has no such parameter.
double parameter_or_default(const Extension& extension, std::string_view name);

/// Checks the extension for all axes. Throws as scaled_ladder() does.
void check_extension(const RotarySpec& spec, std::optional<double> length = {});

/// Returns the ladder of an axis under the spec's extension at a current length (nullopt: the trained length). The
/// amplitude includes spec.amplitude. Throws InputError naming method, parameter, found and expected values: factor < 1
/// or NaN, trained length missing or 0, beta_fast < beta_slow, lists of the wrong length, low > high factor, or a
/// parameter that the method does not have.
ScaledLadder scaled_ladder(const RotarySpec& spec, std::size_t axis, std::optional<double> length = {});

/// The frequencies of all pairs of a head, concatenated over the axes: radians per position; and the factor on their
/// cos and sin.
struct HeadLadder {
  Eigen::VectorXd frequencies;
  double amplitude = 1;
};
HeadLadder head_ladder(const RotarySpec& spec, std::optional<double> length = {});

}  // namespace ropescope
