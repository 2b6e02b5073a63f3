#include "app/gpu/gl_picture.h"

#include <algorithm>

#include "app/gpu/gl.h"

namespace ropescope {

namespace {

constexpr long kFramesKept = 240;

unsigned uploaded(const Pixels& pixels) {
  GLint bound = 0, alignment = 4;
  glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
  glGetIntegerv(GL_UNPACK_ALIGNMENT, &alignment);
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, static_cast<GLsizei>(pixels.columns), static_cast<GLsizei>(pixels.rows), 0,
               GL_RGBA, GL_UNSIGNED_BYTE, pixels.values.data());
  glGenerateMipmap(GL_TEXTURE_2D);
  glPixelStorei(GL_UNPACK_ALIGNMENT, alignment);
  glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
  return texture;
}

}  // namespace

GlPictures::GlPictures() {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  largest_ = static_cast<std::size_t>(std::max(largest, 0));
}

GlPictures::~GlPictures() {
  for (const Kept& kept : kept_) glDeleteTextures(1, &kept.texture);
}

void GlPictures::begin_frame() {
  ++frame_;
  const auto is_old = [this](const Kept& kept) { return kept.owner.expired() || frame_ - kept.used > kFramesKept; };
  for (const Kept& kept : kept_) {
    if (is_old(kept)) glDeleteTextures(1, &kept.texture);
  }
  std::erase_if(kept_, is_old);
}

std::uintptr_t GlPictures::texture_of(const std::shared_ptr<const Pixels>& pixels) {
  if (!pixels || pixels->columns == 0 || pixels->rows == 0) return 0;
  for (Kept& kept : kept_) {
    // By owner, not by address: a new picture may lie where an old one was.
    if (kept.owner.owner_before(pixels) || pixels.owner_before(kept.owner)) continue;
    kept.used = frame_;
    return kept.texture;
  }
  if (std::max(pixels->columns, pixels->rows) > largest_) return 0;
  kept_.push_back({pixels, uploaded(*pixels), frame_});
  return kept_.back().texture;
}

}  // namespace ropescope
