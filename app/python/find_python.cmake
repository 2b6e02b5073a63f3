# find_python(REQUIRED or QUIET): finds Python with its headers, and pybind11. Of several Pythons the first that has NumPy,
# unless Python_EXECUTABLE names one (a virtual environment, scikit-build-core).
macro(find_python HOW)
  if(NOT Python_EXECUTABLE AND NOT SKBUILD)
    foreach(CANDIDATE python3 /usr/bin/python3)
      execute_process(COMMAND ${CANDIDATE} -c "import numpy, sys; print(sys.executable)" OUTPUT_VARIABLE FOUND_PYTHON
        OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE FAILED ERROR_QUIET)
      if(NOT FAILED)
        set(Python_EXECUTABLE ${FOUND_PYTHON})
        break()
      endif()
    endforeach()
  endif()
  find_package(Python 3.8 ${HOW} COMPONENTS Interpreter Development.Module)
  set(PYBIND11_FINDPYTHON ON)
  if(Python_FOUND)
    find_package(pybind11 2.10 ${HOW} CONFIG)
  endif()
endmacro()
