// Position encodings: their interface, registry, parameters and results. The encodings are implemented in
// rotations.cpp, biases.cpp and tables.cpp.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/field.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "core/rotary/spec.h"
#include "core/scaling/scaling.h"

namespace ropescope {

// --- Encodings -----------------------------------------------------------------------------------------------------

/// Rows are tokens, columns are channels.
using TokenMatrix = RowMatrixXd;

/// A ladder that replaces the plain one: a model's own frequencies, including its context extension (core/scaling).
/// With n frequencies the first 2n channels of the head are rotated, in pairs according to `pairing`; the others are
/// unchanged. cos and sin are multiplied by the amplitude A, so q and k are multiplied by A and their product by A².
struct EncodingLadder {
  std::vector<double> frequencies;  ///< θ_i, radians per position
  double amplitude = 1;
  bool operator==(const EncodingLadder&) const = default;
};

/// The values of all fields that several encodings use, and of some used by one. Encoding::settings declares which
/// fields an encoding uses and which values are valid.
struct EncodingValues {
  int dim = 128;                           ///< d: channels of q and k
  int heads = 8;                           ///< H: slopes of ALiBi and Sandwich
  int head = 1;                            ///< h, 1…H
  std::uint64_t seed = 1;                  ///< seed of the smooth random tables that replace learned ones
  int trained_length = 512;                ///< L: rows of a learned absolute table
  double base = 10000;                     ///< b of sinusoids and rotations
  int clip = 16;                           ///< R: largest distance that Shaw and DeBERTa distinguish
  int buckets = 32;                        ///< T5, TUPE: numbers in the table
  int max_distance = 128;                  ///< T5, TUPE: distances from here on share one bucket
  bool bidirectional = true;               ///< T5, TUPE: buckets for both signs, else all later keys share bucket 0
  double kerple_r1 = 1, kerple_r2 = 1;     ///< KERPLE: r_1, r_2
  double p = 0.75;                         ///< p-RoPE: fraction of the pairs that are rotated
  int rotary_dim = 0;                      ///< RoPE: number of rotated channels; 0: all
  Pairing pairing = Pairing::interleaved;  ///< RoPE, p-RoPE, xPos: which channels form a pair
  double xpos_scale_base = 512;            ///< xPos: damping is ζ^(Δ/scale base)
  int xpos_sequence_length = 0;            ///< xPos: tables are centred at its half, rounded down (no effect on scores)
  bool seeded_projections = false;         ///< sinusoidal, learned, DeBERTa: W_q and W_k (which project positions as
                                           ///< well as content) are seeded random matrices; otherwise the identity
  std::map<std::string, double, std::less<>> numbers = {};  ///< fields without a member, by name
  std::optional<EncodingLadder> ladder = {};  ///< for encodings with Encoding::takes_ladder, replaces base
                                              ///< and rotary_dim; nullopt: the plain ladder b^(−2i/d)
  bool operator==(const EncodingValues&) const = default;
};

struct Encoding;

/// A field declared by an encoding. Its default is that of its member. A field used by a single encoding needs no
/// member: its value is stored by name (EncodingValues::numbers).
struct EncodingField : NumberField {
  std::variant<std::monostate, int EncodingValues::*, double EncodingValues::*, bool EncodingValues::*,
               std::uint64_t EncodingValues::*, Pairing EncodingValues::*>
      member = {};
  /// Returns the expected range, if validity depends on other fields; empty if the value is valid.
  Message (*fault)(const Encoding&, const EncodingValues&) = nullptr;
  bool taken_by_all = false;  ///< an option for every encoding, without effect if the encoding does not use it
};
/// Returns the value of a field: a switch as 0 or 1, a pairing as 1 for half split.
double value_of(const EncodingValues& settings, const EncodingField& field);
/// Sets a field. Precondition: an integer in the member's range if the member is an integer.
void set_value(EncodingValues& settings, const EncodingField& field, double value);

/// How a small model (core/training) uses the positions of an encoding; related kinds are adjacent.
enum class Training {
  rotation,         ///< q and k are rotated by the parts "cos" and "sin", and damped by "scale" if there is one
  nothing,          ///< not at all: it has no positions
  vectors,          ///< the part "p" is added to the tokens
  trained_vectors,  ///< a trained vector per position is added to the tokens: [length × width]
  bias,             ///< the part "bias" of each head is added to its scores
  trained_buckets,  ///< T5's bias, trained, is added, by bucket of the distance: [heads × buckets]
  trained_kernel,   ///< KERPLE's kernel is added, with trained ln r₁ and ln r₂: [heads × 2]; r stays positive
  none,             ///< it cannot be trained this way (Encoding::untrained)
};
/// Return whether trained numbers are added to the scores, and whether vectors are added to the tokens.
constexpr bool trains_scores(Training training) {
  return training == Training::trained_buckets || training == Training::trained_kernel;
}
constexpr bool adds_vectors(Training training) {
  return training == Training::vectors || training == Training::trained_vectors;
}

/// The index of an encoding's values: token positions, or distances Δ = m − n; none if it has no values.
enum class ValuesBy { none, position, distance };

/// One summand of a score, its scale included.
struct ScoreTerm {
  std::string name;  ///< "content-content"; term_words() gives its displayed form
  double value = 0;
};

class EncodingModel;

/// A position encoding. Its declaration and its place in the list are in encoding.cpp; title_of() returns its title.
struct Encoding {
  std::string_view name;  ///< stable, in files and as --encoding takes it: "transformer-xl"
  /// The index of its curve's colour and dash, unique in 0 … 24. Related encodings are equal modulo 5 and share a
  /// colour (0 rotations, 1 tables by position, 2 fixed biases, 3 tables by distance, 4 content alone or with added
  /// sinusoids).
  int slot = -1;
  std::string_view formula;         ///< the score without its scale, with q = W_q x_m and k = W_k x_k
  bool explained = false;           ///< the text "encoding.NAME.formula" adds words around {formula}
  std::string_view source;          ///< paper and equation, or repository
  std::string_view scale = "1/√d";  ///< empty: none
  bool biased = false;              ///< a bias is added after the scale
  bool relative = false;            ///< the score depends on positions only through m − n
  bool learned = false;             ///< has learned numbers, here seeded and smooth random (KERPLE: the fields)
  /// Returns the number of positions for which it is defined, from 0 on: the rows of its learned table, or those
  /// derived from them. Null: all integers.
  std::int64_t (*positions)(const EncodingValues&) = nullptr;
  bool causal_only = false;       ///< intended for keys up to the query; the formula also covers later keys (xPos)
  bool linear_attention = false;  ///< acts on q and k themselves, so linear attention can use it (attention.h)
  bool takes_ladder = false;      ///< rotates pairs by a ladder, which may be a model's (EncodingValues::ladder)
  Training training = Training::none;
  std::string_view untrained = "inside";  ///< the reason for Training::none: the text "training.refused.REASON"
  ValuesBy values_by = ValuesBy::none;
  /// Names for EncodingModel::values: "cos", "sin", "angle"; "bias"; ….
  std::span<const std::string_view> value_parts = {};
  std::span<const EncodingField> settings = {};  ///< the fields that have an effect, dim first
  /// Returns the number of learned parameters for one head of `dim` channels and validated fields.
  std::int64_t (*parameters)(const EncodingValues&) = [](const EncodingValues&) { return std::int64_t{0}; };
  /// Prepares a model from validated fields; call make_model() instead.
  std::shared_ptr<const EncodingModel> (*make)(const Encoding&, const EncodingValues&);
};

/// Returns all encodings in display order: none first, then by date. Property tests cover each of them.
std::span<const Encoding> all_encodings();
/// Returns whether the encoding is defined at a position.
bool is_defined_at(const Encoding& encoding, const EncodingValues& settings, std::int64_t position);
/// Returns the title of an encoding, as in headings: "Transformer-XL".
Message title_of(const Encoding& encoding);
/// Returns the formula, with words if it needs some.
Message formula_of(const Encoding& encoding);
/// Returns the rule for the scale: "1/√d, the bias is added after it".
Message scale_rule_of(const Encoding& encoding);
/// Returns the displayed name of a term: "content–content".
Message term_words(std::string_view term);
/// Returns the fields of all encodings, each once, with its default value.
std::vector<EncodingField> all_encoding_fields();
/// Returns whether the encoding uses a field.
bool takes(const Encoding& encoding, std::string_view field);
/// Returns the encoding with this name. Throws InputError that names it and lists all encodings if there is none.
const Encoding& find_encoding(std::string_view name);
/// Throws InputError naming the encoding, the field, its value and the expected range. A ladder needs at most dim/2
/// pairs (as many as rotary_dim specifies, if not 0), frequencies ≥ 0 and an amplitude > 0, all finite.
void validate(const Encoding& encoding, const EncodingValues& settings);
/// Validates the fields and prepares a model with its tables. Equal seeds give equal tables on every machine.
std::shared_ptr<const EncodingModel> make_model(const Encoding& encoding, const EncodingValues& settings);

/// The index of the total, in place of a term's index.
inline constexpr int kTotal = -1;

/// Positions and computation of a score matrix: query i is at first_query + i, key j at first_key + j.
struct ScoreMatrixOptions {
  std::int64_t first_query = 0, first_key = 0;
  /// Number of queries and keys; 0: the number of rows of the matrix. If the matrix has one row and the count is
  /// larger, the content is identical at every position.
  std::int64_t query_count = 0, key_count = 0;
  int term = kTotal;  ///< index into term_names(), or the total
  int threads = 0;    ///< 0: all cores
};

/// Scores by distance, with one column per term; the sum over a row is the total.
struct ScoresByDistance {
  TokenMatrix terms;      ///< [distances × terms]; NaN past a learned table
  Eigen::VectorXd total;  ///< [distances]
};

/// One of several named tables of learned (here seeded) numbers.
struct EncodingTable {
  std::string name;
  TokenMatrix values;
};

struct ScorePlan;

/// An encoding with its fields and tables, ready to compute. Immutable and safe to share between threads.
/// q and k are the content after W_q and W_k (dim channels each). Sinusoidal, learned and DeBERTa also project position
/// vectors by W_q and W_k, see EncodingValues::seeded_projections. Positions may be any integers with |position| ≤
/// 2^50.
class EncodingModel {
 public:
  EncodingModel(const Encoding& encoding, const EncodingValues& settings, ScorePlan plan);
  ~EncodingModel();

