#include <algorithm>
#include <cmath>
#include <complex>
#include <string>

#include "core/decay/content_check.h"
#include "core/decay/kernel.h"
#include "core/decay/random.h"
#include "core/error.h"

namespace ropescope {

namespace {

bool same(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
}

void require_size(const char* key, Eigen::Index found, Eigen::Index pair_count) {
  if (found != 0 && found != pair_count) throw InputError(key, {{"found", found}, {"pairs", pair_count}});
}

Content content_of_products(const Eigen::VectorXcd& products) {
  Content content{Eigen::VectorXd(products.size()), Eigen::VectorXd(products.size())};
  for (Eigen::Index pair = 0; pair < products.size(); ++pair) {
    content.amplitudes[pair] = std::abs(products[pair]);
    content.phases_radians[pair] = std::arg(products[pair]);
  }
  return content;
}

}  // namespace

bool Content::operator==(const Content& other) const {
  return same(amplitudes, other.amplitudes) && same(phases_radians, other.phases_radians);
}

Content random_content(int pair_count, std::uint64_t seed) {
  SplitMix generator{seed};
  Eigen::VectorXcd products(pair_count);
  for (Eigen::Index pair = 0; pair < products.size(); ++pair) {
    const std::complex<double> q = normal_pair(generator);
    const std::complex<double> k = normal_pair(generator);
    products[pair] = q * std::conj(k);
  }
  return content_of_products(products);
}

double bound_factor(const Content& content, Eigen::Index pair_count, PairOrder order) {
  require_pairs_and_content(Eigen::VectorXd::Ones(pair_count), content);
  double largest = 0;
  std::complex<double> next = 0;
  for (Eigen::Index i = 0; i < pair_count; ++i) {
    // From the end of the order, after which there is nothing.
    const Phasor weight = content_weight(content, order == PairOrder::fast_first ? pair_count - 1 - i : i);
    const std::complex<double> here(weight.cosine, weight.sine);
    largest = std::max(largest, std::abs(next - here));
    next = here;
  }
  return static_cast<double>(pair_count) * largest / content_total(content, pair_count);
}

void require_pairs_and_content(const Eigen::VectorXd& frequencies, const Content& content) {
  if (frequencies.size() == 0) throw InputError("decay.no_frequencies", {});
  require_size("decay.amplitudes", content.amplitudes.size(), frequencies.size());
  require_size("decay.phases", content.phases_radians.size(), frequencies.size());
  const double total = content_total(content, frequencies.size());
  if (!std::isfinite(total) || total <= 0) {
    throw InputError("decay.total", {{"total", total}});
  }
}

double content_total(const Content& content, Eigen::Index pair_count) {
  if (content.amplitudes.size() == 0) return static_cast<double>(pair_count);
  double total = 0;
  for (const double amplitude : content.amplitudes) total += amplitude;
  return total;
}

Phasor content_weight(const Content& content, Eigen::Index pair) {
  const double amplitude = content.amplitudes.size() == 0 ? 1 : content.amplitudes[pair];
  if (content.phases_radians.size() == 0) return {amplitude, 0};
  return {amplitude * std::cos(content.phases_radians[pair]), amplitude * std::sin(content.phases_radians[pair])};
}

}  // namespace ropescope
