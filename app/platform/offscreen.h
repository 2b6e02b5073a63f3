#pragma once

#include <memory>

namespace ropescope {

/// A GL 3.3 core context without any display: surfaceless EGL, else the EGL device platform; with a framebuffer of
/// width × height pixels bound. Current as long as it lives. Throws InputError where there is none.
class OffscreenContext {
 public:
  OffscreenContext(int width, int height);
  ~OffscreenContext();
  OffscreenContext(const OffscreenContext&) = delete;
  OffscreenContext& operator=(const OffscreenContext&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ropescope
