#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "csv/batch.h"

namespace lade::csv {

// A window that moves over a source. Positions count from base(). kMargin bytes may be read before the unread bytes, of
// which the last is no part of a line end; as many zero bytes stand behind them.
class BlockBuffer {
 public:
  static constexpr std::size_t kMargin = 128;
  static_assert(kMargin >= Batch::kReadableBehind);

  BlockBuffer(ByteSource& source, std::size_t capacity);

  // Moves the unread bytes to the front and reads until the buffer is full or the source ends.
  Result<void> fill();
  void consume(std::size_t bytes) { begin_ += bytes; }
  // When the unread bytes fill the buffer: doubles its capacity, to at most `most` bytes unless it is larger already.
  void grow(std::size_t most);

  const char* base() const { return storage_.get(); }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  // The unread bytes, and everything from base() to their end.
  std::string_view data() const { return {base() + begin_, end_ - begin_}; }
  std::string_view window() const { return {base(), end_}; }
  // The source ends with these bytes.
  bool last() const { return last_; }
  bool at_end() const { return last_ && begin_ == end_; }

 private:
  void move_unread(char* to);

  ByteSource& source_;
  std::size_t capacity_;
  std::unique_ptr<char[]> storage_;
  std::size_t begin_ = kMargin;
  std::size_t end_ = kMargin;
  bool last_ = false;
};

}  // namespace lade::csv
