// The module ropescope._figures: figures, and the numbers of their cards. ropescope imports it when one of them is
// first used. Read binding.h first.

#include "app/python/binding.h"

namespace ropescope::python {

PYBIND11_MODULE(_figures, module) {
  // Types, errors and help name the public module.
  module.attr("__module__") = "ropescope";
  module.doc() = "Internal module of ropescope. Import ropescope, which documents the public interface.";
  // Ropes and errors are those of this module.
  py::module_::import("ropescope._core");
  declare_figures(module);
  declare_sweeps(module);
  finish_module(module);
}

}  // namespace ropescope::python
