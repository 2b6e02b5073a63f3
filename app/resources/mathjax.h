// MathJax (assets/formulas/mathjax.js) for formulas that are not prepared; used by formulas.h.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace ropescope {

/// An instance of mathjax.js with its own heap, run by Duktape.
class MathJax {
 public:
  /// Loads the script. Throws InputError if it is missing or does not run.
  explicit MathJax(const std::filesystem::path& script);
  ~MathJax();
  MathJax(const MathJax&) = delete;
  MathJax& operator=(const MathJax&) = delete;

  /// Returns the script's result for a formula, as JSON. Throws InputError with the script's message; if the formula
  /// costs too much, the script cannot be used afterwards.
  std::string typeset(std::string_view tex);
  bool spent() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ropescope
