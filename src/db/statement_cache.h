#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace lade::db {

// The prepared statements of one connection by their text; the least recently used one leaves when it is full. A
// handle frees its statement when it is destroyed. References stay valid until the next insert() or erase().
template <class Handle>
class StatementCache {
 public:
  explicit StatementCache(std::size_t capacity) : capacity_(capacity) {}

  Handle* find(std::string_view sql) {
    const auto found = index_.find(sql);
    if (found == index_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->second;
  }

  Handle& insert(std::string_view sql, Handle handle) {
    if (entries_.size() == capacity_) erase(entries_.back().first);
    entries_.emplace_front(std::string(sql), std::move(handle));
    index_.emplace(entries_.front().first, entries_.begin());
    return entries_.front().second;
  }

  void erase(std::string_view sql) {
    const auto found = index_.find(sql);
    if (found == index_.end()) return;
    const auto entry = found->second;
    index_.erase(found);
    entries_.erase(entry);
  }

  std::size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, Handle>>;
  std::size_t capacity_;
  Entries entries_;  // most recently used first
  std::unordered_map<std::string_view, typename Entries::iterator> index_;
};

}  // namespace lade::db
