#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace lade::xlsx {

// Texts that keep their place until all are dropped at once.
class TextArena {
 public:
  std::string_view keep(std::string_view text) {
    if (text.size() > left_) grow(text.size());
    char* const place = next_;
    std::memcpy(place, text.data(), text.size());
    next_ += text.size();
    left_ -= text.size();
    return {place, text.size()};
  }

  void clear() {
    if (chunks_.size() > 1) chunks_.resize(1);
    next_ = chunks_.empty() ? nullptr : chunks_[0].get();
    left_ = chunks_.empty() ? 0 : kChunkBytes;
  }

 private:
  static constexpr std::size_t kChunkBytes = 64 * 1024;

  void grow(std::size_t least) {
    const std::size_t bytes = chunks_.empty() && least <= kChunkBytes ? kChunkBytes : std::max(least, kChunkBytes);
    if (chunks_.empty() && bytes != kChunkBytes) chunks_.push_back(std::make_unique_for_overwrite<char[]>(kChunkBytes));
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    next_ = chunks_.back().get();
    left_ = bytes;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;  // the first has kChunkBytes
  char* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace lade::xlsx
