#include "storage/block_cache.h"

#include <algorithm>

namespace lade::storage {

Result<std::unique_ptr<BlockCache>> BlockCache::create(const std::filesystem::path& folder, std::uint64_t bytes) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return fail(system_error(error.value(), "create", folder.string()));
  LADE_ASSIGN(File file, File::temporary(folder));
  return std::unique_ptr<BlockCache>(new BlockCache(std::move(file), std::max<std::uint64_t>(1, bytes / kBlockBytes)));
}

Result<std::size_t> BlockCache::read(const std::string& id, std::uint64_t size, std::uint64_t offset,
                                     std::span<char> into, const Fetch& fetch) {
  const std::uint64_t end = std::min(size, offset + into.size());
  std::size_t done = 0;
  while (offset + done < end) {
    const std::uint64_t at = offset + done, inside = at % kBlockBytes;
    LADE_ASSIGN(Slot* const slot, filled(id, size, at / kBlockBytes, fetch));
    const std::size_t count = std::min(end - at, kBlockBytes - inside);
    auto copied = file_.read_at(place_of(*slot) + inside, into.subspan(done, count));
    {
      const std::lock_guard lock(mutex_);
      --slot->readers;
    }
    changed_.notify_all();
    if (!copied) return copied;
    done += count;
  }
  return done;
}

BlockCache::Slot* BlockCache::find(const std::string& id, std::uint64_t block) {
  const auto found = std::ranges::find_if(
      slots_, [&](const Slot& slot) { return slot.state != State::empty && slot.block == block && slot.id == id; });
  return found == slots_.end() ? nullptr : &*found;
}

// One that nobody reads or fills; null when there is none.
BlockCache::Slot* BlockCache::least_used() {
  Slot* least = nullptr;
  for (Slot& slot : slots_)
    if (slot.readers == 0 && slot.state != State::fetching && (least == nullptr || slot.used < least->used))
      least = &slot;
  return least;
}

// The slot of this block, with one more reader.
Result<BlockCache::Slot*> BlockCache::filled(const std::string& id, std::uint64_t size, std::uint64_t block,
                                             const Fetch& fetch) {
  std::unique_lock lock(mutex_);
  for (;;) {
    Slot* slot = find(id, block);
    if (slot == nullptr) {
      slot = least_used();
      if (slot != nullptr) {
        *slot = {.state = State::fetching, .id = id, .block = block};
        lock.unlock();
        Result<void> done = fill(*slot, size, fetch);
        lock.lock();
        slot->state = done ? State::filled : State::empty;
        changed_.notify_all();
        if (!done) return fail(std::move(done).error());
      }
    }
    if (slot != nullptr && slot->state == State::filled) {
      ++slot->readers;
      slot->used = ++clock_;
      return slot;
    }
    changed_.wait(lock);
  }
}

Result<void> BlockCache::fill(Slot& slot, std::uint64_t size, const Fetch& fetch) {
  const std::uint64_t offset = slot.block * kBlockBytes;
  LADE_ASSIGN(const std::string bytes, fetch(offset, std::min(kBlockBytes, size - offset)));
  return file_.write_at(place_of(slot), bytes);
}

}  // namespace lade::storage
