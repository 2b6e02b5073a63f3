#include "app/views/rotation/sheet.h"

#include <cmath>

#include "app/figure/number_text.h"

namespace ropescope {

Sheet::Sheet(const std::string& name, const std::string& title, int rows, double width) {
  figure.name = name;
  figure.title = title;
  figure.bare = true;
  figure.x.name = name + "_column";
  figure.y.name = "row";
  figure.x.range = figure.x.fit = {0, width};
  figure.y.range = figure.y.fit = {-1.5, rows - 0.3};
  figure.y.reversed = true;
}

void Sheet::words(double column, double row, const std::string& text, int slot) {
  Label label;
  label.x = column;
  label.y = row;
  label.text = text;
  label.role = slot < 0 ? Role::secondary : Role::curve;
  label.style.slot = std::max(slot, 0);
  label.size = text_size;
  figure.labels.push_back(label);
}

void Sheet::number(double column, double row, double value, int slot) {
  words(column, row, readable_fixed(value, 2), slot);
}

void Sheet::header(double column, const std::string& text) {
  words(column, -1, text);
}

void Sheet::brackets(double left, double right, double first, double last) {
  constexpr double kHook = 0.08;
  Path path;
  path.key = "brackets";
  path.role = Role::secondary;
  path.width = 0.7;
  const double top = first - 0.42, bottom = last + 0.42;
  path.xs = {left + kHook, left, left, left + kHook, std::nan(""), right - kHook, right, right, right - kHook};
  path.ys = {top, top, bottom, bottom, std::nan(""), top, top, bottom, bottom};
  figure.paths.push_back(path);
}

}  // namespace ropescope
