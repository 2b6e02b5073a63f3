# What the page is compiled with: emscripten of Debian 12 (3.1.6), headers of the system, and sources of packages
# (ROPESCOPE_WEB_PACKAGES: a folder with a folder of each, as .ci/web_packages.sh fetches them). Libraries that the page
# goes without are targets of nothing; who calls them has a twin in app/platform/web/twins.

set(ROPESCOPE_WEB_PACKAGES ${CMAKE_BINARY_DIR}/packages CACHE PATH "Sources of the packages that the page is compiled with")
foreach(PACKAGE imgui freetype libzip md4c muparser qrencode zlib)
  file(GLOB FOUND LIST_DIRECTORIES true ${ROPESCOPE_WEB_PACKAGES}/${PACKAGE}-[0-9r]*)
  if(NOT FOUND)
    message(FATAL_ERROR "No sources of ${PACKAGE} in ${ROPESCOPE_WEB_PACKAGES}: .ci/web_packages.sh fetches them")
  endif()
  list(GET FOUND 0 WEB_${PACKAGE})
endforeach()

set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_compile_options(-fwasm-exceptions)
add_link_options(-fwasm-exceptions)
# What the library of C++ lacks comes before it; of the system's headers only these: others are of another machine.
include_directories(BEFORE SYSTEM ${CMAKE_SOURCE_DIR}/app/platform/web/std)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/headers)
find_path(EIGEN_HEADERS Eigen/Core PATHS /usr/include/eigen3 REQUIRED NO_CMAKE_FIND_ROOT_PATH)
find_path(NLOHMANN_HEADERS nlohmann/json.hpp PATHS /usr/include REQUIRED NO_CMAKE_FIND_ROOT_PATH)
file(CREATE_LINK ${EIGEN_HEADERS}/Eigen ${CMAKE_BINARY_DIR}/headers/Eigen SYMBOLIC)
file(CREATE_LINK ${EIGEN_HEADERS}/unsupported ${CMAKE_BINARY_DIR}/headers/unsupported SYMBOLIC)
file(CREATE_LINK ${NLOHMANN_HEADERS}/nlohmann ${CMAKE_BINARY_DIR}/headers/nlohmann SYMBOLIC)

# absent(TARGET…): libraries that the page goes without.
function(absent)
  foreach(NAME ${ARGN})
    add_library(${NAME} INTERFACE IMPORTED GLOBAL)
  endforeach()
endfunction()
absent(Threads::Threads Eigen3::Eigen nlohmann_json::nlohmann_json PkgConfig::PAGE PkgConfig::RSVG
  PkgConfig::ICU PkgConfig::JPEG PkgConfig::DUKTAPE PkgConfig::FONTCONFIG GIF::GIF OpenGL::OpenGL)
target_include_directories(Eigen3::Eigen INTERFACE ${CMAKE_BINARY_DIR}/headers)
target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${CMAKE_BINARY_DIR}/headers)
target_include_directories(PkgConfig::PAGE INTERFACE ${CMAKE_SOURCE_DIR}/app/platform/web/absent)

# FreeType with what fonts of TrueType and OpenType need.
set(PARTS base/ftsystem base/ftinit base/ftdebug base/ftbase base/ftbbox base/ftglyph base/ftbitmap base/ftmm base/ftsynth
  base/ftstroke autofit/autofit truetype/truetype cff/cff psaux/psaux pshinter/pshinter psnames/psnames sfnt/sfnt
  smooth/smooth)
