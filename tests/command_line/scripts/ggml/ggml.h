/* What ropescope_ggml.h asks of ggml, so that it is tried where there is no ggml. Names as in ggml-org/ggml,
   include/ggml.h at d99724f2. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum ggml_type { GGML_TYPE_F32, GGML_TYPE_I32 = 26 };
enum ggml_op { GGML_OP_NONE, GGML_OP_MUL_MAT, GGML_OP_MUL, GGML_OP_RESHAPE, GGML_OP_PERMUTE, GGML_OP_ROPE };
struct ggml_tensor {
  enum ggml_type type;
  int64_t ne[4];
  size_t nb[4];
  enum ggml_op op;
  struct ggml_tensor* src[10];
  void* data;
  char name[64];
};

static inline int64_t ggml_nrows(const struct ggml_tensor* t) {
  return t->ne[1] * t->ne[2] * t->ne[3];
}
static inline int64_t ggml_nelements(const struct ggml_tensor* t) {
  return t->ne[0] * ggml_nrows(t);
}
static inline size_t ggml_nbytes(const struct ggml_tensor* t) {
  size_t bytes = 4;
  for (int i = 0; i < 4; ++i) bytes += (size_t)(t->ne[i] - 1) * t->nb[i];
  return bytes;
}
