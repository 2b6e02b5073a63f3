#include "core/decay/phasors.h"

#include <algorithm>
#include <cmath>

#include "core/decay/content_check.h"
#include "core/decay/phasor.h"

namespace ropescope {

namespace {

std::complex<double> complex_of(const Phasor& phasor) {
  return {phasor.cosine, phasor.sine};
}

/// The pair that comes i-th.
Eigen::Index pair_at(Eigen::Index i, Eigen::Index pairs, PairOrder order) {
  return order == PairOrder::fast_first ? i : pairs - 1 - i;
}

}  // namespace

PhasorSums phasor_sums(const Eigen::VectorXd& frequencies, double distance, PairOrder order) {
  require_pairs_and_content(frequencies, {});
  const Eigen::Index pairs = frequencies.size();
  const auto count = static_cast<double>(pairs);
  PhasorSums sums;
  sums.joints.reserve(static_cast<std::size_t>(pairs));
  std::complex<double> joint = 0;
  for (Eigen::Index i = 0; i < pairs; ++i) {
    joint += complex_of(phasor(frequencies[pair_at(i, pairs, order)], distance));
    sums.joints.push_back(joint);
    sums.mean_distance += std::abs(joint) / count;
  }
  sums.similarity = joint.real() / count;
  sums.length = std::abs(joint) / count;
  return sums;
}

AbelChain abel_chain(const Eigen::VectorXd& frequencies, double distance, const Content& content, PairOrder order) {
  require_pairs_and_content(frequencies, content);
  const Eigen::Index pairs = frequencies.size();
  const auto weight = [&](Eigen::Index i) {
    return i < pairs ? complex_of(content_weight(content, pair_at(i, pairs, order))) : std::complex<double>(0);
  };
  std::complex<double> joint = 0, sum = 0, transformed = 0;
  double terms = 0, joints = 0, largest_jump = 0;
  for (Eigen::Index i = 0; i < pairs; ++i) {
    const std::complex<double> arrow = complex_of(phasor(frequencies[pair_at(i, pairs, order)], distance));
    const std::complex<double> jump = weight(i + 1) - weight(i);
    joint += arrow;
    sum += weight(i) * arrow;
    transformed += joint * jump;
    terms += std::abs(joint) * std::abs(jump);
    joints += std::abs(joint);
    largest_jump = std::max(largest_jump, std::abs(jump));
  }
  const double total = content_total(content, pairs);
  return {sum.real() / total, std::abs(sum) / total, std::abs(transformed) / total, terms / total,
          largest_jump * joints / total};
}

}  // namespace ropescope
