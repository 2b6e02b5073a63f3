// Formula stub for the web page, which typesets no new formulas: callers get an error.

#include "app/resources/mathjax.h"

#include "core/message.h"

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
