// Drawing by OpenGL 3.3: programs, framebuffers, textures of pictures and maps, and make_gl_gpu().
//
// Contents: Programs; Pictures; Maps; GPU; Framebuffers.

#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "app/figure/figure.h"
#include "app/figure/map_window.h"
#include "app/gpu/gl.h"
#include "app/gpu/gpu.h"
#include "core/message.h"

namespace ropescope {

// --- Programs ------------------------------------------------------------------------------------------------------

namespace {

std::string text_of(const std::filesystem::path& file) {
  // Only regular files are read: others might never end.
  std::error_code ignored;
  std::ifstream stream;
  if (std::filesystem::is_regular_file(file, ignored)) stream.open(file, std::ios::binary);
  if (!stream.is_open()) throw InputError("gl.no_shader", {{"file", file.string()}});
  return {std::istreambuf_iterator<char>(stream), {}};
}

GLuint compile_shader(GLenum kind, const std::filesystem::path& file) {
  const std::string text = text_of(file);
  const char* source = text.c_str();
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, nullptr);
  glCompileShader(shader);
  GLint done = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (done) return shader;
  std::array<char, 1024> words{};
  glGetShaderInfoLog(shader, static_cast<GLsizei>(words.size()), nullptr, words.data());
  glDeleteShader(shader);
  throw InputError("gl.compile", {{"file", file.string()}, {"why", words.data()}});
}

/// Returns the name of a program built from two shader files. Precondition: a GL 3.3 core context is current. Throws
/// InputError if a file is missing, or if the driver cannot compile or link it (with the driver's message).
unsigned build_program(const std::filesystem::path& vertex_file, const std::filesystem::path& fragment_file) {
  const GLuint vertex = compile_shader(GL_VERTEX_SHADER, vertex_file);
  GLuint fragment = 0;
  try {
    fragment = compile_shader(GL_FRAGMENT_SHADER, fragment_file);
  } catch (const InputError&) {
    glDeleteShader(vertex);
    throw;
  }
  const GLuint program = glCreateProgram();
  glAttachShader(program, vertex);
  glAttachShader(program, fragment);
  glLinkProgram(program);
  glDeleteShader(vertex);
  glDeleteShader(fragment);
  GLint done = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &done);
  if (done) return program;
  std::array<char, 1024> words{};
  glGetProgramInfoLog(program, static_cast<GLsizei>(words.size()), nullptr, words.data());
  glDeleteProgram(program);
  throw InputError("gl.link", {{"file", fragment_file.string()}, {"why", words.data()}});
}

// --- Pictures ------------------------------------------------------------------------------------------------------

/// A texture, what it shows, and the last frame that used it.
template <class Source>
struct KeptTexture {
  Source source;
  unsigned texture = 0;
  long used = 0;
};
template <class Shown>
using TexturesOf = std::vector<KeptTexture<std::weak_ptr<const Shown>>>;

/// Frees the textures for which is_old(texture) is true.
template <class Source, class IsOld>
void forget(std::vector<KeptTexture<Source>>& kept, const IsOld& is_old) {
  std::erase_if(kept, [&](const KeptTexture<Source>& each) {
    if (!is_old(each)) return false;
    glDeleteTextures(1, &each.texture);
    return true;
  });
}

/// Returns the texture of `shown`, marked as used; 0 if there is none.
template <class Shown>
unsigned find_texture(TexturesOf<Shown>& kept, const std::shared_ptr<const Shown>& shown, long frame) {
  for (auto& each : kept) {
    // Compares owners, not addresses: a new one may be at the address of an old one.
    if (each.source.owner_before(shown) || shown.owner_before(each.source)) continue;
    each.used = frame;
    return each.texture;
  }
  return 0;
}

/// Photographs as mipmapped textures, uploaded once and kept while they are in use. Precondition: a GL 3.3 core context
/// is current, also at destruction.
class GlPictures {
 public:
  GlPictures();
  ~GlPictures();
  GlPictures(const GlPictures&) = delete;
  GlPictures& operator=(const GlPictures&) = delete;

  /// Frees textures that were not requested in the last frames.
  void begin_frame();
  /// Returns the name of the texture, first row at the top; 0 if the card does not support its size. Preserves the
  /// state of GL.
  std::uintptr_t texture_of(const std::shared_ptr<const Pixels>& pixels);

 private:
  TexturesOf<Pixels> kept_;
  std::size_t largest_ = 0;
  long frame_ = 0;
};

constexpr long kFramesKept = 240;

