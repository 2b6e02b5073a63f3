/* Named tensors from C99 or C++ into one .safetensors, which `ropescope check out.safetensors` reads without options:

     static ropescope_dump dump;
     const int64_t shape[] = {tokens, pairs};
     ropescope_dump_open(&dump, "out.safetensors");
     ropescope_dump_add(&dump, "cos", "F32", 2, shape, cosines);
     ropescope_dump_add(&dump, "sin", "F32", 2, shape, sines);
     ropescope_dump_say(&dump, "ropescope.config", text_of_the_config_json);
     ropescope_dump_say(&dump, "ropescope.options", "{\"length\": 8192}");     // options of `ropescope check`, if any
     if (ropescope_dump_close(&dump)) ...                                      // says what failed, then or before

   A name says what its tensor is: positions, ids, cos, sin, table, frequencies, before, after. dtype: F64 F32 F16 BF16
   I64 I32 I16 I8 U64 U32 U16 U8 C64 (two F32). Numbers are row-major, on a little-endian machine. Every function
   returns 0 or a code below; after an error the others only return it. A file that failed has no header. */
#ifndef ROPESCOPE_DUMP_H
#define ROPESCOPE_DUMP_H
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
enum { ROPESCOPE_DUMP_FILE = 1, ROPESCOPE_DUMP_DTYPE, ROPESCOPE_DUMP_SHAPE, ROPESCOPE_DUMP_FULL };
typedef struct {
  FILE* file;
  uint64_t bytes;          /* of numbers so far */
  char text[2][64 * 1024]; /* what is said, and the tensors: the inside of two JSON objects */
  size_t used[2];
  int error;
} ropescope_dump;

static inline void ropescope_dump_put(ropescope_dump* d, int part, const char* format, ...) {
  const size_t left = sizeof d->text[part] - d->used[part];
  va_list values;
  va_start(values, format);
  const int size = vsnprintf(d->text[part] + d->used[part], left, format, values);
  va_end(values);
  if (!d->error && (size_t)size >= left) d->error = ROPESCOPE_DUMP_FULL;
  d->used[part] += d->error ? 0 : (size_t)size;
}
static inline void ropescope_dump_quote(ropescope_dump* d, int part, const char* text) {
  for (ropescope_dump_put(d, part, "\""); *text; ++text) {
    ropescope_dump_put(d, part, (unsigned char)*text < 32 ? "\\u%04x" : strchr("\"\\", *text) ? "\\%c" : "%c", *text);
  }
  ropescope_dump_put(d, part, "\"");
}
static inline int ropescope_dump_open(ropescope_dump* d, const char* path) {
  d->bytes = d->used[0] = d->used[1] = 0;
  d->text[0][0] = d->text[1][0] = 0;
  d->error = 0;
  if (!(d->file = fopen(path, "wb"))) return d->error = ROPESCOPE_DUMP_FILE;
  if (fseek(d->file, 8 + sizeof d->text, SEEK_SET)) d->error = ROPESCOPE_DUMP_FILE; /* the header comes last */
  return d->error;
}
static inline int ropescope_dump_say(ropescope_dump* d, const char* key, const char* value) {
  if (d->used[0]) ropescope_dump_put(d, 0, ",");
  ropescope_dump_quote(d, 0, key);
  ropescope_dump_put(d, 0, ":");
  ropescope_dump_quote(d, 0, value);
  return d->error;
}
static inline int ropescope_dump_add(ropescope_dump* d, const char* name, const char* dtype, int rank,
                                     const int64_t* shape, const void* data) {
  const char *names = "F64 I64 U64 C64 F32 I32 U32 F16 I16 U16 BF16 I8 U8 ", *found = strstr(names, dtype);
  const int whole = found && (found == names || found[-1] == ' ') && strchr(found, ' ') == found + strlen(dtype);
  const long at = whole ? (long)(found - names) : -1;
  uint64_t size = at < 16 ? 8 : at < 28 ? 4 : at < 45 ? 2 : 1;
  if (!d->error && at < 0) d->error = ROPESCOPE_DUMP_DTYPE;
  ropescope_dump_put(d, 1, ",");
  ropescope_dump_quote(d, 1, name);
  ropescope_dump_put(d, 1, ":{\"dtype\":\"%s\",\"shape\":[", dtype);
  for (int i = 0; i < rank && !d->error; ++i) {
    if (shape[i] < 0 || (shape[i] && size > INT64_MAX / (uint64_t)shape[i])) return d->error = ROPESCOPE_DUMP_SHAPE;
    size *= (uint64_t)shape[i];
    ropescope_dump_put(d, 1, i ? ",%lld" : "%lld", (long long)shape[i]);
  }
  ropescope_dump_put(d, 1, "],\"data_offsets\":[%llu,", (unsigned long long)d->bytes);
  ropescope_dump_put(d, 1, "%llu]}", (unsigned long long)(d->bytes += size));
  if (!d->error && size && fwrite(data, 1, (size_t)size, d->file) != size) d->error = ROPESCOPE_DUMP_FILE;
  return d->error;
}
static inline int ropescope_dump_close(ropescope_dump* d) {
  /* Its length in eight bytes, the header, blanks up to the numbers. */
  if (!d->error && d->used[0] + d->used[1] + 32 > sizeof d->text) d->error = ROPESCOPE_DUMP_FULL;
  if (!d->error && fseek(d->file, 0, SEEK_SET)) d->error = ROPESCOPE_DUMP_FILE;
  for (int i = 0; i < 8 && !d->error; ++i) fputc((int)((uint64_t)sizeof d->text >> 8 * i & 255), d->file);
  int used = d->error ? 0 : fprintf(d->file, "{\"__metadata__\":{%s}%s}", d->text[0], d->text[1]);
  for (; used < (int)sizeof d->text && !d->error; ++used) fputc(' ', d->file);
  if (d->file && (ferror(d->file) | fclose(d->file)) && !d->error) d->error = ROPESCOPE_DUMP_FILE;
  return d->error;
}
#endif
