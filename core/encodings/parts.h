// Building blocks of encodings: fields, tables of seeded random numbers, parts of plans. Used by rotations.cpp,
// biases.cpp and tables.cpp. Read encoding.h and matrix.h first.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/encodings/encoding.h"
#include "core/encodings/matrix.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Seeded numbers ------------------------------------------------------------------------------------------------

/// A seeded replacement for a learned table, smooth over rows and random over columns. With rows r = 0 … count − 1,
///   entry(r, c) = level · Σ_{j=0..8} w_j a_{jc} cos(πj(r + ½)/count),  w_j ∝ 1/(1 + j),
/// a_{jc} independent standard normal numbers. The weights are such that entries have mean square level².
class SmoothTable {
 public:
  /// `stream` distinguishes the tables of one encoding. count, width ≥ 1.
  SmoothTable(std::int64_t count, int width, double level, std::uint64_t seed, std::uint64_t stream);

  std::int64_t count() const { return count_; }
  int width() const { return static_cast<int>(coefficients_.cols()); }
  /// Writes row r; NaN if r is not in 0 … count − 1.
  void row(std::int64_t r, std::span<double> out) const;
  /// Returns the whole table. Throws InputError if it has more than 2^26 entries.
  TokenMatrix all() const;

 private:
  std::int64_t count_;
  TokenMatrix coefficients_;
};

/// The level of learned vectors used with sinusoids, whose entries have mean square 1/2.
inline constexpr double kVectorLevel = 0.70710678118654752440;

/// Returns independent normal entries of variance 1/columns, so products preserve lengths on average.
Weights seeded_weights(int rows, int columns, std::uint64_t seed, std::uint64_t stream);
/// Returns independent normal entries of standard deviation `level`.
Eigen::VectorXd seeded_vector(int size, double level, std::uint64_t seed, std::uint64_t stream);

// --- Fields and parts ----------------------------------------------------------------------------------------------

// Fields, terms and rotations shared by several encodings.

inline constexpr std::string_view kContentContent = "content-content";

/// Returns the error for a dimension too large for an encoding with d×d matrices (always, or only with seeded
/// projections), which would take too much time and memory.
Message describe_matrix_dim_error(const Encoding& encoding, const EncodingValues& settings);
/// Returns the error for a head that is not in 1 … H.
Message describe_head_error(const Encoding& encoding, const EncodingValues& settings);

/// Fields that several encodings use.
namespace encoding_settings {

// clang-format off
inline constexpr EncodingField kDim{{.name = "dim", .minimum = 2, .maximum = kLargestDimension, .whole = true,
     .even = true, .has_control = false, .symbol = "D"}, &EncodingValues::dim, nullptr, true};
inline constexpr EncodingField kMatrixDim{kDim, &EncodingValues::dim, describe_matrix_dim_error, true};
inline constexpr EncodingField kHeads{
    {.key = "encoding.heads", .minimum = 1, .maximum = 1024, .whole = true, .symbol = "H", .order = 1},
    &EncodingValues::heads, nullptr, true};
inline constexpr EncodingField kHead{
    {.key = "encoding.head", .minimum = 1, .maximum = 1024, .whole = true, .symbol = "h", .order = 2},
    &EncodingValues::head, describe_head_error, true};
inline constexpr EncodingField kSeed{
    {.key = "encoding.seed", .maximum = 0x1p64, .whole = true, .highest = 0x1p31, .symbol = "S", .order = 15},
    &EncodingValues::seed, nullptr, true};
inline constexpr EncodingField kTrainedLength{{.key = "encoding.table_length", .name = "trained_length", .minimum = 1,
     .maximum = 131072, .whole = true, .unit = "unit.positions", .symbol = "L", .order = 3},
    &EncodingValues::trained_length, nullptr, true};
inline constexpr EncodingField kBase{
    {.key = "encoding.base", .minimum = 1, .exclusive = true, .has_control = false, .symbol = "B", .order = 10},
    &EncodingValues::base};
inline constexpr EncodingField kPairing{{.key = "encoding.pairing", .maximum = 1, .whole = true, .has_control = false,
     .symbol = "interleaved|half", .order = 16}, &EncodingValues::pairing};
inline constexpr EncodingField kClip{{.key = "encoding.clip", .minimum = 1, .maximum = 65536, .whole = true,
     .unit = "unit.positions", .symbol = "R", .order = 5}, &EncodingValues::clip};
inline constexpr EncodingField kSeededProjections{
    {.key = "encoding.seeded_projections", .is_switch = true, .order = 18}, &EncodingValues::seeded_projections};
// clang-format on

}  // namespace encoding_settings

/// Returns 1/√(parts · d), the scale of an encoding whose score has this many terms of the size of q·k.
double scale_of(const EncodingValues& settings, int parts = 1);

/// Return the content itself, and a vector that depends only on the place.
TokenVector content_vector(int dim);
TokenVector place_vector(std::string id, int width, std::function<void(const Place&, std::span<double>)> form,
                         Weights weights = {});
/// Returns the term q · k, scaled.
PlanTerm content_content(int dim);
PlanTerm product_term(std::string_view name, TokenVector query, TokenVector key);
/// Returns a term given by a number per distance, not scaled.
PlanTerm bias_term(std::function<double(std::int64_t)> value);
/// Returns the plan of ALiBi and similar encodings: q·k plus a number by distance, which is also the only value part.
ScorePlan bias_plan(int dim, const std::function<double(std::int64_t)>& bias);
/// The value parts of bias_plan().
inline constexpr std::string_view kBiasParts[] = {"bias"};

/// Adds (q + W_q p_m) · (k + W_k p_n) as its four terms, and the encode step. W_q, W_k: seeded or the identity.
void add_absolute_terms(ScorePlan& plan, const EncodingValues& settings,
                        const std::function<void(const Place&, std::span<double>)>& position_vector);
/// Returns the check for positions past a table with `rows` rows.
std::function<void(std::int64_t)> table_check(std::string_view encoding, std::int64_t rows);

/// A head with `dim` channels. Its pairs, one per frequency, are rotated (R_m x) and multiplied by the amplitude.
/// pair_channels() gives their channels among the first 2 · pair_count ones. Later channels are
/// copied.
struct TurningHead : HeadLadder {
  int dim = 0;
  Pairing pairing = Pairing::interleaved;

  int pair_count() const { return static_cast<int>(frequencies.size()); }
};
/// Returns the head for validated fields: with their ladder, or the plain one over its first `rotary_dim` channels.
TurningHead turning_head(const EncodingValues& settings, int rotary_dim);
/// Returns the two channels of one pair, rotated and multiplied by the amplitude.
std::pair<double, double> rotate_vector_pair(const TurningHead& head, int pair, std::span<const double> content,
                                             std::int64_t position);
void turn_head(const TurningHead& head, std::span<const double> content, std::int64_t position, std::span<double> out);
/// Returns the content of a head rotated by the token's position.
TokenVector make_rotated_vector(const TurningHead& head);
/// Adds what plans with rotated queries and keys share except their terms: the encode step and the values.
void add_rotation(ScorePlan& plan, const TurningHead& head);
/// Adds the parts "cos", "sin", "angle" of a rotation.
void add_rotation_values(ScorePlan& plan, const TurningHead& head);
inline constexpr std::string_view kRotationParts[] = {"cos", "sin", "angle"};

}  // namespace ropescope
