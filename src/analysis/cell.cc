#include "analysis/cell.h"

#include <cstring>

namespace lade::analysis {

std::string_view TextArena::keep(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > left_) {
    left_ = std::max(kBlockBytes, text.size());
    blocks_.push_back(std::make_unique<char[]>(left_));
    at_ = blocks_.back().get();
  }
  char* kept = at_;
  std::memcpy(kept, text.data(), text.size());
  at_ += text.size();
  left_ -= text.size();
  return {kept, text.size()};
}

void TextArena::clear() {
  blocks_.clear();
  left_ = 0;
}

}  // namespace lade::analysis
