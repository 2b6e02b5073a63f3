/* Calls the eval callback of ropescope_ggml.h as programs of ggml do, and writes out.safetensors. One argument:
   llama    as llama.cpp 0.5.0 called it for the first layer of a Qwen3: names, operations and shapes are those that it
            showed then (a model of 4 and 2 heads of 16 channels, 40 tokens), and the rotation lies over what was there;
   base     the same with another base;
   diffusion  as stable-diffusion.cpp at 97d29908 shows its table of 2x2 matrices (src/model/common/rope.hpp);
   nothing  a graph that rotates nothing. */
#include <math.h>
#include <stdio.h>

#include "ropescope_ggml.h"

enum { kTokens = 40, kChannels = 16, kRows = 9, kColumns = 13, kText = 20, kPairs = 64 };

static struct ggml_tensor tensor(const char* name, enum ggml_op op, int64_t a, int64_t b, int64_t c, int64_t d,
                                 void* data) {
  struct ggml_tensor t;
  memset(&t, 0, sizeof t);
  t.op = op;
  t.ne[0] = a, t.ne[1] = b, t.ne[2] = c, t.ne[3] = d;
  t.nb[0] = 4;
  for (int i = 1; i < 4; ++i) t.nb[i] = t.nb[i - 1] * (size_t)t.ne[i - 1];
  t.data = data;
  snprintf(t.name, sizeof t.name, "%s", name);
  return t;
}

/* As the scheduler does: it asks first, and computes what is wanted. False where the callback wants to end it. */
static bool show(struct ggml_tensor* t, ropescope_ggml* hook) {
  return !ropescope_ggml_eval(t, true, hook) || ropescope_ggml_eval(t, false, hook);
}

/* q or k: the product, its shape, the norm, the rotation over it. */
static bool show_layer(const char* letter, int64_t heads, double base, int32_t* numbers, ropescope_ggml* hook) {
  static float data[kTokens * 4 * kChannels];
  char name[2][32];
  snprintf(name[0], sizeof name[0], "%scur-0", letter);
  snprintf(name[1], sizeof name[1], "%scur_normed-0", letter);
  for (int i = 0; i < kTokens * (int)heads * kChannels; ++i) data[i] = (float)sin(i * 0.7 + (double)heads);
  struct ggml_tensor product = tensor(name[0], GGML_OP_MUL_MAT, heads * kChannels, kTokens, 1, 1, data);
  struct ggml_tensor shaped = tensor(name[0], GGML_OP_RESHAPE, kChannels, heads, kTokens, 1, data);
  struct ggml_tensor normed = tensor(name[1], GGML_OP_MUL, kChannels, heads, kTokens, 1, data);
  struct ggml_tensor positions = tensor("inp_pos", GGML_OP_NONE, kTokens, 1, 1, 1, numbers);
  struct ggml_tensor turned = tensor(name[0], GGML_OP_ROPE, kChannels, heads, kTokens, 1, data);
  positions.type = GGML_TYPE_I32;
  turned.src[0] = &normed;
  turned.src[1] = &positions;
  if (!show(&product, hook) || !show(&shaped, hook)) return false;
  for (int i = 0; i < kTokens * (int)heads * kChannels; ++i) data[i] *= 1.5f;
  if (!show(&normed, hook)) return false;
  for (int row = 0; row < kTokens * (int)heads; ++row) {
    for (int i = 0; i < kChannels / 2; ++i) {
      float *x = data + row * kChannels + i, *y = x + kChannels / 2, first = *x;
      const double angle = numbers[row / heads] * pow(base, -i / (double)(kChannels / 2));
      *x = (float)(first * cos(angle) - *y * sin(angle));
      *y = (float)(*y * cos(angle) + first * sin(angle));
    }
  }
  return show(&turned, hook);
}

static bool show_table(ropescope_ggml* hook) {
  static float matrices[(kText + kRows * kColumns) * kPairs * 4];
  for (int token = 0; token < kText + kRows * kColumns; ++token) {
    const int at = token - kText, ids[] = {0, at < 0 ? 0 : at / kColumns, at < 0 ? 0 : at % kColumns};
    for (int pair = 0; pair < kPairs; ++pair) {
      const int axis = pair < 8 ? 0 : pair < 36 ? 1 : 2, first = axis == 0 ? 0 : axis == 1 ? 8 : 36;
      const double angle = ids[axis] * pow(10000, -(pair - first) / (axis == 0 ? 8.0 : 28.0));
      float* m = matrices + (token * kPairs + pair) * 4;
      m[0] = m[3] = (float)cos(angle);
      m[2] = (float)sin(angle);
      m[1] = -m[2];
    }
  }
  struct ggml_tensor pe = tensor("leaf_7", GGML_OP_NONE, 2, 2, kPairs, kText + kRows * kColumns, matrices);
  struct ggml_tensor turned =
      tensor("leaf_7 (permuted)", GGML_OP_PERMUTE, 2, kPairs, kText + kRows * kColumns, 2, matrices);
  turned.src[0] = &pe;
  return show(&turned, hook) && show(&turned, hook);
}

int main(int count, char** words) {
  static ropescope_ggml hook;
  const char* what = count > 1 ? words[1] : "";
  int32_t positions[kTokens];
  for (int i = 0; i < kTokens; ++i) positions[i] = i + 3;
  if (ropescope_ggml_open(&hook, "out.safetensors")) return 1;
  const double base = strcmp(what, "base") ? 1e6 : 1e4;
  bool goes_on = true;
  if (!strcmp(what, "diffusion")) goes_on = show_table(&hook);
  /* Two layers: the first one counts. */
  for (int layer = 0; layer < 2 && (!strcmp(what, "llama") || !strcmp(what, "base")); ++layer) {
    goes_on = goes_on && show_layer("Q", 4, base, positions, &hook) && show_layer("K", 2, base, positions, &hook);
  }
  return ropescope_ggml_close(&hook) || !goes_on;
}
