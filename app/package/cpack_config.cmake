# Read by cpack before it packs. The same sources give the same bytes: every file has the time of the last commit, unless
# SOURCE_DATE_EPOCH says another one.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND git -C ${CPACK_ROPESCOPE_SOURCE} log -1 --format=%ct OUTPUT_VARIABLE EPOCH
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EPOCH)
    set(ENV{SOURCE_DATE_EPOCH} ${EPOCH})
  endif()
endif()
# An archive opens into one folder; a .deb has none.
if(CPACK_GENERATOR STREQUAL "TGZ")
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  # The archive is the program: who has Python builds the module for it.
  set(CPACK_COMPONENTS_ALL program)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
endif()
