#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  /// Clears to the ground colour and draws into a framebuffer of this many pixels.
  virtual void draw(ImDrawData* data, Colour ground, int width, int height) = 0;
  /// RGBA rows from top to bottom of what was drawn last; empty for the null version.
  virtual std::vector<std::uint8_t> read_pixels(int width, int height) = 0;
};

/// Precondition: a GL 3.3 core context is current. Throws InputError where the driver has no GL 3.3.
std::unique_ptr<Gpu> make_gl_gpu();
std::unique_ptr<Gpu> make_null_gpu();

}  // namespace ropescope
