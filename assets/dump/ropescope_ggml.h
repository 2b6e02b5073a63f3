/* What llama.cpp and stable-diffusion.cpp rotate, into one .safetensors: an eval callback of ggml. It keeps q and k
   before and after the first rotation and their positions (llama.cpp), or the table of 2x2 matrices that the diffusion
   model takes (stable-diffusion.cpp), and ends there. C99 or C++; needs ropescope_dump.h, ggml.h and ggml-backend.h.

     static ropescope_ggml hook;
     ropescope_ggml_open(&hook, "out.safetensors");
     params.cb_eval = ropescope_ggml_eval;                        // llama_context_params, or common_params of the
     params.cb_eval_user_data = &hook;                            // tools with params.warmup = false
     sd_set_backend_eval_callback(ropescope_ggml_eval, &hook);    // stable-diffusion.cpp
     ... one llama_decode of more than one token, or one image of one step ...
     if (ropescope_ggml_close(&hook)) ...                         // no dump, or nothing was rotated

   Then: ropescope check out.safetensors --config model.gguf, or --layout flux.1 --size 1664x928 --text 512. */
#ifndef ROPESCOPE_GGML_H
#define ROPESCOPE_GGML_H
#include <stdbool.h>
#include <stdlib.h>
#include "ggml-backend.h"
#include "ggml.h"
#include "ropescope_dump.h"

enum { ROPESCOPE_GGML_Q, ROPESCOPE_GGML_K, ROPESCOPE_GGML_TABLE, ROPESCOPE_GGML_NOTHING = 5 };
typedef struct {
  ropescope_dump dump;
  float* kept[2]; /* q and k as they were last seen before a rotation, which may overwrite them */
  int64_t count[2];
  bool seen[3];
} ropescope_ggml;

/* The numbers of a float32 tensor, the side ne[0] fastest, also of a view into another one. */
static inline float* ropescope_ggml_read(const struct ggml_tensor* t) {
  char* all = (char*)malloc(ggml_nbytes(t));
  float *rows = (float*)malloc((size_t)ggml_nelements(t) * 4), *next = rows;
  if (all && rows) ggml_backend_tensor_get(t, all, 0, ggml_nbytes(t));
  for (int64_t i = 0; all && rows && i < ggml_nrows(t); ++i, next += t->ne[0]) {
    const int64_t i1 = i % t->ne[1], i2 = i / t->ne[1] % t->ne[2], i3 = i / t->ne[1] / t->ne[2];
    memcpy(next, all + (size_t)i1 * t->nb[1] + (size_t)i2 * t->nb[2] + (size_t)i3 * t->nb[3], (size_t)t->ne[0] * 4);
  }
  free(all);
  return rows;
}

static inline int ropescope_ggml_open(ropescope_ggml* hook, const char* path) {
  memset(hook, 0, sizeof *hook);
  return ropescope_dump_open(&hook->dump, path);
}

/* Positions as ggml_rope takes them: one for each token, or t, row, column and one more of M-RoPE, axis by axis. */
static inline void ropescope_ggml_places(ropescope_ggml* hook, const struct ggml_tensor* places, int64_t tokens) {
  int32_t* numbers = (int32_t*)malloc(ggml_nbytes(places));
  const int64_t shape[] = {places->ne[0] / tokens, 1, tokens};
  if (numbers) ggml_backend_tensor_get(places, numbers, 0, ggml_nbytes(places));
  if (numbers && shape[0] == 1) ropescope_dump_add(&hook->dump, "positions", "I32", 1, shape + 2, numbers);
  if (numbers && shape[0] > 1) ropescope_dump_add(&hook->dump, "ids", "I32", 3, shape, numbers);
  free(numbers);
}

static inline bool ropescope_ggml_eval(struct ggml_tensor* t, bool ask, void* user_data) {
  ropescope_ggml* hook = (ropescope_ggml*)user_data;
  const struct ggml_tensor* pe = t->op == GGML_OP_PERMUTE ? t->src[0] : NULL;
  const bool q = !strncmp(t->name, "Qcur", 4) || !strncmp(t->name, "q_pe", 4);
  const bool k = !strncmp(t->name, "Kcur", 4) || !strncmp(t->name, "k_pe", 4);
  const bool table = pe && pe->op == GGML_OP_NONE && pe->ne[0] == 2 && pe->ne[1] == 2 && pe->ne[2] > 1 && pe->ne[3] > 1;
  const int what = table ? ROPESCOPE_GGML_TABLE : k ? ROPESCOPE_GGML_K : ROPESCOPE_GGML_Q;
  const bool wanted = (table || q || k) && !hook->seen[what] && (table ? pe : t)->type == GGML_TYPE_F32;
  if (ask || !wanted) return !ask || wanted;
  float* now = ropescope_ggml_read(table ? pe : t);
  if (table) {
    const int64_t shape[] = {pe->ne[3], pe->ne[2], 2, 2};
    hook->seen[what] = now && !ropescope_dump_add(&hook->dump, "table", "F32", 4, shape, now);
  } else if (t->op != GGML_OP_ROPE) {
    float* before = hook->kept[what];
    hook->kept[what] = now;
    hook->count[what] = ggml_nelements(t);
    now = before;
  } else if (now && hook->kept[what] && hook->count[what] == ggml_nelements(t)) {
    const int64_t shape[] = {t->ne[2], t->ne[1], t->ne[0]};
    if (!hook->seen[!what]) ropescope_ggml_places(hook, t->src[1], t->ne[2]);
    ropescope_dump_add(&hook->dump, k ? "k_before" : "q_before", "F32", 3, shape, hook->kept[what]);
    hook->seen[what] = !ropescope_dump_add(&hook->dump, k ? "k_after" : "q_after", "F32", 3, shape, now);
  }
  free(now);
  return true;
}

static inline int ropescope_ggml_close(ropescope_ggml* hook) {
  const bool q = hook->seen[ROPESCOPE_GGML_Q], k = hook->seen[ROPESCOPE_GGML_K];
  if (q || k) {
    ropescope_dump_say(&hook->dump, "ropescope.options", "{\"q-layout\": \"thd\"}");
  }
  free(hook->kept[0]);
  free(hook->kept[1]);
  const int error = ropescope_dump_close(&hook->dump);
  return error || q || k || hook->seen[ROPESCOPE_GGML_TABLE] ? error : ROPESCOPE_GGML_NOTHING;
}
#endif
