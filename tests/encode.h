#pragma once

#include <Eigen/Core>

#include "core/encodings/encoding.h"
#include "core/encodings/matrix.h"

namespace ropescope {

/// What an encoding for linear attention makes of a query or key vector at a position before the plain product:
/// q + p_m, R_m q, ….
inline Eigen::VectorXd encode(const EncodingModel& model, const TokenVector& vector, const Eigen::VectorXd& x,
                              std::int64_t position) {
  Eigen::VectorXd out(vector_width(vector));
  form_vector(vector, {x.data(), static_cast<std::size_t>(x.size())}, {position, model.plan().encode_reference},
              {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}
inline Eigen::VectorXd encode_query(const EncodingModel& model, const Eigen::VectorXd& q, std::int64_t position) {
  return encode(model, model.plan().encode.value().query, q, position);
}
inline Eigen::VectorXd encode_key(const EncodingModel& model, const Eigen::VectorXd& k, std::int64_t position) {
  return encode(model, model.plan().encode.value().key, k, position);
}

}  // namespace ropescope
