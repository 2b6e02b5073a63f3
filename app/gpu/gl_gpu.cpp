#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>

#include "app/gpu/gl.h"
#include "app/gpu/gl_map.h"
#include "app/gpu/gl_picture.h"
#include "app/gpu/gpu.h"
#include "core/error.h"

namespace ropescope {

namespace {

/// "3.1 Mesa 22.3.6" or "none", for messages.
Words version_of_context() {
  const GLubyte* version = glGetString(GL_VERSION);
  return version ? as_it_is(reinterpret_cast<const char*>(version)) : Words("list.none");
}

void require_version() {
  GLint major = 0, minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  if (major > 3 || (major == 3 && minor >= 3)) return;
  throw InputError("gl.version", {{"version", version_of_context()}});
}

class GlGpu : public Gpu {
 public:
  explicit GlGpu(const std::filesystem::path& shaders) {
    require_version();
    maps_ = std::make_unique<GlMapColours>(shaders);
    pictures_ = std::make_unique<GlPictures>();
    if (!ImGui_ImplOpenGL3_Init("#version 330 core")) {
      throw InputError("gl.functions", {{"version", version_of_context()}});
    }
  }
  ~GlGpu() override { ImGui_ImplOpenGL3_Shutdown(); }
  GlGpu(const GlGpu&) = delete;
  GlGpu& operator=(const GlGpu&) = delete;

  void begin_frame() override {
    maps_->begin_frame();
    pictures_->begin_frame();
    ImGui_ImplOpenGL3_NewFrame();
  }

  void reload_fonts() override {
    // From 1.92 on the backend follows the atlas by itself.
#if IMGUI_VERSION_NUM < 19200
    ImGui_ImplOpenGL3_NewFrame();  // makes shaders and buffers where this is the first call
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
  }

  std::uintptr_t colour_map(const MapWindow& window) override {
    return maps_->coloured(window);
  }

  std::uintptr_t picture(const std::shared_ptr<const Pixels>& pixels) override {
    return pictures_->texture_of(pixels);
  }

  void draw(ImDrawData* data, Colour ground, int width, int height) override {
    glViewport(0, 0, width, height);
    glDisable(GL_SCISSOR_TEST);
    const auto part = [](std::uint8_t value) { return static_cast<float>(value) / 255; };
    glClearColor(part(ground.red), part(ground.green), part(ground.blue), 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(data);
  }

  std::vector<std::uint8_t> read_pixels(int width, int height) override {
    const std::size_t row = static_cast<std::size_t>(width) * 4, rows = static_cast<std::size_t>(height);
    std::vector<std::uint8_t> pixels(row * rows);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    for (std::size_t y = 0; y < rows / 2; ++y) {  // GL's first row is the lowest
      const auto top = pixels.begin() + static_cast<std::ptrdiff_t>(y * row);
      const auto bottom = pixels.begin() + static_cast<std::ptrdiff_t>((rows - 1 - y) * row);
      std::swap_ranges(top, top + static_cast<std::ptrdiff_t>(row), bottom);
    }
    return pixels;
  }

 private:
  std::unique_ptr<GlMapColours> maps_;
  std::unique_ptr<GlPictures> pictures_;
};

}  // namespace

std::unique_ptr<Gpu> make_gl_gpu(const std::filesystem::path& shaders) {
  return std::make_unique<GlGpu>(shaders);
}

}  // namespace ropescope
