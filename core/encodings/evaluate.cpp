#include "core/encodings/evaluate.h"

namespace ropescope {

namespace {

std::span<double> span_of(Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

std::span<const double> view_of(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace

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
