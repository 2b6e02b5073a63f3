#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/figure/screen_line.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/style.h"

namespace ropescope::ui {

namespace {

double snapped(double value) {
  return std::floor(value + 0.5);
}

}  // namespace

Colour mixed(Colour from, Colour to, double share) {
  const auto part = [share](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + share * (b - a)));
  };
  return {part(from.red, to.red), part(from.green, to.green), part(from.blue, to.blue), part(from.alpha, to.alpha)};
}

Colour quiet_text(const Palette& palette) {
  return mixed(palette.faint, palette.secondary, 0.75);
}

ImVec2 point(double x, double y) {
  return {static_cast<float>(x), static_cast<float>(y)};
}
ImVec2 top_left(const Rect& rect) {
  return point(rect.left, rect.top);
}
ImVec2 bottom_right(const Rect& rect) {
  return point(rect.right(), rect.bottom());
}
Rect rect_at(ImVec2 at, double width, double height) {
  return {at.x, at.y, width, height};
}
Rect grown(const Rect& rect, double by) {
  return {rect.left - by, rect.top - by, rect.width + 2 * by, rect.height + 2 * by};
}
Rect last_item_rect() {
  const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
  return {a.x, a.y, b.x - a.x, b.y - a.y};
}

void draw_line(const LineOfText& line, std::string_view text) {
  const float size = font_size(line.font) * static_cast<float>(line.share);
  // Whole pixels: glyphs between pixels would be blurred.
  const ImVec2 at = point(snapped(line.left), std::floor(line.centre_y - static_cast<double>(size) / 2));
  draw_screen_line(ImGui::GetWindowDrawList(), {line.font, size, at, line.colour}, text);
}

bool draw_line_within(LineOfText line, double width, double align, const std::string& text) {
  const double natural = static_cast<double>(text_width(line.font, text));
  line.share = natural > width ? std::clamp(width / natural, kSmallestShare, 1.0) : 1;
  const std::string shown = shortened(line.font, text, width / line.share + 0.5);
  line.left += align * (width - line.share * static_cast<double>(text_width(line.font, shown)));
  draw_line(line, shown);
  return shown != text;
}

void fill_rect(const Rect& rect, Colour colour, double radius) {
  const ImVec2 a = point(snapped(rect.left), snapped(rect.top)),
               b = point(snapped(rect.right()), snapped(rect.bottom()));
  ImGui::GetWindowDrawList()->AddRectFilled(a, b, colour32(colour), static_cast<float>(radius));
}

void outline_rect(const Ui& ui, const Rect& rect, Colour colour, double radius) {
  const float width = std::max(1.0f, std::floor(ui.scale));
  const double half = static_cast<double>(width) / 2 - 0.5;  // AddRect adds the half pixel itself
  const ImVec2 a = point(snapped(rect.left) + half, snapped(rect.top) + half);
  const ImVec2 b = point(snapped(rect.right()) - half, snapped(rect.bottom()) - half);
  ImGui::GetWindowDrawList()->AddRect(a, b, colour32(colour), static_cast<float>(radius), 0, width);
}

void draw_arrow(const Ui& ui, double centre_x, double centre_y, Colour colour) {
  const double half = static_cast<double>(ui.px(3.5)), height = static_cast<double>(ui.px(6));
  ImGui::GetWindowDrawList()->AddTriangleFilled(point(centre_x - half, centre_y - height / 2),
                                                point(centre_x + half, centre_y - height / 2),
                                                point(centre_x, centre_y + height / 2), colour32(colour));
}

void draw_cross(const Ui& ui, double centre_x, double centre_y, Colour colour) {
  const double arm = static_cast<double>(ui.px(3.75));
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = ui.px(1.2);
  list->AddLine(point(centre_x - arm, centre_y - arm), point(centre_x + arm, centre_y + arm), colour32(colour), width);
  list->AddLine(point(centre_x - arm, centre_y + arm), point(centre_x + arm, centre_y - arm), colour32(colour), width);
}

void dashed_rect(const Ui& ui, const Rect& rect, Colour colour, double radius) {
  const Rect r{std::floor(rect.left) + 0.5, std::floor(rect.top) + 0.5, std::floor(rect.width) - 1,
               std::floor(rect.height) - 1};
  radius = std::min({radius, r.width / 2, r.height / 2});
  Scene scene;
  PathItem path;
  path.colour = colour;
  path.width = std::max(1.0, std::floor(static_cast<double>(ui.scale)));
  path.dash = Dash::short_dash;
  constexpr int kSteps = 12;
  constexpr double kQuarter = std::numbers::pi / 2;
  const std::array<Vec2, 4> centres{{{r.right() - radius, r.top + radius},
                                     {r.right() - radius, r.bottom() - radius},
                                     {r.left + radius, r.bottom() - radius},
                                     {r.left + radius, r.top + radius}}};
  for (std::size_t corner = 0; corner < 4; ++corner) {
    for (int step = 0; step <= kSteps; ++step) {
      const double angle = (static_cast<double>(corner) - 1 + static_cast<double>(step) / kSteps) * kQuarter;
      path.points.push_back(
          {centres[corner].x + radius * std::cos(angle), centres[corner].y + radius * std::sin(angle)});
    }
  }
  path.points.push_back(path.points.front());
  scene.items.emplace_back(std::move(path));
  draw_scene(ImGui::GetWindowDrawList(), ui, scene);
}

}  // namespace ropescope::ui
