#include <imgui.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <variant>

#include "app/figure/screen_fill.h"
#include "app/figure/screen_line.h"
#include "app/figure/screen_path.h"
#include "app/gpu/gpu.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/widgets.h"

namespace ropescope::ui {

namespace {

/// A font and the size to draw it at, so that its em has the wanted height: the atlas font of the nearest size.
struct SizedFont {
  ImFont* font = nullptr;
  float size = 0;
};

SizedFont font_for(const Ui& ui, const TextStyle& style) {
  ImFont* const small = style.weight == FontWeight::semibold ? ui.fonts.semibold : ui.fonts.small;
  ImFont* const large = style.weight == FontWeight::semibold ? ui.fonts.number : ui.fonts.body;
  const auto em = [&ui](const ImFont* font) {
    return ui.fonts.em_of(font) * std::max(1e-6, static_cast<double>(ui.scale));
  };
  const auto far = [&](const ImFont* font) { return std::abs(em(font) - style.size); };
  ImFont* const font = far(small) <= far(large) ? small : large;
  double size = style.size * static_cast<double>(font_size(font)) / em(font);
#if IMGUI_VERSION_NUM >= 19100
  size = std::floor(size + 1e-3);  // loaded in whole pixels: of another size they would be stretched, and blurred
#endif
  return {font, static_cast<float>(size)};
}

void draw_text(ImDrawList* list, const Ui& ui, const TextItem& item) {
  const SizedFont sized = font_for(ui, item.style);
  const Rect box = box_of(item, screen_measure(ui));
  const double over = static_cast<double>(line_extent(sized.font, sized.size, item.text).over);
  const auto whole = [](double place) { return static_cast<float>(std::round(place)); };
  const ScreenLine line{sized.font, sized.size, {}, item.colour};
  if (item.vertical) {
    draw_upright_line(list, {line.font, line.size, {whole(box.left + over), whole(box.bottom())}, line.colour},
                      item.text);
  } else {
    const double top = item.own_line ? item.at.y : box.top + over;
    draw_screen_line(list, {line.font, line.size, {whole(box.left), whole(top)}, line.colour}, item.text);
  }
}

struct Painter {
  ImDrawList* list;
  const Ui& ui;
  int clips = 0;

  Rect clip() const {
    const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
    return {low.x, low.y, high.x - low.x, high.y - low.y};
  }

  void operator()(const PathItem& item) const { stroke_path(list, item, clip()); }
  void operator()(const BandItem& item) const { fill_band(list, item); }
  void operator()(const RectItem& item) const {
    const auto whole = [](double value) { return static_cast<float>(std::round(value)); };
    list->AddRectFilled({whole(item.rect.left), whole(item.rect.top)},
                        {whole(item.rect.right()), whole(item.rect.bottom())}, colour32(item.fill),
                        static_cast<float>(item.radius));
  }
  void operator()(const DiscItem& item) const {
    list->AddCircleFilled({static_cast<float>(item.centre.x), static_cast<float>(item.centre.y)},
                          static_cast<float>(item.radius), colour32(item.fill));
  }
  void operator()(const PolygonItem& item) const { fill_polygon(list, item, clip()); }
  void operator()(const GradientItem& item) const { fill_gradient(list, item); }
  void operator()(const MapItem& item) const {
    Rect at;
    const MapWindow window = window_of(item, at);
    if (!window.cells || !ui.gpu) return;
    const std::uintptr_t texture = ui.gpu->colour_map(window);
    if (texture == 0) return;
    list->AddImage(texture_id(texture), {static_cast<float>(at.left), static_cast<float>(at.top)},
                   {static_cast<float>(at.right()), static_cast<float>(at.bottom())});
  }
  void operator()(const PictureItem& item) const {
    const std::uintptr_t texture = ui.gpu ? ui.gpu->picture(item.pixels) : 0;
    if (texture == 0) return;
    const auto share = [](double at, double from, double length, bool flipped) {
      const double part = (at - from) / length;
      return static_cast<float>(flipped ? 1 - part : part);
    };
    const Rect &rect = item.rect, &clip = item.clip;
    const ImVec2 first{share(clip.left, rect.left, rect.width, item.flip_x),
                       share(clip.top, rect.top, rect.height, item.flip_y)};
    const ImVec2 last{share(clip.right(), rect.left, rect.width, item.flip_x),
                      share(clip.bottom(), rect.top, rect.height, item.flip_y)};
    list->AddImage(texture_id(texture), {static_cast<float>(clip.left), static_cast<float>(clip.top)},
                   {static_cast<float>(clip.right()), static_cast<float>(clip.bottom())}, first, last,
                   IM_COL32(255, 255, 255, static_cast<int>(std::lround(255 * item.opacity))));
  }
  void operator()(const TextItem& item) const { draw_text(list, ui, item); }
  void operator()(const ClipItem& item) {
    const Rect& r = item.rect;
    list->PushClipRect({static_cast<float>(r.left), static_cast<float>(r.top)},
                       {static_cast<float>(r.right()), static_cast<float>(r.bottom())}, true);
    ++clips;
  }
  void operator()(const UnclipItem&) {
    if (clips == 0) return;
    list->PopClipRect();
    --clips;
  }
};

}  // namespace

void draw_scene(ImDrawList* draw_list, const Ui& ui, const Scene& scene) {
  Painter painter{draw_list, ui};
  for (const SceneItem& item : scene.items) std::visit(painter, item);
  for (; painter.clips > 0; --painter.clips) draw_list->PopClipRect();
}

MeasureText screen_measure(const Ui& ui) {
  return [&ui](std::string_view text, const TextStyle& style) {
    const SizedFont sized = font_for(ui, style);
    const LineExtent line = line_extent(sized.font, sized.size, text);
    return Vec2{static_cast<double>(line.width), static_cast<double>(sized.size + line.over + line.under)};
  };
}

}  // namespace ropescope::ui
