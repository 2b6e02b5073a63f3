// The module ropescope._core: ropes, layouts, encodings, check() and compare(). It needs no library that draws. Read
// binding.h first.

#include "app/python/binding.h"

namespace ropescope::python {

PYBIND11_MODULE(_core, module) {
  // Types, errors and help name the public module.
  module.attr("__module__") = "ropescope";
  module.doc() = "Internal module of ropescope. Import ropescope, which documents the public interface.";
  module.attr("__version__") = ROPESCOPE_VERSION;
  register_errors(module);
  declare_ropes(module);
  declare_layouts(module);
  declare_encodings(module);
  declare_judgements(module);
  declare_weights(module);
  finish_module(module);
}

}  // namespace ropescope::python
