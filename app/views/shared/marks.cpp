#include "app/views/shared/marks.h"

namespace ropescope {

Rule& add_rule(Figure& figure, double at, const std::string& label, Role role, const LineStyle& style) {
  Rule rule;
  rule.at = at;
  rule.label = label;
  rule.role = role;
  rule.style = style;
  figure.rules.push_back(rule);
  return figure.rules.back();
}

Rule& add_level(Figure& figure, double at, const std::string& label, Role role) {
  Rule& rule = add_rule(figure, at, label, role);
  rule.vertical = false;
  return rule;
}

Label label_at(double x, double y, const std::string& words, Role role) {
  Label label;
  label.x = x;
  label.y = y;
  label.text = words;
  label.role = role;
  return label;
}

void mark_row(Figure& figure, double row) {
  constexpr double kMostFramed = 40;
  if (figure.y.range.high - figure.y.range.low > kMostFramed) {
    add_level(figure, row, {}, Role::text).dashed = false;
    return;
  }
  Box box;
  box.x = figure.x.fit;
  box.y = {row - 0.5, row + 0.5};
  box.role = Role::text;
  figure.boxes.push_back(box);
}

}  // namespace ropescope
