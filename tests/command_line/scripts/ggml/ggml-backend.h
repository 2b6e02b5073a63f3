/* See ggml.h beside it. */
#pragma once
#include "ggml.h"

static inline void ggml_backend_tensor_get(const struct ggml_tensor* t, void* data, size_t offset, size_t size) {
  memcpy(data, (const char*)t->data + offset, size);
}
