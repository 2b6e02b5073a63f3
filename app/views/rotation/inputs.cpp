#include "app/views/rotation/inputs.h"

#include <vector>

#include "core/rotary/rotation.h"

namespace ropescope {

namespace {

/// A head of 2n channels that all turn, under either code.
RotarySpec head_of(Eigen::Index pairs, Pairing pairing) {
  RotarySpec spec;
  spec.head_dim = static_cast<int>(2 * pairs);
  spec.pairing = pairing;
  return spec;
}

Pairing other_than(Pairing pairing) {
  return pairing == Pairing::interleaved ? Pairing::half_split : Pairing::interleaved;
}

bool rotation_same(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() && (a.array() == b.array()).all();
}

/// The key under both codes, which is the same for all distances, and the query to rotate.
class Pairs {
 public:
  explicit Pairs(const MixedInput& input)
      : input_(input),
        right_(head_of(input.frequencies.size(), input.pairing)),
        other_(head_of(input.frequencies.size(), other_than(input.pairing))) {
    const TableRow row = table_row(input.frequencies, input.key_position, input.amplitude);
    k_right_ = rotate_by_row(right_, row, input.k);
    k_other_ = rotate_by_row(other_, row, input.k);
  }

  MixedScores at(double query_position) const {
    const TableRow row = table_row(input_.frequencies, query_position, input_.amplitude);
    const Eigen::VectorXd q_right = rotate_by_row(right_, row, input_.q);
    const Eigen::VectorXd q_other = rotate_by_row(other_, row, input_.q);
    return {q_right.dot(k_right_), q_other.dot(k_other_), q_right.dot(k_other_)};
  }

 private:
  const MixedInput& input_;
  RotarySpec right_, other_;
  Eigen::VectorXd k_right_, k_other_;
};

}  // namespace

std::size_t MixedCurves::bytes() const {
  return 3 * (right ? right->ys.size() * sizeof(double) : 0);
}

bool MixedInput::operator==(const MixedInput& other) const {
  return rotation_same(frequencies, other.frequencies) && amplitude == other.amplitude && pairing == other.pairing &&
         rotation_same(q, other.q) && rotation_same(k, other.k) && key_position == other.key_position &&
         reach == other.reach;
}

double MixedInput::cost() const {
  constexpr double kPerPair = 30;  // nanoseconds: a sine, a cosine and two rotations
  return kPerPair * static_cast<double>(frequencies.size()) * (reach + 1);
}

std::shared_ptr<const MixedCurves> MixedInput::compute(int, const std::stop_token& stop) const {
  const Pairs pairs(*this);
  std::vector<double> right, other, mixed;
  for (double distance = 0; distance <= reach; ++distance) {
    if (stop.stop_requested()) return nullptr;
    const MixedScores scores = pairs.at(key_position + distance);
    right.push_back(scores.right);
    other.push_back(scores.other);
    mixed.push_back(scores.mixed);
  }
  return std::make_shared<const MixedCurves>(MixedCurves{
      make_series(0, 1, std::move(right)), make_series(0, 1, std::move(other)), make_series(0, 1, std::move(mixed))});
}

MixedScores MixedInput::scores(double query_position) const {
  return Pairs(*this).at(query_position);
}

}  // namespace ropescope
