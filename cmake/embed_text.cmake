# lade_embed_text(module file function): the text of `file` becomes the result of lade::<module>::<function>(), which a
# header of the module declares as returning std::string_view. The file stays the only source.
function(lade_embed_text module file function)
  set(EMBED_MODULE ${module})
  set(EMBED_FUNCTION ${function})
  file(READ ${CMAKE_SOURCE_DIR}/${file} EMBED_TEXT)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(generated ${CMAKE_BINARY_DIR}/embedded/${module}_${function}.cc)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embedded_text.cc.in ${generated} @ONLY)
  target_sources(lade_${module} PRIVATE ${generated})
endfunction()

# lade_embed_folder(module folder function): the files below `folder` become the result of lade::<module>::<function>(),
# pairs of path (below the folder) and text, sorted by path.
function(lade_embed_folder module folder function)
  file(GLOB_RECURSE paths CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_SOURCE_DIR}/${folder}/*)
  list(SORT paths)
  set(EMBED_MODULE ${module})
  set(EMBED_FUNCTION ${function})
  set(EMBED_FILES "")
  foreach(path IN LISTS paths)
    file(READ ${CMAKE_SOURCE_DIR}/${folder}/${path} text)
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${path})
    string(APPEND EMBED_FILES "    {\"${path}\", R\"embedded(${text})embedded\"sv},\n")
  endforeach()
  set(generated ${CMAKE_BINARY_DIR}/embedded/${module}_${function}.cc)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/embedded_folder.cc.in ${generated} @ONLY)
  target_sources(lade_${module} PRIVATE ${generated})
endfunction()
