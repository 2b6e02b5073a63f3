#include "core/attention/rows.h"

namespace ropescope {

RowMatrix<double> attention_weights(AttentionKind kind, const EncodingModel& model, const AttentionInput& input,
                                    Eigen::Index begin, Eigen::Index count, const AttentionOptions& options) {
  return kind == AttentionKind::linear ? linear_rows(model, input, begin, count, options)
                                       : softmax_rows(model, input, begin, count, options);
}

}  // namespace ropescope
