// Graphics abstraction of the user interface: draws maps, pictures and ImGui's draw lists. gl_gpu.cpp implements it
// with OpenGL 3.3; the null implementation for tests draws nothing. Maps are passed as MapWindow (map_window.h).
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

/// The interface between the user interface and the graphics card: GL 3.3 or nothing (tests).
class Gpu {
 public:
  virtual ~Gpu() = default;
  virtual void begin_frame() = 0;
  /// Uploads the font atlas again after it was rebuilt.
  virtual void reload_fonts() = 0;
  /// Returns the pixels of a map as a texture, first row at the top, to be drawn in this frame at integer pixels. It is
  /// kept while the same window is requested, and the cells while they are in use. 0 if nothing can be drawn.
  virtual std::uintptr_t colour_map(const MapWindow& window) = 0;
  /// Returns a photograph as a texture, first row at the top; it is uploaded once and kept while it is requested. 0 if
  /// nothing can be drawn.
  virtual std::uintptr_t picture(const std::shared_ptr<const Pixels>& pixels) = 0;
  /// Clears to the ground colour and draws into a framebuffer with this size in pixels.
  virtual void draw(ImDrawData* data, Colour ground, int width, int height) = 0;
  /// Returns RGBA rows from top to bottom of the last drawing; empty for the null implementation.
  virtual std::vector<std::uint8_t> read_pixels(int width, int height) = 0;
};

/// Creates the OpenGL 3.3 implementation. Precondition: a GL 3.3 core context is current. `shaders` is the folder of
/// map.vert and map.frag. Throws InputError if the driver lacks GL 3.3, a file is missing, or the driver cannot compile
/// it.
std::unique_ptr<Gpu> make_gl_gpu(const std::filesystem::path& shaders);
/// Creates the implementation that draws nothing. Maps requested since the last begin_frame() are added to `maps`, if
/// given.
std::unique_ptr<Gpu> make_null_gpu(std::vector<MapWindow>* maps = nullptr);

}  // namespace ropescope
