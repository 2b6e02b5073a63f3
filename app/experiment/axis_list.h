#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/layouts/layout.h"
#include "core/words.h"

namespace ropescope {

/// One entry of RopeKnobs::axes: "row:56", or "row:56:2000" for an axis with a base of its own, or
/// "row:56:2000:1.5" where its frequencies are divided by a factor too.
struct AxisEntry {
  std::string name;
  int rotary_dim = 0;
  std::optional<double> base;
  double factor = 1;
};

/// Reads "t:16,row:56,column:56". Returns what is wrong with it, empty if nothing; `axes` is left empty then. An empty
/// text is right and has no entries: one axis.
Words read_axis_list(const std::string& text, std::vector<AxisEntry>& axes);

/// The text that reads back to these entries.
std::string write_axis_list(const std::vector<AxisEntry>& axes);

/// The same text as the axes of the layout `custom`, which takes no factor. Throws InputError that begins with
/// `source`, the option or knob which holds it.
std::vector<CustomAxis> read_custom_axes(const std::string& text, const std::string& source);

}  // namespace ropescope