unsigned upload_pixels(const Pixels& pixels) {
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

GlPictures::GlPictures() {
  GLint largest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  largest_ = static_cast<std::size_t>(std::max(largest, 0));
}

GlPictures::~GlPictures() {
  forget(kept_, [](const auto&) { return true; });
}

void GlPictures::begin_frame() {
  ++frame_;
  forget(kept_, [this](const auto& kept) { return kept.source.expired() || frame_ - kept.used > kFramesKept; });
}

std::uintptr_t GlPictures::texture_of(const std::shared_ptr<const Pixels>& pixels) {
  if (!pixels || pixels->columns == 0 || pixels->rows == 0) return 0;
  if (const unsigned kept = find_texture(kept_, pixels, frame_)) return kept;
  if (std::max(pixels->columns, pixels->rows) > largest_) return 0;
  kept_.push_back({pixels, upload_pixels(*pixels), frame_});
  return kept_.back().texture;
}

// --- Maps ----------------------------------------------------------------------------------------------------------

/// Colours maps with shaders/map.vert and map.frag into textures. Cells are uploaded once, as floats, and kept while
/// they are in use; so are pictures. Precondition: a GL 3.3 core context is current, also at destruction.
class MapColourTextures {
 public:
  /// Throws InputError if a shader is missing or the driver cannot compile it.
  explicit MapColourTextures(const std::filesystem::path& shaders);
  ~MapColourTextures();
  MapColourTextures(const MapColourTextures&) = delete;
  MapColourTextures& operator=(const MapColourTextures&) = delete;

  /// Frees pictures and cells that were not requested in the last frames.
  void begin_frame();
  /// Returns the name of a texture of window.width × window.height, first row at the top; 0 if the card does not
  /// support its size. Preserves the state of GL.
  std::uintptr_t coloured(const MapWindow& window);

 private:
  using Picture = KeptTexture<MapWindow>;
  unsigned texture_of(const std::shared_ptr<const MapCells>& cells);
  Picture& picture_for(const MapWindow& window);
  void draw(const MapWindow& window, unsigned cells, unsigned target);

  unsigned program_ = 0, vertices_ = 0, framebuffer_ = 0, table_ = 0;
  int largest_ = 0;
  long frame_ = 0;
  TexturesOf<MapCells> cells_;
  std::vector<Picture> pictures_;
};

constexpr long kCellsKept = 240, kPicturesKept = 8;  ///< frames after the last use

/// The GL state changed by drawing a map, restored at the end because maps are drawn within a frame.
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

MapColourTextures::MapColourTextures(const std::filesystem::path& shaders) {
  program_ = build_program(shaders / "map.vert", shaders / "map.frag");
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest_);
  const StateKeeper keeper;
  glGenVertexArrays(1, &vertices_);
  glGenFramebuffers(1, &framebuffer_);
  table_ = new_texture();
}

MapColourTextures::~MapColourTextures() {
  forget(cells_, [](const auto&) { return true; });
  forget(pictures_, [](const auto&) { return true; });
  glDeleteTextures(1, &table_);
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteVertexArrays(1, &vertices_);
  glDeleteProgram(program_);
}

void MapColourTextures::begin_frame() {
  ++frame_;
  forget(pictures_, [this](const Picture& picture) { return frame_ - picture.used > kPicturesKept; });
  forget(cells_, [this](const auto& cells) { return cells.source.expired() || frame_ - cells.used > kCellsKept; });
}

