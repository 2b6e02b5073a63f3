# How a module, which is a folder of sources, becomes a library.

# What takes longest to parse, where that is more than what a precompiled header costs in return: with nlohmann/json or
# CLI11 in it, units took longer than without. Only headers of the system and of packages: ours would build everything anew when edited.
set(PRECOMPILED <algorithm> <array> <charconv> <cmath> <complex> <cstdint> <filesystem> <functional> <limits> <map>
  <memory> <mutex> <numbers> <numeric> <optional> <set> <span> <sstream> <stop_token> <string> <string_view> <thread>
  <utility> <variant> <vector> <Eigen/Core>)

# precompile(TARGET OWNER [HEADER…]): TARGET shares the precompiled headers of OWNER; where both are the same it makes
# them, of these headers and the given ones. GCC wants the same macros and instructions (-m…) in all that share, and
# optimisation either in all or in none.
function(precompile TARGET OWNER)
  if(NOT ROPESCOPE_PRECOMPILE)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Else no file of another folder is the same for ccache.
    target_compile_options(${TARGET} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  if("${TARGET}" STREQUAL "${OWNER}")
    target_precompile_headers(${TARGET} PRIVATE ${PRECOMPILED} ${ARGN})
  else()
    target_precompile_headers(${TARGET} REUSE_FROM ${OWNER})
  endif()
endfunction()

# Sets RESULT to the target whose precompiled headers a module of this LEVEL shares: core. Two cases need another one: a
# compiler shares them only among targets that are all optimised or all not, and GCC 13 and later want the -m… of -O2 in
# all of them, so that modules with -O1 have their own there.
function(header_owner LEVEL RESULT)
  set(${RESULT} ropescope_core PARENT_SCOPE)
  if(NOT ROPESCOPE_PRECOMPILE OR (NOT LEVEL STREQUAL "-O0" AND (NOT LEVEL STREQUAL "-O1"
      OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR MODULE_SANITIZER
      OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)))
    return()
  endif()
  if(NOT TARGET ropescope_headers_level)
    file(WRITE ${CMAKE_BINARY_DIR}/headers_level.cpp.new "// Only for its precompiled headers.\n")
    file(COPY_FILE ${CMAKE_BINARY_DIR}/headers_level.cpp.new ${CMAKE_BINARY_DIR}/headers_level.cpp ONLY_IF_DIFFERENT)
    add_library(ropescope_headers_level OBJECT ${CMAKE_BINARY_DIR}/headers_level.cpp)
    target_link_libraries(ropescope_headers_level PRIVATE Eigen3::Eigen)
    target_compile_options(ropescope_headers_level PRIVATE ${LEVEL})
    precompile(ropescope_headers_level ropescope_headers_level)
  endif()
  set(${RESULT} ropescope_headers_level PARENT_SCOPE)
endfunction()

# together(TARGET SOURCES): with ROPESCOPE_UNITY, so many sources of TARGET become one unit. Within a module no two sources
# give a name of their own to different things, or a unit of both does not compile.
function(together TARGET SOURCES)
  set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ${ROPESCOPE_UNITY} UNITY_BUILD_BATCH_SIZE ${SOURCES})
endfunction()

# A module is a folder; its sources are found, so adding a file needs no line here. LEVEL: how far a Release build
# optimises it, where that is less than in core, whose loops are what takes time. With the thread sanitizer it is not
# optimised at all, because compiling takes longer there than the few tests. READS: it reads what strangers wrote, so
# that fuzzers follow which of its branches an input takes.
function(module NAME)
  cmake_parse_arguments(MODULE "READS" "LEVEL" "FOLDERS;PATTERNS;LINK;EXCLUDE" ${ARGN})
  if(MODULE_LEVEL AND ROPESCOPE_SANITIZE STREQUAL "thread")
    set(MODULE_LEVEL -O0)
  endif()
  set(SOURCES)
  foreach(FOLDER ${MODULE_FOLDERS})
    file(GLOB FOUND CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${FOLDER}/*.cpp)
    list(APPEND SOURCES ${FOUND})
  endforeach()
  foreach(PATTERN ${MODULE_PATTERNS})
    file(GLOB FOUND CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${PATTERN})
    list(APPEND SOURCES ${FOUND})
  endforeach()
  if(MODULE_EXCLUDE)
    list(FILTER SOURCES EXCLUDE REGEX ${MODULE_EXCLUDE})
  endif()
  # What is asked of the system stands in twins, one for each.
  if(WIN32)
    list(FILTER SOURCES EXCLUDE REGEX "_posix\\.cpp$")
  else()
    list(FILTER SOURCES EXCLUDE REGEX "_windows\\.cpp$")
  endif()
  if(EMSCRIPTEN)
    web_twins(SOURCES)
  endif()
  if(SOURCES)
    add_library(${NAME} STATIC ${SOURCES})
    target_include_directories(${NAME} PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/ropescope>)
    target_link_libraries(${NAME} PUBLIC ${MODULE_LINK})
    if(MODULE_SANITIZER)
      target_compile_options(${NAME} PRIVATE ${MODULE_SANITIZER})
      # There is no JSON in core.
      if(ROPESCOPE_TEST_OBJECTS AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT NAME STREQUAL "ropescope_core")
        target_compile_options(${NAME} PRIVATE "SHELL:-include ${CMAKE_SOURCE_DIR}/tests/sanitize/same_layout.h")
      endif()
      if(ROPESCOPE_FUZZERS AND MODULE_READS)
        target_compile_options(${NAME} PRIVATE ${FUZZER_SEES})
      endif()
    elseif((MODULE_LEVEL STREQUAL "-O0" OR (MODULE_LEVEL AND CMAKE_BUILD_TYPE STREQUAL "Release"))
        AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
      target_compile_options(${NAME} PRIVATE ${MODULE_LEVEL})
    endif()
    header_owner("${MODULE_LEVEL}" OWNER)
    precompile(${NAME} ${OWNER})
    together(${NAME} 4)
  else()
    add_library(${NAME} INTERFACE)
    target_include_directories(${NAME} INTERFACE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${NAME} INTERFACE ${MODULE_LINK})
  endif()
endfunction()