list(TRANSFORM PARTS PREPEND ${WEB_freetype}/src/)
list(TRANSFORM PARTS APPEND .c)
file(WRITE ${CMAKE_BINARY_DIR}/freetype/web_modules.h.new "FT_USE_MODULE( FT_Module_Class, autofit_module_class )
FT_USE_MODULE( FT_Driver_ClassRec, tt_driver_class )
FT_USE_MODULE( FT_Driver_ClassRec, cff_driver_class )
FT_USE_MODULE( FT_Module_Class, psaux_module_class )
FT_USE_MODULE( FT_Module_Class, psnames_module_class )
FT_USE_MODULE( FT_Module_Class, pshinter_module_class )
FT_USE_MODULE( FT_Module_Class, sfnt_module_class )
FT_USE_MODULE( FT_Renderer_Class, ft_smooth_renderer_class )
")
# Its own options but for what is packed: no font here is.
file(READ ${WEB_freetype}/include/freetype/config/ftoption.h OPTIONS)
string(REGEX REPLACE "#define *FT_CONFIG_OPTION_USE_(ZLIB|LZW)" "/* not \\1 */" OPTIONS "${OPTIONS}")
file(WRITE ${CMAKE_BINARY_DIR}/freetype/web_options.h.new "${OPTIONS}")
foreach(HEADER web_modules.h web_options.h)
  file(COPY_FILE ${CMAKE_BINARY_DIR}/freetype/${HEADER}.new ${CMAKE_BINARY_DIR}/freetype/${HEADER} ONLY_IF_DIFFERENT)
endforeach()
add_library(web_freetype STATIC ${PARTS})
target_include_directories(web_freetype PUBLIC ${WEB_freetype}/include PRIVATE ${CMAKE_BINARY_DIR}/freetype)
target_compile_definitions(web_freetype PRIVATE FT2_BUILD_LIBRARY "FT_CONFIG_MODULES_H=<web_modules.h>"
  "FT_CONFIG_OPTIONS_H=<web_options.h>")
target_compile_options(web_freetype PRIVATE -w)
add_library(Freetype::Freetype ALIAS web_freetype)
target_include_directories(PkgConfig::RSVG INTERFACE ${WEB_freetype}/include)

add_library(web_md4c STATIC ${WEB_md4c}/src/md4c.c)
target_include_directories(web_md4c PUBLIC ${WEB_md4c}/src)
add_library(PkgConfig::MD4C ALIAS web_md4c)

set(PARTS muParser muParserBase muParserBytecode muParserCallback muParserError muParserTokenReader)
list(TRANSFORM PARTS PREPEND ${WEB_muparser}/src/)
list(TRANSFORM PARTS APPEND .cpp)
add_library(web_muparser STATIC ${PARTS})
target_include_directories(web_muparser SYSTEM PUBLIC ${WEB_muparser}/include)
target_compile_definitions(web_muparser PUBLIC MUPARSER_STATIC)
target_compile_options(web_muparser PRIVATE -w)
add_library(PkgConfig::MUPARSER ALIAS web_muparser)

set(PARTS adler32 compress crc32 deflate inffast inflate inftrees trees uncompr zutil)
list(TRANSFORM PARTS PREPEND ${WEB_zlib}/)
list(TRANSFORM PARTS APPEND .c)
add_library(web_zlib STATIC ${PARTS})
target_include_directories(web_zlib PUBLIC ${WEB_zlib})
target_compile_options(web_zlib PRIVATE -w)
add_library(PkgConfig::ZLIB ALIAS web_zlib)

# libzip without encryption, other packers than zlib, and texts for errors, which are ours.
function(web_libzip)
  set(libzip_VERSION 1.7.3)
  set(LIBZIP_TYPES_INCLUDE "#include <stdint.h>")
  foreach(BITS 8 16 32 64)
    set(ZIP_INT${BITS}_T int${BITS}_t)
    set(ZIP_UINT${BITS}_T uint${BITS}_t)
  endforeach()
  foreach(PART FILENO FSEEKO FTELLO LOCALTIME_R MKSTEMP SNPRINTF STRCASECMP STRDUP STRTOLL STRTOULL STDBOOL_H STRINGS_H
      UNISTD_H DIRENT_H)
    set(HAVE_${PART} 1)
  endforeach()
  set(SIZEOF_OFF_T 8)
  set(SIZEOF_SIZE_T 4)
  foreach(NAME config zipconf)
    configure_file(${WEB_libzip}/cmake-${NAME}.h.in ${CMAKE_BINARY_DIR}/libzip/${NAME}.h)
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/libzip/texts.c CONTENT "const char* const _zip_err_str[] = {\"\"};
const int _zip_nerr_str = 0, _zip_err_type[] = {0};
")
  file(GLOB PARTS ${WEB_libzip}/lib/*.c)
  list(FILTER PARTS EXCLUDE REGEX "win32|uwp|zip_crypto_|bzip2|_xz|winzip_aes")
  add_library(web_libzip STATIC ${PARTS} ${CMAKE_BINARY_DIR}/libzip/texts.c)
  target_include_directories(web_libzip PUBLIC ${WEB_libzip}/lib ${CMAKE_BINARY_DIR}/libzip)
  target_compile_definitions(web_libzip PRIVATE HAVE_CONFIG_H)
  target_compile_options(web_libzip PRIVATE -w)
  target_link_libraries(web_libzip PRIVATE web_zlib)
endfunction()
web_libzip()
add_library(PkgConfig::ZIP ALIAS web_libzip)

set(PARTS bitstream mask mmask mqrspec qrencode qrinput qrspec rsecc split)
list(TRANSFORM PARTS PREPEND ${WEB_qrencode}/)
list(TRANSFORM PARTS APPEND .c)
add_library(web_qrencode STATIC ${PARTS})
target_include_directories(web_qrencode PUBLIC ${WEB_qrencode})
target_compile_definitions(web_qrencode PRIVATE MAJOR_VERSION=4 MINOR_VERSION=1 MICRO_VERSION=1 VERSION="4.1.1"
  STATIC_IN_RELEASE=static)
target_compile_options(web_qrencode PRIVATE -w)
add_library(PkgConfig::QRENCODE ALIAS web_qrencode)

add_library(ropescope_imgui STATIC ${WEB_imgui}/imgui.cpp ${WEB_imgui}/imgui_draw.cpp ${WEB_imgui}/imgui_tables.cpp
  ${WEB_imgui}/imgui_widgets.cpp ${WEB_imgui}/misc/freetype/imgui_freetype.cpp
  ${WEB_imgui}/backends/imgui_impl_opengl3.cpp)
target_include_directories(ropescope_imgui SYSTEM PUBLIC ${WEB_imgui} ${WEB_imgui}/backends ${WEB_imgui}/misc/freetype)
# WebGL 2 has no base vertex, without which indices of 16 bits reach 65 536 vertices: a large screen has more.
target_compile_definitions(ropescope_imgui PUBLIC IMGUI_ENABLE_FREETYPE "ImDrawIdx=unsigned int")
target_compile_options(ropescope_imgui PRIVATE -w)
target_link_libraries(ropescope_imgui PUBLIC Freetype::Freetype)
# What it asks the browser for in every frame, page.cpp answers.
set_source_files_properties(${WEB_imgui}/backends/imgui_impl_opengl3.cpp PROPERTIES COMPILE_DEFINITIONS
  glGetIntegerv=page_get_integer)

# web_twins(LIST): sources of which app/platform/web/twins has one of the same path are that one.
function(web_twins LIST)
  set(FOUND)
  foreach(SOURCE ${${LIST}})
    file(RELATIVE_PATH PLACE ${CMAKE_SOURCE_DIR} ${SOURCE})
    if(EXISTS ${CMAKE_SOURCE_DIR}/app/platform/web/twins/${PLACE})
      set(SOURCE ${CMAKE_SOURCE_DIR}/app/platform/web/twins/${PLACE})
    endif()
    list(APPEND FOUND ${SOURCE})
  endforeach()
  set(${LIST} ${FOUND} PARENT_SCOPE)
endfunction()
