#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lade {

// A stream of bytes read once, front to back. Not thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `into` from the front; 0 means the end. May deliver less than asked.
  virtual Result<std::size_t> read(std::span<char> into) = 0;
};

// Bytes that somebody else keeps alive.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t count = rest_.copy(into.data(), into.size());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

// A stream of bytes written once.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Result<void> write(std::string_view bytes) = 0;
};

class StringSink final : public ByteSink {
 public:
  Result<void> write(std::string_view bytes) override {
    text.append(bytes);
    return {};
  }
  std::string text;
};

}  // namespace lade