  const Encoding& encoding() const { return encoding_; }
  const EncodingValues& settings() const { return settings_; }
  /// Returns the names of the terms of every score, in a fixed order: "content-content", "content-position", …
  std::span<const std::string> term_names() const { return term_names_; }
  /// Returns the factor on the scaled terms: 1/√d, T5 1, TUPE 1/√(2d), DeBERTa 1/√(3d).
  double scale() const;

  /// Returns the score between q at position m and k at position n as named terms, scale included; the score is their
  /// sum. Throws InputError if a vector does not have dim channels, or for a position past a learned table ("learned:
  /// position 600 is past its table of 512 rows").
  std::vector<ScoreTerm> terms(const Eigen::VectorXd& q, const Eigen::VectorXd& k, std::int64_t m,
                               std::int64_t n) const;
  /// Returns the sum of the terms.
  double score(const Eigen::VectorXd& q, const Eigen::VectorXd& k, std::int64_t m, std::int64_t n) const;

  /// Returns the scores of a fixed q and k at every distance: key position = query_position − distance. The query
  /// position matters only if the encoding is not relative. NaN past a learned table. Empty if cancelled.
  ScoresByDistance score_by_distance(const Eigen::VectorXd& q, const Eigen::VectorXd& k,
                                     std::span<const std::int64_t> distances, std::int64_t query_position,
                                     const Work& work = {}) const;

