// Score matrices of an encoding for all queries and keys at once: a plan of matrix products, and its execution. Read
// encoding.h first; encodings make their plans with parts.h.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/encodings/encoding.h"
#include "core/encodings/sinusoid.h"

namespace ropescope {

// --- Plan ----------------------------------------------------------------------------------------------------------

/// A matrix of weights [to × from], shared by the parts that use it; null: the identity.
using Weights = std::shared_ptr<const TokenMatrix>;

/// The position of a token. Factors that grow with m (xPos) are computed relative to `reference`, a position in the
/// middle of all queries and keys; it cancels in the score.
struct Place {
  std::int64_t position = 0;
  std::int64_t reference = 0;
};

/// A vector per token: formed from its content and place, then multiplied by the weights.
struct TokenVector {
  std::string id;  ///< on one side of a score, equal ids mean equal vectors
  int width = 0;   ///< number of channels that `form` writes
  /// Writes NaN past a learned table.
  std::function<void(std::span<const double> content, const Place& place, std::span<double> out)> form;
  Weights weights;
};

/// Vectors by distance Δ = m − n, constant beyond `lowest` and `highest`.
struct DistanceRows {
  std::int64_t lowest = -(std::int64_t{1} << 60), highest = std::int64_t{1} << 60;
  int width = 0;
  std::function<void(std::int64_t distance, std::span<double> out)> row;
};

/// The term query · key.
struct Product {
  TokenVector query, key;
};
/// The term x · (weights · row(Δ)), where x is the content of the query or of the key.
struct ContentByDistance {
  bool of_key = false;
  DistanceRows rows;
  Weights weights;
};
/// A term given by a number per distance.
struct Bias {
  std::function<double(std::int64_t distance)> value;
};

struct PlanTerm {
  std::string name;
  std::variant<Product, ContentByDistance, Bias> part;
  bool scaled = true;  ///< multiplied by the plan's scale
};

/// A part of the values: rows by position or distance.
struct PlanValues {
  std::string name;
  std::vector<std::string> columns;
  std::function<void(std::int64_t row, std::span<double> out)> row;
  /// The sinusoids of this part, for the fast map; nullopt if it is not made of plain sinusoids.
  std::optional<Sinusoids> sinusoids;
};

/// The computation of an encoding, declared by its source file.
struct ScorePlan {
  double scale = 1;
  std::vector<PlanTerm> terms;
  std::vector<PlanValues> values;
  std::function<std::vector<EncodingTable>()> tables;
  /// Throws InputError for a position past a learned table; null: all positions are valid.
  std::function<void(std::int64_t position)> check_position;
  /// The map from q and k to the factors of linear attention's product; positions are relative to encode_reference.
  std::optional<Product> encode;
  std::int64_t encode_reference = 0;
  bool rotates_features = false;           ///< encode acts on φ(q), φ(k) (RoPE), not on q, k before φ (sinusoidal)
  std::optional<DistanceRows> value_rows;  ///< Shaw: added to the values
};

/// Writes EncodingModel::values(part, rows) to memory of the caller, [rows × columns].
void write_values(const EncodingModel& model, std::string_view part, std::span<const std::int64_t> rows, double* out);

/// Computes one vector of a token. `out` has as many entries as vector_width.
void form_vector(const TokenVector& vector, std::span<const double> content, const Place& place, std::span<double> out);
int vector_width(const TokenVector& vector);
/// Returns wᵀx, or x if there are no weights.
Eigen::VectorXd transposed_product(const Weights& weights, const Eigen::VectorXd& x);

// --- Scores --------------------------------------------------------------------------------------------------------

/// Scores between one q and one k at many places, with common factors computed once. For one thread.
class PairScores {
 public:
  /// Precondition: the plan outlives this object.
  PairScores(const ScorePlan& plan, const Eigen::VectorXd& q, const Eigen::VectorXd& k);

  /// Writes every term, scale included, between q at m and k at n; NaN past a learned table.
  void terms(std::int64_t m, std::int64_t n, std::span<double> out);

 private:
  double value(const PlanTerm& term, std::size_t index, std::int64_t m, std::int64_t n);

  const ScorePlan& plan_;
  Eigen::VectorXd q_, k_;
  std::vector<Eigen::VectorXd> turned_;  ///< per term: weightsᵀ x, for terms by distance
  Eigen::VectorXd left_, right_;
};

}  // namespace ropescope
