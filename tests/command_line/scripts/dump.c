/* A C99 program, and a C++ one, that writes out.safetensors by ropescope_dump.h. One argument: what to write. */
#include <math.h>

#include "ropescope_dump.h"

enum { kTokens = 40, kPairs = 16 };

/* A plain ladder of 32 channels and base 10000, half-split; `rows` of it. */
static void fill(float* cosines, float* sines, double base) {
  for (int token = 0; token < kTokens; ++token) {
    for (int pair = 0; pair < kPairs; ++pair) {
      const double angle = token * pow(base, -pair / (double)kPairs);
      cosines[token * kPairs + pair] = (float)cos(angle);
      sines[token * kPairs + pair] = (float)sin(angle);
    }
  }
}

int main(int count, char** words) {
  static float cosines[kTokens * kPairs], sines[kTokens * kPairs];
  static int32_t positions[kTokens];
  const int64_t shape[] = {kTokens, kPairs}, tokens[] = {kTokens}, wrong[] = {-1, 16}, huge[] = {INT64_MAX, INT64_MAX};
  const char* what = count > 1 ? words[1] : "";
  static ropescope_dump dump;
  fill(cosines, sines, strcmp(what, "base") ? 10000 : 500);
  for (int i = 0; i < kTokens; ++i) positions[i] = i;
  ropescope_dump_open(&dump, strcmp(what, "folder") ? "out.safetensors" : "no/such/folder/out.safetensors");
  ropescope_dump_say(&dump, "written by", "\"C\" \\ C++\n");
  ropescope_dump_add(&dump, "positions", "I32", 1, tokens, positions);
  ropescope_dump_add(&dump, "cos", strcmp(what, "dtype") ? "F32" : "F3", 2, shape, cosines);
  ropescope_dump_add(&dump, "sin", "F32", 2, strcmp(what, "shape") ? strcmp(what, "huge") ? shape : huge : wrong,
                     sines);
  ropescope_dump_add(&dump, "scalar", "F64", 0, NULL, &(const double){1});
  ropescope_dump_say(&dump, "ropescope.config",
                     "{\"model_type\": \"llama\", \"hidden_size\": 128, \"num_attention_heads\": 4, \"head_dim\": 32,\n"
                     " \"rope_theta\": 10000.0, \"max_position_embeddings\": 2048}");
  for (int i = 0; i < 20000 && !strcmp(what, "full"); ++i) ropescope_dump_say(&dump, "again", "and again");
  return ropescope_dump_close(&dump);
}
