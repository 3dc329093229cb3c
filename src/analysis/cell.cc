#include "analysis/cell.h"

#include <cstring>

namespace lade::analysis {

std::string_view TextArena::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > kBlockBytes) {
    large_.push_back(std::make_unique_for_overwrite<char[]>(text.size()));
    std::memcpy(large_.back().get(), text.data(), text.size());
    return {large_.back().get(), text.size()};
  }
  if (text.size() > left_) {
    if (used_blocks_ == blocks_.size()) blocks_.push_back(std::make_unique_for_overwrite<char[]>(kBlockBytes));
    at_ = blocks_[used_blocks_++].get();
    left_ = kBlockBytes;
  }
  char* kept = at_;
  std::memcpy(kept, text.data(), text.size());
  at_ += text.size();
  left_ -= text.size();
  return {kept, text.size()};
}

void TextArena::clear() {
  large_.clear();
  used_blocks_ = 0;
  left_ = 0;
}

}  // namespace lade::analysis
