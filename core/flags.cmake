# Sources of core that are compiled in a way of their own, and why.

# The inner loops of the similarity kernel and of products, one file per kind of processor; which one runs is chosen at
# run time.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  set_source_files_properties(core/decay/kernel_portable.cpp PROPERTIES COMPILE_OPTIONS -fno-math-errno
    SKIP_PRECOMPILE_HEADERS ON)
  # No exception flag of a comparison is ever read: else no loop with one is computed several numbers at a time.
  set_source_files_properties(core/encodings/sinusoid.cpp PROPERTIES COMPILE_OPTIONS -fno-trapping-math
    SKIP_PRECOMPILE_HEADERS ON)
  # Its error terms are those of separate products and sums.
  set_source_files_properties(core/rotary/rotary_tables.cpp PROPERTIES
    COMPILE_OPTIONS "-O3;-ffp-contract=off;-fno-trapping-math;-fno-math-errno" SKIP_PRECOMPILE_HEADERS ON
    SKIP_UNITY_BUILD_INCLUSION ON)
  set_source_files_properties(core/training/elementwise.cpp PROPERTIES
    COMPILE_OPTIONS "-fno-trapping-math;-fno-math-errno;-ffp-contract=off" SKIP_PRECOMPILE_HEADERS ON)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND NOT CMAKE_OSX_ARCHITECTURES)
    set_source_files_properties(core/decay/kernel_avx512.cpp core/matrix_products/product_avx512.cpp PROPERTIES COMPILE_OPTIONS "-mavx512f;-mfma"
      SKIP_PRECOMPILE_HEADERS ON)
    set_source_files_properties(core/decay/kernel_avx2.cpp core/matrix_products/product_avx2.cpp PROPERTIES COMPILE_OPTIONS "-mavx2;-mfma"
      SKIP_PRECOMPILE_HEADERS ON)
  endif()
endif()
# They take names from a namespace of settings, which then hold for all of a unit: each is a unit of its own.
set_source_files_properties(core/encodings/encoding.cpp core/encodings/rotations.cpp core/encodings/biases.cpp
  core/encodings/tables.cpp core/layouts/layout.cpp core/layouts/parts.cpp core/layouts/images.cpp core/layouts/videos.cpp
  core/layouts/vision.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
# The same GCC bug, in Eigen's products of float matrices.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  set_source_files_properties(core/encodings/matrix.cpp core/attention/attention.cpp
    PROPERTIES COMPILE_OPTIONS -Wno-uninitialized)
endif()
# A fused multiply-add rounds once where a policy of core/precision says twice.
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  file(GLOB PRECISION CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/precision/*.cpp)
  set_source_files_properties(${PRECISION} PROPERTIES COMPILE_OPTIONS -ffp-contract=off
    SKIP_PRECOMPILE_HEADERS ON)
endif()
