#include "csv/block_buffer.h"

#include <algorithm>
#include <cstring>

namespace lade::csv {
namespace {

std::unique_ptr<char[]> allocate(std::size_t capacity) {
  auto storage = std::make_unique_for_overwrite<char[]>(capacity + 2 * BlockBuffer::kMargin);
  std::memset(storage.get(), 0, BlockBuffer::kMargin);
  return storage;
}

}  // namespace

BlockBuffer::BlockBuffer(ByteSource& source, std::size_t capacity)
    : source_(source), capacity_(capacity), storage_(allocate(capacity)) {}

void BlockBuffer::move_unread(char* to) {
  std::memmove(to + kMargin, storage_.get() + begin_, end_ - begin_);
  end_ = kMargin + end_ - begin_;
  begin_ = kMargin;
}

Result<void> BlockBuffer::fill() {
  if (last_) return {};
  move_unread(storage_.get());
  while (end_ < kMargin + capacity_) {
    LADE_ASSIGN(const std::size_t count, source_.read({storage_.get() + end_, kMargin + capacity_ - end_}));
    if (count == 0) {
      last_ = true;
      break;
    }
    end_ += count;
  }
  std::memset(storage_.get() + end_, 0, kMargin);
  return {};
}

void BlockBuffer::grow(std::size_t most) {
  if (capacity_ >= most || end_ - begin_ < capacity_) return;
  capacity_ = std::min(2 * capacity_, most);
  auto larger = allocate(capacity_);
  move_unread(larger.get());
  storage_ = std::move(larger);
}

}  // namespace lade::csv
