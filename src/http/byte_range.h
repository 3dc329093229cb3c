#pragma once

#include <cstdint>
#include <string_view>

namespace lade::http {

// What a Range field asks of a body of so many bytes.
struct ByteRange {
  enum class Kind {
    whole,          // no range, several, one in another unit or one that makes no sense
    part,           // `count` bytes from `first`
    unsatisfiable,  // it begins behind the end
  };
  Kind kind = Kind::whole;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

ByteRange byte_range(std::string_view range, std::uint64_t bytes);

}  // namespace lade::http
