// MathJax (assets/formulas/mathjax.js), which sets a formula that nobody set before; formulas.h asks it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ropescope {

/// mathjax.js in a heap of its own, run by Duktape.
class MathJax {
 public:
  /// Throws InputError: no such script, or it does not run.
  explicit MathJax(const std::filesystem::path& script);
  ~MathJax();
  MathJax(const MathJax&) = delete;
  MathJax& operator=(const MathJax&) = delete;

  /// What the script says of a formula, as JSON. Throws InputError in its words; where the formula costs too much, the
  /// script cannot be used any more.
  std::string typeset(std::string_view tex);
  bool spent() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ropescope
