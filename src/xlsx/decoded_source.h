#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace lade::xlsx {

// The text of an XML part as UTF-8, without its byte order mark: UTF-16 is recognised by its mark or by its first
// character and converted; everything else passes as it is. The source outlives it.
class DecodedSource final : public ByteSource {
 public:
  explicit DecodedSource(ByteSource& source) : source_(source) {}
  Result<std::size_t> read(std::span<char> into) override;

 private:
  enum class Encoding : std::uint8_t { unknown, utf8, utf16_little, utf16_big };
  Result<void> recognise();
  Result<bool> convert_more();
  std::size_t deliver(std::span<char> into);
  void append_unit(char16_t unit);

  ByteSource& source_;
  Encoding encoding_ = Encoding::unknown;
  std::string waiting_;         // UTF-8 that was not delivered yet
  std::size_t waiting_at_ = 0;  // … from here on
  std::string raw_;             // UTF-16 of which a byte is missing
  char16_t high_ = 0;           // first half of a pair
};

}  // namespace lade::xlsx
