// Position encodings: what one is, which there are, what they ask for, and what comes out. The encodings themselves
// stand in rotations.cpp, biases.cpp and tables.cpp.
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

// --- What an encoding is -------------------------------------------------------------------------------------------

/// Rows are tokens, columns are channels.
using TokenMatrix = RowMatrixXd;

/// What turns the pairs in the place of the plain ladder: a model's own frequencies, its context extension included
/// (core/scaling). With n of them the first 2n channels of the head turn, in pairs as `pairing` says; the others stay
/// as they are. cos and sin are multiplied by the amplitude A, so q and k are by A and their product by A².
struct EncodingLadder {
  std::vector<double> frequencies;  ///< θ_i, radians per position
  double amplitude = 1;
  bool operator==(const EncodingLadder&) const = default;
};

/// Every field that more than one encoding looks at, and some of single ones; which of them an encoding looks at, and
/// what is valid, its declarations say (Encoding::settings).
struct EncodingValues {
  int dim = 128;                           ///< d: channels of q and k
  int heads = 8;                           ///< H: slopes of ALiBi and Sandwich
  int head = 1;                            ///< h, 1…H
  std::uint64_t seed = 1;                  ///< of the smooth-random tables that stand for learned ones
  int trained_length = 512;                ///< L: rows of a learned absolute table
  double base = 10000;                     ///< b of sinusoids and rotations
  int clip = 16;                           ///< R: largest distance Shaw and DeBERTa tell apart
  int buckets = 32;                        ///< T5, TUPE: numbers in the table
  int max_distance = 128;                  ///< T5, TUPE: from here on all is one bucket
  bool bidirectional = true;               ///< T5, TUPE: buckets for both signs, else all later keys share bucket 0
  double kerple_r1 = 1, kerple_r2 = 1;     ///< KERPLE: r_1, r_2
  double p = 0.75;                         ///< p-RoPE: the part of the pairs that turns
  int rotary_dim = 0;                      ///< RoPE: how many channels turn; 0: all
  Pairing pairing = Pairing::interleaved;  ///< RoPE, p-RoPE, xPos: which channels form a pair
  double xpos_scale_base = 512;            ///< xPos: damping is ζ^(Δ/scale base)
  int xpos_sequence_length = 0;            ///< xPos: tables are centred at this // 2 (no effect on scores)
  bool seeded_projections = false;         ///< sinusoidal, learned, DeBERTa: W_q and W_k (which positions go through as
                                           ///< well as content) are seeded random matrices, else the identity
  std::map<std::string, double, std::less<>> numbers = {};  ///< fields without a member, under their names
  std::optional<EncodingLadder> ladder = {};  ///< of those that take one (Encoding::takes_ladder), in the place of base
                                              ///< and rotary_dim; none: the plain one, b^(−2i/d)
  bool operator==(const EncodingValues&) const = default;
};

struct Encoding;

/// A field as an encoding declares it. Its initial value is that of its member; one that a single encoding looks at
/// needs no member: its value is kept under its name (EncodingValues::numbers).
struct EncodingField : NumberField {
  std::variant<std::monostate, int EncodingValues::*, double EncodingValues::*, bool EncodingValues::*,
               std::uint64_t EncodingValues::*, Pairing EncodingValues::*>
      member = {};
  /// What was expected, where what is valid depends on other fields; empty where the value fits.
  Words (*fault)(const Encoding&, const EncodingValues&) = nullptr;
  bool taken_by_all = false;  ///< an option for every encoding, though without effect where it does not look at it
};
/// The value; a switch is 0 or 1, a pairing 1 for half split.
double value_of(const EncodingValues& settings, const EncodingField& field);
/// Precondition: a whole number that the member can hold, where it holds whole ones.
void set_value(EncodingValues& settings, const EncodingField& field, double value);

/// Where a small model (core/training) has the positions of an encoding; kin stand side by side.
enum class Training {
  rotation,         ///< q and k are turned by the parts "cos" and "sin", and damped by "scale" where there is that part
  nothing,          ///< nowhere: it has none
  vectors,          ///< the part "p" is added to the tokens
  trained_vectors,  ///< a vector per position, trained, is added to them: [length × width]
  bias,             ///< the part "bias" of each head is added to its scores
  trained_buckets,  ///< T5's number of the bucket of a distance is, trained: [heads × buckets]
  trained_kernel,   ///< KERPLE's logarithm is, by trained ln r₁ and ln r₂: [heads × 2]; r stays positive
  none,             ///< it cannot be trained so (Encoding::untrained)
};
/// Whether numbers of the model itself are added to its scores; whether vectors are added to its tokens.
constexpr bool trains_scores(Training training) {
  return training == Training::trained_buckets || training == Training::trained_kernel;
}
constexpr bool adds_vectors(Training training) {
  return training == Training::vectors || training == Training::trained_vectors;
}