  /// Returns the scores [queries × keys] of Q [queries × dim] and K [keys × dim], or one term of them. Cells past a
  /// learned table are NaN. Errors relative to |q||k|·scale: about 1e-5 in float, 1e-13 in double. If the content is
  /// identical everywhere, a relative encoding costs one kernel value per diagonal. Empty if cancelled. Cell: float or
  /// double. Throws InputError if the sizes do not match.
  template <class Cell>
  RowMatrix<Cell> score_matrix(const TokenMatrix& queries, const TokenMatrix& keys,
                               const ScoreMatrixOptions& options = {}, std::stop_token stop = {}) const;

  /// Returns the column names of a part of the values (Encoding::value_parts): "sin 0", "cos 0", … Throws InputError if
  /// there is no such part.
  std::vector<std::string> value_columns(std::string_view part) const;
  /// Returns the exact values at positions or distances (Encoding::values_by), one row each: sinusoids are within 1e-15
  /// + 2.5e-16·angle of the formula. NaN past a learned table. Parts: "p" (position vectors: sinusoidal, learned, TUPE;
  /// Transformer-XL and DeBERTa by distance), "cos", "sin" (times the ladder's amplitude), "angle" (radians modulo 2π;
  /// one column per pair), "scale" (xPos: the factor on the query), "key" and "value" (Shaw), "bias".
  TokenMatrix values(std::string_view part, std::span<const std::int64_t> rows) const;
  /// Returns the values of rows first, first+1, …, first+count−1 as floats (within 1e-6), optimised for maps: 8 192 × 3
  /// 072 in tens of milliseconds. Empty if cancelled.
  RowMatrix<float> value_map(std::string_view part, std::int64_t first, std::int64_t count,
                             const Work& work = {}) const;

  /// Returns all learned numbers; Encoding::parameters counts their entries.
  std::vector<EncodingTable> tables() const;

  /// Returns the plan by which the parts are computed, for this module and core/attention.
  const ScorePlan& plan() const { return *plan_; }

 private:
  Encoding encoding_;
  EncodingValues settings_;
  std::shared_ptr<const ScorePlan> plan_;
  std::vector<std::string> term_names_;
};

// --- Ladders -------------------------------------------------------------------------------------------------------

/// Sets the fields of a head with `dim` channels from one axis of a rotary embedding, as far as the encoding uses them:
/// base; rotary_dim, if the axis has fewer channels than the head; and its ladder under a context extension
/// (scaled_ladder). A ladder fully described by base and rotary_dim is omitted, so a plain rope always gives equal
/// fields and bit-identical scores. validate() checks that the pairs fit into the head.
void put_ladder(EncodingValues& settings, const Encoding& encoding, const RotaryAxis& axis, const ScaledLadder& ladder);

}  // namespace ropescope
