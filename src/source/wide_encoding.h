#pragma once

#include <cstddef>
#include <string_view>

namespace lade::source {

struct ByteOrderMark {
  std::string_view encoding;  // empty: the file has none
  std::size_t bytes = 0;
};

// Of UTF-8, UTF-16 and UTF-32.
ByteOrderMark byte_order_mark(std::string_view beginning);

// utf-16le, utf-16be, utf-32le or utf-32be when a text without a mark is written so; empty otherwise. Judged by where
// its zero bytes stand and by what its units mean.
std::string_view wide_encoding(std::string_view sample);

}  // namespace lade::source
