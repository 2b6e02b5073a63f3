# Packages: `cmake --build build --target package` makes a .deb and a .tar.gz of the program, and with ROPESCOPE_PYTHON a
# .deb of the Python package. Both can be moved: assets are
# found beside the program. Core as a library is no part of them (core/package.cmake).
set(HERE ${CMAKE_CURRENT_LIST_DIR})
install(FILES ${HERE}/ropescope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT program)
install(FILES ${HERE}/ropescope.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages COMPONENT program)
install(FILES ${HERE}/ropescope.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/256x256/apps COMPONENT program)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT program)

# Manual page and completions are what the program says of itself.
if(NOT CMAKE_CROSSCOMPILING AND NOT ROPESCOPE_SANITIZE)
  set(MANUAL ${CMAKE_BINARY_DIR}/manual)
  file(MAKE_DIRECTORY ${MANUAL})
  find_program(GZIP gzip)
  set(PAGE ${MANUAL}/ropescope.1)
  if(GZIP)
    # -n: without the time, so that the same page is the same file.
    set(PACK COMMAND ${GZIP} -9nf ${PAGE})
    set(PAGE ${PAGE}.gz)
  endif()
  set(SAYS ${CMAKE_COMMAND} -E env ROPESCOPE_ASSETS=${CMAKE_SOURCE_DIR}/assets $<TARGET_FILE:ropescope> manual)
  add_custom_command(OUTPUT ${PAGE} ${MANUAL}/ropescope.bash ${MANUAL}/_ropescope ${MANUAL}/ropescope.fish
    COMMAND ${SAYS} --as bash -o ${MANUAL}/ropescope.bash
    COMMAND ${SAYS} --as zsh -o ${MANUAL}/_ropescope
    COMMAND ${SAYS} --as fish -o ${MANUAL}/ropescope.fish
    COMMAND ${SAYS} --as man -o ${MANUAL}/ropescope.1
    ${PACK}
    DEPENDS ropescope ${CMAKE_SOURCE_DIR}/assets/text/en.json ${CMAKE_SOURCE_DIR}/assets/handbook/12-command-line.md VERBATIM)
  add_custom_target(ropescope_manual ALL DEPENDS ${PAGE})
  install(FILES ${PAGE} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${MANUAL}/ropescope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ropescope
    COMPONENT program)
  install(FILES ${MANUAL}/_ropescope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
  install(FILES ${MANUAL}/ropescope.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()

if(ROPESCOPE_NATIVE)
  message(STATUS "ROPESCOPE_NATIVE is on: there is no target package, as it would run on no older processor")
  return()
endif()
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME ropescope)
set(CPACK_PACKAGE_VENDOR "the authors of ropescope")
set(CPACK_PACKAGE_CONTACT "the authors of ropescope <nobody@invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "laboratory for rotary position embeddings")
set(CPACK_PACKAGE_DESCRIPTION "Shows how a model's attention score changes with distance, checks the rotary tables of a port,
and draws every curve as SVG, PDF, PNG or CSV, in a window or from a script.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
# The program only, as one package.
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
# Libraries are found in the program itself; these it loads or reads when it runs.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libegl1, libgl1, libgl1-mesa-dri, fonts-inter, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-noto-cjk, xclip | wl-clipboard")
if(WITH_PYTHON)
  # A package of its own, which finds models and words where the program's has them.
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME ropescope)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-ropescope)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_COMPONENT_PROGRAM_DESCRIPTION ${CPACK_PACKAGE_DESCRIPTION})
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Tables of cos and sin, curves, checks of ports and figures of ropescope in Python: arrays of
NumPy in and out, a fixture for pytest, pictures in notebooks.")
  # The module is for this version of Python alone.
  math(EXPR NEXT_MINOR "${Python_VERSION_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "ropescope (= ${PROJECT_VERSION}), python3-numpy, python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}~), python3 (<< ${Python_VERSION_MAJOR}.${NEXT_MINOR}~)")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pytest, python3-torch, jupyter-notebook")
endif()
set(CPACK_PROJECT_CONFIG_FILE ${HERE}/cpack_config.cmake)
set(CPACK_ROPESCOPE_SOURCE ${CMAKE_SOURCE_DIR})
include(CPack)
