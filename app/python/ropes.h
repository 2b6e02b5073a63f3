// The ropes and layouts of Python, which check(), compare() and figure() take too. Read binding.h before.
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

/// A rotary embedding and where it came from.
struct PythonRope {
  Profile profile;
  std::string source = "the rope";           ///< for messages: a path, "the config"
  std::string label;                         ///< for people: file name or the preset's name; empty for own numbers
  std::string config, preset;                ///< path and id, where it came from one
  std::optional<double> length;              ///< current length in positions; none: what is asked
  std::shared_ptr<const ModelConfig> model;  ///< with its other profiles; null for own numbers
  bool asked = false;                        ///< somebody chose the profile
  bool changed = false;                      ///< no longer as its model has it

  const RotarySpec& spec() const { return profile.spec; }
  /// The length that a ladder is for which looks at one, where so many positions are asked about.
  std::optional<double> length_for(double asked_positions) const;
  /// Which axis a name means; the first for none. Throws InputError that lists them.
  std::size_t axis(const std::optional<std::string>& name) const;
};

/// A rope as it is; a path of a config.json, a folder or a .gguf; a mapping as config.json holds it, or what has
/// to_dict(). Throws InputError as the readers do.
PythonRope rope_of(const py::handle& source, const std::optional<std::string>& profile = {});

/// A layout that was arranged, with its tables.
struct PythonLayout {
  const Layout* layout = nullptr;
  LayoutRequest request;
  std::shared_ptr<const LayoutTables> tables;
};

}  // namespace ropescope::python