unsigned MapColourTextures::texture_of(const std::shared_ptr<const MapCells>& cells) {
  if (const unsigned kept = find_texture(cells_, cells, frame_)) return kept;
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

/// Returns a texture that is no longer on screen and has the same size, or a new one.
MapColourTextures::Picture& MapColourTextures::picture_for(const MapWindow& window) {
  const auto reusable = [&](const Picture& picture) {
    return picture.used < frame_ - 1 && picture.source.width == window.width && picture.source.height == window.height;
  };
  auto found = std::find_if(pictures_.begin(), pictures_.end(), reusable);
  if (found == pictures_.end()) {
    const unsigned texture = new_texture();
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, window.width, window.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    pictures_.push_back({window, texture, frame_});
    return pictures_.back();
  }
  found->source = window;
  found->used = frame_;
  return *found;
}

std::uintptr_t MapColourTextures::coloured(const MapWindow& window) {
  if (!window.cells || window.width < 1 || window.height < 1) return 0;
  for (Picture& picture : pictures_) {
    if (!(picture.source == window)) continue;
    picture.used = frame_;
    for (auto& cells : cells_) {
      if (cells.source.lock() == window.cells) cells.used = frame_;
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

void MapColourTextures::draw(const MapWindow& window, unsigned cells, unsigned target) {
  const MapPaint& paint = window.paint;
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer_);
  glFramebufferTexture2D(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target, 0);
  glViewport(0, 0, window.width, window.height);
  glUseProgram(program_);
  const auto at = [this](const char* name) { return glGetUniformLocation(program_, name); };
  // Integer cell offsets are passed separately from fractions, because floats are precise near 0.
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

// --- GPU -----------------------------------------------------------------------------------------------------------

/// Returns "3.1 Mesa 22.3.6" or "none", for messages.
Message read_context_version() {
  const GLubyte* version = glGetString(GL_VERSION);
  return version ? verbatim(reinterpret_cast<const char*>(version)) : Message("list.none");
}

void require_version() {
  GLint major = 0, minor = 0;
  glGetIntegerv(GL_MAJOR_VERSION, &major);
  glGetIntegerv(GL_MINOR_VERSION, &minor);
  if (major > 3 || (major == 3 && minor >= kMinMinorVersion)) return;
  throw InputError("gl.version", {{"version", read_context_version()}});
}

class GlGpu : public Gpu {
 public:
  explicit GlGpu(const std::filesystem::path& shaders) {
    require_version();
    maps_ = std::make_unique<MapColourTextures>(shaders);
    pictures_ = std::make_unique<GlPictures>();
    if (!ImGui_ImplOpenGL3_Init(kShaderVersion)) {
      throw InputError("gl.functions", {{"version", read_context_version()}});
    }
  }
  ~GlGpu() override { ImGui_ImplOpenGL3_Shutdown(); }
  GlGpu(const GlGpu&) = delete;
  GlGpu& operator=(const GlGpu&) = delete;

  void begin_frame() override {
    maps_->begin_frame();
    pictures_->begin_frame();
    ImGui_ImplOpenGL3_NewFrame();
  }

  void reload_fonts() override {
    // From 1.92 on the backend updates the atlas automatically.
#if IMGUI_VERSION_NUM < 19200
    ImGui_ImplOpenGL3_NewFrame();  // creates shaders and buffers on the first call
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
#endif
  }

  std::uintptr_t colour_map(const MapWindow& window) override {
    return maps_->coloured(window);
  }

  std::uintptr_t picture(const std::shared_ptr<const Pixels>& pixels) override {
    return pictures_->texture_of(pixels);
  }

  void draw(ImDrawData* data, Colour ground, int width, int height) override {
    glViewport(0, 0, width, height);
    glDisable(GL_SCISSOR_TEST);
    const auto part = [](std::uint8_t value) { return static_cast<float>(value) / 255; };
    glClearColor(part(ground.red), part(ground.green), part(ground.blue), 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(data);
  }

  std::vector<std::uint8_t> read_pixels(int width, int height) override {
    const std::size_t row = static_cast<std::size_t>(width) * 4, rows = static_cast<std::size_t>(height);
    std::vector<std::uint8_t> pixels(row * rows);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    for (std::size_t y = 0; y < rows / 2; ++y) {  // GL's first row is the lowest
      const auto top = pixels.begin() + static_cast<std::ptrdiff_t>(y * row);
      const auto bottom = pixels.begin() + static_cast<std::ptrdiff_t>((rows - 1 - y) * row);
      std::swap_ranges(top, top + static_cast<std::ptrdiff_t>(row), bottom);
    }
    return pixels;
  }

 private:
  std::unique_ptr<MapColourTextures> maps_;
  std::unique_ptr<GlPictures> pictures_;
};

}  // namespace

// --- Framebuffers --------------------------------------------------------------------------------------------------

GlFramebuffer::GlFramebuffer(int width, int height) {
  GLint limit = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
  if (width < 1 || height < 1 || width > limit || height > limit) {
    throw InputError("gl.size", {{"width", width}, {"height", height}, {"most", limit}});
  }
  glGenFramebuffers(1, &framebuffer_);
  glGenRenderbuffers(1, &colour_);
  glBindRenderbuffer(GL_RENDERBUFFER, colour_);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &colour_);
    throw InputError("gl.framebuffer", {{"width", width}, {"height", height}});
  }
}

GlFramebuffer::~GlFramebuffer() {
  glDeleteFramebuffers(1, &framebuffer_);
  glDeleteRenderbuffers(1, &colour_);
}

// --- GPU -----------------------------------------------------------------------------------------------------------

std::unique_ptr<Gpu> make_gl_gpu(const std::filesystem::path& shaders) {
  return std::make_unique<GlGpu>(shaders);
}

}  // namespace ropescope
