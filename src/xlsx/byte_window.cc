#include "xlsx/byte_window.h"

#include <algorithm>
#include <cstring>

namespace lade::xlsx {

ByteWindow::ByteWindow(ByteSource& source, std::size_t capacity)
    : source_(source),
      capacity_(std::max<std::size_t>(capacity, 1)),
      storage_(std::make_unique_for_overwrite<char[]>(capacity_ + kMargin)) {
  std::memset(storage_.get(), 0, kMargin);
}

void ByteWindow::move_unread(char* to) {
  std::memmove(to, begin(), size());
  base_ += begin_;
  end_ -= begin_;
  begin_ = 0;
}

Result<bool> ByteWindow::read_on(std::size_t most) {
  if (last_) return false;
  if (size() == capacity_ && capacity_ < most) {
    capacity_ = std::min(2 * capacity_, most);
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_ + kMargin);
    move_unread(larger.get());
    storage_ = std::move(larger);
  } else {
    move_unread(storage_.get());
  }
  while (end_ < capacity_) {
    LADE_ASSIGN(const std::size_t count, source_.read({storage_.get() + end_, capacity_ - end_}));
    end_ += count;
    last_ = count == 0;
    if (last_) break;
  }
  std::memset(storage_.get() + end_, 0, kMargin);
  return true;
}

}  // namespace lade::xlsx
