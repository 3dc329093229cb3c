# lade_unity(target sources…): sources of a target are compiled several at a time, in groups of at most 60 kB: most of a cold build's time
# went into the same headers and templates, anew for each source. A changed source compiles its group anew, which takes as long
# as three or four single sources; for long work on one module, configure with -DLADE_UNITY=OFF.
#
# Which sources go together is found out when CMake configures (unity_groups.py). When a new name makes two sources of a group
# collide, the compiler says "redefinition" or "ambiguous": configure again, and they are in different groups.
find_package(Python3 COMPONENTS Interpreter)
option(LADE_UNITY "Compile several sources at a time" ON)
set_property(GLOBAL PROPERTY LADE_UNITY_SOURCES "")

function(lade_unity target)
  if(NOT LADE_UNITY OR NOT Python3_Interpreter_FOUND)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)  # takes every source of a group for a header
  endif()
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(TRANSFORM sources PREPEND "${target}|")
  set_property(GLOBAL APPEND PROPERTY LADE_UNITY_SOURCES ${sources})
endfunction()

# Puts the sources of all targets into their groups; sources without a group are compiled alone. CMake's own unity sources name files by
# their whole paths, so that ccache would know none of them in another checkout: these are written by the script.
function(lade_unity_groups)
  get_property(sources GLOBAL PROPERTY LADE_UNITY_SOURCES)
  if(NOT sources)
    return()
  endif()
  set(script ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  set(list ${CMAKE_BINARY_DIR}/unity_sources.txt)
  list(JOIN sources "\n" text)
  file(WRITE ${list} "${text}\n")
  execute_process(COMMAND ${Python3_EXECUTABLE} ${script} ${CMAKE_SOURCE_DIR} ${list} ${CMAKE_BINARY_DIR}/unity OUTPUT_VARIABLE grouped
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" lines "${grouped}")
  foreach(line IN LISTS lines)
    string(REPLACE "|" ";" parts "${line}")
    list(POP_FRONT parts target group)
    target_sources(${target} PRIVATE ${group})
    set_source_files_properties(${parts} PROPERTIES HEADER_FILE_ONLY ON)
  endforeach()
endfunction()
