#include "app/gpu/gl_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/gpu/gl.h"
#include "app/gpu/gl_program.h"

namespace ropescope {

namespace {

constexpr long kCellsKept = 240, kPicturesKept = 8;  ///< frames after the last use

/// What drawing a map changes, put back at the end: the picture is made in the middle of somebody's frame.
class StateKeeper {
 public:
  StateKeeper() {
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &framebuffer_);
    glGetIntegerv(GL_VIEWPORT, viewport_.data());
    glGetIntegerv(GL_CURRENT_PROGRAM, &program_);
    glGetIntegerv(GL_VERTEX_ARRAY_BINDING, &vertices_);
    glGetIntegerv(GL_ACTIVE_TEXTURE, &active_);
    for (std::size_t i = 0; i < switches_.size(); ++i) on_[i] = glIsEnabled(switches_[i]);
    for (std::size_t i = 0; i < textures_.size(); ++i) {
      glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(i));
      glGetIntegerv(GL_TEXTURE_BINDING_2D, &textures_[i]);
      glGetIntegerv(GL_SAMPLER_BINDING, &samplers_[i]);
      glBindSampler(static_cast<GLuint>(i), 0);
    }
  }
  ~StateKeeper() {
    for (std::size_t i = 0; i < textures_.size(); ++i) {
      glActiveTexture(GL_TEXTURE0 + static_cast<GLenum>(i));
      glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(textures_[i]));
      glBindSampler(static_cast<GLuint>(i), static_cast<GLuint>(samplers_[i]));
    }
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      if (on_[i]) glEnable(switches_[i]);
    }
    glActiveTexture(static_cast<GLenum>(active_));
    glBindVertexArray(static_cast<GLuint>(vertices_));
    glUseProgram(static_cast<GLuint>(program_));
    glViewport(viewport_[0], viewport_[1], viewport_[2], viewport_[3]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, static_cast<GLuint>(framebuffer_));
  }
  StateKeeper(const StateKeeper&) = delete;
  StateKeeper& operator=(const StateKeeper&) = delete;

  void switch_all_off() const {
    for (const GLenum one : switches_) glDisable(one);
  }

 private:
  static constexpr std::array<GLenum, 5> switches_{GL_BLEND, GL_SCISSOR_TEST, GL_DEPTH_TEST, GL_CULL_FACE,
                                                   GL_STENCIL_TEST};
  std::array<GLboolean, 5> on_{};
  std::array<GLint, 2> textures_{}, samplers_{};
  std::array<GLint, 4> viewport_{};
  GLint framebuffer_ = 0, program_ = 0, vertices_ = 0, active_ = 0;
};

unsigned new_texture() {
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  for (const GLenum filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER}) {
    glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
  }
  for (const GLenum wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T}) {
    glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
  }
  return texture;
}

float part(std::uint8_t channel) {
  return static_cast<float>(channel) / 255;
}

}  // namespace

GlMapColours::GlMapColours(const std::filesystem::path& shaders) {
  program_ = build_program(shaders / "map.vert", shaders / "map.frag");
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest_);
  const StateKeeper keeper;
  glGenVertexArrays(1, &vertices_);
  glGenFramebuffers(1, &framebuffer_);
  table_ = new_texture();
}

GlMapColours::~GlMapColours() {
  for (const Cells& cells : cells_) glDeleteTextures(1, &cells.texture);
  for (const Picture& picture : pictures_) glDeleteTextures(1, &picture.texture);
  glDeleteTextures(1, &table_);
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteVertexArrays(1, &vertices_);
  glDeleteProgram(program_);
}

void GlMapColours::begin_frame() {
  ++frame_;
  const auto forget = [](auto& kept, const auto& is_old) {
    for (const auto& one : kept) {
      if (is_old(one)) glDeleteTextures(1, &one.texture);
    }
    kept.erase(std::remove_if(kept.begin(), kept.end(), is_old), kept.end());
  };
  forget(pictures_, [this](const Picture& picture) { return frame_ - picture.used > kPicturesKept; });
  forget(cells_, [this](const Cells& cells) { return cells.owner.expired() || frame_ - cells.used > kCellsKept; });
}

unsigned GlMapColours::texture_of(const std::shared_ptr<const MapCells>& cells) {
  for (Cells& kept : cells_) {
    // By owner, not by address: a new grid may lie where an old one was.
    if (kept.owner.owner_before(cells) || cells.owner_before(kept.owner)) continue;
    kept.used = frame_;
    return kept.texture;
  }
  const unsigned texture = new_texture();
  GLint alignment = 4;
  glGetIntegerv(GL_UNPACK_ALIGNMENT, &alignment);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R32F, static_cast<GLsizei>(cells->columns), static_cast<GLsizei>(cells->rows), 0,
               GL_RED, GL_FLOAT, cells->values.data());
  glPixelStorei(GL_UNPACK_ALIGNMENT, alignment);
  cells_.push_back({cells, texture, frame_});
  return texture;
}

