#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/figure/figure.h"

namespace ropescope {

/// Photographs as textures that shrink smoothly, uploaded once and kept while they are looked at. Precondition: a
/// GL 3.3 core context is current, also when it is destroyed.
class GlPictures {
 public:
  GlPictures();
  ~GlPictures();
  GlPictures(const GlPictures&) = delete;
  GlPictures& operator=(const GlPictures&) = delete;

  /// Forgets what was not asked for in the last frames.
  void begin_frame();
  /// Name of the texture, first row at the top; 0 where the card has none of that size. The state of GL is left as it
  /// was.
  std::uintptr_t texture_of(const std::shared_ptr<const Pixels>& pixels);

 private:
  struct Kept {
    std::weak_ptr<const Pixels> owner;
    unsigned texture = 0;
    long used = 0;
  };
  std::vector<Kept> kept_;
  std::size_t largest_ = 0;
  long frame_ = 0;
};

}  // namespace ropescope
