// Context extension: what a method is, which there are, what they ask for, and the ladder that one gives a rope. The
// methods themselves stand in methods.cpp. Read core/rotary/spec.h first: an extension changes its plain ladder.
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

/// What a method does to one pair, for colouring: kept (exactly the plain frequency), blended between kept and
/// interpolated, interpolated (divided by the factor, or otherwise slowed as far as the method goes), still (frequency
/// 0). NTK kinds: kept for the first pair, blended for the others. LongRoPE: interpolated where its factor is at least
/// s, or the largest of its list if that is less.
enum class PairTreatment { kept, blended, interpolated, still };

/// Frequencies and amplitude of one axis under a context extension.
struct ScaledLadder {
  Eigen::VectorXd frequencies;           ///< radians per position, in the order of the pairs
  double amplitude = 1;                  ///< cos and sin are multiplied by it
  std::vector<PairTreatment> treatment;  ///< one per pair
  std::optional<double> effective_base;  ///< the one base that gives these frequencies, where there is one (NTK kinds)
};

/// Everything a method may look at: the axis (its own dimension, base), the extension's parameters, and lengths.
struct ScalingInput {
  RotaryAxis axis;
  Extension extension;
  std::optional<double>
      trained_length;            ///< L: original_max_position_embeddings where given, else max_position_embeddings
  std::optional<double> length;  ///< l: current sequence length; none: the trained length
};

/// One parameter of a method; its name is the one in Extension::numbers.
using ScalingField = NumberField;
/// A list of numbers, one for each pair, that a method must be given; its name is the one in Extension::lists. What is
/// valid holds for each of its numbers.
using ScalingList = NumberField;

/// The ramp of a method from pairs that it divides by the factor to pairs that it keeps: what it runs along, and the
/// parameters that say its ends as turns in the trained length, the slow end not above the fast one.
struct ScalingRamp {
  enum class Along {
    nothing,
    index,
    turns
  } along = Along::nothing;  ///< index of the pair (YaRN, as released), or turns
  std::string_view slow = {}, fast = {};
};

/// A method of extending the context: one block with its parameters, and its place in the list at the end of
/// methods.cpp.
struct ScalingMethod {
  std::string_view name;    ///< stable name: "linear", "yarn", …
  std::string_view source;  ///< paper or repository and function
  std::span<const ScalingField> parameters;
  std::span<const ScalingList> lists = {};
  bool depends_on_length = false;      ///< dynamic, LongRoPE, dynamic-yarn
  bool over_whole_head = false;        ///< its exponents run over the whole head, of which it turns a part
  bool identity_at_factor_one = true;  ///< law: factor 1 gives the plain ladder (not dynamic beyond L)
  bool changes_amplitude = false;
  bool needs_trained_length = false;
  bool never_faster = true;  ///< law: no pair turns faster than on the plain ladder
  /// Looks at the frequencies alone, never at the base they were made of: it applies to a given ladder, too.
  bool takes_any_ladder = false;
  ScalingRamp ramp = {};
  /// What it makes of one axis as NumPy: lines that leave `frequency` of `base` and `d`, the channels, with {factor}
  /// and other parameters, {length} (L), {l} and {list} (the one that holds at l) in place of numbers. Empty: its
  /// ramp's, or the plain ladder's.
  std::string_view numpy = {};
  ScaledLadder (*compute)(const ScalingInput&);  ///< input has been checked
  /// What ranges alone do not say (beta_fast ≥ beta_slow); null: nothing. Throws InputError.
  void (*check)(const ScalingMethod&, const ScalingInput&) = nullptr;
};

/// All methods in the order in which a list shows them: none first, then by age. Law tests run over it.
std::span<const ScalingMethod> all_scaling_methods();
/// Throws InputError that names the method and lists those there are.
const ScalingMethod& find_scaling_method(std::string_view name);
/// The parameters of all methods, each once, as the first method that has it declares it.
std::vector<ScalingField> all_scaling_fields();
/// A parameter of a method by its name; null where the method has none of that name.
const ScalingField* find_parameter(const ScalingMethod& method, std::string_view name);

/// The lists of all methods, and one of a method by its name, likewise.
std::vector<ScalingList> all_scaling_lists();
const ScalingList* find_list(const ScalingMethod& method, std::string_view name);

/// The extension with every parameter that was not given but has a value that stands in for it.
Extension with_defaults(Extension extension);

/// A given number of the extension, or what stands in for it; 0 where its method has no such parameter.
double number_of(const Extension& extension, std::string_view name);

/// Throws what scaled_ladder would throw for any axis of the spec.
void check_extension(const RotarySpec& spec, std::optional<double> length = {});

/// The ladder of one axis under the spec's extension at a current length (none: the trained length). Checks all
/// parameters first: throws InputError that names method, parameter, what was found and expected (factor < 1 or NaN,
/// trained length missing or 0, beta_fast < beta_slow, lists of the wrong length, low above high factor, a parameter
/// that the method does not have). The amplitude includes spec.amplitude.
ScaledLadder scaled_ladder(const RotarySpec& spec, std::size_t axis, std::optional<double> length = {});

/// Frequencies of all pairs of the head, the axes one after the other, and the amplitude: what rotates a vector.
struct HeadLadder {
  Eigen::VectorXd frequencies;
  double amplitude = 1;
};
HeadLadder head_ladder(const RotarySpec& spec, std::optional<double> length = {});

}  // namespace ropescope
