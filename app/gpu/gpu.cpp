// The null implementation of Gpu, which draws nothing.

#include "app/gpu/gpu.h"

#include <imgui.h>

namespace ropescope {

namespace {

/// Draws nothing. It requests the atlas' pixels because ImGui starts no frame before the atlas is uploaded, and allows
/// vertex offsets, so long curves are split as for GL.
class NullGpu : public Gpu {
 public:
  explicit NullGpu(std::vector<MapWindow>* maps) : maps_(maps) {
    ImGuiIO& io = ImGui::GetIO();
    io.BackendRendererName = "ropescope null";
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
#if IMGUI_VERSION_NUM >= 19200
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
  }
  void begin_frame() override {
    if (maps_) maps_->clear();
  }
  std::uintptr_t colour_map(const MapWindow& window) override {
    if (maps_) maps_->push_back(window);
    return 0;
  }
  std::uintptr_t picture(const std::shared_ptr<const Pixels>& /*pixels*/) override {
    return 0;
  }
  void reload_fonts() override {
#if IMGUI_VERSION_NUM < 19200
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
#endif
  }
  void draw(ImDrawData* data, Colour /*ground*/, int /*width*/, int /*height*/) override {
#if IMGUI_VERSION_NUM >= 19200
    // Textures count as uploaded immediately.
    if (!data || !data->Textures) return;
    for (ImTextureData* texture : *data->Textures) {
      if (texture->Status == ImTextureStatus_WantDestroy) {
        texture->SetStatus(ImTextureStatus_Destroyed);
      } else if (texture->Status != ImTextureStatus_OK) {
        texture->SetTexID(1);
        texture->SetStatus(ImTextureStatus_OK);
      }
    }
#else
    (void)data;
#endif
  }
  std::vector<std::uint8_t> read_pixels(int /*width*/, int /*height*/) override {
    return {};
  }

 private:
  std::vector<MapWindow>* maps_;
};

}  // namespace

std::unique_ptr<Gpu> make_null_gpu(std::vector<MapWindow>* maps) {
  return std::make_unique<NullGpu>(maps);
}

}  // namespace ropescope
