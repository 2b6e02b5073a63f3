#pragma once

#include <string>

#include "app/views/view.h"

namespace ropescope {

/// An empty figure of this name over these axes that says something in place of numbers; `stale`: these are still being
/// computed.
inline ViewResult message_result(const std::string& figure_name, const std::string& x, const std::string& y,
                                 const std::string& words, bool stale = false) {
  Figure figure;
  figure.name = figure_name;
  figure.x.name = x;
  figure.y.name = y;
  figure.empty_message = words;
  figure.stale = stale;
  ViewResult result;
  result.panels.push_back({figure, 1});
  result.stale = stale;
  return result;
}

/// Of an image's rows and columns: what is wrong with it, or nothing yet while it is being computed.
inline ViewResult image_message(const std::string& figure_name, const std::string& words, bool stale) {
  ViewResult result = message_result(figure_name, "column", "row", words, stale);
  if (!stale) result.fault = words;
  return result;
}

}  // namespace ropescope
