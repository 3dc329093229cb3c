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
