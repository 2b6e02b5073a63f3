# The Python package: the module ropescope._core of these sources and the rooms below the window, and the Python files
# beside it. In the build folder it stands ready to be imported: PYTHONPATH=build/python.
#   ROPESCOPE_PYTHON_FOLDER   where it is installed, below the prefix
include(${CMAKE_CURRENT_LIST_DIR}/find_python.cmake)
find_python(REQUIRED)
set(HERE ${CMAKE_CURRENT_LIST_DIR})
pybind11_add_module(ropescope_python MODULE NO_EXTRAS ${HERE}/binding.cpp ${HERE}/ropes.cpp ${HERE}/judged.cpp ${HERE}/figures.cpp)
target_link_libraries(ropescope_python PRIVATE ropescope_views)
set(PACKAGE ${CMAKE_BINARY_DIR}/python/ropescope)
set_target_properties(ropescope_python PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY ${PACKAGE} UNITY_BUILD OFF)
if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  # Nothing here takes long: it asks core.
  target_compile_options(ropescope_python PRIVATE -O1)
endif()
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  # What libraries of ours hold is no other module's.
  target_link_options(ropescope_python PRIVATE -Wl,--exclude-libs,ALL)
endif()

# Linked, so that an edit needs no build; the helper of dumps is the one that is given to other programs.
set(PYTHON_FILES __init__.py __init__.pyi py.typed recording.py pytest_plugin.py)
file(MAKE_DIRECTORY ${PACKAGE})
foreach(FILE ${PYTHON_FILES})
  file(CREATE_LINK ${HERE}/ropescope/${FILE} ${PACKAGE}/${FILE} COPY_ON_ERROR SYMBOLIC)
endforeach()
set(DUMP ${CMAKE_SOURCE_DIR}/assets/dump/ropescope_dump.py)
file(CREATE_LINK ${DUMP} ${PACKAGE}/_dump.py COPY_ON_ERROR SYMBOLIC)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/assets ${PACKAGE}/assets COPY_ON_ERROR SYMBOLIC)

if(SKBUILD)
  # A wheel holds all that is needed, and no program beside it.
  set(FOLDER ropescope)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/assets DESTINATION ropescope COMPONENT python
    PATTERN assets/pictures EXCLUDE PATTERN "*.mjs" EXCLUDE PATTERN "make.sh" EXCLUDE)
elseif(EXISTS /etc/debian_version)
  set(FOLDER lib/python3/dist-packages/ropescope)
else()
  set(FOLDER ${CMAKE_INSTALL_LIBDIR}/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/site-packages/ropescope)
endif()
set(ROPESCOPE_PYTHON_FOLDER ${FOLDER} CACHE STRING "Where the Python package is installed, below the prefix")
install(TARGETS ropescope_python LIBRARY DESTINATION ${ROPESCOPE_PYTHON_FOLDER} COMPONENT python)
list(TRANSFORM PYTHON_FILES PREPEND ${HERE}/ropescope/)
install(FILES ${PYTHON_FILES} DESTINATION ${ROPESCOPE_PYTHON_FOLDER} COMPONENT python)
install(FILES ${DUMP} DESTINATION ${ROPESCOPE_PYTHON_FOLDER} RENAME _dump.py COMPONENT python)
if(NOT SKBUILD)
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-ropescope RENAME copyright
    COMPONENT python)
endif()
