# cmake -DFROM=worker.js -DFILES=a,b -DFOLDER=… -P version.cmake: the worker with the files that it keeps, in a cache that
# is named after their contents.
set(SUMS)
string(REPLACE "," ";" KEPT "${FILES}")
foreach(FILE IN LISTS KEPT)
  file(SHA256 ${FOLDER}/${FILE} SUM)
  string(APPEND SUMS ${SUM})
endforeach()
string(SHA256 SUM "${SUMS}")
string(SUBSTRING ${SUM} 0 16 SUM)
file(READ ${FROM} TEXT)
string(REPLACE "VERSION" "${SUM}" TEXT "${TEXT}")
string(REPLACE "FILES" "${FILES}" TEXT "${TEXT}")
file(WRITE ${FOLDER}/worker.js "${TEXT}")
