// What to write so that a check would agree: lines of config.json, options of llama.cpp, formulas of ids, NumPy. Read
// core/check/check.h first: a fix is of one of its causes.
#pragma once

#include <string>

#include "core/check/check.h"

namespace ropescope {

/// What to write so that the numbers become those of the reference. Each is text to be copied as it is, the same in
/// every language, of one or more lines without the last line's end; empty where there is nothing of the kind to write.
struct Fix {
  std::string config;   ///< lines of config.json, with the names that the model's own class reads
  std::string options;  ///< options of llama.cpp's programs, in the place of `config` where the model is a GGUF
  std::string ids;      ///< where every token stands: a formula for each part of the sequence
  std::string numpy;    ///< Python that leaves `cos` and `sin` [tokens, pairs] (amplitude in them), and `ids` or
                        ///< `position`; for a cause of channels `rotate(q)` besides. Equal to the reference to 1e-12
  std::string lines;    ///< those of `numpy` that say what was wrong; all of it where none do alone
  bool empty() const { return config.empty() && options.empty() && ids.empty() && numpy.empty(); }
};

/// The config is there for causes of frequencies, channels and amplitude, as far as the model's config has a word for
/// what is wrong; of a GGUF the options are, where they say all of the reference: what lies in its tensors or depends
/// on its architecture they cannot; the ids for causes of ids; NumPy for all but what is harmless. Nothing at all where
/// the reference is another dump: that knows no model. `reference` is what check() was given.
Fix fix_of(const CheckCause& cause, const CheckReference& reference);

}  // namespace ropescope
