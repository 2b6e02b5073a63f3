# Core as a package for other programs: find_package(ropescope) gives ropescope::core and ropescope::formats. What is
# public stands in core/public_headers.txt.
include(CMakePackageConfigHelpers)
set(PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/ropescope)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/public_headers.txt PUBLIC_HEADERS REGEX "^core/")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/public_headers.txt)
# In a folder of their own, as they are included by their whole path, "core/check/check.h".
foreach(HEADER ${PUBLIC_HEADERS})
  get_filename_component(FOLDER ${HEADER} DIRECTORY)
  install(FILES ${HEADER} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ropescope/${FOLDER} COMPONENT library)
endforeach()
foreach(NAME core formats)
  set_target_properties(ropescope_${NAME} PROPERTIES EXPORT_NAME ${NAME})
  target_compile_features(ropescope_${NAME} PUBLIC cxx_std_20)
  install(TARGETS ropescope_${NAME} EXPORT ropescope_${NAME} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
  # One file each: who wants core alone needs neither libzip nor pkg-config.
  install(EXPORT ropescope_${NAME} NAMESPACE ropescope:: FILE ropescope-${NAME}.cmake DESTINATION ${PACKAGE_FOLDER}
    COMPONENT library)
endforeach()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/ropescope-config.cmake.in ${CMAKE_BINARY_DIR}/ropescope-config.cmake
  INSTALL_DESTINATION ${PACKAGE_FOLDER} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a second number that differs may be another interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ropescope-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ropescope-config.cmake ${CMAKE_BINARY_DIR}/ropescope-config-version.cmake
  DESTINATION ${PACKAGE_FOLDER} COMPONENT library)
