// The computation of score matrices from their plan. Read matrix.h first.
//
// Contents: Matrix; Scores.

#include "core/encodings/matrix.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/encodings/parts.h"
#include "core/matrix_products/products.h"
#include "core/message.h"
#include "core/parallel.h"

namespace ropescope {

// --- Matrix --------------------------------------------------------------------------------------------------------

// A score matrix is a sum of four kinds of parts: one product A·Bᵀ of vectors per token (all product terms
// concatenated), a gather from Q·P̃ᵀ and one from K·P̃ᵀ, where P̃ has one row per distance, and numbers by distance.
// Each costs about tokens² · channels at most, in blocks distributed to threads.

namespace {

constexpr std::int64_t kQueryBlock = 128, kKeyBlock = 64, kRowShare = 64;
constexpr std::int64_t kMaxCells = std::int64_t{1} << 31;

/// One side of the matrix: the content and its positions.
struct Side {
  const TokenMatrix& content;
  std::int64_t first, count;
  std::span<const double> row(std::int64_t token) const {
    const Eigen::Index index = content.rows() == 1 ? 0 : token;
    return {content.data() + index * content.cols(), static_cast<std::size_t>(content.cols())};
  }
  std::int64_t last() const { return first + count - 1; }
};

/// Returns the midpoint of two positions, without overflow.
std::int64_t middle(std::int64_t a, std::int64_t b) {
  return a + (b - a) / 2;
}

struct Request {
  Side queries, keys;
  int threads;
  std::stop_token stop;
  std::int64_t farthest() const { return queries.last() - keys.first; }
  std::int64_t nearest() const { return queries.first - keys.last(); }
  std::int64_t reference() const {
    return middle(middle(queries.first, queries.last()), middle(keys.first, keys.last()));
  }
};

Side side_of(const EncodingModel& model, bool query, const TokenMatrix& content, std::int64_t first,
             std::int64_t count) {
  const std::string_view name = model.encoding().name;
  if (content.rows() < 1 || content.cols() != model.settings().dim) {
    throw InputError(name, query ? "encodings.shape_of_queries" : "encodings.shape_of_keys",
                     {{"rows", content.rows()}, {"columns", content.cols()}, {"dim", model.settings().dim}});
  }
  const std::int64_t rows = content.rows();
  if (count == 0) count = rows;
  if (count < 0 || (count != rows && rows != 1)) {
    throw InputError(name, query ? "encodings.number_of_queries" : "encodings.number_of_keys",
                     {{"rows", rows}, {"positions", count}});
  }
  return {content, first, count};
}

/// Returns the requested terms.
std::vector<const PlanTerm*> choose_terms(const EncodingModel& model, int term) {
  std::vector<const PlanTerm*> chosen;
  const auto& terms = model.plan().terms;
  if (term != kTotal && (term < 0 || term >= static_cast<int>(terms.size()))) {
    throw InputError(model.encoding().name, "encodings.term", {{"term", term}, {"last", terms.size() - 1}});
  }
  for (std::size_t index = 0; index < terms.size(); ++index) {
    if (term == kTotal || term == static_cast<int>(index)) chosen.push_back(&terms[index]);
  }
  return chosen;
}

/// Products that share one sum of query vectors and one sum of key vectors: (q + u)·k for q·k + u·k.
struct ProductGroup {
  std::vector<const TokenVector*> queries, keys;
};

std::set<std::string> ids_of(const std::vector<const TokenVector*>& vectors) {
  std::set<std::string> ids;
  for (const TokenVector* vector : vectors) ids.insert(vector->id);
  return ids;
}

std::vector<ProductGroup> product_groups(const std::vector<const PlanTerm*>& terms) {
  std::vector<ProductGroup> by_key;
  for (const PlanTerm* term : terms) {
    const auto* product = std::get_if<Product>(&term->part);
    if (!product) continue;
    const auto same_key = std::find_if(by_key.begin(), by_key.end(), [&](const ProductGroup& group) {
      return group.keys.front()->id == product->key.id;
    });
    if (same_key == by_key.end()) {
      by_key.push_back({{&product->query}, {&product->key}});
    } else {
      same_key->queries.push_back(&product->query);
    }
  }
  std::vector<ProductGroup> groups;
  for (const ProductGroup& group : by_key) {
    const auto same_queries = std::find_if(groups.begin(), groups.end(), [&](const ProductGroup& other) {
      return ids_of(other.queries) == ids_of(group.queries);
    });
    if (same_queries == groups.end()) {
      groups.push_back(group);
    } else {
      same_queries->keys.push_back(group.keys.front());
    }
  }
  return groups;
}

int group_width(const ProductGroup& group) {
  return vector_width(*group.queries.front());
}

/// The groups' vectors for one side, concatenated: [tokens × Σ widths].
template <class Cell>
RowMatrix<Cell> form_products(const Request& request, const Side& side, const std::vector<ProductGroup>& groups,
                              std::vector<const TokenVector*> ProductGroup::*vectors, double factor) {
  int width = 0;
  for (const ProductGroup& group : groups) width += group_width(group);
  RowMatrix<Cell> matrix(side.count, width);
  const std::int64_t reference = request.reference();
  std::map<const TokenVector*, RightMatrix<double>> projections;
  for (const ProductGroup& group : groups) {
    for (const TokenVector* vector : group.*vectors) {
      if (!vector->weights) continue;
      projections.emplace(vector,
                          RightMatrix<double>::of_transposed(*vector->weights, {request.threads, request.stop}));
    }
  }
  parallel_for_blocks(side.count, kRowShare, {request.threads, request.stop},
                      [&](std::int64_t begin, std::int64_t count) {
                        Eigen::Index column = 0;
                        for (const ProductGroup& group : groups) {
                          TokenMatrix sum = TokenMatrix::Zero(count, group_width(group));
                          for (const TokenVector* vector : group.*vectors) {
                            TokenMatrix raw(count, vector->width);
                            for (std::int64_t i = 0; i < count; ++i) {
                              vector->form(side.row(begin + i), {side.first + begin + i, reference},
                                           {raw.data() + i * raw.cols(), static_cast<std::size_t>(raw.cols())});
                            }
                            // One matrix product for the whole block instead of one product per vector.
                            if (vector->weights) {
                              projections.at(vector).multiply(raw, sum, true);
                            } else {
                              sum += raw;
                            }
                          }
                          matrix.block(begin, column, count, sum.cols()) = (sum * factor).template cast<Cell>();
                          column += sum.cols();
                        }
                      });
  return matrix;
}

/// Rows for the distances in a request, in descending order, which is the order of the keys.
template <class Cell>
struct RowsByDistance {
  std::int64_t farthest = 0;  ///< distance of the first row
  RowMatrix<Cell> rows;
  std::optional<RightMatrix<Cell>> columns;  ///< the rows, transposed, as the right side of products
  RowMatrix<Cell> content;                   ///< [1 or tokens × width]: weightsᵀ x · scale
  std::int64_t index(std::int64_t distance) const {
    return std::clamp<std::int64_t>(farthest - distance, 0, rows.rows() - 1);
  }
  /// Returns the index rounded down to the start of a panel, where products can begin.
  std::int64_t start(std::int64_t distance) const {
    return index(distance) / RightMatrix<Cell>::panel() * RightMatrix<Cell>::panel();
  }
};

template <class Cell>
RowsByDistance<Cell> rows_by_distance(const Request& request, const ContentByDistance& part, double factor) {
  const DistanceRows& rows = part.rows;
  RowsByDistance<Cell> result;
  result.farthest = std::clamp(request.farthest(), rows.lowest, rows.highest);
  const std::int64_t nearest = std::clamp(request.nearest(), rows.lowest, rows.highest);
  result.rows.resize(result.farthest - nearest + 1, rows.width);
  parallel_for_blocks(result.rows.rows(), kRowShare, {request.threads, request.stop},
                      [&](std::int64_t begin, std::int64_t count) {
                        Eigen::RowVectorXd exact(rows.width);
                        for (std::int64_t i = begin; i < begin + count; ++i) {
                          rows.row(result.farthest - i, {exact.data(), static_cast<std::size_t>(exact.size())});
                          result.rows.row(i) = exact.template cast<Cell>();
                        }
                      });
  result.columns = RightMatrix<Cell>::of_transposed(result.rows, {request.threads, request.stop});
  const TokenMatrix& content = part.of_key ? request.keys.content : request.queries.content;
  result.content.resize(content.rows(), rows.width);
  parallel_for_blocks(
      content.rows(), kRowShare, {request.threads, request.stop}, [&](std::int64_t begin, std::int64_t count) {
        const auto block = content.middleRows(begin, count);
        if (part.weights) {
          result.content.middleRows(begin, count) = (block * *part.weights * factor).template cast<Cell>();
        } else {
          result.content.middleRows(begin, count) = (block * factor).template cast<Cell>();
        }
      });
  return result;
}

/// Returns the rows of `content` for tokens begin … begin + count − 1 (equal rows if the content has one row).
template <class Cell>
RowMatrix<Cell> tokens_of(const RowMatrix<Cell>& content, std::int64_t begin, std::int64_t count) {
  if (content.rows() == 1) return content.replicate(count, 1);
  return content.middleRows(begin, count);
}

/// Adds content(query) · row(Δ) to rows begin … of the scores.
template <class Cell>
void add_query_rows(const Request& request, const RowsByDistance<Cell>& part, std::int64_t begin, std::int64_t count,
                    RowMatrix<Cell>& scores) {
  const std::int64_t first = request.queries.first + begin;
  const std::int64_t top = part.start(first + count - 1 - request.keys.first);
  const std::int64_t bottom = part.index(first - request.keys.last());
  RowMatrix<Cell> products(count, bottom - top + 1);
  part.columns->multiply(tokens_of(part.content, begin, count), products, false, top);
  const std::int64_t last = products.cols() - 1, key_count = request.keys.count;
  for (std::int64_t i = 0; i < count; ++i) {
    // Key j uses column shift + j, or an end column if that is out of range.
    const std::int64_t shift = part.farthest - (first + i - request.keys.first) - top;
    const std::int64_t from = std::clamp<std::int64_t>(-shift, 0, key_count);
    const std::int64_t to = std::clamp<std::int64_t>(last + 1 - shift, from, key_count);
    auto row = scores.row(begin + i);
    row.head(from).array() += products(i, 0);
    if (to > from) row.segment(from, to - from) += products.row(i).segment(shift + from, to - from);
    row.tail(key_count - to).array() += products(i, last);
  }
}

/// Adds content(key) · row(Δ) to columns begin … of the scores.
template <class Cell>
void add_key_rows(const Request& request, const RowsByDistance<Cell>& part, std::int64_t begin, std::int64_t count,
                  RowMatrix<Cell>& scores) {
  const std::int64_t first = request.keys.first + begin;
  const std::int64_t top = part.start(request.queries.last() - first);
  const std::int64_t bottom = part.index(request.queries.first - (first + count - 1));
  RowMatrix<Cell> products(count, bottom - top + 1);
  part.columns->multiply(tokens_of(part.content, begin, count), products, false, top);
  const std::int64_t last = products.cols() - 1;
  for (std::int64_t i = 0; i < request.queries.count; ++i) {
    const std::int64_t shift = part.farthest - (request.queries.first + i - first) - top;
    Cell* const row = scores.data() + i * scores.cols() + begin;
    for (std::int64_t j = 0; j < count; ++j) row[j] += products(j, std::clamp<std::int64_t>(shift + j, 0, last));
  }
}

/// Returns the sum of the chosen terms' biases, by descending distance; empty if there are none.
template <class Cell>
Eigen::Matrix<Cell, 1, Eigen::Dynamic> biases(const Request& request, const std::vector<const PlanTerm*>& terms,
                                              double scale) {
  const bool any = std::any_of(terms.begin(), terms.end(),
                               [](const PlanTerm* term) { return std::holds_alternative<Bias>(term->part); });
  if (!any) return {};
  Eigen::Matrix<Cell, 1, Eigen::Dynamic> values(request.farthest() - request.nearest() + 1);
  parallel_for_blocks(values.size(), kRowShare, {request.threads, request.stop},
                      [&](std::int64_t begin, std::int64_t count) {
                        for (std::int64_t i = begin; i < begin + count; ++i) {
                          double sum = 0;
                          for (const PlanTerm* term : terms) {
                            const auto* bias = std::get_if<Bias>(&term->part);
                            if (bias) sum += bias->value(request.farthest() - i) * (term->scaled ? scale : 1);
                          }
                          values[i] = static_cast<Cell>(sum);
                        }
                      });
  return values;
}

template <class Cell>
RowMatrix<Cell> general_matrix(const ScorePlan& plan, const Request& request,
                               const std::vector<const PlanTerm*>& terms) {
  const std::vector<ProductGroup> groups = product_groups(terms);
  const RowMatrix<Cell> left =
      form_products<Cell>(request, request.queries, groups, &ProductGroup::queries, plan.scale);
  const RowMatrix<Cell> right = form_products<Cell>(request, request.keys, groups, &ProductGroup::keys, 1);
  std::vector<RowsByDistance<Cell>> of_query, of_key;
  for (const PlanTerm* term : terms) {
    const auto* part = std::get_if<ContentByDistance>(&term->part);
    if (part) (part->of_key ? of_key : of_query).push_back(rows_by_distance<Cell>(request, *part, plan.scale));
  }
  const auto bias = biases<Cell>(request, terms, plan.scale);
  RowMatrix<Cell> scores(request.queries.count, request.keys.count);
  const auto keys = RightMatrix<Cell>::of_transposed(right, {request.threads, request.stop});
  parallel_for_blocks(request.queries.count, kQueryBlock, {request.threads, request.stop},
                      [&](std::int64_t begin, std::int64_t count) {
                        auto rows = scores.middleRows(begin, count);
                        if (left.cols() > 0) {
                          keys.multiply(left.middleRows(begin, count), rows);
                        } else {
                          rows.setZero();
                        }
                        for (const auto& part : of_query) add_query_rows(request, part, begin, count, scores);
                        for (std::int64_t i = begin; i < begin + count && bias.size() > 0; ++i) {
                          scores.row(i) += bias.segment(request.queries.count - 1 - i, request.keys.count);
                        }
                      });
  for (const auto& part : of_key) {
    parallel_for_blocks(
        request.keys.count, kKeyBlock, {request.threads, request.stop},
        [&](std::int64_t begin, std::int64_t count) { add_key_rows(request, part, begin, count, scores); });
  }
  return scores;
}

/// The case of constant content and a relative encoding: one value per diagonal.
template <class Cell>
RowMatrix<Cell> diagonal_matrix(const EncodingModel& model, const Request& request, int term) {
  const std::int64_t queries = request.queries.count, keys = request.keys.count;
  // By descending distance: row i begins at queries − 1 − i.
  std::vector<std::int64_t> distances(static_cast<std::size_t>(queries + keys - 1));
  for (std::size_t i = 0; i < distances.size(); ++i) distances[i] = request.farthest() - static_cast<std::int64_t>(i);
  const ScoresByDistance by_distance = model.score_by_distance(
      request.queries.content.row(0).transpose(), request.keys.content.row(0).transpose(), distances,
      middle(request.queries.first, request.queries.last()), {request.threads, request.stop});
  if (request.stop.stop_requested()) return {};
  const Eigen::Matrix<Cell, 1, Eigen::Dynamic> diagonals =
      (term == kTotal ? by_distance.total : Eigen::VectorXd(by_distance.terms.col(term))).transpose().cast<Cell>();
  RowMatrix<Cell> scores(queries, keys);
  parallel_for_blocks(queries, kRowShare, {request.threads, request.stop}, [&](std::int64_t begin, std::int64_t count) {
    for (std::int64_t i = begin; i < begin + count; ++i) scores.row(i) = diagonals.segment(queries - 1 - i, keys);
  });
  return scores;
}

// --- Scores --------------------------------------------------------------------------------------------------------

std::span<double> span_of(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

std::span<const double> view_of(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace

template <class Cell>
RowMatrix<Cell> EncodingModel::score_matrix(const TokenMatrix& queries, const TokenMatrix& keys,
                                            const ScoreMatrixOptions& options, std::stop_token stop) const {
  const Request request{side_of(*this, true, queries, options.first_query, options.query_count),
                        side_of(*this, false, keys, options.first_key, options.key_count), options.threads, stop};
  if (request.queries.count > kMaxCells / request.keys.count) {
    throw InputError("encodings.cells", {{"rows", request.queries.count}, {"columns", request.keys.count}});
  }
  const auto terms = choose_terms(*this, options.term);
  const bool same_content = queries.rows() == 1 && keys.rows() == 1;
  RowMatrix<Cell> scores = same_content && encoding_.relative ? diagonal_matrix<Cell>(*this, request, options.term)
                                                              : general_matrix<Cell>(*plan_, request, terms);
  if (stop.stop_requested()) return {};
  return scores;
}

template RowMatrix<float> EncodingModel::score_matrix(const TokenMatrix&, const TokenMatrix&, const ScoreMatrixOptions&,
                                                      std::stop_token) const;
template RowMatrix<double> EncodingModel::score_matrix(const TokenMatrix&, const TokenMatrix&,
                                                       const ScoreMatrixOptions&, std::stop_token) const;

void form_vector(const TokenVector& vector, std::span<const double> content, const Place& place,
                 std::span<double> out) {
  if (!vector.weights) {
    vector.form(content, place, out);
    return;
  }
  Eigen::VectorXd raw(vector.width);
  vector.form(content, place, span_of(raw));
  Eigen::Map<Eigen::VectorXd>(out.data(), static_cast<Eigen::Index>(out.size())).noalias() = *vector.weights * raw;
}

int vector_width(const TokenVector& vector) {
  return vector.weights ? static_cast<int>(vector.weights->rows()) : vector.width;
}

Eigen::VectorXd transposed_product(const Weights& weights, const Eigen::VectorXd& x) {
  if (!weights) return x;
  return weights->transpose() * x;
}

PairScores::PairScores(const ScorePlan& plan, const Eigen::VectorXd& q, const Eigen::VectorXd& k)
    : plan_(plan), q_(q), k_(k), turned_(plan.terms.size()) {
  for (std::size_t index = 0; index < plan.terms.size(); ++index) {
    if (const auto* by_distance = std::get_if<ContentByDistance>(&plan.terms[index].part)) {
      turned_[index] = transposed_product(by_distance->weights, by_distance->of_key ? k : q);
    }
  }
}

double PairScores::value(const PlanTerm& term, std::size_t index, std::int64_t m, std::int64_t n) {
  if (const auto* bias = std::get_if<Bias>(&term.part)) return bias->value(m - n);
  if (const auto* by_distance = std::get_if<ContentByDistance>(&term.part)) {
    left_.resize(by_distance->rows.width);
    by_distance->rows.row(m - n, span_of(left_));
    return turned_[index].dot(left_);
  }
  const Product& product = std::get<Product>(term.part);
  const std::int64_t reference = middle(m, n);
  left_.resize(vector_width(product.query));
  right_.resize(vector_width(product.key));
  form_vector(product.query, view_of(q_), {m, reference}, span_of(left_));
  form_vector(product.key, view_of(k_), {n, reference}, span_of(right_));
  return left_.dot(right_);
}

void PairScores::terms(std::int64_t m, std::int64_t n, std::span<double> out) {
  for (std::size_t index = 0; index < plan_.terms.size(); ++index) {
    const PlanTerm& term = plan_.terms[index];
    out[index] = value(term, index, m, n) * (term.scaled ? plan_.scale : 1);
  }
}

}  // namespace ropescope
