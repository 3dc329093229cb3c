#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/input.h"

// Some records of a file, at any place of it, as they are read: for somebody who looks whether they are read rightly.
namespace lade::source {

// odd: those that have more or fewer fields than the header.
enum class ShownPlace { start, middle, end, odd };
std::optional<ShownPlace> shown_place(std::string_view word);

struct ShownLine {
  std::int64_t line = 0;  // 0: not known, so far inside a large file
  std::int64_t row = 0;   // 0: it stands above the data, or its number is not known
  std::vector<std::string> cells;
  enum class Kind { above, header, data, odd } kind = Kind::data;
};
std::string_view to_string(ShownLine::Kind kind);

struct ShownLines {
  std::vector<ShownLine> lines;  // at most kMostShownLines
  // Of all that was looked at.
  std::int64_t rows = 0;
  std::int64_t odd = 0;
  bool complete = true;  // false: only the first kCountedBytes of the data were
};

inline constexpr std::size_t kMostShownLines = 20;
inline constexpr std::uint64_t kCountedBytes = 64 * 1024 * 1024;

// Reads at most `counted_bytes` of the data, and of a larger file a piece at the wanted place. A record that cannot be
// read ends what is shown.
Result<ShownLines> shown_lines(const Input& input, const Layout& layout, ShownPlace place,
                               std::uint64_t counted_bytes = kCountedBytes);

}  // namespace lade::source
