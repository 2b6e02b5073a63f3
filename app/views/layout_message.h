#pragma once

#include <string>

#include "app/views/view.h"

namespace ropescope {

/// An empty figure over the image's columns and rows: what is wrong, or nothing yet while it is being computed.
inline ViewResult layout_message(const std::string& figure_name, const std::string& words, bool stale) {
  Figure figure;
  figure.name = figure_name;
  figure.x.name = "column";
  figure.y.name = "row";
  figure.empty_message = words;
  figure.stale = stale;
  ViewResult result;
  result.panels.push_back({figure, 1});
  result.stale = stale;
  if (!stale) result.fault = words;
  return result;
}

}  // namespace ropescope
