#include <algorithm>
#include <cmath>
#include <limits>

#include "core/precision/precision.h"

namespace ropescope {

namespace {

/// cos and sin per pair as doubles: what every policy is measured against.
struct Table {
  Eigen::VectorXd cosine, sine;
};

Table error_exact_table(const Eigen::VectorXd& frequencies, double position) {
  const Eigen::VectorXd angles = position * frequencies;
  return {angles.unaryExpr([](double angle) { return std::cos(angle); }),
          angles.unaryExpr([](double angle) { return std::sin(angle); })};
}

Table table_of_error(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double position) {
  Table table;
  policy.table(frequencies, position, table.cosine, table.sine);
  return table;
}

/// Both components of the content (1, 1)/√2 of each pair, stored in the policy's format.
double component(const PrecisionPolicy& policy) {
  const double value = std::sqrt(0.5);
  return policy.rotation ? policy.rotation(value) : value;
}

/// The content of every pair rotated, every step rounded as the policy does.
struct Rotated {
  Eigen::VectorXd first, second;
};
Rotated rotated(const PrecisionPolicy& policy, const Table& table) {
  const double x = component(policy);
  const Rounding step = policy.rotation;
  Rotated result{x * (table.cosine - table.sine), x * (table.cosine + table.sine)};
  if (!step) return result;
  for (Eigen::Index i = 0; i < table.cosine.size(); ++i) {
    const double cosine = step(x * table.cosine[i]), sine = step(x * table.sine[i]);
    result.first[i] = step(cosine - sine);
    result.second[i] = step(cosine + sine);
  }
  return result;
}

/// Largest magnitude; NaN where there is one (Eigen's own maximum may pass over it).
double error_largest(const Eigen::VectorXd& values) {
  double result = 0;
  for (const double value : values) {
    if (std::isnan(value)) return value;
    result = std::max(result, std::abs(value));
  }
  return result;
}

/// NaN where either is.
double larger(double a, double b) {
  return std::isnan(a) || a > b ? a : b;
}

}  // namespace

PrecisionError precision_error(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double position) {
  const Table exact = error_exact_table(frequencies, position);
  const auto pairs = static_cast<double>(frequencies.size());
  PrecisionError error;
  if (policy.rotation) {
    const double x = component(policy);
    const Rotated found = rotated(policy, exact);
    const Eigen::VectorXd first = found.first - x * (exact.cosine - exact.sine);
    const Eigen::VectorXd second = found.second - x * (exact.cosine + exact.sine);
    error.max_abs = larger(error_largest(first), error_largest(second));
    error.rms = std::sqrt((first.squaredNorm() + second.squaredNorm()) / pairs);
  } else {
    const Table found = table_of_error(policy, frequencies, position);
    const Eigen::VectorXd cosine = found.cosine - exact.cosine, sine = found.sine - exact.sine;
    error.max_abs = error_largest(cosine);
    error.rms = std::sqrt((cosine.squaredNorm() + sine.squaredNorm()) / pairs);
  }
  error.score = std::abs(policy_score(policy, frequencies, position, 0) - exact.cosine.mean());
  return error;
}

double first_repeated_position(const PrecisionPolicy& policy) {
  if (!policy.position) return std::numeric_limits<double>::infinity();
  // With p significant bits every whole number up to 2^p has a place, and 2^p + 1 is halfway: it goes to the even 2^p.
  for (double position = 1; position < 0x1p53; position *= 2) {
    if (policy.position(position) == policy.position(position + 1)) return position;
  }
  return std::numeric_limits<double>::infinity();
}

double first_overflowing_position(const PrecisionPolicy& policy) {
  double held = 0, lost = 0x1p53;
  if (!policy.position || std::isfinite(policy.position(lost))) return std::numeric_limits<double>::infinity();
  while (lost - held > 1) {
    const double middle = std::floor((held + lost) / 2);
    (std::isfinite(policy.position(middle)) ? held : lost) = middle;
  }
  return lost;
}

double policy_score(const PrecisionPolicy& policy, const Eigen::VectorXd& frequencies, double query_position,
                    double key_position) {
  const Table query = table_of_error(policy, frequencies, query_position),
              key = table_of_error(policy, frequencies, key_position);
  const auto pairs = static_cast<double>(frequencies.size());
  if (!policy.rotation) return (query.cosine.dot(key.cosine) + query.sine.dot(key.sine)) / pairs;
  const Rotated q = rotated(policy, query), k = rotated(policy, key);
  const double x = component(policy), square = 2 * x * x;  // of the content's norm: not quite 1 in a short format
  return (q.first.dot(k.first) + q.second.dot(k.second)) / (pairs * square);
}

}  // namespace ropescope
