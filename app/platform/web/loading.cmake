# cmake -DFROM=page.js -DTEXT=assets/text -DFOLDER=… -P loading.cmake: page.js with the texts that are shown while the
# program is loaded, of each language, and with the sizes of what is loaded.
file(READ ${FROM} PAGE)
foreach(LANGUAGE en ja ko)
  file(READ ${TEXT}/${LANGUAGE}.json WORDS)
  string(JSON WORDS GET "${WORDS}" loading)
  string(REPLACE "@LOADING_${LANGUAGE}@" "${WORDS}" PAGE "${PAGE}")
endforeach()
foreach(KIND js wasm data)
  file(SIZE ${FOLDER}/ropescope.${KIND} SIZE)
  string(TOUPPER ${KIND} NAME)
  string(REPLACE "@SIZE_${NAME}@" "${SIZE}" PAGE "${PAGE}")
endforeach()
file(WRITE ${FOLDER}/page.js "${PAGE}")
