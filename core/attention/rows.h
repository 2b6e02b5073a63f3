#pragma once

#include "core/attention/attention.h"

namespace ropescope {

/// attention_weights of either kind.
RowMatrix<double> softmax_rows(const EncodingModel& model, const AttentionInput& input, Eigen::Index begin,
                               Eigen::Index count, const AttentionOptions& options);
RowMatrix<double> linear_rows(const EncodingModel& model, const AttentionInput& input, Eigen::Index begin,
                              Eigen::Index count, const AttentionOptions& options);

}  // namespace ropescope
