// What encodings share: fields, tables of seeded numbers, parts of plans. Read encoding.h and matrix.h first;
// rotations.cpp, biases.cpp and tables.cpp stand on it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/encodings/encoding.h"
#include "core/encodings/matrix.h"

namespace ropescope {

// --- Seeded numbers ------------------------------------------------------------------------------------------------

/// What stands for a learned table: seeded, smooth in the row and random in the column. With rows r = 0 … count − 1,
///   entry(r, c) = level · Σ_{j=0..8} w_j a_{jc} cos(πj(r + ½)/count),  w_j ∝ 1/(1 + j),
/// a_{jc} independent standard normal numbers. The weights are such that entries have mean square level².
class SmoothTable {
 public:
  /// `stream` keeps the tables of one encoding apart. count, width ≥ 1.
  SmoothTable(std::int64_t count, int width, double level, std::uint64_t seed, std::uint64_t stream);

  std::int64_t count() const { return count_; }
  int width() const { return static_cast<int>(coefficients_.cols()); }
  /// Row r; NaN where r is not one of 0 … count − 1.
  void row(std::int64_t r, std::span<double> out) const;
  /// The whole table. Throws InputError where it has more than 2^26 entries.
  TokenMatrix all() const;

 private:
  std::int64_t count_;
  TokenMatrix coefficients_;
};

/// level of learned vectors that stand beside sinusoids, whose entries have mean square 1/2.
inline constexpr double kVectorLevel = 0.70710678118654752440;

/// Independent normal entries of variance 1/columns, so that a product keeps lengths on average.
Weights seeded_weights(int rows, int columns, std::uint64_t seed, std::uint64_t stream);
/// Independent normal entries of standard deviation `level`.
Eigen::VectorXd seeded_vector(int size, double level, std::uint64_t seed, std::uint64_t stream);

// --- Fields and parts ----------------------------------------------------------------------------------------------

// What several encodings share: fields, terms, rotations.

inline constexpr std::string_view kContentContent = "content-content";

/// Says that a dimension is too large for an encoding with d×d matrices, always or where its projections are seeded:
/// they take too long and too much memory.
Words fault_of_matrix_dim(const Encoding& encoding, const EncodingValues& settings);
/// Says that the head is none of the heads.
Words fault_of_head(const Encoding& encoding, const EncodingValues& settings);

/// Fields that several encodings look at.
namespace encoding_settings {

inline constexpr EncodingField kDim{{.name = "dim",
                                     .minimum = 2,
                                     .maximum = kLargestDimension,
                                     .whole = true,
                                     .even = true,
                                     .has_control = false,
                                     .symbol = "D"},
                                    &EncodingValues::dim,
                                    nullptr,
                                    true};
inline constexpr EncodingField kMatrixDim{kDim, &EncodingValues::dim, fault_of_matrix_dim, true};
inline constexpr EncodingField kHeads{
    {.key = "encoding.heads", .minimum = 1, .maximum = 1024, .whole = true, .symbol = "H", .order = 1},
    &EncodingValues::heads,
    nullptr,
    true};
inline constexpr EncodingField kHead{
    {.key = "encoding.head", .minimum = 1, .maximum = 1024, .whole = true, .symbol = "h", .order = 2},
    &EncodingValues::head,
    fault_of_head,
    true};
inline constexpr EncodingField kSeed{
    {.key = "encoding.seed", .maximum = 0x1p64, .whole = true, .highest = 0x1p31, .symbol = "S", .order = 15},
    &EncodingValues::seed,
    nullptr,
    true};
inline constexpr EncodingField kTrainedLength{{.key = "encoding.table_length",
                                               .name = "trained_length",
                                               .minimum = 1,
                                               .maximum = 131072,
                                               .whole = true,
                                               .unit = "unit.positions",
                                               .symbol = "L",
                                               .order = 3},
                                              &EncodingValues::trained_length,
                                              nullptr,
                                              true};
inline constexpr EncodingField kBase{
    {.key = "encoding.base", .minimum = 1, .exclusive = true, .has_control = false, .symbol = "B", .order = 10},
    &EncodingValues::base};
inline constexpr EncodingField kPairing{{.key = "encoding.pairing",
                                         .maximum = 1,
                                         .whole = true,
                                         .has_control = false,
                                         .symbol = "interleaved|half",
                                         .order = 16},
                                        &EncodingValues::pairing};
inline constexpr EncodingField kClip{{.key = "encoding.clip",
                                      .minimum = 1,
                                      .maximum = 65536,
                                      .whole = true,
                                      .unit = "unit.positions",
                                      .symbol = "R",
                                      .order = 5},
                                     &EncodingValues::clip};
inline constexpr EncodingField kSeededProjections{
    {.key = "encoding.seeded_projections", .is_switch = true, .order = 18}, &EncodingValues::seeded_projections};

}  // namespace encoding_settings

/// 1/√(parts · d): the scale of an encoding whose score has so many terms of the size of q·k.
double scale_of(const EncodingValues& settings, int parts = 1);

/// The content itself, or a vector that depends on the place alone.
TokenVector content_vector(int dim);
TokenVector place_vector(std::string id, int width, std::function<void(const Place&, std::span<double>)> form,
                         Weights weights = {});
/// q · k, scaled.
PlanTerm content_content(int dim);
PlanTerm product_term(std::string_view name, TokenVector query, TokenVector key);
/// A number by distance, not scaled.
PlanTerm bias_term(std::function<double(std::int64_t)> value);
/// q·k and a number by distance, which alone is the values: the plan of ALiBi and its like.
ScorePlan bias_plan(int dim, const std::function<double(std::int64_t)>& bias);
/// Their value parts.
inline constexpr std::string_view kBiasParts[] = {"bias"};

/// (q + W_q p_m) · (k + W_k p_n) as its four terms, and what encode makes of q and k. W_q, W_k: the fields.
void add_absolute_terms(ScorePlan& plan, const EncodingValues& settings,
                        const std::function<void(const Place&, std::span<double>)>& position_vector);
/// The check for positions past a table of `rows` rows.
std::function<void(std::int64_t)> table_check(std::string_view encoding, std::int64_t rows);

/// R_m x of the channels of a head of `dim` channels, of which those of `pairs` pairs of `frequencies` turn:
/// channels(pair) as in pair_channels for a head of 2 · pair_count rotated channels, which are multiplied by the
/// amplitude as well. Channels past them are copied.
struct TurningHead {
  int dim = 0;
  Eigen::VectorXd frequencies;
  Pairing pairing = Pairing::interleaved;
  double amplitude = 1;

  int pair_count() const { return static_cast<int>(frequencies.size()); }
};
/// The head of checked fields: by their ladder, else by the plain one over its first `rotary_dim` channels.
TurningHead turning_head(const EncodingValues& settings, int rotary_dim);
/// The two channels of one pair, turned and multiplied.
std::pair<double, double> turned_pair(const TurningHead& head, int pair, std::span<const double> content,
                                      std::int64_t position);
void turn_head(const TurningHead& head, std::span<const double> content, std::int64_t position, std::span<double> out);
/// The content of a head turned by the token's position.
TokenVector turned_vector(const TurningHead& head);
/// What turned queries and keys have in common beside the terms of their score: encode, and the values.
void add_rotation(ScorePlan& plan, const TurningHead& head);
/// The parts "cos", "sin", "angle" of a rotation.
void add_rotation_values(ScorePlan& plan, const TurningHead& head);
inline constexpr std::string_view kRotationParts[] = {"cos", "sin", "angle"};

}  // namespace ropescope
