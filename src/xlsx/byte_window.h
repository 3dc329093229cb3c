#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace lade::xlsx {

// A window that moves over a source. kMargin zero bytes stand behind the unread ones, so that a scanner may look ahead
// without asking for the end.
class ByteWindow {
 public:
  static constexpr std::size_t kMargin = 64;

  ByteWindow(ByteSource& source, std::size_t capacity);

  // Reads on, behind the unread bytes, which move to the front; false when the source has ended. The window grows when
  // they fill it, up to `most` bytes: a window that is full then stays as it is, and true is given all the same.
  Result<bool> read_on(std::size_t most);
  void consume(std::size_t bytes) { begin_ += bytes; }
  void consume_to(const char* position) { begin_ = static_cast<std::size_t>(position - storage_.get()); }

  const char* begin() const { return storage_.get() + begin_; }
  const char* end() const { return storage_.get() + end_; }
  std::size_t size() const { return end_ - begin_; }
  std::string_view unread() const { return {begin(), size()}; }
  bool full(std::size_t most) const { return size() == capacity_ && capacity_ >= most; }
  // The source ends with these bytes.
  bool last() const { return last_; }
  // Of the first unread byte, in the source.
  std::uint64_t offset() const { return base_ + begin_; }

 private:
  void move_unread(char* to);

  ByteSource& source_;
  std::size_t capacity_;
  std::unique_ptr<char[]> storage_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t base_ = 0;
  bool last_ = false;
};

}  // namespace lade::xlsx
