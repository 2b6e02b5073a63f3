#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/figure/map_window.h"

namespace ropescope {

/// Colours maps with shaders/map.vert and map.frag into textures. Cells are uploaded once, as floats, and kept while
/// they are looked at; so are pictures. Precondition: a GL 3.3 core context is current, also when it is destroyed.
class GlMapColours {
 public:
  /// Throws InputError: a shader is missing or the driver cannot compile it.
  explicit GlMapColours(const std::filesystem::path& shaders);
  ~GlMapColours();
  GlMapColours(const GlMapColours&) = delete;
  GlMapColours& operator=(const GlMapColours&) = delete;

  /// Forgets what was not asked for in the last frames.
  void begin_frame();
  /// Name of a texture of window.width × window.height, first row at the top; 0 where the card has none of that size.
  /// The state of GL is left as it was.
  std::uintptr_t coloured(const MapWindow& window);

 private:
  struct Cells {
    std::weak_ptr<const MapCells> owner;
    unsigned texture = 0;
    long used = 0;
  };
  struct Picture {
    MapWindow window;
    unsigned texture = 0;
    long used = 0;
  };
  unsigned texture_of(const std::shared_ptr<const MapCells>& cells);
  Picture& picture_for(const MapWindow& window);
  void draw(const MapWindow& window, unsigned cells, unsigned target);

  unsigned program_ = 0, vertices_ = 0, framebuffer_ = 0, table_ = 0;
  int largest_ = 0;
  long frame_ = 0;
  std::vector<Cells> cells_;
  std::vector<Picture> pictures_;
};

}  // namespace ropescope
