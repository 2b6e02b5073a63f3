#pragma once

#include <string>

#include "app/figure/figure.h"

namespace ropescope {

/// A labelled horizontal rule across a figure at a value.
inline void add_level(Figure& figure, double at, const std::string& label) {
  Rule rule;
  rule.vertical = false;
  rule.at = at;
  rule.label = label;
  figure.rules.push_back(rule);
}

}  // namespace ropescope
