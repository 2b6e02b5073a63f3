// The module ropescope._core: ropes, layouts, encodings, check() and compare(). It needs no library that draws. Read
// binding.h first.

#include "app/python/binding.h"

namespace ropescope::python {

PYBIND11_MODULE(_core, module) {
  // Stubs contain the types; a docstring begins with the purpose.
  py::options options;
  options.disable_function_signatures();
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
