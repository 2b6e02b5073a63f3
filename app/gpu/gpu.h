// The seam between the interface and the graphics card: what draws maps, pictures and ImGui's lists. gl_gpu.cpp does it
// by OpenGL 3.3; the null version draws nothing, for tests. Maps come as MapWindow (app/figure/map_window.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/figure/map_window.h"
#include "app/figure/palette.h"

struct ImDrawData;

namespace ropescope {

/// The seam between the interface and the graphics card: GL 3.3 or nothing (tests).
class Gpu {
 public:
  virtual ~Gpu() = default;
  virtual void begin_frame() = 0;
  /// Uploads the font atlas again after it was rebuilt.
  virtual void reload_fonts() = 0;
  /// The pixels of a map as a texture, first row at the top, to be drawn in this frame at whole pixels; it is kept
  /// while the same is asked for, and the cells as long as they are looked at. 0 where nothing can be drawn.
  virtual std::uintptr_t colour_map(const MapWindow& window) = 0;
  /// A photograph as a texture, first row at the top; it is uploaded once and kept while it is asked for. 0 where
  /// nothing can be drawn.
  virtual std::uintptr_t picture(const std::shared_ptr<const Pixels>& pixels) = 0;
  /// Clears to the ground colour and draws into a framebuffer of this many pixels.
  virtual void draw(ImDrawData* data, Colour ground, int width, int height) = 0;
  /// RGBA rows from top to bottom of what was drawn last; empty for the null version.
  virtual std::vector<std::uint8_t> read_pixels(int width, int height) = 0;
};

/// Makes the graphics card by OpenGL 3.3. Precondition: a GL 3.3 core context is current. `shaders` is the folder of
/// map.vert and map.frag. Throws InputError: the driver has no GL 3.3, no such files, or the driver cannot compile
/// them.
std::unique_ptr<Gpu> make_gl_gpu(const std::filesystem::path& shaders);
/// Makes the version that draws nothing. Maps that were asked for since the last begin_frame() are added to `maps`, if
/// given.
std::unique_ptr<Gpu> make_null_gpu(std::vector<MapWindow>* maps = nullptr);

}  // namespace ropescope