/// One of the same size that is no longer on the screen is painted over, or there is a new one.
GlMapColours::Picture& GlMapColours::picture_for(const MapWindow& window) {
  const auto reusable = [&](const Picture& picture) {
    return picture.used < frame_ - 1 && picture.window.width == window.width && picture.window.height == window.height;
  };
  auto found = std::find_if(pictures_.begin(), pictures_.end(), reusable);
  if (found == pictures_.end()) {
    const unsigned texture = new_texture();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, window.width, window.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    pictures_.push_back({window, texture, frame_});
    return pictures_.back();
  }
  found->window = window;
  found->used = frame_;
  return *found;
}

std::uintptr_t GlMapColours::coloured(const MapWindow& window) {
  if (!window.cells || window.width < 1 || window.height < 1) return 0;
  for (Picture& picture : pictures_) {
    if (!(picture.window == window)) continue;
    picture.used = frame_;
    for (Cells& cells : cells_) {
      if (cells.owner.lock() == window.cells) cells.used = frame_;
    }
    return picture.texture;
  }
  const auto largest = static_cast<std::size_t>(std::max(largest_, 0));
  const std::size_t wanted =
      std::max({window.cells->columns, window.cells->rows, static_cast<std::size_t>(window.width),
                static_cast<std::size_t>(window.height)});
  if (wanted > largest) return 0;
  const StateKeeper keeper;
  keeper.switch_all_off();
  glActiveTexture(GL_TEXTURE0);
  const unsigned cells = texture_of(window.cells);
  const Picture& picture = picture_for(window);
  draw(window, cells, picture.texture);
  return picture.texture;
}

void GlMapColours::draw(const MapWindow& window, unsigned cells, unsigned target) {
  const MapPaint& paint = window.paint;
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target, 0);
  glViewport(0, 0, window.width, window.height);
  glUseProgram(program_);
  const auto at = [this](const char* name) { return glGetUniformLocation(program_, name); };
  // Whole cells apart from the rest: floats are exact near 0.
  const double base_x = std::floor(std::clamp(window.first_column, 0.0, static_cast<double>(window.cells->columns)));
  const double base_y = std::floor(std::clamp(window.first_row, 0.0, static_cast<double>(window.cells->rows)));
  const double span = paint.place.range.high - paint.place.range.low;
  glUniform1i(at("cells"), 0);
  glUniform1i(at("table"), 1);
  glUniform2i(at("size"), static_cast<GLint>(window.cells->columns), static_cast<GLint>(window.cells->rows));
  glUniform2i(at("base"), static_cast<GLint>(base_x), static_cast<GLint>(base_y));
  glUniform2f(at("first"), static_cast<float>(window.first_column - base_x),
              static_cast<float>(window.first_row - base_y));
  glUniform2f(at("cell_step"), static_cast<float>(window.column_step), static_cast<float>(window.row_step));
  glUniform1f(at("low"), static_cast<float>(paint.place.range.low));
  glUniform1f(at("per_range"), span > 0 ? static_cast<float>(1 / span) : 0.0f);
  glUniform1i(at("cyclic"), paint.place.cyclic ? 1 : 0);
  glUniform1i(at("wave"), paint.place.wave == MapWave::none ? 0 : paint.place.wave == MapWave::sine ? 1 : 2);
  glUniform2i(at("apart"), static_cast<GLint>(window.cells->kinds), 1);
  const PixelTurn turning = turning_cells(window);
  glUniform2f(at("turning"), static_cast<float>(turning.columns), static_cast<float>(turning.rows));
  glUniform3f(at("ground"), part(paint.ground.red), part(paint.ground.green), part(paint.ground.blue));
  glUniform3f(at("hatch"), part(paint.hatch.red), part(paint.hatch.green), part(paint.hatch.blue));
  glUniform1i(at("period"), std::max(paint.hatch_period, 2));
  glUniform1i(at("stripe"), stripe_width(paint));
  std::array<std::uint8_t, 4 * 256> table{};
  for (std::size_t k = 0; k < paint.table.size(); ++k) {
    const Colour& c = paint.table[k];
    const std::array<std::uint8_t, 4> channels{c.red, c.green, c.blue, c.alpha};
    std::copy(channels.begin(), channels.end(), table.begin() + static_cast<std::ptrdiff_t>(4 * k));
  }
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, table_);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 256, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, table.data());
  glActiveTexture(GL_TEXTURE0);
  glBindTexture(GL_TEXTURE_2D, cells);
  glBindVertexArray(vertices_);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace ropescope
