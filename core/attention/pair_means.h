#pragma once

#include <Eigen/Core>

#include "core/encodings/encoding.h"

namespace ropescope {

/// What the tokens of one head have in common, pair by pair; x_i = first + i·second channel of pair i.
struct PairMeans {
  Eigen::VectorXd size;   ///< [pairs] mean of |x_i| over the tokens
  Eigen::VectorXcd mean;  ///< [pairs] mean of x_i

  /// Mean direction: mean of x_i ÷ mean of |x_i|. 1 in size where every token points the same way, near 0 where they
  /// point anywhere; 0 where the pair is empty.
  Eigen::VectorXcd direction() const;
};

/// `vectors`: [tokens × channels], at least one token; the first 2·pair_count channels form pairs. Throws InputError
/// where there are fewer channels.
PairMeans pair_means(const TokenMatrix& vectors, Pairing pairing, int pair_count);

}  // namespace ropescope
