// Fixes for a check's cause: lines of config.json, options of llama.cpp, formulas of ids, NumPy code. Read
// core/check/check.h first: each fix belongs to one of its causes.
#pragma once

#include <string>

#include "core/check/check.h"

namespace ropescope {

/// A fix that makes the tables equal to the reference. Each member is text to copy unchanged, the same in every
/// language: one or more lines without the final newline; empty if this kind of text cannot fix the cause.
struct Fix {
  std::string config;   ///< lines of config.json, with the names that the model's own class reads
  std::string options;  ///< options of llama.cpp's programs, instead of `config` for a GGUF model
  std::string ids;      ///< token ids: a formula for each part of the sequence
  std::string numpy;    ///< Python that defines `cos` and `sin` [tokens, pairs] (amplitude included) and `ids` or
                        ///< `position`; for a cause in the channels also `rotate(q)`. Equal to the reference to 1e-12
  std::string lines;    ///< the lines of `numpy` that fix the cause; all lines if no subset is enough
  bool empty() const { return config.empty() && options.empty() && ids.empty() && numpy.empty(); }
};

/// Returns the fix of a cause. `config` covers causes in frequencies, channels and amplitude, as far as the model's
/// config has a field for them. For a GGUF, `options` is set only if the options express the whole reference; they
/// cannot set tensors or properties of the architecture. `ids` covers causes in ids, `numpy` all causes that are not
/// harmless. The fix is empty if the reference is another dump, which has no model. `reference` is the argument of
/// check().
Fix fix_of(const CheckCause& cause, const CheckReference& reference);

}  // namespace ropescope
