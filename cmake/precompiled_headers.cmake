# lade_precompile(target owner [headers…]): reading the standard library anew for every source would be a third of a build's time.
# The target `owner` parses the headers that most sources include, and those given here, once; the others with the same flags reuse
# them. Sources include what they use all the same, and must compile without: make lint and the preset release do (CMAKE_DISABLE_PRECOMPILE_HEADERS).
function(lade_precompile target owner)
  if(NOT target STREQUAL owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <filesystem> <functional>
      <map> <memory> <mutex> <optional> <set> <span> <stop_token> <string> <string_view> <thread> <unordered_map> <utility> <variant>
      <vector> <fmt/format.h> <tl/expected.hpp> ${ARGN})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # ccache looks for the header's name in the preprocessed text
  endif()
endfunction()
