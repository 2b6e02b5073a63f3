# The target ropescope_imgui: Dear ImGui with its GLFW, OpenGL 3 and FreeType parts. Taken from the folder of its sources
# that FETCHCONTENT_SOURCE_DIR_IMGUI names, else from the system (pkg-config), else from an installed CMake package, else
# fetched at a pinned commit. Its headers count as system headers: no warnings.
if(NOT FETCHCONTENT_SOURCE_DIR_IMGUI)
  pkg_check_modules(IMGUI QUIET IMPORTED_TARGET imgui)
  if(NOT IMGUI_FOUND)
    find_package(imgui CONFIG QUIET)
  endif()
endif()

if(NOT FETCHCONTENT_SOURCE_DIR_IMGUI AND (IMGUI_FOUND OR TARGET imgui::imgui))
  add_library(ropescope_imgui INTERFACE)
  if(IMGUI_FOUND)
    target_link_libraries(ropescope_imgui INTERFACE PkgConfig::IMGUI)
    # Packages keep the backends' headers in a folder of their own.
    foreach(FOLDER ${IMGUI_INCLUDE_DIRS})
      if(EXISTS ${FOLDER}/backends)
        target_include_directories(ropescope_imgui SYSTEM INTERFACE ${FOLDER}/backends)
      endif()
    endforeach()
  else()
    target_link_libraries(ropescope_imgui INTERFACE imgui::imgui)
  endif()
  # A static libimgui needs these, and not every package says so.
  target_link_libraries(ropescope_imgui INTERFACE Freetype::Freetype ${CMAKE_DL_LIBS})
else()
  include(FetchContent)
  # The tag v1.91.9b by its hash: a tag can be moved. (A shallow clone knows no hash.)
  FetchContent_Declare(imgui GIT_REPOSITORY https://github.com/ocornut/imgui.git
    GIT_TAG f5befd2d29e66809cd1110a152e375a7f1981f06)
  FetchContent_MakeAvailable(imgui)
  add_library(ropescope_imgui STATIC
    ${imgui_SOURCE_DIR}/imgui.cpp ${imgui_SOURCE_DIR}/imgui_draw.cpp ${imgui_SOURCE_DIR}/imgui_tables.cpp
    ${imgui_SOURCE_DIR}/imgui_widgets.cpp ${imgui_SOURCE_DIR}/misc/freetype/imgui_freetype.cpp
    ${imgui_SOURCE_DIR}/misc/cpp/imgui_stdlib.cpp
    ${imgui_SOURCE_DIR}/backends/imgui_impl_glfw.cpp ${imgui_SOURCE_DIR}/backends/imgui_impl_opengl3.cpp)
  target_include_directories(ropescope_imgui SYSTEM PUBLIC
    ${imgui_SOURCE_DIR} ${imgui_SOURCE_DIR}/backends ${imgui_SOURCE_DIR}/misc/freetype ${imgui_SOURCE_DIR}/misc/cpp)
  target_compile_definitions(ropescope_imgui PUBLIC IMGUI_ENABLE_FREETYPE)
  target_compile_options(ropescope_imgui PRIVATE -w)
  target_link_libraries(ropescope_imgui PUBLIC Freetype::Freetype glfw ${CMAKE_DL_LIBS})
endif()
