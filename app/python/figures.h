// Experiments from Python's arguments, for figure(), sweep() and table(). In figures.cpp. Read binding.h first.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/experiment.h"
#include "app/figure/figure.h"
#include "app/figure/palette.h"
#include "app/python/binding.h"

namespace ropescope::python {

/// Returns a value in the form of --set. Throws InputError if lists are nested too deeply, or contain themselves.
std::string set_text(const py::handle& value, int depth = 0);
/// Returns set={"rope.base": 1e4} and further keywords as arguments of --set.
std::vector<std::string> assignments_of(const py::object& set, const py::dict& fields);
/// Throws InputError: a keyword is neither an argument of this function nor a field, with those that are similar.
[[noreturn]] void refuse_keyword(const std::string& function, const UnknownField& unknown);
/// Runs body("figure()"), which sets fields from the keywords of a function and names it in messages.
template <class Body>
auto with_keywords_of(const std::string& function, const Body& body) {
  try {
    return body((function + "()").c_str());
  } catch (const UnknownField& unknown) {
    refuse_keyword(function, unknown);
  }
}
/// A rope of ropes=, with its name if that is a dict.
using NamedRope = std::pair<std::optional<std::string>, py::object>;
/// Returns the ropes of ropes=: one, a list, or a dict of names and ropes.
std::vector<NamedRope> named_ropes(const py::object& ropes);
/// Sets the ropes: none, one, a list, or a dict of names and ropes. The first is the current one, the others are
/// pinned. Throws InputError if there are too many.
void add_ropes(const py::object& ropes, Experiment& experiment);

/// Returns the data, labels and colours of panels for matplotlib. In plots.cpp.
py::list panels_for_plots(const std::vector<Panel>& panels, ThemeName theme);

}  // namespace ropescope::python
