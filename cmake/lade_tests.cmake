# One GoogleTest program per module from its *_test.cc files.
find_package(GTest REQUIRED)

file(GLOB testing_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/testing/*.cc)
if(testing_sources)
  add_library(lade_testing STATIC ${testing_sources})
  target_include_directories(lade_testing PUBLIC ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(lade_testing PUBLIC lade_base lade_db)
endif()

get_property(modules GLOBAL PROPERTY LADE_MODULES)
foreach(name IN LISTS modules)
  get_property(tests GLOBAL PROPERTY LADE_TESTS_${name})
  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE lade_${name} GTest::gmock GTest::gtest_main)
    if(testing_sources)
      target_link_libraries(${name}_test PRIVATE lade_testing)
    endif()
    add_test(NAME ${name}_test COMMAND ${name}_test)
    set_tests_properties(${name}_test PROPERTIES ENVIRONMENT "LADE_SOURCE_DIR=${CMAKE_SOURCE_DIR}")
  endif()
endforeach()

# The tables of other projects, where their folder is (tests/corpus says where it looks).
add_executable(corpus_test tests/corpus/corpus_test.cc)
target_link_libraries(corpus_test PRIVATE lade_source Boost::json GTest::gtest_main)
add_test(NAME corpus_test COMMAND corpus_test)
set_tests_properties(corpus_test PROPERTIES ENVIRONMENT "LADE_SOURCE_DIR=${CMAKE_SOURCE_DIR}")

# Replays of the fuzz targets over their corpus with a plain main (make fuzz builds them for libFuzzer).
file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/fuzz_*.cc)
foreach(source IN LISTS fuzzers)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source} ${CMAKE_SOURCE_DIR}/fuzz/replay_main.cc)
  target_link_libraries(${name} PRIVATE lade_jobs)
  add_test(NAME ${name} COMMAND ${name} ${CMAKE_SOURCE_DIR}/fuzz/corpus/${name})
endforeach()

# What a benchmark does with the results should cost as little as it can.
file(GLOB benches CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/bench_*.cc)
foreach(source IN LISTS benches)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
  target_link_libraries(${name} PRIVATE lade_jobs)
endforeach()

# Programs that make test and benchmark data; they know nothing of lade.
file(GLOB tools CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tools/*.cc)
foreach(source IN LISTS tools)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE fmt::fmt)
endforeach()
