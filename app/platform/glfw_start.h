#pragma once

namespace ropescope {

/// glfwInit(), with the window system chosen so that where none is there nobody but us says so. False: glfwGetError()
/// tells why.
bool start_glfw();

/// The hints of the context that everything is drawn with: OpenGL 3.3, its core alone.
void ask_for_core_context();

}  // namespace ropescope
