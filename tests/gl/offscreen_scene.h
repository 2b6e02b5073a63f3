#pragma once

#include <imgui.h>

#include "app/gpu/gpu.h"
#include "app/platform/context.h"
#include "app/ui/drawing/font_files.h"
#include "app/ui/drawing/imgui_compat.h"
#include "app/ui/drawing/screen.h"
#include "app/ui/drawing/style.h"
#include "app/ui/widgets.h"
#include "tests/places.h"
#include "tests/temporary_folder.h"
#include "tests/test.h"

namespace ropescope {

/// For GoogleTest's messages.
inline void PrintTo(const Colour& c, std::ostream* out) {
  *out << "rgba(" << int{c.red} << ", " << int{c.green} << ", " << int{c.blue} << ", " << int{c.alpha} << ")";
}

inline constexpr int kWidth = 640, kHeight = 400;

inline Text texts() {
  const TemporaryFolder assets;  // one each: the tests run side by side
  fs::create_directories(assets.path / "text");
  std::ofstream(assets.path / "text" / "en.json")
      << R"({"shell": {"tip": {"sweep": "Play"}}, "field": {"t": {"share": {"label": "Share"}}}})";
  return Text::load(assets.path);
}

/// EGL is expected wherever these tests run: Mesa's software driver needs neither a card nor a display.
class Offscreen : public ::testing::TestWithParam<ThemeName> {
 protected:
  Offscreen()
      : context(kWidth, kHeight),
        imgui(kWidth, kHeight),
        gpu(make_gl_gpu(source_folder() + "/shaders")),
        text(texts()) {
    ui.text = &text;
    ui.record = &record;
    ui.gpu = gpu.get();
    ui.palette = palette(GetParam());
    std::string warning;
    ui.fonts = ui::build_fonts(ui::find_fonts(), text, "", 1, warning);
    EXPECT_EQ(warning, "");
    ui::apply_style(ui.palette, 1);
    gpu->reload_fonts();
  }

  void show(const Scene& scene, bool with_slider = false) {
    for (int frame = 0; frame < 3; ++frame) {
      gpu->begin_frame();
      ImGui::NewFrame();
      record.clear();
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({kWidth, kHeight});
      ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
      ImGui::Begin("all", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
      ImGui::PopStyleVar();
      double share = 0.5;
      if (with_slider) number_control(ui, {.key = "t.share", .maximum = 1, .initial = 0.5, .linear = true}, share);
      draw_scene(ImGui::GetWindowDrawList(), ui, scene);
      ImGui::End();
      ImGui::Render();
      gpu->draw(ImGui::GetDrawData(), ui.palette.ground, kWidth, kHeight);
    }
    pixels = gpu->read_pixels(kWidth, kHeight);
    ASSERT_EQ(pixels.size(), std::size_t{4} * kWidth * kHeight);
  }

  Colour at(double x, double y) const {
    const std::size_t i = 4 * (static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x));
    return {pixels[i], pixels[i + 1], pixels[i + 2], pixels[i + 3]};
  }
  int count(Colour colour, const Rect& rect) const {
    int found = 0;
    for (double y = rect.top; y < rect.bottom(); ++y) {
      for (double x = rect.left; x < rect.right(); ++x) found += at(x, y) == colour;
    }
    return found;
  }

  OffscreenContext context;
  ui::HeadlessImGui imgui;
  std::unique_ptr<Gpu> gpu;
  Text text;
  ui::WidgetRecord record;
  ui::Ui ui;
  std::vector<std::uint8_t> pixels;
};

}  // namespace ropescope