/// What an encoding's values are listed by: token positions, or distances Δ = m − n; none where it has no values.
enum class ValuesBy { none, position, distance };

/// One summand of a score, its scale included.
struct ScoreTerm {
  std::string name;  ///< "content-content", see term_words
  double value = 0;
};

class EncodingModel;

/// A position encoding: one block with its fields; its declaration and its place stand in encoding.cpp. Its title is a
/// text: title_of.
struct Encoding {
  std::string_view name;  ///< stable, in files and as --encoding takes it: "transformer-xl"
  /// The place of its curve among the colours and dashes of curves: kin are equal modulo 5 and share a colour (0
  /// rotations, 1 tables by position, 2 fixed biases, 3 tables by distance, 4 content alone or with added sinusoids).
  /// Each from 0 to 24 stands once.
  int slot = -1;
  std::string_view formula;         ///< the score without its scale, with q = W_q x_m and k = W_k x_k
  bool explained = false;           ///< the formula needs words: the text "encoding.NAME.formula" around {formula}
  std::string_view source;          ///< paper and equation, or repository
  std::string_view scale = "1/√d";  ///< empty: none
  bool biased = false;              ///< a bias is added after the scale
  bool relative = false;            ///< the score sees positions only through m − n
  bool learned = false;             ///< has trained numbers; here seeded, smooth-random ones (KERPLE: the fields)
  /// How many positions it is defined for, from 0 on: the rows of its learned table, or what is made of them. Null: all
  /// integers.
  std::int64_t (*positions)(const EncodingValues&) = nullptr;
  bool causal_only = false;       ///< meant for keys at or before the query; the formula is continued past them (xPos)
  bool linear_attention = false;  ///< acts on q and k themselves, so that linear attention can use it (attention.h)
  bool takes_ladder = false;      ///< turns pairs by a ladder, which may be a model's own (EncodingValues::ladder)
  Training training = Training::none;
  std::string_view untrained = "inside";  ///< why not, where it is none: the text "training.refused.REASON"
  ValuesBy values_by = ValuesBy::none;
  /// Names for EncodingModel::values: "cos", "sin", "angle"; "bias"; ….
  std::span<const std::string_view> value_parts = {};
  std::span<const EncodingField> settings = {};  ///< those that change anything, dim first
  /// Numbers that training would set, for one head of `dim` channels and checked fields.
  std::int64_t (*parameters)(const EncodingValues&) = [](const EncodingValues&) { return std::int64_t{0}; };
  /// Prepares a model from checked fields; call make_model instead.
  std::shared_ptr<const EncodingModel> (*make)(const Encoding&, const EncodingValues&);
};

/// All encodings in the order in which a list shows them: none first, then by age. Law tests run over it.
std::span<const Encoding> all_encodings();
/// Whether it is defined for a position.
bool is_defined_at(const Encoding& encoding, const EncodingValues& settings, std::int64_t position);
/// The name of an encoding as it stands in a heading: "Transformer-XL".
Words title_of(const Encoding& encoding);
/// The formula, with words where it needs some.
Words formula_of(const Encoding& encoding);
/// "1/√d, the bias is added after it".
Words scale_rule_of(const Encoding& encoding);
/// The name of a term for people: "content–content".
Words term_words(std::string_view term);
/// The fields of all encodings, each once, with its initial value.
std::vector<EncodingField> all_encoding_fields();
/// Whether the encoding looks at a field.
bool takes(const Encoding& encoding, std::string_view field);
/// Throws InputError that names the encoding and lists those there are.
const Encoding& find_encoding(std::string_view name);
/// Throws InputError that names encoding, field, what was found and what was expected. Of a ladder: as many pairs as
/// the head has room for (and as rotary_dim says, where that is not 0), frequencies ≥ 0, an amplitude > 0, all finite.
void validate(const Encoding& encoding, const EncodingValues& settings);
/// Checks the fields, then prepares the model with its tables. The same seed gives the same tables on every machine.
std::shared_ptr<const EncodingModel> make_model(const Encoding& encoding, const EncodingValues& settings);

/// All terms together, where a term is asked for by its index.
inline constexpr int kTotal = -1;

/// Where the tokens of a score matrix stand and how it is computed: query i at first_query + i, key j at first_key + j.
struct ScoreMatrixOptions {
  std::int64_t first_query = 0, first_key = 0;
  /// How many queries and keys; 0: as many as the matrix has rows. Where the matrix has one row and the count is
  /// larger, the content is the same at every position.
  std::int64_t query_count = 0, key_count = 0;
  int term = kTotal;  ///< index into term_names(), or the total
  int threads = 0;    ///< 0: all cores
};

