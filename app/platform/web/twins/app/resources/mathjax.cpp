// The page sets no formulas that nobody set before: who asks is told so.

#include "app/resources/mathjax.h"

#include "core/words.h"

namespace ropescope {

struct MathJax::State {};

MathJax::MathJax(const std::filesystem::path&) {
  throw InputError("web.no_mathjax", {});
}
MathJax::~MathJax() = default;
std::string MathJax::typeset(std::string_view) {
  return {};
}
bool MathJax::spent() const {
  return false;
}

}  // namespace ropescope
