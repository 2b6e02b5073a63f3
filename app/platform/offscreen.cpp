#include "app/platform/offscreen.h"

#include <string>

#include "app/gpu/gl_gpu.h"
#include "app/platform/gl_context.h"
#include "app/resources/system.h"
#include "core/words.h"

namespace ropescope {

namespace {

/// ROPESCOPE_OFFSCREEN says which of the two is to be taken: "egl" or "window".
std::unique_ptr<GlContext> open_context() {
  const std::string wanted = os::environment_path("ROPESCOPE_OFFSCREEN").string();
  std::unique_ptr<GlContext> context;
  if (wanted != "window") context = open_egl_context();
  if (!context && wanted != "egl") context = open_hidden_window();
  return context;
}

}  // namespace

struct OffscreenContext::State {
  std::unique_ptr<GlContext> context;
  std::unique_ptr<GlFramebuffer> framebuffer;  // goes first: it is the context's
};

OffscreenContext::OffscreenContext(int width, int height) : state_(std::make_unique<State>()) {
  state_->context = open_context();
  if (!state_->context) throw InputError("gl.no_context", {});
  state_->framebuffer = std::make_unique<GlFramebuffer>(width, height);
}

OffscreenContext::~OffscreenContext() = default;

}  // namespace ropescope
