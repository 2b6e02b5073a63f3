# What ROPESCOPE_SANITIZE asks for: MODULE_SANITIZER are the flags of our modules, FUZZER_SEES those with which fuzzers follow
# the branches of a module that reads.
if(ROPESCOPE_SANITIZE STREQUAL "address")
  # Of the modules, with assertions and at -O1, whatever a Release build says: the tests may then be those of a plain build.
  # Eigen would allocate in another way where it is sanitized.
  set(MODULE_SANITIZER -O1 -g1 -UNDEBUG -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
    -DEIGEN_MALLOC_ALREADY_ALIGNED=1 -Wno-error)
  add_link_options(-fsanitize=address,undefined)
  add_library(ropescope_keep_libraries OBJECT tests/sanitize/keep_libraries.cpp)
  link_libraries(ropescope_keep_libraries)
elseif(ROPESCOPE_SANITIZE STREQUAL "undefined")
  # Undefined behaviour ends the program without a word, bounds of the standard library are asserted: several times as
  # fast as with address, which then judges what such a fuzzer has found (tests/fuzz/run.sh).
  set(MODULE_SANITIZER -O2 -g1 -UNDEBUG -D_GLIBCXX_ASSERTIONS -fsanitize=undefined -fsanitize-trap=undefined
    -DEIGEN_MALLOC_ALREADY_ALIGNED=1 -Wno-error)
elseif(ROPESCOPE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(ROPESCOPE_SANITIZE)
  message(FATAL_ERROR "ROPESCOPE_SANITIZE is ${ROPESCOPE_SANITIZE}; expected OFF, address, undefined or thread")
endif()
if(ROPESCOPE_FUZZERS AND NOT (ROPESCOPE_SANITIZE MATCHES "^(address|undefined)$" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
  message(FATAL_ERROR "ROPESCOPE_FUZZERS needs clang and ROPESCOPE_SANITIZE=address or undefined")
endif()
# What -fsanitize=fuzzer-no-link adds, by other names: modules with it and without share a precompiled header.
set(FUZZER_SEES -fsanitize-coverage=inline-8bit-counters,pc-table,trace-cmp,indirect-calls)
