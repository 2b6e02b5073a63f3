// The ropes and layouts of Python, also used by check(), compare() and figure(). Read binding.h first.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "app/python/binding.h"
#include "core/formats/config.h"
#include "core/layouts/tables.h"
#include "core/rotary/spec.h"

namespace ropescope::python {

/// A rotary embedding and its origin.
struct PythonRope {
  Profile profile;
  std::string source = "the rope";           ///< for messages: a path, "the config"
  std::string label;                         ///< displayed: file name or the preset's name; empty for custom numbers
  std::string config, preset;                ///< path and id, if it came from one
  std::string given;                         ///< the name that from_config() was given; empty: not a name
  std::string steps;                         ///< calls since then, as Python: ".with_scaling('yarn', factor=4.0)"
  std::optional<double> length;              ///< current length in positions; nullopt: the requested positions
  std::shared_ptr<const ModelConfig> model;  ///< with its other profiles; null for custom numbers
  bool asked = false;                        ///< the user chose the profile
  bool changed = false;                      ///< differs from its model

  const RotarySpec& spec() const { return profile.spec; }
  /// Returns the length for a ladder that depends on it, if this number of positions is requested.
  std::optional<double> length_for(double requested_positions) const;
  /// Returns the index of the axis with this name; the first for nullopt. Throws InputError that lists them.
  std::size_t axis(const std::optional<std::string>& name) const;
};

/// Returns a rope from a Rope, a path of a config.json, folder or .gguf, a mapping in the form of config.json, or an
/// object with to_dict(). `argument` names it in messages. Throws InputError as the readers do.
PythonRope rope_of(const py::handle& source, const std::optional<std::string>& profile = {},
                   const std::string& argument = "config");

/// Returns the frequencies of all pairs as an array, in radians per position.
py::array_t<double> frequencies_of(const PythonRope& rope);
/// Applies a context extension: a method, with its numbers and lists by the methods' names. Required config values
/// default to the released ones. Throws InputError.
void extend_rope(PythonRope& rope, const std::string& method, const py::dict& given,
                 const std::optional<double>& trained_length, const std::optional<double>& length);

/// Declares what makes ropes Python values: ==, hash(), repr(), pickle, replace() and to_config(). In rope_values.cpp.
void declare_rope_values(py::class_<PythonRope>& rope);
/// Declares limits() and precision(). In rope_limits.cpp.
void declare_rope_limits(py::class_<PythonRope>& rope);

/// An arranged layout with its tables.
struct PythonLayout {
  const Layout* layout = nullptr;
  LayoutRequest request;
  std::shared_ptr<const LayoutTables> tables;
  py::dict arguments;  ///< of layout() as parsed, for pickles
};

}  // namespace ropescope::python
namespace pybind11::detail {
template <>
struct type_caster<ropescope::python::PythonRope>
    : ropescope::python::InitialisedCaster<ropescope::python::PythonRope> {};
template <>
struct type_caster<ropescope::python::PythonLayout>
    : ropescope::python::InitialisedCaster<ropescope::python::PythonLayout> {};
}  // namespace pybind11::detail
