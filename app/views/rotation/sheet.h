#pragma once

#include <string>

#include "app/figure/figure.h"

namespace ropescope {

/// Numbers written out in rows and columns: rows run downwards from 0, columns to the right; a header stands over row
/// 0.
struct Sheet {
  Figure figure;
  double text_size = 1;  ///< smaller where many rows share the height

  /// Room for `rows` rows and columns from 0 to `width`.
  Sheet(const std::string& name, const std::string& title, int rows, double width);

  /// Words in the middle of a place; slot −1: secondary.
  void words(double column, double row, const std::string& text, int slot = -1);
  /// A number with two decimals and a true minus, in the colour of its pair.
  void number(double column, double row, double value, int slot);
  void header(double column, const std::string& text);
  /// Brackets around rows first … last and columns from left to right.
  void brackets(double left, double right, double first, double last);
};

}  // namespace ropescope
