# The program as a page: ropescope.js, ropescope.wasm and ropescope.data (its files) beside index.html and page.js.

find_program(PYTHON3 python3 REQUIRED)
set(FILES ${CMAKE_BINARY_DIR}/files)
file(GLOB_RECURSE WEB_ASSETS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/assets/text/* ${CMAKE_SOURCE_DIR}/assets/lessons/*
  ${CMAKE_SOURCE_DIR}/assets/models/* ${CMAKE_SOURCE_DIR}/assets/handbook/* ${CMAKE_SOURCE_DIR}/assets/formulas/*.svg
  ${CMAKE_SOURCE_DIR}/assets/formulas/*.json ${CMAKE_SOURCE_DIR}/shaders/* ${CMAKE_SOURCE_DIR}/app/ui/drawing/fonts.cpp)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/files.stamp
  COMMAND ${PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/make_files.py ${CMAKE_SOURCE_DIR} ${FILES}
  COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/files.stamp
  DEPENDS ${CMAKE_CURRENT_LIST_DIR}/make_files.py ${WEB_ASSETS})
add_custom_target(web_files DEPENDS ${CMAKE_BINARY_DIR}/files.stamp)

add_executable(ropescope app/platform/web/page.cpp app/platform/web/charconv.cpp app/platform/web/system.cpp)
target_link_libraries(ropescope PRIVATE ropescope_ui)
add_dependencies(ropescope web_files)
set_target_properties(ropescope PROPERTIES LINK_DEPENDS ${CMAKE_BINARY_DIR}/files.stamp)
target_link_options(ropescope PRIVATE -O2 -sMODULARIZE=1 -sEXPORT_NAME=Ropescope -sENVIRONMENT=web -sMIN_WEBGL_VERSION=2
  -sMAX_WEBGL_VERSION=2 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sFORCE_FILESYSTEM=1 -lidbfs.js
  -sEXPORTED_RUNTIME_METHODS=ccall,FS,IDBFS,ENV,addRunDependency,removeRunDependency -sEXIT_RUNTIME=0
  "SHELL:--preload-file ${FILES}@/")
# The files that the worker keeps for visits without a network.
set(KEPT index.html page.css page.js manifest.webmanifest icon.png ropescope.js ropescope.wasm ropescope.data)
foreach(FILE page.css manifest.webmanifest icon-512.png preview.png)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${FILE} ${CMAKE_BINARY_DIR}/${FILE} COPYONLY)
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/app/package/ropescope.png ${CMAKE_BINARY_DIR}/icon.png COPYONLY)
# Previews of a link require the complete address of the picture.
set(PAGE_ADDRESS "" CACHE STRING "Address of the published page, with the slash at its end")
set(PAGE_URL "")
if(PAGE_ADDRESS)
  set(PAGE_URL "<meta property=\"og:url\" content=\"${PAGE_ADDRESS}\">\n")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/index.html ${CMAKE_BINARY_DIR}/index.html @ONLY)
# page.js says what is being loaded before the program with its texts is there: it gets these few, and the sizes of files.
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/page.js
  COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_LIST_DIR}/page.js -DTEXT=${CMAKE_SOURCE_DIR}/assets/text
    -DFOLDER=${CMAKE_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_DIR}/loading.cmake
  DEPENDS ropescope ${CMAKE_CURRENT_LIST_DIR}/page.js ${CMAKE_CURRENT_LIST_DIR}/loading.cmake
    ${CMAKE_SOURCE_DIR}/assets/text/en.json ${CMAKE_SOURCE_DIR}/assets/text/ja.json ${CMAKE_SOURCE_DIR}/assets/text/ko.json)
set(INPUTS ${KEPT})
list(FILTER INPUTS EXCLUDE REGEX "^ropescope")
list(TRANSFORM INPUTS PREPEND ${CMAKE_BINARY_DIR}/)
list(JOIN KEPT "," KEPT_WITH_COMMAS)
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/worker.js
  COMMAND ${CMAKE_COMMAND} -DFROM=${CMAKE_CURRENT_LIST_DIR}/worker.js -DFILES=${KEPT_WITH_COMMAS}
    -DFOLDER=${CMAKE_BINARY_DIR} -P ${CMAKE_CURRENT_LIST_DIR}/version.cmake
  DEPENDS ropescope ${INPUTS} ${CMAKE_CURRENT_LIST_DIR}/worker.js ${CMAKE_CURRENT_LIST_DIR}/version.cmake)
add_custom_target(page ALL DEPENDS ${CMAKE_BINARY_DIR}/worker.js)
# A folder that any host of files serves.
set(BESIDE ${KEPT} worker.js icon-512.png preview.png)
list(TRANSFORM BESIDE PREPEND ${CMAKE_BINARY_DIR}/)
install(FILES ${BESIDE} DESTINATION .)
