#include "app/gpu/gl_program.h"

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "app/gpu/gl.h"
#include "core/error.h"

namespace ropescope {

namespace {

std::string text_of(const std::filesystem::path& file) {
  // Of anything else than a file on a disc the end might never come.
  std::error_code ignored;
  std::ifstream stream;
  if (std::filesystem::is_regular_file(file, ignored)) stream.open(file, std::ios::binary);
  if (!stream.is_open()) throw InputError("gl.no_shader", {{"file", file.string()}});
  return {std::istreambuf_iterator<char>(stream), {}};
}

GLuint compiled(GLenum kind, const std::filesystem::path& file) {
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

}  // namespace

unsigned build_program(const std::filesystem::path& vertex_file, const std::filesystem::path& fragment_file) {
  const GLuint vertex = compiled(GL_VERTEX_SHADER, vertex_file);
  GLuint fragment = 0;
  try {
    fragment = compiled(GL_FRAGMENT_SHADER, fragment_file);
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

}  // namespace ropescope
