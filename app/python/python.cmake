# The Python package: its modules of these sources and of the modules below the window, and the Python files beside them.
# In the build folder it stands ready to be imported: PYTHONPATH=build/python.
#   ROPESCOPE_PYTHON_FOLDER   where it is installed, below the prefix
include(${CMAKE_CURRENT_LIST_DIR}/find_python.cmake)
find_python(REQUIRED)
set(HERE ${CMAKE_CURRENT_LIST_DIR})
set(PACKAGE ${CMAKE_BINARY_DIR}/python/ropescope)

# python_module(TARGET NAME SOURCE…): an extension of the package. What it does not use of our modules it does not link, nor
# their libraries.
function(python_module TARGET NAME)
  pybind11_add_module(${TARGET} MODULE NO_EXTRAS ${ARGN})
  target_link_libraries(${TARGET} PRIVATE ropescope_binding ropescope_views)
  set_target_properties(${TARGET} PROPERTIES OUTPUT_NAME ${NAME} LIBRARY_OUTPUT_DIRECTORY ${PACKAGE} UNITY_BUILD OFF)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    # The symbols of our static libraries are hidden from other modules.
    target_link_options(${TARGET} PRIVATE -Wl,--exclude-libs,ALL -Wl,--as-needed)
  endif()
endfunction()

add_library(ropescope_binding STATIC ${HERE}/binding.cpp ${HERE}/ropes.cpp ${HERE}/rope_values.cpp ${HERE}/rope_limits.cpp)
target_link_libraries(ropescope_binding PUBLIC ropescope_views pybind11::module)
set_target_properties(ropescope_binding PROPERTIES UNITY_BUILD OFF)
# The numbers of app/figure alone: as a part of its library, they would come with what draws.
python_module(ropescope_python _core ${HERE}/core_module.cpp ${HERE}/encodings.cpp ${HERE}/judged.cpp ${HERE}/weights.cpp
  ${CMAKE_SOURCE_DIR}/app/figure/figure.cpp)
python_module(ropescope_python_figures _figures ${HERE}/figures_module.cpp ${HERE}/figures.cpp ${HERE}/plots.cpp ${HERE}/sweeps.cpp)
add_dependencies(ropescope_python ropescope_python_figures)
target_compile_definitions(ropescope_python PRIVATE ROPESCOPE_VERSION="${PROJECT_VERSION}")
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  # Nothing here takes long: it asks core.
  foreach(TARGET ropescope_binding ropescope_python ropescope_python_figures)
    target_compile_options(${TARGET} PRIVATE -O1)
  endforeach()
endif()

# Linked, so that an edit needs no build; the helper of dumps is the one that is given to other programs.
set(PYTHON_FILES __init__.py __init__.pyi py.typed configs.py dump.py plots.py program.py recording.py reports.py
  pytest_plugin.py)
file(MAKE_DIRECTORY ${PACKAGE})
foreach(FILE ${PYTHON_FILES})
  file(CREATE_LINK ${HERE}/ropescope/${FILE} ${PACKAGE}/${FILE} COPY_ON_ERROR SYMBOLIC)
endforeach()
set(DUMP ${CMAKE_SOURCE_DIR}/assets/dump/ropescope_dump.py)
file(CREATE_LINK ${DUMP} ${PACKAGE}/_dump.py COPY_ON_ERROR SYMBOLIC)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/assets ${PACKAGE}/assets COPY_ON_ERROR SYMBOLIC)

if(SKBUILD)
  # A wheel contains what is required and not a part of every system with Python, including the program (program.py runs it).
  # The path is the one that a bundled library's own needs are looked for in, too: not DT_RUNPATH, which is not.
  foreach(TARGET ropescope_python ropescope_python_figures)
    set_target_properties(${TARGET} PROPERTIES INSTALL_RPATH "$ORIGIN/libs")
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
      target_link_options(${TARGET} PRIVATE -Wl,--disable-new-dtags)
    endif()
  endforeach()
  set(CORE_MODULE $<TARGET_FILE:ropescope_python>)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/bundle.cmake CONTENT "set(CORE_MODULE ${CORE_MODULE})\ninclude(${HERE}/bundle.cmake)\n")
  install(SCRIPT ${CMAKE_BINARY_DIR}/bundle.cmake COMPONENT python)
  set(FOLDER ropescope)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/assets ${CMAKE_SOURCE_DIR}/shaders DESTINATION ropescope COMPONENT python
    PATTERN assets/pictures EXCLUDE PATTERN "*.mjs" EXCLUDE PATTERN "make.sh" EXCLUDE PATTERN "make.py" EXCLUDE)
elseif(EXISTS /etc/debian_version)
  set(FOLDER lib/python3/dist-packages/ropescope)
else()
  set(FOLDER ${CMAKE_INSTALL_LIBDIR}/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages/ropescope)
endif()
set(ROPESCOPE_PYTHON_FOLDER ${FOLDER} CACHE STRING "Where the Python package is installed, below the prefix")
if(SKBUILD)
  set(ROPESCOPE_PYTHON_FOLDER ${FOLDER})  # whatever an earlier configuration of this folder chose
endif()
install(TARGETS ropescope_python ropescope_python_figures LIBRARY DESTINATION ${ROPESCOPE_PYTHON_FOLDER} COMPONENT python)
list(TRANSFORM PYTHON_FILES PREPEND ${HERE}/ropescope/)
install(FILES ${PYTHON_FILES} DESTINATION ${ROPESCOPE_PYTHON_FOLDER} COMPONENT python)
install(FILES ${DUMP} DESTINATION ${ROPESCOPE_PYTHON_FOLDER} RENAME _dump.py COMPONENT python)
if(NOT SKBUILD)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-ropescope RENAME copyright
    COMPONENT python)
endif()