/// Scores by distance, one column per term; the row sums are the total.
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
/// q and k are what W_q and W_k made of the content (dim channels each); sinusoidal, learned and DeBERTa also project
/// position vectors by W_q and W_k, see EncodingValues::seeded_projections. Positions may be any integers with
/// |position| ≤ 2^50.
class EncodingModel {
 public:
  EncodingModel(const Encoding& encoding, const EncodingValues& settings, ScorePlan plan);
  ~EncodingModel();

  const Encoding& encoding() const { return encoding_; }
  const EncodingValues& settings() const { return settings_; }
  /// Names of the terms of every score, in a fixed order: "content-content", "content-position", …
  std::span<const std::string> term_names() const { return term_names_; }
  /// What the scaled terms were multiplied by: 1/√d, T5 1, TUPE 1/√(2d), DeBERTa 1/√(3d).
  double scale() const;

  /// The score between q at position m and k at position n as named terms, their scale included; the score is their
  /// sum. Throws InputError where a vector does not have dim channels, or for a position past a learned table
  /// ("learned: position 600 is past its table of 512 rows").
  std::vector<ScoreTerm> terms(const Eigen::VectorXd& q, const Eigen::VectorXd& k, std::int64_t m,
                               std::int64_t n) const;
  /// Σ terms.
  double score(const Eigen::VectorXd& q, const Eigen::VectorXd& k, std::int64_t m, std::int64_t n) const;

  /// Scores of the same q and k at every distance: key position = query_position − distance. What query_position is
  /// makes a difference only where the encoding is not relative. NaN past a learned table. Stops early, with empty
  /// results, where it is stopped.
  ScoresByDistance score_by_distance(const Eigen::VectorXd& q, const Eigen::VectorXd& k,
                                     std::span<const std::int64_t> distances, std::int64_t query_position,
                                     const Work& work = {}) const;

  /// Scores [queries × keys] of Q [queries × dim] and K [keys × dim], or of one term of them. Cells past a learned
  /// table are NaN. Float cells are within about 1e-5 of the score's own size (|q||k|·scale), double ones about 1e-13.
  /// Content that is the same everywhere costs one kernel value per diagonal for a relative encoding. Stops early, with
  /// an empty matrix, where it is stopped. Cell: float or double. Throws InputError where sizes do not fit.
  template <class Cell>
  RowMatrix<Cell> score_matrix(const TokenMatrix& queries, const TokenMatrix& keys,
                               const ScoreMatrixOptions& options = {}, std::stop_token stop = {}) const;

  /// Names of the columns of a part of the values (Encoding::value_parts): "sin 0", "cos 0", … Throws InputError where
  /// there is no such part.
  std::vector<std::string> value_columns(std::string_view part) const;
  /// The values at given positions or distances (Encoding::values_by), one row each, exact: sinusoids are within
  /// 1e-15 + 2.5e-16·angle of the formula. NaN past a learned table. Parts: "p" (position vectors: sinusoidal, learned,
  /// TUPE; Transformer-XL and DeBERTa by distance), "cos", "sin" (times the ladder's amplitude), "angle" (radians
  /// modulo 2π; one column per pair), "scale" (xPos: what multiplies the query), "key" and "value" (Shaw), "bias".
  TokenMatrix values(std::string_view part, std::span<const std::int64_t> rows) const;
  /// Values of rows first, first+1, …, first+count−1 as floats (within 1e-6), the fast way, for maps: 8 192 × 3 072
  /// in tens of milliseconds. Empty where it is stopped.
  RowMatrix<float> value_map(std::string_view part, std::int64_t first, std::int64_t count,
                             const Work& work = {}) const;

  /// All learned numbers; their entries are what Encoding::parameters counts.
  std::vector<EncodingTable> tables() const;

  /// How the parts are computed, for this room and core/attention.
  const ScorePlan& plan() const { return *plan_; }

 private:
  Encoding encoding_;
  EncodingValues settings_;
  std::shared_ptr<const ScorePlan> plan_;
  std::vector<std::string> term_names_;
};

// --- Ladders -------------------------------------------------------------------------------------------------------

/// Gives fields of `dim` channels what one axis of a rotary embedding turns by, as far as the encoding looks at it:
/// base; rotary_dim, where the axis has fewer channels than the head; and its ladder under a context extension
/// (scaled_ladder). A ladder that says no more than base and rotary_dim do is left out, so that a plain rope gives the
/// same fields whichever way it is written, and the same scores to the last bit. Whether the head has room for the
/// pairs, validate says.
void put_ladder(EncodingValues& settings, const Encoding& encoding, const RotaryAxis& axis, const ScaledLadder& ladder);

}  // namespace ropescope
